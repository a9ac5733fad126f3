"""Every format against the same hand-written network, and what the readers refuse."""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from network_examples import (
    MIXED_NET,
    NET,
    XDSL,
    XMLBIF,
    RWriter,
    examples,
    mixed,
    r_content,
    r_node,
    weather,
)

from dagathlon.data import About, Gaussian, Network, Table, read_network, write_network
from dagathlon.data.networks import NETWORK_FORMATS, bif, compact, limits
from dagathlon.errors import DataError

ALL = [(name, content) for name, contents in examples().items() for content in contents]


@pytest.mark.parametrize(("name", "content"), ALL, ids=[f"{n}{i}" for i, (n, _) in enumerate(ALL)])
def test_every_format_gives_the_same_network(name: str, content: bytes, tmp_path: Path) -> None:
    file = tmp_path / f"x{NETWORK_FORMATS[name].endings[0]}"
    file.write_bytes(content)
    network = read_network(file)
    assert network == (mixed() if network.kind != "discrete" else weather())


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_files_are_read(compress: object, tmp_path: Path) -> None:
    file = tmp_path / "x.bif.gz"
    file.write_bytes(compress(bif.write(weather())))  # type: ignore[operator]
    assert read_network(file) == weather()


def test_node_and_level_order_is_the_file_s() -> None:
    network = NETWORK_FORMATS["dsc"].read(examples()["dsc"][0])
    assert network.names == ("mood", "rain", "wind")
    table = network.distribution("mood")
    assert isinstance(table, Table)
    assert table.levels == ("good", "fair", "bad")
    assert table.parents == ("rain", "wind")


def refused(name: str, content: bytes, *words: str) -> str:
    with pytest.raises(DataError) as caught:
        NETWORK_FORMATS[name].read(content)
    for word in words:
        assert re.search(word, str(caught.value)), f"{word!r} not in {caught.value}"
    return str(caught.value)


def test_errors_say_line_node_found_and_allowed() -> None:
    good = bif.write(weather())
    refused(
        "bif", good.replace(b"table 0.2", b"table 0.7"), "line 12: node 'rain'", "sum to 1", "1.5"
    )
    refused("bif", good.replace(b"0.2, 0.8", b"-0.2, 1.2"), "node 'rain'", "not negative", "-0.2")
    refused("bif", good.replace(b"0.2, 0.8", b"0.2, x"), "line 13", "number", "'x'")
    refused(
        "bif", good.replace(b"| rain )", b"| rian )"), "line 15", "'rian'", "did you mean 'rain'"
    )
    refused(
        "bif", good.replace(b"(yes) ", b"(yep) "), "level of 'rain' 'yep'", "did you mean 'yes'"
    )
    refused("bif", good.replace(b"(yes) 0.1, 0.3, 0.6;", b""), "no probabilities for \\(yes\\)")
    refused("bif", good.replace(b"[ 2 ]", b"[ 4 ]"), "4 levels announced, 2 listed")
    refused("bif", good.replace(b"variable wind", b"varable wind"), "did you mean 'variable'")
    refused("bif", good[: len(good) // 2], "line", "expected|found")
    refused("bif", good.replace(b"(yes) 0.1, 0.3, 0.6;", b"(no) 0.1, 0.3, 0.6;"), "stands twice")
    refused(
        "dsc", examples()["dsc"][0].replace(b"(1, 2)", b"(1, 3)"), "level of 'wind' '3'", "line"
    )
    refused("net", NET.replace(b"(0.2 0.8)", b"(0.2 0.7 0.1)"), "found 3 numbers, needed are 2")
    refused("net", NET.replace(b"node rain", b"decision rain"), "'decision'")
    refused("xdsl", XDSL.replace(b"cpt", b"noisymax"), "kind of node 'noisymax'", "line 4")
    refused("xmlbif", XMLBIF.replace(b'TYPE="nature"', b'TYPE="decision"'), "'decision'", "line 8")


def test_cycle_is_named() -> None:
    text = b"""network x { } variable a { type discrete [ 2 ] { y, n }; }
    variable b { type discrete [ 2 ] { y, n }; }
    probability ( a | b ) { default 0.5, 0.5; } probability ( b | a ) { default 0.5, 0.5; }"""
    assert "a -> b -> a" in refused("bif", text, "cycle")


def test_file_name_stands_first(tmp_path: Path) -> None:
    file = tmp_path / "broken.bif"
    file.write_text("nonsense")
    with pytest.raises(DataError, match=r"broken\.bif: line 1: unknown statement 'nonsense'"):
        read_network(file)
    with pytest.raises(DataError, match=r"absent\.bif: there is no such file"):
        read_network(tmp_path / "absent.bif")
    with pytest.raises(DataError, match=r"\.biff.*did you mean '\.bif'"):
        read_network(tmp_path / "x.biff")
    with pytest.raises(DataError, match="unknown network format 'bfi'"):
        read_network(file, format="bfi")


def test_what_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="BIF holds discrete networks, this one is conditional"):
        write_network(mixed(), tmp_path / "x.bif")
    with pytest.raises(DataError, match="dsc is read only; formats written: dagnet, bif"):
        write_network(weather(), tmp_path / "x.dsc")
    with pytest.raises(DataError, match=r"cannot be written .there is no folder .*no\)"):
        write_network(weather(), tmp_path / "no" / "x.bif")


def test_about_is_kept(tmp_path: Path) -> None:
    about = About("weather", "made up", "CC0", "none")
    write_network(Network(weather().distributions, about=about), tmp_path / "x.dagnet")
    assert read_network(tmp_path / "x.dagnet").about == about


def test_entities_are_refused_and_document_types_are_not() -> None:
    bomb = XMLBIF.replace(b"<!ELEMENT BIF", b'<!ENTITY a "aaaaaaaa"> <!ELEMENT BIF')
    refused("xmlbif", bomb, "entity", "line 3")
    external = b'<!DOCTYPE BIF [<!ENTITY x SYSTEM "file:///etc/passwd">]><BIF>&x;</BIF>'
    refused("xmlbif", external, "entity")
    refused("xmlbif", b"<BIF>" * 5000, "nested more than")
    refused("xmlbif", b"<BIF><NETWORK>", "line 1")


def test_decompression_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_BYTES", 1000)
    for compress in (gzip.compress, bz2.compress, lzma.compress):
        with pytest.raises(DataError, match=r"allowed 1000 bytes|Memory usage limit"):
            limits.decompressed(compress(bytes(1001)))


def test_absurd_tables_are_refused_before_they_are_made() -> None:
    variables = "".join(f"variable v{i} {{ type discrete [ 2 ] {{ y, n }}; }}\n" for i in range(60))
    parents = ", ".join(f"v{i}" for i in range(59))
    text = f"{variables}probability ( v59 | {parents} ) {{ default 0.5, 0.5; }}"
    refused("bif", text.encode(), "node 'v59'", "more than the allowed 20000000 cells")


def test_slow_texts_are_not_slow() -> None:
    for text in (b'"' + b'\\"' * 200_000, b"/*" * 200_000, b"{" * 200_000, b"(" * 200_000):
        for name in ("bif", "dsc", "net"):
            refused(name, text)


def test_damaged_compact_file_is_noticed() -> None:
    content = compact.write(weather())
    refused("dagnet", content[:20], "ends too early")
    refused("dagnet", b"x" + content[1:], "wrong first bytes")
    refused("dagnet", content[:8] + b"\x09" + content[9:], "version 9")
    refused("dagnet", content[:-40] + bytes(40), "damaged|checksum|early")
    changed = content[:9] + bytes(32) + content[41:]
    refused("dagnet", changed, "checksum")


def test_r_sequences_and_deferred_strings_are_understood() -> None:
    def compact_sequence(kind: str, state: np.ndarray) -> object:
        def write(w: RWriter) -> None:
            w.integer(238)
            w.integer(2)
            w.symbol(kind)
            w.integer(2)
            w.symbol("base")
            w.integer(2)
            w.vector(np.array([13]))
            w.integer(254)
            w.vector(state)
            w.integer(254)

        return write

    def deferred(w: RWriter) -> None:
        w.integer(238)
        w.integer(2)
        w.symbol("deferred_string")
        w.integer(254)
        w.integer(2)
        w.item(compact_sequence("compact_intseq", np.array([2.0, 1.0, 1.0])))
        w.integer(254)
        w.integer(254)

    node, attributes = r_node(Network({"x": Table(("1", "2"), (), [0.5, 0.5])}), "x")
    prob = (
        node[3][0],
        {
            "dim": compact_sequence("compact_intseq", np.array([1.0, 2.0, 1.0])),
            "dimnames": [deferred],
        },
    )
    writer = RWriter(3)
    writer.vector([([*node[:3], prob], attributes)], {"names": ["x"], "class": ["bn.fit"]})
    network = NETWORK_FORMATS["rds"].read(writer.content())
    assert network == Network({"x": Table(("1", "2"), (), [0.5, 0.5])})


def test_r_functions_and_environments_are_skipped() -> None:
    def closure(w: RWriter) -> None:
        w.integer(3 | 1 << 10)
        w.integer(4)
        w.integer(0)
        for _ in range(4):
            w.integer(254)
        w.integer(254)
        w.integer(6)
        w.symbol("+")
        w.integer(2)
        w.symbol("x")
        w.integer(254)

    def byte_code(w: RWriter) -> None:
        for word in (21, 1):
            w.integer(word)
        w.vector(np.array([8, 1]))
        w.integer(2)
        w.integer(6)
        w.integer(254)
        w.integer(0)
        w.symbol("f")
        w.integer(0)
        w.integer(254)
        w.integer(13)
        w.vector(np.array([1]))

    node, attributes = r_node(weather(), "rain")
    extended = (
        [*node, closure, byte_code],
        {**attributes, "names": [*attributes["names"], "f", "g"]},
    )
    writer = RWriter()
    writer.vector([extended], {"names": ["rain"], "class": ["bn.fit"]})
    network = NETWORK_FORMATS["rds"].read(writer.content())
    assert network.distribution("rain") == weather().distribution("rain")


def test_r_files_that_are_no_networks() -> None:
    refused("rds", b"A\n2\n", "use saveRDS")
    refused("rds", b"PK\x03\x04", "not a file written by R")
    refused("rds", b"X\n" + struct.pack(">iii", 7, 0, 0), "version 7")
    writer = RWriter()
    writer.vector(["a"], {"class": ["data.frame"]})
    refused("rds", writer.content(), "no bn.fit object", "data.frame")
    nested = RWriter()
    for _ in range(3000):
        nested.integer(19)
        nested.integer(1)
    refused("rds", nested.content(), "nested more than|past the end")
    content = r_content(weather())
    refused("rds", content[: len(content) // 2], "byte")
    unobserved = r_content(weather()).replace(struct.pack(">d", 0.2), struct.pack(">d", np.nan))
    refused("rds", unobserved, "finite", "never observed")


def test_hugin_expressions() -> None:
    refused("net", MIXED_NET.replace(b"2 * weight", b"2 * wait"), "'wait'", "node 'score'")
    refused("net", MIXED_NET.replace(b"0.0625", b"-1"), "variance")
    refused(
        "net", MIXED_NET.replace(b"normal ( 165, 36 )", b"gamma ( 165, 36 )"), "expected normal"
    )
    refused("net", MIXED_NET.replace(b"2 * weight", b"2 weight"), "linear")


def test_deterministic_nodes_of_genie() -> None:
    text = XDSL.replace(b'<cpt id="wind">', b'<deterministic id="wind">').replace(
        b"<probabilities>0.1 0.3 0.6 0.5 0.3 0.2</probabilities></cpt>",
        b"<resultingstates>storm calm</resultingstates></deterministic>",
    )
    table = NETWORK_FORMATS["xdsl"].read(text).distribution("wind")
    assert isinstance(table, Table)
    assert table.probabilities.tolist() == [[0, 0, 1], [1, 0, 0]]


nasty = st.text(
    st.one_of(
        st.sampled_from(" ,;|{}()[]\"\\/*%=:\n\t\r'<>&#\x00\x1féß漢\u2028"),
        st.characters(exclude_categories=("Cs",)),
    ),
    min_size=1,
    max_size=6,
)


@st.composite
def networks(draw: st.DrawFn, continuous: bool) -> Network:
    """Random networks with nasty names and levels, up to five nodes."""
    names = draw(st.lists(nasty, min_size=1, max_size=5, unique=True))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    nodes: dict[str, Table | Gaussian] = {}
    for name in names:
        parents = [p for p in nodes if rng.random() < 0.5]
        discrete = tuple(p for p in parents if isinstance(nodes[p], Table))
        linear = tuple(p for p in parents if p not in discrete)
        shape = [len(nodes[p].levels) for p in discrete]  # type: ignore[union-attr]
        if continuous and rng.random() < 0.5:
            nodes[name] = Gaussian(
                linear,
                rng.normal(size=shape),
                rng.normal(size=(*shape, len(linear))),
                rng.exponential(size=shape),
                discrete,
            )
        else:
            levels = draw(st.lists(nasty, min_size=1, max_size=4, unique=True))
            cells = rng.dirichlet(np.full(len(levels), 0.5), size=shape)
            nodes[name] = Table(tuple(levels), discrete, cells)
    return Network(nodes)


@settings(max_examples=60)
@given(networks(continuous=False))
def test_bif_round_trip(network: Network) -> None:
    again = bif.read(bif.write(network))
    assert again == network
    assert again.names == network.names


@pytest.mark.slow
@settings(max_examples=60)
@given(networks(continuous=True))
def test_compact_and_r_round_trip(network: Network) -> None:
    again = compact.read(compact.write(network))
    assert again == network
    assert [again.distribution(n).parents for n in again.names] == [
        network.distribution(n).parents for n in network.names
    ]
    assert NETWORK_FORMATS["rds"].read(r_content(network, 3)) == network

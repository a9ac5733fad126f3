"""Results survive the way to bytes and back, and bad bytes are recognised."""

from __future__ import annotations

import contextlib
import json
import struct
import sys
import zlib
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagathlon.data import About, Dataset, Gaussian, LinearSem, Network, Table, Variable
from dagathlon.data.models.multivariate_normal import MultivariateNormal
from dagathlon.data.reading.unpacking import MOST_UNPACKED
from dagathlon.data.storable import storable
from dagathlon.graphs import Graph, GraphPath
from dagathlon.learners.base import Estimate
from dagathlon.posteriors.chain import Chain
from dagathlon.posteriors.edits import Edits
from dagathlon.posteriors.posterior import Posterior
from dagathlon.study.store.codec import MAGIC, CodecError, can_store, decode, encode


def there_and_back(value):
    return decode(b"".join(encode(value)))


def test_graph():
    graph = Graph.from_edges(["A -> B", "B o-> C", "C - D"])
    assert there_and_back(graph) == graph
    assert there_and_back(graph).names == graph.names


def large_graph() -> Graph:
    names = [f"V{i}" for i in range(1500)]
    marks = np.zeros((1500, 1500), dtype=np.uint8)
    marks[0, 1400], marks[1400, 0] = 2, 1
    marks[7, 3], marks[3, 7] = 3, 3
    return Graph(names, marks)


def test_a_large_graph_is_stored_by_its_edges():
    graph = large_graph()
    assert there_and_back(graph) == graph
    estimate = Estimate(graph, {"ntests": 3})
    assert there_and_back(estimate).graph == graph
    plain = zlib.decompress(b"".join(encode(estimate)))
    assert len(plain) < 20_000


def test_a_large_graph_that_was_stored_as_a_matrix_is_read(monkeypatch):
    graph = large_graph()
    with monkeypatch.context() as before:
        before.setattr("dagathlon.study.store.formats._MOST_IN_MATRIX", 10_000)
        stored = b"".join(encode(graph)), b"".join(encode(Estimate(graph)))
    assert decode(stored[0]) == graph
    assert decode(stored[1]).graph == graph


@pytest.mark.parametrize("place", [0, 1])
def test_edges_of_nodes_that_there_are_not_are_refused(place):
    plain = bytearray(zlib.decompress(b"".join(encode(large_graph()))))
    first = np.array([0, 1400], dtype=np.uint32).tobytes()
    at = plain.index(first) + 4 * place
    plain[at : at + 4] = np.uint32(1500).tobytes()
    with pytest.raises(CodecError, match="not a stored result"):
        decode(bytes(plain))


def test_estimate_keeps_notes():
    graph = Graph.from_edges(["A -> B"])
    notes = ("2 of 3 tests were undefined.", "Sets were bounded.")
    assert there_and_back(Estimate(graph, {}, notes=notes)).notes == notes
    assert there_and_back(Estimate(graph)).notes == ()


def test_estimate_keeps_statistics():
    stats = {"score": np.float64(-1.5), "ntests": np.int64(7), "note": "ü", "converged": True}
    result = there_and_back(Estimate(Graph.from_edges(["A -> B"]), stats))
    assert result.graph == Graph.from_edges(["A -> B"])
    assert dict(result.stats) == {"score": -1.5, "ntests": 7, "note": "ü", "converged": True}
    assert result.posterior is None


def test_estimate_keeps_precision_and_path():
    graph = Graph.from_edges(["A - B"])
    precision = np.array([[2.0, -0.5], [-0.5, 1.0]])
    joined = np.array([[[0, 0], [0, 0]], [[0, 1], [1, 0]]])
    path = GraphPath(graph.names, [0.5, 0.1], joined, chosen=1)
    both = Estimate(graph, {"score": 1.0}, notes=("Said.",), precision=precision, path=path)
    for estimate in (both, replace(both, notes=()), replace(both, path=None)):
        again = there_and_back(estimate)
        assert again == estimate
        assert np.array_equal(again.precision, precision)
    alone = there_and_back(replace(both, precision=None))
    assert alone.path == path
    assert alone.precision is None


def test_results_without_precision_and_path_are_stored_as_ever():
    plain = b"".join(encode(Estimate(Graph.from_edges(["A -> B"]), {"n": 1}, notes=("Said.",))))
    header = plain if plain.startswith(MAGIC) else zlib.decompress(plain)
    assert b'["estimate",[["A","B"],{"n":1},null,["Said."]],[["marks"' in header


def test_a_precision_matrix_of_another_size_is_refused():
    wrong = Estimate(Graph.from_edges(["A - B"]), precision=np.eye(3))
    with pytest.raises(CodecError, match="does not fit"):
        there_and_back(wrong)


@pytest.mark.parametrize("time", [None, [0.0, 0.5, 2.0]])
def test_estimate_keeps_chain(time):
    chain = Chain(
        ["A", "B", "C"],
        True,
        index=[0, 3, 9],
        score=[-3.0, -2.0, -2.0],
        added=Edits.of([[(0, 1)], [(1, 2)], []]),
        removed=Edits.of([[], [(0, 1)], []]),
        time=time,
    )
    posterior = Posterior([chain])
    assert there_and_back(Estimate(posterior.map(), {}, posterior)).posterior == posterior


def mixed_data() -> Dataset:
    variables = [Variable("x"), Variable("d", ("no", "yes")), Variable("y")]
    values = np.array([[0.1, 1.0], [np.nan, 2.0], [-3.0, 4.5]])
    codes = np.array([[0], [1], [-1]])
    return Dataset(variables, codes, values, ([(), ("x",)], [0, 1, 0]))


def test_dataset_is_mapped_not_copied():
    data = mixed_data()
    stored = b"".join(encode(data))
    assert stored.startswith(MAGIC)
    result = decode(stored)
    assert result == data
    assert result.values.flags.f_contiguous
    assert not result.values.flags.writeable
    assert np.shares_memory(result.values, np.frombuffer(stored, np.uint8))


def test_dataset_arrays_are_aligned():
    stored = b"".join(encode(mixed_data()))
    base = np.frombuffer(stored, np.uint8).ctypes.data
    result = decode(stored)
    for array in (result.values, result.codes):
        assert (array.ctypes.data - base) % 64 == 0


def test_slices_of_data_are_stored_alone():
    data = Dataset([Variable("x"), Variable("y")], values=np.arange(2000.0).reshape(1000, 2))
    assert sum(map(len, encode(data[:10]))) < 1000
    assert there_and_back(data[:10:2]) == data[:10:2]


def test_models():
    sem = LinearSem(["A", "B"], [[0, 1.5], [0, 0]], [1.0, 2.0])
    again = there_and_back(sem)
    assert np.array_equal(again.weights, sem.weights)
    assert np.array_equal(again.variances, sem.variances)
    normal = there_and_back(MultivariateNormal(["A", "B"], [[2.0, 0.5], [0.5, 1.0]]))
    assert np.array_equal(normal.covariance(), [[2.0, 0.5], [0.5, 1.0]])


@pytest.mark.parametrize("name", ["asia", "ecoli70"])
def test_networks(name):
    network = Network.load(name)
    again = there_and_back(network)
    assert again == network
    assert again.about == network.about
    assert encode(again) == encode(network)


def test_conditional_gaussian_networks():
    coin = Table(("heads", "tails"), (), np.array([0.25, 0.75]))
    noise = Gaussian((), np.array(1.0), np.empty(0), np.array(2.0))
    gain = Gaussian(("noise",), np.array([0.0, 1.0]), np.ones((2, 1)), np.ones(2), ("coin",))
    network = Network({"coin": coin, "noise": noise, "gain": gain}, about=About("bet"))
    assert there_and_back(network) == network
    assert there_and_back(network).about == About("bet")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=6,
)


@given(st.dictionaries(st.text(), json_values, max_size=4) | st.lists(json_values, max_size=4))
def test_rows(value):
    assert there_and_back(value) == value


@given(st.integers(1, 9), st.integers(0, 2**32))
def test_graphs_of_any_size(p, seed):
    matrix = np.triu(np.random.default_rng(seed).integers(0, 2, (p, p)), 1)
    graph = Graph.from_adjacency([f"n{i}" for i in range(p)], matrix)
    assert there_and_back(graph) == graph


def test_equal_results_are_equal_bytes():
    first = Estimate(Graph.from_edges(["A -> B"]), {"b": 1, "a": 2})
    second = Estimate(Graph.from_edges(["A -> B"]), {"a": 2, "b": 1})
    assert encode(first) == encode(second)


@given(st.binary(max_size=200))
def test_any_bytes_are_refused_or_read(data):
    for stored in (data, MAGIC + data):
        with pytest.raises(CodecError, match="not a stored result"):
            decode(stored)


def test_truncated_bytes_are_refused():
    stored = b"".join(encode(mixed_data()))
    for length in range(0, len(stored) - 64, 7):
        with pytest.raises(CodecError):
            decode(stored[:length])


def test_unknown_types_are_refused():
    with pytest.raises(CodecError, match="type set cannot be stored"):
        encode({1, 2})
    assert not can_store({1, 2})
    objects = Dataset([Variable("x")], values=np.zeros((1, 1)))
    assert can_store(objects)


@storable
class Passing:
    def to_parts(self):
        return "here", {"numbers": np.arange(3)}

    @classmethod
    def from_parts(cls, meta, arrays):
        assert meta == "here"
        assert arrays["numbers"].tolist() == [0, 1, 2]
        return cls()


class Undeclared(Passing):
    """Has all the methods, and nobody has declared it."""


def test_declared_types_are_stored():
    assert can_store(Passing())
    assert type(there_and_back(Passing())) is Passing


def test_undeclared_types_are_not_stored():
    assert not can_store(Undeclared())
    with pytest.raises(CodecError, match="type Undeclared cannot be stored"):
        encode(Undeclared())


def container(header, body=b"", length=None) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    text += b" " * (-(16 + len(text)) % 64)
    return MAGIC + struct.pack("<Q", len(text) if length is None else length) + text + body


@pytest.mark.parametrize(
    "name",
    [
        "os:system",
        "subprocess:Popen",
        "builtins:dict",
        "dagathlon.data.models.sem:LinearSem",
        f"{__name__}:Undeclared",
        "antigravity:",
        "no.such.module:Type",
        "",
        3,
        None,
        ["graph"],
    ],
)
def test_a_header_names_no_type_but_ours_and_declared_ones(name):
    before = set(sys.modules)
    for stored in (container([name, None, []]), zlib.compress(container([name, None, []]))):
        with pytest.raises(CodecError, match=r"neither one of ours nor declared|its type is"):
            decode(stored)
    assert set(sys.modules) == before


MARKS = ["marks", "|u1", [2, 2], "C", 0]
TWO_NODES = bytes(64)


def test_the_crafted_header_is_a_graph_when_nothing_is_wrong():
    assert decode(container(["graph", ["A", "B"], [MARKS]], TWO_NODES)) == Graph(["A", "B"])


@pytest.mark.parametrize("stats", [5, None, "text", [1]])
def test_statistics_that_are_no_mapping_are_refused(stats):
    with pytest.raises(CodecError, match="not a stored result"):
        decode(container(["estimate", [["A", "B"], stats, None], [MARKS]], TWO_NODES))


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        (["marks", "|u1", [2**60], "C", 0], "is not all there"),
        (["marks", "|u1", [2**31, 2**33], "C", 0], "is not all there"),
        (["marks", "<f8", [3, 3], "C", 0], "is not all there"),
        (["marks", "<U100000", [1], "C", 0], "is not all there"),
        (["marks", "|u1", [-2, -2], "C", 0], "has the shape"),
        (["marks", "|u1", [-1], "C", 0], "has the shape"),
        (["marks", "|u1", [2.0, 2], "C", 0], "has the shape"),
        (["marks", "|u1", [True, 2], "C", 0], "has the shape"),
        (["marks", "|u1", [2, 2], "A", 0], "in the order 'A'"),
        (["marks", "|u1", [2, 2], "C", -64], "begins at -64"),
        (["marks", "|u1", [2, 2], "C", 64], "begins at 64"),
        (["marks", "|u1", [2, 2], "C", "0"], "begins at '0'"),
        (["marks", "|O", [2, 2], "C", 0], "is of type '|O'"),
        (["marks", "O", [2, 2], "C", 0], "is of type 'O'"),
        (["marks", "|V1", [2, 2], "C", 0], "is of type"),
        (["marks", "<M8[s]", [2, 2], "C", 0], "is of type"),
        (["marks", [["a", "|O"]], [2, 2], "C", 0], "is of type"),
        (["marks", "u1,O", [2, 2], "C", 0], "is of type"),
        (["marks", "no type", [2, 2], "C", 0], "not a stored result"),
        (["marks", "|u1", None, "C", 0], "not a stored result"),
        (["marks", "|u1", [2, 2], "C"], "not a stored result"),
        ([7, "|u1", [2, 2], "C", 0], "an array has the name 7"),
        (["other", "|u1", [2, 2], "C", 0], "marks"),
    ],
)
def test_arrays_that_cannot_be_are_refused(field, reason):
    with pytest.raises(CodecError, match="not a stored result") as refused:
        decode(container(["graph", ["A", "B"], [field]], TWO_NODES))
    assert reason in str(refused.value)


@pytest.mark.parametrize(
    "stored",
    [
        container(["graph", ["A", "B"], [MARKS]], TWO_NODES + b"x"),
        container(["graph", ["A", "B"], [MARKS]], TWO_NODES * 2),
        container(["graph", ["A", "B"], [MARKS]], TWO_NODES[:3]),
        container(["graph", ["A", "B"], [MARKS, MARKS]], TWO_NODES * 2),
        container(["graph", ["A", "B"], [MARKS]], TWO_NODES, length=2**63),
        container(b"[" * 100_000),
        container(b"[" * 1000 + b"]" * 1000),
        container({"graph": 1}),
        container(["graph", ["A"], [["marks", "|u1", [1, 1], "C", 0]]], b"\3" * 64),
        zlib.compress(container(["graph", ["A", "B"], [MARKS]], TWO_NODES)) + b"more",
        zlib.compress(container(["graph", ["A", "B"], [MARKS]], TWO_NODES))[:-1],
    ],
)
def test_containers_that_say_other_than_they_hold_are_refused(stored):
    with pytest.raises(CodecError, match="not a stored result"):
        decode(stored)


def test_a_stranger_s_data_are_checked():
    fields = [["codes", "|u1", [2, 1], "F", 0], ["values", "<f8", [2, 0], "F", 64]]
    meta = [[["x", ["no", "yes"]]], None]
    good = container(["dataset", meta, fields], bytes([0, 1]).ljust(64, b"\0"))
    assert decode(good).codes[:, 0].tolist() == [0, 1]
    with pytest.raises(CodecError, match="found code 2; its 2 levels"):
        decode(container(["dataset", meta, fields], bytes([0, 2]).ljust(64, b"\0")))


@pytest.mark.parametrize("value", [mixed_data(), Graph.from_edges(["A -> B", "B - C"])])
@given(position=st.integers(0, 10**6), byte=st.integers(0, 255))
def test_changed_bytes_are_refused_or_read(value, position, byte):
    changed = bytearray(b"".join(encode(value)))
    changed[position % len(changed)] = byte
    with contextlib.suppress(CodecError):
        assert isinstance(decode(bytes(changed)), type(value))


def test_a_bomb_is_refused(monkeypatch):
    row = {"text": "x" * 100_000}
    (stored,) = encode(row)
    assert len(stored) < 1000
    monkeypatch.setenv(MOST_UNPACKED, "100000")
    with pytest.raises(CodecError, match="unpacks to more than 100,000 bytes"):
        decode(stored)
    with pytest.raises(CodecError, match="too large to be read again"):
        encode(row)
    monkeypatch.setenv(MOST_UNPACKED, "200000")
    assert decode(stored) == row

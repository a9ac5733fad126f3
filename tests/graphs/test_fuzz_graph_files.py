"""Readers fed with damaged files: a graph or a `GraphError`, nothing else."""

from __future__ import annotations

import io
import random

import pytest

from dagathlon.errors import GraphError
from dagathlon.graphs import Graph, read_graph, write_graph
from dagathlon.modules import modules

TOKENS = [
    *(b"->", b"o-o", b"<->", b",", b'"', b"\n", b"\r\n", b"\t", b"{", b"}", b"[", b"]", b"=", b";"),
    *(b"<", b">", b"&", b"&lt;", b"<!DOCTYPE a>", b"<node id='", b"\xef\xbb\xbf", b"\xff", b"\0"),
    *(
        b"0",
        b"1",
        b"2",
        b"3",
        b"1e400",
        b"nan",
        b"-1",
        b"TRUE",
        b"Graph Nodes:\n",
        b"Graph Edges:\n",
    ),
    *(b"1. ", b"\\", b"\\u", b"//", b"/*", b"*/", b"#", b"digraph", b"subgraph {", b"dir=", b"'"),
]
TETRAD = b"Graph Nodes:\nA;B;C\n\nGraph Edges:\n1. A --> B\n2. B o-> C\n\nGraph Attributes:\nx: 1\n"
GRAPHVIZ = (
    b'strict digraph G { edge [dir=none]; a -> {b c} [dir=both arrowtail=odot]; "x" + "y":p }'
)


def good_files() -> list[tuple[str, bytes]]:
    marks = Graph.from_edges(
        ["A -> B", "B <-> C", "C - D", ("D", "o->", "x,\"'y"), "A o-o E"], names=None
    )
    dag = Graph.from_edges([f"v{i} -> v{j}" for i in range(9) for j in range(i + 1, 9, 2)])
    files = [("edges", TETRAD), ("dot", GRAPHVIZ)]
    for graph in (marks, dag):
        for format in modules("format"):
            file = io.BytesIO()
            write_graph(graph, file, format, lossy=True)
            files.append((format, file.getvalue()))
    return files


def flip(content: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(content))
    return content[:at] + bytes([content[at] ^ (1 << rng.randrange(8))]) + content[at + 1 :]


def truncate(content: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(content))
    return content[:at] if rng.random() < 0.5 else content[at:]


def duplicate(content: bytes, rng: random.Random) -> bytes:
    start, end = sorted((rng.randrange(len(content)), rng.randrange(len(content) + 1)))
    return content[:end] + content[start:]


def insert(content: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(content))
    return content[:at] + rng.choice(TOKENS) + content[at:]


def remove(content: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(content))
    return content[:at] + content[at + rng.randint(1, 8) :]


def mutated(content: bytes, rng: random.Random) -> bytes:
    for _ in range(rng.choice((1, 1, 2, 5))):
        content = rng.choice((flip, truncate, duplicate, insert, remove))(content, rng) or b"x"
    return content


def check(count: int, seed: int) -> None:
    rng = random.Random(seed)
    files = good_files()
    graphs = errors = 0
    for number in range(count):
        format, good = files[number % len(files)]
        content = mutated(good, rng)
        for chosen in (format, None):
            try:
                graph = read_graph(io.BytesIO(content), chosen)
            except GraphError as error:
                errors += len(str(error)) < 2000
            else:
                assert Graph(graph.names, graph.marks) == graph
                graphs += 1
    assert graphs + errors == 2 * count, "an error message is too long"
    assert min(graphs, errors) > count // 20, "the mutations are all harmless or all fatal"


@pytest.mark.parametrize("seed", range(5))
def test_damaged_files(seed: int) -> None:
    check(300, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 110))
def test_many_damaged_files(seed: int) -> None:
    check(1000, seed)

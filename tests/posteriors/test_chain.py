"""Chains of graphs and their files."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.posteriors.chain import Chain, ChainRecorder
from dagathlon.posteriors.edits import Edits
from dagathlon.posteriors.posterior import Posterior
from dagathlon.posteriors.trajectory import format_trajectory, read_trajectory, write_trajectory

# The example of Benchpress's documentation.
EXAMPLE = """index,score,added,removed
-2,0.0,[a-b;a-c;a-d],[]
-1,0.0,[],[a-b;a-c;a-d]
0,-2325.52,[b-c;a-d],[]
34,-2311.94,[],[b-c]
89,-2310.81,[c-d],[]
"""


def example() -> Chain:
    return Chain(
        "abcd",
        directed=False,
        index=[0, 34, 89],
        score=[-2325.52, -2311.94, -2310.81],
        added=Edits.of([[(1, 2), (0, 3)], [], [(3, 2)]]),
        removed=Edits.of([[], [(2, 1)], []]),
    )


def read(tmp_path: Path, text: str, names: list[str] | None = None) -> Chain:
    path = tmp_path / "chain.csv"
    path.write_text(text)
    return read_trajectory(path, names)


def test_example_is_read(tmp_path: Path):
    chain = read(tmp_path, EXAMPLE)
    assert chain == example()
    assert chain.names == ("a", "b", "c", "d")
    assert chain.end == 89
    assert chain.sizes.tolist() == [2, 1, 2]


def test_graphs_of_the_example():
    chain = example()
    assert chain.graph_at(0) == Graph.from_edges(["b - c", "a - d"], "abcd")
    assert chain.graph_at(1) == Graph.from_edges(["a - d"], "abcd")
    assert (
        chain.graph_at(2)
        == Posterior([chain]).map()
        == Graph.from_edges(["c - d", "a - d"], "abcd")
    )


def test_example_is_written_as_documented():
    written = format_trajectory(example()).splitlines()
    # Within a row the order of edges is ours.
    assert written == EXAMPLE.splitlines()


def test_directed_chain_with_times(tmp_path: Path):
    text = (
        "index,score,added,removed,time\n-2,0.0,[x->y;x->z],[],0.0\n-1,0.0,[],[x->y;x->z],0.0\n"
        "0,-1.5,[y->x],[],0.0\n1e+05,-1.0,[x->y],[y->x],0.25\n"
    )
    chain = read(tmp_path, text)
    assert chain.directed
    assert chain.index.tolist() == [0, 100_000]
    assert chain.time is not None
    assert chain.time.tolist() == [0.0, 0.25]
    assert chain.graph_at(0) == Graph.from_edges(["y -> x"], "xyz")
    assert chain.graph_at(1) == Graph.from_edges(["x -> y"], "xyz")
    assert format_trajectory(chain) == text.replace("1e+05", "100000")


def test_names_with_connectors(tmp_path: Path):
    chain = read(
        tmp_path,
        "index,score,added,removed\n-2,0,[x-1-y;x-1-z],[]\n-1,0,[],[x-1-y;x-1-z]\n0,1,[x-1-y],[]\n",
        ["x-1", "y", "z"],
    )
    assert chain.graph_at(0) == Graph.from_edges([("x-1", "-", "y")], ["x-1", "y", "z"])


def test_edits_that_change_nothing_are_left_out():
    chain = Chain(
        "abc",
        directed=False,
        index=[0, 1, 2, 3],
        score=[0, 0, 0, 0],
        added=Edits.of([[(0, 1), (1, 0)], [(0, 1)], [(1, 2)], []]),
        removed=Edits.of([[], [(1, 2)], [(0, 1)], [(0, 1)]]),
    )
    assert chain.sizes.tolist() == [1, 1, 1, 1]
    assert chain.added.starts.tolist() == [0, 1, 1, 2, 2]
    assert chain.removed.edges.tolist() == [[0, 1]]
    assert chain.graph_at(3) == Graph.from_edges(["b - c"], "abc")


def test_edge_added_and_removed_in_one_row_is_not_there():
    chain = Chain(
        "ab",
        directed=False,
        index=[0],
        score=[0],
        added=Edits.of([[(0, 1)]]),
        removed=Edits.of([[(0, 1)]]),
    )
    assert chain.graph_at(0) == Graph("ab")


def test_chain_is_immutable_and_pickles():
    chain = example()
    with pytest.raises(ValueError, match="read-only"):
        chain.score[0] = 1.0
    assert pickle.loads(pickle.dumps(chain)) == chain


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the trajectory is empty"),
        ("index,score\n0,1\n", "added, removed is missing"),
        ("index,score,added,removed\n", "no row with an index of 0 or more"),
        ("index,score,added,removed\n0,x,[],[]\n", "not a trajectory"),
        ("index,score,added,removed\n0.5,0,[],[]\n", "whole number"),
        ("index,score,added,removed\n0,0,[],[]\n", "give their names"),
        (EXAMPLE + "50,0,[],[]\n", "line 7: index 50 comes after 89"),
        (EXAMPLE + "90,0,[a-bb],[]\n", "edge a-bb: unknown node 'bb' .did you mean 'b'"),
        (EXAMPLE + "90,0,a-b,[]\n", "edges are written like"),
        (EXAMPLE + "90,0,[a-a],[]\n", "no edge with itself"),
    ],
)
def test_wrong_files_are_refused(tmp_path: Path, text: str, message: str):
    with pytest.raises(DataError, match=message):
        read(tmp_path, text)


def test_missing_file(tmp_path: Path):
    with pytest.raises(DataError, match="no such file"):
        read_trajectory(tmp_path / "nothing.csv")


def test_names_that_cannot_be_written():
    nothing = Edits.of([[]])
    chain = Chain(["a;b", "c"], False, index=[0], score=[0], added=nothing, removed=nothing)
    with pytest.raises(DataError, match="cannot name the node 'a;b'"):
        format_trajectory(chain)


def edits(rows: int, p: int) -> st.SearchStrategy[Edits]:
    node = st.integers(0, p - 1)
    edge = st.tuples(node, node).filter(lambda pair: pair[0] != pair[1])
    return st.lists(st.lists(edge, max_size=4), min_size=rows, max_size=rows).map(Edits.of)


@st.composite
def chains(draw: st.DrawFn) -> Chain:
    p = draw(st.integers(2, 5))
    rows = draw(st.integers(1, 12))
    names = draw(st.lists(st.text('ab"c,é ', min_size=1), min_size=p, max_size=p, unique=True))
    names = [f"{name}{i}" for i, name in enumerate(name.strip() for name in names)]
    steps = draw(st.lists(st.integers(0, 9), min_size=rows, max_size=rows))
    finite = st.floats(allow_nan=False, allow_infinity=False)
    timed = draw(st.booleans())
    return Chain(
        names,
        draw(st.booleans()),
        index=np.cumsum(steps),
        score=draw(st.lists(finite, min_size=rows, max_size=rows)),
        added=draw(edits(rows, p)),
        removed=draw(edits(rows, p)),
        time=np.cumsum(steps) / 3 if timed else None,
    )


@pytest.mark.slow
@given(chain=chains())
def test_files_give_the_same_chain(tmp_path_factory: pytest.TempPathFactory, chain: Chain):
    path = tmp_path_factory.mktemp("chain") / "chain.csv"
    write_trajectory(chain, path)
    assert read_trajectory(path) == chain


@pytest.mark.slow
@given(chain=chains())
def test_rows_agree_with_a_walk(chain: Chain):
    edges: set[tuple[int, int]] = set()
    for row in range(len(chain)):
        for which, change in ((chain.added, edges.add), (chain.removed, edges.discard)):
            for i, j in which.edges[which.starts[row] : which.starts[row + 1]].tolist():
                change((i, j))
        matrix = np.zeros((len(chain.names),) * 2, dtype=int)
        for i, j in edges:
            matrix[i, j] = 1
            matrix[j, i] |= not chain.directed
        assert chain.graph_at(row) == Graph.from_adjacency(chain.names, matrix)
        assert chain.sizes[row] == len(edges)


def test_recorder_notes_changes():
    recorder = ChainRecorder("abc", directed=True)
    first, second = np.zeros((3, 3), dtype=bool), np.zeros((3, 3), dtype=bool)
    first[0, 1] = second[0, 1] = second[2, 1] = True
    recorder.record(0, -2.0, first)
    recorder.record(5, -1.0, second)
    recorder.record(7, -2.0, first)
    chain = recorder.chain(10)
    assert chain.index.tolist() == [0, 5, 7, 10]
    assert chain.score.tolist() == [-2.0, -1.0, -2.0, -2.0]
    assert chain.added.edges.tolist() == [[0, 1], [2, 1]]
    assert chain.removed.edges.tolist() == [[2, 1]]
    assert Posterior([chain]).map() == Graph.from_edges(["a -> b", "c -> b"], "abc")

"""Paths of undirected graphs: what goes in comes out, in memory and from files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dagathlon.errors import GraphError
from dagathlon.graphs import Graph, GraphPath, read_path, write_path


def matrices() -> np.ndarray:
    graphs = np.zeros((3, 4, 4), dtype=bool)
    for k, (i, j) in enumerate([(0, 2), (1, 3)], start=1):
        graphs[k:, i, j] = graphs[k:, j, i] = True
    return graphs


def example(chosen: int | None = 1) -> GraphPath:
    return GraphPath(["a", "b,c", "d", "e"], [0.5, 0.25, 0.0], matrices(), chosen=chosen)


def test_graphs_come_back() -> None:
    path = example()
    assert len(path) == 3
    assert np.array_equal(path.adjacency, matrices())
    assert path.n_edges.tolist() == [0, 1, 2]
    assert path.graph(0) == Graph(path.names)
    assert path.graph(-1) == Graph.from_edges(["a - d", ("b,c", "-", "e")], names=path.names)
    assert path == GraphPath.from_bits(path.names, path.penalties, path.bits, 1)
    assert hash(path) == hash(example())
    assert path != example(2)
    assert "3 penalties 0.5 to 0, chosen 0.25; 0 to 2 edges" in repr(path)


@pytest.mark.parametrize("nodes", [0, 1, 2])
def test_few_nodes(nodes: int) -> None:
    names = [f"x{i}" for i in range(nodes)]
    path = GraphPath(names, [1.0], np.zeros((1, nodes, nodes)))
    assert path.adjacency.shape == (1, nodes, nodes)
    assert path.graph(0) == Graph(names)


def test_what_is_no_path() -> None:
    names = ["a", "b", "c", "d"]
    loop, lopsided = matrices(), matrices()
    loop[0, 1, 1] = True
    lopsided[0, 1, 2] = True
    for penalties, graphs, message in [
        ([0.5, 0.5, 0.1], matrices(), "strictly decreasing"),
        ([0.5, np.nan, 0.1], matrices(), "finite"),
        ([0.5, 0.1], matrices(), "2×4×4"),
        ([3, 2, 1], loop, "with itself"),
        ([3, 2, 1], lopsided, "symmetric"),
        ([], np.zeros((0, 4, 4)), "one penalty"),
    ]:
        with pytest.raises(GraphError, match=message):
            GraphPath(names, penalties, graphs)
    with pytest.raises(GraphError, match="cannot be 3"):
        GraphPath(names, [3, 2, 1], matrices(), chosen=3)


@pytest.mark.parametrize("chosen", [None, 2])
def test_files(tmp_path: Path, chosen: int | None) -> None:
    path = example(chosen)
    write_path(path, tmp_path / "path.npz")
    assert read_path(tmp_path / "path.npz") == path
    write_path(path, tmp_path / "path.csv")
    mark = int(chosen == 2)
    assert (tmp_path / "path.csv").read_text().splitlines() == [
        "penalty,chosen,from,to",
        "0.5,0,,",
        "0.25,0,a,d",
        f"0.0,{mark},a,d",
        f'0.0,{mark},"b,c",e',
    ]


def test_damaged_files(tmp_path: Path) -> None:
    with pytest.raises(GraphError, match=r"\.npz or \.csv"):
        write_path(example(), tmp_path / "path.txt")
    file = tmp_path / "path.npz"
    for content in (b"nonsense", b"PK\x03\x04"):
        file.write_bytes(content)
        with pytest.raises(GraphError, match="not a path of graphs"):
            read_path(file)


def test_bits_behind_the_last_pair_say_nothing() -> None:
    path = example()
    noisy = path.bits | 0b11
    assert GraphPath.from_bits(path.names, path.penalties, noisy, 1) == path
    with pytest.raises(GraphError, match="not packed"):
        GraphPath.from_bits(path.names, path.penalties, path.bits[:2], 1)

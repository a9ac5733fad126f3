"""Matrices of thousands of nodes are drawn as counts in blocks."""

from __future__ import annotations

import numpy as np

from dagathlon.evaluate.graphs.control import COMPLETE, EMPTY, trivial_baselines
from dagathlon.evaluations.graphs.graph_files import adjacency_picture, features
from dagathlon.graphs import Graph
from dagathlon.report.charts.blocks import adjacency_blocks, difference_blocks

NAMES = [f"V{i}" for i in range(2_500)]  # blocks of 20
TRUE = Graph.from_edges(["V0 -> V1", "V0 -> V2499", "V30 - V31", "V41 -> V40"], NAMES)
LEARNED = Graph.from_edges(["V0 -> V1", "V2499 -> V0", "V30 <-> V31", "V100 -> V200"], NAMES)


def cells(chart: dict, *keys: str) -> dict[tuple[int, int], tuple[int, ...]]:
    return {
        (cell["row"], cell["column"]): tuple(cell[key] for key in keys)
        for cell in chart["data"]["values"]
    }


def test_blocks_count_the_cells_of_the_adjacency_matrix() -> None:
    found = cells(adjacency_blocks(TRUE), "edges")
    matrix = TRUE.adjacency
    blocks = matrix.reshape(125, 20, 125, 20).sum(axis=(1, 3))
    assert found == {tuple(at): (blocks[tuple(at)],) for at in np.argwhere(blocks).tolist()}
    assert adjacency_blocks(TRUE)["data"]["values"][0]["from"] == "V0 … V19"


def test_differences_are_counted_by_kind() -> None:
    found = cells(
        difference_blocks(LEARNED, TRUE), "mistakes", "correct", "missing", "not in the truth"
    )
    assert found == {
        (0, 0): (0, 1, 0, 0),
        (0, 124): (1, 0, 1, 0),
        (124, 0): (1, 0, 0, 1),
        (1, 1): (0, 2, 0, 0),
        (2, 2): (1, 0, 1, 0),
        (5, 10): (1, 0, 0, 1),
    }


def test_the_last_block_may_be_short_or_empty() -> None:
    names = [f"V{i}" for i in range(2_001)]
    chart = adjacency_blocks(Graph.from_edges(["V0 -> V2000"], names))
    assert [cell["to"] for cell in chart["data"]["values"]] == ["V1989 … V2000"]


def test_files_of_large_graphs_have_blocks_and_edges() -> None:
    assert adjacency_picture(TRUE) == adjacency_blocks(TRUE)
    made = dict(features(LEARNED, TRUE, {"diffplots": "d.png", "csvs": "g.csv"}))
    assert made["d.png"] == difference_blocks(LEARNED, TRUE)
    assert made["g.csv"].startswith(b"from,edge,to\n")


def test_the_complete_graph_is_no_baseline_of_thousands_of_nodes() -> None:
    found = trivial_baselines(TRUE)
    assert found["SHD_pattern"].keys() == {EMPTY}
    small = Graph.from_edges(["a -> b"], "abc")
    assert trivial_baselines(small)["SHD_pattern"].keys() == {EMPTY, COMPLETE}

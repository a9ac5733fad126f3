"""Thousands of variables: PC on a sparse linear model, and what is done with graphs afterwards.

Time and memory of each step alone, in a process of its own; the graphs have two edges per node.
"""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.timing import Row, alone, best_of, pick, print_table
from dagathlon.data import Dataset, Variable
from dagathlon.evaluate import compare
from dagathlon.graphs import Graph, cpdag, read_graph, write_graph
from dagathlon.graphs.drawing.picture import draw
from dagathlon.learners import learn
from dagathlon.learners.base import Estimate
from dagathlon.study.store.codec import decode, encode

NODES = pick((1_000, 2_000, 5_000, 10_000), (50, 100))
ROWS = 200
ALPHAS = (0.05, 0.01)


def sparse_pairs(p: int, seed: int) -> np.ndarray:
    """Two edges per node, from lower to higher numbers."""
    rng = np.random.default_rng(seed)
    drawn = np.sort(rng.integers(p, size=(5 * p, 2)), axis=1)
    apart = drawn[drawn[:, 0] != drawn[:, 1]]
    _, first = np.unique(apart, axis=0, return_index=True)
    return apart[np.sort(first)][: 2 * p]


def sparse_data(p: int, seed: int = 1) -> Dataset:
    """Rows of a linear model on these edges; every variable has unit variance."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(p, ROWS))
    pairs = sparse_pairs(p, seed)
    for child in range(p):
        for parent in pairs[pairs[:, 1] == child, 0]:
            values[child] += rng.choice([-1, 1]) * rng.uniform(0.5, 1) * values[parent]
        values[child] /= values[child].std()
    return Dataset([Variable(f"V{i}") for i in range(p)], values=values.T)


def learned(p: int) -> list[Row]:
    data = sparse_data(p)
    rows = []
    for alpha in ALPHAS:
        search = functools.partial(learn, data, "pc", alpha=alpha)
        rows.append(alone(f"pc[alpha={alpha}] variables={p:,}", best_of(search, repeats=2)))
    return rows


def steps(p: int, folder: Path) -> dict[str, Callable[[], object]]:
    """What happens to a graph after it was learned."""
    names = [f"V{i}" for i in range(p)]
    pairs = sparse_pairs(p, 1)
    truth = Graph.from_pairs(names, pairs)
    kept = pairs[: 3 * p // 2]
    other = cpdag(Graph.from_pairs(names, kept))
    stored = b"".join(encode(Estimate(other)))
    write_graph(other, folder / "graph.txt")
    return {
        "Graph.from_pairs": lambda: Graph.from_pairs(names, pairs),
        "cpdag": lambda: cpdag(truth),
        "compare, all default metrics": lambda: compare(other, truth),
        "write_graph .txt": lambda: write_graph(other, folder / "written.txt"),
        "read_graph .txt": lambda: read_graph(folder / "graph.txt"),
        "write_graph .csv": lambda: write_graph(other, folder / "written.csv"),
        "encode an estimate": lambda: encode(Estimate(other)),
        "decode an estimate": lambda: decode(stored),
        "draw .svg": lambda: draw(other, folder / "graph.svg"),
        "draw .png": lambda: draw(other, folder / "graph.png"),
    }


def run() -> list[Row]:
    rows = [row for p in NODES for row in learned(p)]
    with tempfile.TemporaryDirectory() as folder:
        for p in NODES:
            for what, step in steps(p, Path(folder)).items():
                rows.append(alone(f"{what} nodes={p:,}", best_of(step, repeats=2)))
    return rows


if __name__ == "__main__":
    print_table(run())

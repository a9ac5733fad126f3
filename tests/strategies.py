"""Small data, graphs and tables that tests of several rooms draw, build or read."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from functools import cache
from itertools import combinations, product
from pathlib import Path

import numpy as np
import numpy.typing as npt

from dagathlon import Dataset, Graph
from dagathlon.data import Variable

Values = npt.NDArray[np.float64]


def stream(seed: int = 1) -> np.random.Generator:
    """The generator of random numbers that runs of studies have."""
    return np.random.Generator(np.random.Philox(key=seed))


def continuous(values: npt.ArrayLike, names: str | Sequence[str] = "V") -> Dataset:
    """Columns of numbers; a single letter of `names` is followed by the number of the column."""
    matrix = np.asarray(values, dtype=float)
    if len(names) == 1:
        names = [f"{names}{j}" for j in range(matrix.shape[1])]
    return Dataset([Variable(name) for name in names[: matrix.shape[1]]], values=matrix)


def random_dag(
    names: int | Sequence[str],
    rng: np.random.Generator,
    share: float = 0.4,
    degree: float | None = None,
) -> Graph:
    """A DAG in a random order of the nodes.

    Parameters
    ----------
    names
        The nodes, or their number.
    rng
        The source of randomness.
    share
        Probability of each pair to be joined.
    degree
        The expected number of neighbours, in place of `share`.
    """
    if isinstance(names, int):
        names = [f"V{i}" for i in range(names)]
    p = len(names)
    if degree is not None:
        share = degree / max(p - 1, 1)
    order = rng.permutation(p)
    upper = np.triu(rng.random((p, p)) < share, 1)
    return Graph.from_adjacency(names, upper[np.ix_(order, order)])


@cache
def all_dags(p: int) -> npt.NDArray[np.bool_]:
    """Matrices from row to column of all DAGs: those whose powers vanish."""
    pairs = list(combinations(range(p), 2))
    states = list(product((0, 1, 2), repeat=len(pairs)))
    kinds = np.array(states, dtype=np.int64).reshape(len(states), len(pairs))
    arcs = np.zeros((len(kinds), p, p), dtype=np.int64)
    for k, (i, j) in enumerate(pairs):
        arcs[:, i, j], arcs[:, j, i] = kinds[:, k] == 1, kinds[:, k] == 2
    walks = arcs
    for _ in range(p):
        walks = np.minimum(walks @ arcs, 1)
    return arcs[~walks.any(axis=(1, 2))] == 1


def read_rows(*path: Path | str) -> list[dict[str, str]]:
    """The rows of a CSV file, whose path may be given in parts."""
    with Path(*path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def copied_levels(seed: int, p: int, n: int = 100) -> Dataset:
    """Columns of two or three levels, each of which copies an earlier one more often than not."""
    rng = np.random.default_rng(seed)
    arities = rng.integers(2, 4, p)
    codes = np.zeros((n, p), dtype=np.uint8)
    for j, arity in enumerate(arities):
        drawn = rng.integers(0, arity, n)
        source = codes[:, rng.integers(j)] if j else drawn
        codes[:, j] = np.where(rng.random(n) < 0.6, source % arity, drawn)
    return Dataset([Variable(f"V{j}", tuple("abc"[:k])) for j, k in enumerate(arities)], codes)


def linear_gaussian(seed: int, p: int, n: int = 50) -> Dataset:
    """Rows of a linear model with normal noise on a random DAG."""
    rng = np.random.default_rng(seed)
    weights = random_dag(p, rng, 0.55).adjacency * rng.normal(0, 0.9, (p, p))
    return continuous(rng.normal(size=(n, p)) @ np.linalg.inv(np.eye(p) - weights))

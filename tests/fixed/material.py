"""Small fixed data, graphs and models, made of whole numbers so that no machine rounds them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dagathlon.data import Dataset, LinearSem, Network, Variable
from dagathlon.data.models.distributions import Table
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate
from dagathlon.posteriors import ChainRecorder, Posterior

NAMES = tuple("ABCDEF")
ARCS = (("A", "B"), ("A", "C"), ("B", "D"), ("C", "D"), ("D", "E"))
TRUTH = Graph.from_edges(ARCS, names=NAMES)
ESTIMATE = Graph.from_edges(
    [("A", "B"), ("C", "A"), ("B", "D"), ("C", "D"), ("E", "F")], names=NAMES
)
ROWS = 160


def whole_numbers(seed: int = 7) -> np.ndarray:
    """Rows of a linear model with uniform noise, all values whole."""
    rng = np.random.Generator(np.random.Philox(key=seed))
    values = rng.integers(-512, 513, size=(ROWS, len(NAMES)))
    for parent, child in ARCS:
        values[:, NAMES.index(child)] += 7 * values[:, NAMES.index(parent)] // 8
    return values


def table(kind: str, levels: int = 3, seed: int = 7) -> Dataset:
    """The rows as continuous, discrete or mixed data."""
    values = whole_numbers(seed)
    ranks = np.argsort(np.argsort(values, axis=0, kind="stable"), axis=0)
    codes = (levels * ranks // ROWS).astype(np.uint8)
    cut = [kind == "discrete" or (kind == "mixed" and j % 2 == 1) for j in range(len(NAMES))]
    texts = tuple(map(str, range(levels)))
    variables = [Variable(n, texts if c else None) for n, c in zip(NAMES, cut, strict=True)]
    kept = [not c for c in cut]
    return Dataset(
        variables,
        codes=codes[:, cut] if any(cut) else None,
        values=values[:, kept] / 512 if any(kept) else None,
    )


def many_columns() -> Dataset:
    """A linear model of up to four parents per node, its columns in random order."""
    rng = np.random.default_rng(7)
    values = rng.normal(size=(200, 40))
    for j in range(1, 40):
        parents = rng.choice(j, size=min(j, int(rng.integers(0, 5))), replace=False)
        values[:, j] += values[:, parents] @ rng.uniform(0.25, 1.0, size=len(parents))
    mixed = values[:, rng.permutation(40)]
    return Dataset([Variable(f"V{i}") for i in range(40)], values=mixed / mixed.std(axis=0))


def with_targets(data: Dataset) -> Dataset:
    """The data, as if A had been set in every third row."""
    codes = data.codes if data.codes.shape[1] else None
    values = data.values if data.values.shape[1] else None
    rows = (np.arange(len(data)) % 3 == 0).astype(int)
    return Dataset(data.variables, codes, values, ([(), ("A",)], rows))


def with_gaps() -> Dataset:
    """Continuous data in which values of B are missing where A is large."""
    data = table("continuous")
    values = np.array(data.values)
    values[values[:, 0] > 0.5, 1] = np.nan
    return Dataset(data.variables, values=values)


def jittered(data: Dataset, seed: int) -> Dataset:
    """Data that say the same, and are rounded differently on the way.

    Continuous values move in the tenth digit; the levels of some discrete variables stand in the
    opposite order.
    """
    rng = np.random.default_rng(seed)
    noise = rng.uniform(-1e-10, 1e-10, size=data.values.shape)
    values = data.values * (1 + noise) if data.values.shape[1] else None
    largest = np.array([v.arity - 1 for v in data.variables if v.is_discrete], dtype=np.int64)
    turned = np.where(rng.random(len(largest)) < 0.5, largest - data.codes, data.codes)
    codes = turned.astype(np.uint8) if len(largest) else None
    return Dataset(data.variables, codes, values, data.regimes)


def models() -> list[Any]:
    """A linear model, and a network of three states each."""
    weights = np.zeros((len(NAMES),) * 2)
    for parent, child in ARCS:
        weights[NAMES.index(parent), NAMES.index(child)] = 0.75
    return [LinearSem(NAMES, weights), Network({name: _table_of(name) for name in NAMES})]


def _table_of(name: str) -> Table:
    parents = tuple(parent for parent, child in ARCS if child == name)
    shape = (3,) * (len(parents) + 1)
    counts = 1 + np.arange(np.prod(shape)).reshape(shape) * 5 % 7
    return Table(("0", "1", "2"), parents, counts / counts.sum(axis=-1, keepdims=True))


def for_metrics() -> Mapping[str, Any]:
    """What metrics ask for, by the names of their arguments."""
    recorder = ChainRecorder(NAMES, True)
    for index, graph in enumerate((TRUTH, ESTIMATE, TRUTH, TRUTH)):
        recorder.record(index, float(index), graph.adjacency != 0)
    posterior = Posterior([recorder.chain(4)])
    return {
        "truth": TRUTH,
        "graph": TRUTH,
        "estimate": Estimate(ESTIMATE, {}, posterior),
        "posterior": posterior,
        "reference": Posterior.of([TRUTH, TRUTH, ESTIMATE]),
        "data": table("discrete"),
        "training": table("continuous"),
        "test": table("continuous", seed=8),
        "model": models()[0],
    }

"""Scores of mixed data: which finds the graph, over kinds of dependence, rows and levels.

The note counts the sets in which one score is nearer to the true class than the other.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from benchmarks.inputs import random_dag, shd_to_truth
from benchmarks.timing import Row, Timing, best_of, pick, row
from dagathlon.data import Dataset, Variable
from dagathlon.evaluate.graphs.counts import skeleton_counts
from dagathlon.graphs import Graph
from dagathlon.learners import learn

Column = npt.NDArray[np.float64]
SETS = pick(20, 1)
SIZES = pick([(200, 4), (500, 10), (2000, 4), (2000, 10)], [(200, 4)])
KINDS = ("regression", "cells", "threshold")
SCORES = ("bic-dg", "bic-cg")


def mixed_data(seed: int, kind: str, rows: int, levels: int, p: int = 9) -> tuple[Dataset, Graph]:
    """Data of a random DAG, about half of whose nodes are discrete with up to so many levels.

    In ``regression`` every parent adds to a mean or to log odds; in ``cells`` discrete nodes have
    discrete parents only, and each of their configurations has its own distribution, as the
    conditional Gaussian score assumes; ``threshold`` cuts Gaussian values at quantiles.
    """
    rng = np.random.default_rng([seed, rows, levels])
    truth = random_dag(p, 2.5, seed)
    discrete = np.zeros(p, bool)
    discrete[rng.permutation(p)[: p // 2]] = True
    if kind == "cells":
        truth = _without_continuous_parents(truth, discrete)
    columns = _Columns(rng, discrete, rng.integers(2, levels + 1, p), rows)
    for node in (truth.names.index(name) for name in truth.topological_order()):
        parents = [truth.names.index(name) for name in sorted(truth.parents(truth.names[node]))]
        columns.draw(node, parents, kind)
    return columns.dataset(truth.names), truth


def _without_continuous_parents(graph: Graph, discrete: npt.NDArray[np.bool_]) -> Graph:
    arcs = graph.marks == 2
    arcs &= discrete[:, None] | ~discrete[None, :]
    return Graph.from_adjacency(graph.names, arcs)


class _Columns:
    """Columns that are drawn one after the other."""

    def __init__(
        self, rng: np.random.Generator, discrete: npt.NDArray[np.bool_], levels: Column, rows: int
    ) -> None:
        self.rng, self.discrete, self.levels, self.rows = rng, discrete, levels, rows
        self.values = np.zeros((rows, len(discrete)))

    def draw(self, node: int, parents: list[int], kind: str) -> None:
        draw = {"regression": self._added, "cells": self._celled, "threshold": self._cut}[kind]
        self.values[:, node] = draw(node, parents)

    def _added(self, node: int, parents: list[int]) -> Column:
        width = self.levels[node] if self.discrete[node] else 1
        effects = np.zeros((self.rows, width))
        for parent in parents:
            if self.discrete[parent]:
                table = self.rng.normal(0, 1.2, (self.levels[parent], width))
                effects += table[self.values[:, parent].astype(int)]
            else:
                effects += np.outer(self._standard(parent), self.rng.normal(0, 1.2, width))
        return self._drawn(node, effects)

    def _celled(self, node: int, parents: list[int]) -> Column:
        cell = np.zeros(self.rows, int)
        for parent in (i for i in parents if self.discrete[i]):
            cell = cell * self.levels[parent] + self.values[:, parent].astype(int)
        cell = np.unique(cell, return_inverse=True)[1]
        width = self.levels[node] if self.discrete[node] else 1
        effects = self.rng.normal(0, 1.2, (cell.max() + 1, width))[cell]
        for parent in (i for i in parents if not self.discrete[i]):
            slopes = self.rng.normal(0, 1, cell.max() + 1)[cell]
            effects += (slopes * self._standard(parent))[:, None]
        return self._drawn(node, effects)

    def _cut(self, node: int, parents: list[int]) -> Column:
        latent = self.rng.normal(size=self.rows)
        for parent in parents:
            latent += self.rng.choice([-1, 1]) * self.rng.uniform(0.5, 1.2) * self._standard(parent)
        if not self.discrete[node]:
            return latent
        shares = np.sort(self.rng.uniform(0.05, 0.95, self.levels[node] - 1))
        return np.searchsorted(np.quantile(latent, shares), latent).astype(float)

    def _standard(self, node: int) -> Column:
        values = self.values[:, node]
        return (values - values.mean()) / max(values.std(), 1e-9)

    def _drawn(self, node: int, effects: Column) -> Column:
        if not self.discrete[node]:
            return effects[:, 0] + self.rng.normal(size=self.rows)
        return (effects + self.rng.gumbel(size=effects.shape)).argmax(axis=1).astype(float)

    def dataset(self, names: tuple[str, ...]) -> Dataset:
        variables = [
            Variable(name, tuple(map(str, range(levels))) if discrete else None)
            for name, discrete, levels in zip(names, self.discrete, self.levels, strict=True)
        ]
        codes = self.values[:, self.discrete].astype(np.uint8)
        return Dataset(variables, codes=codes, values=self.values[:, ~self.discrete])


def compared(kind: str, rows: int, levels: int, learner: str) -> Iterator[Row]:
    """A row for each score, over the same sets."""
    sets = [mixed_data(seed, kind, rows, levels) for seed in range(SETS)]
    found = {s: [learn(data, learner, score=s).graph for data, _ in sets] for s in SCORES}
    distances = {
        s: np.array([shd_to_truth(g, t) for g, (_, t) in zip(found[s], sets, strict=True)])
        for s in SCORES
    }
    for score, other in (SCORES, SCORES[::-1]):
        f1 = np.mean(
            [skeleton_counts(g, t).f1 for g, (_, t) in zip(found[score], sets, strict=True)]
        )
        nearer = int((distances[score] < distances[other]).sum())
        yield row(
            f"{learner} {score} {kind} n={rows} levels≤{levels}",
            _time(sets[0][0], learner, score),
            result=f"skeleton F1 {f1:.2f}, SHD {distances[score].mean():.1f}",
            note=f"nearer in {nearer} of {SETS}",
        )


def _time(data: Dataset, learner: str, score: str) -> Timing:
    return best_of(lambda: learn(data, learner, score=score), repeats=pick(3, 1))


def run() -> list[Row]:
    """Hill climbing, and BOSS, whose results are less a matter of the search."""
    return [
        found
        for learner in ("hc", "boss")
        for kind in KINDS
        for rows, levels in SIZES
        for found in compared(kind, rows, levels, learner)
    ]

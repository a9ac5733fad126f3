"""Additive noise models: the direction in which residuals are independent of the cause."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from dagathlon.data.spec import DataKind
from dagathlon.graphs import Graph
from dagathlon.learners.assumptions import ADDITIVE, NO_HIDDEN
from dagathlon.learners.base import Estimate, Output
from dagathlon.learners.continuous.kernels import Vector, dependent, gaussian_kernel
from dagathlon.learners.continuous.weights import few_values, numbers, varying
from dagathlon.learners.with_scipy import ScipyLearner
from dagathlon.modules import NonNegative, Probability
from dagathlon.pulse import aside, beat

if TYPE_CHECKING:
    from dagathlon.data import Dataset


@dataclass(frozen=True, kw_only=True)
class AdditiveNoise(ScipyLearner):
    """Pairwise additive noise models: an arc where only one direction has independent noise.

    Each pair that HSIC finds dependent is regressed both ways by a Gaussian process. Where the
    residuals depend on the cause in both directions, there is no arc.

    Parameters
    ----------
    alpha
        Significance level of the tests of independence.
    undecided
        Treatment of pairs where both directions fit and of arcs that would close a directed cycle
        with earlier ones: both are dropped, so that the result is a DAG (drop); or both are kept,
        the former as undirected edges (keep).
    timeout
        Seconds after which the run is stopped; null for no limit.
    """

    assumes = (ADDITIVE, NO_HIDDEN)
    name = "anm"
    gives = "dag"
    takes: ClassVar[frozenset[DataKind]] = frozenset({"continuous"})
    references = (
        "Hoyer, Janzing, Mooij, Peters and Schölkopf 2008, Nonlinear causal discovery, NeurIPS",
    )

    alpha: Probability = 0.05
    undecided: Literal["drop", "keep"] = "drop"
    timeout: NonNegative | None = None

    def output(self) -> Output:
        """Return "dag", or "mixed" if undecided pairs are kept as edges."""
        return "mixed" if self.undecided == "keep" else self.gives

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Test each pair in both directions."""
        values = numbers(data, self.name, rows=6)
        used = np.flatnonzero(varying(values))
        scaled = values[:, used] - values[:, used].mean(axis=0)
        scaled /= scaled.std(axis=0)
        fits = [aside(_Regression, column) for column in scaled.T]
        fitting = np.zeros((len(data.names),) * 2, dtype=np.bool_)
        pairs = list(combinations(range(len(used)), 2))
        for done, (a, b) in enumerate(pairs):
            beat(done, len(pairs))
            if dependent(scaled[:, a], scaled[:, b], self.alpha):
                fitting[used[a], used[b]] = fits[a].explains(scaled[:, b], self.alpha)
                fitting[used[b], used[a]] = fits[b].explains(scaled[:, a], self.alpha)
        stats = {"undecided": int((fitting & fitting.T).sum()) // 2}
        if self.undecided == "keep":
            graph = Graph.from_adjacency(data.names, fitting)
        else:
            graph = _without_cycles(data.names, fitting & ~fitting.T)
        return Estimate(graph, stats, notes=few_values(self.name, data, values))


class _Regression:
    """Regression on one standardised variable by a Gaussian process of width 1."""

    NOISE = 1e-10

    def __init__(self, cause: Vector) -> None:
        self.cause = cause
        sizes, self._directions = np.linalg.eigh(gaussian_kernel(cause, 1.0))
        sizes = np.maximum(sizes, 0.0)
        self._shares = self.NOISE / (sizes + self.NOISE)

    def explains(self, effect: Vector, alpha: float) -> bool:
        """Return whether the residual of the effect is independent of the cause."""
        rest = self._directions @ (self._shares * (self._directions.T @ effect))
        if rest.std() <= 1e-7:
            return False
        return not dependent(rest, self.cause, alpha)


def _without_cycles(names: tuple[str, ...], arcs: npt.NDArray[np.bool_]) -> Graph:
    dag_arcs = np.zeros_like(arcs)
    for a, b in combinations(range(len(names)), 2):
        beat()
        more = dag_arcs.copy()
        more[a, b], more[b, a] = arcs[a, b], arcs[b, a]
        if Graph.from_adjacency(names, more).is_dag:
            dag_arcs = more
    return Graph.from_adjacency(names, dag_arcs)

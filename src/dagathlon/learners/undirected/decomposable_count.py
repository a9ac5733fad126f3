"""The number of decomposable graphs, estimated by sequential Monte Carlo over junction trees."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dagathlon import _core


@dataclass(frozen=True)
class GraphCount:
    """An estimate of a number of graphs.

    Parameters
    ----------
    nodes
        Number of nodes of the graphs.
    log_estimates
        Natural logarithms of independent, unbiased estimates.
    """

    nodes: int
    log_estimates: tuple[float, ...]

    @property
    def log_count(self) -> float:
        """Natural logarithm of the estimated number."""
        return self._top + math.log(float(self._shares.mean()))

    @property
    def count(self) -> float:
        """The estimated number; infinite beyond the largest float."""
        try:
            return math.exp(self.log_count)
        except OverflowError:
            return math.inf

    @property
    def relative_error(self) -> float:
        """Relative standard error of the estimated number; nan for a single estimate."""
        if len(self.log_estimates) < 2:
            return math.nan
        shares = self._shares
        return float(shares.std(ddof=1) / (math.sqrt(len(shares)) * shares.mean()))

    @property
    def _top(self) -> float:
        return max(self.log_estimates)

    @property
    def _shares(self) -> npt.NDArray[np.float64]:
        return np.exp(np.asarray(self.log_estimates) - self._top)


def count_decomposable_graphs(
    nodes: int,
    *,
    n_particles: int = 1000,
    estimates: int = 20,
    alpha: float = 0.5,
    beta: float = 0.5,
    seed: int = 1,
) -> GraphCount:
    """Estimate the number of labelled decomposable (chordal) graphs.

    Junction trees grow by one node at a time by the Christmas tree algorithm (Olsson, Pavlenko
    and Rios 2022, Statistics and Computing 32). The expected sum of their weights, in which
    each graph counts once however many junction trees it has, is the number of graphs.

    Parameters
    ----------
    nodes
        Number of nodes, at least 1.
    n_particles
        Number of trees (particles) in an estimate, at least 1.
    estimates
        Number of independent estimates, at least 1; the error is that of their mean.
    alpha
        Probability, between 0 and 1, that a new node that joins a clique is joined to a
        neighbouring clique of the junction tree too.
    beta
        Probability, between 0 and 1, that a new node is joined to any other.
    seed
        Random seed.
    """
    for name, number in (("nodes", nodes), ("n_particles", n_particles), ("estimates", estimates)):
        if number < 1:
            raise ValueError(f"{name}: found {number}, expected at least 1")
    for name, share in (("alpha", alpha), ("beta", beta)):
        if not 0 < share < 1:
            raise ValueError(f"{name}: found {share:g}, expected a number between 0 and 1")
    growth = _core.ParticleOptions(
        particles=n_particles, alpha=alpha, beta=beta, radius=nodes, block=nodes, informed=False
    )
    return GraphCount(nodes, tuple(_core.decomposable_counts(nodes, growth, estimates, seed)))

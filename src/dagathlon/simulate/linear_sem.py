"""Random linear structural equation models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.data import LinearSem
from dagathlon.graphs import Graph
from dagathlon.graphs.checks import require_dag
from dagathlon.modules import NonNegative
from dagathlon.simulate.base import ParameterGenerator, check, not_positive

Numbers: TypeAlias = npt.NDArray[np.float64]
Scale: TypeAlias = Literal["raw", "standardized", "internal"]


@dataclass(frozen=True, kw_only=True)
class RandomLinearSem(ParameterGenerator):
    """Linear structural equation models: random weights on the edges of a DAG, Gaussian noise.

    Parameters
    ----------
    distribution
        uniform: absolute values from an interval, with random signs; normal: mean zero.
    min
        Smallest absolute value of uniform weights.
    max
        Largest absolute value of uniform weights.
    weight_variance
        Variance of normal weights; null is the noise variance of the edge's head.
    noise
        equal: all nodes have the same noise variance; inverse_gamma: each has its own.
    noise_variance
        The noise variance of all nodes, if it is equal.
    shape, rate
        Parameters of the inverse gamma distribution: its mean is rate / (shape - 1).
    scale
        raw: as drawn; standardized: variables divided by their standard deviations; internal:
        each divided by its standard deviation before its children see it (iSCM). The latter two
        give every variable variance 1.
    """

    name = "linear_sem"
    version = 2
    references = (
        "Karimi Mamaghan et al. 2024, ICML, PMLR 235 (normal weights, inverse gamma noise)",
        "Ormaniec et al. 2024, Standardizing structural causal models, arXiv 2406.11601 (iSCM)",
    )

    distribution: Literal["uniform", "normal"] = "uniform"
    min: NonNegative = 0.25
    max: NonNegative = 1.0
    weight_variance: NonNegative | None = 2.0
    noise: Literal["equal", "inverse_gamma"] = "equal"
    noise_variance: NonNegative = 1.0
    shape: NonNegative = 4.0
    rate: NonNegative = 0.5
    scale: Scale = "raw"

    def problem(self) -> str:
        """Return a message for empty intervals, non-positive variances or zero weights."""
        if self.distribution == "uniform" and self.min > self.max:
            return f"min {self.min:g} is above max {self.max:g}"
        used = ["max"] if self.distribution == "uniform" else []
        if self.distribution == "normal" and self.weight_variance is not None:
            used.append("weight_variance")
        used += ["noise_variance"] if self.noise == "equal" else ["shape", "rate"]
        return not_positive(self, *used)

    def sample(self, graph: Graph, rng: np.random.Generator) -> LinearSem:
        """Draw the noise variances, then the weights."""
        check(self)
        require_dag(graph, "a linear model")
        p = len(graph)
        variances = np.full(p, self.noise_variance)
        if self.noise == "inverse_gamma":
            variances = self.rate / rng.standard_gamma(self.shape, p)
        rows, columns = np.nonzero(graph.adjacency)
        weights = np.zeros((p, p))
        weights[rows, columns] = self._weights(variances[columns], rng)
        return rescaled(LinearSem(graph.names, weights, variances), self.scale)

    def _weights(self, noise: Numbers, rng: np.random.Generator) -> Numbers:
        """Draw one weight per edge; `noise` is the variance at its head."""
        if self.distribution == "uniform":
            sizes = rng.uniform(self.min, self.max, len(noise))
            return sizes * (2.0 * rng.integers(0, 2, len(noise)) - 1)
        variances = noise if self.weight_variance is None else self.weight_variance
        return rng.standard_normal(len(noise)) * np.sqrt(variances)


def rescaled(sem: LinearSem, scale: Scale) -> LinearSem:
    """Return the model on another scale (see `RandomLinearSem`)."""
    if scale == "raw":
        return sem
    if scale == "standardized":
        deviations = np.sqrt(np.diag(sem.covariance()))
        weights = sem.weights * deviations[:, None] / deviations
        return LinearSem(sem.names, weights, sem.variances / deviations**2)
    return _internally_standardized(sem)


def _internally_standardized(sem: LinearSem) -> LinearSem:
    """Divide each equation by the standard deviation of its variable, parents first."""
    p = len(sem.names)
    covariance = np.zeros((p, p))
    weights = sem.weights.copy()
    variances = sem.variances.copy()
    for j in sem.order:
        w = weights[:, j]
        with_earlier = covariance @ w
        variance = w @ with_earlier + variances[j]
        deviation = np.sqrt(variance)
        weights[:, j] = w / deviation
        variances[j] /= variance
        covariance[:, j] = covariance[j, :] = with_earlier / deviation
        covariance[j, j] = 1.0
    return LinearSem(sem.names, weights, variances)

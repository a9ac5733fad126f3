"""CAM: greedy search for a causal order by additive models."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dagathlon.learners.nonlinear.additive import Arcs, fit_additive
from dagathlon.learners.nonlinear.order_based import Models, OrderBased, OrderResult, Problem
from dagathlon.learners.nonlinear.splines import SplineProducts, Vector
from dagathlon.pulse import beat, until_deadline


@dataclass(frozen=True, kw_only=True)
class Cam(OrderBased):
    """Causal additive models (CAM): greedy addition of arcs by likelihood gain, then pruning.

    Its likelihood assumes Gaussian noise; it is used for other noise as well. At a deadline the
    arcs so far are pruned.
    """

    name = "cam"
    anytime = True
    references = (
        "Bühlmann, Peters and Ernest 2014, CAM: causal additive models, high-dimensional order "
        "search and penalized regression, Annals of Statistics 42",
    )

    def search(self, problem: Problem, models: Models) -> OrderResult:
        """Add arcs until each pair of neighbours is ordered."""
        greedy = _Greedy(models.bases, models.neighbours & ~problem.forbidden, problem.required)
        with until_deadline():
            greedy.run()
        stats = {"log_likelihood": greedy.log_likelihood(), "fits": greedy.fits}
        return OrderResult(greedy.order(), greedy.arcs, stats)


class _Greedy:
    """State of the greedy search: arcs, fits of all variables, and gains of further arcs."""

    def __init__(self, bases: SplineProducts, allowed: Arcs, required: Arcs) -> None:
        self.bases, self.fits = bases, 0
        self.open = allowed | required
        self.arcs = np.zeros_like(allowed)
        self.reaches = np.eye(bases.size, dtype=np.bool_)
        self.variance = bases.squares / bases.rows
        self.smoothing: list[Vector] = [np.zeros(0)] * bases.size
        self.gains = np.full(allowed.shape, -np.inf)
        self.trials: dict[tuple[int, int], tuple[float, Vector]] = {}
        # In the order of addition, like the smoothing parameters.
        self.parents: list[list[int]] = [[] for _ in range(bases.size)]
        for parent, child in np.argwhere(required).tolist():
            self._record_arc(parent, child)

    def run(self) -> None:
        """Add arcs while any is possible, the best first."""
        pairs = self.bases.size * (self.bases.size - 1) // 2
        for child in range(self.bases.size):
            self._compute_gains(child)
        while np.isfinite(self.gains).any():
            beat(int(self.arcs.sum()), pairs)
            arc = divmod(int(np.argmax(self.gains)), self.bases.size)
            self._record_arc(*arc)
            self._compute_gains(arc[1])

    def _record_arc(self, parent: int, child: int) -> None:
        """Record an arc, and exclude the pairs that would close a cycle."""
        self.arcs[parent, child] = True
        self.parents[child].append(parent)
        before, after = self.reaches[:, parent], self.reaches[child]
        self.reaches |= before[:, None] & after
        self.open &= ~self.reaches.T & ~self.arcs
        self.gains[~self.open] = -np.inf
        if (parent, child) in self.trials:
            self.variance[child], self.smoothing[child] = self.trials[parent, child]

    def _compute_gains(self, child: int) -> None:
        """Compute the likelihood gain of each further parent of a variable."""
        parents = self.parents[child]
        if parents and len(self.smoothing[child]) != len(parents):
            self.variance[child], self.smoothing[child] = self._fit(child, parents, None)
        for parent in np.flatnonzero(self.open[:, child]).tolist():
            start = np.append(self.smoothing[child], 1.0)
            variance, smoothing = self._fit(child, [*parents, parent], start)
            self.trials[parent, child] = variance, smoothing
            self.gains[parent, child] = np.log(self.variance[child] / variance)

    def _fit(self, child: int, parents: list[int], start: Vector | None) -> tuple[float, Vector]:
        self.fits += 1
        fit = fit_additive(self.bases, child, parents, start)
        return fit.residual_squares / self.bases.rows, fit.smoothing

    def order(self) -> list[int]:
        """Return the variables in causal order, by their numbers of ancestors."""
        ancestors: npt.NDArray[np.int64] = self.reaches.sum(axis=0)
        return [int(j) for j in np.argsort(ancestors, kind="stable")]

    def log_likelihood(self) -> float:
        """Return the Gaussian log likelihood of the graph before pruning."""
        return float(-0.5 * self.bases.rows * (np.log(2 * np.pi * self.variance) + 1).sum())

"""`LinearSem`: a linear structural equation model with Gaussian noise."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.data.dataset import Dataset
from dagathlon.data.storage import aligned_empty
from dagathlon.data.variable import Variable
from dagathlon.errors import DataError
from dagathlon.graphs import Graph


class LinearSem:
    """Linear structural equation model: each variable is a weighted sum of its parents plus noise.

    Parameters
    ----------
    names
        The variables.
    weights
        Matrix of weights, from row to column: ``weights[i, j]`` is the effect of ``i`` on ``j``;
        zero where there is no edge. The edges must form a DAG.
    variances
        Variances of the Gaussian noise, one per variable; by default all are 1.

    Attributes
    ----------
    order
        Numbers of the variables, parents first.
    """

    def __init__(
        self,
        names: Iterable[str],
        weights: npt.ArrayLike,
        variances: npt.ArrayLike | None = None,
    ) -> None:
        self.names = tuple(names)
        p = len(self.names)
        self.weights = _checked(weights, (p, p), "weights of a linear model")
        ones = np.ones(p) if variances is None else variances
        self.variances = _checked(ones, (p,), "noise variances")
        if np.any(self.variances < 0):
            raise DataError("noise variances are at least 0")
        self.order = tuple(_core.weight_order(self.weights))
        if len(self.order) < p:
            on_cycles = sorted(set(range(p)) - set(self.order))
            name = self.names[on_cycles[0]]
            raise DataError(f"weights of a linear model: {name} is on or behind a cycle")

    @cached_property
    def graph(self) -> Graph:
        """DAG of the nonzero weights."""
        return Graph.from_adjacency(self.names, self.weights != 0)

    def sample(self, n: int, rng: np.random.Generator) -> Dataset:
        """Draw n independent rows."""
        values = aligned_empty(n, len(self.names), np.float64)
        values[:] = rng.standard_normal((n, len(self.names)))
        values *= np.sqrt(self.variances)
        # Parent by parent rather than by a matrix product, whose rounding varies by machine.
        _core.propagate(self.weights, values)
        return Dataset([Variable(name) for name in self.names], values=values)

    def covariance(self) -> npt.NDArray[np.float64]:
        """Covariance matrix implied by the model."""
        effects = np.linalg.inv(np.eye(len(self.names)) - self.weights)
        return np.asarray(effects.T @ (self.variances[:, None] * effects), dtype=np.float64)

    def __reduce__(self) -> tuple[type[LinearSem], tuple[object, ...]]:
        return (LinearSem, (self.names, self.weights, self.variances))


def _checked(values: npt.ArrayLike, shape: tuple[int, ...], what: str) -> npt.NDArray[np.float64]:
    array = np.array(values, dtype=np.float64)
    if array.shape != shape:
        actual, wanted = ("×".join(map(str, s)) for s in (array.shape, shape))
        raise DataError(f"{what}: expected {wanted} numbers, found {actual}")
    if not np.all(np.isfinite(array)):
        raise DataError(f"{what}: all numbers must be finite")
    array.flags.writeable = False
    return array

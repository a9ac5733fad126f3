"""TIGER at one penalty, with the predictors that huge 1.3.5 considers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from dagathlon.learners.continuous.weights import numbers
from dagathlon.learners.undirected.inputs import Matrix, Vector, standardised
from dagathlon.learners.undirected.neighbourhoods import joined
from dagathlon.learners.undirected.penalised import PathFit
from dagathlon.learners.undirected.tiger import Tiger
from dagathlon.pulse import beat

if TYPE_CHECKING:
    from dagathlon.data import Dataset

_ROUNDS, _MOST = 3, 1000
_PRECISION = 1e-4


@dataclass(frozen=True, kw_only=True)
class HugeTigerSearch(Tiger):
    """The square-root lasso of each variable on some of the others.

    huge begins with those whose correlation is above twice the penalty. It may then add those
    above the penalty, all at once and by the correlations of the beginning, but stops before it
    does so where the weights that it has found are all near the last of them. What is correlated
    less is never looked at, although its regression would need it.
    """

    def fit_path(self, data: Dataset, penalties: Vector) -> PathFit:
        """Fit each penalty from a cold start."""
        columns = standardised(numbers(data, self.name))
        columns = columns * np.sqrt((len(columns) - 1) / len(columns))
        graphs = [self._graph(np.asfortranarray(columns), float(one)) for one in penalties]
        return PathFit(np.stack(graphs))

    def _graph(self, columns: Matrix, penalty: float) -> npt.NDArray[np.bool_]:
        size = columns.shape[1]
        weights = [_Regression(columns, j, penalty).weights() for j in range(size)]
        return joined(np.array(weights) != 0, self.rule)


class _Regression:
    """Square-root lasso regression of one column on the others."""

    def __init__(self, columns: Matrix, target: int, penalty: float) -> None:
        self._columns = columns
        self._penalty = penalty
        self._found = np.zeros(columns.shape[1])
        self._rest = columns[:, target].copy()
        deviation = self._deviation()
        self._enough = _PRECISION * deviation
        slopes = np.abs(columns.T @ self._rest) / max(len(columns) * deviation, 1e-300)
        slopes[target] = 0.0
        self._narrow, self._wide = (
            np.flatnonzero(slopes > bound) for bound in (2 * penalty, penalty)
        )

    def weights(self) -> Vector:
        """Return the weights after three rounds, each started from the previous one."""
        inside = self._narrow
        for _ in range(_ROUNDS):
            near = self._settled(inside)
            if not near and len(inside) < len(self._wide):
                inside = self._wide
                self._settled(inside)
        return self._found

    def _settled(self, inside: npt.NDArray[np.int64]) -> bool:
        """Do one sweep over all weights, then sweeps over the active ones until convergence.

        Returns whether all of these are near to what the last of them was before its last step.
        """
        for k in inside:
            self._step(k)
        counting = inside[self._found[inside] != 0]
        before = 0.0
        for _ in range(_MOST):
            beat()
            moves = []
            for k in counting:
                before = self._step(k)
                moves.append(self._gain(k, before))
            if max(moves, default=0.0) <= self._enough:
                break
        return all(self._gain(k, before) <= self._enough for k in counting)

    def _step(self, k: int) -> float:
        """Minimise over one weight by the local curvature; return its previous value."""
        before = float(self._found[k])
        column, scale = self._columns[:, k], len(self._rest) * self._deviation()
        if scale <= 0:
            return before
        curvature = self._curvature(k)
        aim = curvature * before + float(column @ self._rest) / scale
        after = np.sign(aim) * max(abs(aim) - self._penalty, 0.0) / curvature
        self._found[k] = after
        self._rest -= (after - before) * column
        return before

    def _gain(self, k: int, before: float) -> float:
        """Return the decrease of the objective by a weight's change, as huge measures it."""
        scale = 2 * self._deviation() * len(self._rest)
        return self._curvature(k) * (before - self._found[k]) ** 2 / scale if scale > 0 else 0.0

    def _curvature(self, k: int) -> float:
        squares, column = self._rest**2, self._columns[:, k]
        total = float(squares.sum())
        bent = float(((1 - squares / total) * column**2).sum())
        return bent / (len(column) * self._deviation())

    def _deviation(self) -> float:
        return float(np.sqrt(self._rest @ self._rest / len(self._rest)))

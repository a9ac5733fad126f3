"""`MultivariateNormal`: a multivariate normal distribution."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from dagathlon.data.dataset import Dataset
from dagathlon.data.variable import Variable
from dagathlon.errors import DataError


class MultivariateNormal:
    """Multivariate normal distribution with mean zero.

    Parameters
    ----------
    names
        The variables.
    covariance
        The covariance matrix: symmetric and positive definite.
    """

    def __init__(self, names: Iterable[str], covariance: npt.ArrayLike) -> None:
        self.names = tuple(names)
        matrix = np.array(covariance, dtype=np.float64)
        p = len(self.names)
        if matrix.shape != (p, p) or not np.all(np.isfinite(matrix)):
            raise DataError(f"a covariance of {p} variables is a {p}×{p} matrix of finite numbers")
        if not np.allclose(matrix, matrix.T):
            raise DataError("a covariance matrix is symmetric")
        try:
            self._factor = np.linalg.cholesky(matrix)
        except np.linalg.LinAlgError:
            raise DataError("the covariance matrix is not positive definite") from None
        matrix.flags.writeable = False
        self._covariance = matrix

    def covariance(self) -> npt.NDArray[np.float64]:
        """Covariance matrix, read-only."""
        return self._covariance

    def sample(self, n: int, rng: np.random.Generator) -> Dataset:
        """Draw n independent rows."""
        noise = rng.standard_normal((n, len(self.names)))
        values = np.zeros((n, len(self.names)), order="F")
        # Factor by factor rather than by a matrix product, whose rounding varies by machine and
        # with the number of rows.
        for k in range(len(self.names)):
            values[:, k:] += noise[:, k, None] * self._factor[k:, k]
        return Dataset([Variable(name) for name in self.names], values=values)

    def __reduce__(self) -> tuple[type[MultivariateNormal], tuple[object, ...]]:
        return (MultivariateNormal, (self.names, self._covariance))

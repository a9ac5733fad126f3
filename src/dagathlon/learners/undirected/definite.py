"""Check that a prior's scale plus the sums of products is numerically invertible."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dagathlon.errors import DataError

# Relative size of rounding errors in a variance, with a margin.
_SAFE = 1e-12
_LOST = 1e-13


def require_definite(
    learner: str, values: npt.NDArray[np.float64], scales: npt.NDArray[np.float64]
) -> None:
    """Raise a DataError if data and prior scale add up to a singular matrix.

    Parameters
    ----------
    learner
        Name of the learner, for the message.
    values
        The columns, centred by the model's means.
    scales
        The diagonal of the scale matrix of the prior.
    """
    squares = (values**2).sum(axis=0) + scales
    if (scales > _SAFE * squares).all():
        return
    shares = values / np.sqrt(squares)
    products = shares.T @ shares + np.diag(scales / squares)
    if not np.linalg.eigvalsh(products)[0] > _LOST:
        raise DataError(
            f"{learner}: next to these data the scale of the prior is lost, and some columns are "
            "sums of others up to rounding; centre the columns, divide them by their standard "
            "deviations, or leave out copies"
        )

"""Losses of NOTEARS as functions of the weights: value and gradient.

On some data sets the last digits decide which minimum L-BFGS-B finds: gCastle's own graph changes
there when its data are perturbed by a relative 1e-13. The losses on rows therefore perform
gCastle's operations in gCastle's order, so that all digits agree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from dagathlon.errors import DataError
from dagathlon.learners.continuous.weights import Matrix

if TYPE_CHECKING:
    from dagathlon.data.spec import DataFacts, DataKind
    from dagathlon.learners.base import Learner

Loss: TypeAlias = Callable[[Matrix], tuple[float, Matrix]]
DiscreteColumns: TypeAlias = Literal["refuse", "numbers", "ordered"]


def moments_of(values: Matrix, centre: bool = True) -> Matrix:
    """Return the second moments, by default central: a sufficient statistic for least squares."""
    centred = values - values.mean(axis=0) if centre else values
    result: Matrix = centred.T @ centred / len(centred)
    return result


def from_moments(moments: Matrix) -> Loss:
    """Return the least-squares loss by second moments; its cost is independent of the rows."""

    def loss(weights: Matrix) -> tuple[float, Matrix]:
        errors = np.eye(len(weights)) - weights
        products = moments @ errors
        return 0.5 * (errors * products).sum(), -products

    return loss


def _least_squares(values: Matrix) -> Loss:
    centred = values - values.mean(axis=0, keepdims=True)
    scaled = -1.0 / len(values) * centred.T

    def loss(weights: Matrix) -> tuple[float, Matrix]:
        residuals = centred - centred @ weights
        return 0.5 / len(values) * (residuals**2).sum(), scaled @ residuals

    return loss


def _logistic(values: Matrix) -> Loss:
    from scipy.special import expit  # noqa: PLC0415 - SciPy only when asked for

    scaled = 1.0 / len(values) * values.T

    def loss(weights: Matrix) -> tuple[float, Matrix]:
        logits = values @ weights
        value = 1.0 / len(values) * (np.logaddexp(0, logits) - values * logits).sum()
        return value, scaled @ (expit(logits) - values)

    return loss


def _poisson(values: Matrix) -> Loss:
    scaled = 1.0 / len(values) * values.T

    def loss(weights: Matrix) -> tuple[float, Matrix]:
        logs = values @ weights
        means = np.exp(logs)
        return 1.0 / len(values) * (means - values * logs).sum(), scaled @ (means - values)

    return loss


LOSSES = {"l2": _least_squares, "logistic": _logistic, "poisson": _poisson}


def accepted_by(
    loss_type: str, discrete: DiscreteColumns, takes: frozenset[DataKind]
) -> frozenset[DataKind]:
    """Return the kinds of data that a loss takes; discrete columns only if asked for."""
    if loss_type == "l2" and discrete == "refuse":
        return takes & frozenset({"continuous"})
    return takes - frozenset({"mixed"}) if loss_type == "logistic" else takes


def why_loss_unsuitable(learner: Learner, data: DataFacts, others: Mapping[str, str]) -> str:
    """Return why a learner's loss cannot be used with such data, with the losses that can.

    Parameters
    ----------
    learner
        The learner, with the parameter ``loss_type``.
    data
        The properties of the data.
    others
        The losses other than least squares, and the data they are for.
    """
    loss = learner.loss_type  # type: ignore[attr-defined]
    if loss == "logistic" and data.kind == "discrete" and data.binary is False:
        return f"{learner.name} with loss_type 'logistic' needs columns of two levels"
    if data.kind is None or data.kind in learner.accepted():
        return ""
    named = ", ".join(f"{name!r} {what}" for name, what in others.items())
    return (
        f"{learner.name} with loss_type {loss!r} fits linear models of continuous columns, and "
        f"these are {data.kind}; other losses: {named}; discrete='numbers' takes levels for "
        "numbers, 'ordered' for ranks"
    )


def check_outcomes(learner: str, names: tuple[str, ...], values: Matrix, loss_type: str) -> None:
    """Raise an error for columns outside the loss's range of outcomes."""
    for name, column in zip(names, values.T, strict=True):
        if loss_type == "logistic" and not np.isin(column, (0, 1)).all():
            raise DataError(
                f"{learner} with loss_type 'logistic' needs columns of 0 and 1; {name!r} has "
                f"{column[~np.isin(column, (0, 1))][0]:g}"
            )
        if loss_type == "poisson" and (column < 0).any():
            raise DataError(
                f"{learner} with loss_type 'poisson' needs counts; {name!r} has {column.min():g}"
            )

"""Assumptions that learners rely on, in the words of the field."""

from __future__ import annotations

from dagathlon.data.spec import DataKind

FAITHFUL = "faithfulness"
NO_HIDDEN = "no hidden common causes"
LINEAR = "linear relations"
EQUAL_VARIANCES = "noise of equal variances"
NOT_GAUSSIAN = "noise that is not Gaussian"
ADDITIVE = "additive noise, with curved relations or noise that is not Gaussian"
GAUSSIAN = "linear relations with Gaussian noise"
COPULA = "monotone functions of Gaussian variables"


def conditional_gaussian(kind: DataKind) -> tuple[str, ...]:
    """Return the assumptions of a conditional Gaussian model about data of one kind."""
    return _of_mixed(kind, "numbers that are Gaussian given the levels")


def degenerate_gaussian(kind: DataKind) -> tuple[str, ...]:
    """Return the assumptions of a joint normal model of numbers and indicators about such data."""
    return _of_mixed(kind, "linear relations of numbers and of indicators of levels")


def _of_mixed(kind: DataKind, words: str) -> tuple[str, ...]:
    """Return the given words for mixed, linear Gaussian for continuous, () for discrete data."""
    return {"discrete": (), "continuous": (GAUSSIAN,)}.get(kind, (words,))

"""What learners rely on, in the words of the field."""

from __future__ import annotations

from dagathlon.data.facts import DataKind

FAITHFUL = "faithfulness"
NO_HIDDEN = "no hidden common causes"
LINEAR = "linear relations"
EQUAL_VARIANCES = "noise of equal variances"
NOT_GAUSSIAN = "noise that is not Gaussian"
ADDITIVE = "additive noise, with curved relations or noise that is not Gaussian"
GAUSSIAN = "linear relations with Gaussian noise"
# Tests and scores of any dependence.
FREE_OF_MODELS = ("kci", "fast-kci", "rcit", "rcot", "cmi-knn", "cv-kernel", "cv-kernel-2018")
COPULA = "monotone functions of Gaussian variables"


def model_words(kind: DataKind, name: str) -> tuple[str, ...]:
    """What a test or score relies on with data of one kind; tables of levels rely on nothing."""
    if kind == "discrete" or name in FREE_OF_MODELS:
        return ()
    if name == "zf-ranks":
        return (COPULA,)
    if kind == "continuous":
        return (GAUSSIAN,)
    if "dg" in name:
        return ("linear relations of numbers and of indicators of levels",)
    return ("numbers that are Gaussian given the levels",)

"""Structure learners, a room per family, and `learn`, which calls any of them."""

from typing import TYPE_CHECKING, Any

from dagathlon.learners.api import learn
from dagathlon.learners.base import Estimate, Learner

if TYPE_CHECKING:
    from dagathlon.learners.estimator import StructureLearner

__all__ = ["Estimate", "Learner", "StructureLearner", "learn"]


def __getattr__(name: str) -> Any:
    if name != "StructureLearner":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # It imports scikit-learn where that is installed.
    from dagathlon.learners.estimator import StructureLearner  # noqa: PLC0415

    return StructureLearner

"""Structure learners, a room per family, and `learn`, which calls any of them.

The classes of learners, tests and scores can be imported from here: ``from dagathlon.learners
import Pc, FisherZ, Bge``; each is looked up in the index and imported when it is asked for.
"""

import importlib
from typing import TYPE_CHECKING, Any

from dagathlon.learners.api import learn
from dagathlon.learners.base import Estimate, Learner
from dagathlon.modules.index import index

if TYPE_CHECKING:
    from dagathlon.learners.estimator import StructureLearner

__all__ = ["Estimate", "Learner", "StructureLearner", "learn"]
# It imports scikit-learn where that is installed.
_ESTIMATOR = {"StructureLearner": "dagathlon.learners.estimator"}


def __getattr__(name: str) -> Any:
    home = _ESTIMATOR.get(name) or index().classes.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(home), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_ESTIMATOR, *index().classes})

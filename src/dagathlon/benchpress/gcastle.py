"""gCastle 1.0.3: tests, LiNGAM, and continuous optimisation without neural networks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dagathlon.benchpress.base import BenchpressLearner
from dagathlon.benchpress.table import add_classes
from dagathlon.learners.base import Output


@dataclass(frozen=True, kw_only=True)
class GcastleLearner(BenchpressLearner):
    """A learner of gCastle; continuous data by default."""

    gives: ClassVar[Output] = "dag"
    takes = frozenset({"continuous"})


add_classes(__name__)

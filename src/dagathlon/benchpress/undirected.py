"""Learners of undirected graphs from continuous data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from dagathlon.benchpress.base import BenchpressLearner
from dagathlon.benchpress.table import add_classes


@dataclass(frozen=True, kw_only=True)
class UndirectedLearner(BenchpressLearner):
    """A learner of undirected graphs from continuous data."""

    gives = "undirected"
    takes = frozenset({"continuous"})


@dataclass(frozen=True, kw_only=True)
class SklearnGlasso(UndirectedLearner):
    """Graphical lasso, with an edge where the precision matrix is above a threshold."""

    name = "sklearn_glasso"

    def translated(self) -> dict[str, Any]:
        """Return our parameters; the threshold applies to entries rounded to three decimals."""
        units = math.floor(round(1000 * self.precmat_threshold, 6))
        values = {"penalty": self.alpha, "threshold": (units + 0.5) / 1000}
        return super().translated() | values


add_classes(__name__)

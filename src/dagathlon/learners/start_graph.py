"""Learners that can start from another learner's graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypeAlias

from dagathlon.learners.base import Learner
from dagathlon.modules import Reference

AlgorithmId: TypeAlias = Annotated[str, Reference("algorithm")]


@dataclass(frozen=True, kw_only=True)
class StartsFromGraph(Learner):
    """Base class of learners whose `learn` takes another learner's graph as ``start``.

    Parameters
    ----------
    input_algorithm_id
        Algorithm of the study whose graph for the same data is the start, or the search space of a
        learner that has one; null is none.
    """

    input_algorithm_id: AlgorithmId | None = None

"""Candidate parent sets with their scores, from tables that several scores can share."""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Iterator
from threading import Lock

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.errors import DagathlonError
from dagathlon.learners.coscheduled import add_note, other_learners
from dagathlon.learners.score.score_based import ScoreBased

COUNTED_FOR_OTHERS = "counted for {} other learners too: the time is more than its own"
FOUND_COUNTED = "found the tables of its data counted by another learner: the time is without that"


class TableMemory:
    """Cache of contingency tables for the last data sets that several learners use.

    Parameters
    ----------
    most_bytes
        Largest total size of the tables; the last one is kept in any case.
    """

    def __init__(self, most_bytes: int = 2**28) -> None:
        self._most_bytes = most_bytes
        self._kept: OrderedDict[str, _core.SetTables] = OrderedDict()
        self._turn = Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def find(
        self, data: str, score: _core.Score, limits: _core.SearchLimits
    ) -> _core.SetTables | None:
        """Return cached tables of the data with this fingerprint that serve a score, if any."""
        with self._turn:
            tables = self._kept.get(data)
            if tables is None or not tables.serve(score, limits):
                return None
            self._kept.move_to_end(data)
            return tables

    def keep(self, data: str, tables: _core.SetTables) -> None:
        """Store tables; older ones are evicted when there is no room for both."""
        with self._turn:
            self._kept[data] = tables
            self._kept.move_to_end(data)
            while len(self._kept) > 1 and self._n_bytes() > self._most_bytes:
                self._kept.popitem(last=False)

    def clear(self) -> None:
        """Empty the cache."""
        self._kept.clear()

    def _n_bytes(self) -> int:
        return sum(tables.n_bytes for tables in self._kept.values())


MEMORY = TableMemory()
"""The cache shared by all learners of this process."""


def candidate_families(learner: ScoreBased, data: Dataset, prune: bool = True) -> _core.ParentSets:
    """Return the candidate parent sets under a learner's score, within its limits.

    The result does not depend on other learners; if some are coscheduled
    (`learners.coscheduled`), the tables are counted once for all of them.

    Parameters
    ----------
    learner
        The learner with its score and limits.
    data
        The data.
    prune
        Whether parent sets that cannot be in a best DAG are left out.
    """
    score, limits = learner.native_score(data), learner.limits(data)
    tables = _tables(data, score, limits) if prune else None
    if tables is None:
        return _core.enumerate_parent_sets(score, limits, prune)
    return _core.parent_sets_from_tables(score, limits, tables)


def _tables(
    data: Dataset, score: _core.Score, limits: _core.SearchLimits
) -> _core.SetTables | None:
    """Return cached tables, or new ones if coscheduled learners need them; None otherwise."""
    cached = MEMORY.find(data.fingerprint, score, limits) if MEMORY else None
    if cached is not None:
        add_note(FOUND_COUNTED)
        return cached
    others = list(_scores_of_others(data))
    made = _core.count_tables([score, *others], limits) if others else None
    served = 0 if made is None else sum(made.serve(other, limits) for other in others)
    if made is not None and served:
        MEMORY.keep(data.fingerprint, made)
        add_note(COUNTED_FOR_OTHERS.format(served))
    return made


def _scores_of_others(data: Dataset) -> Iterator[_core.Score]:
    """Yield the scores of coscheduled learners that will need parent sets of the same data."""
    for other in other_learners():
        # A learner without a score for these data raises the error when it runs.
        with contextlib.suppress(DagathlonError):
            if isinstance(other, ScoreBased) and other.shares_tables:
                yield other.native_score(data)

"""Throughput of a run, and the estimated time to its end."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

_WINDOW = 10.0
_STEP = 0.1
# So many tasks per worker must have ended lately before their times say how busy workers are.
_ENOUGH = 4

Sort: TypeAlias = tuple[str, str]
"""Kind and module: tasks that are assumed to take equally long."""


@dataclass
class _Group:
    """Counts and times of the tasks of one sort."""

    left: int = 0
    ended: int = 0
    seconds: float = 0.0


class _Mark(NamedTuple):
    """Finished tasks and worker seconds at one moment."""

    moment: float
    ended: int
    seconds: float


class Pace:
    """Throughput of a run, estimated from finished tasks.

    Parameters
    ----------
    to_do
        Number of tasks to do, by sort.
    clock
        A monotonic clock, in seconds.
    """

    def __init__(
        self, to_do: Mapping[Sort, int], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._groups = {sort: _Group(n) for sort, n in to_do.items()}
        self._clock = clock
        self._marks: deque[_Mark] = deque()
        self._left = sum(to_do.values())
        self._ended = 0
        self._seconds = 0.0
        self._at_once = 0

    def finish(self, sort: Sort, seconds: float) -> None:
        """Add a finished task with the seconds a worker spent on it."""
        group = self._groups.setdefault(sort, _Group())
        if group.left:
            group.left -= 1
            self._left -= 1
        group.ended += 1
        group.seconds += seconds
        self._ended += 1
        self._seconds += seconds

    def look(self, at_once: int) -> None:
        """Record progress, with so many tasks running; call it often."""
        now = self._clock()
        self._at_once = at_once
        if self._marks and now - self._marks[-1].moment < _STEP:
            return
        self._marks.append(_Mark(now, self._ended, self._seconds))
        while now - self._marks[0].moment > _WINDOW:
            self._marks.popleft()

    @property
    def rate(self) -> float:
        """Return recent tasks per second."""
        elapsed, ended, _ = self._lately()
        return ended / elapsed if elapsed > 0 else 0.0

    def seconds_left(self) -> float | None:
        """Estimate the remaining seconds from mean times by sort; None without any.

        A sort of which nothing has ended is taken to be like the rest.
        """
        if not self._ended:
            return None
        overall = self._seconds / self._ended
        work = 0.0
        for group in self._groups.values():
            mean = group.seconds / group.ended if group.ended else overall
            work += group.left * mean
        at_once = max(self._at_once, 1)
        return (work + self._left * self._handling(at_once)) / at_once

    def _handling(self, at_once: int) -> float:
        """Return recent worker seconds per task spent on dispatch and storage."""
        elapsed, ended, seconds = self._lately()
        if ended < _ENOUGH * at_once:
            return 0.0
        return max(at_once * elapsed - seconds, 0.0) / ended

    def _lately(self) -> _Mark:
        """Return seconds, tasks and worker seconds since the oldest mark that counts."""
        if not self._marks:
            return _Mark(0.0, 0, 0.0)
        first, last = self._marks[0], self._marks[-1]
        elapsed = last.moment - first.moment
        return _Mark(elapsed, last.ended - first.ended, last.seconds - first.seconds)

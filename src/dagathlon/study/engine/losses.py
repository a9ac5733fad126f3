"""Tasks whose workers were killed by somebody else: they begin again, and not for ever."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from dagathlon.study.engine.coordinator import Coordinator
from dagathlon.study.plan.task import Outcome, Status, TaskKind

SUSPECT = 2
"""After so many losses a task is a batch of its own, so that it takes no others with it."""
DANGEROUS = 3
"""After so many losses a task has a worker to itself, so that it is known what is to blame."""
MOST_LOSSES = 5


class Losses:
    """How often the worker of each task was lost.

    A worker that was killed says nothing of its task: an administrator may have done it, or the
    kernel because others took its memory. So the task begins again. One that is lost again and
    again is a failure if it is a learner's. Tasks of other kinds are skipped then, which is no
    result either: the next run tries them again.

    Parameters
    ----------
    work
        The run.
    """

    def __init__(self, work: Coordinator) -> None:
        self._work = work
        self.count: Counter[int] = Counter()

    def __getitem__(self, position: int) -> int:
        return self.count.get(position, 0)

    def is_dangerous(self, position: int) -> bool:
        """Whether a task is not to run beside others."""
        return self.count.get(position, 0) >= DANGEROUS

    def are_dangerous(self, positions: Iterable[int]) -> bool:
        """Whether one of these tasks is not to run beside others."""
        return bool(self.count) and any(map(self.is_dangerous, positions))

    def add(self, position: int, outcome: Outcome, *, counts: bool = True) -> None:
        """The worker of a task was lost: the task begins again, or has this outcome.

        Parameters
        ----------
        position
            The task.
        outcome
            What it ends in when it was lost too often.
        counts
            Whether this loss is held against it.
        """
        self.count[position] += counts
        if self.count[position] < MOST_LOSSES:
            self._work.schedule.put_back(position)
            return
        reason = f"{self.count[position]} times: {outcome.reason}"
        if self._work.schedule.tasks[position].call.kind is not TaskKind.LEARN:
            outcome = replace(outcome, status=Status.SKIPPED)
        self._work.record(position, replace(outcome, reason=reason))

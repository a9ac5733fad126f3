"""Tasks whose workers were killed from outside: retried a limited number of times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from dagathlon.study.engine.coordinator import Coordinator
from dagathlon.study.plan.task import Outcome, Status, TaskKind

SUSPECT = 2
"""Losses after which a task is sent as a batch of its own."""
DANGEROUS = 3
"""Losses after which a task runs on a worker that has nothing else."""
MOST_LOSSES = 5


class Losses:
    """Number of lost workers by task.

    A worker that was killed says nothing of its task: an administrator may have done it, or the
    kernel because others took its memory. So the task begins again. One that is lost again and
    again is a failure if it is a learner's. Tasks of other kinds are skipped then, which is no
    result either: the next run tries them again.
    """

    def __init__(self, work: Coordinator) -> None:
        self._work = work
        self.count: Counter[int] = Counter()

    def __getitem__(self, position: int) -> int:
        return self.count.get(position, 0)

    def is_dangerous(self, position: int) -> bool:
        """Whether a task must not run beside others."""
        return self.count.get(position, 0) >= DANGEROUS

    def are_dangerous(self, positions: Iterable[int]) -> bool:
        """Whether any of these tasks must not run beside others."""
        return bool(self.count) and any(map(self.is_dangerous, positions))

    def add(self, position: int, outcome: Outcome, *, counts: bool = True) -> None:
        """Requeue a task whose worker was lost, or record `outcome` after too many losses.

        Parameters
        ----------
        position
            The task.
        outcome
            The task's outcome if it was lost too often.
        counts
            Whether the loss is counted against the task.
        """
        self.count[position] += counts
        if self.count[position] < MOST_LOSSES:
            self._work.schedule.put_back(position)
            return
        reason = f"{self.count[position]} times: {outcome.reason}"
        if self._work.schedule.tasks[position].call.kind is not TaskKind.LEARN:
            outcome = replace(outcome, status=Status.SKIPPED)
        self._work.record(position, replace(outcome, reason=reason))

"""Data affinity: tasks of learners that share cached tables of one data set.

Their results are the same wherever they run. One after the other in one process they need less time
together, so a worker that has begun with a data set goes on with it, and others begin with another
one while there is any.
"""

from __future__ import annotations

from collections.abc import Collection

from dagathlon.study.engine.execute import shares_tables
from dagathlon.study.engine.schedule import Schedule, TaskState
from dagathlon.study.plan.task import Call


class DataAffinity:
    """Groups of tasks that share work on one data set."""

    def __init__(self, schedule: Schedule) -> None:
        self._schedule = schedule
        self._shares: dict[bytes, bool] = {}

    def data_of(self, position: int) -> int | None:
        """The data set on which a task shares work; None for one that shares none."""
        task = self._schedule.tasks[position]
        shares = self._shares.get(task.call.digest)
        if shares is None:
            shares = self._shares[task.call.digest] = shares_tables(task.call)
        return task.inputs[0] if shares and task.inputs else None

    def coscheduled(self, position: int) -> tuple[Call, ...]:
        """Return the calls of other open tasks that share work on the same data."""
        data = self.data_of(position)
        if data is None:
            return ()
        calls = (
            self._schedule.tasks[other].call
            for other in self._schedule.dependents_of(data)
            if other != position and self._is_to_come(other)
        )
        return tuple({call.digest: call for call in calls}.values())

    def choose(self, shape: int, held: int | None, elsewhere: Collection[int]) -> int:
        """The next task of a shape for a worker.

        Parameters
        ----------
        shape
            Number of a shape with a ready task.
        held
            The data set on which the worker shares work.
        elsewhere
            The data sets of the other workers.
        """
        schedule = self._schedule
        if held is not None:
            for other in schedule.dependents_of(held):
                ready = schedule.state[other] == TaskState.READY
                if ready and schedule.shape(other) == shape and self.data_of(other) == held:
                    return other
        first = schedule.peek(shape)
        if not elsewhere or self.data_of(first) not in elsewhere:
            return first
        return schedule.first_but(shape, lambda i: self.data_of(i) in elsewhere)

    def _is_to_come(self, position: int) -> bool:
        state = self._schedule.state[position]
        open_states = (TaskState.WAITING, TaskState.READY, TaskState.RUNNING)
        return state in open_states and self.data_of(position) is not None

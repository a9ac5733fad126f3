"""Lending of idle cores to tasks that can use more than their own.

A worker has its share of the machine whether it works or not. When there are fewer runs than cores,
a learner whose work splits gets what the idle ones do not use, for as long as it runs; a worker
whose cores are lent in this way waits until they are free again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dagathlon.study.engine.execute import gains_by_threads
from dagathlon.study.engine.process import WorkerProcess
from dagathlon.study.engine.schedule import Schedule


class IdleCores:
    """The free cores of a machine while tasks are assigned.

    Parameters
    ----------
    number
        Number of cores of the machine.
    workers
        All workers; those with tasks use theirs, and what was lent to them.
    """

    def __init__(self, number: int, workers: Sequence[WorkerProcess]) -> None:
        self._free = number - sum(worker.cores for worker in workers if worker.outstanding)

    def suffice(self, worker: WorkerProcess) -> bool:
        """Whether a worker may start: its own cores may be lent to another."""
        return bool(worker.outstanding) or worker.share.threads <= self._free

    def engage(self, worker: WorkerProcess, batch: Sequence[int]) -> None:
        """Count a worker's cores as used if it gets tasks."""
        if batch and not worker.outstanding:
            self._free -= worker.share.threads

    def left_over(
        self, schedule: Schedule, chosen: Mapping[WorkerProcess, Sequence[int]]
    ) -> dict[int, int]:
        """Return extra cores for each starting task that can use them.

        A task that stands alone gets them; those that are sent several at once are too
        quick.

        Parameters
        ----------
        schedule
            Tasks that are ready but were not chosen keep a core each.
        chosen
            The tasks that each worker is given now.
        """
        spare = self._free - schedule.queued
        if spare <= 0:
            return {}
        able = [
            batch[0]
            for worker, batch in chosen.items()
            if len(batch) == 1
            and not worker.outstanding
            and schedule.may_have_more(batch[0])
            and gains_by_threads(schedule.tasks[batch[0]].call)
        ]
        each, rest = divmod(spare, max(len(able), 1))
        return {position: each + (k < rest) for k, position in enumerate(able)}

"""The batched engine: runs in this process and hands a learner several data sets at once."""

from __future__ import annotations

import bdb
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from dagathlon.study.engine.coordinator import Coordinator
from dagathlon.study.engine.execute import batches
from dagathlon.study.engine.inline import InlineEngine, next_ready, wait
from dagathlon.study.engine.losses import Losses
from dagathlon.study.engine.perform import LostInputError, RecentInputs, gathered, perform_many
from dagathlon.study.engine.protocol import Note
from dagathlon.study.plan.task import Limits

Batch: TypeAlias = tuple[bytes, Limits]


@dataclass(frozen=True)
class BatchedEngine(InlineEngine):
    """Runs tasks in this process; learners that accept several data sets at once get them together.

    Tasks of such a learner wait until all else is done that could run, so that as many as
    possible with the same parameters and limits are handed over at once. Each has its own
    random stream and is stored under its own key, as if it had run alone.

    Parameters
    ----------
    raises
        End the run with the exception of the first failure, in place of recording it.
    most
        Largest number of data sets run at once, all of which are in memory.
    """

    name: ClassVar[str] = "batched"

    most: int = 256

    def _all(self, work: Coordinator, losses: Losses, inputs: RecentInputs) -> None:
        waiting: dict[Batch, list[int]] = {}
        while work.is_going_on:
            position = next_ready(work)
            if position is not None:
                batch = _batch_of(work, position)
                if batch is None:
                    self._claimed(work, losses, inputs, position)
                    continue
                waiting.setdefault(batch, []).append(position)
                if len(waiting[batch]) >= self.most:
                    self._together(work, losses, inputs, waiting.pop(batch))
            elif waiting:
                self._together(work, losses, inputs, waiting.pop(next(iter(waiting))))
            else:
                wait(work)

    def _together(
        self, work: Coordinator, losses: Losses, inputs: RecentInputs, positions: list[int]
    ) -> None:
        """Run one learner on several data sets at once."""
        read = dict(_data_of(work, inputs, work.claim(positions)))
        if read:
            work.look(list(read), 0)
            self._learned(work, losses, inputs, read)

    def _learned(
        self, work: Coordinator, losses: Losses, inputs: RecentInputs, read: dict[int, Any]
    ) -> None:
        """Run one learner on data sets already read; on failure, retry each half.

        So a failing data set is found in few steps, and the others stay together.
        """
        ours = list(read)
        tasks = [work.schedule.tasks[position] for position in ours]
        keys = [task.random_key for task in tasks]
        try:
            done = perform_many(tasks[0].call, keys, list(read.values()), work.limits(ours[0]))
        except bdb.BdbQuit:
            raise
        except (Exception, SystemExit) as error:  # a learner may raise anything
            if len(ours) == 1:
                self._perform(work, losses, inputs, ours[0])
                return
            work.tell(Note(_said(tasks[0].call.module, len(ours), error)))
            for half in (ours[: len(ours) // 2], ours[len(ours) // 2 :]):
                self._learned(work, losses, inputs, {position: read[position] for position in half})
            return
        for position, performed in zip(ours, done, strict=True):
            self._record(work, losses, position, performed)


def _batch_of(work: Coordinator, position: int) -> Batch | None:
    """Return the key that tasks share which can run together; None for one that runs alone."""
    task = work.schedule.tasks[position]
    if len(task.inputs) != 1 or not batches(task.call):
        return None
    return task.call.digest, work.limits(position)


def _data_of(
    work: Coordinator, inputs: RecentInputs, positions: Sequence[int]
) -> Iterator[tuple[int, Any]]:
    """Yield positions with their data; tasks whose data are lost wait for them again."""
    for position in positions:
        try:
            yield position, gathered(work.input_keys(position), inputs)[0]
        except LostInputError as error:
            work.lose(position, error.place, str(error))


def _said(module: str, count: int, error: BaseException) -> str:
    reason = f"{type(error).__name__}: {' '.join(str(error).split())}"[:200]
    return (
        f"{module} failed on {count} data sets together ({reason}); each half is tried separately"
    )

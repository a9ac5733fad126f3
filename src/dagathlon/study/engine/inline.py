"""The inline engine: one task after another in this process, for a debugger."""

from __future__ import annotations

import bdb
import gc
import socket
import time
from dataclasses import dataclass, replace
from typing import ClassVar

from dagathlon.errors import KilledError
from dagathlon.study.engine.coordinator import Coordinator
from dagathlon.study.engine.losses import Losses
from dagathlon.study.engine.perform import (
    LostInputError,
    Performed,
    RecentInputs,
    gathered,
    no_room,
    perform,
)
from dagathlon.study.engine.protocol import Note, OnEvent, Options, Summary, silent
from dagathlon.study.plan.task import Workload
from dagathlon.study.store.store import Store

_PAUSE = 0.1
_NOT_ENFORCED = (
    "the {} engine runs everything in one process: time and memory limits are not enforced, "
    "and a learner that crashes ends the run"
)


@dataclass(frozen=True)
class InlineEngine:
    """Runs tasks in this process, so that a debugger can enter them.

    Parameters
    ----------
    raises
        End the run with the exception of the first failure, in place of recording it.
    """

    name: ClassVar[str] = "inline"

    raises: bool = False

    def run(
        self,
        plan: Workload,
        store: Store,
        *,
        on_event: OnEvent = silent,
        options: Options = Options(),  # noqa: B008 - it is immutable
    ) -> Summary:
        """Run all tasks that have no outcome in the store yet; see `Engine`."""
        with Coordinator(plan, store, on_event, options) as work:
            if work.is_going_on:
                on_event(Note(_NOT_ENFORCED.format(self.name)))
            inputs = RecentInputs(store.stored)
            gc.freeze()  # what is here already need not be looked through before every task
            try:
                self._all(work, Losses(work), inputs)
            except (KeyboardInterrupt, bdb.BdbQuit):
                work.interrupted = True
            finally:
                gc.unfreeze()
        return work.summary

    def _all(self, work: Coordinator, losses: Losses, inputs: RecentInputs) -> None:
        while work.is_going_on:
            position = next_ready(work)
            if position is None:
                wait(work)
            else:
                self._claimed(work, losses, inputs, position)

    def _claimed(
        self, work: Coordinator, losses: Losses, inputs: RecentInputs, position: int
    ) -> None:
        for ours in work.claim([position]):
            work.look([ours], 0)
            self._perform(work, losses, inputs, ours)

    def _perform(
        self, work: Coordinator, losses: Losses, inputs: RecentInputs, position: int
    ) -> None:
        try:
            read = gathered(work.input_keys(position), inputs)
        except LostInputError as error:
            work.lose(position, error.place, str(error))
            return
        task = work.schedule.tasks[position]
        limits, company = work.limits(position), work.affinity.coscheduled(position)
        threads = work.schedule.shapes[work.schedule.shape(position)].threads
        arguments = (task.call, task.random_key, read, limits)
        done = perform(*arguments, company=company, threads=threads)
        self._record(work, losses, position, done)

    def _record(self, work: Coordinator, losses: Losses, position: int, done: Performed) -> None:
        failed = done.error is not None and done.outcome.detail
        if isinstance(done.error, bdb.BdbQuit) or (self.raises and failed):
            assert done.error is not None
            raise done.error
        if reason := no_room(work.schedule.tasks[position].call, done.error):
            raise work.no_room(reason)
        payload = None if done.stored is None else work.keep(done.stored)
        outcome = replace(done.outcome, host=socket.gethostname())
        if isinstance(done.error, KilledError):
            losses.add(position, outcome)
        else:
            work.record(position, outcome, payload)


def next_ready(work: Coordinator) -> int | None:
    """Claim and return the next ready task; None while another run is at the remaining ones."""
    ready = (i for i, _ in enumerate(work.schedule.shapes) if work.schedule.n_ready(i))
    shape = next(ready, None)
    return None if shape is None else work.schedule.pop(shape)


def wait(work: Coordinator) -> None:
    """Sleep until another run may have made progress."""
    time.sleep(_PAUSE)
    work.look((), 0)

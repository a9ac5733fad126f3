"""The local engine: worker processes on this machine, with limits that nothing can evade."""

from __future__ import annotations

import contextlib
import math
import os
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dagathlon.errors import StudyError
from dagathlon.study.engine.process import Assignment, WorkerProcess
from dagathlon.study.engine.protocol import (
    Began,
    Event,
    Finished,
    Note,
    OnEvent,
    Options,
    Running,
    Summary,
)
from dagathlon.study.engine.schedule import Schedule
from dagathlon.study.engine.worker import Lost, Report, Unkept, memory_reason
from dagathlon.study.engine.workers import Workers
from dagathlon.study.plan.task import Outcome, Status, Workload
from dagathlon.study.store.claims import Granted, Registration
from dagathlon.study.store.objects import Payload
from dagathlon.study.store.store import Result, Store

_LOOK = 0.1
_PROGRESS = 1.0
_QUICK = 0.01
_BATCH_SECONDS = 0.02
_BATCH = 64
_LEAST = 1e-4
_PATIENCE = 0.2
_MAX_LOSSES = 3


def silent(event: Event) -> None:
    """Listen to events and say nothing."""


@dataclass(frozen=True)
class LocalEngine:
    """Runs tasks in worker processes on this machine.

    Parameters
    ----------
    jobs
        Number of workers, one core each; 0 is as many as there are cores.
    """

    jobs: int = 0

    def run(
        self,
        plan: Workload,
        store: Store,
        *,
        on_event: OnEvent = silent,
        options: Options = Options(),  # noqa: B008 - it is immutable
    ) -> Summary:
        """Run all tasks that have no outcome in the store yet; see `Engine`."""
        jobs = self.jobs or len(os.sched_getaffinity(0))
        return _Run(plan, store, jobs, on_event, options).go()


class _Run:
    """One run of a plan."""

    def __init__(
        self, plan: Workload, store: Store, jobs: int, on_event: OnEvent, options: Options
    ) -> None:
        self._began = time.monotonic()
        self._store = store
        self._tell = on_event
        self._schedule = Schedule(plan, store, options)
        self._jobs = min(jobs, max(self._schedule.unfinished, 1))
        self._summary = Summary(stored=self._schedule.stored, partial=options.limit is not None)
        self._registration = Registration(store)
        self._workers = Workers(store.folder, self._registration.scratch)
        self._results: list[Result] = []
        self._finished: list[Finished] = []
        self._expected: dict[str, float] = {}
        self._parked: list[int] = []
        self._losses: Counter[int] = Counter()
        self._interrupted = False
        self._next_look = self._next_progress = 0.0

    def go(self) -> Summary:
        """Run to the end, or until a signal asks to stop."""
        try:
            self._tell(Began(dict(self._schedule.to_do), _by_module(self._schedule.stored)))
            self._record_skipped()
            if self._schedule.unfinished:
                with self._workers, self._workers.stoppable(self._stop):
                    self._work()
            self._commit()
        except BaseException:
            with contextlib.suppress(StudyError):
                self._sign_off()
            raise
        self._sign_off()
        return self._summary

    def _stop(self) -> None:
        self._interrupted = True

    def _sign_off(self) -> None:
        self._summary.seconds = time.monotonic() - self._began
        self._summary.interrupted = self._interrupted
        self._registration.end(self._progress())

    def _work(self) -> None:
        for _ in range(self._jobs):
            self._workers.hire()
        while self._schedule.unfinished and not self._interrupted:
            while self._dispatch():
                pass
            for worker, messages, is_over in self._workers.wait(self._next_look - time.monotonic()):
                self._listen(worker, messages)
                if is_over:
                    self._replace(worker)
            if time.monotonic() >= self._next_look:
                self._look()

    # Handing out tasks

    def _dispatch(self) -> bool:
        """Give work to the workers that have room; results are safe before anything reads them.

        True when another run was ahead of us with some of it, so that there is still room.
        """
        chosen = {worker: self._fill(worker) for worker in self._workers.workers}
        positions = [position for batch in chosen.values() for position in batch]
        if not positions and not self._results:
            return False
        granted = self._commit([self._schedule.tasks[i].key for i in positions])
        refused = False
        for worker, batch in chosen.items():
            allowed = [i for i in batch if self._is_granted(i, granted)]
            refused |= len(allowed) < len(batch)
            if allowed:
                worker.assign([self._assignment(i) for i in allowed])
        return refused

    def _fill(self, worker: WorkerProcess) -> list[int]:
        """Tasks for one worker: several when they are quick, so that it never waits for us."""
        chosen: list[int] = []
        load = worker.load
        if not worker.is_up or load > _BATCH_SECONDS / 2:
            return chosen
        share = math.ceil(self._schedule.n_ready / self._jobs)
        while self._schedule.n_ready and len(chosen) < min(share, _BATCH):
            expected = self._expectation(self._schedule.peek())
            crowded = expected > _QUICK or load + expected > _BATCH_SECONDS
            if crowded and (chosen or worker.outstanding):
                break
            chosen.append(self._schedule.pop())
            load += expected
        return chosen

    def _expectation(self, position: int) -> float:
        return self._expected.get(self._schedule.tasks[position].call.module, math.inf)

    def _is_granted(self, position: int, granted: Granted) -> bool:
        """Whether the task is ours to do: another run may be at it, or may have done it."""
        key = self._schedule.tasks[position].key
        if key in granted.busy:
            self._parked.append(position)
            return False
        outcome = granted.known.get(key)
        if outcome is None or not outcome.settles(self._schedule.limits(position)):
            return True
        self._settle(position, outcome, self._summary.stored)
        return False

    def _assignment(self, position: int) -> Assignment:
        tasks = self._schedule.tasks
        task = tasks[position]
        inputs = tuple(tasks[i].key for i in task.inputs)
        memory = self._schedule.limits(position).memory
        return Assignment(position, task, inputs, memory, self._expectation(position))

    # Taking in results

    def _listen(self, worker: WorkerProcess, messages: Sequence[Any]) -> None:
        for message in messages:
            if not message:
                worker.greet()
            elif len(message) == len(Lost._fields):
                self._recover(worker, Lost(*message))
            elif len(message) == len(Unkept._fields):
                raise self._store.unwritable(Unkept(*message).reason)
            else:
                self._take(worker, Report(*message))

    def _take(self, worker: WorkerProcess, report: Report) -> None:
        worker.settle(report.position)
        wall, cpu, memory = report.usage
        module = self._schedule.tasks[report.position].call.module
        self._expected[module] = max(wall, _LEAST, 0.7 * self._expected.get(module, 0.0))
        limits = self._schedule.limits(report.position)
        status = Status(report.status)
        outcome = Outcome(status, report.reason, report.detail, wall, cpu, memory, limits)
        self._record(report.position, outcome, report.payload)

    def _record(self, position: int, outcome: Outcome, payload: Payload | None = None) -> None:
        """An outcome of our own; a task that was done twice has its first."""
        if self._schedule.is_open(position):
            self._results.append(Result(self._schedule.tasks[position], outcome, payload))
            self._settle(position, outcome, self._summary.ran)

    def _settle(
        self, position: int, outcome: Outcome, counted: Counter[tuple[str, str, str]]
    ) -> None:
        self._schedule.finish(position, outcome)
        self._note(position, outcome, counted)
        self._record_skipped()

    def _record_skipped(self) -> None:
        for position, outcome in self._schedule.take_skipped():
            self._results.append(Result(self._schedule.tasks[position], outcome))
            self._note(position, outcome, self._summary.ran)

    def _note(
        self, position: int, outcome: Outcome, counted: Counter[tuple[str, str, str]]
    ) -> None:
        task = self._schedule.tasks[position]
        self._summary.count(counted, task, outcome.status)
        self._finished.append(Finished(position, task, outcome))

    def _commit(
        self, wanted: Sequence[bytes] = (), progress: dict[str, Any] | None = None
    ) -> Granted:
        results, self._results = self._results, []
        granted = self._registration.exchange(results, wanted, progress)
        finished, self._finished = self._finished, []
        for event in finished:
            self._tell(event)
        return granted

    def _recover(self, worker: WorkerProcess, lost: Lost) -> None:
        """An input is damaged: forget it and make it again, but not for ever."""
        worker.settle(lost.position)
        source = self._schedule.tasks[lost.position].inputs[lost.place]
        self._losses[lost.position] += 1
        if self._losses[lost.position] > _MAX_LOSSES:
            reason = f"an input cannot be read: {lost.reason}"
            self._record(lost.position, Outcome(Status.ERROR, reason))
        elif self._schedule.is_open(lost.position):
            self._tell(Note(f"{lost.reason}; it is computed again"))
            self._store.drop([self._schedule.tasks[source].key])
            self._schedule.reopen(lost.position, source)
            self._record_skipped()

    # Watching over workers

    def _look(self) -> None:
        """Enforce limits, take back tasks that wait too long, tell what is under way."""
        now = time.monotonic()
        self._next_look = now + _LOOK
        running = []
        memory = 0
        for worker in list(self._workers.workers):
            memory += worker.memory()
            worker.bound_output()
            position, start = worker.slot.read()
            if position >= 0:
                running.append(position)
                self._look_at(worker, position, now - start if start else 0.0)
        for position in self._parked:
            self._schedule.put_back(position)
        self._parked.clear()
        self._tell(Running(tuple(running), memory))
        if now >= self._next_progress:
            self._next_progress = now + _PROGRESS
            self._commit(progress=self._progress())

    def _look_at(self, worker: WorkerProcess, position: int, elapsed: float) -> None:
        limits = self._schedule.limits(position)
        if limits.time is not None and elapsed >= limits.time:
            reason = f"stopped after {limits.time:g} s"
            self._end(worker, position, Status.TIME, reason, elapsed)
        elif limits.memory is not None and worker.grown() > limits.memory and elapsed:
            self._end(worker, position, Status.MEMORY, memory_reason(limits.memory), elapsed)
        else:
            if limits.time is not None and elapsed:
                deadline = time.monotonic() + limits.time - elapsed
                self._next_look = min(self._next_look, deadline)
            if elapsed > _PATIENCE and len(worker.outstanding) > 1:
                for waiting in worker.take_back():
                    self._schedule.put_back(waiting)

    def _end(
        self, worker: WorkerProcess, position: int, status: Status, reason: str, elapsed: float
    ) -> None:
        """Kill a worker at a task that has used up its limits."""
        limits = self._schedule.limits(position)
        used = worker.grown()
        _, messages = self._workers.dismiss(worker)
        self._listen(worker, messages)
        outcome = Outcome(status, reason, worker.tail(), wall=elapsed, memory=used, limits=limits)
        self._record(position, outcome)
        self._succeed(worker)

    def _replace(self, worker: WorkerProcess) -> None:
        """A worker has ended by itself or by a signal: find out why, and hire another."""
        code, messages = self._workers.dismiss(worker)
        self._listen(worker, messages)
        self._workers.check_start(worker)
        position, _ = worker.slot.read()
        if position >= 0:
            outcome = self._workers.cause_of_end(worker, code, self._schedule.limits(position))
            self._record(position, outcome)
        self._succeed(worker)

    def _succeed(self, worker: WorkerProcess) -> None:
        for position in worker.outstanding:
            self._schedule.put_back(position)
        worker.close()
        self._workers.hire()

    def _progress(self) -> dict[str, Any]:
        return {**self._summary.to_json(), "left": self._schedule.unfinished, "jobs": self._jobs}


def _by_module(counted: Counter[tuple[str, str, str]]) -> dict[tuple[str, str], int]:
    found: Counter[tuple[str, str]] = Counter()
    for (_, kind, module), n in counted.items():
        found[kind, module] += n
    return dict(found)

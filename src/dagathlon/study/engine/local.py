"""The local engine: worker processes on this machine, with limits enforced from outside."""

from __future__ import annotations

import math
import os
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from dagathlon.errors import StudyError
from dagathlon.study.engine.coordinator import Coordinator
from dagathlon.study.engine.idle_cores import IdleCores
from dagathlon.study.engine.losses import Losses
from dagathlon.study.engine.messages import Lost, Message, Report, Unkept, Up
from dagathlon.study.engine.process import Assignment, WorkerProcess
from dagathlon.study.engine.protocol import Host, Note, OnEvent, Options, Summary, silent
from dagathlon.study.engine.resources import Machine, cards_to_give
from dagathlon.study.engine.supervisor import Supervisor
from dagathlon.study.engine.watch import LATEST
from dagathlon.study.engine.workers import Workers
from dagathlon.study.plan.task import Limits, Outcome, Status, Workload
from dagathlon.study.store.objects import Payload
from dagathlon.study.store.store import Store

_LOOK = 0.1
_QUICK = 0.01
_BATCH_SECONDS = 0.02
_BATCH = 64
_LEAST = 1e-4
_PATIENCE = 0.2
_FAR = 2048


@dataclass(frozen=True)
class LocalEngine:
    """Runs tasks in worker processes on this machine.

    Parameters
    ----------
    jobs
        Number of cores to use; 0 is as many as there are. A task that needs one core runs beside
        so many others less one.
    cards
        Names of the graphics cards to use, as `CUDA_VISIBLE_DEVICES` writes them; None is all. One
        run has a card to itself, unless its name stands there several times
        (`DAGATHLON_RUNS_PER_CARD` does that for all).
    """

    name: ClassVar[str] = "local"

    jobs: int = 0
    cards: tuple[str, ...] | None = None

    def run(
        self,
        plan: Workload,
        store: Store,
        *,
        on_event: OnEvent = silent,
        options: Options = Options(),  # noqa: B008 - it is immutable
    ) -> Summary:
        """Run all tasks that have no outcome in the store yet; see `Engine`."""
        cores = self.jobs or len(os.sched_getaffinity(0))
        machine = Machine(cores, cards_to_give() if self.cards is None else self.cards)
        with Coordinator(plan, store, on_event, options) as work:
            if work.is_going_on:
                work.jobs = min(cores, work.schedule.unfinished)
                workers = Workers(store.objects, work.scratch, machine)
                _Run(work, workers, machine).go()
        return work.summary


class _Run(Supervisor):
    """One run of a plan."""

    def __init__(self, work: Coordinator, workers: Workers, machine: Machine) -> None:
        super().__init__(workers.post_mortem)
        self._work = work
        self._schedule = work.schedule
        self._affinity = work.affinity
        self._workers = workers
        self._machine = machine
        self._losses = Losses(work)
        self._name = socket.gethostname()
        self._expected: dict[str, float] = {}
        self._next_look = 0.0
        self._next_guard = 0.0 if self._schedule.limits_memory else math.inf

    def go(self) -> None:
        """Run to the end, or until a signal asks to stop."""
        with self._workers, self._workers.stoppable(self._stop):
            for _ in range(self._work.jobs):
                self._workers.hire(0, self._schedule.shapes[0])
            while self._work.is_going_on:
                self._turn()

    def _stop(self) -> None:
        self._work.interrupted = True

    def _turn(self) -> None:
        self._staff()
        while self._dispatch():
            pass
        until = min(self._next_look, self._next_guard)
        for worker, messages, is_over in self._workers.wait(until - time.monotonic()):
            self._listen(worker, messages)
            if is_over:
                self.replace(worker)
        now = time.monotonic()
        if now >= self._next_guard:
            self._guard()
        if now >= self._next_look:
            self._look()

    # Handing out tasks

    def _staff(self) -> None:
        """Start workers for ready tasks, in place of workers without work.

        A worker goes on while there are tasks of its shape: starting one takes longer than
        most tasks.
        """
        for shape, wanted in enumerate(self._schedule.shapes):
            ready = self._schedule.n_ready(shape)
            if ready and self._machine.objection(wanted):
                self._refuse(shape)
                continue
            idle = sum(w.shape == shape and not w.outstanding for w in self._workers.workers)
            while idle < ready and self._workers.make_room(wanted, list(self._useless(shape))):
                self._workers.hire(shape, wanted)
                idle += 1

    def _useless(self, shape: int) -> Iterator[WorkerProcess]:
        """Yield workers of other shapes that have no work and will get none soon."""
        for worker in self._workers.workers:
            idle = not worker.outstanding and worker.shape != shape
            if idle and not self._schedule.n_ready(worker.shape):
                yield worker

    def _refuse(self, shape: int) -> None:
        """Skip the tasks of a shape for which this machine lacks cards."""
        reason = self._machine.objection(self._schedule.shapes[shape])
        while self._schedule.n_ready(shape):
            self._work.record(self._schedule.pop(shape), Outcome(Status.SKIPPED, reason))

    def _dispatch(self) -> bool:
        """Send tasks to workers with room; return True when other runs had claimed some.

        There is still room in that case.
        """
        cores = IdleCores(self._machine.cores, self._workers.workers)
        chosen: dict[WorkerProcess, list[int]] = {}
        for worker in self._workers.workers:
            chosen[worker] = self._fill(worker, chosen) if cores.suffice(worker) else []
            cores.engage(worker, chosen[worker])
        allowed = set(self._work.claim([i for batch in chosen.values() for i in batch]))
        more = cores.left_over(self._schedule, chosen)
        payloads = self._work.inputs(allowed)
        refused = False
        for worker, batch in chosen.items():
            ours = [i for i in batch if i in allowed and self._work.has_all(i, payloads)]
            refused |= len(ours) < len(batch)
            if ours:
                worker.assign([self._assignment(i, payloads, more.get(i, 0)) for i in ours])
        return refused

    def _fill(
        self, worker: WorkerProcess, others: Mapping[WorkerProcess, Sequence[int]]
    ) -> list[int]:
        """Select tasks for one worker: several when they are quick, so that it never idles.

        `others` are the tasks that are about to be given to other workers.
        """
        chosen: list[int] = []
        load = worker.load
        if not worker.is_up or load > _BATCH_SECONDS / 2:
            return chosen
        if self._losses.are_dangerous(self._under_way(others)):
            return chosen
        shape = worker.shape
        share = math.ceil(self._schedule.n_ready(shape) / self._work.jobs)
        while self._schedule.n_ready(shape) and len(chosen) < min(share, _BATCH):
            position = self._affinity.choose(
                shape, worker.shared_data, self._held_by_others(worker)
            )
            if self._losses.is_dangerous(position):
                position = self._schedule.first_but(shape, self._losses.is_dangerous, _FAR)
                if self._losses.is_dangerous(position) and (chosen or [*self._under_way(others)]):
                    break
            expected = self._expectation(position)
            suspect = self._losses[position] > 0
            crowded = suspect or expected > _QUICK or load + expected > _BATCH_SECONDS
            if crowded and (chosen or worker.outstanding):
                break
            chosen.append(self._schedule.take(position))
            worker.hold(self._affinity.data_of(position))
            load += expected
            if suspect:
                break
        return chosen

    def _under_way(self, others: Mapping[WorkerProcess, Sequence[int]]) -> Iterator[int]:
        """Yield tasks that workers have or are about to get."""
        for worker in self._workers.workers:
            yield from worker.outstanding
            yield from others.get(worker, ())

    def _held_by_others(self, worker: WorkerProcess) -> set[int]:
        held = (each.shared_data for each in self._workers.workers if each is not worker)
        return {data for data in held if data is not None}

    def _expectation(self, position: int) -> float:
        return self._expected.get(self._schedule.tasks[position].call.module, math.inf)

    def _assignment(
        self, position: int, payloads: Mapping[bytes, Payload], more: int
    ) -> Assignment:
        return Assignment(
            position,
            self._schedule.tasks[position],
            tuple(payloads[key] for key in self._work.input_keys(position)),
            self._work.limits(position),
            self._expectation(position),
            self._affinity.coscheduled(position),
            more,
        )

    # Taking in results

    def _listen(self, worker: WorkerProcess, messages: Sequence[Message]) -> None:
        for message in messages:
            match message:
                case Report():
                    self._take(worker, message)
                case Up():
                    worker.is_up = True
                case Lost(position, place, reason):
                    worker.settle(position)
                    self._work.lose(position, place, reason)
                case Unkept(_, reason):
                    raise self._work.no_room(reason)

    def _take(self, worker: WorkerProcess, report: Report) -> None:
        worker.settle(report.position)
        module = self._schedule.tasks[report.position].call.module
        self._expected[module] = max(report.wall, _LEAST, 0.7 * self._expected.get(module, 0.0))
        outcome = report.outcome(self._work.limits(report.position), self._name)
        if report.killed:
            self.requeue(report.position, outcome)
            return
        self._work.record(report.position, outcome, self._payload(report))

    def _payload(self, report: Report) -> Payload | None:
        if report.file:
            return self._work.adopt(report.file, report.digest, report.size)
        if report.content is None:
            return None
        return Payload(report.digest, report.size, report.content)

    # Supervision of workers

    def _look(self) -> None:
        """Enforce time limits, take back waiting tasks, report what is running."""
        self._next_look = time.monotonic() + _LOOK
        running = []
        memory = 0
        for worker in list(self._workers.workers):
            memory += worker.memory()
            task = self.enforce_time(worker)
            if task is None or task.position < 0:
                continue
            running.append(task.position)
            self._next_look = min(self._next_look, task.due)
            if task.elapsed > _PATIENCE and len(worker.outstanding) > 1:
                for waiting in worker.take_back():
                    self._schedule.put_back(waiting)
        self._work.look(running, memory, [self._host()])

    def _host(self) -> Host:
        given = sum(len(worker.outstanding) for worker in self._workers.workers)
        return Host(self._name, self._work.jobs, given)

    def _guard(self) -> None:
        """Enforce memory limits."""
        pauses = [self.enforce_memory(worker) for worker in list(self._workers.workers)]
        self._next_guard = time.monotonic() + min(pauses, default=LATEST)

    def limits_of(self, position: int) -> Limits:
        """Return the limits of a task."""
        return self._work.limits(position)

    def dismiss(self, worker: WorkerProcess) -> int:
        """Kill a worker and handle its last messages; return its exit code."""
        code, messages = self._workers.dismiss(worker)
        self._listen(worker, messages)
        return code

    def conclude(self, worker: WorkerProcess, position: int, outcome: Outcome | None) -> None:
        """Record the outcome of a worker's last task and requeue its waiting ones."""
        if outcome is not None:
            detail = outcome.detail or worker.tail()
            self._work.record(position, replace(outcome, detail=detail, host=self._name))
        for waiting in worker.outstanding:
            self._schedule.put_back(waiting)
        worker.close()

    def requeue(self, position: int, outcome: Outcome) -> None:
        """Requeue a task whose worker was killed, a limited number of times."""
        call = self._schedule.tasks[position].call
        message = f"a task begins again ({call.kind.value} {call.module}): {outcome.reason}"
        self._losses.add(position, replace(outcome, host=self._name))
        if self._schedule.is_open(position):
            self._work.tell(Note(message))

    def cannot_start(self, tail: str) -> StudyError:
        """Return the error of workers that repeatedly end before their first task."""
        return StudyError(f"worker processes do not start; the last output was:\n{tail}")

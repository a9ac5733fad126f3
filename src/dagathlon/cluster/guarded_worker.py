"""A guarded process on a worker's machine that runs batches and is replaced when it dies."""

from __future__ import annotations

import math
import select
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from dagathlon.cluster.cache import Cache
from dagathlon.cluster.messages import MOST_BYTES, Batch, Reply, TaskMessage
from dagathlon.errors import DagathlonError
from dagathlon.study.engine.messages import Lost, Message, Report, Unkept, Up
from dagathlon.study.engine.process import Assignment, WorkerProcess
from dagathlon.study.engine.supervisor import Supervisor
from dagathlon.study.engine.watch import PostMortem
from dagathlon.study.plan.task import Limits, Outcome, Task
from dagathlon.study.store.objects import DamagedError, Payload, UnwritableError

_LOOK = 0.1


class UnwantedError(DagathlonError):
    """The coordinator no longer waits for this batch."""


class CannotStartError(DagathlonError):
    """Processes on this machine end before their first task."""


class GuardedWorker(Supervisor):
    """Runs batches, one at a time, in a guarded process.

    Parameters
    ----------
    hire
        Starts a process.
    cache
        Cache from which the process reads and to which its results go.
    post_mortem
        Determines why processes of this machine died; shared by all workers.

    Attributes
    ----------
    shared
        Hash of the last data set on which its process shared work.
    since
        When it was last used.
    """

    def __init__(
        self, hire: Callable[[], WorkerProcess], cache: Cache, post_mortem: PostMortem
    ) -> None:
        super().__init__(post_mortem)
        self._hire = hire
        self._cache = cache
        self._worker: WorkerProcess | None = None
        self._work: _Work
        self.shared = b""
        self.since = time.monotonic()

    def do(self, batch: Batch, is_wanted: Callable[[], bool]) -> Reply:
        """Run a batch.

        Parameters
        ----------
        batch
            The tasks.
        is_wanted
            Polled: whether the coordinator still waits; `UnwantedError` when not.
        """
        try:
            with self._cache.used(each.digest for each in batch.inputs):
                self._work = work = _Work(batch, self._cache)
                while work.waiting and not work.full:
                    check_wanted(is_wanted)
                    self._once(work, is_wanted)
        except BaseException:
            self.close()
            raise
        finally:
            self.since = time.monotonic()
        if work.full:
            self.close()  # it would go on with the rest
        self.shared = batch.shared or self.shared
        memory = self._worker.memory() if self._worker is not None else 0
        return work.reply(memory)

    def close(self) -> None:
        """End the process."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.kill()
            worker.wait()
            worker.close()

    def _once(self, work: _Work, is_wanted: Callable[[], bool]) -> None:
        """Send the waiting tasks to a process and supervise it until all are done or it ends."""
        if self._worker is None:
            self._worker = self._hire()
        worker = self._worker
        worker.assign(work.assignments())
        looked = 0.0
        guarded = 0.0 if work.limits_memory else math.inf
        while work.waiting and not work.full:
            now = time.monotonic()
            if now >= looked:
                check_wanted(is_wanted)
                looked = self._look(worker, work)
            if self._worker is worker and now >= guarded:
                guarded = now + self.enforce_memory(worker)
            if self._worker is not worker:
                return
            messages, is_open = _wait(worker, min(looked, guarded) - time.monotonic())
            self._listen(worker, messages)
            if not is_open or worker.has_ended():
                self.replace(worker)
                return
            if work.is_heavy:
                _leave_rest(worker, work)

    def _look(self, worker: WorkerProcess, work: _Work) -> float:
        """Enforce time limits and leave the rest of a late batch; return when to check again."""
        now = time.monotonic()
        if worker.is_up and work.is_late(now):
            _leave_rest(worker, work)
        task = self.enforce_time(worker)
        return now if task is None else min(now + _LOOK, task.due)

    def _listen(self, worker: WorkerProcess, messages: Sequence[Message]) -> None:
        for message in messages:
            match message:
                case Up():
                    worker.is_up = True
                case Report():
                    worker.settle(message.position)
                    if message.killed:
                        self._work.give_up(message)
                    else:
                        self._work.take(message)
                case Lost():
                    worker.settle(message.position)
                    self._work.lose(message)
                case Unkept(_, reason):
                    self._work.full = reason

    def limits_of(self, position: int) -> Limits | None:
        """Return the limits of an open task; None for one begun while it was taken back."""
        item = self._work.waiting.get(position)
        return None if item is None else item.limits

    def dismiss(self, worker: WorkerProcess) -> int:
        """Kill the process and handle its last messages; return its exit code."""
        worker.kill()
        code = worker.wait()
        messages, _ = worker.receive()
        self._listen(worker, messages)
        return code

    def conclude(self, worker: WorkerProcess, position: int, outcome: Outcome | None) -> None:
        """Record the outcome of the process's last task, if it is still open."""
        if outcome is not None and position in self._work.waiting:
            self._work.take(_report(position, outcome, outcome.detail or worker.tail()))
        worker.close()
        self._worker = None

    def requeue(self, position: int, outcome: Outcome) -> None:
        """Return a task whose process was killed from outside to the coordinator."""
        self._work.give_up(_report(position, outcome, outcome.detail))

    def cannot_start(self, tail: str) -> CannotStartError:
        """Return the error of processes that repeatedly end before their first task."""
        return CannotStartError(
            f"worker processes do not start there; the last output was:\n{tail}"
        )


class _Work:
    """A batch in progress."""

    def __init__(self, batch: Batch, cache: Cache) -> None:
        self._batch = batch
        self._cache = cache
        self._deadline = 0.0
        self._bytes = 0
        self._reports: list[Report] = []
        self._lost: list[Lost] = []
        self._left: list[int] = []
        self._killed: list[Report] = []
        self.full = ""
        self.waiting: dict[int, TaskMessage] = {each.position: each for each in batch.items}
        self.limits_memory = any(each.memory is not None for each in batch.items)
        self._payloads = _payloads(batch, cache)
        for item in batch.items:
            for place, digest in enumerate(item.inputs):
                if digest not in self._payloads:
                    self.lose(Lost(item.position, place, "an input is not here"))
                    break

    def assignments(self) -> list[Assignment]:
        """Return the tasks to do as orders for a process."""
        calls = self._batch.calls
        return [
            Assignment(
                item.position,
                Task(item.random_key, calls[item.call], 0),
                tuple(self._payloads[digest] for digest in item.inputs),
                item.limits,
                0.0,
                tuple(calls[number] for number in item.company),
            )
            for item in self.waiting.values()
        ]

    def is_late(self, now: float) -> bool:
        """Whether the batch takes so long that its rest should go to other workers.

        To be asked once there is a process that can begin, which takes longer than most
        batches.
        """
        self._deadline = self._deadline or now + self._batch.patience
        return now > self._deadline

    @property
    def is_heavy(self) -> bool:
        """Whether the results fill a message."""
        return self._bytes > MOST_BYTES

    def take(self, report: Report) -> None:
        """Record the report of a finished task."""
        if self.waiting.pop(report.position, None) is None:
            return
        try:
            self._reports.append(self._kept(report))
        except (UnwritableError, DamagedError) as error:
            self.full = str(error)
            self._left.append(report.position)

    def _kept(self, report: Report) -> Report:
        """Cache a result for later tasks here; a large one is left to be fetched by its hash."""
        if report.content is not None:
            self._bytes += len(report.content)
            self._cache.take(report.digest, report.content)
        elif report.file:
            self._cache.adopt(Path(report.file), report.digest, report.size, owed=True)
            return report._replace(file="")
        return report

    def lose(self, lost: Lost) -> None:
        """Record that a task cannot begin because an input is missing."""
        item = self.waiting.pop(lost.position, None)
        if item is not None:
            self._cache.forget(item.inputs[lost.place])
            self._lost.append(lost)

    def give_up(self, report: Report) -> None:
        """Hand back a task whose process was killed from outside, to be tried again."""
        if self.waiting.pop(report.position, None) is not None:
            self._killed.append(report)

    def leave(self, position: int) -> None:
        """Hand back a task for another worker."""
        if self.waiting.pop(position, None) is not None:
            self._left.append(position)

    def reply(self, memory: int) -> Reply:
        """Return the reply of the batch; waiting tasks are listed as left."""
        unstarted = (*self._left, *self.waiting)
        content = (tuple(self._reports), tuple(self._lost), unstarted, memory, self.full)
        return Reply(*content, tuple(self._killed))


def _payloads(batch: Batch, cache: Cache) -> Mapping[bytes, Payload]:
    """Return the cached inputs of a batch."""
    payloads = {}
    for digest, size, content in batch.inputs:
        if content is not None:
            cache.take(digest, content)
        payload = cache.payload(digest, size)
        if payload is not None:
            payloads[digest] = payload
    return payloads


def check_wanted(is_wanted: Callable[[], bool]) -> None:
    """Raise `UnwantedError` when the coordinator no longer waits."""
    if not is_wanted():
        raise UnwantedError("the coordinator no longer waits for this batch")


def _leave_rest(worker: WorkerProcess, work: _Work) -> None:
    """Return the tasks behind the present one to the coordinator."""
    if len(worker.outstanding) > 1:
        for waiting in worker.take_back():
            work.leave(waiting)


def _report(position: int, outcome: Outcome, detail: str) -> Report:
    costs = (outcome.wall, outcome.cpu, outcome.memory)
    fields = (outcome.status.value, outcome.reason, detail)
    return Report(position, *fields, *costs, limits=outcome.limits)


def _wait(worker: WorkerProcess, timeout: float) -> tuple[list[Message], bool]:
    """Return messages of a process, waiting up to `timeout` seconds for the first."""
    poll = select.poll()
    poll.register(worker.read_fd, select.POLLIN)
    if worker.has_mail:
        poll.register(worker.write_fd, select.POLLOUT)
    ready = poll.poll(max(timeout, 0.0) * 1000)
    if worker.has_mail:
        worker.flush()
    if any(fd == worker.read_fd for fd, _ in ready):
        return worker.receive()
    return [], True

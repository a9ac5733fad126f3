"""What the engine does with workers that end while it listens to all of them."""

from __future__ import annotations

import selectors
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dagathlon.errors import DagathlonError
from dagathlon.study.engine.process import WorkerProcess
from dagathlon.study.engine.supervisor import Supervisor
from dagathlon.study.engine.watch import PostMortem
from dagathlon.study.engine.workers import Workers
from dagathlon.study.plan.task import Limits, Outcome


class Dying:
    """A worker with mail to come that has closed its own end."""

    has_mail = True
    written = False

    def receive(self) -> tuple[list[Any], bool]:
        return [], False

    def flush(self) -> None:
        self.written = True


def test_nothing_is_written_to_a_worker_that_was_just_dismissed() -> None:
    """Both pipes of a worker can be ready at once: it has died, and there was mail for it."""
    worker = Dying()
    pipes = [
        (SimpleNamespace(data=worker, fd=3, events=selectors.EVENT_READ), selectors.EVENT_READ),
        (SimpleNamespace(data=worker, fd=4, events=selectors.EVENT_WRITE), selectors.EVENT_WRITE),
    ]
    workers = cast(Any, object.__new__(Workers))
    workers.workers = [worker]
    workers._selector = SimpleNamespace(
        select=lambda timeout: pipes, get_map=lambda: {key.fd: key for key, _ in pipes}
    )
    for mail in workers.wait(0):
        assert mail.worker is worker
        workers.workers.remove(worker)
    assert not worker.written


class Recording(Supervisor):
    """Keeps what is concluded of a worker."""

    concluded: tuple[int, str] | None = None

    def limits_of(self, position: int) -> Limits | None:
        return None

    def dismiss(self, worker: WorkerProcess) -> int:
        return -9

    def conclude(self, worker: WorkerProcess, position: int, outcome: Outcome | None) -> None:
        self.concluded = position, "" if outcome is None else outcome.reason

    def requeue(self, position: int, outcome: Outcome) -> None:
        raise AssertionError(position)

    def cannot_start(self, tail: str) -> DagathlonError:
        raise AssertionError(tail)


@pytest.mark.parametrize("present", [4, 5, -1])
def test_garbage_is_of_the_first_task_without_a_report(present: int) -> None:
    """The worker may have gone on to the next one before the engine heard it."""
    worker = SimpleNamespace(garbled=True, cut_off=False, is_up=True, outstanding={4: 0.1, 5: 0.1})
    worker.present = lambda: (present, 1.0)
    worker.check_end, worker.tail = lambda: None, lambda: ""
    supervisor = Recording(PostMortem())
    supervisor.replace(cast(WorkerProcess, worker))
    reason = "it wrote to file descriptors that are not its own"
    assert supervisor.concluded == (4, reason)

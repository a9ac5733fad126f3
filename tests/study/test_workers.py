"""What the engine does with workers that end while it listens to all of them."""

from __future__ import annotations

import selectors
from types import SimpleNamespace
from typing import Any, cast

from dagathlon.study.engine.workers import Workers


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

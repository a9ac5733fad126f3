"""The set of workers of a local engine, with start, end and replacement."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, Self

from dagathlon.processes.usage import KILLS
from dagathlon.study.engine.messages import Message
from dagathlon.study.engine.process import Guardian, WorkerProcess
from dagathlon.study.engine.resources import Machine
from dagathlon.study.engine.watch import PostMortem
from dagathlon.study.plan.task import Resources
from dagathlon.study.store.objects import Objects

MAX_FAILED_STARTS = 3
"""Number of workers in a row that fail to start after which the run ends."""
_MAX_KILLED_STARTS = 20  # the same for workers killed by a signal from outside


class Mail(NamedTuple):
    """Messages of a worker; `is_over` after the last."""

    worker: WorkerProcess
    messages: list[Message]
    is_over: bool


class Workers:
    """The live workers; leaving the context ends them all.

    Parameters
    ----------
    objects
        The files of large inputs.
    scratch
        Folder in which each worker gets a working folder.
    machine
        Cores and cards to allocate to workers.
    """

    def __init__(self, objects: Objects, scratch: Path, machine: Machine) -> None:
        self._folder = objects.folder
        self._machine = machine
        self._scratch = scratch
        self._selector = selectors.DefaultSelector()
        self.post_mortem = PostMortem()
        self.workers: list[WorkerProcess] = []

    def __enter__(self) -> Self:
        self._guardian = Guardian()
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self.workers:
            worker.kill()
        for worker in list(self.workers):
            self.dismiss(worker)
            worker.close()
        self._guardian.dismiss()
        self._selector.close()

    def hire(self, shape: int, wanted: Resources) -> WorkerProcess:
        """Start a worker for tasks of a shape; the machine must have room for it."""
        share = self._machine.take(wanted)
        worker = WorkerProcess(self._folder, self._scratch, self._guardian, shape, share)
        self._selector.register(worker.read_fd, selectors.EVENT_READ, worker)
        self.workers.append(worker)
        return worker

    def make_room(self, wanted: Resources, useless: Sequence[WorkerProcess]) -> bool:
        """Free resources for one more worker, ending idle ones if need be; return success."""
        leaving: list[WorkerProcess] = []
        for worker in useless:
            if self._machine.fits(wanted, [each.share for each in leaving]):
                break
            leaving.append(worker)
        if not self._machine.fits(wanted, [each.share for each in leaving]):
            return False
        for worker in leaving:
            self.dismiss(worker)
            worker.close()
        return True

    def dismiss(self, worker: WorkerProcess) -> tuple[int, list[Message]]:
        """End a worker; return its exit code (or minus the signal) and last messages."""
        worker.kill()
        code = worker.wait()
        messages, _ = worker.receive()
        self._selector.unregister(worker.read_fd)
        with contextlib.suppress(KeyError):
            self._selector.unregister(worker.write_fd)
        self.workers.remove(worker)
        self._machine.give_back(worker.share)
        return code, messages

    def wait(self, timeout: float) -> Iterator[Mail]:
        """Yield messages of workers, waiting up to `timeout` seconds for the first."""
        self._watch_full_pipes()
        for key, events in self._selector.select(max(timeout, 0.0)):
            worker = key.data
            if worker is None:
                os.read(key.fd, 4096)
            elif worker not in self.workers:
                continue  # dismissed for what it said a moment ago: its pipes are closed by now
            elif events & selectors.EVENT_WRITE:
                worker.flush()
            else:
                messages, is_open = worker.receive()
                yield Mail(worker, messages, not is_open)

    def _watch_full_pipes(self) -> None:
        writing = {key.data for key in self._selector.get_map().values() if key.events & 2}
        for worker in self.workers:
            if worker.has_mail and worker not in writing:
                self._selector.register(worker.write_fd, selectors.EVENT_WRITE, worker)
            elif not worker.has_mail and worker in writing:
                self._selector.unregister(worker.write_fd)

    @contextmanager
    def stoppable(self, stop: Callable[[], None]) -> Iterator[None]:
        """Context manager: SIGINT and SIGTERM call `stop` and wake the loop up."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        self._selector.register(reader, selectors.EVENT_READ, None)
        before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        try:
            with on_signals(stop):
                yield
        finally:
            signal.set_wakeup_fd(before)
            self._selector.unregister(reader)
            os.close(reader)
            os.close(writer)


def most_failed_starts(code: int) -> int:
    """Return how many failed starts in a row end the run, given the last exit code."""
    return _MAX_KILLED_STARTS if -code in KILLS else MAX_FAILED_STARTS


@contextmanager
def on_signals(stop: Callable[[], None]) -> Iterator[None]:
    """Context manager: SIGINT and SIGTERM call `stop`."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    asked = (signal.SIGINT, signal.SIGTERM)
    handlers = {each: signal.signal(each, lambda *_: stop()) for each in asked}
    try:
        yield
    finally:
        for each, handler in handlers.items():
            signal.signal(each, handler)

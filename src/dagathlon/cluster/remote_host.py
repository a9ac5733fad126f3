"""A worker's machine during a run: its guarded processes and its cache."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from dagathlon.cluster.cache import Cache
from dagathlon.cluster.guarded_worker import GuardedWorker, check_wanted
from dagathlon.cluster.messages import Batch, Reply
from dagathlon.study.engine.process import Guardian, WorkerProcess
from dagathlon.study.engine.resources import Machine, Share
from dagathlon.study.engine.watch import PostMortem
from dagathlon.study.plan.task import Resources

_IDLE = 20.0
_FORGOTTEN = 900.0
_ROUND = 2.0
_ASK = 0.5
_LAST_WORDS = 10.0
_PART_OF_DISK = 0.5


class RemoteHost:
    """The guarded workers on one machine, which share its cores, cards and cache.

    Parameters
    ----------
    folder
        A folder of its own.
    machine
        The cores and cards of the worker.
    variables
        Further environment variables of processes.
    """

    def __init__(self, folder: Path, machine: Machine, variables: Mapping[str, str]) -> None:
        self._folder = folder
        self._machine = machine
        self._variables = dict(variables)
        self._scratch = folder / "scratch"
        self._scratch.mkdir(parents=True, exist_ok=True)
        self.cache = Cache(folder / "inputs", int(shutil.disk_usage(folder).free * _PART_OF_DISK))
        # A process dies with the thread that started it: this one lives as long as the remote.
        self._nursery = ThreadPoolExecutor(1, thread_name_prefix="dagathlon-nursery")
        self._guardian: Guardian | None = None
        self._post_mortem = PostMortem()
        self._changed = threading.Condition()
        self._idle: dict[Share, list[GuardedWorker]] = {}
        self._queue: list[object] = []
        self._busy = 0
        self._used = time.monotonic()
        self._over = threading.Event()
        threading.Thread(target=self._end_idle, name="dagathlon-tidy", daemon=True).start()

    @property
    def is_closed(self) -> bool:
        """Whether it is closed and runs no more batches."""
        return self._over.is_set()

    def carry_out(self, batch: Batch, is_wanted: Callable[[], bool]) -> Reply:
        """Run a batch; wait until its cores and cards are free."""

        def is_still_wanted() -> bool:
            return not self.is_closed and is_wanted()

        with self._share(batch.resources, is_still_wanted) as share:
            worker = self._worker(share, batch.shared)
            try:
                return worker.do(batch, is_still_wanted)
            finally:
                with self._changed:
                    self._idle.setdefault(share, []).append(worker)
                    if self.is_closed:
                        worker.close()

    def close(self) -> None:
        """End all processes and remove the folder; running batches raise `UnwantedError`."""
        with self._changed:
            if self.is_closed:
                return
            self._over.set()
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._busy, _LAST_WORDS)
            workers = [worker for workers in self._idle.values() for worker in workers]
            self._idle.clear()
        for worker in workers:
            worker.close()
        self._nursery.submit(self._dismiss).result()
        self._nursery.shutdown()
        shutil.rmtree(self._folder, ignore_errors=True)

    @contextmanager
    def _share(self, wanted: Resources, is_wanted: Callable[[], bool]) -> Iterator[Share]:
        """Reserve cores and cards, first come first served, so that none is starved."""
        ticket = object()
        with self._changed:
            self._queue.append(ticket)
            try:
                while self._queue[0] is not ticket or not self._machine.fits(wanted):
                    check_wanted(is_wanted)
                    self._changed.wait(_ASK)
                share = self._machine.take(wanted)
            finally:
                self._queue.remove(ticket)
                self._changed.notify_all()
            self._busy += 1
        try:
            yield share
        finally:
            with self._changed:
                self._busy -= 1
                self._used = time.monotonic()
                self._machine.give_back(share)
                self._changed.notify_all()

    def _worker(self, share: Share, shared: bytes) -> GuardedWorker:
        """Return a worker with that share: by shared data, else any idle one, else a new one."""
        with self._changed:
            workers = self._idle.get(share, [])
            for worker in workers:
                if worker.shared == shared:
                    workers.remove(worker)
                    return worker
            if workers:
                return workers.pop()

        def hire() -> WorkerProcess:
            return self._nursery.submit(self._hire, share).result()

        return GuardedWorker(hire, self.cache, self._post_mortem)

    def _hire(self, share: Share) -> WorkerProcess:
        check_wanted(lambda: not self.is_closed)
        if self._guardian is None:
            self._guardian = Guardian()
        folder = self.cache.objects.folder
        return WorkerProcess(
            folder, self._scratch, self._guardian, 0, share, variables=self._variables
        )

    def _dismiss(self) -> None:
        if self._guardian is not None:
            self._guardian.dismiss()
            self._guardian = None

    def _end_idle(self) -> None:
        """End processes that have been idle for a while, and a host that is no longer used."""
        while not self._over.wait(_ROUND):
            now = time.monotonic()
            with self._changed:
                lazy = [
                    worker
                    for workers in self._idle.values()
                    for worker in workers
                    if now - worker.since > _IDLE
                ]
                for workers in self._idle.values():
                    workers[:] = [worker for worker in workers if worker not in lazy]
                forgotten = not self._busy and now - self._used > _FORGOTTEN
            for worker in lazy:
                worker.close()
            if forgotten:
                self.close()

"""Autoscaling of a started cluster: request workers, replace lost ones, release idle ones."""

from __future__ import annotations

import asyncio
import contextlib
import math
import re
import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from dagathlon.cluster.making import NewCluster
from dagathlon.cluster.settings import ClusterSettings
from dagathlon.errors import DagathlonError
from dagathlon.wording import agreeing

_LOOK = 2.0
_ASK_QUEUE = 6.0
_TOO_MANY_SECONDS = 60.0
_RETRY, _RETRY_AT_MOST = 10.0, 300.0
_EARLY_ENDS = 3
_LOG_LINES = 5
_STDERR = re.compile(r"stderr:\n(.+)", re.DOTALL)


class Autoscaler:
    """Keeps a started cluster at the wanted number of workers.

    dask's own clusters notice a worker that has gone, but ask for no other; and they do not
    notice a job that ended before its worker came up.
    """

    def __init__(
        self,
        made: NewCluster,
        settings: ClusterSettings,
        say: Callable[[str], None],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._cluster = made.cluster
        self._first = made.first
        self._most = made.workers
        self._least = settings.minimum or self._most
        self._cores = max(made.cores, 1)
        self._settings = settings
        self._say = say
        self._clock = monotonic
        self._wake = asyncio.Event()
        self._over = False
        self._failure: DagathlonError | None = None
        self._too_many_since: float | None = None
        self._known: set[Any] = set()
        self._been_up: set[Any] = set()
        self._unseen: set[str] = set()
        self._early_ends = 0
        self._not_before = 0.0
        self._next_question = 0.0
        self._told: set[str] = set()

    # What the engine calls

    def want(self, cores: int, idle: Collection[str]) -> None:
        """Set how many cores could be busy now, and which workers are idle.

        Parameters
        ----------
        cores
            More workers are requested at once; workers are released after a minute with too many.
        idle
            Addresses of workers that may be released.

        Raises
        ------
        DagathlonError
            When no worker can be started, with the reason.
        """
        if self._failure is not None:
            raise self._failure
        target = min(max(math.ceil(cores / self._cores), self._least), self._most)
        present = len(self._cluster.worker_spec)
        if target >= present:
            self._too_many_since = None
            self._ask_for(target - present)
            return
        now = self._clock()
        self._too_many_since = now if self._too_many_since is None else self._too_many_since
        if now - self._too_many_since >= _TOO_MANY_SECONDS:
            self._release(present - target, idle)

    async def begin(self) -> None:
        """Request the first workers; raise when the queue accepts none of them."""
        self._cluster.worker_spec.update(self._first)
        self._ask_for(self._least - len(self._cluster.worker_spec))
        await self._scale()

    async def tend(self) -> None:
        """Replace lost workers and scale up or down, until `end` is called."""
        while not self._over:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), _LOOK)
            self._wake.clear()
            if self._over:
                return
            try:
                await self._look()
            except DagathlonError as error:
                # Without its frames, which would keep jobs alive that the cluster has to forget.
                self._failure = error.with_traceback(None)
                return

    def end(self) -> None:
        """Stop scaling; a submission under way is finished first."""
        self._over = True
        self._wake.set()

    # More and fewer

    def _ask_for(self, number: int) -> None:
        for _ in range(number):
            self._cluster.worker_spec.update(self._cluster.new_worker_spec())
        if number > 0:
            self._wake.set()

    def _release(self, number: int, idle: Collection[str]) -> None:
        """Release workers: first those waiting in the queue, then idle ones."""
        up = self._connected_workers()
        waiting = [name for name in self._cluster.worker_spec if name not in up.values()]
        free = [up[address] for address in idle if address in up]
        given_up = [*waiting, *free][:number]
        for name in given_up:
            self._cluster.worker_spec.pop(name, None)
        if given_up:
            self._say(f"{_workers(len(given_up))} released for lack of work")
            self._wake.set()

    def _connected_workers(self) -> dict[str, Any]:
        """Return the names of the connected workers by address."""
        workers = self._cluster.scheduler.workers
        return {address: state.name for address, state in workers.items()}

    # Looking after them

    async def _look(self) -> None:
        up = set(self._connected_workers().values())
        if up - self._been_up:
            self._been_up |= up
            self._early_ends = 0
        if self._settings.manager.has_jobs:
            await self._bury(up)
        self._rename_replacements()
        spec, workers = set(self._cluster.worker_spec), set(self._cluster.workers)
        if workers - spec or (spec - workers and self._clock() >= self._not_before):
            await self._scale()

    def _rename_replacements(self) -> None:
        """Give replacements new names: dask may apply a late exit of the old worker to its name."""
        spec = self._cluster.worker_spec
        lost = [name for name in spec if name in self._known and name not in self._cluster.workers]
        if lost:
            self._say(f"{_workers(len(lost))} lost; asking for as many again")
        for name in lost:
            self._known.discard(name)
            if self._cluster.new_spec:
                spec.update(self._cluster.new_worker_spec())
                del spec[name]

    async def _scale(self) -> None:
        """Scale the cluster to its specification."""
        before = set(self._cluster.workers)
        try:
            await self._cluster
        except Exception as error:  # whatever a manager may raise
            self._drop_refused_jobs()
            self._refused(manager_error(error))
        new = [name for name in self._cluster.workers if name not in before]
        self._known.update(new)
        jobs = [str(getattr(self._cluster.workers[name], "job_id", "") or "") for name in new]
        if any(jobs):
            word = agreeing(len(jobs), "job", "jobs")
            numbers = sorted(filter(None, jobs), key=lambda job: (len(job), job))
            self._say(f"submitted {len(jobs)} {word}: {', '.join(numbers)}")

    def _drop_refused_jobs(self) -> None:
        """Remove jobs that the queue refused from dask's records, to submit them again."""
        for name, job in list(self._cluster.workers.items()):
            if job.status.name == "created":
                self._forget(name)

    def _forget(self, name: Any) -> None:
        """Mark a job that no longer exists as failed, since dask polls all that it made."""
        job = self._cluster.workers.pop(name)
        job.status = type(job.status).failed

    def _refused(self, reason: str) -> None:
        if not self._cluster.workers and not self._been_up:
            raise DagathlonError(f"{self._settings.kind}: no worker could be started: {reason}")
        if reason not in self._told:
            self._told.add(reason)
            self._say(
                f"{self._settings.kind}: a worker could not be started, trying again: {reason}"
            )
        self._not_before = self._clock() + _RETRY

    # Jobs that ended before their worker came up

    async def _bury(self, up: Collection[Any]) -> None:
        waiting = {
            name: job
            for name, job in self._cluster.workers.items()
            if name not in up and name not in self._been_up and job.job_id
        }
        now = self._clock()
        if not waiting or now < self._next_question:
            return
        self._next_question = now + _ASK_QUEUE
        living = await self._live_jobs()
        for name, job in waiting.items():
            if living is None or job_number(job.job_id) in living:
                self._unseen.discard(job.job_id)
            elif job.job_id not in self._unseen:
                self._unseen.add(job.job_id)  # a queue may take a moment to show a job
            else:
                self._ended_early(name, job.job_id)

    async def _live_jobs(self) -> set[str] | None:
        """Return numbers of our waiting and running jobs; None if the queue does not answer."""
        try:
            process = await asyncio.create_subprocess_exec(
                *self._settings.manager.living,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
            )
            out, _ = await process.communicate()
        except OSError:
            return None
        if process.returncode:
            return None
        return {job_number(line) for line in out.decode(errors="replace").splitlines()}

    def _ended_early(self, name: Any, job_id: str) -> None:
        self._forget(name)
        self._early_ends += 1
        wait = min(_RETRY * 2**self._early_ends, _RETRY_AT_MOST) if self._been_up else 0.0
        self._not_before = self._clock() + wait
        words = self._last_words(job_id)
        text = f"job {job_id} ended before its worker came up{words}"
        if self._early_ends >= _EARLY_ENDS and not self._been_up:
            raise DagathlonError(f"{self._settings.kind}: {text}; so did those before it")
        self._say(text)

    def _last_words(self, job_id: str) -> str:
        if not self._settings.log_folder:
            return ""
        lines: list[str] = []
        for path in sorted(Path(self._settings.log_folder).glob(f"*{job_number(job_id)}*")):
            with contextlib.suppress(OSError):
                lines += path.read_text(encoding="utf-8", errors="replace").splitlines()
        tail = [line.strip() for line in lines if line.strip()][-_LOG_LINES:]
        where = f"; its log is in {self._settings.log_folder}"
        return f"{where}: {' | '.join(tail)}" if tail else f"{where} (empty)"


def job_number(job_id: str) -> str:
    """Return the number of a job id, without suffixes that some queues add."""
    match = re.match(r"\s*(\d+)", job_id)
    return match.group(1) if match else job_id.strip()


def _workers(number: int) -> str:
    return "1 worker" if number == 1 else f"{number} workers"


def manager_error(error: Exception) -> str:
    """Return a manager's error message as one line; dask-jobqueue quotes the whole call."""
    match = _STDERR.search(str(error))
    message = match.group(1) if match else f"{error}" or type(error).__name__
    return " ".join(message.split())

"""Shared engine logic: task claims, result storage, events, run summary.

Only this side writes to the store. An engine asks it for tasks, has them performed where it likes,
and hands back the outcomes.
"""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from dagathlon.errors import StudyError
from dagathlon.processes.held_folder import remove_abandoned
from dagathlon.study.engine.data_affinity import DataAffinity
from dagathlon.study.engine.pace import Pace
from dagathlon.study.engine.private_paths import without_private_paths
from dagathlon.study.engine.protocol import (
    Began,
    Finished,
    Host,
    Note,
    OnEvent,
    Options,
    Running,
    Summary,
)
from dagathlon.study.engine.schedule import Schedule
from dagathlon.study.plan.task import Limits, Outcome, Status, Workload
from dagathlon.study.store.claims import Granted, Registration
from dagathlon.study.store.codec import Bytes
from dagathlon.study.store.machine import machine_facts
from dagathlon.study.store.objects import DamagedError, Payload, UnwritableError
from dagathlon.study.store.store import Result, Store

STOP = "stop"
"""File in the scratch folder of a run that requests a stop, from any machine."""

_PROGRESS = 1.0
_OF_THE_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO}
_ROOM = 2**16  # bytes that a disk with room takes: more than recording a failure needs
_MAX_LOSSES = 3


class Coordinator:
    """One run of a plan; a context manager that ends the run's registration.

    Parameters
    ----------
    plan, store, on_event, options
        As an engine's `run` takes them.

    Attributes
    ----------
    schedule
        States of the tasks.
    affinity
        Groups of tasks that share work.
    summary
        Counts so far.
    interrupted
        To be set when a stop is requested.
    jobs
        Number of concurrent tasks, for `status`.
    told
        Further facts for `status`, by name, such as a dashboard's address.
    scratch
        A folder of this run's own, on the disk of the store.
    """

    def __init__(self, plan: Workload, store: Store, on_event: OnEvent, options: Options) -> None:
        self._began = time.monotonic()
        self._store = store
        self.tell = on_event
        self.schedule = Schedule(plan, store, options)
        self.affinity = DataAffinity(self.schedule)
        self._pace = Pace(self.schedule.to_do)
        self.summary = Summary(stored=self.schedule.stored, partial=options.partial)
        self._registration = Registration(store)
        self.scratch: Path = self._registration.scratch
        self.interrupted = False
        self.jobs = 1
        self.told: dict[str, str] = {}
        self._at_work: tuple[Host, ...] = ()
        self._here = socket.gethostname()
        self._ended: Counter[str] = Counter()
        self._failed: Counter[str] = Counter()
        self._results: list[Result] = []
        self._finished: list[Finished] = []
        self._parked: list[int] = []
        self._losses: Counter[int] = Counter()
        self._next_progress = 0.0
        self._noted: set[str] = set()

    def __enter__(self) -> Self:
        remove_abandoned()
        try:
            self.note_host(socket.gethostname(), machine_facts())
            self.tell(Began(dict(self.schedule.to_do), _by_module(self.schedule.stored)))
            self._record_skipped()
        except BaseException:
            self._sign_off()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            try:
                self.commit()
            finally:
                self._sign_off()
        else:
            # Whatever went wrong is more to the point than a store that cannot be written.
            with contextlib.suppress(StudyError):
                self._sign_off()

    @property
    def is_going_on(self) -> bool:
        """Whether tasks remain and no stop was requested."""
        return bool(self.schedule.unfinished) and not self.interrupted

    # Handing out tasks

    def claim(self, positions: Sequence[int]) -> list[int]:
        """Claim tasks; return those that this run got. Pending results are committed first.

        Another run may be at some of them, which are tried again after `look`, or may have
        done them already.
        """
        if not positions and not self._results:
            return []
        granted = self.commit([self.schedule.tasks[i].key for i in positions])
        return [i for i in positions if self._is_granted(i, granted)]

    def _is_granted(self, position: int, granted: Granted) -> bool:
        key = self.schedule.tasks[position].key
        if key in granted.busy:
            self._parked.append(position)
            return False
        outcome = granted.known.get(key)
        if outcome is None or not outcome.settles(self.schedule.limits(position)):
            return True
        self._settle(position, outcome, self.summary.stored)
        return False

    def input_keys(self, position: int) -> tuple[bytes, ...]:
        """Keys of the results that a task reads."""
        tasks = self.schedule.tasks
        return tuple(tasks[i].key for i in tasks[position].inputs)

    def inputs(self, positions: Iterable[int]) -> dict[bytes, Payload]:
        """Return the stored results that tasks read, by key."""
        return self._store.payloads({key for i in positions for key in self.input_keys(i)})

    def has_all(self, position: int, payloads: Mapping[bytes, Payload]) -> bool:
        """Whether the store has all inputs of a task; missing ones are scheduled again."""
        for place, key in enumerate(self.input_keys(position)):
            if key not in payloads:
                self.lose(position, place, "an input is not in the store")
                return False
        return True

    def limits(self, position: int) -> Limits:
        """The limits of a task."""
        return self.schedule.limits(position)

    # Taking in results

    def note_host(self, name: str, facts: Mapping[str, Any]) -> None:
        """Store the facts of a machine that works on the run, once."""
        if name not in self._noted:
            self._noted.add(name)
            self._store.note_host(name, facts)

    def keep(self, stored: Sequence[Bytes]) -> Payload:
        """Store an encoded result given as bytes."""
        try:
            return self._store.objects.keep(stored)
        except UnwritableError as error:
            raise self._store.unwritable(error) from error

    def adopt(self, file: str, digest: bytes, size: int) -> Payload:
        """Store an encoded result given as a file on the store's disk."""
        try:
            return self._store.objects.adopt(Path(file), digest, size)
        except (UnwritableError, DamagedError) as error:
            raise self._store.unwritable(error) from error

    def no_room(self, reason: str) -> StudyError:
        """Return the error to raise when a worker found the disk full."""
        return self._store.unwritable(reason)

    def record(self, position: int, outcome: Outcome, payload: Payload | None = None) -> None:
        """Record the outcome of a task; the first outcome counts if it ran twice."""
        if self.schedule.is_open(position):
            if outcome.status in (Status.ERROR, Status.MEMORY):
                outcome = self._judged(position, outcome)
            self._ended[outcome.host] += 1
            self._failed[outcome.host] += outcome.status not in (Status.OK, Status.SKIPPED)
            self._results.append(Result(self.schedule.tasks[position], outcome, payload))
            self._settle(position, outcome, self.summary.ran)

    def _judged(self, position: int, outcome: Outcome) -> Outcome:
        """Return a failure as it is stored; raise when a full disk may have caused it.

        Programs fail in many ways without room for what they write: so do SQLite, libraries
        that map files, and processes that are killed by a signal then.
        """
        try:
            with tempfile.TemporaryFile(dir=self.scratch, buffering=0) as file:
                if file.write(bytes(_ROOM)) < _ROOM:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            if error.errno in _OF_THE_DISK:
                raise self.no_room(error.strerror or str(error)) from error
        files = [self.schedule.tasks[position].call.location]
        reason, detail = (
            without_private_paths(text, files) for text in (outcome.reason, outcome.detail)
        )
        return replace(outcome, reason=reason, detail=detail)

    def lose(self, position: int, place: int, reason: str) -> None:
        """Schedule a damaged input of a task again, a limited number of times."""
        source = self.schedule.tasks[position].inputs[place]
        self._losses[position] += 1
        if self._losses[position] > _MAX_LOSSES:
            self.record(position, Outcome(Status.ERROR, f"an input cannot be read: {reason}"))
        elif self.schedule.is_open(position):
            self.tell(Note(f"{reason}; it is computed again"))
            self._store.drop([self.schedule.tasks[source].key])
            self.schedule.reopen(position, source)
            self._record_skipped()

    def commit(
        self, wanted: Sequence[bytes] = (), progress: dict[str, Any] | None = None
    ) -> Granted:
        """Write pending results to the store, then announce them."""
        results, self._results = self._results, []
        granted = self._registration.exchange(results, wanted, progress)
        finished, self._finished = self._finished, []
        for event in finished:
            self.tell(event)
        return granted

    def look(
        self, running: Iterable[int], memory: int, hosts: Iterable[Host] | None = None
    ) -> None:
        """Report what is running and try parked tasks again; call it several times a second.

        Parameters
        ----------
        running
            Known running tasks.
        memory
            Memory of all workers, in bytes.
        hosts
            The machines at work (by default this one); numbers of finished tasks are added.
        """
        for position in self._parked:
            self.schedule.put_back(position)
        self._parked.clear()
        positions = tuple(running)
        alone = Host(self._here, self.jobs, len(positions))
        self._at_work = (alone,) if hosts is None else tuple(hosts)
        self.summary.hosts = self._hosts()
        seen = Running(positions, memory, self.summary.hosts, self.schedule.queued)
        self._pace.look(seen.at_once)
        remaining = self._pace.seconds_left()
        self.tell(replace(seen, rate=self._pace.rate, seconds_left=remaining))
        now = time.monotonic()
        if now >= self._next_progress:
            self._next_progress = now + _PROGRESS
            self.commit(progress=self._progress())
            self.interrupted |= (self.scratch / STOP).exists()

    def _settle(
        self, position: int, outcome: Outcome, counted: Counter[tuple[str, str, str]]
    ) -> None:
        self.schedule.finish(position, outcome)
        self._note(position, outcome, counted)
        self._record_skipped()

    def _record_skipped(self) -> None:
        for position, outcome in self.schedule.take_skipped():
            self._results.append(Result(self.schedule.tasks[position], outcome))
            self._note(position, outcome, self.summary.ran)

    def _note(
        self, position: int, outcome: Outcome, counted: Counter[tuple[str, str, str]]
    ) -> None:
        task = self.schedule.tasks[position]
        self.summary.count(counted, task, outcome.status)
        self._pace.finish((task.call.kind.value, task.call.module), outcome.wall)
        self._finished.append(Finished(position, task, outcome))

    def _sign_off(self) -> None:
        self.summary.seconds = time.monotonic() - self._began
        self.summary.interrupted = self.interrupted
        self.summary.hosts = self._hosts()
        self._registration.end(self._progress())

    def _hosts(self) -> tuple[Host, ...]:
        """Return present and former machines with counts of their finished and failed tasks."""
        gone = {name for name in self._ended if name} - {host.name for host in self._at_work}
        known = (*self._at_work, *(Host(name, 0) for name in sorted(gone)))
        return tuple(
            replace(host, done=self._ended[host.name], failed=self._failed[host.name])
            for host in known
        )

    def _progress(self) -> dict[str, Any]:
        remaining = self._pace.seconds_left()
        return {
            **self.summary.to_json(),
            "left": self.schedule.unfinished,
            "queued": self.schedule.queued,
            "jobs": self.jobs,
            "rate": self._pace.rate,
            "expected_end": None if remaining is None else time.time() + remaining,
            "told": self.told,
        }


def _by_module(counted: Counter[tuple[str, str, str]]) -> dict[tuple[str, str], int]:
    counts: Counter[tuple[str, str]] = Counter()
    for (_, kind, module), n in counted.items():
        counts[kind, module] += n
    return dict(counts)

"""Dispatch of tasks to the workers of a cluster, and handling of what they return."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from dagathlon.cluster.batches import Packer
from dagathlon.cluster.dask_client import DaskClient
from dagathlon.cluster.events import (
    Broken,
    Event,
    Failed,
    Gone,
    Joined,
    Opened,
    Refused,
    Returned,
)
from dagathlon.cluster.handshake import Handshake
from dagathlon.cluster.local_files import LocalFileWorker
from dagathlon.cluster.scheduling import Selection, TaskSelector
from dagathlon.cluster.worker_record import LOCAL, SentBatch, WorkerRecord
from dagathlon.errors import StudyError
from dagathlon.study.engine.coordinator import Coordinator
from dagathlon.study.engine.messages import Lost, Report
from dagathlon.study.engine.protocol import Note
from dagathlon.study.engine.resources import Machine
from dagathlon.study.plan.task import Outcome, Status
from dagathlon.study.store.objects import INLINE, DamagedError, Payload
from dagathlon.study.store.store import Store

_MAX_RETURNS = 4
_MAX_FAILURES = 6


class Dispatch:
    """The coordinator's side of a run on a cluster; leaving the context ends local tasks."""

    def __init__(self, work: Coordinator, dask_client: DaskClient, store: Store) -> None:
        self._work = work
        self._schedule = work.schedule
        self._dask_client = dask_client
        self._store = store
        self._selector = TaskSelector(work)
        self._packer = Packer(work)
        self._handshake = Handshake(work)
        self._numbers = itertools.count(1)
        self._returns: Counter[int] = Counter()
        self._local = LocalFileWorker(work.scratch / LOCAL, dask_client.put)
        self._workers = {LOCAL: WorkerRecord(LOCAL, self._handshake.here, Machine(1))}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._local.close()

    # Handing out

    def hand_out(self) -> None:
        """Send batches to all workers that have room, and commit results first."""
        while self._send_round():
            pass

    def _send_round(self) -> bool:
        """Send one round of batches; return True when other runs had claimed some of the tasks."""
        chosen: dict[int, Selection] = {}
        for each in self._selector.selections(self._workers.values()):
            number = next(self._numbers)
            wanted = self._schedule.shapes[each.shape]
            each.worker.send(number, each.positions, wanted, exclusive=each.exclusive)
            chosen[number] = each
        allowed = set(self._work.claim([i for each in chosen.values() for i in each.positions]))
        payloads = self._work.inputs(allowed)
        refused = False
        for number, each in chosen.items():
            ours = [i for i in each.positions if i in allowed and self._work.has_all(i, payloads)]
            refused |= len(ours) < len(each.positions)
            self._send(number, each, ours, payloads)
        return refused

    def _send(
        self, number: int, chosen: Selection, ours: list[int], payloads: Mapping[bytes, Payload]
    ) -> None:
        worker = chosen.worker
        if not ours:
            del worker.out[number]
            return
        arguments = (worker, number, chosen.shape, ours, payloads)
        batch, large, postponed = self._packer.pack(*arguments, patience=chosen.patience)
        for position in postponed:
            self._schedule.put_back(position)
        sent = tuple(item.position for item in batch.items)
        worker.out[number] = worker.out[number]._replace(positions=sent)
        if worker.is_local:
            self._local.send(batch)
        else:
            self._dask_client.send(worker.address, batch, large)

    # Taking in

    def take(self, event: Event) -> None:
        """Handle an event of the cluster."""
        match event:
            case Returned():
                self._take_in(event)
            case Failed():
                self._handle_failure(event)
            case Joined(address, answer):
                self._join(address, self._handshake.judge(address, answer))
            case Refused(address, reason):
                self._join(address, self._handshake.refuse(address, reason))
            case Gone(address, reason, blameless):
                self._requeue_lost(address, reason, blameless=blameless)
            case Opened():
                self._open(event)
            case Broken(reason):
                raise StudyError(reason)

    def _open(self, event: Opened) -> None:
        self._handshake.open(event.expected)
        self._work.told["scheduler"] = event.address
        if event.dashboard:
            self._work.told["dashboard"] = event.dashboard
            self._work.tell(Note(f"the dashboard of dask is at {event.dashboard}"))

    def _join(self, address: str, worker: WorkerRecord) -> None:
        self._requeue_lost(address, "it was started again", blameless=True)
        self._workers[address] = worker
        self._check_any_usable()

    def _take_in(self, event: Returned) -> None:
        worker = self._workers.get(event.address)
        out = None if worker is None else worker.out.pop(event.number, None)
        if worker is None or out is None:  # it was given up, and others do these tasks
            for path in event.files.values():
                path.unlink(missing_ok=True)
            return
        worker.recover()
        worker.memory = event.reply.memory
        kept: dict[bytes, Payload] = {}
        for report in event.reply.reports:
            self._record(worker, report, event.files, kept)
        for lost in event.reply.lost:
            self._handle_lost_input(worker, lost)
        for report in event.reply.killed:
            limits = self._work.limits(report.position)
            self._selector.losses.add(report.position, report.outcome(limits, worker.host))
        for position in event.reply.left:
            self._schedule.put_back(position)
        if event.reply.full:
            if worker.is_local:
                raise self._work.no_room(event.reply.full)
            self._mark_unusable(worker, f"its disk cannot take results ({event.reply.full})")

    def _record(
        self,
        worker: WorkerRecord,
        report: Report,
        files: Mapping[bytes, Path],
        kept: dict[bytes, Payload],
    ) -> None:
        module = self._schedule.tasks[report.position].call.module
        self._selector.note_time(module, report.wall)
        payload = None
        if report.digest:
            payload = kept.get(report.digest) or self._kept(report, files)
            kept[report.digest] = payload
            self._packer.note_holder(worker, report.digest, report.size)
        outcome = report.outcome(self._work.limits(report.position), worker.host)
        self._work.record(report.position, outcome, payload)

    def _kept(self, report: Report, files: Mapping[bytes, Path]) -> Payload:
        if report.content is not None or report.size <= INLINE:
            return Payload(report.digest, report.size, report.content)
        return self._work.adopt(str(files[report.digest]), report.digest, report.size)

    def _handle_lost_input(self, worker: WorkerRecord, lost: Lost) -> None:
        """Handle an input that a worker listed as cached does not have or cannot read."""
        key = self._work.input_keys(lost.position)[lost.place]
        payload = self._store.payloads([key]).get(key)
        self._returns[lost.position] += 1
        if payload is None or not self._is_sound(payload):
            self._work.lose(lost.position, lost.place, lost.reason)
        elif self._returns[lost.position] <= _MAX_RETURNS:
            worker.known.discard(payload.digest)
            self._schedule.put_back(lost.position)
        else:
            reason = f"an input cannot be read on {worker.host}: {lost.reason}"
            self._work.record(lost.position, Outcome(Status.ERROR, reason, host=worker.host))

    def _is_sound(self, payload: Payload) -> bool:
        """Whether the store's copy of a result is undamaged."""
        try:
            self._store.objects.read(payload)
        except DamagedError:
            return False
        return True

    def _handle_failure(self, event: Failed) -> None:
        """Handle a batch that failed on a worker which is still connected."""
        if event.here or (event.full and event.address == LOCAL):
            raise self._work.no_room(event.reason)
        worker = self._workers.get(event.address)
        out = None if worker is None else worker.out.pop(event.number, None)
        if worker is None or out is None:
            return
        worker.known.clear()  # what was on its way may not have come
        if event.damaged:
            self._make_again(out, event)
            return
        for position in out.positions:
            self._schedule.put_back(position)
        if worker.is_local:
            raise StudyError(f"files cannot be read on this machine: {event.reason}")
        if event.stranger:
            self._requeue_lost(event.address, "it was started again", blameless=False)
            self._dask_client.meet_again(event.address)
        elif event.full:
            self._mark_unusable(worker, f"its disk is full ({event.reason})")
        elif not event.again or worker.fail() > _MAX_FAILURES:
            self._mark_unusable(worker, event.reason)

    def _make_again(self, out: SentBatch, event: Failed) -> None:
        """Recompute an input of a batch that is damaged in the store."""
        for position in out.positions:
            keys = self._work.input_keys(position)
            digests = self._store.digests(keys)
            places = [i for i, key in enumerate(keys) if digests.get(key) == event.damaged]
            if places:
                self._work.lose(position, places[0], event.reason)
            else:
                self._schedule.put_back(position)

    def _mark_unusable(self, worker: WorkerRecord, reason: str) -> None:
        """Mark a worker as unusable."""
        if not worker.remark:
            worker.remark = reason
            self._work.tell(Note(f"{self._handshake.name(worker)} gets no more work: {reason}"))
            self._check_any_usable()

    def _check_any_usable(self) -> None:
        """Raise when every connected worker is unusable."""
        others = [each for each in self._workers.values() if not each.is_local]
        if (
            others
            and all(each.remark for each in others)
            and not self._handshake.more_to_come(others)
        ):
            reasons = "\n".join(dict.fromkeys(each.remark for each in others))
            raise StudyError(f"no worker of the cluster can be used:\n{reasons}")

    def _requeue_lost(self, address: str, reason: str, *, blameless: bool) -> None:
        """Requeue the tasks of a lost worker, except those that were lost too often."""
        worker = self._workers.pop(address, None)
        self._packer.forget_worker(address)
        if worker is None:
            return
        outs = list(worker.out.values())
        if blameless:
            for position in (each for out in outs for each in out.positions):
                self._schedule.put_back(position)
        if worker.out:
            name, given = self._handshake.name(worker), f"{worker.given:,}"
            self._work.tell(Note(f"{name} is lost, {reason}; tasks that go elsewhere: {given}"))
        for out in [] if blameless else outs:
            self._blame(out, worker.host)

    def _blame(self, out: SentBatch, host: str) -> None:
        """Requeue tasks of a lost worker; record those that were lost too often as failed."""
        losses = self._selector.losses
        for position in out.positions:
            counts = out.exclusive or not losses.is_dangerous(position)
            limits = self._work.limits(position)
            outcome = Outcome(Status.ERROR, "its worker was lost", limits=limits, host=host)
            losses.add(position, outcome, counts=counts)

    # Telling

    def look(self) -> None:
        """Report hosts and running tasks."""
        workers = list(self._workers.values())
        self._skip_impossible(workers)
        running = [
            position
            for worker in workers
            for out in list(worker.out.values())[: worker.machine.cores]
            for position in out.positions[:1]
        ]
        self._check_any_usable()
        hosts = self._handshake.hosts(workers)
        self._work.jobs = sum(host.workers for host in hosts)
        self._work.look(running, sum(worker.memory for worker in workers), hosts)
        given = sum(worker.busy for worker in workers)
        idle = [each.address for each in workers if not each.out and not each.is_local]
        self._dask_client.demand(self._selector.cores_of_use(given, self._schedule.queued), idle)
        self._handshake.remind(workers)

    def _skip_impossible(self, workers: Sequence[WorkerRecord]) -> None:
        """Skip tasks for which no worker has the cards or modules, once all workers have joined."""
        remote = [each for each in workers if not each.is_local]
        others = [each for each in remote if not each.remark]
        more = self._handshake.more_to_come(remote)
        for shape, _ in enumerate(self._schedule.shapes if others else ()):
            while self._schedule.n_ready(shape):
                objection = self._selector.objection(others, shape)
                if objection and more:
                    self._handshake.tell_once(f"some tasks wait for workers to come: {objection}")
                if not objection or more:
                    break
                self._work.record(self._schedule.pop(shape), Outcome(Status.SKIPPED, objection))

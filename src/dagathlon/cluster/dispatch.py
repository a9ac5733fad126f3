"""Handing out tasks to a fleet, and what is made of what comes back."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from dagathlon.cluster.batches import Packer
from dagathlon.cluster.dask_client import Fleet
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
from dagathlon.cluster.local_files import Home
from dagathlon.cluster.meeting import Meeting
from dagathlon.cluster.scheduling import Choosing, Chosen
from dagathlon.cluster.worker_record import HOME, Out, Station
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
    """The coordinator's side of a run on a fleet; leaving the context ends what runs at home.

    Parameters
    ----------
    work
        The run.
    fleet
        The workers.
    store
        Where results are looked up.
    """

    def __init__(self, work: Coordinator, fleet: Fleet, store: Store) -> None:
        self._work = work
        self._schedule = work.schedule
        self._fleet = fleet
        self._store = store
        self._choosing = Choosing(work)
        self._packer = Packer(work)
        self._meeting = Meeting(work)
        self._numbers = itertools.count(1)
        self._returns: Counter[int] = Counter()
        self._home = Home(work.scratch / HOME, fleet.put)
        self._stations = {HOME: Station(HOME, self._meeting.here, Machine(1))}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._home.close()

    # Handing out

    def hand_out(self) -> None:
        """Give work to all who have room; results are in the store before anything reads them."""
        while self._round():
            pass

    def _round(self) -> bool:
        """True when another run was ahead of us with some of it, so that there is still room."""
        chosen: dict[int, Chosen] = {}
        for each in self._choosing.for_all(self._stations.values()):
            number = next(self._numbers)
            wanted = self._schedule.shapes[each.shape]
            each.station.send(number, each.positions, wanted, exclusive=each.exclusive)
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
        self, number: int, chosen: Chosen, ours: list[int], payloads: Mapping[bytes, Payload]
    ) -> None:
        station = chosen.station
        if not ours:
            del station.out[number]
            return
        told = (station, number, chosen.shape, ours, payloads)
        batch, large, left = self._packer.pack(*told, patience=chosen.patience)
        for position in left:
            self._schedule.put_back(position)
        sent = tuple(errand.position for errand in batch.errands)
        station.out[number] = station.out[number]._replace(positions=sent)
        if station.is_home:
            self._home.send(batch)
        else:
            self._fleet.send(station.address, batch, large)

    # Taking in

    def take(self, event: Event) -> None:
        """Make something of what the fleet tells."""
        match event:
            case Returned():
                self._take_in(event)
            case Failed():
                self._fail(event)
            case Joined(address, answer):
                self._join(address, self._meeting.judge(address, answer))
            case Refused(address, reason):
                self._join(address, self._meeting.refuse(address, reason))
            case Gone(address, reason, blameless):
                self._lose(address, reason, blameless=blameless)
            case Opened():
                self._open(event)
            case Broken(reason):
                raise StudyError(reason)

    def _open(self, event: Opened) -> None:
        self._meeting.open(event.expected)
        self._work.told["scheduler"] = event.address
        if event.dashboard:
            self._work.told["dashboard"] = event.dashboard
            self._work.tell(Note(f"the dashboard of dask is at {event.dashboard}"))

    def _join(self, address: str, station: Station) -> None:
        self._lose(address, "it was started again", blameless=True)
        self._stations[address] = station
        self._check_hope()

    def _take_in(self, event: Returned) -> None:
        station = self._stations.get(event.address)
        out = None if station is None else station.out.pop(event.number, None)
        if station is None or out is None:  # it was given up, and others do these tasks
            for path in event.files.values():
                path.unlink(missing_ok=True)
            return
        station.recover()
        station.memory = event.reply.memory
        kept: dict[bytes, Payload] = {}
        for report in event.reply.reports:
            self._record(station, report, event.files, kept)
        for lost in event.reply.lost:
            self._return(station, lost)
        for report in event.reply.killed:
            limits = self._work.limits(report.position)
            self._choosing.losses.add(report.position, report.outcome(limits, station.host))
        for position in event.reply.left:
            self._schedule.put_back(position)
        if event.reply.full:
            if station.is_home:
                raise self._work.no_room(event.reply.full)
            self._put_aside(station, f"its disk cannot take results ({event.reply.full})")

    def _record(
        self,
        station: Station,
        report: Report,
        files: Mapping[bytes, Path],
        kept: dict[bytes, Payload],
    ) -> None:
        module = self._schedule.tasks[report.position].call.module
        self._choosing.took(module, report.wall)
        payload = None
        if report.digest:
            payload = kept.get(report.digest) or self._kept(report, files)
            kept[report.digest] = payload
            self._packer.made_at(station, report.digest, report.size)
        outcome = report.outcome(self._work.limits(report.position), station.host)
        self._work.record(report.position, outcome, payload)

    def _kept(self, report: Report, files: Mapping[bytes, Path]) -> Payload:
        if report.content is not None or report.size <= INLINE:
            return Payload(report.digest, report.size, report.content)
        return self._work.adopt(str(files[report.digest]), report.digest, report.size)

    def _return(self, station: Station, lost: Lost) -> None:
        """A worker does not have an input that it was believed to have, or cannot read it."""
        key = self._work.input_keys(lost.position)[lost.place]
        payload = self._store.payloads([key]).get(key)
        self._returns[lost.position] += 1
        if payload is None or not self._is_sound(payload):
            self._work.lose(lost.position, lost.place, lost.reason)
        elif self._returns[lost.position] <= _MAX_RETURNS:
            station.known.discard(payload.digest)
            self._schedule.put_back(lost.position)
        else:
            reason = f"an input cannot be read on {station.host}: {lost.reason}"
            self._work.record(lost.position, Outcome(Status.ERROR, reason, host=station.host))

    def _is_sound(self, payload: Payload) -> bool:
        """Whether our own copy of a result is as it was."""
        try:
            self._store.objects.read(payload)
        except DamagedError:
            return False
        return True

    def _fail(self, event: Failed) -> None:
        """A batch did not come back from a worker that is there."""
        if event.here or (event.full and event.address == HOME):
            raise self._work.no_room(event.reason)
        station = self._stations.get(event.address)
        out = None if station is None else station.out.pop(event.number, None)
        if station is None or out is None:
            return
        station.known.clear()  # what was on its way may not have come
        if event.damaged:
            self._make_again(out, event)
            return
        for position in out.positions:
            self._schedule.put_back(position)
        if station.is_home:
            raise StudyError(f"files cannot be read on this machine: {event.reason}")
        if event.stranger:
            self._lose(event.address, "it was started again", blameless=False)
            self._fleet.meet_again(event.address)
        elif event.full:
            self._put_aside(station, f"its disk is full ({event.reason})")
        elif not event.again or station.fail() > _MAX_FAILURES:
            self._put_aside(station, event.reason)

    def _make_again(self, out: Out, event: Failed) -> None:
        """An input of a batch is damaged in the store itself."""
        for position in out.positions:
            keys = self._work.input_keys(position)
            digests = self._store.digests(keys)
            places = [i for i, key in enumerate(keys) if digests.get(key) == event.damaged]
            if places:
                self._work.lose(position, places[0], event.reason)
            else:
                self._schedule.put_back(position)

    def _put_aside(self, station: Station, reason: str) -> None:
        """Give a worker no more work."""
        if not station.remark:
            station.remark = reason
            self._work.tell(Note(f"{self._meeting.name(station)} gets no more work: {reason}"))
            self._check_hope()

    def _check_hope(self) -> None:
        """Give up when all workers that are there cannot be used."""
        others = [each for each in self._stations.values() if not each.is_home]
        if (
            others
            and all(each.remark for each in others)
            and not self._meeting.more_to_come(others)
        ):
            reasons = "\n".join(dict.fromkeys(each.remark for each in others))
            raise StudyError(f"no worker of the cluster can be used:\n{reasons}")

    def _lose(self, address: str, reason: str, *, blameless: bool) -> None:
        """A worker is gone: what it had is for others, but for what was lost with it too often."""
        station = self._stations.pop(address, None)
        self._packer.gone(address)
        if station is None:
            return
        outs = list(station.out.values())
        if blameless:
            for position in (each for out in outs for each in out.positions):
                self._schedule.put_back(position)
        if station.out:
            name, given = self._meeting.name(station), f"{station.given:,}"
            self._work.tell(Note(f"{name} is lost, {reason}; tasks that go elsewhere: {given}"))
        for out in [] if blameless else outs:
            self._blame(out, station.host)

    def _blame(self, out: Out, host: str) -> None:
        """Put tasks of a lost worker back; those that it was lost with too often fail."""
        losses = self._choosing.losses
        for position in out.positions:
            counts = out.exclusive or not losses.is_dangerous(position)
            limits = self._work.limits(position)
            outcome = Outcome(Status.ERROR, "its worker was lost", limits=limits, host=host)
            losses.add(position, outcome, counts=counts)

    # Telling

    def look(self) -> None:
        """Say who is there and what is under way."""
        stations = list(self._stations.values())
        self._refuse_impossible(stations)
        running = [
            position
            for station in stations
            for out in list(station.out.values())[: station.machine.cores]
            for position in out.positions[:1]
        ]
        self._check_hope()
        crew = self._meeting.crew(stations)
        self._work.jobs = sum(host.workers for host in crew)
        self._work.look(running, sum(station.memory for station in stations), crew)
        given = sum(station.busy for station in stations)
        idle = [each.address for each in stations if not each.out and not each.is_home]
        self._fleet.demand(self._choosing.cores_of_use(given, self._schedule.queued), idle)
        self._meeting.remind(stations)

    def _refuse_impossible(self, stations: Sequence[Station]) -> None:
        """Skip tasks that no worker has the cards or modules for, once all workers are there."""
        there = [each for each in stations if not each.is_home]
        others = [each for each in there if not each.remark]
        more = self._meeting.more_to_come(there)
        for shape, _ in enumerate(self._schedule.shapes if others else ()):
            while self._schedule.n_ready(shape):
                objection = self._choosing.objection(others, shape)
                if objection and more:
                    self._meeting.tell_once(f"some tasks wait for workers to come: {objection}")
                if not objection or more:
                    break
                self._work.record(self._schedule.pop(shape), Outcome(Status.SKIPPED, objection))

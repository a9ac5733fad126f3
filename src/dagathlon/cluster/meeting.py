"""Meeting workers: who may work on a run, what each lacks, and how they are called."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterable, Sequence

from dagathlon.cluster.asking import Answer
from dagathlon.cluster.identity import identity, objections, remarks
from dagathlon.cluster.worker_record import Station
from dagathlon.study.engine.coordinator import Coordinator
from dagathlon.study.engine.execute import HANDLERS
from dagathlon.study.engine.protocol import Host, Note
from dagathlon.study.engine.resources import Machine
from dagathlon.study.engine.schedule import Schedule

_SKEW = 60.0
_GRACE = 15.0
_LITTLE = 2**30
_LONELY = 10.0


class Meeting:
    """Judges workers that come.

    Parameters
    ----------
    work
        The run.

    Attributes
    ----------
    here
        Name of the coordinator's own machine.
    """

    def __init__(self, work: Coordinator) -> None:
        self._work = work
        self._ours = identity()
        self._said: set[str] = set()
        self._opened: float | None = None
        self._expected = 0
        self.here = socket.gethostname()

    def open(self, expected: int) -> None:
        """The scheduler answers, and so many workers were asked for."""
        self._opened = time.monotonic()
        self._expected = expected

    def judge(self, address: str, answer: Answer) -> Station:
        """A worker that has introduced itself, with a remark when it cannot be used."""
        host = str(answer["host"])
        machine = Machine(int(answer["threads"]), answer["cards"])
        station = Station(address, host, machine, answer["lacking"])
        station.remark = "; ".join(objections(self._ours, answer["identity"]))
        if station.remark:
            self._tell(f"{self.name(station)} is not used: {station.remark}")
            return station
        self._work.note_host(host, answer["facts"])
        found = remarks(self._ours, answer["identity"])
        skew, room = self._skew(float(answer["clock"])), _room(answer.get("free_disk"))
        for remark in (*found, *skew, *room):
            self.tell_once(f"{host}: {remark}")
        for module, reason in station.lacking.items():
            self.tell_once(f"{host} gets no tasks of {module}: {reason}")
        return station

    def refuse(self, address: str, reason: str) -> Station:
        """A worker that could not introduce itself."""
        station = Station(address, _host_of(address), Machine(0))
        station.remark = f"it cannot work for this version of dagathlon ({reason})"
        if "No module named" in reason:
            station.remark += "; install the same version there as here"
        self._tell(f"{self.name(station)} is not used: {station.remark}")
        return station

    def name(self, station: Station) -> str:
        """What a person calls a worker."""
        return f"the worker {station.address} on {station.host}"

    def crew(self, stations: Iterable[Station]) -> list[Host]:
        """The machines that work on the run; how much each has done the coordinator knows."""
        found: dict[str, Host] = {}
        for each in stations:
            before = found.get(each.host, Host(each.host, 0))
            if each.is_home:
                continue
            cores = 0 if each.remark else each.machine.cores
            remark = before.remark or each.remark
            given = before.given + each.given
            found[each.host] = Host(each.host, before.workers + cores, given, remark=remark)
        return list(found.values())

    def more_to_come(self, stations: Sequence[Station]) -> bool:
        """Whether other workers may still join."""
        if self._expected:
            return len(stations) < self._expected
        return self._opened is None or time.monotonic() - self._opened < _GRACE

    def remind(self, stations: Sequence[Station]) -> None:
        """Say once that nobody works, when nobody does for long."""
        if self._opened is None or any(not (each.is_home or each.remark) for each in stations):
            return
        if time.monotonic() - self._opened > _LONELY:
            asked = f" ({self._expected} were asked for)" if self._expected else ""
            self.tell_once(f"there is no worker that can be used{asked}; the run waits for one")

    def _skew(self, clock: float) -> Iterable[str]:
        ahead = clock - time.time()
        if abs(ahead) > _SKEW:
            direction = "ahead of" if ahead > 0 else "behind"
            yield (
                f"its clock is {abs(ahead):,.0f} s {direction} ours; times of runs are not taken "
                "from it and are right all the same"
            )

    def tell_once(self, text: str) -> None:
        """Say something, but not again."""
        if text not in self._said:
            self._said.add(text)
            self._tell(text)

    def _tell(self, text: str) -> None:
        self._work.tell(Note(text))


def _room(free: int | None) -> Iterable[str]:
    if free is not None and free < _LITTLE:
        yield f"its disk has only {free / 2**20:,.0f} MB left for what is sent there"


def modules_of(schedule: Schedule) -> list[tuple[str, str, int]]:
    """Kind, name and version of the modules that the tasks still to be done ask for."""
    calls = {}
    for position, task in enumerate(schedule.tasks):
        if not task.call.location and schedule.is_to_do(position):
            calls[task.call.digest] = task.call
    found = {(HANDLERS[c.kind].section, c.module, c.version) for c in calls.values()}
    return sorted(found)


def _host_of(address: str) -> str:
    """The machine of an address such as ``tcp://10.0.0.1:4711``."""
    return address.rpartition("://")[2].rpartition(":")[0]

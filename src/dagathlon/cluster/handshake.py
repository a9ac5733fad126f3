"""The handshake with a worker's machine: what it is, whether it may work, what it lacks.

`ask` runs this file as a program (``python -m dagathlon.cluster.handshake``) on the worker's
machine, in a process like those that will run tasks. The program reads one JSON object,
``{"modules": [[kind, name, version], …], "folder": …}``, from standard input and prints one line.
Users' modules are loaded on the way, and whatever they print goes to standard error, so that the
line stands alone; `answer_of` reads it. The coordinator judges the answer (`Handshake`).
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from dagathlon.cluster.identity import identity, lacking, objections, remarks
from dagathlon.cluster.worker_record import WorkerRecord
from dagathlon.errors import DagathlonError
from dagathlon.study.engine.coordinator import Coordinator
from dagathlon.study.engine.execute import HANDLERS
from dagathlon.study.engine.protocol import Host, Note
from dagathlon.study.engine.resources import Machine, cards_here
from dagathlon.study.engine.schedule import Schedule
from dagathlon.study.store.machine import free_disk, machine_facts

Answer: TypeAlias = dict[str, Any]
MARK = "dagathlon-introduces-itself "
"""Prefix of the line with the answer."""

_PATIENCE = 120.0
_TAIL = 2000
_WRONG_QUESTION = 2
_MOST_SECONDS = 150
_SKEW = 60.0
_GRACE = 15.0
_LITTLE = 2**30
_LONELY = 10.0


class CannotAnswerError(DagathlonError):
    """Worker processes do not start on a machine, or cannot import this version."""


def ask(
    modules: Sequence[tuple[str, str, int]], variables: Mapping[str, str], folder: Path
) -> Answer:
    """Run the handshake program in a process like those that will run tasks.

    Parameters
    ----------
    modules
        Kind, name and version of the modules that tasks need.
    variables
        Environment variables by which processes find user modules.
    folder
        Folder for the files of the run.
    """
    question = json.dumps({"modules": [list(each) for each in modules], "folder": str(folder)})
    command = [sys.executable, "-m", "dagathlon.cluster.handshake"]
    try:
        done = subprocess.run(
            command,
            input=question.encode(),
            capture_output=True,
            env={**os.environ, **variables},
            cwd=folder,
            timeout=_PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise CannotAnswerError(f"a process did not start within {_PATIENCE:.0f} s") from None
    answer = answer_of(done.stdout.decode("utf-8", "replace"))
    if done.returncode or answer is None:
        errors = done.stderr.decode("utf-8", "replace")[-_TAIL:].strip()
        raise CannotAnswerError(f"the handshake process failed:\n{errors}")
    return answer


def answer_of(text: str) -> dict[str, Any] | None:
    """Parse the answer from a process's output; None when there is none."""
    for line in reversed(text.splitlines()):
        if line.startswith(MARK):
            try:
                answer = json.loads(line.removeprefix(MARK))
            except ValueError:
                return None
            return answer if isinstance(answer, dict) else None
    return None


def answer_question(question: str) -> dict[str, Any]:
    """Return the answer to a question; an unreadable question gives an ``error``."""
    try:
        asked = json.loads(question or "{}")
        calls = [(str(kind), str(name), int(version)) for kind, name, version in _modules(asked)]
        folder = str(asked.get("folder") or "")
    except (ValueError, TypeError, AttributeError) as error:
        return {"error": f"the question cannot be understood: {error}"}
    return {
        "identity": identity(),
        "lacking": lacking(calls),
        "host": socket.gethostname(),
        "facts": machine_facts(),
        "free_disk": free_disk(folder) if folder else None,
        "cards": cards_here(),
        "clock": time.time(),
    }


def _modules(asked: Any) -> Sequence[Any]:
    modules = asked.get("modules", [])
    if not isinstance(modules, list):
        raise TypeError(f"modules: expected a list, found {type(modules).__name__}")
    return modules


def main() -> int:
    """Answer the question on standard input."""
    signal.alarm(_MOST_SECONDS)  # in case a module hangs after the caller has gone
    sys.stdout.flush()
    ours = os.dup(1)
    os.dup2(2, 1)
    answer = answer_question(sys.stdin.read())
    sys.stdout.flush()
    with os.fdopen(ours, "w", encoding="utf-8") as stream:
        stream.write(f"\n{MARK}{json.dumps(answer)}\n")
    return _WRONG_QUESTION if "error" in answer else 0


class Handshake:
    """Accepts or refuses workers that join.

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
        """Note that the scheduler answers, and how many workers were requested."""
        self._opened = time.monotonic()
        self._expected = expected

    def judge(self, address: str, answer: Answer) -> WorkerRecord:
        """Return the record of a worker that answered, with a remark when it cannot be used."""
        host = str(answer["host"])
        machine = Machine(int(answer["threads"]), answer["cards"])
        worker = WorkerRecord(address, host, machine, answer["lacking"])
        worker.remark = "; ".join(objections(self._ours, answer["identity"]))
        if worker.remark:
            self._tell(f"{self.name(worker)} is not used: {worker.remark}")
            return worker
        self._work.note_host(host, answer["facts"])
        differences = remarks(self._ours, answer["identity"])
        skew, room = self._skew(float(answer["clock"])), _room(answer.get("free_disk"))
        for remark in (*differences, *skew, *room):
            self.tell_once(f"{host}: {remark}")
        for module, reason in worker.lacking.items():
            self.tell_once(f"{host} gets no tasks of {module}: {reason}")
        return worker

    def refuse(self, address: str, reason: str) -> WorkerRecord:
        """Return the record of a worker whose handshake failed."""
        worker = WorkerRecord(address, _host_of(address), Machine(0))
        worker.remark = f"it cannot run this version of dagathlon ({reason})"
        if "No module named" in reason:
            worker.remark += "; install the same version there as here"
        self._tell(f"{self.name(worker)} is not used: {worker.remark}")
        return worker

    def name(self, worker: WorkerRecord) -> str:
        """Return a worker's name for messages."""
        return f"the worker {worker.address} on {worker.host}"

    def hosts(self, workers: Iterable[WorkerRecord]) -> list[Host]:
        """Return the machines of the workers; the coordinator adds how much each has done."""
        hosts: dict[str, Host] = {}
        for each in workers:
            before = hosts.get(each.host, Host(each.host, 0))
            if each.is_local:
                continue
            cores = 0 if each.remark else each.machine.cores
            remark = before.remark or each.remark
            given = before.given + each.given
            hosts[each.host] = Host(each.host, before.workers + cores, given, remark=remark)
        return list(hosts.values())

    def more_to_come(self, workers: Sequence[WorkerRecord]) -> bool:
        """Whether more workers may still join."""
        if self._expected:
            return len(workers) < self._expected
        return self._opened is None or time.monotonic() - self._opened < _GRACE

    def remind(self, workers: Sequence[WorkerRecord]) -> None:
        """Report once that no worker can be used, after some time without any."""
        if self._opened is None or any(not (each.is_local or each.remark) for each in workers):
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
        """Emit a note unless it was emitted before."""
        if text not in self._said:
            self._said.add(text)
            self._tell(text)

    def _tell(self, text: str) -> None:
        self._work.tell(Note(text))


def _room(free: int | None) -> Iterable[str]:
    if free is not None and free < _LITTLE:
        yield f"its disk has only {free / 2**20:,.0f} MB left for what is sent there"


def modules_of(schedule: Schedule) -> list[tuple[str, str, int]]:
    """Return kind, name and version of the modules that open tasks need."""
    calls = {}
    for position, task in enumerate(schedule.tasks):
        if not task.call.location and schedule.is_to_do(position):
            calls[task.call.digest] = task.call
    modules = {(HANDLERS[c.kind].section, c.module, c.version) for c in calls.values()}
    return sorted(modules)


def _host_of(address: str) -> str:
    """Return the host of an address such as ``tcp://10.0.0.1:4711``."""
    return address.rpartition("://")[2].rpartition(":")[0]


if __name__ == "__main__":
    # Threads that a user's module has begun must not keep the answer waiting.
    code = main()
    sys.stderr.flush()
    os._exit(code)

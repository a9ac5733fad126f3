"""``--detach``: a run that continues without the terminal, as a process or a queue's job."""

from __future__ import annotations

import argparse
import contextlib
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple, Protocol

from dagathlon.cluster.coordinator_job import (
    MEMORY,
    WALLTIME,
    job_is_there,
    submit_coordinator,
)
from dagathlon.cluster.flags import EngineChoice
from dagathlon.cluster.managers import MANAGERS
from dagathlon.cluster.settings import ClusterSettings
from dagathlon.errors import DagathlonError, not_written
from dagathlon.study.store.claims import run_records
from dagathlon.study.store.results_folder import INDEX, LOGS, STORE_FOLDER, refuse_link
from dagathlon.study.store.store import Store

LOG = "run.log"
_FAILED = 1
_LOOK = 0.2
_QUEUE_LOOK = 2.0
_QUEUE_PATIENCE = 60.0
_SHOWN = 20


class _Coordinator(Protocol):
    """A detached coordinator: a process or a job."""

    @property
    def name(self) -> str:
        """The process or job in words."""

    @property
    def look(self) -> float:
        """Seconds between two polls."""

    def is_there(self) -> bool:
        """Whether it waits or runs."""


class _Process(NamedTuple):
    process: subprocess.Popen[bytes]

    @property
    def name(self) -> str:
        return f"process {self.process.pid}"

    @property
    def look(self) -> float:
        return _LOOK

    def is_there(self) -> bool:
        return self.process.poll() is None


class _Job(NamedTuple):
    settings: ClusterSettings
    number: str

    @property
    def name(self) -> str:
        return f"job {self.number}"

    @property
    def look(self) -> float:
        return _QUEUE_LOOK  # a queue answers many people

    def is_there(self) -> bool:
        return job_is_there(self.settings, self.number)


def add_detach_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of commands that can run detached."""
    parser.add_argument(
        "--detach",
        action=argparse.BooleanOptionalAction,
        help=f"go on without the terminal, with output in {LOG}; with a queue, as a job of its own",
    )


def refuse_coordinator(arguments: argparse.Namespace, chosen: EngineChoice) -> None:
    """Reject arguments for the coordinator's job where no job is submitted."""
    flags = (arguments.coordinator_memory, arguments.coordinator_walltime)
    is_job = arguments.detach is not None and _has_jobs(chosen)
    if any(flags) and not is_job:
        queues = ", ".join(kind for kind, manager in MANAGERS.items() if manager.has_jobs)
        raise DagathlonError(
            f"--coordinator-memory and --coordinator-walltime are for --detach with {queues}"
        )


def detach(arguments: argparse.Namespace, chosen: EngineChoice) -> int:
    """Start the same command detached; wait until it has begun or failed."""
    log = arguments.out / LOG
    try:
        arguments.out.mkdir(parents=True, exist_ok=True)
        refuse_link(log)
        refuse_link(arguments.out / LOGS)
        log.touch()
    except OSError as error:
        raise DagathlonError(not_written(log, error)) from None
    said_before = log.stat().st_size
    known = _latest_run(arguments.out)
    started = _start(arguments, chosen, log)
    patience = time.monotonic() + _QUEUE_PATIENCE
    while _latest_run(arguments.out) == known:
        if not started.is_there() and _latest_run(arguments.out) == known:
            return _failed(started, log, said_before)
        if isinstance(started, _Job) and time.monotonic() > patience:
            print(f"{started.name} waits; the run begins when the queue lets it", file=sys.stderr)
            break
        time.sleep(started.look)
    _tell(arguments.out, started, log)
    return 0


def _has_jobs(chosen: EngineChoice) -> bool:
    return chosen.engine in MANAGERS and MANAGERS[chosen.engine].has_jobs


def _start(arguments: argparse.Namespace, chosen: EngineChoice, log: Path) -> _Coordinator:
    words = list(arguments.words)
    words.insert(words.index("--") if "--" in words else len(words), "--no-detach")
    command = [sys.executable, "-m", "dagathlon", *words]
    if _has_jobs(chosen):
        settings = ClusterSettings(kind=chosen.engine, **chosen.settings)
        memory = chosen.coordinator.get("coordinator_memory", MEMORY)
        walltime = chosen.coordinator.get("coordinator_walltime", WALLTIME)
        return _Job(settings, submit_coordinator(settings, command, log, memory, walltime))
    with log.open("ab") as file:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    return _Process(process)


def _latest_run(out: Path) -> int:
    """Return the number of the latest run; 0 before the first."""
    folder = out / STORE_FOLDER
    if not (folder / INDEX).is_file():
        return 0
    # A store that is just being made cannot be read yet.
    with contextlib.suppress(DagathlonError), Store(folder, readonly=True) as store:
        return max((record.id for record in run_records(store)), default=0)
    return 0


def _failed(started: _Coordinator, log: Path, said_before: int) -> int:
    with log.open("rb") as file:
        file.seek(said_before)
        lines = file.read().decode(errors="replace").splitlines()
    print(*lines[-_SHOWN:], sep="\n", file=sys.stderr)
    print(f"dagathlon: {started.name} ended before the run began; see {log}", file=sys.stderr)
    return _FAILED


def _tell(out: Path, started: _Coordinator, log: Path) -> None:
    folder = shlex.quote(str(out))
    print(f"runs without this terminal: {started.name}, output in {log}")
    print(f"  dagathlon status {folder}    its progress")
    print(f"  dagathlon stop {folder}      stop it; the same command goes on later")
    if isinstance(started, _Job):
        cancel = started.settings.manager.programs[1]
        print(f"  {cancel} {started.number}    while it waits in the queue")

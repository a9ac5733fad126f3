"""``dagathlon stop``: ask a run to stop, from this machine or another."""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import time
from pathlib import Path

from dagathlon.cli._declaring import Commands, command
from dagathlon.cluster.detach import LOG
from dagathlon.errors import DagathlonError, not_written
from dagathlon.study.engine.coordinator import STOP
from dagathlon.study.store.claims import RunRecord, run_records
from dagathlon.study.store.leases import leases, place
from dagathlon.study.store.results_folder import SCRATCH, find_store, open_file
from dagathlon.study.store.store import Store
from dagathlon.wording import agreeing, counted

_STILL_RUNNING = 1
_PATIENCE = 120.0
_PATIENCE_NOW = 10.0
_LOOK = 0.2
_WAITING = "a job that still waits in a queue is cancelled there (scancel, qdel, bkill)"


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = command(
        commands,
        "stop",
        "ask the runs of a folder of results to stop, as Ctrl-C does",
        "dagathlon stop results",
        run,
    )
    parser.add_argument("folder", type=Path, help="folder of results, or the store itself")
    parser.add_argument(
        "--now",
        action="store_true",
        help=f"kill what has not stopped after {_PATIENCE_NOW:g} s, if it runs on this machine",
    )


def run(arguments: argparse.Namespace) -> int:
    """Ask all live runs to stop, and wait until they have ended."""
    with Store(_store_folder(arguments.folder), readonly=True) as store:
        asked = [record for record in run_records(store) if record.alive]
        if not asked:
            print(f"{arguments.folder}: nothing runs here; {_WAITING}")
            return 0
        for record in asked:
            _ask(store, record)
        running = _wait(store, asked, _PATIENCE_NOW if arguments.now else _PATIENCE)
        if running and arguments.now:
            _kill(store, running)
            running = _wait(store, running, _PATIENCE_NOW)
        for record in running:
            print(f"dagathlon: {_named(record)} {_advice(arguments)}", file=sys.stderr)
    return _STILL_RUNNING if running else 0


def _store_folder(folder: Path) -> Path:
    try:
        return find_store(folder)
    except DagathlonError as error:
        # A run that was detached leaves its log before the queue lets it begin.
        waiting = f"; {_WAITING}" if (folder / LOG).is_file() else ""
        raise DagathlonError(f"{error}{waiting}") from None


def _advice(arguments: argparse.Namespace) -> str:
    if arguments.now:
        return "has not stopped; it runs on another machine, and can be killed there"
    return (
        f"has not stopped yet; on its own machine dagathlon stop --now {arguments.folder} kills it"
    )


def _ask(store: Store, record: RunRecord) -> None:
    names = (SCRATCH, str(record.id), STOP)
    path = store.folder.joinpath(*names)
    try:
        os.close(open_file(store.folder, *names, flags=os.O_WRONLY | os.O_CREAT))
    except FileNotFoundError:
        return  # it has just ended
    except OSError as error:
        raise DagathlonError(not_written(path, error)) from None


def _wait(store: Store, asked: list[RunRecord], patience: float) -> list[RunRecord]:
    """Return the runs that are still alive when `patience` seconds have passed."""
    end = time.monotonic() + patience
    waiting = {record.id: record for record in asked}
    while waiting and time.monotonic() < end:
        time.sleep(_LOOK)
        for record in run_records(store):
            if record.id in waiting and not record.alive:
                print(_ended(waiting.pop(record.id), record))
    return list(waiting.values())


def _ended(before: RunRecord, after: RunRecord) -> str:
    ran = sum(row[-1] for row in after.progress.get("ran", ()))
    remaining = after.progress.get("left", 0)
    if not remaining:
        return f"{_named(before)} has ended: {counted(ran, 'task')} ran"
    done = f"{counted(ran, 'task')} ran, {remaining:,} {agreeing(remaining, 'is', 'are')} left"
    return f"{_named(before)} has stopped: {done}; the same command goes on"


def _named(record: RunRecord) -> str:
    where = f" on {record.host}" if record.host else ""
    return f"run {record.id} (process {record.pid}{where})"


def _kill(store: Store, running: list[RunRecord]) -> None:
    """Kill the processes of runs on this machine; unrecorded tasks are computed again."""
    stubborn = {record.id for record in running}
    for lease in leases(store.connection):
        if lease.run in stubborn and lease.place == place() and not lease.is_orphan:
            with contextlib.suppress(ProcessLookupError):
                os.kill(lease.pid, signal.SIGKILL)

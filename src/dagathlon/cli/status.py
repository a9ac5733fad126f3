"""``dagathlon status``: progress of a running or finished study."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from dagathlon.cli._declaring import Commands, command
from dagathlon.cli._parts import table
from dagathlon.errors import DagathlonError, terminal_text
from dagathlon.report.results import Results
from dagathlon.study.plan.task import Status
from dagathlon.study.records.display import duration
from dagathlon.study.records.file import saved_setups
from dagathlon.study.records.progress import Progress, moment, plain, since
from dagathlon.study.store.claims import RunRecord, run_records
from dagathlon.study.store.results_folder import find_store
from dagathlon.study.store.store import Store
from dagathlon.study.store.upkeep import Count, counts

_SECONDS = 2.0
_FROM_THE_TOP = "\x1b[H\x1b[J"


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = command(
        commands,
        "status",
        "show the progress of a running or finished study",
        "dagathlon status results",
        run,
    )
    parser.add_argument("folder", type=Path, help="folder of results, or the store itself")
    parser.add_argument("--json", action="store_true", help="one JSON object, for scripts")
    parser.add_argument(
        "--watch",
        type=float,
        nargs="?",
        const=_SECONDS,
        metavar="S",
        help=f"look again every S seconds (default: {_SECONDS:g}) until the run ends",
    )


class Setup(NamedTuple):
    """Progress of a setup; `words` say why it is unknown."""

    name: str
    words: str
    there: int | None = None
    planned: int | None = None
    state: str | None = None


class Seen(NamedTuple):
    """Content of a store at one moment."""

    records: list[RunRecord]
    setups: list[Setup]
    counts: list[Count]

    @property
    def is_going_on(self) -> bool:
        """Whether a run is alive."""
        return any(record.alive for record in self.records)


def run(arguments: argparse.Namespace) -> int:
    """Print the latest runs, the progress of each setup, and the store's contents."""
    seconds = arguments.watch
    if seconds is not None and not 0 < seconds < float("inf"):
        raise DagathlonError(f"--watch is a number of seconds above 0, found {seconds:g}")
    text = _json if arguments.json else _text
    seen = look(arguments.folder)
    while seconds is not None and seen.is_going_on:
        # Scripts get a line per look; who reads a pipe or a file gets one look after the other.
        begin = _FROM_THE_TOP if sys.stdout.isatty() and not arguments.json else ""
        print(f"{begin}{text(seen)}", end="\n" if arguments.json or begin else "\n\n", flush=True)
        time.sleep(seconds)
        seen = look(arguments.folder)
    print(text(seen))
    return 0


def look(folder: Path) -> Seen:
    """Read the store once."""
    with Store(find_store(folder), readonly=True) as store:
        return Seen(run_records(store), list(_setups(folder, store)), counts(store))


def _setups(folder: Path, store: Store) -> Iterator[Setup]:
    try:
        setups = saved_setups(folder)
    except DagathlonError:
        return  # the store alone, or results of an earlier version
    for setup in setups:
        try:
            standing = Results.of(setup, store).standing
        except DagathlonError as error:
            yield Setup(setup.name, str(error))
            continue
        line = f"{setup.name}: {standing.line()}"
        yield Setup(setup.name, line, standing.there, standing.planned, standing.state)


def shown_records(records: Sequence[RunRecord]) -> Sequence[RunRecord]:
    """Return the runs that are alive; without any, the latest."""
    return [record for record in records if record.alive] or records[:1]


def _text(seen: Seen) -> str:
    lines = [line for record in shown_records(seen.records) for line in _block(record)]
    lines += [setup.words for setup in seen.setups]
    return terminal_text("\n".join([*lines, "", table(*lines_of(seen.counts))]))


def _block(record: RunRecord) -> Iterator[str]:
    """Yield lines on a run's progress and hosts."""
    progress = Progress.of(record.progress)
    yield described(record)
    if record.alive and progress.hosts:
        yield from (f"{name}: {value}" for name, value in progress.told.items())
        yield progress.facts(time.time())
    header, rows = progress.host_table(record.alive)
    if rows:
        yield f"\n{table(header, rows)}\n"


def described(record: RunRecord) -> str:
    """Describe a run's progress in one line."""
    progress = Progress.of(record.progress)
    words = f"{progress.ran:,} tasks ran, {progress.stored:,} came from the store"
    if progress.left:
        words += f", {progress.left:,} are left"
    if record.alive:
        where = f"process {record.pid}" + (f" on {plain(record.host)}" if record.host else "")
        return f"running for {since(record.began, time.time())} ({where}, {progress.crew}): {words}"
    begun = moment(record.began)
    if progress.interrupted or progress.left or not progress.known:
        return f"stopped before the end (begun {begun}): {words}; run the same command to go on"
    return f"finished (begun {begun}, {duration(progress.seconds)}): {words}"


def _json(seen: Seen) -> str:
    return json.dumps(
        {
            "runs": [_run_json(record) for record in seen.records],
            "setups": [setup._asdict() for setup in seen.setups],
            "tasks": [count._asdict() for count in seen.counts],
        },
        default=str,
    )


def _run_json(record: RunRecord) -> dict[str, Any]:
    progress = Progress.of(record.progress)
    remaining = progress.seconds_left(time.time()) if record.alive else None
    facts = {name: getattr(record, name) for name in ("id", "pid", "host", "began", "ended")}
    return {**facts, "alive": record.alive, **asdict(progress), "seconds_left": remaining}


def lines_of(counts: Sequence[Count]) -> tuple[tuple[str, ...], list[tuple[str | int, ...]]]:
    """Return header and rows of the table of tasks by module and status."""
    statuses = [status.value for status in Status]
    lines: dict[tuple[str, str], dict[str, Count]] = {}
    for count in counts:
        lines.setdefault((count.kind, count.module), {})[count.status] = count
    rows: list[tuple[str | int, ...]] = []
    for (kind, module), by_status in lines.items():
        numbers = [by_status[s].number if s in by_status else 0 for s in statuses]
        ok = by_status.get(Status.OK.value)
        rows.append((plain(kind), plain(module), *numbers, f"{ok.mean_wall:.3g} s" if ok else ""))
    return ("task", "module", *statuses, "mean time"), rows

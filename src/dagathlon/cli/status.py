"""``dagathlon status``: where a running or finished study stands."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from dagathlon.cli._parts import Commands, command, table
from dagathlon.cli.store import store_folder
from dagathlon.errors import DagathlonError
from dagathlon.report.context import Results
from dagathlon.study.plan.task import Status
from dagathlon.study.store.claims import RunRecord, run_records
from dagathlon.study.store.store import Store
from dagathlon.study.store.upkeep import Count, counts
from dagathlon.study.view.display import duration
from dagathlon.study.view.saved_file import saved_setups


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = command(
        commands,
        "status",
        "show where a running or finished study stands",
        "dagathlon status results",
        run,
    )
    parser.add_argument("folder", type=Path, help="folder of results, or the store itself")


def run(arguments: argparse.Namespace) -> int:
    """Print the last runs, how much of each setup is there, and what the store holds."""
    with Store(store_folder(arguments.folder), readonly=True) as store:
        records, found = run_records(store), counts(store)
        setups = list(_standings(arguments.folder, store))
    shown = [record for record in records if record.alive] or records[:1]
    for record in shown:
        print(described(record))
    for line in setups:
        print(line)
    print()
    print(_counted(found))
    return 0


def _standings(folder: Path, store: Store) -> Iterator[str]:
    """One line per setup: how many of its runs are in."""
    try:
        setups = saved_setups(folder)
    except DagathlonError:
        return  # the store alone, or results of an earlier version
    for setup in setups:
        try:
            standing = Results.of(setup, store).standing
        except DagathlonError as error:
            yield str(error)
            continue
        yield f"{setup.name}: {standing.line()}"


def described(record: RunRecord) -> str:
    """One line: where a run stands."""
    progress = record.progress
    ran = sum(row[-1] for row in progress.get("ran", ()))
    stored = sum(row[-1] for row in progress.get("stored", ()))
    left = progress.get("left")
    counted = f"{ran:,} tasks ran, {stored:,} came from the store"
    if left:
        counted += f", {left:,} are left"
    since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(record.began))
    if record.alive:
        spent = duration(time.time() - record.began)
        jobs = progress.get("jobs", "?")
        return f"running for {spent} (process {record.pid}, {jobs} workers): {counted}"
    if progress.get("interrupted") or left or not progress:
        return f"stopped before the end (begun {since}): {counted}; run the same command to go on"
    return f"finished (begun {since}, {duration(progress.get('seconds', 0))}): {counted}"


def _counted(found: Sequence[Count]) -> str:
    return table(*lines_of(found))


def lines_of(found: Sequence[Count]) -> tuple[tuple[str, ...], list[tuple[str | int, ...]]]:
    """Header and rows of the table of tasks by module and status."""
    statuses = [status.value for status in Status]
    lines: dict[tuple[str, str], dict[str, Count]] = {}
    for count in found:
        lines.setdefault((count.kind, count.module), {})[count.status] = count
    rows: list[tuple[str | int, ...]] = []
    for (kind, module), by_status in lines.items():
        numbers = [by_status[s].number if s in by_status else 0 for s in statuses]
        ok = by_status.get(Status.OK.value)
        rows.append((kind, module, *numbers, f"{ok.mean_wall:.3g} s" if ok else ""))
    return ("task", "module", *statuses, "mean time"), rows

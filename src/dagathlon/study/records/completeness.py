"""How much of a study has been run: counts of tasks, and whether a setup is complete."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dagathlon.study.engine.protocol import Began, Event, Finished, Host, Running
from dagathlon.study.plan.task import Status, Task, TaskKind
from dagathlon.study.records.provenance import Provenance, RunState
from dagathlon.study.store.claims import run_records
from dagathlon.study.store.store import Store
from dagathlon.wording import agreeing, counted


class Standing(NamedTuple):
    """Completeness of a setup: finished and planned runs.

    Parameters
    ----------
    there
        Runs whose results are in the store.
    planned
        Runs of the setup.
    state
        Whether more will come.
    limited
        Whether only a part was asked for.
    """

    there: int
    planned: int
    state: RunState
    limited: bool = False

    @property
    def partial(self) -> bool:
        """Return whether runs are missing."""
        return self.there < self.planned

    def words(self) -> str:
        """Return the note on missing runs; empty when all are there."""
        if not self.partial:
            return ""
        runs = f"{self.there:,} of {counted(self.planned, 'run')}"
        return f"{runs} {agreeing(self.there, 'is', 'are')} in; {self._why()}"

    def line(self) -> str:
        """Return the note for a list of setups, where complete ones say so."""
        whole = "the only run is" if self.planned == 1 else f"all {self.planned:,} runs are"
        return self.words() or f"{whole} in"

    def _why(self) -> str:
        if self.state is RunState.RUNNING:
            return "the study is running"
        if self.state is RunState.INTERRUPTED:
            return "the study was interrupted, and the command that ran it goes on from there"
        if self.limited:
            return "the study was run in part only (--limit, --shard)"
        return "the results of the others are not in the store any more"


def state_of(provenance: Provenance, store: Store) -> RunState:
    """Return the state of a run that has not recorded its end."""
    if provenance.state is not RunState.RUNNING:
        return provenance.state
    mine = (
        record
        for record in run_records(store)
        if record.pid == provenance.process and record.began >= provenance.began
    )
    record = next(mine, None)
    going_on = _exists(provenance.process) if record is None else record.alive
    return RunState.RUNNING if going_on else RunState.INTERRUPTED


def _exists(process: int) -> bool:
    """Return whether the process of a run exists that has not reached the store yet."""
    try:
        os.kill(max(process, 1), 0)
    except (OSError, OverflowError):
        return False
    return True


_GROUPS = {
    TaskKind.GRAPH: "simulation",
    TaskKind.PARAMETERS: "simulation",
    TaskKind.DATA: "simulation",
    TaskKind.NOISE: "simulation",
    TaskKind.TRANSFORM: "simulation",
    TaskKind.TRUTH: "simulation",
    TaskKind.ESTIMATE: "evaluation",
    TaskKind.SCORE: "evaluation",
}


def line_of(kind: str, module: str) -> str:
    """Return the display line of a task: one per algorithm."""
    return _GROUPS.get(TaskKind(kind), module)


@dataclass
class Line:
    """Task counts of one display line."""

    total: int = 0
    done: int = 0
    failed: int = 0
    running: int = 0
    skipped: int = 0

    @property
    def ended(self) -> int:
        """Return the number of tasks with an outcome."""
        return self.done + self.failed + self.skipped

    @property
    def left(self) -> int:
        """Return the number of tasks without an outcome."""
        return self.total - self.ended


class Tally:
    """Counters of a run, updated by its events.

    Parameters
    ----------
    tasks
        The tasks of the plan, to know what a position is.

    Attributes
    ----------
    lines
        Counts by line of the display.
    running, at_once
        Tasks under way that are known by position, and how many there are in all.
    memory, hosts, queued, rate, seconds_left
        As the engine told them last (`Running`).
    """

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._tasks = tasks
        self.lines: dict[str, Line] = {}
        self.running: tuple[int, ...] = ()
        self.at_once = 0
        self.memory = 0
        self.hosts: tuple[Host, ...] = ()
        self.queued = 0
        self.rate = 0.0
        self.seconds_left: float | None = None

    def add(self, event: Event) -> None:
        """Update the counters by an event."""
        if isinstance(event, Finished):
            self._finish(event)
        elif isinstance(event, Running):
            self._run(event)
        elif isinstance(event, Began):
            self._begin(event)

    def _begin(self, event: Began) -> None:
        for (kind, module), n in event.stored.items():
            line = self._line(kind, module)
            line.total += n
            line.done += n
        for (kind, module), n in event.to_do.items():
            self._line(kind, module).total += n

    def _finish(self, event: Finished) -> None:
        call = event.task.call
        line = self._line(call.kind, call.module)
        if event.outcome.status is Status.OK:
            line.done += 1
        elif event.outcome.status is Status.SKIPPED:
            line.skipped += 1
        else:
            line.failed += 1

    def _run(self, event: Running) -> None:
        self.running, self.at_once, self.memory = event.positions, event.at_once, event.memory
        self.hosts, self.queued = event.hosts, event.queued
        self.rate, self.seconds_left = event.rate, event.seconds_left
        calls = (self._tasks[position].call for position in event.positions)
        counted = Counter(line_of(call.kind, call.module) for call in calls)
        for name, line in self.lines.items():
            line.running = counted[name]

    def _line(self, kind: str, module: str) -> Line:
        return self.lines.setdefault(line_of(kind, module), Line())

    @property
    def total(self) -> Line:
        """Return the sum of all lines."""
        whole = Line(running=self.at_once)
        for line in self.lines.values():
            whole.total += line.total
            whole.done += line.done
            whole.failed += line.failed
            whole.skipped += line.skipped
        return whole

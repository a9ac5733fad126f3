"""Counting what an engine tells, for whoever shows it."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass

from dagathlon.study.engine.protocol import Began, Event, Finished, Running
from dagathlon.study.plan.task import Status, Task, TaskKind

_WINDOW = 10.0
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
    """The line of a display that a task belongs to: each algorithm has its own."""
    return _GROUPS.get(TaskKind(kind), module)


@dataclass
class Line:
    """The tasks of one line: how many there are and where they stand."""

    total: int = 0
    done: int = 0
    failed: int = 0
    running: int = 0
    seconds: float = 0.0
    finished_now: int = 0

    @property
    def left(self) -> int:
        """Tasks without an outcome."""
        return self.total - self.done - self.failed


class Tally:
    """Where a run stands, from its events.

    Parameters
    ----------
    tasks
        The tasks of the plan, to know what a position is.
    """

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._tasks = tasks
        self.lines: dict[str, Line] = {}
        self.running: tuple[int, ...] = ()
        self.memory = 0
        self._recent: deque[tuple[float, int]] = deque()
        self._finished = 0

    def add(self, event: Event) -> None:
        """Take an event into account."""
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
        else:
            line.failed += 1
        line.seconds += event.outcome.wall
        line.finished_now += 1
        self._finished += 1

    def _run(self, event: Running) -> None:
        self.running, self.memory = event.positions, event.memory
        calls = (self._tasks[position].call for position in event.positions)
        counted = Counter(line_of(call.kind, call.module) for call in calls)
        for name, line in self.lines.items():
            line.running = counted[name]
        now = time.monotonic()
        self._recent.append((now, self._finished))
        while now - self._recent[0][0] > _WINDOW:
            self._recent.popleft()

    def _line(self, kind: str, module: str) -> Line:
        return self.lines.setdefault(line_of(kind, module), Line())

    @property
    def total(self) -> Line:
        """All lines together."""
        whole = Line()
        for line in self.lines.values():
            whole.total += line.total
            whole.done += line.done
            whole.failed += line.failed
            whole.running += line.running
        return whole

    @property
    def rate(self) -> float:
        """Tasks per second, lately."""
        if len(self._recent) < 2:
            return 0.0
        (before, first), (now, last) = self._recent[0], self._recent[-1]
        return (last - first) / (now - before) if now > before else 0.0

    def seconds_left(self) -> float | None:
        """An estimate from the mean time of each line's tasks; None while there is none.

        A line of which nothing has finished is taken to be like the rest.
        """
        finished = sum(line.finished_now for line in self.lines.values())
        if not finished:
            return None
        overall = sum(line.seconds for line in self.lines.values()) / finished
        work = 0.0
        for line in self.lines.values():
            mean = line.seconds / line.finished_now if line.finished_now else overall
            work += line.left * mean
        by_rate = self.total.left / self.rate if self.rate else 0.0
        return max(work / max(len(self.running), 1), min(by_rate, 1.0))

"""Display of a running study: bars on a terminal, lines elsewhere, a log of events on request."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any, Protocol, Self, TypeGuard

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from dagathlon.errors import StudyError, not_written, terminal_text
from dagathlon.study.engine.protocol import Began, Event, Finished, Note, Running, Summary, Writing
from dagathlon.study.plan.task import Status, Task, TaskKind, Workload
from dagathlon.study.records.causes import Skipped, causes
from dagathlon.study.records.completeness import Line, Tally
from dagathlon.study.records.hosts import crew_words, drawn_hosts, failures_by_host
from dagathlon.wording import counted


def event_json(event: Event) -> dict[str, Any]:
    """Return an event as plain data."""
    match event:
        case Began(to_do, stored):
            return {
                "event": "began",
                "to_do": [[*key, n] for key, n in to_do.items()],
                "stored": [[*key, n] for key, n in stored.items()],
            }
        case Finished(position, task, outcome):
            return {
                "event": "finished",
                "position": position,
                "key": task.key.hex(),
                "kind": task.call.kind.value,
                "module": task.call.module,
                "seed": task.seed,
                "status": outcome.status.value,
                "reason": outcome.reason,
                "wall": outcome.wall,
                "cpu": outcome.cpu,
                "memory": outcome.memory,
                "host": outcome.host,
            }
        case Running():
            return {"event": "running", **asdict(event)}
        case Note(text):
            return {"event": "note", "text": text}
        case Writing():
            return {"event": "writing"}


PLAIN_SECONDS = 10.0
_REFRESH = 0.25
_LOGGED = 1.0
_SHORT = 600.0
_WRITING = "writing tables, figures and the report"


class View(Protocol):
    """Interface of a display of counters."""

    def show(self, tally: Tally) -> None:
        """Show changed counters."""

    def note(self, text: str) -> None:
        """Show a message on a line of its own."""

    def stage(self, text: str) -> None:
        """Show that the next stage of the run has begun."""

    def figures(self, done: int, asked: int) -> None:
        """Show how many of the requested figures are finished."""

    def close(self) -> None:
        """End the display."""


class Silence:
    """Display that prints notes only."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def show(self, tally: Tally) -> None:
        """Show nothing."""

    def note(self, text: str) -> None:
        """Print the line."""
        self._console.print(f"note: {text}", style="yellow", markup=False, highlight=False)

    def stage(self, text: str) -> None:
        """Show nothing."""

    def figures(self, done: int, asked: int) -> None:
        """Show nothing."""

    def close(self) -> None:
        """Do nothing."""


class Lines(Silence):
    """Display by a line every few seconds, for logs and pipes."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self._next = time.monotonic() + PLAIN_SECONDS

    def show(self, tally: Tally) -> None:
        """Print a line if one is due."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + PLAIN_SECONDS
            self._console.print(headline(tally), highlight=False, soft_wrap=True)

    def stage(self, text: str) -> None:
        """Print a line."""
        self._console.print(text, highlight=False, soft_wrap=True)


class Bars(Silence):
    """Display by moving bars per algorithm, for terminals."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._live.start()
        self._next = 0.0

    def show(self, tally: Tally) -> None:
        """Redraw the bars a few times a second."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _REFRESH
            self._live.update(drawn(tally), refresh=True)

    def stage(self, text: str) -> None:
        """Print the line in place of the bars."""
        self._live.update(Text(text), refresh=True)

    def figures(self, done: int, asked: int) -> None:
        """Show the number of finished figures, a few times a second."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _REFRESH
            self.stage(f"{_WRITING}: {done:,} of {asked:,} figures")

    def close(self) -> None:
        """Restore the terminal."""
        self._live.stop()


class Display:
    """Context manager that displays a run and its summary.

    Parameters
    ----------
    plan
        What is run.
    view
        How it is shown.
    console
        Where it is shown.
    log
        Where every event goes as a JSON object on a line, or None.
    quiet
        Whether the end says only what went wrong.
    """

    def __init__(
        self, plan: Workload, view: View, console: Console, log: IO[str] | None, *, quiet: bool
    ) -> None:
        self._tally = Tally(plan.tasks)
        self._view = view
        self._console = console
        self._log = log
        self._quiet = quiet
        self._next_running = 0.0
        self._reasons: Counter[tuple[str, str]] = Counter()
        self._stack = ExitStack()
        if log is not None:
            self._stack.callback(log.close)
        self._stack.callback(view.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def on_event(self, event: Event) -> None:
        """Handle an event of the engine."""
        self._tally.add(event)
        if _is_skipped_run(event):
            self._reasons[name_of(event.task), event.outcome.reason] += 1
        if self._log is not None and self._is_logged(event):
            self._write(self._log, event_json(event))
        if isinstance(event, Note):
            self._view.note(event.text)
        elif isinstance(event, Writing):
            if event.asked:
                self._view.figures(event.figures, event.asked)
            else:
                self._view.stage(_WRITING)
        elif isinstance(event, Running):
            self._view.show(self._tally)

    def finish(self, summary: Summary) -> None:
        """Print the summary of the run."""
        self._view.close()
        if self._log is not None:
            self._write(self._log, {"event": "end", **summary.to_json()})
        lines = failure_lines(summary, self._reasons)
        if not self._quiet or summary.interrupted:
            lines = [*closing_lines(summary), *lines]
        for line in lines:
            self._console.print(line, markup=False, highlight=False, soft_wrap=True)

    def _is_logged(self, event: Event) -> bool:
        """Return whether an event is logged: progress once a second, no figures, all others."""
        if isinstance(event, Writing) and event.asked:
            return False
        if not isinstance(event, Running):
            return True
        now = time.monotonic()
        due = now >= self._next_running
        if due:
            self._next_running = now + _LOGGED
        return due

    def _write(self, log: IO[str], record: dict[str, Any]) -> None:
        log.write(json.dumps({"time": round(time.time(), 3), **record}) + "\n")
        if record["event"] != "finished":
            log.flush()


def make_display(
    plan: Workload, quiet: bool = False, json_log: Path | None = None, moving: bool = True
) -> Display:
    """Return the display suited to the output; `moving` allows bars on a terminal."""
    console = Console(stderr=True)
    log = None
    if json_log is not None:
        try:
            log = json_log.open("w", encoding="utf-8")
        except OSError as error:
            raise StudyError(not_written(json_log, error)) from None
    view: View
    if quiet:
        view = Silence(console)
    elif moving and console.is_terminal and sys.stderr.isatty():
        view = Bars(console)
    else:
        view = Lines(console)
    return Display(plan, view, console, log, quiet=quiet)


def headline(tally: Tally) -> str:
    """Return the state of the whole run on one line."""
    whole = tally.total
    parts = [f"{whole.ended:,} of {whole.total:,} tasks"]
    if whole.failed:
        parts.append(f"{whole.failed:,} failed")
    if whole.skipped:
        parts.append(f"{whole.skipped:,} skipped")
    parts.append(f"{whole.running} running")
    if crew := crew_words(tally.hosts, tally.queued):
        parts.append(crew)
    if tally.rate:
        parts.append(f"{tally.rate:,.1f} per second")
    if tally.seconds_left is not None and whole.left:
        parts.append(f"about {duration(tally.seconds_left)} left")
    parts.append(f"{tally.memory / 2**20:,.0f} MB")
    return ", ".join(parts)


def drawn(tally: Tally) -> RenderableType:
    """Return the bars per algorithm below the headline."""
    table = Table.grid(padding=(0, 1))
    table.add_column()
    table.add_column(ratio=1)
    for _ in range(4):
        table.add_column(justify="right")
    for name, line in sorted(tally.lines.items(), key=_order):
        table.add_row(
            name,
            ProgressBar(total=max(line.total, 1), completed=line.ended, width=30),
            f"{line.ended:,}/{line.total:,}",
            Text(f"{line.failed:,} failed" if line.failed else "", style="red"),
            Text(f"{line.skipped:,} skipped" if line.skipped else "", style="yellow"),
            Text(f"{line.running} running" if line.running else "", style="cyan"),
        )
    return Group(table, *drawn_hosts(tally.hosts), Text(headline(tally)))


def _order(item: tuple[str, Line]) -> tuple[int, str]:
    name, _ = item
    return ({"simulation": 0, "evaluation": 2}.get(name, 1), name)


def duration(seconds: float) -> str:
    """Format seconds in words."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    if seconds < _SHORT:
        return f"{round(seconds) // 60} min {round(seconds) % 60} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"


def closing_lines(summary: Summary) -> list[str]:
    """Return lines on how many tasks ran or came from the store, and how to continue."""
    seconds = f"{summary.seconds:.1f} s" if summary.seconds < 60 else duration(summary.seconds)
    lines = [
        f"{counted(summary.ran.total(), 'task')} ran in {seconds}, "
        f"{summary.stored.total():,} came from the store"
    ]
    if summary.partial:
        lines.append("this was a part of the study (--limit, --shard)")
    if summary.interrupted:
        lines.append("stopped; what was finished is kept, and the same command goes on from here")
    return lines


def _is_skipped_run(event: Event) -> TypeGuard[Finished]:
    """Return whether the event skips a run itself, not a dependent of one."""
    if not isinstance(event, Finished) or event.outcome.status is not Status.SKIPPED:
        return False
    return event.task.call.kind not in (TaskKind.ESTIMATE, TaskKind.SCORE)


def name_of(task: Task) -> str:
    """Return the learner of a task; for `imputed`, the learner run on completed copies."""
    inner = task.call.values.get("learner")
    return str(inner.get("module")) if isinstance(inner, Mapping) else task.call.module


def failure_lines(summary: Summary, reasons: Mapping[tuple[str, str], int]) -> list[str]:
    """Return lines on failures by status and algorithm, skip reasons, and failing machines.

    Parameters
    ----------
    summary
        How the run went.
    reasons
        How often runs of a module were skipped in this run, by module and reason.
    """
    meaning = {
        Status.TIME: "over the time limit",
        Status.ERROR: "ended in an error",
        Status.MEMORY: "over the memory limit",
    }
    lines, skipped = [], 0
    for (status, module), n in sorted(summary.failures().items()):
        if status == Status.SKIPPED:
            skipped += n
        else:
            lines.append(f"{status}  {module}: {n:,} {meaning[Status(status)]}")
    learned = {key: n for key, n in reasons.items() if key[1]}
    reasons_found = causes(Skipped(name, name, reason, n) for (name, reason), n in learned.items())
    lines += [
        f"skipped  {cause.who}, {counted(cause.n_runs, 'run')}: {cause.words}"
        for cause in reasons_found
    ]
    earlier = skipped - sum(cause.n for cause in reasons_found)
    if earlier > 0:
        other = "other " if reasons_found else ""
        lines.append(f"skipped  {counted(earlier, f'{other}run')}, as the report says")
    return [*map(terminal_text, lines), *failures_by_host(summary.hosts)]

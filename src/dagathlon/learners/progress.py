"""Progress of a running learner: a bar if the number of steps is known, else a count of steps."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Self, TypeAlias

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

Progress: TypeAlias = Callable[[int, int], None]
PATIENCE = 2.0
"""Seconds of a run before its progress is shown."""


class Bar:
    """Context manager that shows progress on a terminal or in a notebook once a run takes long.

    Parameters
    ----------
    title
        Title of the bar: the learner's name.
    console
        Where to show it; by default standard error, if that is a terminal.
    patience
        Seconds before it appears.
    """

    def __init__(
        self, title: str, console: Console | None = None, patience: float = PATIENCE
    ) -> None:
        self._title = title
        self._console = console
        self._begin = time.monotonic()
        self._patience = patience
        self._shown: tuple[RichProgress, TaskID] | None = None
        self._silent = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown is not None:
            self._shown[0].stop()

    def __call__(self, done: int, total: int) -> None:
        """Show that `done` of `total` steps are finished; a total of 0 is unknown."""
        if self._shown is None:
            if self._silent or time.monotonic() < self._begin + self._patience:
                return
            self._shown = self._opened()
        if self._shown is not None:
            bar, task = self._shown
            bar.update(task, completed=done, total=total or None, steps=_steps(done, total))

    def _opened(self) -> tuple[RichProgress, TaskID] | None:
        # Imported here: most runs are over before anything is shown.
        from rich.console import Console  # noqa: PLC0415
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415

        console = self._console or Console(stderr=True)
        self._silent = not (console.is_terminal or console.is_jupyter)
        if self._silent:
            return None
        texts = (TextColumn("{task.description}"), TextColumn("{task.fields[steps]}"))
        columns = (texts[0], BarColumn(), texts[1], TimeElapsedColumn())
        bar = Progress(*columns, console=console, transient=True)
        task = bar.add_task(self._title, total=None, steps="")
        bar.tasks[0].start_time = bar.get_time() - (time.monotonic() - self._begin)
        bar.start()
        return bar, task


def _steps(done: int, total: int) -> str:
    if total:
        return f"{done:,} of {total:,}"
    return f"{done:,} steps" if done else ""

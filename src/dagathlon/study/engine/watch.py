"""Watching a worker process from outside: its limits, and why it ended."""

from __future__ import annotations

import signal
import time

from dagathlon.study.engine.limits import oom_kills
from dagathlon.study.engine.perform import memory_reason
from dagathlon.study.engine.process import WorkerProcess
from dagathlon.study.plan.task import Limits, Outcome, Status

_OUT_OF_MEMORY = ("bad_alloc", "MemoryError", "Cannot allocate memory", "ut of memory")
# Memory is looked at more often the nearer it is to its limit: by the time that it would take to
# get there at so many bytes per second, within bounds.
_FASTEST = 8e9
_SOONEST, LATEST = 0.01, 0.05


def overtime(limits: Limits, elapsed: float) -> Outcome | None:
    """The outcome of a task that has used up its time; None for one that has not."""
    if limits.time is None or elapsed < limits.time:
        return None
    return Outcome(Status.TIME, f"stopped after {limits.time:g} s", wall=elapsed)


def excess(worker: WorkerProcess, limits: Limits, start: float) -> tuple[Outcome | None, float]:
    """The outcome of a present task that has taken too much memory, or when to look again.

    Parameters
    ----------
    worker
        The process.
    limits
        Those of its present task.
    start
        When the clock of that task started.
    """
    if limits.memory is None:
        return None, LATEST
    taken, is_over = worker.taken(limits.memory)
    if not is_over:
        return None, min(LATEST, max((limits.memory - taken) / _FASTEST, _SOONEST))
    elapsed = time.monotonic() - start
    reason = memory_reason(limits.memory)
    return Outcome(Status.MEMORY, reason, wall=elapsed, memory=taken), LATEST


class Inquest:
    """Finds out why processes of this machine died."""

    def __init__(self) -> None:
        self._oom_kills = oom_kills()

    def cause(self, worker: WorkerProcess, code: int, limits: Limits) -> Outcome:
        """The outcome of the task at which a worker died."""
        tail = worker.tail()
        before, self._oom_kills = self._oom_kills, oom_kills()
        starved = self._oom_kills > before and code == -signal.SIGKILL
        starved |= any(text in tail for text in _OUT_OF_MEMORY)
        if starved:
            return Outcome(Status.MEMORY, memory_reason(limits.memory), tail, limits=limits)
        return Outcome(Status.ERROR, _cause_of_death(code), tail, limits=limits)


def _cause_of_death(code: int) -> str:
    if code >= 0:
        return f"it ended the worker process with exit code {code}"
    try:
        return f"killed by {signal.Signals(-code).name} ({signal.strsignal(-code)})"
    except ValueError:
        return f"killed by signal {-code}"

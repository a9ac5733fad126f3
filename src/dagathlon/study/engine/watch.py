"""Supervision of a worker process from outside: limits, and cause of death."""

from __future__ import annotations

import signal
import time
from dataclasses import replace
from typing import NamedTuple

from dagathlon.processes.usage import KILLS
from dagathlon.study.engine.limits import oom_kills
from dagathlon.study.engine.perform import memory_reason
from dagathlon.study.engine.process import WorkerProcess
from dagathlon.study.plan.task import Limits, Outcome, Status

_OUT_OF_MEMORY = ("bad_alloc", "MemoryError", "Cannot allocate memory", "ut of memory")
# Memory is looked at more often the nearer it is to its limit: by the time that it would take to
# get there at so many bytes per second, within bounds.
_FASTEST = 8e9
_STILL = "its process stopped responding"
_GARBLED = "it wrote to file descriptors that are not its own"
_CUT_OFF = "it closed file descriptors that are not its own"
_SOONEST, LATEST = 0.01, 0.05


def overtime(worker: WorkerProcess, limits: Limits, elapsed: float) -> Outcome | None:
    """Return the outcome of a present task that exceeds its time limit; else None."""
    if limits.time is not None and elapsed >= limits.time:
        reason = f"stopped after {limits.time:g} s"
        return Outcome(Status.TIME, reason, wall=elapsed, limits=replace(limits, cpu=None))
    if limits.cpu is None:
        return None
    computed = worker.computed()
    if computed < limits.cpu:
        return None
    return Outcome(
        Status.TIME,
        f"stopped after {limits.cpu:g} s of processor time",
        wall=elapsed,
        cpu=computed,
        limits=replace(limits, time=None),
    )


def excess(worker: WorkerProcess, limits: Limits, start: float) -> tuple[Outcome | None, float]:
    """Return the outcome of a task beyond its memory limit, else None, and when to recheck."""
    if limits.memory is None:
        return None, LATEST
    taken, is_over = worker.taken(limits.memory)
    if not is_over:
        return None, min(LATEST, max((limits.memory - taken) / _FASTEST, _SOONEST))
    elapsed = time.monotonic() - start
    reason = memory_reason(limits.memory)
    return Outcome(Status.MEMORY, reason, wall=elapsed, memory=taken, limits=limits), LATEST


class Death(NamedTuple):
    """Cause of death of a worker.

    Parameters
    ----------
    outcome
        Outcome of the task at which it died.
    from_outside
        Whether it may have been killed from outside, which says nothing of the task: by an
        administrator, by the kernel when memory ran out, by an engine that it did not answer.
    """

    outcome: Outcome
    from_outside: bool


class PostMortem:
    """Determines why processes of this machine died."""

    def __init__(self) -> None:
        self._oom_kills = oom_kills()

    def cause(
        self, worker: WorkerProcess, code: int, limits: Limits, *, still: bool = False
    ) -> Death:
        """Return how a worker died.

        It has ended of its own accord or by a signal that we did not send, has sent what is
        no message, or stood still, so that we ended it.
        """
        tail = worker.tail()
        before, self._oom_kills = self._oom_kills, oom_kills()
        if worker.garbled or worker.cut_off:
            reason = _GARBLED if worker.garbled else _CUT_OFF
            return Death(Outcome(Status.ERROR, reason, tail, limits=limits), False)
        if still:
            return Death(Outcome(Status.ERROR, _STILL, tail, limits=limits), True)
        killed = -code in KILLS
        starved = self._oom_kills > before and code == -signal.SIGKILL
        if starved or any(text in tail for text in _OUT_OF_MEMORY):
            reason = memory_reason(limits.memory)
            return Death(Outcome(Status.MEMORY, reason, tail, limits=limits), killed)
        return Death(Outcome(Status.ERROR, _cause_of_death(code), tail, limits=limits), killed)


def _cause_of_death(code: int) -> str:
    if code >= 0:
        return f"it ended the worker process with exit code {code}"
    try:
        return f"killed by {signal.Signals(-code).name} ({signal.strsignal(-code)})"
    except ValueError:
        return f"killed by signal {-code}"

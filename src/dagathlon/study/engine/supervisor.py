"""Supervision of worker processes: limits, ends and their causes, the same wherever they run."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from typing import NamedTuple

from dagathlon.errors import DagathlonError
from dagathlon.study.engine.process import WorkerProcess
from dagathlon.study.engine.watch import LATEST, PostMortem, excess, overtime
from dagathlon.study.engine.workers import most_failed_starts
from dagathlon.study.plan.task import Limits, Outcome


class Present(NamedTuple):
    """The present task of a worker.

    Parameters
    ----------
    position
        Position of its task; −1 without one.
    elapsed
        Seconds since the task's clock started; 0 while it does not run.
    due
        When its time limit is reached; infinite without one.
    """

    position: int
    elapsed: float
    due: float


class Supervisor(ABC):
    """Enforces the limits of worker processes and determines why they end.

    A subclass says where tasks, processes and outcomes come from and go to.

    Parameters
    ----------
    post_mortem
        Determines why processes of this machine died.
    """

    def __init__(self, post_mortem: PostMortem) -> None:
        self._post_mortem = post_mortem
        self._failed_starts = 0

    @abstractmethod
    def limits_of(self, position: int) -> Limits | None:
        """Return the limits of a task; None for one that the worker should not be doing."""

    @abstractmethod
    def dismiss(self, worker: WorkerProcess) -> int:
        """Kill a process and handle its last messages; return its exit code."""

    @abstractmethod
    def conclude(self, worker: WorkerProcess, position: int, outcome: Outcome | None) -> None:
        """Record the outcome of an ended worker's last task, if any; release its other tasks."""

    @abstractmethod
    def requeue(self, position: int, outcome: Outcome) -> None:
        """Return a task whose worker was killed from outside; `outcome` counts if that recurs."""

    @abstractmethod
    def cannot_start(self, tail: str) -> DagathlonError:
        """Return the error of workers that repeatedly end before their first task."""

    def enforce_time(self, worker: WorkerProcess) -> Present | None:
        """Return what a worker does; None after ending one that is dead, stuck or out of time."""
        worker.bound_output()
        ended = worker.has_ended()
        if ended or worker.stands_still():
            self.replace(worker, still=not ended)
            return None
        position, start = worker.present()
        if position < 0 or not start:
            return Present(position, 0.0, math.inf)
        limits = self.limits_of(position)
        elapsed = time.monotonic() - start
        outcome = None if limits is None else overtime(worker, limits, elapsed)
        if limits is None or outcome is not None:
            self._end(worker, position, outcome)
            return None
        return Present(position, elapsed, math.inf if limits.time is None else start + limits.time)

    def enforce_memory(self, worker: WorkerProcess) -> float:
        """End a worker that exceeds its memory limit; return seconds to the next check."""
        position, start = worker.present()
        limits = self.limits_of(position) if position >= 0 and start else None
        if limits is None:
            return LATEST
        outcome, pause = excess(worker, limits, start)
        if outcome is not None:
            self._end(worker, position, outcome)
        return pause

    def replace(self, worker: WorkerProcess, *, still: bool = False) -> None:
        """End a worker that has died or, with `still`, is stuck; record why.

        Raises
        ------
        DagathlonError
            When workers repeatedly end before their first task.
        """
        if not still:
            worker.check_end()
        code = self.dismiss(worker)
        position, _ = worker.present()
        # Reports come in order, so that garbage is from the first task without one, whatever the
        # worker has begun since.
        silent = position < 0 and (still or worker.cut_off)
        if worker.is_up and (worker.garbled or silent):
            position = next(iter(worker.outstanding), -1)
        self._failed_starts = 0 if worker.is_up else self._failed_starts + 1
        tail, outcome = worker.tail(), None
        if position >= 0:
            limits = self.limits_of(position) or Limits()
            death = self._post_mortem.cause(worker, code, limits, still=still)
            if not death.from_outside:
                outcome = death.outcome
            elif position in worker.outstanding:
                worker.settle(position)
                self.requeue(position, death.outcome)
        self.conclude(worker, position, outcome)
        if self._failed_starts >= most_failed_starts(code):
            raise self.cannot_start(tail)

    def _end(self, worker: WorkerProcess, position: int, outcome: Outcome | None) -> None:
        self.dismiss(worker)
        self.conclude(worker, position, outcome)

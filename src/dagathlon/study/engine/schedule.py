"""Scheduling of tasks: readiness, order, and skipping dependents of failed tasks.

It knows nothing of processes, so that every engine schedules in the same way.
"""

from __future__ import annotations

import heapq
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from dagathlon.study.engine.parts import wanted_part
from dagathlon.study.engine.protocol import Options, Summary
from dagathlon.study.plan.task import (
    Limits,
    Outcome,
    Resources,
    Status,
    Task,
    Workload,
)
from dagathlon.study.store.store import Store

_CHUNK = 20_000
_LOOK_AHEAD = 64
_NO_LIMITS = Limits()


class TaskState(IntEnum):
    """State of a task in the schedule."""

    LEFT_OUT = 0
    WAITING = 1
    READY = 2
    RUNNING = 3
    DONE = 4
    FAILED = 5


class Skip(NamedTuple):
    """A task that cannot run because an input failed."""

    position: int
    outcome: Outcome


class Schedule:
    """The tasks of a plan and their states.

    Attributes
    ----------
    shapes
        What tasks need beside their time: each different `Resources`, the ordinary one first.
        Tasks of one shape form a queue.
    """

    def __init__(self, plan: Workload, store: Store, options: Options) -> None:
        self.tasks = plan.tasks
        self._limits = plan.limits
        n = len(self.tasks)
        self.state = bytearray(n)
        self.unfinished = 0
        self.stored = Summary().stored
        self.to_do: Counter[tuple[str, str]] = Counter()
        self._pending = array("i", bytes(4 * n))
        self._rank = _ranks(n, options.shuffle)
        self.shapes = list(dict.fromkeys([Resources(), *plan.resources.values()]))
        numbers = {shape: number for number, shape in enumerate(self.shapes)}
        self._shape = {i: numbers[shape] for i, shape in plan.resources.items()}
        self._ready: list[list[tuple[int, int]]] = [[] for _ in self.shapes]
        self._skipped: list[Skip] = []
        self._settle(wanted_part(self.tasks, options), store, options)
        self._starts, self._dependents = _dependents(self.tasks, self.state)

    def limits(self, position: int) -> Limits:
        """The limits of one task."""
        return self._limits.get(position, _NO_LIMITS)

    @property
    def limits_memory(self) -> bool:
        """Whether any task has a memory limit."""
        return any(limits.memory is not None for limits in self._limits.values())

    def take_skipped(self) -> list[Skip]:
        """Return and clear the tasks found to be impossible."""
        skipped, self._skipped = self._skipped, []
        return skipped

    def n_ready(self, shape: int) -> int:
        """Return the number of ready tasks of a shape."""
        queue = self._ready[shape]
        while queue and self.state[queue[0][1]] != TaskState.READY:
            heapq.heappop(queue)
        return len(queue)

    @property
    def queued(self) -> int:
        """Number of ready tasks."""
        return sum(self.n_ready(shape) for shape in range(len(self.shapes)))

    def peek(self, shape: int) -> int:
        """Return the next task of a shape; `n_ready` must be positive."""
        return self._ready[shape][0][1]

    def pop(self, shape: int) -> int:
        """Take the next task of a shape and mark it as running."""
        return self.take(self.peek(shape))

    def take(self, position: int) -> int:
        """Take a ready task; its queue entry is passed over later."""
        self.state[position] = TaskState.RUNNING
        return position

    def first_but(self, shape: int, unwanted: Callable[[int], bool], far: int = _LOOK_AHEAD) -> int:
        """Return the next wanted task among the first `far` of a shape, else the next of all."""
        queue = self._ready[shape]
        passed: list[tuple[int, int]] = []
        while queue and len(passed) < far:
            entry = heapq.heappop(queue)
            if self.state[entry[1]] == TaskState.READY:
                passed.append(entry)
                if not unwanted(entry[1]):
                    break
        for entry in passed:
            heapq.heappush(queue, entry)
        return passed[-1][1] if not unwanted(passed[-1][1]) else passed[0][1]

    def put_back(self, position: int) -> None:
        """Make a taken task ready again."""
        if self.state[position] == TaskState.RUNNING:
            self._make_ready(position)

    def is_open(self, position: int) -> bool:
        """Whether the task has no outcome yet."""
        return self.state[position] < TaskState.DONE

    def is_to_do(self, position: int) -> bool:
        """Whether the task is part of this run and has no outcome yet."""
        return TaskState.LEFT_OUT < self.state[position] < TaskState.DONE

    def finish(self, position: int, outcome: Outcome) -> None:
        """Record an outcome; release or skip dependents."""
        self.unfinished -= 1
        if outcome.status is not Status.OK:
            self.state[position] = TaskState.FAILED
            self._skip_dependents(position, outcome)
            return
        self.state[position] = TaskState.DONE
        for dependent in self.dependents_of(position):
            if self.state[dependent] == TaskState.WAITING:
                self._pending[dependent] -= 1
                if not self._pending[dependent]:
                    self._make_ready(dependent)

    def reopen(self, position: int, lost: int) -> None:
        """Schedule input `lost` again, whose stored result is unusable, then this task."""
        if self.state[lost] == TaskState.DONE:
            self.unfinished += 1
            for dependent in self.dependents_of(lost):
                if self.state[dependent] == TaskState.WAITING:
                    self._pending[dependent] += 1
            self._wait_for_inputs(lost)
        if self.state[lost] == TaskState.FAILED:
            reason = f"the result of {self.tasks[lost].call.module} was lost and not made again"
            self._skip(position, Outcome(Status.SKIPPED, reason))
        else:
            self._wait_for_inputs(position)

    def _wait_for_inputs(self, position: int) -> None:
        inputs = self.tasks[position].inputs
        self._pending[position] = sum(self.state[i] != TaskState.DONE for i in inputs)
        self.state[position] = TaskState.WAITING
        if not self._pending[position]:
            self._make_ready(position)

    def _make_ready(self, position: int) -> None:
        self.state[position] = TaskState.READY
        queue = self._ready[self.shape(position)]
        heapq.heappush(queue, (self._rank[position], position))

    def shape(self, position: int) -> int:
        """Return the number of the resource shape (cores, GPUs) that a task needs."""
        return self._shape.get(position, 0)

    def may_have_more(self, position: int) -> bool:
        """Whether the study leaves the task's resources open."""
        return position not in self._shape

    def dependents_of(self, position: int) -> Sequence[int]:
        """Return positions of the tasks that read a task's result."""
        return self._dependents[self._starts[position] : self._starts[position + 1]]

    def _skip_dependents(self, position: int, outcome: Outcome) -> None:
        skipped = Outcome(Status.SKIPPED, skip_reason(self.tasks[position], outcome))
        stack = [position]
        while stack:
            for dependent in self.dependents_of(stack.pop()):
                if self.state[dependent] in (TaskState.WAITING, TaskState.READY):
                    self._skip(dependent, skipped)
                    stack.append(dependent)

    def _skip(self, position: int, outcome: Outcome) -> None:
        self.unfinished -= 1
        self.state[position] = TaskState.FAILED
        self._skipped.append(Skip(position, outcome))

    def _settle(self, wanted: Iterable[int], store: Store, options: Options) -> None:
        """Set the state of each task from the store, inputs before dependents."""
        causes: dict[int, Outcome] = {}
        for position, outcome in self._known(wanted, store):
            task = self.tasks[position]
            if outcome is not None and outcome.settles(self.limits(position), options.retry):
                done = outcome.status is Status.OK
                self.state[position] = TaskState.DONE if done else TaskState.FAILED
                self.stored[outcome.status.value, task.call.kind.value, task.call.module] += 1
                if not done:
                    causes[position] = Outcome(Status.SKIPPED, skip_reason(task, outcome))
                continue
            self.unfinished += 1
            self.to_do[task.call.kind.value, task.call.module] += 1
            failed = next((i for i in task.inputs if self.state[i] == TaskState.FAILED), None)
            if failed is not None:
                causes[position] = causes[failed]
                self._skip(position, causes[failed])
            else:
                self._wait_for_inputs(position)

    def _known(self, wanted: Iterable[int], store: Store) -> Iterator[tuple[int, Outcome | None]]:
        remaining = list(wanted)
        for begin in range(0, len(remaining), _CHUNK):
            chunk = remaining[begin : begin + _CHUNK]
            outcomes = store.outcomes(self.tasks[i].key for i in chunk)
            for position in chunk:
                yield position, outcomes.get(self.tasks[position].key)


def skip_reason(task: Task, outcome: Outcome) -> str:
    """Return the reason text for dependents of a failed task."""
    return f"{task.call.kind.value} {task.call.module} ended in {outcome.status}: {outcome.reason}"


def _ranks(n: int, shuffle: int | None) -> Sequence[int]:
    if shuffle is None:
        return range(n)
    return array("q", np.random.default_rng(shuffle).permutation(n).tolist())


def _dependents(tasks: Sequence[Task], state: bytearray) -> tuple[array[int], array[int]]:
    """Return dependents of all tasks, as slices of one array (CSR)."""
    inputs = array("q", (i for task in tasks for i in task.inputs))
    counts = array("q", (len(task.inputs) for task in tasks))
    source = np.frombuffer(inputs, np.int64) if inputs else np.empty(0, np.int64)
    reader = np.repeat(np.arange(len(tasks)), np.frombuffer(counts, np.int64) if counts else 0)
    chosen = np.frombuffer(state, np.uint8)[reader] != TaskState.LEFT_OUT
    source, reader = source[chosen], reader[chosen]
    order = np.argsort(source, kind="stable")
    starts = np.searchsorted(source[order], np.arange(len(tasks) + 1))
    return array("q", starts.tolist()), array("q", reader[order].tolist())

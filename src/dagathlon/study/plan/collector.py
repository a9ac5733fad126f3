"""Collection of a plan's tasks without repetition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dagathlon.modules import Module
from dagathlon.simulate.noise import Noise
from dagathlon.simulate.transform import ObservedTruth, Transform
from dagathlon.study.config.library import FixedFile
from dagathlon.study.config.study_file import Part
from dagathlon.study.plan.scoring import call_of
from dagathlon.study.plan.task import READING, Call, Task, TaskKind, plain_key, stream_key, task_key

_TRANSFORMED = (TaskKind.NOISE, TaskKind.TRANSFORM)
_STREAMED = (TaskKind.DATA, *_TRANSFORMED)


class Collector:
    """Tasks by position; repeated parts of the study are one task."""

    def __init__(self, tasks: list[Task]) -> None:
        self.tasks = tasks
        self._position: dict[bytes, int] = {}
        self._calls: dict[int, Call] = {}
        self._module_calls: dict[tuple[TaskKind, Module], Call] = {}

    def add(self, call: Call, seed: int, inputs: tuple[int, ...] = ()) -> int:
        """Return the position of a task, adding it if it is new."""
        tasks = self.tasks
        key = task_key(call, seed, [tasks[i].key for i in inputs])
        position = self._position.get(key)
        if position is None:
            position = self._position[key] = len(tasks)
            plain = plain_key(call, seed, [tasks[i].plain_key for i in inputs])
            stream = self._stream(call, seed, inputs)
            tasks.append(Task(key, call, seed, inputs, stream, b"" if plain == key else plain))
        return position

    def _stream(self, call: Call, seed: int, inputs: tuple[int, ...]) -> bytes:
        """Return the key of the random stream, which some parameters do not enter."""
        if call.kind not in _STREAMED:
            return b""
        tasks = self.tasks
        read = [tasks[i] for i in inputs]
        if call.kind in _TRANSFORMED:
            while read[0].call.kind in _TRANSFORMED:
                read = [tasks[read[0].inputs[0]]]
        return stream_key(call, seed, [task.random_key for task in read])

    def call(self, part: object, make: Callable[[], Call]) -> Call:
        """Return the call of a setting or source, cached by the part's identity."""
        call = self._calls.get(id(part))
        if call is None:
            call = self._calls[id(part)] = make()
        return call

    def module_call(self, kind: TaskKind, module: Module) -> Call:
        """Return the cached call of a module that is not a setting of the study."""
        call = self._module_calls.get((kind, module))
        if call is None:
            call = self._module_calls[kind, module] = call_of(kind, module)
        return call

    def _fixed(self, kind: TaskKind, source: FixedFile) -> int:
        def make() -> Call:
            values: dict[str, Any] = {"sha256": source.digest}
            if source.reading is not None:
                values[READING] = source.reading.to_json()
            # Since version 2 whole numbers are levels only where they are few.
            version = 2 if kind is TaskKind.DATA and not source.bundled else 1
            return Call.of(kind, f"fixed_{kind}", version, values, source.location)

        return self.add(self.call(source, make), 0)

    def drawn(self, kind: TaskKind, part: Part, seed: int, inputs: tuple[int, ...]) -> int:
        """Return the position of the task that draws a setting's sample or reads a file."""
        if isinstance(part, FixedFile):
            return self._fixed(kind, part)
        module = part.module

        def make() -> Call:
            return call_of(kind, module)

        return self.add(self.call(part, make), seed, inputs)

    def observed(self, source: Part, graph: int | None, data: int) -> int | None:
        """Return the position of a file's truth restricted to wanted columns; None without one."""
        declared = isinstance(source, FixedFile) and source.reading is not None
        if graph is None or not declared:
            return graph
        return self.add(self.module_call(TaskKind.TRUTH, ObservedTruth()), 0, (graph, data))

    def apply(
        self, steps: Sequence[Transform], graph: int | None, data: int, seed: int
    ) -> tuple[int | None, int]:
        """Return positions of truth and data after transforms."""
        for step in steps:
            if step.does_nothing:
                continue
            kind = TaskKind.NOISE if isinstance(step, Noise) else TaskKind.TRANSFORM
            data = self.add(self.module_call(kind, step), seed, (data,))
            truth = step.truth_step()
            if truth is not None and graph is not None:
                graph = self.add(self.module_call(TaskKind.TRUTH, truth), 0, (graph, data))
        return graph, data

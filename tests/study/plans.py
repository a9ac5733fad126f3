"""Small plans of fake modules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dagathlon.modules import add_files, find
from dagathlon.study.plan.task import Call, Limits, Resources, Task, TaskKind, task_key

FAKES = Path(__file__).with_name("fake_modules.py")
SECTIONS = {TaskKind.LEARN: "algorithm"}


@dataclass
class FakePlan:
    tasks: list[Task] = field(default_factory=list)
    limits: dict[int, Limits] = field(default_factory=dict)
    resources: dict[int, Resources] = field(default_factory=dict)

    def add(self, call: Call, seed: int, inputs: Sequence[int] = ()) -> int:
        key = task_key(call, seed, [self.tasks[i].key for i in inputs])
        self.tasks.append(Task(key, call, seed, tuple(inputs)))
        return len(self.tasks) - 1

    def keys(self) -> list[bytes]:
        return [task.key for task in self.tasks]


def call(kind: TaskKind, module: str, values: Mapping[str, Any] | None = None) -> Call:
    add_files([FAKES])
    cls = find(SECTIONS.get(kind, kind.value), module)  # type: ignore[arg-type]
    return Call.of(kind, module, cls.version, cls.from_json(values or {}).to_json())


def learner(mode: str = "ok", **values: Any) -> Call:
    return call(TaskKind.LEARN, "fake_learner", {"mode": mode, **values})


def add_data(plan: FakePlan, seed: int, **values: Any) -> int:
    graph = plan.add(call(TaskKind.GRAPH, "fake_graph"), seed)
    model = plan.add(call(TaskKind.PARAMETERS, "fake_parameters"), seed, [graph])
    return plan.add(call(TaskKind.DATA, "fake_data", values), seed, [model])


def plan_of(*learners: Call, seeds: int = 1, limits: Limits | None = None, **data: Any) -> FakePlan:
    """Every learner on the data of every seed."""
    plan = FakePlan()
    for seed in range(seeds):
        source = add_data(plan, seed, **data)
        for each in learners:
            position = plan.add(each, seed, [source])
            if limits is not None:
                plan.limits[position] = limits
    return plan

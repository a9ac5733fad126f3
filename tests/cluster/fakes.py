"""Batches of fake modules, and what is known of their results; plans are those of tests/study."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from plans import FAKES, FakePlan, add_data, call, learner, plan_of

from dagathlon.cluster.messages import Batch, SentInput, TaskMessage
from dagathlon.processes.usage import descendants
from dagathlon.study.engine.inline import InlineEngine
from dagathlon.study.plan.task import Limits, Resources
from dagathlon.study.store.codec import decode
from dagathlon.study.store.objects import Payload
from dagathlon.study.store.store import Store

__all__ = [
    "FAKES", "FakePlan", "add_data", "answer_of", "batch_of", "call", "estimate",
    "learner", "made", "plan_of", "until", "worker_processes",
]  # fmt: skip
PATIENCE = 120.0


def made(plan: FakePlan, folder: Path, positions: Iterable[int] | None = None) -> Store:
    """A store with the results of a plan, or of some of its tasks."""
    store = Store(folder)
    chosen = range(len(plan.tasks)) if positions is None else positions
    InlineEngine().run(FakePlan([plan.tasks[i] for i in chosen]), store)
    return store


def batch_of(
    plan: FakePlan,
    payloads: Mapping[bytes, Payload],
    positions: Sequence[int],
    *,
    limits: Mapping[int, Limits] | None = None,
    resources: Resources | None = None,
    patience: float = 600.0,
) -> Batch:
    """Some tasks of a plan with all their small inputs."""
    tasks = [plan.tasks[i] for i in positions]
    read = {key: payloads[key] for each in tasks for key in _keys(plan, each.inputs)}
    told = limits or {}
    items = tuple(
        TaskMessage(
            i,
            plan.tasks[i].random_key,
            number,
            tuple(read[key].digest for key in _keys(plan, plan.tasks[i].inputs)),
            told.get(i, Limits()).time,
            told.get(i, Limits()).memory,
            told.get(i, Limits()).cpu,
        )
        for number, i in enumerate(positions)
    )
    inputs = {each.digest: SentInput(*each) for each in read.values()}
    calls = tuple(each.call for each in tasks)
    wanted = resources or Resources()
    return Batch(1, wanted, patience, calls, tuple(inputs.values()), items)


def estimate(content: bytes | None) -> Mapping[str, object]:
    """What a learner has noted beside its graph."""
    assert content is not None
    stats: Mapping[str, object] = decode(content).stats
    return stats


def until(holds: Callable[[], bool]) -> None:
    """Wait for something that must come."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def worker_processes(parent: int | None = None) -> list[int]:
    """Processes of ours, or of another process, that do tasks."""
    found = []
    for pid in descendants(os.getpid() if parent is None else parent):
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        if b"dagathlon.study.engine.worker" in command:
            found.append(pid)
    return found


def answer_of(address: str, **said: Any) -> dict[str, Any]:
    """What a worker says when it is introduced."""
    known = {"host": f"host-{address}", "threads": 1, "cards": [], "lacking": {}, "identity": {}}
    known["facts"] = {}
    return {**known, "clock": time.time(), **said}


def objections_told(_: object, theirs: Mapping[str, list[str]]) -> list[str]:
    """In the place of a comparison of versions: what a worker says against itself."""
    return theirs.get("refusals", [])


def remarks_told(_: object, theirs: Mapping[str, list[str]]) -> list[str]:
    """In the place of a comparison of versions: what a worker says of itself."""
    return theirs.get("remarks", [])


def _keys(plan: FakePlan, inputs: Iterable[int]) -> list[bytes]:
    return [plan.tasks[i].key for i in inputs]

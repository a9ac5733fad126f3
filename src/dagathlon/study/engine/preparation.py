"""Preparation of modules that run programs, before a run and visible to the user."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator

from dagathlon.errors import DagathlonError, UnavailableError
from dagathlon.modules import Delegate, Module, find
from dagathlon.study.engine.execute import HANDLERS
from dagathlon.study.plan.task import Call, Status, TaskKind, Workload
from dagathlon.study.store.store import Store

_SECTIONS = (TaskKind.GRAPH, TaskKind.PARAMETERS, TaskKind.DATA, TaskKind.LEARN)


def prepare_modules(plan: Workload, store: Store, say: Callable[[str], None]) -> None:
    """Install what the modules of open tasks that run programs need.

    Workers would do it themselves, but unseen. One that cannot be made ready is left to them:
    they record its runs as skipped.
    """
    tasks = [task for task in plan.tasks if task.call.kind in _SECTIONS]
    if not modules_with_programs(task.call for task in tasks):
        return
    outcomes = store.outcomes(task.key for task in tasks)
    done = {key for key, outcome in outcomes.items() if outcome.status is Status.OK}
    for module in modules_with_programs(task.call for task in tasks if task.key not in done):
        with contextlib.suppress(UnavailableError):
            if not module.unavailable:
                module.prepare(say)


def modules_with_programs(calls: Iterable[Call]) -> list[type[Module]]:
    """Return the modules with programs that calls run, directly or inside others, by name."""
    distinct = {call.digest: call for call in calls if call.kind in _SECTIONS}
    classes = {cls.name: cls for call in distinct.values() for cls in _with_programs(call)}
    return [classes[name] for name in sorted(classes)]


def _with_programs(call: Call) -> Iterator[type[Module]]:
    if call.location:
        return
    with contextlib.suppress(DagathlonError):
        cls = find(HANDLERS[call.kind].section, call.module)
        if cls.runs_program:
            yield cls
        elif cls.delegates is not Module.delegates:
            yield from _inside(cls.from_values(call.values).delegates())


def _inside(delegates: Iterable[Delegate]) -> Iterator[type[Module]]:
    for delegate in delegates:
        if isinstance(delegate, Module) and delegate.runs_program:
            yield type(delegate)
        elif isinstance(delegate, Module):
            yield from _inside(delegate.delegates())

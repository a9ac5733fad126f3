"""Preparation of external modules before a run, visible to the user."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator

from dagathlon.errors import DagathlonError, UnavailableError
from dagathlon.external import ExternalModule
from dagathlon.modules import Delegate, Module, find
from dagathlon.study.engine.execute import HANDLERS
from dagathlon.study.plan.task import Call, Status, TaskKind, Workload
from dagathlon.study.store.store import Store

_SECTIONS = (TaskKind.GRAPH, TaskKind.PARAMETERS, TaskKind.DATA, TaskKind.LEARN)


def prepare_modules(plan: Workload, store: Store, say: Callable[[str], None]) -> None:
    """Install what the external modules of open tasks need.

    Workers would do it themselves, but unseen. One that cannot be made ready is left to them:
    they record its runs as skipped.
    """
    tasks = [task for task in plan.tasks if task.call.kind in _SECTIONS]
    if not external_modules(task.call for task in tasks):
        return
    outcomes = store.outcomes(task.key for task in tasks)
    done = {key for key, outcome in outcomes.items() if outcome.status is Status.OK}
    for module in external_modules(task.call for task in tasks if task.key not in done):
        with contextlib.suppress(UnavailableError):
            if not module.unavailable:
                module.prepare(say)


def external_modules(calls: Iterable[Call]) -> list[type[ExternalModule]]:
    """Return the external modules that calls run, directly or inside others, by name."""
    distinct = {call.digest: call for call in calls if call.kind in _SECTIONS}
    modules = {cls.name: cls for call in distinct.values() for cls in _external(call)}
    return [modules[name] for name in sorted(modules)]


def _external(call: Call) -> Iterator[type[ExternalModule]]:
    if call.location:
        return
    with contextlib.suppress(DagathlonError):
        cls = find(HANDLERS[call.kind].section, call.module)
        if issubclass(cls, ExternalModule):
            yield cls
        elif cls.delegates is not Module.delegates:
            yield from _inside(cls.from_values(call.values).delegates())


def _inside(delegates: Iterable[Delegate]) -> Iterator[type[ExternalModule]]:
    for delegate in delegates:
        if isinstance(delegate, ExternalModule):
            yield type(delegate)
        elif isinstance(delegate, Module):
            yield from _inside(delegate.delegates())

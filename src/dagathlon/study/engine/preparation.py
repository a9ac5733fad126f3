"""Getting external modules ready before the work begins, where the user can see it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator

from dagathlon.errors import DagathlonError, UnavailableError
from dagathlon.external import ExternalLearner
from dagathlon.modules import Delegate, Module, find
from dagathlon.study.engine.execute import made
from dagathlon.study.plan.task import Call, Status, TaskKind, Workload
from dagathlon.study.store.store import Store


def prepare_modules(plan: Workload, store: Store, say: Callable[[str], None]) -> None:
    """Install what the external learners with runs still to be done need.

    Workers would do it themselves, but unseen. One that cannot be made ready is left to them:
    they record its runs as skipped.
    """
    runs = [task for task in plan.tasks if task.call.kind is TaskKind.LEARN]
    if not external_learners(task.call for task in runs):
        return
    outcomes = store.outcomes(task.key for task in runs)
    done = {key for key, outcome in outcomes.items() if outcome.status is Status.OK}
    for learner in external_learners(task.call for task in runs if task.key not in done):
        with contextlib.suppress(UnavailableError):
            if not learner.unavailable:
                learner.prepare(say)


def external_learners(calls: Iterable[Call]) -> list[type[ExternalLearner]]:
    """The external learners that calls run, themselves or inside others, by name."""
    distinct = {call.digest: call for call in calls if call.kind is TaskKind.LEARN}
    found = {cls.name: cls for call in distinct.values() for cls in _external(call)}
    return [found[name] for name in sorted(found)]


def _external(call: Call) -> Iterator[type[ExternalLearner]]:
    if call.location:
        return
    with contextlib.suppress(DagathlonError):
        cls = find("algorithm", call.module)
        if issubclass(cls, ExternalLearner):
            yield cls
        elif cls.delegates is not Module.delegates:
            yield from _inside(made(cls, call.values).delegates())


def _inside(delegates: Iterable[Delegate]) -> Iterator[type[ExternalLearner]]:
    for delegate in delegates:
        if isinstance(delegate, ExternalLearner):
            yield type(delegate)
        elif isinstance(delegate, Module):
            yield from _inside(delegate.delegates())

"""Getting external modules ready before the work begins, where the user can see it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from dagathlon.errors import UnavailableError
from dagathlon.external import ExternalLearner
from dagathlon.modules import modules
from dagathlon.study.plan.task import Status, TaskKind, Workload
from dagathlon.study.store.store import Store


def prepare_modules(plan: Workload, store: Store, say: Callable[[str], None]) -> None:
    """Install what the external learners with runs still to be done need.

    Workers would do it themselves, but unseen. One that cannot be made ready is left to them:
    they record its runs as skipped.
    """
    learners = modules("algorithm")
    external = {name for name, cls in learners.items() if issubclass(cls, ExternalLearner)}
    runs = [t for t in plan.tasks if t.call.kind is TaskKind.LEARN and t.call.module in external]
    outcomes = store.outcomes(task.key for task in runs)
    done = {key for key, outcome in outcomes.items() if outcome.status is Status.OK}
    for name in sorted({task.call.module for task in runs if task.key not in done}):
        with contextlib.suppress(UnavailableError):
            if not learners[name].unavailable:
                learners[name].prepare(say)

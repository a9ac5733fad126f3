"""How long a plan will take, judged by what similar tasks took before."""

from __future__ import annotations

from statistics import fmean

from dagathlon.study.plan.plan import Plan
from dagathlon.study.store.store import Store


def expected_seconds(plan: Plan, store: Store) -> float | None:
    """Computing time of the tasks without an outcome; None when nothing like them was ever run.

    A task is expected to take as long as the stored ones of the same call, else of the same module.
    """
    outcomes = store.outcomes(task.key for task in plan.tasks)
    by_call: dict[bytes, list[float]] = {}
    by_module: dict[str, list[float]] = {}
    for task in plan.tasks:
        outcome = outcomes.get(task.key)
        if outcome is not None:
            by_call.setdefault(task.call.digest, []).append(outcome.wall)
            by_module.setdefault(task.call.module, []).append(outcome.wall)
    if not by_call:
        return None
    total = 0.0
    for task in plan.tasks:
        if task.key not in outcomes:
            known = by_call.get(task.call.digest) or by_module.get(task.call.module)
            total += fmean(known) if known else 0.0
    return total

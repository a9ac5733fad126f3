"""How long a plan will take: by what similar tasks took before, else by measured costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from statistics import fmean
from typing import cast

from dagathlon.data.facts import DataFacts
from dagathlon.errors import StudyError, listing
from dagathlon.learners.base import Learner
from dagathlon.learners.costs import Cost, expected_cost
from dagathlon.modules import modules
from dagathlon.simulate.transform import Transform
from dagathlon.study.plan.plan import Plan
from dagathlon.study.plan.task import Outcome, Status, Task, TaskKind


@dataclass
class Forecast:
    """The computing time of the tasks without an outcome, on one core.

    Parameters
    ----------
    seconds
        Of those of which something is known.
    runs
        How many learning runs were judged by earlier ones (``stored``), and by the costs of
        learners on data of such a size (``measured``).
    unknown
        Learning runs of which nothing is known, by module.
    extrapolated
        Whether some data are much larger than those that costs were measured on.
    """

    seconds: float = 0.0
    runs: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    extrapolated: bool = False

    def words(self) -> str:
        """The forecast in a sentence or two; empty when nothing is left to do."""
        if not self.runs and not self.unknown:
            return ""
        by = {"stored": "earlier runs", "measured": "measured costs of learners with defaults"}
        sources = " and ".join(text for key, text in by.items() if self.runs[key])
        unknown = f"{self.unknown.total():,} runs ({listing(sorted(self.unknown))})"
        if not sources:
            return f"no estimate of the time: nothing is known of {unknown}"
        known = f"{Cost(self.seconds, self.extrapolated).words()} of computing left on one core"
        rest = f"; {unknown} not counted, of which nothing is known" if self.unknown else ""
        return f"{known}, judged by {sources}{rest}"


def forecast(plan: Plan, outcomes: Mapping[bytes, Outcome]) -> Forecast:
    """How long the rest of a plan will take.

    Parameters
    ----------
    plan
        The plan.
    outcomes
        How tasks ended that have run, by key. A task is expected to take as long as those of the
        same call, else of the same module, else as long as the learner takes on data of that size.
    """
    by_call: dict[bytes, list[float]] = {}
    by_module: dict[str, list[float]] = {}
    for task in plan.tasks:
        outcome = outcomes.get(task.key)
        if outcome is not None and outcome.status is not Status.SKIPPED:
            by_call.setdefault(task.call.digest, []).append(outcome.wall)
            by_module.setdefault(task.call.module, []).append(outcome.wall)
    facts = _facts(plan)
    found = Forecast()
    for place, task in enumerate(plan.tasks):
        if task.key not in outcomes:
            seen = by_call.get(task.call.digest) or by_module.get(task.call.module)
            limit = plan.limits[place].time if place in plan.limits else None
            _add(found, task, seen, facts, inf if limit is None else limit)
    return found


def _facts(plan: Plan) -> dict[int, DataFacts]:
    """What is known of each data set, by the place of its task; transforms leave fewer rows."""
    found = {case.data: plan.facts[case.origin] for case in plan.cases if not case.transform}
    for place, task in enumerate(plan.tasks):
        if task.call.kind is TaskKind.TRANSFORM and place not in found and task.inputs[0] in found:
            module = modules("transform")[task.call.module].from_json(dict(task.call.values))
            found[place] = cast(Transform, module).facts(found[task.inputs[0]])
    return {case.data: plan.facts[case.origin] for case in plan.cases} | found


def _add(
    found: Forecast,
    task: Task,
    seen: list[float] | None,
    facts: Mapping[int, DataFacts],
    limit: float,
) -> None:
    """Count a task; none takes longer than its limit."""
    learns = task.call.kind is TaskKind.LEARN
    if seen:
        found.seconds += fmean(seen)
        found.runs["stored"] += learns
        return
    if not learns:
        return
    cls = cast(type[Learner], modules("algorithm")[task.call.module])
    data = facts.get(task.inputs[0], DataFacts())
    if cls.unavailable or _is_skipped(cls, task, data):
        return
    cost = None
    if data.kind is not None and data.n_rows is not None and data.n_columns is not None:
        cost = expected_cost(cls, data.kind, data.n_rows, data.n_columns)
    if cost is None:
        found.unknown[task.call.module] += 1
        return
    found.seconds += min(cost.seconds, limit)
    found.extrapolated |= cost.extrapolated and cost.seconds < limit
    found.runs["measured"] += 1


def _is_skipped(cls: type[Learner], task: Task, data: DataFacts) -> bool:
    """Whether a run will be skipped, since its learner does not take such data."""
    try:
        return bool(cls.from_json(dict(task.call.values)).objection(data))
    except StudyError:  # contents stand in the place of names there, which no study writes
        return data.kind is not None and data.kind not in cls.takes

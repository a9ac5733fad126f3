"""Forecast of a plan's computing time, from stored times on like data or measured costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from math import inf, log
from statistics import fmean
from typing import NamedTuple, TypeAlias, cast

from dagathlon.data.spec import DataFacts, DataKind
from dagathlon.errors import StudyError, listing
from dagathlon.learners.base import Learner
from dagathlon.learners.costs import Cost, expected_cost
from dagathlon.modules import modules
from dagathlon.simulate.transform import Transform
from dagathlon.study.plan.plan import Plan
from dagathlon.study.plan.task import Outcome, Status, Task, TaskKind
from dagathlon.wording import counted

_FAR = 10.0  # times longer or shorter than what it is judged by: a rough estimate


@dataclass
class Forecast:
    """Expected computing time of the open tasks, on one core.

    Parameters
    ----------
    seconds
        Expected seconds of the tasks with an estimate.
    runs
        Number of learning runs estimated by earlier ones on data of the same size (``stored``), of
        another size (``scaled``), and by the costs of learners on data of such a size
        (``measured``).
    unknown
        Learning runs without an estimate, by module.
    extrapolated
        Whether some data are much larger than those of the earlier runs.
    """

    seconds: float = 0.0
    runs: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    extrapolated: bool = False

    def words(self) -> str:
        """Describe the forecast in a sentence or two; empty when no task is open."""
        if not self.runs and not self.unknown:
            return ""
        by = {
            "stored": "earlier runs",
            "scaled": "earlier runs on data of other sizes",
            "measured": "measured costs of learners with defaults",
        }
        sources = " and ".join(text for key, text in by.items() if self.runs[key])
        unknown = f"{counted(self.unknown.total(), 'run')} ({listing(sorted(self.unknown))})"
        if not sources:
            return f"no estimate of the time: nothing is known of {unknown}"
        known = f"{Cost(self.seconds, self.extrapolated).words()} of computing left on one core"
        if self.unknown:
            least = "" if known.startswith("less than") else "at least "
            return f"{least}{known}, judged by {sources}; on top come {unknown}: cost not known"
        return f"{known}, judged by {sources}"


class _Size(NamedTuple):
    """The data properties that determine a call's time; None where unknown in advance."""

    kind: DataKind | None
    rows: int | None
    columns: int | None

    @property
    def known(self) -> bool:
        return None not in self


_Times: TypeAlias = dict[_Size, list[float]]


def forecast(plan: Plan, outcomes: Mapping[bytes, Outcome]) -> Forecast:
    """Forecast the computing time of a plan's open tasks.

    Parameters
    ----------
    plan
        The plan.
    outcomes
        How tasks ended that have run, by key. A task is expected to take as long as those of the
        same call, else of the same module, on as many rows and columns; else as long as those of
        the nearest size, scaled as the learner's cost grows; else as long as the learner takes on
        data of that size. No run takes longer than its limit.
    """
    facts = _facts(plan)
    earlier: dict[Hashable, _Times] = {}
    for place, task in enumerate(plan.tasks):
        outcome = outcomes.get(task.key)
        if outcome is not None and outcome.status is not Status.SKIPPED:
            for group in _groups(task):
                times = earlier.setdefault(group, {})
                times.setdefault(_size(_read(place, task, facts)), []).append(outcome.wall)
    result = Forecast()
    for place, task in enumerate(plan.tasks):
        if task.key not in outcomes:
            limit = plan.limits[place].time if place in plan.limits else None
            seen = [earlier.get(group, {}) for group in _groups(task)]
            _add(result, task, seen, _read(place, task, facts), inf if limit is None else limit)
    return result


def expected_seconds(plan: Plan) -> dict[int, float | None]:
    """Return seconds of each learning run by the learners' costs; None where unknown."""
    facts = _facts(plan)
    seconds: dict[int, float | None] = {}
    for place, task in enumerate(plan.tasks):
        if task.call.kind is TaskKind.LEARN:
            limit = plan.limits[place].time if place in plan.limits else None
            alone = Forecast()
            _add(alone, task, [], _read(place, task, facts), inf if limit is None else limit)
            seconds[place] = None if alone.unknown else alone.seconds
    return seconds


def _groups(task: Task) -> tuple[Hashable, Hashable]:
    """Return keys of like tasks: those of the same call, then those of the same module."""
    return task.call.digest, (task.call.kind, task.call.module)


def _read(place: int, task: Task, facts: Mapping[int, DataFacts]) -> DataFacts:
    """Return the facts of the data that a learner reads or another task makes."""
    learns = task.call.kind is TaskKind.LEARN
    return facts.get(task.inputs[0] if learns else place, DataFacts())


def _size(data: DataFacts) -> _Size:
    return _Size(data.kind, data.n_rows, data.n_columns)


def _facts(plan: Plan) -> dict[int, DataFacts]:
    """Return the facts of each data set by its task; transforms leave fewer rows."""
    facts = {case.data: plan.facts[case.origin] for case in plan.cases if not case.transform}
    for place, task in enumerate(plan.tasks):
        if task.call.kind is TaskKind.TRANSFORM and place not in facts and task.inputs[0] in facts:
            module = modules("transform")[task.call.module].from_json(dict(task.call.values))
            facts[place] = cast(Transform, module).facts(facts[task.inputs[0]])
    return {case.data: plan.facts[case.origin] for case in plan.cases} | facts


def _add(total: Forecast, task: Task, seen: list[_Times], data: DataFacts, limit: float) -> None:
    """Add a task's expected time, at most its limit."""
    learns = task.call.kind is TaskKind.LEARN
    cls = cast(type[Learner], modules("algorithm")[task.call.module]) if learns else None
    if cls is not None and (cls.unavailable or _is_skipped(cls, task, data)):
        return
    size = _size(data)
    source, cost = "stored", _on_like_data(size, seen)
    if cost is None:
        source, cost = "scaled", _scaled(cls, size, seen)
    if cost is None:
        source, cost = "measured", _by_law(cls, size)
    if cost is not None:
        total.seconds += min(cost.seconds, limit)
        total.extrapolated |= cost.extrapolated and cost.seconds < limit
    if learns and cost is None:
        total.unknown[task.call.module] += 1
    elif learns:
        total.runs[source] += 1


def _on_like_data(size: _Size, seen: list[_Times]) -> Cost | None:
    """Return stored times on data of the same size; None without any."""
    return next((Cost(fmean(times[size]), False) for times in seen if size in times), None)


def _scaled(cls: type[Learner] | None, size: _Size, seen: list[_Times]) -> Cost | None:
    """Return stored times on data of the nearest size, scaled to this size."""
    if not size.known:
        return None
    for times in seen:
        ratios = {
            other: _relative(cls, size) / _relative(cls, other)
            for other in times
            if other.known and other.kind == size.kind
        }
        if ratios:
            nearest = min(ratios, key=lambda other: abs(log(ratios[other])))
            ratio = ratios[nearest]
            return Cost(ratio * fmean(times[nearest]), not 1 / _FAR <= ratio <= _FAR)
    return None


def _relative(cls: type[Learner] | None, size: _Size) -> float:
    """Return a task's relative time for a size, by the learner's measured cost if it has one.

    Else each row counts once, and there are all pairs of columns for a learner to look at.
    """
    cost = _by_law(cls, size)
    if cost is not None:
        return cost.seconds
    rows, columns = cast(tuple[int, int], (size.rows, size.columns))
    return float(max(rows, 1) * max(columns, 1) ** (1 if cls is None else 2))


def _by_law(cls: type[Learner] | None, size: _Size) -> Cost | None:
    if cls is None or size.kind is None or size.rows is None or size.columns is None:
        return None
    return expected_cost(cls, size.kind, size.rows, size.columns)


def _is_skipped(cls: type[Learner], task: Task, data: DataFacts) -> bool:
    """Whether a run will be skipped because its learner does not take the data."""
    try:
        return bool(cls.from_json(dict(task.call.values)).why_unsuitable(data))
    except StudyError:  # contents stand in the place of names there, which no study writes
        return data.kind is not None and data.kind not in cls.takes

"""Calls that score estimates and describe data sets, as a setup's evaluations ask."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

from dagathlon.errors import listing
from dagathlon.evaluate.metric import INPUTS, MetricModule, families, is_user_defined
from dagathlon.evaluate.models.learner_prior import LearnerPriorScore
from dagathlon.evaluate.steps import OwnMetrics, StandardMetrics
from dagathlon.modules import Module
from dagathlon.modules.lineage import lineage, raised
from dagathlon.study.config.plan_requests import Agreed, Cases, Input, RunScore, Wanted, agreed
from dagathlon.study.config.study_file import Setup
from dagathlon.study.plan.task import Call, TaskKind

STANDARD = "metrics"
"""Name of the score that every run with a true graph has."""
_OWN = "own_metrics"

# Fresh data are drawn with the data's own seed, one bit turned that seeds of studies do not have.
_FRESH = 1 << 62
# Where the number of the start is turned in; runs on other data have other keys in any case.
_STARTS_AT = 48
_ESTIMATE, _LEARNED, _REFERENCE = -1, -2, -3


def fresh_seed(seed: int) -> int:
    """Return the seed of the test data for a run's estimate."""
    return seed ^ _FRESH


def started_seed(seed: int, start: int) -> int:
    """Return the seed of one of several starts; the first one's is the data's own."""
    return seed ^ ((start - 1) << _STARTS_AT)


def call_of(kind: TaskKind, module: Module) -> Call:
    """Return the call of a module."""
    return Call.of(
        kind,
        module.name,
        module.version,
        module.to_json(),
        outside_stream=module.outside_stream,
        raised=raised(lineage(module)),
    )


def wanted_of(setup: Setup, cases: Cases) -> Agreed:
    """Return the merged requests of all evaluations of a setup on one kind of data."""
    return agreed(_wanted(setup, cases), cases)


def _wanted(setup: Setup, cases: Cases) -> Iterator[Wanted]:
    yield RunScore(STANDARD, StandardMetrics.of(), ("truth", "estimate"), weak=True)
    offered = cases.offers()
    metrics = [module for module in _own_metrics() if offered.issuperset(module.needs)]
    if metrics:
        inputs = tuple(name for name in INPUTS if any(name in module.needs for module in metrics))
        asked = OwnMetrics(metrics=tuple(module.name for module in metrics), inputs=inputs)
        yield RunScore(_OWN, asked, cast(tuple[Input, ...], inputs))
    for evaluation in (*setup.evaluations, *setup.shown):
        yield from evaluation.tasks(cases)


def _own_metrics() -> list[type[MetricModule]]:
    """Return the metrics of user modules."""
    return [module for module in families(INPUTS) if is_user_defined(module)]


def without_value(cases: Cases) -> Iterator[tuple[str, str]]:
    """Yield user metrics that cannot be computed on these data sets, and what they lack."""
    for module in _own_metrics():
        missing = sorted(set(module.needs) - cases.offers())
        if missing:
            yield module.name, f"it needs {listing(missing)}, and there is none"


class Place(NamedTuple):
    """Positions of what scores on one data set are computed from."""

    truth: int | None
    data: int
    model: int | None
    fresh: int | None

    def inputs(self, names: Sequence[Input]) -> tuple[int, ...]:
        """Return positions of inputs in order; inputs that differ by run stay open."""
        inputs: dict[Input, int | None] = {"truth": self.truth, "data": self.data}
        inputs |= {"model": self.model, "test_data": self.fresh}
        inputs |= {"estimate": _ESTIMATE, "reference": _REFERENCE}
        inputs |= {"posterior": _LEARNED, "precision": _LEARNED, "path": _LEARNED}
        positions = [inputs[name] for name in names]
        return tuple(position for position in positions if position is not None)


def beside(inputs: Sequence[int], reference: int) -> tuple[int, ...]:
    """Return inputs with the position of the reference filled in."""
    return tuple([reference if i == _REFERENCE else i for i in inputs])


def of_run(inputs: Sequence[int], learn: int, estimate: int) -> tuple[int, ...]:
    """Return inputs with the positions of one run filled in."""
    return tuple([estimate if i == _ESTIMATE else learn if i == _LEARNED else i for i in inputs])


class ScoreCall(NamedTuple):
    """A score to be planned: name, call, inputs, reference.

    `by_learner` is the module if its score depends on the learner of the graph.
    """

    name: str
    call: Call
    inputs: tuple[Input, ...]
    reference: str
    by_learner: LearnerPriorScore | StandardMetrics | None = None

    @classmethod
    def of(cls, wish: RunScore) -> ScoreCall:
        """Return the score that an evaluation requests."""
        call = call_of(TaskKind.SCORE, wish.module)
        return cls(wish.name, call, wish.inputs, wish.reference, _by_learner(wish.module))


def _by_learner(module: Module) -> LearnerPriorScore | StandardMetrics | None:
    """Return the module if its score depends on the learner, else None."""
    if isinstance(module, StandardMetrics):
        return module if module.asks_for_learner() else None
    return module if isinstance(module, LearnerPriorScore) else None

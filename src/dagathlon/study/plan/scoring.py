"""The calls that score estimates and look at data sets, as the evaluations of a setup ask."""

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
"""Name of the score that every run with a truth has."""
_OWN = "own_metrics"

# Fresh data are drawn with the data's own seed, one bit turned that seeds of studies do not have.
_FRESH = 1 << 62
# Where the number of the start is turned in; runs on other data have other keys in any case.
_STARTS_AT = 48
_ESTIMATE, _LEARNED, _REFERENCE = -1, -2, -3


def fresh_seed(seed: int) -> int:
    """The seed of the data that a run's estimate is tried on."""
    return seed ^ _FRESH


def started_seed(seed: int, start: int) -> int:
    """The seed of a learning run at one of several starts; the first one's is the data's own."""
    return seed ^ ((start - 1) << _STARTS_AT)


def call_of(kind: TaskKind, module: Module) -> Call:
    """A module with its parameters as what a task calls."""
    return Call.of(
        kind,
        module.name,
        module.version,
        module.to_json(),
        outside_stream=module.outside_stream,
        raised=raised(lineage(module)),
    )


def wanted_of(setup: Setup, cases: Cases) -> Agreed:
    """What all evaluations of a setup want of data sets of one kind."""
    return agreed(_wanted(setup, cases), cases)


def _wanted(setup: Setup, cases: Cases) -> Iterator[Wanted]:
    yield RunScore(STANDARD, StandardMetrics.of(), ("truth", "estimate"), weak=True)
    there = cases.offers()
    own = [module for module in _own_metrics() if there.issuperset(module.needs)]
    if own:
        inputs = tuple(name for name in INPUTS if any(name in module.needs for module in own))
        asked = OwnMetrics(metrics=tuple(module.name for module in own), inputs=inputs)
        yield RunScore(_OWN, asked, cast(tuple[Input, ...], inputs))
    for evaluation in (*setup.evaluations, *setup.shown):
        yield from evaluation.tasks(cases)


def _own_metrics() -> list[type[MetricModule]]:
    """The metrics of the user's modules."""
    return [module for module in families(INPUTS) if is_user_defined(module)]


def without_value(cases: Cases) -> Iterator[tuple[str, str]]:
    """Metrics of the user's modules that these data sets lack something for, and what."""
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
        """Positions of inputs in order; those that each run has its own of are left open."""
        found: dict[Input, int | None] = {"truth": self.truth, "data": self.data}
        found |= {"model": self.model, "test_data": self.fresh}
        found |= {"estimate": _ESTIMATE, "reference": _REFERENCE}
        found |= {"posterior": _LEARNED, "precision": _LEARNED, "path": _LEARNED}
        positions = [found[name] for name in names]
        return tuple(position for position in positions if position is not None)


def beside(inputs: Sequence[int], reference: int) -> tuple[int, ...]:
    """Inputs with the position of what runs are compared with filled in."""
    return tuple([reference if i == _REFERENCE else i for i in inputs])


def of_run(inputs: Sequence[int], learn: int, estimate: int) -> tuple[int, ...]:
    """Inputs with the positions of one run filled in."""
    return tuple([estimate if i == _ESTIMATE else learn if i == _LEARNED else i for i in inputs])


class ScoreCall(NamedTuple):
    """A score of runs, ready to be planned: its name, what is called, with what, beside whom.

    `told` is the module where it has to know whose graph it scores.
    """

    name: str
    call: Call
    inputs: tuple[Input, ...]
    reference: str
    told: LearnerPriorScore | StandardMetrics | None = None

    @classmethod
    def of(cls, wish: RunScore) -> ScoreCall:
        """Of what an evaluation asks for."""
        call = call_of(TaskKind.SCORE, wish.module)
        return cls(wish.name, call, wish.inputs, wish.reference, _told(wish.module))


def _told(module: Module) -> LearnerPriorScore | StandardMetrics | None:
    """The module, if it has to know the learner."""
    if isinstance(module, StandardMetrics):
        return module if module.asks_for_learner() else None
    return module if isinstance(module, LearnerPriorScore) else None

"""The calls that score estimates and look at data sets, as the evaluations of a setup ask."""

from __future__ import annotations

from typing import NamedTuple

from dagathlon.evaluate.steps import CaseDiagnostics, CrossValidated, HeldOut, StandardMetrics
from dagathlon.modules import Module
from dagathlon.modules.lineage import lineage, raised
from dagathlon.simulate.iid import Iid
from dagathlon.study.grammar.config import Setup
from dagathlon.study.grammar.evaluation import Metrics, Ranking
from dagathlon.study.plan.task import Call, TaskKind

# Fresh data are drawn with the data's own seed, one bit turned that seeds of studies do not have.
_FRESH = 1 << 62


def fresh_seed(seed: int) -> int:
    """The seed of the data that a run's estimate is tried on."""
    return seed ^ _FRESH


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


class MetricCalls(NamedTuple):
    """What is computed of every run and every data set of a setup.

    Parameters
    ----------
    score
        Compares an estimate with the truth.
    diagnostics
        Looks at a data set; None when no evaluation asks.
    held_out
        Whether estimates are tried on data that they were not learned from.
    cross_validated
        How that is done where there is no model to draw from.
    """

    score: Call
    diagnostics: Call | None
    held_out: bool
    cross_validated: Call

    @classmethod
    def of(cls, setup: Setup) -> MetricCalls:
        """As the setup asks."""
        asked = [one for one in setup.evaluations if isinstance(one, Metrics)]
        causal = asked[0].causal if asked else None
        draws = next((one.control for one in asked), Metrics().control)
        diagnosed = any(isinstance(one, Metrics | Ranking) for one in setup.evaluations)
        return cls(
            call_of(TaskKind.SCORE, StandardMetrics(causal=causal)),
            call_of(TaskKind.SCORE, CaseDiagnostics(draws=draws)) if diagnosed else None,
            any(one.held_out for one in asked),
            call_of(TaskKind.SCORE, CrossValidated()),
        )

    def on_fresh_data(self, generator: Module) -> Call:
        """How estimates are tried on data that a generator draws again."""
        plain = type(generator) is Iid
        scaled = bool(getattr(generator, "standardized", False))
        return call_of(TaskKind.SCORE, HeldOut(exact=plain, scaled=scaled))


class HeldOutCall(NamedTuple):
    """A call and the positions of its inputs, before the estimate."""

    call: Call
    inputs: tuple[int, ...]


class Scoring(NamedTuple):
    """How the runs on one data set are scored."""

    metrics: MetricCalls
    held_out: HeldOutCall | None

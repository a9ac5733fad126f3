"""The calls that score estimates and look at data sets, as the evaluations of a setup ask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from dagathlon.errors import listing
from dagathlon.evaluate.metric import INPUTS, MetricModule, families, is_own
from dagathlon.evaluate.steps import (
    CaseDiagnostics,
    CrossValidated,
    HeldOut,
    OwnMetrics,
    StandardMetrics,
)
from dagathlon.modules import Module
from dagathlon.simulate.iid import Iid
from dagathlon.study.grammar.config import Setup
from dagathlon.study.grammar.evaluation import Metrics, Ranking
from dagathlon.study.plan.task import Call, TaskKind

# Fresh data are drawn with the data's own seed, one bit turned that seeds of studies do not have.
_FRESH = 1 << 62
# What every run has, whatever its data.
_OF_RUNS = ("estimate", "posterior")


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
    own
        Metrics of the user's modules.
    """

    score: Call
    diagnostics: Call | None
    held_out: bool
    cross_validated: Call
    own: tuple[type[MetricModule], ...] = ()

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
            tuple(module for module in families(INPUTS) if is_own(module)),
        )

    def own_on(self, given: Mapping[str, int]) -> tuple[OwnScores | None, dict[str, str]]:
        """The user's metrics on a data set, and why some of them have no value there.

        Parameters
        ----------
        given
            Positions of what the data set has, by the names that metrics use.
        """
        there = {*given, *_OF_RUNS}
        chosen = [module for module in self.own if set(module.needs) <= there]
        missing = {
            module.name: f"it needs {listing(sorted(set(module.needs) - there))}, and there is none"
            for module in self.own
            if module not in chosen
        }
        if not chosen:
            return None, missing
        inputs = tuple(name for name in INPUTS if any(name in module.needs for module in chosen))
        asked = OwnMetrics(metrics=tuple(module.name for module in chosen), inputs=inputs)
        return OwnScores(call_of(TaskKind.SCORE, asked), inputs, given), missing

    def on_fresh_data(self, generator: Module) -> Call:
        """How estimates are tried on data that a generator draws again."""
        plain = type(generator) is Iid
        scaled = bool(getattr(generator, "standardized", False))
        return call_of(TaskKind.SCORE, HeldOut(exact=plain, scaled=scaled))


class HeldOutCall(NamedTuple):
    """A call and the positions of its inputs, before the estimate."""

    call: Call
    inputs: tuple[int, ...]


class OwnScores(NamedTuple):
    """The call of the user's metrics, what it reads, and where a data set's parts stand."""

    call: Call
    inputs: tuple[str, ...]
    given: Mapping[str, int]

    def on(self, learn: int, estimate: int) -> tuple[Call, int, tuple[int, ...]]:
        """What a task of one run is made of."""
        there = {**self.given, "estimate": estimate, "posterior": learn}
        return self.call, 0, tuple(there[name] for name in self.inputs)


class Scoring(NamedTuple):
    """How the runs on one data set are scored."""

    metrics: MetricCalls
    held_out: HeldOutCall | None
    own: OwnScores | None = None

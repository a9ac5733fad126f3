"""Chains of a study: the runs of samplers, and trajectories as tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dagathlon.evaluate.chains import score_trajectory, size_trajectory
from dagathlon.learners.base import Estimate
from dagathlon.posteriors.chain import Chain
from dagathlon.report.context import Context
from dagathlon.study.grammar.evaluation import McmcAutocorrPlots, McmcTrajPlots
from dagathlon.study.plan.plan import Case, Run

_NOT_VARIED = ("mcmc_seed", "mcmc_estimator", "threshold", "burnin_frac")


class ChainRun(NamedTuple):
    """A run of a sampler with its chain; runs that differ in the estimator alone are one."""

    run: Run
    case: Case
    chain: Chain
    values: dict[str, Any]
    module: str
    parameter: str
    parameter_value: str


class Series(NamedTuple):
    """A functional of the graphs along a chain."""

    source: ChainRun
    functional: str
    sample: npt.NDArray[np.int64]
    value: npt.NDArray[Any]

    def labels(self) -> dict[str, Any]:
        """What tells the series from others, under Benchpress's names."""
        run, case, _, values, module, parameter, value = self.source
        return {
            "param": parameter,
            "param_val": value,
            "seed": case.seed,
            "mcmc_seed": values.get("mcmc_seed"),
            "alg": module,
            "id": run.entry,
            "functional": self.functional,
            "adjmat": case.graph_label,
            "parameters": case.parameters_label,
            "data": case.data_label,
        }


def chain_runs(context: Context, identifier: str) -> Iterator[ChainRun]:
    """The chains of a sampler, each once, in the order of the runs."""
    seen: set[int] = set()
    for run in context.runs_of([identifier]):
        if run.learn in seen:
            continue
        seen.add(run.learn)
        estimate = context.result(run.learn)
        if not isinstance(estimate, Estimate) or estimate.chain is None:
            continue
        entry = context.entry(run)
        values = dict(entry.settings[run.setting].values)
        parameter = varied_parameter(entry.values)
        case = context.plan.cases[run.case]
        value = str(values.get(parameter, identifier))
        yield ChainRun(run, case, estimate.chain, values, entry.module.name, parameter, value)


def varied_parameter(values: Mapping[str, Any]) -> str:
    """The last parameter with several values that makes another chain; else the id."""
    varied = [
        key
        for key, value in values.items()
        if isinstance(value, list) and len(value) > 1 and key not in _NOT_VARIED
    ]
    return varied[-1] if varied else "id"


def series_of(
    context: Context, evaluations: Sequence[McmcTrajPlots | McmcAutocorrPlots]
) -> Iterator[tuple[McmcTrajPlots | McmcAutocorrPlots, Series]]:
    """The trajectories that are asked for, chain by chain."""
    for evaluation in evaluations:
        if not evaluation.active:
            continue
        trajectory = score_trajectory if evaluation.functional == "score" else size_trajectory
        for source in chain_runs(context, evaluation.id):
            found = trajectory(source.chain, evaluation.burn_in, evaluation.thinning)
            yield evaluation, Series(source, evaluation.functional, found.sample, found.value)


def grouped(series: Iterable[Series], single: bool) -> list[list[Series]]:
    """The series of each figure: all settings of a sampler on a data set, or one setting."""
    groups: dict[tuple[Any, ...], list[Series]] = {}
    for one in series:
        labels = one.labels()
        keys = ["id", "functional", "adjmat", "parameters", "data", "seed", "alg"]
        key = tuple(labels[name] for name in [*keys, *(["param_val"] if single else [])])
        groups.setdefault(key, []).append(one)
    return list(groups.values())

"""Trajectories of Markov chains, and the base of evaluations that show them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.evaluate.posteriors.chains import score_trajectory, size_trajectory
from dagathlon.frame import Cells, grouped_by
from dagathlon.modules import Probability
from dagathlon.posteriors.posterior import Posterior
from dagathlon.report.charts.parts import Chart, headed
from dagathlon.report.evaluation import Block, Evaluation
from dagathlon.report.figures.chart import Drawing
from dagathlon.report.results import Results
from dagathlon.report.section import Variant
from dagathlon.study.plan.plan import Case, Run

NOT_VARIED = ("mcmc_seed", "mcmc_estimator", "threshold", "burnin_frac")


class ChainRun(NamedTuple):
    """A run of a sampler with its chains; runs that differ in the estimator alone are one."""

    run: Run
    case: Case
    posterior: Posterior
    values: Cells
    module: str
    parameter: str
    parameter_value: str


class Series(NamedTuple):
    """A functional of the graphs along one chain of a run."""

    source: ChainRun
    number: int
    functional: str
    sample: npt.NDArray[np.int64]
    value: npt.NDArray[Any]

    def labels(self) -> Cells:
        """Return the labels of the series under Benchpress's column names."""
        run, case, posterior, values, module, parameter, value = self.source
        seed = values.get("mcmc_seed")
        chain_name = f"{values.get('mcmc_seed', 1)}, chain {self.number + 1}"
        return {
            "param": parameter,
            "param_val": value,
            "seed": case.seed,
            "mcmc_seed": chain_name if len(posterior.chains) > 1 else seed,
            "alg": module,
            "id": run.entry,
            "functional": self.functional,
            "adjmat": case.graph_label,
            "parameters": case.parameters_label,
            "data": case.data_label,
        }


def chain_runs(results: Results, identifier: str) -> Iterator[ChainRun]:
    """Yield the chains of a sampler in the order of the runs, each chain once."""
    seen: set[int] = set()
    for run in results.runs_of([identifier]):
        if run.learn in seen:
            continue
        seen.add(run.learn)
        estimate = results.learned(run)
        if estimate is None or estimate.posterior is None:
            continue
        entry, case = results.algorithm(run), results.case(run)
        values = dict(results.values(run))
        parameter = varied_parameter(entry.values)
        value = str(values.get(parameter, identifier))
        result = estimate.posterior
        yield ChainRun(run, case, result, values, entry.module.name, parameter, value)


def varied_parameter(values: Mapping[str, Any]) -> str:
    """Return the last parameter with several values that changes the chain; else "id"."""
    varied = [
        key
        for key, value in values.items()
        if isinstance(value, list) and len(value) > 1 and key not in NOT_VARIED
    ]
    return varied[-1] if varied else "id"


class WantedTrajectory(Protocol):
    """Request for the trajectories of a sampler."""

    @property
    def id(self) -> str: ...  # noqa: D102
    @property
    def burn_in(self) -> float: ...  # noqa: D102
    @property
    def thinning(self) -> int | None: ...  # noqa: D102
    @property
    def functional(self) -> str: ...  # noqa: D102


def series_of(results: Results, wanted: WantedTrajectory) -> Iterator[Series]:
    """Yield the requested trajectories, chain by chain."""
    trajectory = score_trajectory if wanted.functional == "score" else size_trajectory
    for source in chain_runs(results, wanted.id):
        for number, chain in enumerate(source.posterior.chains):
            if wanted.functional == "score" and chain.score is None:
                continue
            result = trajectory(chain, wanted.burn_in, wanted.thinning)
            yield Series(source, number, wanted.functional, *result)


def by_figure(blocks: Iterable[Block], single: bool) -> list[list[Block]]:
    """Group series into figures: one per sampler and data set, or one per setting."""
    names = ["id", "functional", "adjmat", "parameters", "data", "seed", "alg"]
    names += ["param_val"] if single else []
    return list(grouped_by(blocks, lambda block: tuple(block[1][name] for name in names)).values())


Functional: TypeAlias = Literal["score", "size"]
DrawGroup: TypeAlias = Callable[[Sequence[Block], str, str], Chart]
"""A chart of some chains: the column that colours them, and what stands above the colours."""

# A page shows so many charts of chains; the files have all.
_MOST_CHARTS = 24


@dataclass(frozen=True, kw_only=True)
class ChainEvaluation(Evaluation):
    """Base class of evaluations of Markov chains.

    Parameters
    ----------
    id
        The sampler.
    burn_in
        Fraction of the chain to leave out.
    active
        False switches it off.
    """

    shape = "objects"
    id: str
    burn_in: Probability = 0.0
    active: bool = True

    def algorithms(self) -> tuple[str, ...]:
        """Return the id of the sampler, none if it is switched off."""
        return (self.id,) if self.active else ()


def group_figures(blocks: Sequence[Block], draw: DrawGroup) -> Iterator[tuple[str, Drawing]]:
    """Draw a figure per sampler and one per setting, filed as by Benchpress."""
    for folder, single in (("multi_param_settings", False), ("single_param_settings", True)):
        for number, group in enumerate(by_figure(blocks, single), 1):
            labels = group[0][1]
            chart = _drawn(group, single, draw)
            heading = str(labels["id"]), heading_lines(labels, single)
            yield f"{folder}/{number}.png", headed(chart, *heading)


def group_variants(blocks: Sequence[Block], draw: DrawGroup) -> list[Variant]:
    """Return the charts of the page, from which the reader selects a setting."""
    groups = by_figure(blocks, single=True)[:_MOST_CHARTS]
    charts = [_drawn(group, True, draw) for group in groups]
    return list(zip(_chart_names(groups), charts, strict=True))


def _drawn(group: Sequence[Block], single: bool, draw: DrawGroup) -> Chart:
    if single:
        return draw(group, "mcmc_seed", "chain")
    return draw(group, "param_val", str(group[0][1]["param"]))


def _chart_names(groups: Sequence[Sequence[Block]]) -> list[str]:
    """Return chart names to select from: sampler, functional, and the data where they differ."""
    labels = [group[0][1] for group in groups]
    keys = ("id", "functional", "adjmat", "parameters", "data", "seed", "param_val")
    differing = [key for key in keys if key == "id" or len({str(item[key]) for item in labels}) > 1]
    return [", ".join(_told(key, item[key]) for key in differing) for item in labels]


def _told(key: str, value: Any) -> str:
    return f"seed {value}" if key == "seed" else str(value)


def heading_lines(labels: Any, single: bool) -> list[str]:
    """Return the subtitle lines of a figure: graph, parameters, data, seed."""
    lines = [str(labels[name]) for name in ("adjmat", "parameters") if labels[name] != "None"]
    lines.append(f"{labels['data']}, seed {labels['seed']}")
    if single and labels["param"] != "id":
        lines.append(f"{labels['param']} = {labels['param_val']}")
    return lines

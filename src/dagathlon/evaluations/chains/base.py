"""What evaluations of Markov chains have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from dagathlon.evaluations.chains.trajectories import by_figure
from dagathlon.modules import Probability
from dagathlon.report.charts.parts import Chart, headed
from dagathlon.report.evaluation import Block, Evaluation
from dagathlon.report.figures.chart import Drawing
from dagathlon.report.section import Variant

Functional: TypeAlias = Literal["score", "size"]
DrawGroup: TypeAlias = Callable[[Sequence[Block], str, str], Chart]
"""A chart of some chains: the column that colours them, and what stands above the colours."""

# A page shows so many charts of chains; the files have all.
_MOST_CHARTS = 24


@dataclass(frozen=True, kw_only=True)
class ChainEvaluation(Evaluation):
    """Base of what is made of MCMC chains.

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
        """The sampler, unless switched off."""
        return (self.id,) if self.active else ()


def group_figures(blocks: Sequence[Block], draw: DrawGroup) -> Iterator[tuple[str, Drawing]]:
    """A figure for each sampler, and one for each of its settings, as Benchpress files them."""
    for folder, single in (("multi_param_settings", False), ("single_param_settings", True)):
        for number, group in enumerate(by_figure(blocks, single), 1):
            labels = group[0][1]
            chart = _drawn(group, single, draw)
            heading = str(labels["id"]), heading_lines(labels, single)
            yield f"{folder}/{number}.png", headed(chart, *heading)


def group_variants(blocks: Sequence[Block], draw: DrawGroup) -> list[Variant]:
    """The chains of each setting for the page, to choose from."""
    groups = by_figure(blocks, single=True)[:_MOST_CHARTS]
    charts = [_drawn(group, True, draw) for group in groups]
    return list(zip(_chart_names(groups), charts, strict=True))


def _drawn(group: Sequence[Block], single: bool, draw: DrawGroup) -> Chart:
    if single:
        return draw(group, "mcmc_seed", "chain")
    return draw(group, "param_val", str(group[0][1]["param"]))


def _chart_names(groups: Sequence[Sequence[Block]]) -> list[str]:
    """What a reader chooses a chart by: sampler, functional, and what tells the data apart."""
    labels = [group[0][1] for group in groups]
    keys = ("id", "functional", "adjmat", "parameters", "data", "seed", "param_val")
    told = [key for key in keys if key == "id" or len({str(one[key]) for one in labels}) > 1]
    return [", ".join(_told(key, one[key]) for key in told) for one in labels]


def _told(key: str, value: Any) -> str:
    return f"seed {value}" if key == "seed" else str(value)


def heading_lines(labels: Any, single: bool) -> list[str]:
    """What stands under the title of a figure about chains."""
    lines = [str(labels[name]) for name in ("adjmat", "parameters") if labels[name] != "None"]
    lines.append(f"{labels['data']}, seed {labels['seed']}")
    if single and labels["param"] != "id":
        lines.append(f"{labels['param']} = {labels['param_val']}")
    return lines

"""``ranking``: ranks, tests, strengths, costs and sensitivity, as tables and figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dagathlon.report.charts.cost import accuracy_against_cost
from dagathlon.report.charts.critical_difference import critical_difference
from dagathlon.report.charts.parts import Chart, headed
from dagathlon.report.charts.sensitivity import against_parameter, varied_parameters
from dagathlon.report.context import PARTIAL, Context
from dagathlon.report.files import write_csv
from dagathlon.report.page.tables import Tables
from dagathlon.report.rank_tables import (
    Ranks,
    cost_rows,
    like_mine_rows,
    pair_rows,
    rank_rows,
    relative_rows,
    sensitivity_rows,
    significance_rows,
)
from dagathlon.report.render import save
from dagathlon.report.words import words
from dagathlon.study.grammar.evaluation import Ranking

EVALUATION = Ranking

_TABLES = {
    "ranks": rank_rows,
    "relative": relative_rows,
    "tests": significance_rows,
    "pairwise": pair_rows,
    "strengths": Ranks.strengths,
    "data_like_mine": like_mine_rows,
    "costs": cost_rows,
    "sensitivity": sensitivity_rows,
}


def write(context: Context, evaluations: Sequence[Ranking]) -> None:
    """Eight tables, and figures as SVG and PNG."""
    folder = context.folder / "ranking"
    note = {PARTIAL: True} if context.partial else {}
    for options in evaluations:
        ranks = Ranks.of(context, options)
        for name, make in _TABLES.items():
            write_csv([row | note for row in make(ranks)], folder / f"{name}.csv")
        for name, chart in _figures(context, ranks):
            save(chart, folder / f"{name}.svg", folder / f"{name}.png")


def _figures(context: Context, ranks: Ranks) -> Iterator[tuple[str, Chart]]:
    for metric in ranks.metrics:
        chart = critical_difference(ranks.nemenyi(metric), ranks.ids, context.look)
        heading = f"{words(metric).title}: {context.setup.title}"
        yield f"critical_difference_{metric}", headed(chart, heading)
    settings = Tables(context, {}).settings
    for metric in ranks.metrics[:1]:
        for cost in ("time", "memory"):
            chart = accuracy_against_cost(settings, metric, cost, context.look)
            yield f"pareto_{cost}", headed(chart, context.setup.title)
        for name in varied_parameters(settings):
            chart = against_parameter(settings, metric, name, context.look)
            yield f"sensitivity_{name}", headed(chart, context.setup.title)

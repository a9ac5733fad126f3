"""The figures of a report: charts of the same definitions as the files, without their data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dagathlon.report.charts.boxes import boxes, graph_types, is_few
from dagathlon.report.charts.cost import accuracy_against_cost
from dagathlon.report.charts.failures import outcomes
from dagathlon.report.charts.parts import RUNS, SETTINGS, Chart, Row, Values, is_nothing
from dagathlon.report.charts.roc import RocOptions, roc
from dagathlon.report.charts.sensitivity import (
    DATA,
    against_data,
    against_parameter,
    varied_parameters,
)
from dagathlon.report.look import Look
from dagathlon.report.page.tables import Tables
from dagathlon.report.render import themed
from dagathlon.report.section import Figure
from dagathlon.report.words import words

_MOST_TYPES = 2000


def figures(tables: Tables, data_rows: Sequence[Row], look: Look) -> list[Figure]:
    """All figures that the tables have numbers for."""
    found = [*_accuracy(tables, look), *_varied(tables, data_rows, look), *_other(tables, look)]
    drawn = [
        figure._replace(variants=[one for one in figure.variants if not is_nothing(one[1])])
        for figure in found
    ]
    return [figure for figure in drawn if figure.variants]


def _accuracy(tables: Tables, look: Look) -> Iterator[Figure]:
    metrics = tables.headlines if tables.has_truth else ["n_edges", "time", "memory"]
    metrics = sorted(metrics, key=lambda metric: metric != tables.quality)
    question = "How good is each setting?" if tables.has_truth else "How large are the graphs?"
    yield Figure(
        "boxes",
        question,
        f"{_how_to_read(tables)}; an arrow on the axis says which way is better. Click a point or "
        "a box for its runs.",
        [
            (words(m).title, boxes(tables.runs, m, look, log=m in ("time", "memory")))
            for m in metrics
        ],
    )
    if not tables.has_truth:
        return
    rates = {"pattern": ("FPRn_pattern", "TPR_pattern"), "skeleton": ("FPR_skel", "TPR_skel")}
    options = RocOptions(errorbarh=True, label="none")
    yield Figure(
        "roc",
        "Edges found against edges invented",
        "One point per setting: medians over seeds with bars from 5 to 95 %. The upper left corner "
        "is best; a line joins the settings of one algorithm.",
        [
            (name, roc(tables.runs, tables.settings, axes, look, options))
            for name, axes in rates.items()
        ],
    )
    if tables.quality is not None:
        yield Figure(
            "cost",
            "What does accuracy cost?",
            "Medians over seeds; the cost is on a logarithmic axis. The dashed line joins the "
            "settings that no cheaper one matches: whatever lies off it is worse or dearer.",
            [(f"against {cost}", _cost(tables, cost, look)) for cost in ("time", "memory")],
        )


def _how_to_read(tables: Tables) -> str:
    if is_few(tables.runs):
        return "Each point is a run (a seed of a data set)"
    return (
        "Each box holds the middle half of the runs (seeds and data sets), the line is the median"
    )


def _cost(tables: Tables, cost: str, look: Look) -> Chart:
    return accuracy_against_cost(tables.settings, str(tables.quality), cost, look)


def _varied(tables: Tables, data_rows: Sequence[Row], look: Look) -> Iterator[Figure]:
    metric = tables.quality
    if metric is None:
        return
    yield Figure(
        "parameters",
        "How much does the parameter matter?",
        "Medians over seeds with bars from 5 to 95 %, against the parameter that the study varies.",
        [
            (name, against_parameter(tables.settings, metric, name, look))
            for name in varied_parameters(tables.settings)
        ],
    )
    curves = dict.fromkeys((row["factor"], row["group"]) for row in data_rows)
    yield Figure(
        "data",
        "Which algorithm for data like mine?",
        "Each algorithm at its best setting for such data: medians with bars from 5 to 95 %.",
        [
            (
                f"{one[0]} ({one[1]})" if one[1] else one[0],
                against_data(data_rows, metric, one, look),
            )
            for one in curves
        ],
    )


def _other(tables: Tables, look: Look) -> Iterator[Figure]:
    if any(row["status"] != "ok" for row in tables.runs):
        yield Figure(
            "outcomes",
            "Which runs failed?",
            "Runs by how they ended. The table of failures below has the reasons.",
            [("outcomes", outcomes(tables.runs))],
        )
    typed = [row for row in tables.runs if row.get("graph_type")]
    if len({row["graph_type"] for row in typed}) > 1 and len(typed) <= _MOST_TYPES:
        yield Figure(
            "types",
            "What kind of graph came out?",
            "A point for each seed: dag, cpdag, ug (undirected), or another kind.",
            [("kinds", graph_types(tables.runs))],
        )


def detached(chart: Chart) -> Chart:
    """The chart for the page: its named tables stay in the page, once for all charts."""
    return themed(_without_values(chart), ink="currentColor", font="system-ui, sans-serif")


def _without_values(part: Any) -> Any:
    if isinstance(part, list):
        return [_without_values(item) for item in part]
    if isinstance(part, Values):
        return list(part)
    if not isinstance(part, dict):
        return part
    if part.get("name") in (RUNS, SETTINGS, DATA) and "values" in part:
        return {"name": part["name"]}
    return {key: _without_values(value) for key, value in part.items()}

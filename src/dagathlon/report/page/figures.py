"""The figures of a report: charts of the same definitions as the files, without their data."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dagathlon.frame import Rows
from dagathlon.report.charts.boxes import boxes, is_few, kinds_of_graph
from dagathlon.report.charts.cost import (
    DATA,
    accuracy_against_cost,
    against_data,
    against_parameter,
    varied_parameters,
)
from dagathlon.report.charts.overview import outcomes, overview
from dagathlon.report.charts.parts import RUNS, SETTINGS, Chart, Values, by_kind, is_nothing
from dagathlon.report.charts.roc import RocOptions, roc
from dagathlon.report.figures.charts_io import themed
from dagathlon.report.figures.palette import Look
from dagathlon.report.page.tables import Tables
from dagathlon.report.section import Figure
from dagathlon.report.words import short_title, words

_INK = "currentColor"
# The rows of the page's own charts, taller than those of the files.
_STEP, _PANEL_STEP = 24, 20
_HEIGHT, _PANEL_HEIGHT = 380, 230
_MOST_BARS = 6
_FEW_ROWS = 12


def figures(tables: Tables, data_rows: Rows, look: Look) -> list[Figure]:
    """Return all figures that the tables have numbers for."""
    complete = [
        *_accuracy(tables, look),
        *_scatters(tables, look),
        *_varied(tables, data_rows, look),
        *_other(tables),
    ]
    drawn = [
        figure._replace(
            variants=[variant for variant in figure.variants if not is_nothing(variant[1])]
        )
        for figure in complete
    ]
    return [figure for figure in drawn if figure.variants]


def kinds_of(tables: Tables) -> list[str]:
    """Return the kinds of data, in the order of the tables."""
    return list(dict.fromkeys(row["case"] for row in tables.runs))


def best_first(tables: Tables) -> list[str]:
    """Return the algorithms by average place over kinds of data; without a truth in given order.

    A page colours the first dozen of many, so the order decides what stands out.
    """
    places: Counter[str] = Counter()
    ids = list(dict.fromkeys(row["id"] for row in tables.runs))
    metric = tables.quality
    sign = -1 if metric and words(metric).better == "more" else 1
    for kind in kinds_of(tables) if metric else []:
        best: dict[str, float] = {}
        for row in tables.settings:
            mean = row.get(f"{metric}_mean")
            if row["case"] == kind and mean is not None:
                best[row["id"]] = min(sign * mean, best.get(row["id"], math.inf))
        for identifier in ids:
            mine = best.get(identifier, math.inf)
            places[identifier] += sum(other < mine for other in best.values())
    return sorted(ids, key=lambda one: places[one])


def _accuracy(tables: Tables, look: Look) -> Iterator[Figure]:
    metrics = tables.headlines if tables.has_truth else ["n_edges", "time", "memory"]
    metrics = sorted(metrics, key=lambda metric: metric != tables.quality)
    kinds = kinds_of(tables)
    if tables.has_truth and len(kinds) > 1 and len(look.ids) > 1:
        order = best_first(tables)
        yield Figure(
            "overview",
            "Who is best on which data?",
            "Means over seeds, each algorithm at its best setting for such data. Shades go from "
            "the median of a row to its best; rows are not comparable with each other. A star "
            "marks a mean over some of the runs.",
            [(words(m).title, overview(tables.settings, m, kinds, order)) for m in metrics],
        )
    question = "How good is each setting?" if tables.has_truth else "How large are the graphs?"
    yield Figure(
        "boxes",
        question,
        f"{_how_to_read(tables)}; an arrow on the axis says which way is better. Click a point or "
        "a box for its runs.",
        [(words(m).title, _boxes(tables, m, look)) for m in metrics],
    )


def _boxes(tables: Tables, metric: str, look: Look) -> Chart:
    """Draw a row per setting: by rank in one panel, in one common order in several."""
    kinds = kinds_of(tables)
    step = _STEP if len(kinds) == 1 else _PANEL_STEP
    chart = boxes(tables.runs, metric, look, log=metric in ("time", "memory"), step=step)
    if len(kinds) > 1 or is_nothing(chart):
        return by_kind(chart, kinds, own=("x",), titles={"x": short_title(metric)})
    y = chart["encoding"]["y"] | {"sort": _ordered(tables, metric)}
    return chart | {"encoding": chart["encoding"] | {"y": y}}


def _ordered(tables: Tables, metric: str) -> list[str]:
    """Return the settings by mean, the best first, those without one last."""
    means = {row["setting"]: row.get(f"{metric}_mean") for row in tables.settings}
    sign = {"more": -1, "less": 1}.get(words(metric).better, 0)
    return sorted(means, key=lambda name: _place(means[name], sign))


def _place(mean: float | None, sign: int) -> tuple[bool, float]:
    return (mean is None, 0.0 if mean is None else sign * mean)


def _scatters(tables: Tables, look: Look) -> Iterator[Figure]:
    """Yield scatter figures of rates and of accuracy against cost, in panels by kind of data."""
    if not tables.has_truth:
        return
    rates = {"pattern": ("FPRn_pattern", "TPR_pattern"), "skeleton": ("FPR_skel", "TPR_skel")}
    # The bars of many algorithms hide the points of a small panel.
    bars = len(kinds_of(tables)) == 1 or len(look.ids) <= _MOST_BARS
    options = RocOptions(errorbar=bars, errorbarh=bars, label="none")
    yield Figure(
        "roc",
        "Edges found against edges invented",
        f"One point per setting: medians over seeds{' with bars from 5 to 95 %' if bars else ''}. "
        "The upper left corner is best; a line joins the settings of one algorithm.",
        [
            (
                name,
                _panels(
                    tables,
                    roc(tables.runs, tables.settings, axes, look, options),
                    own="x",
                    titles=dict(zip("xy", map(short_title, axes), strict=True)),
                ),
            )
            for name, axes in rates.items()
        ],
    )
    if tables.quality is not None:
        y = {"y": short_title(tables.quality)}
        yield Figure(
            "cost",
            "What does accuracy cost?",
            "Medians over seeds; the cost is on a logarithmic axis. The dashed line joins the "
            "settings that no cheaper one matches: whatever lies off it is worse or dearer.",
            [
                (f"against {cost}", _panels(tables, _cost(tables, cost, look), own="y", titles=y))
                for cost in ("time", "memory")
            ],
        )


def _how_to_read(tables: Tables) -> str:
    if is_few(tables.runs):
        return "Each point is a run (a seed of a data set)"
    return "Each box holds the middle half of the runs, the line is the median"


def _cost(tables: Tables, cost: str, look: Look) -> Chart:
    return accuracy_against_cost(tables.settings, str(tables.quality), cost, look)


def _panels(tables: Tables, chart: Chart, *, own: str, titles: Mapping[str, str]) -> Chart:
    """Return a scatter plot of page width, or one per kind of data."""
    kinds = kinds_of(tables)
    if is_nothing(chart):
        return chart
    if len(kinds) == 1:
        return chart | {"height": _HEIGHT}
    sized = chart | {"height": _PANEL_HEIGHT}
    if own == "y":
        # A small panel has no room for the way from zero to where the algorithms are.
        near = {"scale": {"zero": False, "nice": False, "padding": 10}}
        sized["encoding"] = chart["encoding"] | {"y": chart["encoding"]["y"] | near}
    return by_kind(sized, kinds, own=(own,), titles=titles)


def _varied(tables: Tables, data_rows: Rows, look: Look) -> Iterator[Figure]:
    metric = tables.quality
    if metric is None:
        return
    yield Figure(
        "parameters",
        "How much does the parameter matter?",
        "Medians over seeds with bars from 5 to 95 %, against the parameter that the study varies.",
        [
            (name, _panels(tables, chart, own="y", titles={"y": short_title(metric)}))
            for name in varied_parameters(tables.settings)
            for chart in [against_parameter(tables.settings, metric, name, look)]
        ],
    )
    curves = dict.fromkeys((row["factor"], row["group"]) for row in data_rows)
    yield Figure(
        "data",
        "Which algorithm for data like mine?",
        "Each algorithm at its best setting for such data: medians with bars from 5 to 95 %.",
        [
            (
                f"{curve[0]} ({curve[1]})" if curve[1] else curve[0],
                against_data(data_rows, metric, curve, look),
            )
            for curve in curves
        ],
    )


def _other(tables: Tables) -> Iterator[Figure]:
    if any(row["status"] != "ok" for row in tables.runs):
        yield Figure(
            "outcomes",
            "How did the runs end?",
            "Runs by how they ended; the reasons are in the table of failures below.",
            [("outcomes", outcomes(tables.runs, _STEP))],
        )
    if len({row["graph_type"] for row in tables.runs if row.get("graph_type")}) > 1:
        yield Figure(
            "types",
            "What kind of graph came out?",
            "Graphs by what they are: dag, cpdag, ug (undirected) or another kind; unknown is none "
            "of these, as when directions contradict each other.",
            [("kinds", kinds_of_graph(tables.runs, _STEP))],
        )


def detached(chart: Chart) -> Chart:
    """Return the chart without its data tables, which the page holds once for all charts."""
    made = themed(_without_values(chart), ink=_INK, font="system-ui, sans-serif")
    config = made["config"]
    config["axis"] |= {"labelFontSize": 12, "titleFontSize": 12, "labelPadding": 5}
    config["legend"] |= {"labelFontSize": 12, "symbolSize": 90, "columnPadding": 18}
    # Without these, the titles of panels are black on a dark page.
    heads = {"labelColor": _INK, "titleColor": _INK, "labelFontSize": 12, "labelFontWeight": 600}
    return made | {"config": config | {"header": heads}}


def _is_table(values: Sequence[Any]) -> bool:
    """Return whether rows have the same columns, so that names are stored once."""
    return all(isinstance(row, dict) and row.keys() == values[0].keys() for row in values)


def _coded(values: list[Any]) -> Any:
    """Encode a column: each distinct text once, numbers as they are."""
    if not all(isinstance(value, str) for value in values):
        return values
    levels = {text: i for i, text in enumerate(dict.fromkeys(values))}
    return {"levels": list(levels), "codes": [levels[text] for text in values]}


def _without_values(part: Any) -> Any:
    if isinstance(part, list):
        return [_without_values(item) for item in part]
    if not isinstance(part, dict):
        return part
    if part.get("name") in (RUNS, SETTINGS, DATA) and "values" in part:
        return {"name": part["name"]}
    values = part.get("values")
    if isinstance(values, list | Values) and len(values) > _FEW_ROWS and _is_table(values):
        return {"columns": {name: _coded([row[name] for row in values]) for name in values[0]}}
    if isinstance(values, Values):
        return part | {"values": list(values)}
    return {key: _without_values(value) for key, value in part.items()}

"""Figures of the accuracy of intersection-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from dagathlon.evaluations.forecast_accuracy.accuracy import VERDICTS, Point
from dagathlon.evaluations.forecast_accuracy.tables import METHODS, PHD, Networks
from dagathlon.evaluations.intersection_validation.charts import (
    MOST_NODES,
    PairWords,
    interval_drawing,
    pair_words,
)
from dagathlon.evaluations.intersection_validation.validation import interval_validation
from dagathlon.frame import Cells, Row, Rows
from dagathlon.graphs import PartialGraph
from dagathlon.report.charts.metric_lines import correlation_lines, metric_lines
from dagathlon.report.charts.parts import (
    HEIGHT,
    WIDTH,
    Chart,
    by_kind,
    is_nothing,
    nothing,
    tooltip,
)
from dagathlon.report.evaluation import Table, TableSet
from dagathlon.report.figures.palette import Look
from dagathlon.report.section import Figure, Picture, Variant
from dagathlon.report.tables.regimes import ordered

CLASSES = ((5, "fewer than 5"), (10, "5 to 9"), (20, "10 to 19"), (None, "20 or more"))
"""Numbers of connected pairs: the bound below which a class ends, and its words."""
_COLOURS = ("#d55e00", "#e69f00", "#56b4e9", "#0072b2")
_SHAPES = ("triangle-down", "square", "diamond", "circle")
_Y: Chart = {
    "field": "pearson",
    "type": "quantitative",
    "title": "correlation of PHD with SHD",
    "scale": {"domain": [-1, 1]},
}


def class_of(connected: float) -> str:
    """Return the size class of an agreement graph with that many connected pairs, in words."""
    return next(words for end, words in CLASSES if end is None or connected < end)


def accuracy_against_size(rows: Rows) -> Chart:
    """Plot the correlation of PHD and SHD against the relative size of the agreement graph.

    Parameters
    ----------
    rows
        `network`, `point`, `rows`, `relative_size`, `connected`, `pearson`.
    """
    known = [row for row in rows if row["pearson"] is not None]
    if not known:
        return nothing("no correlation is defined")
    values = [
        {name: row[name] for name in ("point", "rows", "relative_size", "connected", "pearson")}
        | {"case": row["network"], "class": class_of(row["connected"])}
        for row in known
    ]
    order = [words for _, words in CLASSES if words in {value["class"] for value in values}]
    places = [[words for _, words in CLASSES].index(words) for words in order]
    legend: Chart = {"title": "connected pairs"}
    field: Chart = {"field": "class", "type": "nominal", "legend": legend}
    fields = tooltip(case="network", point="intersection point", rows="rows of subsamples")
    fields += [
        {"field": name, "title": name.replace("_", " "), "format": ".3g"}
        for name in ("relative_size", "connected", "pearson")
    ]
    chart: Chart = {
        "width": WIDTH,
        "height": HEIGHT - 80,
        "data": {"values": values},
        "mark": {"type": "point", "filled": True, "size": 55, "opacity": 0.85},
        "encoding": {
            "x": {
                "field": "relative_size",
                "type": "quantitative",
                "title": "relative size of the agreement graph",
                "scale": {"zero": False, "padding": 10},
            },
            "y": _Y,
            "color": field | {"scale": {"domain": order, "range": [_COLOURS[i] for i in places]}},
            "shape": field | {"scale": {"domain": order, "range": [_SHAPES[i] for i in places]}},
            "tooltip": fields,
        },
    }
    return by_kind(chart, list(dict.fromkeys(value["case"] for value in values)))


def accuracy_by_verdict(rows: Rows, verdicts: tuple[str, ...]) -> Chart:
    """Plot the correlations for each verdict, with their quartiles.

    Parameters
    ----------
    rows
        `network`, `verdict`, `pearson`, one for each data set and number of rows.
    verdicts
        The verdicts, in order.
    """
    known = [row for row in rows if row["pearson"] is not None]
    if not known:
        return nothing("no correlation is defined")
    values = [
        {"verdict": row["verdict"], "pearson": round(float(row["pearson"]), 4)} for row in known
    ]
    present = {value["verdict"] for value in values}
    order = [verdict for verdict in verdicts if verdict in present]
    return {
        "width": WIDTH,
        "height": 46 * len(order),
        "data": {"values": values},
        "mark": {"type": "boxplot", "extent": "min-max", "size": 22},
        "encoding": {
            "x": _Y,
            "y": {
                "field": "verdict",
                "type": "nominal",
                "title": None,
                "sort": order,
                "scale": {"domain": order},
            },
        },
    }


_MOST_PICTURES = 30

WORDS = {
    "SHD": "structural Hamming distance ↓",
    "CE": "cross-entropy ↓",
    "CV": "cross-validated log-loss ↓",
    PHD: "partial Hamming distance ↓",
}
"""What axes call the methods."""


def chosen_point(tables: TableSet) -> dict[str, int]:
    """Return the intersection point of each network that has a figure of its own."""
    wanted = next((int(row["point"]) for row in tables.rows("chosen")), 0)
    result: dict[str, int] = {}
    for row in tables.rows("accuracy"):
        known, point = result.get(row["network"]), int(row["point"])
        if known is None or abs(point - wanted) < abs(known - wanted):
            result[row["network"]] = point
    return result


def accuracy_figures(tables: TableSet) -> list[Figure]:
    """Return the figures that have data."""
    result = [
        Figure(
            "interval-correlation",
            "Does PHD order the learners as SHD does?",
            "Pearson's correlation over the learners of their mean PHD and mean SHD, for every "
            "intersection point (colour) and number of rows of the subsamples. × is not defined: "
            "the learners do not differ in one of the two.",
            _by_family(tables, _by_point),
        ),
        Figure(
            "interval-forecast",
            "Does the agreement graph tell beforehand?",
            "Accuracy against the part of all pairs on which the learners agree. Each point is an "
            "intersection point with a number of rows of subsamples.",
            _forecasts(tables),
        ),
        Figure(
            "interval-agreement",
            "On how much do the learners agree?",
            "Means over data sets. The relative size counts all pairs of which all learners say "
            "the same, those without an edge among them; connected pairs are those with one.",
            _by_family(tables, _agreement),
        ),
        Figure(
            "interval-curves",
            "What do the learners score on all rows?",
            "Means over data sets; bars are one standard error to both sides.",
            _by_family(tables, _curves),
        ),
        Figure(
            "interval-methods",
            "Which evaluations agree with each other on all rows?",
            "Pearson's correlation over the learners of mean values; signs are turned so that 1 "
            "means that two methods order the learners alike. × is not defined.",
            _by_family(tables, _methods),
        ),
        Figure(
            "interval-point",
            "What does intersection-validation see at one intersection point?",
            "Partial Hamming distances of graphs from subsamples to the agreement graph of all "
            "rows, and their correlations with the other methods.",
            _by_family(tables, _point),
        ),
    ]
    shown = [
        figure._replace(variants=[v for v in figure.variants if not is_nothing(v[1])])
        for figure in result
    ]
    return [figure for figure in shown if figure.variants]


def _by_family(tables: TableSet, make: Callable[[TableSet], list[Variant]]) -> list[Variant]:
    """Return the charts of each family of learners, if there are several."""
    names = list(dict.fromkeys(row["family"] for row in tables.rows("accuracy") if "family" in row))
    if not names:
        return make(tables)
    result: list[Variant] = []
    for family in names:
        members = {
            name: Table([row for row in tables.rows(name) if row.get("family", family) == family])
            for name in tables.tables
        }
        made = make(replace(tables, tables=members))
        result += [(f"{family}, {name}" if name else family, chart) for name, chart in made]
    return result


def _curves(tables: TableSet) -> list[Variant]:
    return [_curve(tables, tables.rows("curves"), method) for method in METHODS]


def _curve(tables: TableSet, rows: Rows, method: str) -> Variant:
    members = [_line(row) for row in rows if row["method"] == method]
    look = _look(tables, [row["id"] for row in members])
    return method, metric_lines(members, WORDS[method], look)


def _line(row: Row) -> Chart:
    mean, se = row["mean"], row["se"] or 0.0
    return {
        "graph": row["network"],
        "rows": row["rows"],
        "id": row["learner"],
        "mean": mean,
        "low": mean - se,
        "high": mean + se,
        "data_sets": row["data_sets"],
    }


def _look(tables: TableSet, names: Sequence[str]) -> Look:
    """Return the page's colours of algorithms, or new ones where learners are settings of them."""
    return tables.look if set(names) <= set(tables.look.ids) else Look.of(names)


def _correlation(row: Row, name: str, value: Any) -> Chart:
    numbers = dict.fromkeys(("mean", "low", "high"), value)
    about = {"graph": row["network"], "rows": row["rows"], "id": name}
    return about | numbers | {"data_sets": row.get("data_sets")}


def _methods(tables: TableSet) -> list[Variant]:
    rows = [
        _correlation(row, f"{row['left']} and {row['right']}", row["correlation"])
        for row in tables.rows("methods")
    ]
    names = [name for name in ordered(rows, "id") if name != "SHD and CV"]
    shown = [row for row in rows if row["id"] in names]
    return [("", correlation_lines(shown, "correlation", Look(tuple(names))))]


def _by_point(tables: TableSet) -> list[Variant]:
    rows = tables.rows("accuracy")
    names = tuple(f"{point:,}" for point in sorted({int(row["point"]) for row in rows}))
    result: list[Variant] = []
    for field, words in (("pearson", "Pearson"), ("spearman", "Spearman")):
        lines = [_correlation(row, f"{row['point']:,}", row[field]) for row in rows]
        chart = correlation_lines(
            lines, "correlation of PHD with SHD", Look(names), "rows of subsamples"
        )
        result.append((words, chart))
    return result


def _point(tables: TableSet) -> list[Variant]:
    chosen = chosen_point(tables)
    selected = [r for r in tables.rows("partial_curves") if r["point"] == chosen.get(r["network"])]
    result = [_curve(tables, selected, PHD)]
    lines = [
        _correlation(row, f"PHD and {method}", row[column])
        for row in tables.rows("accuracy")
        if row["point"] == chosen[row["network"]]
        for method, column in (("SHD", "pearson"), ("CE", "pearson_CE"), ("CV", "pearson_CV"))
    ]
    known = {row["id"] for row in lines if row["mean"] is not None}
    shown = [row for row in lines if row["id"] in known]
    look = Look(tuple(ordered(shown, "id")))
    return [*result, ("correlations", correlation_lines(shown, "correlation with PHD", look))]


def _agreement(tables: TableSet) -> list[Variant]:
    rows = tables.rows("accuracy")
    by_point = {(row["network"], row["point"]): row for row in rows}
    result: list[Variant] = []
    look = Look(tuple(ordered(rows, "network")))
    for field, words in (("relative_size", "relative size"), ("connected", "connected pairs")):
        lines = [
            _correlation({**row, "network": "", "rows": point}, network, row[field])
            for (network, point), row in by_point.items()
        ]
        result.append((words, metric_lines(lines, words, look, "intersection point")))
    return result


def _forecasts(tables: TableSet) -> list[Variant]:
    """Draw forecasts in panels by network, or by family if there are several."""
    means, single = (
        [{**row, "network": row.get("family", row["network"])} for row in tables.rows(name)]
        for name in ("accuracy", "data_sets")
    )
    return [
        ("means over data sets", accuracy_against_size(means)),
        ("data sets by themselves", accuracy_against_size(single)),
        ("by verdict", accuracy_by_verdict(single, VERDICTS)),
    ]


def first_points(networks: Networks) -> Iterator[Cells]:
    """Yield agreement graph and true graph of the first data set of each size (figure 7)."""
    for network, sizes in networks.networks.items():
        for rows, members in sizes.items():
            first = min(members, key=lambda item: item.seed)
            yield {"network": network, "rows": rows, "point": first}


def pictures(tables: TableSet) -> list[Picture]:
    """Draw the agreement graphs, if they are few enough to look at."""
    rows = [row for row in tables.rows("pictures") if len(row["point"].truth.names) <= MOST_NODES]
    if any("family" in row for row in rows):
        return []
    if len(rows) > _MOST_PICTURES:
        chosen = chosen_point(tables)
        rows = [row for row in rows if row["rows"] == chosen.get(row["network"])]
    drawn: list[tuple[str, str]] = []
    for network in ordered(rows, "network"):
        selected = [row for row in rows if row["network"] == network]
        drawn.append((f"{network}, the true class", _true(selected[0]["point"].truth)))
        drawn += [(f"{network}, {row['rows']:,} rows", _agreed(row["point"])) for row in selected]
    caption = (
        "Of the first data set of each size. Solid: all learners have the edge, in the same "
        "direction or without one. Dashed: they differ, and the pair is not in the agreement graph."
    )
    heading = "What do the learners agree on?"
    return [Picture("interval-graphs", heading, caption, drawn)] if drawn else []


def _agreed(point: Point) -> str:
    result = interval_validation(
        point.graphs, {}, outputs=point.outputs, compare_pairs=False, compare_effects=False
    )
    return interval_drawing(pair_words(result), result.nodes).picture.for_page()


def _true(truth: PartialGraph) -> str:
    pairs = [PairWords(e.left, e.right, e.connector, {}) for e in truth.edges()]
    return interval_drawing(pairs, truth.names).picture._replace(keys=()).for_page()

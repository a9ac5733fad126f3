"""``recovery``: which methods find which graph from how many rows, as tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dagathlon.evaluate.metric import measure_of
from dagathlon.evaluate.ranking.summary import is_number, numbers
from dagathlon.frame import Cells, Row, Rows, grouped, rows_by
from dagathlon.graphs import Graph
from dagathlon.graphs.drawing.arrange import arrange
from dagathlon.graphs.drawing.labels import Label
from dagathlon.report.evaluation import AnyTable, OfLearners, Records, Table, TableSet
from dagathlon.report.figures.palette import Look
from dagathlon.report.page.sections import text
from dagathlon.report.results import Results
from dagathlon.report.section import Picture, Section
from dagathlon.report.tables.regimes import Regime, method_of, regimes_of
from dagathlon.report.words import duration, short_title
from dagathlon.wording import counted

COST = "cpu"


class Shape(NamedTuple):
    """First true graph of a kind, drawn for its kind.

    Parameters
    ----------
    name
        Of the kind of graph.
    graph
        The one of the first data set.
    edges
        The fewest and the most edges of the kind.
    """

    name: str
    graph: Graph
    edges: tuple[int, int]


def run_rows(results: Results, ids: Sequence[str], metrics: Sequence[str]) -> list[Cells]:
    """Return one row per run: kind of data, method, metrics, processor time."""
    runs = results.runs_of(ids)
    regimes = regimes_of(results, (results.case(run) for run in runs))
    result = []
    for run, row in zip(runs, results.rows_of(runs), strict=True):
        case = results.case(run)
        about = regimes[case]._asdict() | {"seed": case.seed, "id": run.entry}
        about |= {"method": method_of(results, run).name, "variables": row.get("n_nodes")}
        result.append(about | {name: row.get(name) for name in (*metrics, COST)})
    return result


def mean_rows(rows: Rows, metrics: Sequence[str]) -> Iterator[Cells]:
    """Yield mean, standard error and number of values by kind of data, method and metric."""
    names = ("graph", "model", "rows", "id", "method")
    for key, members in rows_by(rows, *names).items():
        about = dict(zip(names, key, strict=True))
        about["variables"] = members[0]["variables"]
        for metric in metrics:
            values = numbers(members, metric)
            if values:
                spread = float(np.std(values, ddof=1)) if len(values) > 1 else None
                yield about | {
                    "metric": metric,
                    "mean": float(np.mean(values)),
                    "se": None if spread is None else spread / len(values) ** 0.5,
                    "known": len(values),
                }


def median_costs(rows: Rows) -> dict[str, float]:
    """Return the median processor time of a run in seconds, by method."""
    result = grouped((row["method"], float(row[COST])) for row in rows if is_number(row.get(COST)))
    return {method: float(np.median(values)) for method, values in result.items()}


def average_ranks(means: Rows, metric: str) -> dict[str, float]:
    """Return the average rank of each method over kinds of data, by means of a metric."""
    kinds: dict[Regime, dict[str, float]] = {}
    sign = -1.0 if measure_of(metric).better == "more" else 1.0
    for row in means:
        if row["metric"] == metric:
            kind = Regime(row["graph"], row["model"], row["rows"])
            kinds.setdefault(kind, {})[row["method"]] = sign * row["mean"]
    ranks: dict[str, list[float]] = {row["method"]: [] for row in means}
    for values in kinds.values():
        for method, value in values.items():
            better = sum(other < value for other in values.values())
            equal = sum(other == value for other in values.values())
            ranks[method].append(better + (equal + 1) / 2)
    return {name: float(np.mean(members)) if members else np.inf for name, members in ranks.items()}


def shapes_of(results: Results) -> list[Shape]:
    """Return the first true graph of each kind, in the order of the study."""
    regimes = regimes_of(results, results.cases)
    graphs: dict[str, dict[int | None, Graph]] = {}
    for case, regime in regimes.items():
        truth = results.truth(case)
        if truth is not None:
            graphs.setdefault(regime.graph, {})[case.graph] = truth
    result = []
    for name, members in graphs.items():
        counts = [item.n_edges for item in members.values()]
        result.append(Shape(name, next(iter(members.values())), (min(counts), max(counts))))
    return result


# A dot takes so much room; larger graphs are not drawn so small.
_DOT, _MOST_NODES = Label(("",), 8.0, 8.0), 120
_WIDE, _HIGH, _MARGIN = 170.0, 110.0, 8.0


class Column(NamedTuple):
    """Column of the table: a metric on one kind of data."""

    metric: str
    model: str
    rows: int
    graph: str


def drawings(shapes: Sequence[Shape]) -> str:
    """Draw the true graphs side by side."""
    drawn = [_drawing(shape) for shape in shapes if len(shape.graph) <= _MOST_NODES]
    return f'<div class="shapes">{"".join(drawn)}</div>' if drawn else ""


def _drawing(shape: Shape) -> str:
    layout = arrange(shape.graph, [_DOT] * len(shape.graph))
    places = np.array([layout.boxes[i][:2] for i in range(len(shape.graph))], dtype=float)
    low, span = places.min(axis=0), np.maximum(np.ptp(places, axis=0), 1.0)
    room = np.array([_WIDE, _HIGH]) - 2 * _MARGIN
    at = np.round(_MARGIN + (places - low) / span * room, 1).tolist()
    pairs = np.argwhere(np.triu((shape.graph.marks != 0) | (shape.graph.marks != 0).T)).tolist()
    lines = "".join(f"M{at[i][0]} {at[i][1]}L{at[j][0]} {at[j][1]}" for i, j in pairs)
    dots = "".join(f'<circle cx="{x}" cy="{y}" r="3"/>' for x, y in at)
    least, most = shape.edges
    edges = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    words = f"{counted(len(shape.graph), 'node')}, {edges} edges"
    return (
        f'<figure><svg viewBox="0 0 {_WIDE:g} {_HIGH:g}" role="img" '
        f'aria-label="{text(shape.name)}"><path d="{lines}"/>{dots}</svg>'
        f"<figcaption><b>{text(shape.name)}</b> {words}</figcaption></figure>"
    )


def table(
    means: Rows, order: Sequence[str], look: Look, costs: Mapping[str, float] | None = None
) -> str:
    """Return the HTML table of methods by kinds of data, metric after metric, with costs.

    Parameters
    ----------
    means
        `graph`, `model`, `rows`, `method`, `metric`, `mean`, and `known`: the number of values that
        it is the mean of. Those of fewer values than others do not compete. Standard errors (`se`)
        or intervals (`low`, `high`) are told where the pointer rests.
    order
        The methods, from the top.
    look
        Colours of methods that are algorithms of the study.
    costs
        Median processor time of a run by method; None leaves out the column.
    """
    columns = _columns(means)
    cells = {
        (Column(r["metric"], r["model"], r["rows"], r["graph"]), r["method"]): r for r in means
    }
    scales = {
        column: _scale([cells.get((column, m)) for m in order], column.metric) for column in columns
    }
    lines = []
    for method in order:
        shown = [_cell(cells.get((column, method)), scales[column]) for column in columns]
        if costs is not None:
            cost = duration(costs[method]) if method in costs else "–"
            shown.append(f'<td class="start cost">{cost}</td>')
        name = f'<th scope="row">{_swatch(method, look)}{text(method)}</th>'
        lines.append(f"<tr>{name}{''.join(shown)}</tr>")
    head = _head(columns, costs is not None, _against(means))
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="Who finds which graph">'
        f'<table class="recovery"><thead>{head}</thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def _swatch(method: str, look: Look) -> str:
    if method not in look.ids:
        return ""
    return f'<span class="swatch" style="background:{look.colour_of(method)}"></span>'


def _columns(means: Rows) -> list[Column]:
    result = {Column(row["metric"], row["model"], row["rows"], row["graph"]): None for row in means}
    places = {name: i for i, name in enumerate(dict.fromkeys(row["metric"] for row in means))}
    # The sort is stable: graphs stay in the order of the study.
    return sorted(result, key=lambda item: (places[item.metric], item.model, item.rows))


def _head(columns: Sequence[Column], cost: bool, against: Mapping[int, str]) -> str:
    """Return the table head: metrics over numbers of rows over graphs."""
    several = len({column.model for column in columns}) > 1
    metrics = _spans([short_title(column.metric) for column in columns])
    sizes = _spans([(column.metric, column.model, column.rows) for column in columns])
    top = "".join(_group(text(name), span) for name, span in metrics)
    middle = "".join(
        _group(
            text(f"{rows:,} rows{against.get(rows, '')}" + (f", {model}" if several else "")), span
        )
        for (_, model, rows), span in sizes
    )
    starts = _starts(columns)
    bottom = "".join(
        f'<th scope="col"{start}>{text(column.graph)}</th>'
        for column, start in zip(columns, starts, strict=True)
    )
    last = '<th scope="col" rowspan="3" class="start group">CPU ↓</th>' if cost else ""
    first = '<th rowspan="3" scope="col">method</th>'
    return f"<tr>{first}{top}{last}</tr><tr>{middle}</tr><tr>{bottom}</tr>"


def _against(means: Rows) -> dict[int, str]:
    """Return the comparison of each number of rows with the number of variables, in words."""
    counts = {row.get("variables") for row in means}
    if len(counts) != 1 or not isinstance(p := counts.pop(), int):
        return {}
    sizes = {row["rows"] for row in means}
    return {n: f" < {p:,} variables" if n < p else f" > {p:,} variables" for n in sizes if n != p}


def _group(words: str, span: int) -> str:
    return f'<th scope="colgroup" class="start group" colspan="{span}">{words}</th>'


def _spans(names: Sequence[Any]) -> list[tuple[Any, int]]:
    result: list[tuple[Any, int]] = []
    for name in names:
        if result and result[-1][0] == name:
            result[-1] = (name, result[-1][1] + 1)
        else:
            result.append((name, 1))
    return result


def _starts(columns: Sequence[Column]) -> Iterator[str]:
    """Yield the HTML class of each column, which puts a gap before each number of rows."""
    before = None
    for column in columns:
        yield "" if column[:3] == before else ' class="start"'
        before = column[:3]


def _scale(rows: Sequence[Row | None], metric: str) -> tuple[float, float, int] | None:
    """Return best and median of a column, and the number of runs of competing methods."""
    known = [row for row in rows if row is not None]
    most = max((row["known"] for row in known), default=0)
    values = [row["mean"] for row in known if row["known"] == most]
    if len(values) < 2:
        return None
    best = max(values) if measure_of(metric).better == "more" else min(values)
    return best, float(np.median(values)), most


def _cell(row: Row | None, scale: tuple[float, float, int] | None) -> str:
    """Return the HTML cell of a mean, shaded by its place between median and best of its column."""
    if row is None:
        return "<td>–</td>"
    title = f"{row['method']}, {row['graph']}, {row['rows']:,} rows: {row['mean']:.3g}{_error(row)}"
    shown, shade = _number(row["mean"]), 0.0
    if scale is not None and row["known"] == scale[2]:
        best, middle, _ = scale
        gain = (middle - row["mean"]) / (middle - best) if middle != best else row["mean"] == best
        shade = min(max(float(gain), 0.0), 1.0)
        shown = f"<b>{shown}</b>" if row["mean"] == best else shown
    elif scale is not None:
        shown += "*"
        title += f", {row['known']} of {scale[2]} data sets"
    return f'<td class="shade" style="--shade:{shade:.2f}" title="{text(title)}">{shown}</td>'


def _error(row: Row) -> str:
    if row.get("se") is not None:
        return f" ± {row['se']:.2g} (standard error)"
    if row.get("low") is not None:
        return f" ({row['low']:.3g} to {row['high']:.3g})"
    return ""


def _number(value: float) -> str:
    """Format a number: two decimals for small ones, none for large ones."""
    if not math.isfinite(value):
        return "∞"
    return f"{value:.2f}" if abs(value) < 9.95 else f"{value:,.0f}"


def compact(means: Rows, views: Mapping[str, Sequence[str]], look: Look) -> list[tuple[str, str]]:
    """Return tables of methods by kinds of data, one per view that has numbers.

    Parameters
    ----------
    means
        As in `table`.
    views
        Metrics by what a table of them is called; methods are in the order of the first.
    look
        Colours of methods that are algorithms of the study.
    """
    result = []
    for name, metrics in views.items():
        selected = [row for metric in metrics for row in means if row["metric"] == metric]
        if selected:
            ranks = average_ranks(selected, selected[0]["metric"])
            result.append((name, table(selected, sorted(ranks, key=ranks.__getitem__), look)))
    return result


_CAPTION = (
    "Means over data sets; rest the pointer on a number for its standard error. The best of each "
    "column is bold, shades go from its median to its best, and * is a mean over some of the runs. "
    "Methods are in the order of their average rank by {}. Time is the median of processor time "
    "over all runs."
)
_DRAWN = " Above: the true graph of the first data set of each kind."


@dataclass(frozen=True, kw_only=True)
class Recovery(OfLearners):
    """Show on one screen which methods find which graph, from how many rows, and at what cost.

    A table of all methods, with a column for each graph and number of rows, stands before the
    verdict, under small drawings of the true graphs.

    Parameters
    ----------
    ids
        Algorithms to include; none means all that the other evaluations name.
    metrics
        The columns, one metric after the other; methods are ordered by the first. Those without any
        number are left out. A metric that an evaluation computes needs that evaluation in the
        study, as precision_kl needs precision_matrices.
    """

    name = "recovery"
    on_page = True
    ids: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ("F1_skel", "precision_kl")

    def needs_truth(self) -> bool:
        """Return True: recovery is of known graphs."""
        return True

    def tables(self, results: Results) -> Mapping[str, AnyTable]:
        """Return means by kind of data, method and metric, and the data of the drawings."""
        rows = run_rows(results, self.included(results), self.metrics)
        means = list(mean_rows(rows, self.metrics))
        costs = [{"method": name, "cpu": cost} for name, cost in median_costs(rows).items()]
        return {
            "means": Table(results.marked(means), "means.csv"),
            "costs": Table(results.marked(costs), "costs.csv"),
            "shapes": Records(shapes_of(results) if means else []),
        }

    def section(self, tables: TableSet) -> Section | None:
        """Show the drawings and the table, placed before the verdict."""
        means = tables.rows("means")
        if not means:
            return None
        first = means[0]["metric"]
        ranks = average_ranks(means, first)
        costs = {row["method"]: row["cpu"] for row in tables.rows("costs")}
        drawn = drawings(tables.records("shapes"))
        shown = drawn + table(means, sorted(ranks, key=ranks.__getitem__), tables.look, costs)
        caption = _CAPTION.format(short_title(first).rstrip(" ↑↓")) + (_DRAWN if drawn else "")
        picture = Picture("recovery", "", caption, [("Who finds which graph", shown)])
        return Section("recovery", "Who finds which graph?", [picture], opening=True)

"""``predictive``: how probable rows are under graphs and parameters learned without them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from dagathlon.evaluate.models.learner_prior import SAMPLE_SIZE
from dagathlon.evaluations.no_truth.held_out import held_out_plot
from dagathlon.evaluations.predictive.tables import (
    CROSS_ENTROPY,
    VALUE,
    cross_entropy_score,
    cross_validated,
    fold_learning,
    predictive_rows,
    summarised,
)
from dagathlon.frame import Cells, Row, Rows, grouped
from dagathlon.modules import Natural, NonNegative
from dagathlon.report.charts.metric_lines import metric_lines
from dagathlon.report.charts.parts import Chart, is_nothing
from dagathlon.report.evaluation import OfLearners, Table, TableSet
from dagathlon.report.figures.chart import Drawing
from dagathlon.report.figures.palette import Look
from dagathlon.report.results import Results
from dagathlon.report.section import Figure, Grid, Listing, Part, Section, Words
from dagathlon.report.tables.places import by_data, data_columns, not_defined
from dagathlon.study.config.plan_requests import Cases, Wanted

_HOW = (
    "Each learner is run again on all rows but those of one fold, its graph is given parameters "
    "from the same rows, and the rows of the fold are tried on this network; so for every fold. "
    "The mean log-likelihood of a row is the larger, the better the learner predicts. All learners "
    "have the same folds, and differences of the same rows come with their standard error. Unlike "
    "the held-out likelihood of a graph that all rows have chosen, this judges how the graph was "
    "found as well. Probability tables are posterior means under the prior that the learner "
    "scores by, or a uniform one of as many imaginary rows as stated in the study."
)
_ENTROPY = (
    " The cross-entropy is what the true model expects: the mean of minus the log-likelihood over "
    "all rows that it might draw, of the graph learned from all rows; less is better."
)
_FIGURE = (
    "Difference to the best setting, row by row, or data set by data set where there are several; "
    "bars reach two standard errors to both sides."
)
_LINES = (
    "Means over data sets; bars reach two standard errors to both sides, over data sets where "
    "there are several, else over rows."
)
_WORDS = "cross-validated log-likelihood per row (nats)"


@dataclass(frozen=True, kw_only=True)
class Predictive(OfLearners):
    """Compare learners by the likelihood of rows unseen by graph and parameters.

    Parameters
    ----------
    ids
        Algorithms to include; none means all that the other evaluations name.
    folds
        Number of random parts of the rows. Every setting is run once without each of them.
    sample_size
        Imaginary rows of the prior of each probability table, for learners that score by no such
        prior themselves; 0 is maximum likelihood.
    """

    name = "predictive"
    on_page = True
    references = (
        "Viinikka, Eggeling and Koivisto 2018, Intersection-validation: a method for evaluating "
        "structure learning without ground truth, AISTATS",
    )
    ids: tuple[str, ...] = ()
    folds: Natural = 10
    sample_size: NonNegative = SAMPLE_SIZE

    def problem(self) -> str:
        """Return an error unless rows remain to learn from."""
        return "" if self.folds > 1 else "folds must be 2 or more"

    def tasks(self, cases: Cases) -> Iterator[Wanted]:
        """Request learning without each fold, and the cross-entropy where there is a true model."""
        ids, n_rows = self.ids or cases.ids, cases.facts.n_rows
        yield from fold_learning(ids, self.folds, self.sample_size, n_rows=n_rows)
        yield cross_entropy_score(cases, self.sample_size)

    def tables(self, results: Results) -> Mapping[str, Table]:
        """Return one row per setting and data set, and means over data sets of a kind."""
        ids = self.included(results)
        rows = predictive_rows(results, cross_validated(results, ids, self.folds), ids)
        return {"predictive": Table(rows, "predictive.csv"), "means": Table(summarised(rows))}

    def figures(self, tables: TableSet) -> Iterator[tuple[str, Drawing]]:
        """Draw one figure per data set, and one against the number of rows."""
        for number, (_, chart) in enumerate(_differences(tables.rows("means")), 1):
            yield f"predictive_{number}", chart
        for _, chart in _against_rows(tables.rows("predictive")):
            yield "predictive_rows", chart

    def section(self, tables: TableSet) -> Section | None:
        """Show the differences, the curves, and the numbers."""
        rows = tables.rows("means")
        if not rows:
            return None
        entropy = any(row.get(CROSS_ENTROPY) is not None for row in rows)
        parts: list[Part] = [Words(_HOW + (_ENTROPY if entropy else ""))]
        curves = _against_rows(tables.rows("predictive"))
        if curves:
            heading = "Who predicts best, with how many rows?"
            parts.append(Figure("predictive-rows", heading, _LINES, curves))
        variants = list(_differences(rows))
        if variants:
            parts.append(Figure("predictive", "Who predicts best?", _FIGURE, variants))
        parts += [_grid([row for row in rows if not row["note"]]), *not_defined(rows)]
        if any("data sets" in row for row in rows):
            listed = tables.rows("predictive")
            parts += [Words("", "By data set"), Listing("predictive", listed)]
        return Section("predictive", "Cross-validated likelihood", parts, leading=True)


def _differences(rows: Rows) -> Iterator[tuple[str, Chart]]:
    """Return, for each data set, how far settings are behind the best one."""
    for name, members in by_data(rows).items():
        chart = held_out_plot([{**row, "log-likelihood": row[VALUE]} for row in members])
        if not is_nothing(chart):
            yield name or "the data", chart


def _against_rows(rows: Rows) -> list[tuple[str, Chart]]:
    """Draw curves over the number of rows, a panel per graph that has several."""
    groups = grouped(
        ((_graph(row), row["rows"], row["setting"]), row) for row in rows if row[VALUE] is not None
    )
    if len({(graph, n) for graph, n, _ in groups}) <= len({graph for graph, _, _ in groups}):
        return []
    points = [_point(*place, members) for place, members in groups.items()]
    look = Look.of(point["id"] for point in points)
    return [("", metric_lines(points, _WORDS, look))]


def _graph(row: Row) -> str:
    return " ".join(str(row[name]) for name in ("adjmat", "parameters") if row[name] != "None")


def _point(graph: str, n: int, setting: str, rows: Rows) -> Cells:
    values = np.array([row[VALUE] for row in rows])
    mean, error = float(values.mean()), rows[0]["se"] or 0.0
    if len(values) > 1:
        error = float(np.std(values, ddof=1)) / math.sqrt(len(values))
    about = {"graph": graph, "rows": n, "id": setting, "data_sets": len(values)}
    return about | {"mean": mean, "low": mean - 2 * error, "high": mean + 2 * error}


def _grid(rows: Rows) -> Grid:
    about = [*data_columns(rows), "setting"]
    counted = [name for name in ("rows", "data sets") if any(row.get(name) for row in rows)]
    entropy = any(row.get(CROSS_ENTROPY) is not None for row in rows)
    head = [*about, *counted, "log-likelihood per row", "difference to the best"]
    head += ["cross-entropy"] if entropy else []
    shown = []
    for row in rows:
        cells = [row.get(name) for name in (*about, *counted)]
        cells += [_with_error(row[VALUE], row["se"]), _difference(row)]
        shown.append([*cells, row.get(CROSS_ENTROPY)] if entropy else cells)
    return Grid(head, shown, len(about))


def _difference(row: Row) -> str | None:
    value = row["to the best"]
    # Minus nothing is nothing.
    return None if value is None else _with_error(round(value, 4) + 0.0, row["± to the best"], "+")


def _with_error(value: float, error: float | None, sign: str = "") -> str:
    return f"{value:{sign}.4f}" if error is None else f"{value:{sign}.4f} ± {error:.4f}"

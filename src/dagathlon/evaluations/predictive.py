"""``predictive``: how probable rows are under graphs and parameters learned without them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dagathlon.evaluate.cross_validation import CrossValidated
from dagathlon.evaluate.no_truth import paired_difference
from dagathlon.evaluate.own_prior import SAMPLE_SIZE
from dagathlon.modules import Natural, NonNegative
from dagathlon.report.charts.held_out import held_out_plot
from dagathlon.report.charts.metric_lines import metric_lines
from dagathlon.report.charts.parts import Chart, is_nothing
from dagathlon.report.context import Results
from dagathlon.report.evaluation import Drawing, Evaluation, Row, Table, TableSet
from dagathlon.report.look import Look
from dagathlon.report.places import (
    Place,
    by_data,
    data_columns,
    named_places,
    not_defined,
    place_of,
)
from dagathlon.report.predictive import (
    CROSS_ENTROPY,
    cross_entropy_score,
    cross_validated,
    fold_learning,
)
from dagathlon.report.section import Figure, Grid, Part, Section, Words
from dagathlon.study.grammar.wanted import Cases, Wanted

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
    "Difference to the best setting, row by row; bars reach two standard errors to both sides."
)
_LINES = (
    "Means over data sets; bars reach two standard errors to both sides, over data sets where "
    "there are several, else over rows."
)
_WORDS = "cross-validated log-likelihood per row (nats)"


@dataclass(frozen=True, kw_only=True)
class Predictive(Evaluation):
    """Compare learners by the likelihood of rows that neither graph nor parameters have seen.

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
        """Something must be left to learn from."""
        return "" if self.folds > 1 else "folds must be 2 or more"

    def algorithms(self) -> tuple[str, ...]:
        """The named ids."""
        return self.ids

    def tasks(self, cases: Cases) -> Iterator[Wanted]:
        """Learning without each fold, and the cross-entropy where there is a true model."""
        ids, n_rows = self.ids or cases.ids, cases.facts.n_rows
        yield from fold_learning(ids, self.folds, self.sample_size, n_rows=n_rows)
        yield cross_entropy_score(cases, self.sample_size)

    def tables(self, results: Results) -> Mapping[str, Table]:
        """One row for each setting and data set, the best first."""
        ids = self.ids or results.ids
        found = cross_validated(results, ids, self.folds)
        entropies = _entropies(results, ids)
        about = named_places(results, found)
        groups: dict[tuple[Any, ...], list[Place]] = {}
        for place in found:
            groups.setdefault(place[:2], []).append(place)
        rows, shown = [], []
        for places in groups.values():
            ordered = sorted(places, key=lambda one: -_number(found[one].mean))
            best = found[ordered[0]]
            for place in ordered:
                row = _row(found[place], best) | entropies.get(place, {})
                rows.append(_labels(place) | {"setting": about[place]["setting"]} | row)
                shown.append(about[place] | row)
        return {
            "predictive": Table(rows, "predictive.csv"),
            "shown": Table(shown),
        }

    def figures(self, tables: TableSet) -> Iterator[tuple[str, Drawing]]:
        """One for each data set, and one against the number of rows."""
        for number, (_, chart) in enumerate(_differences(tables.rows("shown")), 1):
            yield f"predictive_{number}", chart
        for _, chart in _against_rows(tables.rows("predictive")):
            yield "predictive_rows", chart

    def section(self, tables: TableSet) -> Section | None:
        """The differences, the curves, and the numbers."""
        rows = tables.rows("shown")
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
        return Section("predictive", "Cross-validated likelihood", parts, leading=True)


def _number(value: float | None) -> float:
    return -math.inf if value is None else value


def _labels(place: Place) -> dict[str, Any]:
    graph, parameters, data = place.data
    return {"id": place.id, "adjmat": graph, "parameters": parameters, "data": data} | {
        "seed": place.seed
    }


def _entropies(results: Results, ids: Sequence[str]) -> dict[Place, dict[str, Any]]:
    runs = results.runs_of(ids)
    scores = results.scores(CROSS_ENTROPY, runs)
    return {
        place_of(results, run): score
        for run, score in zip(runs, scores, strict=True)
        if score is not None
    }


def _row(own: CrossValidated, best: CrossValidated) -> dict[str, Any]:
    """The numbers of a setting, with its difference to the best one on the same rows."""
    row: dict[str, Any] = {"rows": own.rows, "cv_log_likelihood": own.mean, "se": own.error}
    paired = own is not best and own.mean is not None and len(own.blocks) == len(best.blocks)
    apart = paired_difference(own.blocks, best.blocks) if paired else None
    row["to the best"] = None if apart is None else (own.mean or 0.0) - (best.mean or 0.0)
    row["± to the best"] = None if apart is None else apart.error
    return row | {"note": own.note or None, "remark": own.remark or None}


def _differences(rows: Sequence[Row]) -> Iterator[tuple[str, Chart]]:
    """For each data set how far settings are behind the best one."""
    for name, found in by_data(rows).items():
        chart = held_out_plot(
            [{**row, "log-likelihood": row["cv_log_likelihood"]} for row in found]
        )
        if not is_nothing(chart):
            yield name or "the data", chart


def _against_rows(rows: Sequence[Row]) -> list[tuple[str, Chart]]:
    """Curves over the number of rows, where some graph has several; a panel for each graph."""
    groups: dict[tuple[str, int, str], list[Row]] = {}
    for row in rows:
        if row["cv_log_likelihood"] is not None:
            graph = " ".join(str(row[n]) for n in ("adjmat", "parameters") if row[n] != "None")
            groups.setdefault((graph, row["rows"], row["setting"]), []).append(row)
    if len({(graph, n) for graph, n, _ in groups}) <= len({graph for graph, _, _ in groups}):
        return []
    points = [_point(*place, found) for place, found in groups.items()]
    look = Look.of(point["id"] for point in points)
    return [("", metric_lines(points, _WORDS, look))]


def _point(graph: str, n: int, setting: str, rows: Sequence[Row]) -> dict[str, Any]:
    values = np.array([row["cv_log_likelihood"] for row in rows])
    mean, error = float(values.mean()), rows[0]["se"] or 0.0
    if len(values) > 1:
        error = float(np.std(values, ddof=1)) / math.sqrt(len(values))
    about = {"graph": graph, "rows": n, "id": setting, "data_sets": len(values)}
    return about | {"mean": mean, "low": mean - 2 * error, "high": mean + 2 * error}


def _grid(rows: Sequence[Row]) -> Grid:
    data = data_columns(rows)
    entropy = any(row.get(CROSS_ENTROPY) is not None for row in rows)
    head = [*data, "setting", "rows", "log-likelihood per row", "difference to the best"]
    head += ["cross-entropy"] if entropy else []
    shown = []
    for row in rows:
        cells = [row[name] for name in (*data, "setting", "rows")]
        cells += [f"{row['cv_log_likelihood']:.4f}{_error(row['se'])}", _difference(row)]
        shown.append([*cells, row.get(CROSS_ENTROPY)] if entropy else cells)
    return Grid(head, shown, 1 + len(data))


def _error(error: float | None) -> str:
    return "" if error is None else f" ± {error:.4f}"


def _difference(row: Row) -> str | None:
    value = row["to the best"]
    return None if value is None else f"{value:+.4f}{_error(row['± to the best'])}"

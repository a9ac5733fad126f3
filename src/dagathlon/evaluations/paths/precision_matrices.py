"""``precision_matrices``: estimated Gaussian models against the true one, and on fresh rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from dagathlon.evaluate.metric import measure_of
from dagathlon.evaluate.ranking.summary import is_number
from dagathlon.evaluate.undirected.scores import PrecisionScores
from dagathlon.evaluations.paths.evaluation import MANY
from dagathlon.evaluations.paths.recovery import compact
from dagathlon.frame import Cells, Rows
from dagathlon.modules import Count
from dagathlon.report.charts.metric_lines import metric_lines
from dagathlon.report.charts.parts import headed, is_nothing
from dagathlon.report.evaluation import OfLearners, Table, TableSet
from dagathlon.report.figures.chart import Drawing
from dagathlon.report.figures.palette import Look
from dagathlon.report.results import Results
from dagathlon.report.section import Figure, Grid, Part, Picture, Section, Variant, Words
from dagathlon.report.tables.latex import best_cells
from dagathlon.report.tables.metrics import ABOUT, by_method, kinds, mean_rows
from dagathlon.report.tables.regimes import labelled_scores, ordered
from dagathlon.study.config.plan_requests import Cases, Input, RunScore, Wanted
from dagathlon.study.records.runs import run_schema
from dagathlon.wording import counted

_SCORE = "precision_matrices"
_INPUTS: tuple[Input, ...] = ("model", "data", "test_data", "estimate")
_METRICS = tuple(one.name for one in PrecisionScores.measures)
_ABOUT = (
    "The precision matrix of an estimate against that of the true model: KL is the divergence of "
    "the estimated from the true normal distribution, Stein's loss twice the divergence the other "
    "way, the quadratic loss tr (ΣK − I)² with the true covariance Σ and the estimate K. None of "
    "the three depends on the units of the variables; Frobenius distances do. The likelihood is "
    "of fresh rows of the true model. Means over data sets with 95 % intervals from resampled data "
    "sets."
)
_COMPACT = (
    "Means over data sets; the best of each column is bold, and shades go from its median to its "
    "best. Hover over a number for its 95 % interval."
)
_VIEWS = {
    "Divergence and Stein's loss": ("precision_kl", "precision_stein"),
    "Quadratic loss and relative Frobenius distance": ("precision_quadratic", "precision_relative"),
    "Log-likelihood of fresh rows": ("precision_log_likelihood",),
}
_FITTED = (
    " A graph without a matrix of its own has the one of greatest likelihood with its zeros, "
    "fitted to the data that were learned from; the table says where."
)
_ALL_FITTED = (
    " All matrices here are those of greatest likelihood with the zeros of the graph, fitted to "
    "the data that were learned from, so that graphs are compared and not penalties."
)


@dataclass(frozen=True, kw_only=True)
class PrecisionMatrices(OfLearners):
    """Compare estimated precision matrices with the true one, and by the likelihood of fresh rows.

    Parameters
    ----------
    ids
        Algorithms to include; none means all that the other evaluations name.
    precision
        Which matrix: the learner's own, and where it gives none the one of greatest likelihood with
        the zeros of its graph (own); or the latter for all (fitted).
    resamples
        How often data sets are drawn again for intervals.
    """

    name = "precision_matrices"
    on_page = True
    references = (
        "Yuan and Lin 2007, Model selection and estimation in the Gaussian graphical model, "
        "Biometrika 94",
        "James and Stein 1961, Estimation with quadratic loss, Proceedings of the fourth Berkeley "
        "symposium on mathematical statistics and probability",
    )
    ids: tuple[str, ...] = ()
    precision: Literal["own", "fitted"] = "own"
    resamples: Count = 1000

    def tasks(self, cases: Cases) -> Iterator[Wanted]:
        """Request losses of every run on continuous data drawn from a model."""
        if cases.facts.kind in ("discrete", "mixed"):
            return
        scaled = bool(getattr(cases.generator, "standardized", False))
        module = PrecisionScores(inputs=_INPUTS, precision=self.precision, scaled=scaled)
        yield RunScore(_SCORE, module, _INPUTS)

    def tables(self, results: Results) -> Mapping[str, Table]:
        """Return runs, and means over data sets."""
        rows = self._rows(results)
        known = [m for m in _METRICS if any(is_number(row.get(m)) for row in rows)]
        means = mean_rows(rows, known, self.resamples)
        return {
            "runs": Table(results.marked(rows), "losses.csv", parquet=True, schema=run_schema()),
            "means": Table(results.marked(means), "means.csv"),
            "about": Table([{"precision": self.precision, "metrics": known}]),
        }

    def _rows(self, results: Results) -> list[Cells]:
        runs = results.runs_of(self.included(results))
        pairs = zip(runs, results.scores(_SCORE, runs), strict=True)
        scored = [(run, score) for run, score in pairs if score]
        return labelled_scores(results, scored)

    def figures(self, tables: TableSet) -> Iterator[tuple[str, Drawing]]:
        """Draw a figure per loss and model."""
        for number, (name, chart) in enumerate(_variants(tables), 1):
            if not is_nothing(chart):
                yield f"losses_{number}", headed(chart, name)

    def section(self, tables: TableSet) -> Section | None:
        """Show an explanation of the losses, figures, numbers, and methods without a matrix."""
        runs, means = tables.rows("runs"), tables.rows("means")
        if not runs:
            return None
        from_learner = tables.rows("about")[0]["precision"] == "own"
        fitted = any(row.get("precision_how") == "fitted" for row in runs)
        words = _ABOUT + ("" if not fitted else _FITTED if from_learner else _ALL_FITTED)
        parts: list[Part] = [Words(words)]
        variants = _variants(tables)
        if variants:
            figure = "How far is the estimated model from the true one?"
            caption = "Bars are 95 % intervals. Losses are 0 for the true model; likelihoods grow."
            parts.append(Figure("precision-losses", figure, caption, variants))
        grid = _grid(runs, means)
        if grid.folded:
            own_views = compact(
                [{**row, "known": row["data_sets"]} for row in means], _VIEWS, tables.look
            )
            parts.append(
                Picture("losses", "Who is nearest to the true model?", _COMPACT, own_views)
            )
        parts += [grid, *map(Words, _notes(runs))]
        return Section("precision-matrices", "Precision matrices", parts)


def _variants(tables: TableSet) -> list[Variant]:
    """Return a chart of panels for each loss and model."""
    rows = [{**row, "id": row["method"]} for row in tables.rows("means")]
    names = [row["id"] for row in rows]
    look = tables.look if set(names) <= set(tables.look.ids) else Look.of(names)
    models = ordered(rows, "model")
    result: list[Variant] = []
    for metric in ordered(rows, "metric"):
        for model in models:
            selected = [row for row in rows if (row["metric"], row["model"]) == (metric, model)]
            name = measure_of(metric).label
            if selected:
                title = f"{name}, {model}" if len(models) > 1 else name
                result.append(
                    (title, metric_lines(selected, metric, look, ratios=_is_loss(metric)))
                )
    return result


def _is_loss(metric: str) -> bool:
    return measure_of(metric).better == "less"


def _grid(runs: Rows, means: Rows) -> Grid:
    """Return the table of means by kind of data and method, the nearest to the truth first."""
    metrics = ordered(means, "metric")
    about = [name for name in ABOUT if len(ordered(runs, name)) > 1]
    how = {row["method"]: row.get("precision_how") for row in runs}
    head = [*about, "method", "matrix", *(measure_of(metric).label for metric in metrics)]
    rows = []
    for kind, members in kinds(means).items():
        place = dict(zip(ABOUT, kind, strict=True))
        result = sorted(by_method(members), key=lambda row: row.get(metrics[0], math.inf))
        for row, cells in zip(result, best_cells(result, metrics), strict=True):
            data = [str(place[name]) for name in about]
            rows.append([*data, row["method"], how[row["method"]], *cells])
    folded = f"All means ({len(rows):,} rows)" if len(rows) > MANY else ""
    return Grid(head, rows, len(about) + 2, folded)


def _notes(runs: Rows) -> Iterator[str]:
    """Yield notes on methods without a matrix or a number, with an example of the reason."""
    for method in ordered(runs, "method"):
        selected = [row for row in runs if row["method"] == method]
        notes = [row["precision_note"] for row in selected if row.get("precision_note")]
        if notes:
            times = f"{len(notes):,} of {counted(len(selected), 'run')}"
            yield f"Without all numbers: {method} in {times}, for example since {notes[0]}."

"""``paths``: graphs along the penalties of a learner, or along edge probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from dagathlon.evaluate.undirected.scores import PathScores
from dagathlon.evaluations.paths.chart import path_curves
from dagathlon.evaluations.paths.recovery import compact
from dagathlon.evaluations.paths.tables import (
    area_rows,
    mean_areas,
    mean_curves,
    point_rows,
    scored_runs,
)
from dagathlon.frame import Cells, Rows, grouped
from dagathlon.graphs.undirected import UndirectedForm
from dagathlon.learners.base import Estimate
from dagathlon.modules import Probability
from dagathlon.report.charts.parts import headed, is_nothing
from dagathlon.report.evaluation import Evaluation, OfLearners, Table, TableSet
from dagathlon.report.figures.chart import Drawing
from dagathlon.report.figures.palette import Look
from dagathlon.report.results import Results
from dagathlon.report.section import Figure, Grid, Part, Picture, Section, Variant, Words
from dagathlon.report.tables.latex import best_cells
from dagathlon.report.tables.metrics import kinds
from dagathlon.report.tables.regimes import ordered
from dagathlon.study.config.plan_requests import Cases, RunScore, Wanted
from dagathlon.study.plan.plan import Run

_FORMS = {
    "moral": "True graphs with directed edges are compared by their moral graphs.",
    "dependence": "True graphs with directed edges are compared by their graphs of unconditional "
    "dependence.",
}
AREA_VIEWS = {
    "Areas under the curves": ("undirected_auroc", "undirected_auprc"),
    "F1 of the best graph of each curve, and of the chosen one": (
        "undirected_best_f1",
        "undirected_chosen_f1",
    ),
}
"""Which means stand side by side."""
MANY = 30
"""A table of more rows is folded, and methods by kinds of data stand in its place."""
# A choice that costs so much of F1 is worth a sentence.
_LOST = 0.05


def opening(means: Rows, undirected: str) -> str:
    """Return the opening sentences: the compared methods and metrics."""
    along = set(ordered(means, "along"))
    of = {
        "penalty": "one for each penalty of a learner's path",
        "probability": "one for each least probability of an edge of a sampler",
    }
    what = " or ".join(of[name] for name in of if name in along)
    return (
        f"Undirected graphs, {what}, against the true graph. The area under the ROC curve (AUROC) "
        "is the chance that a true edge comes before a pair that is not joined; ½ is no better "
        "than lots. Where true edges are few, the area under precision against recall (AUPRC) "
        "says more. Curves go on in a straight line to the complete graph from where a path ends. "
        f"{_FORMS[undirected]}"
    )


def selection(means: Rows) -> Iterator[str]:
    """Yield a sentence on methods whose selected graph is far from the best on their path."""
    scores = ((r["method"], r["undirected_best_f1"], r["undirected_chosen_f1"]) for r in means)
    gaps = grouped(
        (method, best - chosen)
        for method, best, chosen in scores
        if best is not None and chosen is not None
    )
    lost = {method: sum(values) / len(values) for method, values in gaps.items()}
    losses = sorted((item for item in lost.items() if item[1] >= _LOST), key=lambda item: -item[1])
    if losses:
        words = ", ".join(f"{method} {value:.2f}" for method, value in losses[:6])
        yield (
            "What the choice of a graph costs, as mean difference in F1 to the best graph of the "
            f"same curve: {words}."
        )


def area_grid(means: Rows) -> Grid:
    """Return the table of means with standard errors by kind of data and method, the best bold."""
    about = [name for name in ("graph", "model", "rows") if len(ordered(means, name)) > 1]
    head = [*about, "method", "data sets", "AUROC", "AUPRC", "best F1", "F1 of the chosen graph"]
    columns = ("undirected_auroc", "undirected_auprc", "undirected_best_f1", "undirected_chosen_f1")
    rows = []
    for members in kinds(means).values():
        for row, cells in zip(members, best_cells(members, columns, ".3f"), strict=True):
            place = [_text(row[name]) for name in about]
            rows.append([*place, row["method"], row["data_sets"], *cells])
    folded = f"All means with standard errors ({len(rows):,} rows)" if len(rows) > MANY else ""
    return Grid(head, rows, len(about) + 1, folded)


def long_areas(means: Rows) -> Iterator[Cells]:
    """Yield one row per mean."""
    for row in means:
        about = {name: row[name] for name in ("graph", "model", "rows", "method")}
        for metric in (item for view in AREA_VIEWS.values() for item in view):
            if row[metric] is not None:
                shown = {"mean": row[metric], "se": row[f"{metric}_se"], "known": row["data_sets"]}
                yield about | {"metric": metric} | shown


def _text(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


_SCORE = "paths"
_CAPTION = (
    "Mean curves over data sets: true positive rates at equal false positive rates, or precision "
    "at equal recall, as far as the curves of all data sets reach. Symbols are the graphs that the "
    "learners chose, on average. The dashed line is where graphs drawn at random would be."
)
_COMPACT = (
    "Means over data sets; the best of each column is bold, and shades go from its median to its "
    "best. Hover over a number for its standard error."
)
_TITLES = {"ROC": "ROC", "PR": "precision and recall"}


@dataclass(frozen=True, kw_only=True)
class Paths(OfLearners):
    """Compare learners of undirected graphs along their penalties, and over edge probabilities.

    A learner that walks along penalties gives a graph for each of them, a sampler one for each
    least probability of an edge. Curves and areas say how well edges are ordered, whatever was
    chosen in the end; the chosen graph against the best one says what the choice cost.

    Parameters
    ----------
    ids
        Algorithms to include; none means all that the other evaluations name.
    undirected
        What true graphs with directed edges, and draws of samplers of DAGs, are compared by: their
        moral graphs (moral) or their graphs of unconditional dependence (dependence).
    burn_in
        Share of each Markov chain that is left out at its start.
    """

    name = "paths"
    on_page = True
    references = (
        "Davis and Goadrich 2006, The relationship between precision-recall and ROC curves, ICML",
        "Fawcett 2006, An introduction to ROC analysis, Pattern Recognition Letters 27",
    )
    ids: tuple[str, ...] = ()
    undirected: Literal["moral", "dependence"] = "moral"
    burn_in: Probability = 0.5

    @classmethod
    def by_default(cls, ids: Sequence[str], has_truth: bool) -> Evaluation | None:
        """Return the evaluation shown unasked for learners of undirected graphs with a truth."""
        return _ShownPaths() if has_truth else None

    def tasks(self, cases: Cases) -> Iterator[Wanted]:
        """Request the curve of every run."""
        module = PathScores(undirected=self.undirected, burn_in=self.burn_in)
        yield RunScore(_SCORE, module, ("truth", "path"))

    def form(self, results: Results) -> UndirectedForm:
        """Return the undirected form under which directed graphs are compared."""
        return self.undirected

    def scores(self, results: Results, runs: Sequence[Run]) -> list[Any]:
        """Return the curve of each run, None where there is none."""
        return results.scores(_SCORE, runs)

    def tables(self, results: Results) -> Mapping[str, Table]:
        """Return every graph of every curve, areas by run, means, and the data of figures."""
        runs = results.runs_of(self.included(results))
        pairs = zip(runs, self.scores(results, runs), strict=True)
        known = [(run, score) for run, score in pairs if score and score.get("points")]
        result = scored_runs(results, known)
        areas = area_rows(result)
        return {
            "points": Table(results.marked(point_rows(result)), "path_data.csv"),
            "areas": Table(results.marked(areas), "areas.csv"),
            "means": Table(results.marked(mean_areas(areas)), "means.csv"),
            "curves": Table(list(mean_curves(result))),
            "about": Table([{"undirected": self.form(results)}]),
        }

    def figures(self, tables: TableSet) -> Iterator[tuple[str, Drawing]]:
        """Draw ROC and precision–recall curves for each model and number of rows."""
        for number, (name, chart) in enumerate(_variants(tables), 1):
            if not is_nothing(chart):
                yield f"paths_{number}", headed(chart, name)

    def section(self, tables: TableSet) -> Section | None:
        """Show sentences on the areas, the curves, and the numbers."""
        means = tables.rows("means")
        if not means:
            return None
        parts: list[Part] = [Words(opening(means, tables.rows("about")[0]["undirected"]))]
        parts += [Words(words) for words in selection(means)]
        variants = _variants(tables)
        if variants:
            parts.append(Figure("paths", "How well are edges ordered?", _CAPTION, variants))
        grid = area_grid(means)
        if grid.folded:
            tables_of_areas = compact(list(long_areas(means)), AREA_VIEWS, tables.look)
            parts.append(Picture("areas", "Who orders edges best?", _COMPACT, tables_of_areas))
        return Section("paths", "Along the penalties", [*parts, grid])


@dataclass(frozen=True, kw_only=True)
class _ShownPaths(Paths):
    """Paths on the page of a study that does not name them."""

    def tasks(self, cases: Cases) -> Iterator[Wanted]:
        """Request nothing; the small paths are compared when the page is made."""
        yield from ()

    def form(self, results: Results) -> UndirectedForm:
        """Return the undirected form of the setup's other metrics, if they state one."""
        return results.undirected or self.undirected

    def scores(self, results: Results, runs: Sequence[Run]) -> list[Any]:
        """Compute the curves of learners of undirected graphs with a path."""
        module = PathScores(undirected=self.form(results))
        with_path: dict[str, bool] = {}
        result = []
        for run in runs:
            learned = _learned(results, run) if with_path.get(run.entry, True) else None
            score = None
            if learned is not None:
                with_path[run.entry] = learned.path is not None
                truth = results.truth(results.case(run)) if with_path[run.entry] else None
                score = None if truth is None else module.compute(truth, learned)
            result.append(score)
        return result


def _learned(results: Results, run: Run) -> Estimate | None:
    facts = results.algorithm(run).module
    return results.learned(run) if facts.gives == "undirected" and not facts.samples else None


def _variants(tables: TableSet) -> list[Variant]:
    """Return a chart of panels for each curve, model and number of rows."""
    rows = [{**row, "id": row["method"]} for row in tables.rows("curves")]
    names = [row["id"] for row in rows]
    look = tables.look if set(names) <= set(tables.look.ids) else Look.of(names)
    result: list[Variant] = []
    models, sizes = ordered(rows, "model"), sorted({row["rows"] for row in rows})
    for curve, title in _TITLES.items():
        for model in models:
            for size in sizes:
                place = (curve, model, size)
                selected = [r for r in rows if (r["curve"], r["model"], r["rows"]) == place]
                if selected:
                    words = [title, *([model] if len(models) > 1 else [])]
                    words += [f"{size:,} rows"] if len(sizes) > 1 else []
                    result.append((", ".join(words), path_curves(selected, curve, look)))
    return result

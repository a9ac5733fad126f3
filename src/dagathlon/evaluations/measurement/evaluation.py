"""``measurement``: learned clusters of indicators against the true ones, and their drawings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dagathlon.evaluate.graphs.clusters import CLUSTER_MEASURES, ClusterScores
from dagathlon.evaluate.metric import measure_of
from dagathlon.evaluate.ranking.summary import is_number
from dagathlon.frame import Cells, Rows
from dagathlon.graphs.drawing.svg import to_svg
from dagathlon.graphs.measurement import MeasurementModel
from dagathlon.modules import Count
from dagathlon.report.evaluation import AnyTable, OfLearners, Records, Table, TableSet
from dagathlon.report.figures.chart import Drawing
from dagathlon.report.results import Results
from dagathlon.report.section import Grid, Part, Picture, Section, Words
from dagathlon.report.tables.latex import best_cells
from dagathlon.report.tables.metrics import ABOUT, by_method, kinds, mean_rows
from dagathlon.report.tables.regimes import labelled_scores, method_of, ordered
from dagathlon.study.config.plan_requests import Cases, RunScore, Wanted
from dagathlon.study.records.runs import run_schema
from dagathlon.wording import counted

_SCORE = "clusters"
_METRICS = tuple(one.name for one in CLUSTER_MEASURES)
_MOST_DRAWN = 12
_MOST_NODES = 80
_ABOUT = (
    "Learned clusters of indicators against the true ones. ARI is the adjusted Rand index; pairs "
    "are those of variables in the same cluster; purity is the share of clustered variables that "
    "are of the true cluster which most of their learned cluster are of; clustered, the share of "
    "the true indicators that are in some cluster; omitted, the share of true clusters that no "
    "learned one stands for; superfluous, that of learned clusters which stand for none. Means "
    "over data sets."
)
_DRAWN = "Ellipses are latent variables, boxes are observed. The first data set of each setting."


class _Model(NamedTuple):
    """Measurement model learned by a method."""

    method: str
    model: MeasurementModel


@dataclass(frozen=True, kw_only=True)
class Measurement(OfLearners):
    """Compare learned measurement models with the true one, and draw them.

    Parameters
    ----------
    ids
        Algorithms to include; none means all that the other evaluations name.
    resamples
        How often data sets are drawn again for intervals.
    """

    name = "measurement"
    on_page = True
    references = ("Hubert and Arabie 1985, Comparing partitions, Journal of Classification 2",)
    ids: tuple[str, ...] = ()
    resamples: Count = 1000

    def tasks(self, cases: Cases) -> Iterator[Wanted]:
        """Request the agreement with the true clusters, for data drawn from a model."""
        if "model" in cases.offers():
            yield RunScore(_SCORE, ClusterScores(), ("model", "estimate"))

    def tables(self, results: Results) -> Mapping[str, AnyTable]:
        """Return runs, means over data sets, and the models to draw."""
        rows = self._rows(results)
        known = [m for m in _METRICS if any(is_number(row.get(m)) for row in rows)]
        return {
            "runs": Table(results.marked(rows), "clusters.csv", parquet=True, schema=run_schema()),
            "means": Table(results.marked(mean_rows(rows, known, self.resamples)), "means.csv"),
            "models": Records(list(self._models(results))),
        }

    def _rows(self, results: Results) -> list[Cells]:
        runs = results.runs_of(self.included(results))
        pairs = zip(runs, results.scores(_SCORE, runs), strict=True)
        scored = [(run, row) for run, row in pairs if row and is_number(row.get(_METRICS[0]))]
        return labelled_scores(results, scored)

    def _models(self, results: Results) -> Iterator[_Model]:
        """Yield the first measurement model of each method."""
        seen: set[str] = set()
        for run in results.runs_of(self.included(results)):
            method = method_of(results, run).name
            if method in seen or len(seen) == _MOST_DRAWN:
                continue
            learned = results.learned(run)
            if learned is None or learned.measurement is None:
                continue
            seen.add(method)
            if len(learned.measurement.graph) <= _MOST_NODES:
                yield _Model(method, learned.measurement)

    def figures(self, tables: TableSet) -> Iterator[tuple[str, Drawing]]:
        """Draw each model."""
        for number, (_, svg) in enumerate(_drawings(tables.records("models")), 1):
            yield f"model_{number}.svg", svg

    def section(self, tables: TableSet) -> Section | None:
        """Show numbers, then drawings."""
        means, models = tables.rows("means"), tables.records("models")
        if not means and not models:
            return None
        parts: list[Part] = []
        if means:
            parts += [Words(_ABOUT), _grid(means)]
        if models:
            drawn = _drawings(models)
            parts.append(Picture("measurement", "Which variables go together?", _DRAWN, drawn))
        return Section("measurement", "Measurement models", parts)


def _drawings(models: Sequence[_Model]) -> list[tuple[str, str]]:
    return [
        (
            f"{method}: {counted(len(model.clusters), 'cluster')}",
            to_svg(model.graph, latents=model.latents),
        )
        for method, model in models
    ]


def _grid(means: Rows) -> Grid:
    """Return the table of means by kind of data and method, the best bold and first."""
    metrics = ordered(means, "metric")
    about = [name for name in ABOUT if len(ordered(means, name)) > 1]
    rows = []
    for kind, members in kinds(means).items():
        place = dict(zip(ABOUT, kind, strict=True))
        result = sorted(by_method(members), key=lambda row: -row.get(metrics[0], -1.0))
        for row, cells in zip(result, best_cells(result, metrics), strict=True):
            rows.append([*(str(place[name]) for name in about), row["method"], *cells])
    head = [*about, "method", *(measure_of(metric).label for metric in metrics)]
    return Grid(head, rows, len(about) + 1)

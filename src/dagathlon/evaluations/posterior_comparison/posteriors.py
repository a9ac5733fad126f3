"""``posteriors``: how far learned posteriors are from a truth or a reference, with figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from dagathlon.evaluate.metric import measure_of
from dagathlon.evaluate.posteriors.scores import PosteriorScores, unknown_metric
from dagathlon.evaluate.ranking.summary import is_number
from dagathlon.evaluations.posterior_comparison.words import (
    STRONG,
    Yardstick,
    beaten,
    entropies,
    in_short,
    metrics_in_words,
    trusted,
    yardsticks,
)
from dagathlon.frame import Cells
from dagathlon.modules import Count, Natural, Probability
from dagathlon.report.charts.matrix import correlation_tiles
from dagathlon.report.charts.metric_lines import correlation_lines, metric_lines
from dagathlon.report.charts.parts import headed, is_nothing
from dagathlon.report.evaluation import Evaluation, Table, TableSet
from dagathlon.report.figures.chart import Drawing
from dagathlon.report.figures.palette import Look
from dagathlon.report.results import Results
from dagathlon.report.section import Figure, Grid, Part, Section, Variant, Words
from dagathlon.report.tables.metrics import ALL_GRAPHS, correlation_rows, mean_rows
from dagathlon.report.tables.regimes import method_of, ordered, regimes_of
from dagathlon.study.config.library import plain_id
from dagathlon.study.config.plan_requests import Cases, Input, RunScore, Wanted
from dagathlon.study.plan.plan import Run
from dagathlon.study.records.runs import run_schema

DISTANCES = ("graph_mmd", "params_mmd")
"""What compares with the true posterior: by it the other metrics are judged."""
PROXIES = ("e_shd", "e_cpdag_shd", "edge_auroc", "edge_auprc", "nll", "i_nll", "i_kl", "i_mmd")
"""What compares with the true graph or model, in the order of the paper's figures."""
ENTROPIES = ("entropy", "entropy_kl")

_RANKED = (
    "On each data set, at each start, the methods are ranked by every metric; Spearman's "
    "correlation of two rankings is averaged over starts and data sets. Signs are turned so that 1 "
    "means that two metrics prefer the same methods. Ranking on each data set by itself keeps hard "
    "and easy data sets from making any two metrics look alike, as one ranking of all runs would."
)
_TRUST = (
    "Rank correlations over the data sets of all graphs. A metric is said to agree where the "
    f"correlation is at least {STRONG:g} and its 95 % interval lies above 0, and to go against "
    "where the opposite holds; correlations.csv has the intervals."
)


def posterior_figures(tables: TableSet) -> list[Figure]:
    """Return the figures that have data, agreement among metrics first."""
    metrics = ordered(tables.rows("metrics"), "metric")
    proxies = [m for m in metrics if m not in (*DISTANCES, *ENTROPIES)]
    result = [
        Figure(
            "posterior-agreement",
            "When do metrics agree with the distance to the true posterior?",
            _RANKED,
            _agreement(tables),
        ),
        Figure(
            "posterior-distance",
            "How far from the true posterior are the methods?",
            "Graph MMD compares edges, Params MMD coefficients and noise variances; 0 is the true "
            "posterior.",
            _lines(tables, [m for m in metrics if m in DISTANCES]),
        ),
        Figure(
            "posterior-metrics",
            "What do the methods score against the true graph and model?",
            "Where rows are few, the true posterior need not be the best by these metrics. Axes on "
            "which values differ widely are logarithmic away from 0.",
            _lines(tables, proxies),
        ),
        Figure(
            "posterior-entropy",
            "How uncertain are the methods?",
            "Entropy has no better end: that of the true posterior is the right one. The estimate "
            "from nearest neighbours is that of the paper's appendix D.",
            _lines(tables, [m for m in metrics if m in ENTROPIES]),
        ),
        Figure(
            "posterior-correlations",
            "Which metrics order the methods alike?",
            _RANKED,
            _tiles(tables),
        ),
    ]
    return [figure for figure in result if figure.variants]


def _lines(tables: TableSet, metrics: Sequence[str]) -> list[Variant]:
    """Return a chart of panels for each metric and model."""
    rows = [{**row, "id": row["method"]} for row in tables.rows("means")]
    look = _look(tables, [row["id"] for row in rows])
    models = ordered(rows, "model")
    result = []
    for metric in metrics:
        for model in models:
            selected = [row for row in rows if (row["metric"], row["model"]) == (metric, model)]
            name = measure_of(metric).label
            result.append((f"{name}, {model}" if len(models) > 1 else name, selected, metric))
    return [
        (name, metric_lines(selected, metric, look))
        for name, selected, metric in result
        if selected
    ]


def _look(tables: TableSet, names: Sequence[str]) -> Look:
    """Return the page's colours of algorithms, or new ones where methods are settings of them."""
    return tables.look if set(names) <= set(tables.look.ids) else Look.of(names)


def _agreement(tables: TableSet) -> list[Variant]:
    """Draw correlations of all metrics with each distance against the number of rows."""
    rows = tables.rows("correlations")
    result: list[Variant] = []
    for distance in DISTANCES:
        selected = [
            row for row in rows if row["left"] == distance and row["right"] not in DISTANCES
        ]
        shown = [{**row, "id": measure_of(row["right"]).label} for row in selected]
        look = Look.of(row["id"] for row in shown)
        models = ordered(shown, "model")
        for model in models:
            chosen = [row for row in shown if row["model"] == model]
            title = measure_of(distance).label
            name = f"with {title}, {model}" if len(models) > 1 else f"with {title}"
            chart = correlation_lines(chosen, f"rank correlation with {title}", look)
            result.append((name, chart))
    return result


def _tiles(tables: TableSet) -> list[Variant]:
    """Draw all correlations for each model and number of rows."""
    metrics = ordered(tables.rows("metrics"), "metric")
    rows = [row for row in tables.rows("correlations") if row["graph"] != ALL_GRAPHS]
    result: list[Variant] = []
    for model in ordered(rows, "model"):
        for size in sorted({row["rows"] for row in rows if row["model"] == model}):
            selected = [row for row in rows if (row["model"], row["rows"]) == (model, size)]
            result.append((f"{model}, {size:,} rows", correlation_tiles(selected, metrics)))
    return result


def trust_parts(tables: TableSet) -> Iterator[Part]:
    """Yield sentences on which metrics order methods as the distance to the true posterior does."""
    rows = tables.rows("correlations")
    head = ["data", "rows", "agree", "go against", "neither"]
    for distance in DISTANCES:
        result = trusted(rows, distance, DISTANCES)
        if not result:
            continue
        title = measure_of(distance).label
        yield Words(in_short(result, distance), f"Which metrics can stand for {title}?")
        yield Grid(
            head,
            [
                [posterior.model, f"{posterior.rows:,}", *map(metrics_in_words, posterior[2:])]
                for posterior in result
            ],
            5,
        )
        yield Words(_TRUST)


def truth_parts(tables: TableSet) -> Iterator[Part]:
    """Yield sentences on the metrics of the true posterior itself."""
    references = {row["model"]: row["reference"] for row in tables.rows("references")}
    means = tables.rows("means")
    metrics = ordered(tables.rows("metrics"), "metric")
    proxies = [m for m in metrics if m not in DISTANCES and measure_of(m).better]
    result = list(yardsticks(means, proxies, references))
    if result:
        heading = "By which metrics does the true posterior look worse than approximations of it?"
        words = "Behind more than half of the methods, by means over data sets and graphs:"
        yield Words(f"{words} {beaten(result)}", heading)
        yield _behind(result, proxies)
    for place, sentence in enumerate(entropies(means, references)):
        yield Words(sentence, "" if place else "How uncertain is the true posterior?")


def _behind(comparisons: Sequence[Yardstick], metrics: Sequence[str]) -> Grid:
    """Count, by metric, the methods with a better mean than the true posterior."""
    lines: dict[tuple[str, int], dict[str, str]] = {}
    for posterior in comparisons:
        cells = lines.setdefault((posterior.model, posterior.rows), {})
        cells[posterior.metric] = f"{len(posterior.better)} of {posterior.others}"
    head = ["data", "rows", *(measure_of(metric).label for metric in metrics)]
    rows = [[m, f"{n:,}", *(members.get(k) for k in metrics)] for (m, n), members in lines.items()]
    return Grid(head, rows)


_SCORES, _BESIDE = "posteriors", "posteriors_beside"
_INPUTS: tuple[Input, ...] = ("truth", "model", "data", "test_data", "posterior")

_ABOUT = (
    "Every method returns a distribution over graphs. Most metrics compare it with the one true "
    "graph or model; Graph MMD and Params MMD compare it with the true posterior, which is what a "
    "sampler should give. Means over data sets, after a mean over starts; bars are 95 % intervals "
    "from resampled data sets."
)


@dataclass(frozen=True, kw_only=True)
class Posteriors(Evaluation):
    """Compare distributions over graphs by many metrics, and the metrics with each other.

    A study may have it several times, for data with different true posteriors.

    Parameters
    ----------
    ids
        The methods; none means all that the other evaluations name.
    reference
        The algorithm that gives the true posterior (see `exact_posterior`); empty is none, and then
        there are no distances to it.
    graph_ids, parameters_ids
        Ids of the graphs and parameters of those data entries that it is about; none means all. The
        methods are run on other data only if another evaluation asks.
    names
        What the methods are called, in the order of `ids`: the true posterior of other data, or a
        method with another prior, can so have the same name. None means their ids.
    metrics
        What is shown and correlated; none means the ten of Karimi Mamaghan et al. 2024.
    draw_parameters
        Prior of coefficients and noise variances that are drawn for draws without any: own is none,
        nig the normal inverse gamma, wishart that of the BGe score.
    burn_in
        Share of each Markov chain that is left out at its start.
    draws
        At most so many draws are used where parameters matter; more are thinned evenly.
    rank_reference
        Whether the true posterior is ranked among the methods.
    resamples
        How often data sets are drawn again for intervals.
    """

    name = "posteriors"
    shape = "objects"
    on_page = True
    references = ("Karimi Mamaghan et al. 2024, ICML, PMLR 235",)

    ids: tuple[str, ...] = ()
    reference: str = ""
    graph_ids: tuple[str, ...] = ()
    parameters_ids: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    draw_parameters: Literal["own", "nig", "wishart"] = "own"
    burn_in: Probability = 0.5
    draws: Natural = 1000
    rank_reference: bool = False
    resamples: Count = 1000

    def algorithms(self) -> tuple[str, ...]:
        """Return the named ids, and the algorithm that gives the true posterior."""
        return tuple(dict.fromkeys((*self.ids, *filter(None, [self.reference]))))

    def reads(self, cases: Cases) -> tuple[str, ...]:
        """Return the methods whose posteriors are read for a kind of data."""
        return self.algorithms() if self._is_about(cases.graph_id, cases.parameters_id) else ()

    def _is_about(self, graph: str | None, parameters: str | None) -> bool:
        graphs = not self.graph_ids or graph in map(plain_id, self.graph_ids)
        return graphs and (not self.parameters_ids or parameters in self.parameters_ids)

    def problem(self) -> str:
        """Return an error unless all or no methods have names and all metrics are of posteriors."""
        if self.names and len(self.names) != len(self.ids):
            return f"names has {len(self.names)} of them for {len(self.ids)} ids"
        return unknown_metric(self.metrics)

    def tasks(self, cases: Cases) -> Iterator[Wanted]:
        """Request metrics of every run, in separate tasks for the true posterior's."""
        if not self._is_about(cases.graph_id, cases.parameters_id):
            return
        offers = cases.offers()
        inputs = tuple(name for name in _INPUTS if name in offers)
        scaled = bool(getattr(cases.generator, "standardized", False))
        yield RunScore(_SCORES, self._module(inputs, scaled), inputs)
        if self.reference:
            beside: tuple[Input, ...] = ("data", "posterior", "reference")
            module = self._module(beside, scaled)
            yield RunScore(_BESIDE, module, beside, reference=self.reference)

    def _module(self, inputs: Sequence[str], scaled: bool) -> PosteriorScores:
        return PosteriorScores(
            inputs=tuple(inputs),
            draw_parameters=self.draw_parameters,
            scaled=scaled,
            burn_in=self.burn_in,
            draws=self.draws,
        )

    @property
    def shown(self) -> tuple[str, ...]:
        """Return the metrics of figures."""
        return self.metrics or (*PROXIES, *DISTANCES)

    def tables(self, results: Results) -> Mapping[str, Table]:
        """Return runs, means, correlations between metrics, and the source of the true posterior.

        Several of a setup are one: the first makes the tables of all.
        """
        together = [
            evaluation for evaluation in results.evaluations if isinstance(evaluation, Posteriors)
        ] or [self]
        if self != together[0]:
            return {}
        rows = [row for evaluation in together for row in evaluation.rows(results)]
        known = [m for m in (*self.shown, *ENTROPIES) if any(is_number(r.get(m)) for r in rows)]
        means = mean_rows(rows, known, self.resamples)
        ranked = [metric for metric in known if measure_of(metric).better]
        others = [row for row in rows if self.rank_reference or not row["reference"]]
        pairs = correlation_rows(others, ranked, self.resamples)
        references = {row["model"]: row["method"] for row in rows if row["reference"]}
        return {
            "runs": Table(results.marked(rows), "runs.csv", parquet=True, schema=run_schema()),
            "means": Table(results.marked(means), "means.csv"),
            "correlations": Table(results.marked(pairs), "correlations.csv"),
            "references": Table([{"model": k, "reference": v} for k, v in references.items()]),
            "metrics": Table([{"metric": metric} for metric in known]),
        }

    def rows(self, results: Results) -> list[Cells]:
        """Return kind of data, method, start and metrics of every run."""
        asked = results.runs_of(self.algorithms() if self.ids else results.ids)
        runs = [run for run in asked if self._is_mine(results, run)]
        kinds = regimes_of(results, (results.case(run) for run in runs))
        scores = zip(results.scores(_SCORES, runs), results.scores(_BESIDE, runs), strict=True)
        result = []
        for run, pair, cost in zip(runs, scores, results.rows_of(runs), strict=True):
            case, method = results.case(run), method_of(results, run, self._named(run.entry))
            row: Cells = {**kinds[case]._asdict(), "seed": case.seed, "id": run.entry}
            row |= {"method": method.name, "start": method.start}
            row["reference"] = run.entry == self.reference
            row |= {name: cost.get(name) for name in ("time", "status")}
            for score in pair:
                row |= {k: v for k, v in (score or {}).items() if v is not None or k not in row}
            result.append(row)
        return result

    def _named(self, identifier: str) -> str:
        return dict(zip(self.ids, self.names, strict=False)).get(identifier, identifier)

    def _is_mine(self, results: Results, run: Run) -> bool:
        origin = results.origin(results.case(run))
        return self._is_about(origin.graph_id, origin.parameters_id)

    def figures(self, tables: TableSet) -> Iterator[tuple[str, Drawing]]:
        """Draw a figure per metric and model, and correlations per model and number of rows."""
        for figure in posterior_figures(tables):
            for number, (name, chart) in enumerate(figure.variants, 1):
                if not is_nothing(chart):
                    yield f"{figure.name}_{number}", headed(chart, name)

    def section(self, tables: TableSet) -> Section | None:
        """Show sentences on which metrics to believe, then the figures."""
        if not tables.rows("means"):
            return None
        parts: list[Part] = [Words(_ABOUT), *trust_parts(tables), *truth_parts(tables)]
        parts += posterior_figures(tables)
        return Section("posterior-metrics", "Posteriors and their metrics", parts, leading=True)

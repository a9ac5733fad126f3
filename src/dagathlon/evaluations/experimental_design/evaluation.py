"""``experimental_design``: what experiments change, as tables, sentences and figures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dagathlon.evaluate.metric import measure_of
from dagathlon.evaluate.posteriors.scores import PosteriorScores, unknown_metric
from dagathlon.evaluate.ranking.correlations import bootstrap_means
from dagathlon.evaluate.ranking.summary import is_number
from dagathlon.frame import Cells, Row, Rows, grouped
from dagathlon.modules import Count, Probability
from dagathlon.report.charts.metric_lines import metric_lines
from dagathlon.report.charts.parts import headed, is_nothing
from dagathlon.report.evaluation import OfLearners, Table, TableSet
from dagathlon.report.figures.chart import Drawing
from dagathlon.report.figures.palette import Look
from dagathlon.report.results import Results
from dagathlon.report.section import Figure, Grid, Part, Section, Variant, Words
from dagathlon.report.tables.metrics import mean_rows
from dagathlon.report.tables.regimes import method_of, named, ordered
from dagathlon.simulate.experiments import Experiments
from dagathlon.study.config.plan_requests import Cases, Input, RunScore, Wanted
from dagathlon.study.plan.plan import Case
from dagathlon.study.records.runs import run_schema

_KIND = ("graph", "model", "method")
# A larger part of the logarithm of the number of draws is as much as draws can show.
_LIMIT = 0.95
# Exact entropies may exceed the logarithm by more than rounding; these are left out.
_ROUNDING = 1e-9


def change_rows(rows: Rows, metrics: Sequence[str], resamples: int) -> Iterator[Row]:
    """Yield the mean change of each metric from the fewest rows to the most, by method.

    Parameters
    ----------
    rows
        One for each run: `graph`, `model`, `method`, `seed`, `rows` and the metrics.
    metrics
        Columns of numbers.
    resamples
        How often data sets are drawn again for the intervals.
    """
    groups = grouped((tuple(row[name] for name in _KIND), row) for row in rows)
    for kind, members in groups.items():
        least, most = (end(row["rows"] for row in members) for end in (min, max))
        for metric in metrics:
            ends = [_by_seed(members, metric, size) for size in (least, most)]
            both = [seed for seed in ends[0] if seed in ends[1]]
            if least == most or not both:
                continue
            first, last = (np.array([end[seed] for seed in both]) for end in ends)
            interval = bootstrap_means(last - first, resamples)
            yield dict(zip(_KIND, kind, strict=True)) | {
                "metric": metric,
                "from_rows": least,
                "to_rows": most,
                "before": float(first.mean()),
                "after": float(last.mean()),
                "change": float(interval.mean),
                "low": float(interval.low),
                "high": float(interval.high),
                "data_sets": len(both),
            }


def _by_seed(rows: Rows, metric: str, size: int) -> dict[Any, float]:
    """Return means over starts, by data set."""
    values = grouped(
        (row["seed"], float(row[metric]))
        for row in rows
        if row["rows"] == size and is_number(row.get(metric))
    )
    return {seed: float(np.mean(members)) for seed, members in values.items()}


def design_rows(rows: Rows, metrics: Sequence[str], resamples: int) -> Iterator[Row]:
    """Yield the effect of another choice of targets on each metric, by method and rows.

    Choices are compared with the first one, on data sets of the same graph and parameters.
    """
    first, *others = dict.fromkeys(row["graph"] for row in rows) or [""]
    for model, method in dict.fromkeys((row["model"], row["method"]) for row in rows):
        selected = [row for row in rows if (row["model"], row["method"]) == (model, method)]
        for other in others:
            pair = [[row for row in selected if row["graph"] == name] for name in (first, other)]
            sizes = set.intersection(*({row["rows"] for row in item} for item in pair))
            if not sizes or not max(sizes):
                continue
            for metric in metrics:
                ends = [_by_seed(item, metric, max(sizes)) for item in pair]
                both = [seed for seed in ends[0] if seed in ends[1]]
                if both:
                    apart = [ends[1][seed] - ends[0][seed] for seed in both]
                    interval = bootstrap_means(apart, resamples)
                    about = {"model": model, "method": method, "metric": metric}
                    about |= {"targets": other, "instead_of": first, "rows": max(sizes)}
                    yield about | {
                        "difference": float(interval.mean),
                        "low": float(interval.low),
                        "high": float(interval.high),
                        "data_sets": len(both),
                    }


def changes_in_words(changes: Rows, metric: str) -> Iterator[str]:
    """Yield sentences on whose metric falls, rises or stays, by choice of targets."""
    selected = [row for row in changes if row["metric"] == metric]
    for place in dict.fromkeys((row["graph"], row["model"]) for row in selected):
        here = [row for row in selected if (row["graph"], row["model"]) == place]
        here.sort(key=lambda row: float(row["change"]))
        kinds = (
            ("falls for", [row for row in here if row["high"] < 0]),
            ("rises for", [row for row in here if row["low"] > 0]),
            ("neither falls nor rises for", [r for r in here if r["low"] <= 0 <= r["high"]]),
        )
        words = [f"{verb} {', '.join(map(_change, rows))}" for verb, rows in kinds if rows]
        where = ", ".join(part for part in place if part)
        sizes = f"from {here[0]['from_rows']} to {here[0]['to_rows']} interventional rows"
        yield f"{where}: {sizes} {measure_of(metric).label} {'; it '.join(words)}."


def _change(row: Row) -> str:
    return f"{row['method']} ({row['change']:+.2f})"


def designs_in_words(designs: Rows, metric: str) -> Iterator[str]:
    """Yield sentences on the effect of the choice of targets, where the interval excludes zero."""
    for row in designs:
        sure = row["high"] < 0 or row["low"] > 0
        if row["metric"] == metric and sure:
            less = "lower" if row["high"] < 0 else "higher"
            yield (
                f"With targets {row['targets']} in place of {row['instead_of']}, "
                f"{measure_of(metric).label} of {row['method']} is {abs(row['difference']):.2f} "
                f"{less} after {row['rows']} interventional rows "
                f"({row['low']:+.2f} to {row['high']:+.2f}; {row['model']})."
            )


def at_the_limit(rows: Rows) -> list[str]:
    """Return methods with nearly all draws different, so that their entropy is log n."""
    drawn = (row for row in rows if is_number(row.get("n_draws")) and row["n_draws"] > 1)
    known = (row for row in drawn if is_number(row.get("entropy")))
    shares = grouped(
        (row["method"], share)
        for row in known
        if (share := float(row["entropy"]) / math.log(row["n_draws"])) < 1 + _ROUNDING
    )
    return [method for method, members in shares.items() if float(np.median(members)) > _LIMIT]


_SCORES = "experimental_design"
_INPUTS: tuple[Input, ...] = ("truth", "model", "data", "posterior")
_METRICS = ("entropy", "entropy_kl", "e_shd")
_ACROSS = "interventional rows"

_ABOUT = (
    "Each data set begins with a few observations; every step adds rows under an intervention on "
    "one variable, and all methods learn anew. A posterior that takes experiments in gets surer "
    "(entropy falls) and nearer to the true graph (E-SHD falls); one whose entropy stays has no "
    "use for them. The entropy of draws is at most the logarithm of their number, so few draws "
    "look surer than they are; exact posteriors have no such limit."
)
_CHANGE = (
    "Mean change over data sets from the first to the last number of rows; 95 % intervals from "
    "resampled data sets. What falls or rises has an interval without 0."
)


@dataclass(frozen=True, kw_only=True)
class ExperimentalDesign(OfLearners):
    """Follow entropy and distance to the truth through experiments that are made one by one.

    It reads data of the generators `experiments` and `designed_experiments` with a list of `steps`.

    Parameters
    ----------
    ids
        The methods; none means all that the other evaluations name.
    metrics
        Metrics of posteriors to follow; none means the entropy over graphs, that of appendix D of
        Karimi Mamaghan et al., and E-SHD.
    draw_parameters
        Prior of coefficients and noise variances that are drawn for draws without any: own is none,
        nig the normal inverse gamma, wishart that of the BGe score.
    burn_in
        Share of each Markov chain that is left out at its start.
    resamples
        How often data sets are drawn again for intervals.
    """

    name = "experimental_design"
    on_page = True
    references = ("Karimi Mamaghan et al. 2024, ICML, PMLR 235, section 5.1 and figure 9",)

    ids: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    draw_parameters: Literal["own", "nig", "wishart"] = "nig"
    burn_in: Probability = 0.5
    resamples: Count = 1000

    def problem(self) -> str:
        """Return an error unless all metrics are metrics of posteriors."""
        return unknown_metric(self.metrics)

    def tasks(self, cases: Cases) -> Iterator[Wanted]:
        """Request metrics of every run on experiments."""
        if not isinstance(cases.generator, Experiments):
            return
        inputs = tuple(name for name in _INPUTS if name in cases.offers())
        module = PosteriorScores(
            inputs=inputs, draw_parameters=self.draw_parameters, burn_in=self.burn_in
        )
        yield RunScore(_SCORES, module, inputs)

    def tables(self, results: Results) -> Mapping[str, Table]:
        """Return runs, means, changes over all steps, and comparisons of target choices."""
        rows = list(self._rows(results))
        known = [m for m in self.metrics or _METRICS if any(is_number(r.get(m)) for r in rows)]
        means = results.marked(mean_rows(rows, known, self.resamples))
        changes = results.marked(change_rows(rows, known, self.resamples))
        designs = design_rows(rows, known, self.resamples)
        return {
            "runs": Table(results.marked(rows), "runs.csv", parquet=True, schema=run_schema()),
            "means": Table(means, "means.csv"),
            "changes": Table(changes, "changes.csv"),
            "designs": Table(results.marked(designs), "designs.csv"),
        }

    def _rows(self, results: Results) -> Iterator[Cells]:
        """Yield one row per run: choice of targets (graph), kind of data (model), metrics."""
        runs = results.runs_of(self.included(results))
        cases = [results.case(run) for run in runs]
        about = {case: results.origin(case) for case in cases}
        designs = named({c: (about[c].data_id, c.data_label) for c in cases}, leave_out="steps")
        graphs = named({c: (about[c].graph_id or "", c.graph_label) for c in cases})
        models = named({c: (about[c].parameters_id or "", c.parameters_label) for c in cases})
        sizes = {case: _intervened(results, case) for case in dict.fromkeys(cases)}
        scores = results.scores(_SCORES, runs)
        for run, case, score, cost in zip(runs, cases, scores, results.rows_of(runs), strict=True):
            if score is None:
                continue
            method = method_of(results, run)
            yield {
                "graph": designs[case],
                "model": ", ".join(part for part in (graphs[case], models[case]) if part),
                "rows": sizes[case],
                "seed": case.seed,
                "id": run.entry,
                "method": method.name,
                "start": method.start,
                "time": cost.get("time"),
            } | score

    def figures(self, tables: TableSet) -> Iterator[tuple[str, Drawing]]:
        """Draw a figure per metric and kind of data."""
        for number, (name, chart) in enumerate(_variants(tables), 1):
            if not is_nothing(chart):
                yield f"experiments_{number}", headed(chart, name)

    def section(self, tables: TableSet) -> Section | None:
        """Show the changes as sentences, lines and numbers."""
        changes = tables.rows("changes")
        if not tables.rows("means"):
            return None
        parts: list[Part] = [Words(_ABOUT)]
        for metric in ordered(changes, "metric"):
            words = [*changes_in_words(changes, metric)]
            parts += [Words(" ".join([*words, *designs_in_words(tables.rows("designs"), metric)]))]
        parts += [Words(text) for text in _limit_words(at_the_limit(tables.rows("runs")))]
        heading = "Do experiments make the methods surer, and right?"
        caption = "Means over data sets with 95 % intervals; a panel for each choice of targets."
        parts.append(Figure("experiments", heading, caption, _variants(tables)))
        if changes:
            parts += [Words(_CHANGE, "Changes"), _grid(changes)]
        return Section("experiments", "Experimental design", parts, leading=True)


def _limit_words(methods: Sequence[str]) -> Iterator[str]:
    if methods:
        yield (
            f"Nearly every draw of {', '.join(methods)} is another graph: that entropy is the "
            "logarithm of the number of draws, and says only that the posterior is wider."
        )


def _intervened(results: Results, case: Case) -> int:
    data = results.data(case)
    return 0 if data is None or data.intervened is None else int(data.intervened.any(axis=1).sum())


def _variants(tables: TableSet) -> list[Variant]:
    rows = [{**row, "id": row["method"]} for row in tables.rows("means")]
    names = {row["id"] for row in rows}
    look = tables.look if names <= set(tables.look.ids) else Look.of(names)
    models, result = ordered(rows, "model"), []
    for metric in ordered(rows, "metric"):
        for model in models:
            selected = [row for row in rows if (row["metric"], row["model"]) == (metric, model)]
            label = measure_of(metric).label
            name = f"{label}, {model}" if len(models) > 1 else label
            result.append((name, metric_lines(selected, metric, look, _ACROSS)))
    return result


def _grid(changes: Any) -> Grid:
    head = ["targets", "data", "method", "metric", "from", "to", "change", "95 % interval"]
    shown = [
        [
            *(row[name] for name in ("graph", "model", "method")),
            measure_of(row["metric"]).label,
            *(row[name] for name in ("before", "after", "change")),
            f"{row['low']:+.3f} to {row['high']:+.3f}",
        ]
        for row in changes
    ]
    return Grid(head, shown, 4)

"""``metrics``: what Benchpress's joint table does not have, and diagnostics of the data sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dagathlon.evaluate.ranking.ranks import direction
from dagathlon.evaluate.ranking.summary import is_number
from dagathlon.evaluate.steps import CaseDiagnostics, CrossValidated, HeldOut, StandardMetrics
from dagathlon.evaluations.predictive.tables import cross_entropy_score
from dagathlon.frame import Row, Rows, grouped
from dagathlon.modules import Count
from dagathlon.report.evaluation import Evaluation, OfLearners, Table, TableSet
from dagathlon.report.page.tables import Tables, case_names
from dagathlon.report.results import DIAGNOSTICS, Results
from dagathlon.report.section import Grid, Html, Part, Section, Words
from dagathlon.report.tables.metrics import beside_runs
from dagathlon.report.tables.regimes import case_factors
from dagathlon.report.tables.runs import (
    Combination,
    combination,
    combinations,
    mean_of,
    named,
    with_factors,
)
from dagathlon.report.words import short_title
from dagathlon.study.config.plan_requests import Cases, DataScore, RunScore, Wanted
from dagathlon.study.plan.scoring import STANDARD
from dagathlon.study.records.runs import run_schema

# What tells runs apart and what they cost, taken over from the joint table.
_ABOUT = ("id", "algorithm", "adjmat", "parameters", "data", "seed", "curve_param", "curve_value")
_COST = ("graph_type", "ntests", "time", "cpu", "memory", "status", "reason", "n_nodes_left_out")
_TELLING = 0.75


@dataclass(frozen=True, kw_only=True)
class Metrics(OfLearners):
    """Tabulate the metrics that Benchpress does not have, and diagnostics of every data set.

    Parameters
    ----------
    ids
        Algorithms to include; none means all that the other evaluations name.
    causal
        Whether to compute SID and the AIDs; null does for graphs of up to 50 nodes.
    held_out
        Whether to compute log-likelihoods of fresh data (cross-validated where data are given), and
        the cross-entropy to the true model where there is one.
    control
        Number of random graphs, as dense as the truth, that the negative control averages over.
    undirected
        What graphs of directed edges are compared by, true ones and learned ones: their moral
        graphs (moral) or their graphs of unconditional dependence (dependence). It holds for all
        metrics of the setup, and the column compared_as says so; null compares graphs as they are.
    equivalent
        Whether what the equivalence class of the truth leaves open costs nothing in the metrics of
        Bayesys (rule 6 of Constantinou 2019); the column open_directions says so.
    """

    name = "metrics"
    ids: tuple[str, ...] = ()
    causal: bool | None = None
    held_out: bool = False
    control: Count = 10
    undirected: Literal["moral", "dependence"] | None = None
    equivalent: bool = False

    @classmethod
    def by_default(cls, ids: Sequence[str], has_truth: bool) -> Evaluation | None:
        """Return the evaluation shown unasked: diagnostics that another one requested."""
        return _ShownMetrics()

    def tasks(self, cases: Cases) -> Iterator[Wanted]:
        """Request metrics of every run, diagnostics of every data set, and held-out likelihoods."""
        metrics = StandardMetrics.of(self.causal, self.undirected, self.equivalent)
        yield RunScore(STANDARD, metrics, ("truth", "estimate"))
        diagnostics = CaseDiagnostics(draws=self.control, undirected=self.undirected)
        yield DataScore(DIAGNOSTICS, diagnostics, ("truth", "data"))
        if self.held_out:
            yield _fit(cases)
            yield cross_entropy_score(cases, weak=True)

    def tables(self, results: Results) -> Mapping[str, Table]:
        """Return a table of runs and a table of data sets."""
        ids = self.included(results)
        joint, further = results.rows(ids), results.further_rows(ids)
        sortable = beside_runs(joint, results.case_rows)
        runs = results.runs_of(ids)
        factors = case_factors(results, map(results.case, runs))
        rows = results.marked(
            {name: row.get(name) for name in _ABOUT}
            | factors[results.case(run)]
            | {name: row.get(name) for name in (*results.values(run), *_COST)}
            | given_away
            | more
            for run, row, more, given_away in zip(runs, joint, further, sortable, strict=True)
        )
        return {
            "metrics": Table(rows, "metrics.csv", parquet=True, schema=run_schema()),
            "data sets": Table(with_factors(results.case_rows), "data_sets.csv"),
            "runs": Table(named(results.rows(results.ids), results.algorithms)),
            "baselines": Table(
                [
                    {"kind": kind, "metric": metric, "value": best.value, "name": best.name}
                    for (kind, metric), best in Tables(results, {}).yardsticks.items()
                ]
            ),
        }

    def section(self, tables: TableSet) -> Section | None:
        """Show the sortability of the data sets and the scores of the baseline graphs."""
        rows = tables.rows("data sets")
        if not rows:
            return None
        best = {(row["kind"], row["metric"]): row for row in tables.rows("baselines")}
        parts: list[Part] = [Words(_warning(rows)), _grid(rows, tables.rows("runs"), best)]
        return Section("data-sets", "Data sets", parts)


@dataclass(frozen=True, kw_only=True)
class _ShownMetrics(Metrics):
    """Diagnostics of data sets on the page of a study that does not name `metrics`."""

    def tasks(self, cases: Cases) -> Iterator[Wanted]:
        """Request nothing."""
        yield from ()


def _fit(cases: Cases) -> RunScore:
    """Return the held-out likelihood: on fresh rows, or by cross-validation for data files."""
    if cases.generator is None:
        return RunScore("held_out", CrossValidated(), ("data", "estimate"))
    return RunScore("held_out", HeldOut(), ("data", "test_data", "estimate"))


def _grid(rows: Rows, runs: Rows, baselines: Mapping[tuple[Combination, str], Row]) -> Grid:
    groups = grouped((combination(row), row) for row in rows)
    names = case_names(combinations(rows))
    controls = [m for m in ("SHD_pattern", "F1_pattern", "bsf") if _best(runs, m, None) is not None]
    head = ["data", "rows", "nodes", "edges", "varsortability", "R²-sortability"]
    head += [f"{short_title(m)}: best baseline → best" for m in controls]
    shown = []
    for which, members in groups.items():
        cells: list[str] = [names[which]]
        cells += [_mean(members, name, 0) for name in ("n", "n_nodes", "n_edges")]
        cells += [_mean(members, name, 2) for name in ("varsortability", "r2_sortability")]
        for metric in controls:
            cells.append(
                _against(_best(runs, metric, which), baselines.get((which, metric)), metric)
            )
        shown.append(cells)
    return Grid(head, shown)


def _warning(rows: Rows) -> str:
    note = (
        "Means over seeds. Sortability near 1 means that sorting the variables by variance, or by "
        "how much the others explain of it, gives the causal order away; ½ says nothing. "
        "Baselines: the empty graph, the complete one, graphs drawn with as many edges as the "
        "truth. Best: the best mean of a setting with a number on all data sets; ▾ is worse than "
        "the best baseline."
    )
    high = [
        label
        for name, label in (("varsortability", "variances"), ("r2_sortability", "explained shares"))
        if (value := mean_of(rows, name)) is not None and value >= _TELLING
    ]
    if high:
        note += f" Here {' and '.join(high)} give much of the order away: results may flatter."
    return note


def _best(runs: Rows, metric: str, which: Combination | None) -> float | None:
    result = grouped(
        (row["setting"], float(row[metric]))
        for row in runs
        if is_number(row.get(metric)) and (which is None or combination(row) == which)
    )
    most = max(map(len, result.values()), default=0)
    means = [float(np.mean(values)) for values in result.values() if len(values) == most]
    if not means:
        return None
    return max(means) if direction(metric) == "more" else min(means)


def _against(best: float | None, baseline: Row | None, metric: str) -> str:
    """Format a baseline beside the best: ``the empty graph 36.7 → 8.2``, the better one bold."""
    words = "–" if baseline is None else f"{baseline['name']} {baseline['value']:.3g}"
    if best is None:
        return f"{words} → –"
    sign = 1 if direction(metric) == "more" else -1
    if baseline is not None and sign * best < sign * baseline["value"]:
        return Html(f'{words} → <span class="below">▾ {best:.3g}</span>')
    return Html(f"{words} → <b>{best:.3g}</b>")


def _mean(rows: Rows, name: str, places: int) -> str:
    value = mean_of(rows, name)
    return "–" if value is None else f"{value:,.{places}f}"

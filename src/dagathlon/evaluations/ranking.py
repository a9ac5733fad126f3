"""``ranking``: ranks, tests, strengths, costs and sensitivity, as tables and figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dagathlon.errors import unknown
from dagathlon.evaluate.metric import rankable
from dagathlon.evaluate.steps import CaseDiagnostics
from dagathlon.modules import Probability
from dagathlon.report.charts.cost import accuracy_against_cost
from dagathlon.report.charts.critical_difference import critical_difference
from dagathlon.report.charts.parts import headed
from dagathlon.report.charts.sensitivity import against_parameter, varied_parameters
from dagathlon.report.context import DIAGNOSTICS, PARTIAL, Results
from dagathlon.report.evaluation import Drawing, Evaluation, Row, Table, TableSet
from dagathlon.report.page.tables import Tables
from dagathlon.report.rank_tables import Ranks, rank_tables
from dagathlon.report.section import Figure, Grid, Html, Part, Section, Words
from dagathlon.report.words import short_title, words
from dagathlon.study.grammar.wanted import Cases, DataScore, Wanted

_MOST_ROWS = 60
_RANKS = (
    "Average rank over the data sets ± its standard deviation, and the place that gives (1 is "
    "best). Settings that failed share the last rank, so that nobody gains by failing."
)
_STRENGTHS = (
    "From 0 (the worst of all settings here) to 100 % (the best). Steadiness: little variance of "
    "the relative scores over kinds of data. Fitting: as many edges as the truth has. Reliability: "
    "no errors."
)


@dataclass(frozen=True, kw_only=True)
class Ranking(Evaluation):
    """Rank the settings of all algorithms: tables, tests, strengths, costs, sensitivity.

    Parameters
    ----------
    ids
        Algorithms to include; none means all that the other evaluations name.
    metrics
        What to rank by; the first one stands for all where there is room for one.
    alpha
        Level of the tests.
    """

    name = "ranking"
    on_page = True
    ids: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ("SHD_pattern", "F1_pattern", "bsf")
    alpha: Probability = 0.05

    def algorithms(self) -> tuple[str, ...]:
        """The named ids."""
        return self.ids

    def needs_truth(self) -> bool:
        """Ranks are of metrics."""
        return True

    def problem(self) -> str:
        """There is something to rank by, at a level that a test can have."""
        if not self.metrics:
            return "metrics names at least one metric to rank by"
        known = rankable()
        for metric in self.metrics:
            if metric not in known:
                return unknown("metric to rank by", metric, known)
        return "" if 0 < self.alpha < 1 else "alpha lies between 0 and 1"

    @classmethod
    def by_default(cls, ids: Sequence[str], has_truth: bool) -> Evaluation | None:
        """Ranks are shown wherever there is a truth."""
        return _ShownRanking() if has_truth else None

    def tasks(self, cases: Cases) -> Iterator[Wanted]:
        """Facts about the data sets, to rank on those of one kind."""
        yield DataScore(DIAGNOSTICS, CaseDiagnostics(), ("truth", "data"), weak=True)

    def tables(self, results: Results) -> Mapping[str, Table]:
        """Eight tables, and what the diagrams are drawn from."""
        ids = self.ids or results.ids
        ranks = Ranks.of(results, ids, self.metrics, self.alpha)
        note = {PARTIAL: True} if results.partial else {}
        found = {
            name: Table([row | note for row in rows], f"{name}.csv")
            for name, rows in rank_tables(ranks).items()
        }
        found["diagrams"] = Table(
            [
                {"metric": m, "nemenyi": ranks.nemenyi(m), "friedman": ranks.friedman(m)}
                for m in ranks.metrics
            ]
        )
        found["algorithms"] = Table([{"setting": k, "id": v} for k, v in ranks.ids.items()])
        found["settings"] = Table(Tables(results, {}).settings)
        return found

    def figures(self, tables: TableSet) -> Iterator[tuple[str, Drawing]]:
        """Critical differences, accuracy against cost and against parameters."""
        metrics = [row["metric"] for row in tables.rows("diagrams")]
        for row in tables.rows("diagrams"):
            chart = critical_difference(row["nemenyi"], _ids(tables), tables.look)
            heading = f"{words(row['metric']).title}: {tables.title}"
            yield f"critical_difference_{row['metric']}", headed(chart, heading)
        settings = tables.rows("settings")
        for metric in metrics[:1]:
            for cost in ("time", "memory"):
                chart = accuracy_against_cost(settings, metric, cost, tables.look)
                yield f"pareto_{cost}", headed(chart, tables.title)
            for name in varied_parameters(settings):
                chart = against_parameter(settings, metric, name, tables.look)
                yield f"sensitivity_{name}", headed(chart, tables.title)

    def section(self, tables: TableSet) -> Section | None:
        """Ranks, what they are worth, and for which data."""
        if not tables.rows("diagrams") or len(tables.rows("algorithms")) < 2:
            return None
        parts: list[Part] = [*self._diagrams(tables), *_ranks(tables)]
        parts += [*_like_mine(tables), *_strengths(tables)]
        return Section("ranking", "Ranking", parts)

    def _diagrams(self, tables: TableSet) -> Iterator[Figure]:
        """The critical-difference diagrams, with what Friedman's test says."""
        variants = [
            (words(row["metric"]).title, critical_difference(found, _ids(tables), tables.look))
            for row in tables.rows("diagrams")
            if (found := row["nemenyi"]) is not None
        ]
        caption = (
            "Average ranks of the algorithms, each at its best-ranked setting; the best is on the "
            "left. A thick bar joins algorithms whose ranks differ by less than the critical "
            f"difference (Nemenyi, level {self.alpha:g}). {self._friedman(tables)}"
        )
        if variants:
            heading = "Do the algorithms differ by more than chance?"
            yield Figure("ranks", heading, caption, variants)

    def _friedman(self, tables: TableSet) -> str:
        first = tables.rows("diagrams")[0]
        found = first["friedman"]
        if found is None:
            return ""
        p = "p < 0.001" if found.p_value < 0.001 else f"p = {found.p_value:.3f}"
        differ = "they differ" if found.p_value < self.alpha else "they need not differ"
        return f"Friedman's test on {words(first['metric']).title}: {p}, {differ}."


@dataclass(frozen=True, kw_only=True)
class _ShownRanking(Ranking):
    """The ranks that a page shows although the study does not ask for `ranking`."""

    def tasks(self, cases: Cases) -> Iterator[Wanted]:
        """None."""
        yield from ()


def _ids(tables: TableSet) -> dict[str, str]:
    """The algorithm of each setting."""
    return {row["setting"]: row["id"] for row in tables.rows("algorithms")}


def _order(tables: TableSet) -> list[str]:
    """All settings, by their rank on the first metric."""
    first = tables.rows("diagrams")[0]["metric"]
    ranked = [row["setting"] for row in tables.rows("ranks") if row["metric"] == first]
    return [*ranked, *(name for name in _ids(tables) if name not in ranked)]


def _ranks(tables: TableSet) -> Iterator[Part]:
    metrics = [row["metric"] for row in tables.rows("diagrams")]
    found = {(row["metric"], row["setting"]): row for row in tables.rows("ranks")}
    rows = []
    order = _order(tables)
    for name in order[:_MOST_ROWS]:
        mine = [found.get((metric, name)) for metric in metrics]
        failures = max((row["failures"] for row in mine if row is not None), default=0)
        rows.append([name, *map(_rank, mine), str(failures)])
    more = len(order) - _MOST_ROWS
    left_out = f" The {more} settings ranked last are left out here." if more > 0 else ""
    yield Words(_RANKS + left_out)
    yield Grid(["setting", *(short_title(m) for m in metrics), "failures"], rows)


def _rank(row: Row | None) -> str:
    if row is None:
        return "–"
    place = f"<b>{row['overall_rank']}</b>" if row["overall_rank"] == 1 else row["overall_rank"]
    return Html(f"{place}<small> · {row['average_rank']:.2f} ± {row['rank_sd']:.2f}</small>")


def _like_mine(tables: TableSet) -> Iterator[Part]:
    """For each kind of data, the algorithms that rank first on it."""
    metric = tables.rows("diagrams")[0]["metric"]
    kinds: dict[tuple[Any, ...], list[str]] = {}
    for row in tables.rows("data_like_mine"):
        if row["metric"] == metric:
            key = (row["factor"], row["value"], row["data_sets"])
            shown = f"{row['setting']} ({row['average_rank']:.2f})"
            kinds.setdefault(key, []).append(shown)
    if not kinds:
        return
    note = (
        f"Average ranks by {words(metric).title} among the algorithms, each at its best-ranked "
        "setting, on data sets of one kind only."
    )
    yield Words(note, "Which algorithm for data like mine?")
    head = ["data with", "value", "data sets", "ranks first", "second", "third"]
    rows = [[*map(str, key), *(names + ["–"] * 3)[:3]] for key, names in kinds.items()]
    yield Grid(head, rows, 6)


def _strengths(tables: TableSet) -> Iterator[Part]:
    rows = tables.rows("strengths")
    categories = [k for k in (rows[0] if rows else {}) if k not in ("setting", PARTIAL)]
    if not categories:
        return
    place = {name: i for i, name in enumerate(_order(tables))}
    ordered = sorted(rows, key=lambda row: place[row["setting"]])[:_MOST_ROWS]
    yield Words(_STRENGTHS, "Strengths and weaknesses")
    shown = [[row["setting"], *(_share(row[name]) for name in categories)] for row in ordered]
    yield Grid(["setting", *categories], shown)


def _share(value: float | None) -> str:
    if value is None:
        return "–"
    return Html(f'<span class="share" style="--share:{value:.3f}">{value:.0%}</span>')

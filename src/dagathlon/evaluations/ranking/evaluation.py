"""``ranking``: ranks, tests, strengths, costs and sensitivity, as tables and figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

from dagathlon.errors import unknown
from dagathlon.evaluate.metric import rankable
from dagathlon.evaluate.ranking.ranks import Unit
from dagathlon.evaluate.ranking.significance import LEAST_BLOCKS, Friedman, Nemenyi
from dagathlon.evaluate.ranking.verdict import Verdict
from dagathlon.evaluate.steps import CaseDiagnostics
from dagathlon.evaluations.ranking.chart import critical_difference
from dagathlon.evaluations.ranking.tables import Ranks, rank_tables
from dagathlon.frame import Row, Rows, grouped, rows_by
from dagathlon.modules import Probability
from dagathlon.report.charts.cost import accuracy_against_cost, against_parameter, varied_parameters
from dagathlon.report.charts.parts import headed
from dagathlon.report.evaluation import AnyTable, Evaluation, OfLearners, Records, Table, TableSet
from dagathlon.report.figures.chart import Drawing
from dagathlon.report.page.lead import contenders, ranked_data
from dagathlon.report.page.tables import Tables
from dagathlon.report.results import DIAGNOSTICS, PARTIAL, RANKING, Results
from dagathlon.report.section import Figure, Grid, Html, Part, Section, Words
from dagathlon.report.words import short_title, words
from dagathlon.study.config.plan_requests import Cases, DataScore, Wanted
from dagathlon.wording import agreeing, counted

_MOST_ROWS = 60
_RANKS = (
    "The place of {contenders} (1 is best, = is shared), then the average rank over {data} ± the "
    "standard deviation over blocks, the numbers of the verdict. Failures share the last ranks, so "
    "that nobody gains by failing; who takes no part in a data set has the mean rank there."
)
_OTHER_SETTINGS = " A dash marks settings that are not an algorithm's best by that metric."
_BELOW = (
    " ▾ counts the kinds of data on which the mean is worse than the best baseline (the empty, the "
    "complete or a random graph)."
)
_STRENGTHS = (
    "From 0 (the worst of all settings here) to 100 % (the best). Fitting: as many edges as the "
    "truth has. Fitting and time are of the data sets that all finished; who finished less than "
    "half has none. Reliability is the share of runs that finished."
)
_ROBUSTNESS = (
    " Robustness is the share of its own F1 on clean data that a setting keeps as noise grows, the "
    "mean over kinds of noise."
)
_STEADINESS = " Steadiness: little variance of the relative scores over kinds of data."


class _Diagram(NamedTuple):
    """Tests of the ranks by one metric, for a critical-difference diagram."""

    metric: str
    nemenyi: Nemenyi | None
    friedman: Friedman | None
    data_sets: int
    blocks: int
    contenders: str
    data: str

    @classmethod
    def of(cls, metric: str, verdict: Verdict) -> _Diagram:
        """Return the tests of a verdict."""
        contest = verdict.contest
        tests = (contest.nemenyi(), contest.friedman(), contest.n_cases, contest.n_blocks)
        return cls(metric, *tests, contenders(verdict), ranked_data(contest))


@dataclass(frozen=True, kw_only=True)
class Ranking(OfLearners):
    """Rank the settings of all algorithms: tables, tests, strengths, costs, sensitivity.

    Parameters
    ----------
    ids
        Algorithms to include; none means all that the other evaluations name.
    metrics
        What to rank by; the first one stands for all where there is room for one, in the verdict
        too. By default the verdict's metric (a structural Hamming distance that all estimates
        have), F1_pattern and bsf.
    alpha
        Level of the tests.
    unit
        What counts once in an average rank, in the verdict too: every data set (data_set) or every
        block of data sets, which is a true graph with a seed (block). Tests count blocks in any
        case.
    """

    name = RANKING
    on_page = True
    ids: tuple[str, ...] = ()
    metrics: tuple[str, ...] | None = None
    alpha: Probability = 0.05
    unit: Unit = "data_set"

    def needs_truth(self) -> bool:
        """Return True: ranks are of metrics against the truth."""
        return True

    def problem(self) -> str:
        """Return an error unless there is a metric to rank by and a valid level."""
        if self.metrics is not None and not self.metrics:
            return "metrics names at least one metric to rank by"
        known = rankable()
        for metric in self.metrics or ():
            if metric not in known:
                return unknown("metric to rank by", metric, known)
        return "" if 0 < self.alpha < 1 else "alpha lies between 0 and 1"

    @classmethod
    def by_default(cls, ids: Sequence[str], has_truth: bool) -> Evaluation | None:
        """Return the evaluation shown unasked wherever there is a truth."""
        return _ShownRanking() if has_truth else None

    def tasks(self, cases: Cases) -> Iterator[Wanted]:
        """Request facts about the data sets, for ranks by kind of data."""
        yield DataScore(DIAGNOSTICS, CaseDiagnostics(), ("truth", "data"), weak=True)

    def tables(self, results: Results) -> Mapping[str, AnyTable]:
        """Return eight tables, and the data of the diagrams."""
        ids, shown = self.included(results), Tables(results, {})
        asked = self.metrics or (shown.quality or "SHD_pattern", "F1_pattern", "bsf")
        unit = cast(Unit, results.provenance.rank_unit or self.unit)
        ranks = Ranks.of(results, ids, asked, self.alpha, unit)
        result: dict[str, AnyTable] = {
            name: Table(results.marked(rows), f"{name}.csv")
            for name, rows in rank_tables(ranks).items()
        }
        result["diagrams"] = Records(
            [_Diagram.of(m, verdict) for m, verdict in ranks.verdicts.items()]
        )
        result["algorithms"] = Table([{"setting": k, "id": v} for k, v in ranks.ids.items()])
        result["settings"] = Table(shown.settings)
        return result

    def figures(self, tables: TableSet) -> Iterator[tuple[str, Drawing]]:
        """Draw critical differences, and accuracy against cost and against parameters."""
        metrics = [verdict.metric for verdict in tables.records("diagrams")]
        for verdict in tables.records("diagrams"):
            chart = critical_difference(verdict.nemenyi, _ids(tables), tables.look)
            heading = f"{words(verdict.metric).title}: {tables.title}"
            yield f"critical_difference_{verdict.metric}", headed(chart, heading)
        settings = tables.rows("settings")
        for metric in metrics[:1]:
            for cost in ("time", "memory"):
                chart = accuracy_against_cost(settings, metric, cost, tables.look)
                yield f"pareto_{cost}", headed(chart, tables.title)
            for name in varied_parameters(settings):
                chart = against_parameter(settings, metric, name, tables.look)
                yield f"sensitivity_{name}", headed(chart, tables.title)

    def section(self, tables: TableSet) -> Section | None:
        """Show ranks, their significance, and ranks by kind of data."""
        if not tables.records("diagrams") or len(tables.rows("algorithms")) < 2:
            return None
        parts: list[Part] = [*self._diagrams(tables), *_no_test(tables), *_ranks(tables)]
        if self.ids:
            named = ", ".join(self.ids)
            parts.append(Words(f"The study names whom to rank: {named}. The verdict is of all."))
        parts += [*_like_mine(tables), *_strengths(tables)]
        return Section("ranking", "Ranking", parts)

    def _diagrams(self, tables: TableSet) -> Iterator[Part]:
        """Yield the critical-difference diagrams, with the outcome of Friedman's test."""
        first = tables.records("diagrams")[0]
        variants = [
            (
                words(verdict.metric).title,
                critical_difference(verdict.nemenyi, _ids(tables), tables.look),
            )
            for verdict in tables.records("diagrams")
            if verdict.nemenyi is not None
        ]
        caption = (
            f"Average ranks of {first.contenders} over {first.data}; the best is on the "
            "left. A thick bar joins algorithms whose ranks differ by less than the critical "
            f"difference (Nemenyi, level {self.alpha:g}; all pairs at once, which asks for more "
            f"than the interval of one gap). {self._friedman(tables)}"
        )
        if variants:
            heading = "Do the algorithms differ by more than chance?"
            yield Figure("ranks", heading, caption, variants)

    def _friedman(self, tables: TableSet) -> str:
        first = tables.records("diagrams")[0]
        result = first.friedman
        if result is None:
            return ""
        p = "p < 0.001" if result.p_value < 0.001 else f"p = {result.p_value:.3f}"
        differ = "they differ" if result.p_value < self.alpha else "they need not differ"
        about = f"{counted(first.data_sets, 'data set')} in {counted(result.n, 'block')}"
        return f"Friedman's test on {words(first.metric).title}, {about}: {p}, {differ}."


@dataclass(frozen=True, kw_only=True)
class _ShownRanking(Ranking):
    """Ranks on the page of a study that does not name `ranking`."""

    def tasks(self, cases: Cases) -> Iterator[Wanted]:
        """Request nothing."""
        yield from ()


def _ids(tables: TableSet) -> dict[str, str]:
    """Return the algorithm of each setting."""
    return {row["setting"]: row["id"] for row in tables.rows("algorithms")}


def _order(tables: TableSet) -> list[str]:
    """Return all settings by their rank on the first metric."""
    first = tables.records("diagrams")[0].metric
    ranked = [row["setting"] for row in tables.rows("ranks") if row["metric"] == first]
    return [*ranked, *(name for name in _ids(tables) if name not in ranked)]


def _no_test(tables: TableSet) -> Iterator[Part]:
    """Yield a sentence on why there is no diagram."""
    if all(verdict.nemenyi is None for verdict in tables.records("diagrams")):
        n = max((verdict.blocks for verdict in tables.records("diagrams")), default=0)
        blocks = f"{counted(n, 'block')} of data"
        yield Words(
            f"No test is made of whether the algorithms differ: there {agreeing(n, 'is', 'are')} "
            f"{blocks} (a true graph with a seed is one, at any sample size and noise), and fewer "
            f"than {LEAST_BLOCKS} that two algorithms took part in say nothing."
        )


def _ranks(tables: TableSet) -> Iterator[Part]:
    metrics = [verdict.metric for verdict in tables.records("diagrams")]
    row_of = {(row["metric"], row["setting"]): row for row in tables.rows("ranks")}
    shared = {
        key: n
        for key, n in Counter((r["metric"], r["overall_rank"]) for r in row_of.values()).items()
        if n > 1 and key[1] is not None
    }
    below = any(row["kinds_below_baseline"] for row in row_of.values())
    rows, order = [], _order(tables)
    for name in order[:_MOST_ROWS]:
        mine = [row_of.get((metric, name)) for metric in metrics]
        failures = max((row["failures"] for row in mine if row is not None), default=0)
        rows.append([name, *(_rank(row, shared) for row in mine), str(failures)])
    more = len(order) - _MOST_ROWS
    first = tables.records("diagrams")[0]
    words = _RANKS.format(contenders=first.contenders, data=first.data)
    words += _OTHER_SETTINGS if any(row["overall_rank"] is None for row in row_of.values()) else ""
    words += _BELOW if below else ""
    if more > 0:
        words += (
            f" The last {counted(more, 'setting')} {agreeing(more, 'is', 'are')} left out here."
        )
    yield Words(words)
    yield Grid(["setting", *(short_title(m) for m in metrics), "failures"], rows)


def _rank(row: Row | None, shared: Collection[tuple[str, int]]) -> str:
    if row is None or row["overall_rank"] is None:
        return "–"
    equal = "=" if (row["metric"], row["overall_rank"]) in shared else ""
    n = row["kinds_below_baseline"]
    sign = f' <span class="below">▾\u00a0{n}</span>' if n else ""
    # Who is worse than a graph that nobody had to learn is not praised.
    tag = "b" if row["overall_rank"] == 1 and not n else "span"
    place = f"<{tag}>{row['overall_rank']}{equal}</{tag}>"
    return Html(f"{place}<small> · {row['average_rank']:.2f} ± {row['rank_sd']:.2f}{sign}</small>")


def _like_mine(tables: TableSet) -> Iterator[Part]:
    """Yield the table of the first three algorithms on each kind of data."""
    metric = tables.records("diagrams")[0].metric
    ranked = [row for row in tables.rows("data_like_mine") if row["metric"] == metric]
    kinds = rows_by(ranked, "factor", "value", "data_sets")
    if not kinds:
        return
    note = (
        f"Average ranks by {words(metric).title} among the algorithms, each at its best-ranked "
        "setting, on data sets of one kind only. Equal ranks stand together."
    )
    yield Words(note, "Which algorithm for data like mine?")
    head = ["data with", "value", "data sets", "ranks first", "second", "third"]
    rows = [[*map(str, key), *_podium(members)] for key, members in kinds.items()]
    yield Grid(head, rows, 6)


def _podium(rows: Rows) -> list[str]:
    """Return three cells for the first three places; ties share a cell and leave the next empty."""
    cells: list[str] = []
    places = grouped((f"{row['average_rank']:.2f}", row["setting"]) for row in rows)
    for rank, names in places.items():
        cells += [f"{'; '.join(names)} ({rank})", *["–"] * (len(names) - 1)]
    return [*cells, "–", "–", "–"][:3]


def _strengths(tables: TableSet) -> Iterator[Part]:
    rows = tables.rows("strengths")
    categories = [k for k in (rows[0] if rows else {}) if k not in ("setting", PARTIAL)]
    if not categories:
        return
    place = {name: i for i, name in enumerate(_order(tables))}
    ordered = sorted(rows, key=lambda row: place[row["setting"]])[:_MOST_ROWS]
    steady = _STEADINESS if "steadiness" in categories else ""
    robust = _ROBUSTNESS if "robustness" in categories else ""
    yield Words(_STRENGTHS + robust + steady, "Strengths and weaknesses")
    shown = [[row["setting"], *(_share(row[name]) for name in categories)] for row in ordered]
    yield Grid(["setting", *categories], shown)


def _share(value: float | None) -> str:
    if value is None:
        return "–"
    return Html(f'<span class="share" style="--share:{value:.3f}">{value:.0%}</span>')

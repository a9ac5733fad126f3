"""The tables of a ranking: what the files and the page of a report are made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from dagathlon.evaluate.graphs.control import Baselines
from dagathlon.evaluate.ranking.contest import Contest
from dagathlon.evaluate.ranking.ranks import Scores, Unit, direction, score_table
from dagathlon.evaluate.ranking.summary import is_number, numbers
from dagathlon.evaluate.ranking.verdict import Verdict, verdict
from dagathlon.evaluations.ranking.strengths import (
    LikeMine,
    data_facts,
    ranks_by_kind,
    relative_scores,
    strengths,
)
from dagathlon.frame import Cells, grouped
from dagathlon.report.charts.overview import STATUSES
from dagathlon.report.results import Results
from dagathlon.report.tables.runs import named, with_factors
from dagathlon.study.records.schema import Algorithm


@dataclass(frozen=True)
class Ranks:
    """Ranks of a setup's settings by every metric, with tests and strengths, computed on demand.

    Parameters
    ----------
    rows
        One row per run, with `setting`.
    entries
        The algorithms by id.
    asked
        Metrics to rank by.
    alpha
        Level of the tests.
    diagnostics
        One row per data set, where there are any.
    baselines
        What graphs score that nobody had to learn, by data set.
    unit
        What counts once in an average rank.
    """

    rows: Sequence[Cells]
    entries: Mapping[str, Algorithm]
    asked: Sequence[str]
    alpha: float
    diagnostics: Sequence[Cells] = ()
    baselines: Baselines = field(default_factory=dict)
    unit: Unit = "data_set"

    @classmethod
    def of(
        cls,
        results: Results,
        ids: Sequence[str],
        asked: Sequence[str],
        alpha: float,
        unit: Unit,
    ) -> Ranks:
        """Rank the runs of a setup."""
        joined = zip(results.rows(ids), results.further_rows(ids), strict=True)
        entries = results.algorithms
        rows = named(results.comparable([row | further for row, further in joined]), entries)
        return cls(rows, entries, asked, alpha, results.case_rows, results.baselines, unit)

    @cached_property
    def metrics(self) -> list[str]:
        """Return the metrics with a number for some run."""
        asked = dict.fromkeys(self.asked)
        return [m for m in asked if any(is_number(row.get(m)) for row in self.rows)]

    @cached_property
    def ids(self) -> dict[str, str]:
        """Return the algorithm of each setting."""
        return {row["setting"]: row["id"] for row in self.rows}

    @cached_property
    def facts(self) -> dict[tuple[Any, ...], Cells]:
        """Return facts about the data sets."""
        return data_facts(self.rows, self.diagnostics)

    @cached_property
    def scores(self) -> dict[str, Scores]:
        """Return each metric by data set and setting."""
        return {metric: score_table(self.rows, metric) for metric in self.metrics}

    @cached_property
    def verdicts(self) -> dict[str, Verdict]:
        """Return the verdict of each metric; the page's lead is one of these."""
        about = (self.baselines, self.unit)
        result = {
            m: verdict(self.rows, m, direction(m), *about, alpha=self.alpha) for m in self.metrics
        }
        return {metric: item for metric, item in result.items() if item is not None}

    @property
    def contests(self) -> dict[str, Contest]:
        """Return the ranking by each metric."""
        return {metric: verdict.contest for metric, verdict in self.verdicts.items()}

    def below(self, metric: str) -> Counter[str]:
        """Count the kinds of data on which each setting is worse than the best baseline."""
        kinds = self.verdicts[metric].kinds
        return Counter(setting for kind in kinds for setting in kind.below)

    def like_mine(self, metric: str) -> list[LikeMine]:
        """Return average ranks of the algorithms by kind of data."""
        result = self.contests[metric]
        return ranks_by_kind(result.table, result.better, self.facts, self.unit)

    def strengths(self) -> list[Cells]:
        """Return scores from 0 to 1 of each setting by category, such as accuracy and speed."""
        return strengths(self.rows, {m: direction(m) for m in self.metrics}, self.facts)


def rank_tables(ranks: Ranks) -> dict[str, list[Cells]]:
    """Return all tables by name."""
    return {
        "ranks": list(_rank_rows(ranks)),
        "relative": with_factors(_relative_rows(ranks)),
        "tests": list(_significance_rows(ranks)),
        "pairwise": list(_pair_rows(ranks)),
        "strengths": ranks.strengths(),
        "data_like_mine": list(_like_mine_rows(ranks)),
        "costs": list(_cost_rows(ranks)),
        "sensitivity": with_factors(_sensitivity_rows(ranks)),
    }


def _rank_rows(ranks: Ranks) -> Iterator[Cells]:
    """Yield places and average ranks of the contenders by metric, then the other settings."""
    for metric, members in ranks.contests.items():
        below = ranks.below(metric)
        among = {item.setting: item for item in members.settings}
        placed = {item.setting: item for item in members.places}
        for name in dict.fromkeys([*placed, *among]):
            item, any_one = placed.get(name), placed.get(name) or among[name]
            yield {
                "metric": metric,
                "overall_rank": None if item is None else item.place,
                "id": any_one.id,
                "setting": name,
                "average_rank": None if item is None else item.average,
                "rank_sd": None if item is None else item.deviation,
                "rank_among_settings": among[name].average if name in among else None,
                "data_sets": any_one.n,
                "blocks": any_one.blocks,
                "failures": any_one.failures,
                "kinds_below_baseline": below[name],
            }


def _relative_rows(ranks: Ranks) -> Iterator[Cells]:
    """Yield scaled means between the worst and the best, by metric, kind of data and setting."""
    for metric, scores in ranks.scores.items():
        for item in relative_scores(scores, direction(metric)):
            yield {
                "metric": metric,
                "setting": item.name,
                **dict(zip(("adjmat", "parameters", "data"), item.case, strict=True)),
                "mean": item.mean,
                "relative": "F" if item.failures else item.share,
            }


def _significance_rows(ranks: Ranks) -> Iterator[Cells]:
    """Yield Friedman's test and Nemenyi's critical difference, by metric."""
    for metric, contest in ranks.contests.items():
        result, groups = contest.friedman(), contest.nemenyi()
        if result is not None and groups is not None:
            row = {"metric": metric, "data_sets": contest.n_cases, "blocks": result.n}
            row["algorithms"] = result.k
            row |= {"friedman": result.statistic, "p": result.p_value}
            row |= {"iman_davenport": result.f_statistic, "iman_davenport_p": result.f_p_value}
            yield row | {"alpha": ranks.alpha, "critical_difference": groups.difference}


def _pair_rows(ranks: Ranks) -> Iterator[Cells]:
    """Yield Wilcoxon's test for every pair of algorithms at their best settings."""
    for metric, contest in ranks.contests.items():
        for pair in contest.pairwise():
            row = pair._asdict()
            row["p_holm"] = row.pop("adjusted")
            yield {"metric": metric} | row


def _like_mine_rows(ranks: Ranks) -> Iterator[Cells]:
    """Yield average ranks by kind of data."""
    for metric in ranks.contests:
        for item in ranks.like_mine(metric):
            about = {"metric": metric, "factor": item.factor, "value": item.value}
            for name, average in item.averages.items():
                yield about | {"data_sets": item.n, "setting": name, "average_rank": average}


def _cost_rows(ranks: Ranks) -> Iterator[Cells]:
    """Yield outcomes and costs of the runs of each setting."""
    groups = grouped((row["setting"], row) for row in ranks.rows)
    for setting, members in groups.items():
        row = {"id": members[0]["id"], "setting": setting, "runs": len(members)}
        row |= {status: sum(m["status"] == status for m in members) for status in STATUSES}
        for column in ("time", "cpu", "memory"):
            result = [m[column] for m in members if is_number(m.get(column))]
            for name, of in (("median", np.median), ("max", np.max), ("total", np.sum)):
                if (column, name) != ("memory", "total"):
                    row[f"{column}_{name}"] = float(of(result)) if result else None
        yield row


def _sensitivity_rows(ranks: Ranks) -> Iterator[Cells]:
    """Yield each metric against each varied parameter, with its spread over seeds."""
    for metric in ranks.metrics:
        for identifier in dict.fromkeys(ranks.ids.values()):
            mine = [row for row in ranks.rows if row["id"] == identifier]
            for name in _varied(ranks.entries[identifier]):
                yield from _against(mine, metric, name)


def _varied(entry: Algorithm) -> list[str]:
    return list(entry.varied)


def _against(rows: Sequence[Cells], metric: str, parameter: str) -> Iterator[Cells]:
    groups = grouped(
        ((str(row.get(parameter)), row["adjmat"], row["parameters"], row["data"]), row)
        for row in rows
    )
    for (value, adjmat, parameters, data), members in groups.items():
        values = numbers(members, metric)
        about = {"metric": metric, "id": members[0]["id"], "parameter": parameter, "value": value}
        about |= {"adjmat": adjmat, "parameters": parameters, "data": data, "n_runs": len(values)}
        yield about | _spread(values)


def _spread(values: Sequence[float]) -> Cells:
    if not values:
        return dict.fromkeys(("mean", "sd", "median", "q05", "q95"))
    low, middle, high = (float(q) for q in np.quantile(values, (0.05, 0.5, 0.95)))
    sd = float(np.std(values, ddof=1)) if len(values) > 1 else None
    return {"mean": float(np.mean(values)), "sd": sd, "median": middle, "q05": low, "q95": high}

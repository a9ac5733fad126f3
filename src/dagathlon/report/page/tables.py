"""The tables of a report: runs, settings, data sets, what tells them apart, and curves over it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dagathlon.evaluate.graphs.control import Baseline, best_baseline
from dagathlon.evaluate.metric import further_columns, headlines
from dagathlon.evaluate.ranking.ranks import direction
from dagathlon.evaluate.ranking.summary import is_number, setting_summary
from dagathlon.evaluate.ranking.verdict import Verdict, is_same, verdict
from dagathlon.frame import Cells, Rows, grouped
from dagathlon.report.results import Results
from dagathlon.report.tables.runs import Combination, combination, combinations, factors_of, named
from dagathlon.report.words import words

# Statistics that the figures of a report read, besides the headlines.
_RATES = ("FPRn_pattern", "TPR_pattern", "FPR_skel", "TPR_skel", "ntests")
_ALL_DATA = "the data set"
_DIGITS = 5
# True graphs that are looked at for their kind.
_LOOKED_AT = 10
# Labels of clean data do not say that they are without noise.
_ABSENT = {"data noise": "N"}


@dataclass(frozen=True)
class Tables:
    """Tables of the report on a setup, each computed once.

    Parameters
    ----------
    results
        Those of the setup.
    sizes
        Number of edges of each run's graph, by place of the run.
    """

    results: Results
    sizes: Mapping[int, int]

    @cached_property
    def runs(self) -> list[Cells]:
        """Return one row per run, with readable names of its setting and data set."""
        ids = self.results.ids
        joined = zip(self.results.rows(ids), self.results.further_rows(ids), strict=True)
        further = dict.fromkeys([*further_columns(), *self._ranked_by, *self._candidates])
        shown = [row | {m: more.get(m) for m in further if m not in row} for row, more in joined]
        rows = named(shown, self.results.algorithms)
        names = case_names(combinations(rows)) if rows else {}
        for place, row in enumerate(rows):
            row["case"] = names[combination(row)]
            row["n_edges"] = self.sizes.get(place)
        return rows

    @cached_property
    def compared(self) -> list[Cells]:
        """Return the runs on data sets on which all runs have ended."""
        return self.results.comparable(self.runs)

    @cached_property
    def has_truth(self) -> bool:
        """Return whether some run was compared with a true graph."""
        return any(row.get("true_n_edges_skel") is not None for row in self.runs)

    @cached_property
    def headlines(self) -> list[str]:
        """Return the metrics of the verdict that some run has."""
        metrics = [metric for metric in self._candidates if self._has(metric)]
        asked = self._asked
        return metrics if asked is None or asked in metrics else [asked, *metrics]

    @property
    def _candidates(self) -> list[str]:
        """Return the metrics suited to graphs of the truth's kind.

        Undirected graphs have a skeleton and a pattern that are the same, and some are CPDAGs by
        accident. What is said of them besides is the order in which their edges come.
        """
        if not self._truth_is_undirected:
            return headlines()
        candidates = [m for m in headlines() if "cpdag" not in words(m).takes and m != "F1_skel"]
        place = candidates.index("F1_pattern") + 1
        return [*candidates[:place], "undirected_auroc", "precision_kl", *candidates[place:]]

    @cached_property
    def _truth_is_undirected(self) -> bool:
        truths = (self.results.truth(case) for case in self.results.cases[:_LOOKED_AT])
        edges = [truth for truth in truths if truth is not None and truth.n_edges]
        return bool(edges) and all(truth.is_undirected for truth in edges)

    @cached_property
    def quality(self) -> str | None:
        """Return the main metric.

        It is the first of those that the study ranks by, if it names some.
        """
        if self._asked is not None:
            return self._asked
        accuracy = [m for m in self.headlines if m not in ("time", "memory")]
        complete = [m for m in accuracy if self._share(m) > 0.99]
        return next(iter(complete or accuracy), None)

    @cached_property
    def _asked(self) -> str | None:
        """Return the first metric that the study ranks by and that is no cost, if any."""
        named = (m for m in self._ranked_by if self._has(m) and words(m).table != "cost")
        return next(named, None)

    @property
    def _ranked_by(self) -> list[str]:
        """Return the first metric of each ranking in the study."""
        rankings = [
            evaluation
            for evaluation in self.results.setup.evaluations
            if evaluation.name == "ranking"
        ]
        return [
            str(m) for evaluation in rankings for m in (evaluation.values.get("metrics") or ())[:1]
        ]

    def _share(self, metric: str) -> float:
        finished = [row for row in self.runs if row["status"] == "ok"]
        numeric = sum(is_number(row.get(metric)) for row in finished)
        return numeric / len(finished) if finished else 0.0

    def verdict(self, metric: str) -> Verdict | None:
        """Return the verdict by a metric, computed once for lead, scoreboard and tables."""
        if metric not in self._verdicts:
            about = (direction(metric), self.results.baselines, self.results.rank_unit)
            self._verdicts[metric] = verdict(
                self.compared, metric, *about, alpha=self.results.rank_alpha
            )
        return self._verdicts[metric]

    @cached_property
    def _verdicts(self) -> dict[str, Verdict | None]:
        return {}

    @cached_property
    def settings(self) -> list[Cells]:
        """Return one row per setting and data setting, with statistics over seeds."""
        metrics = list(dict.fromkeys([*self.headlines, *_RATES, "n_edges"]))
        rows = setting_summary(self.runs, [m for m in metrics if self._has(m)])
        names = case_names(combinations(self.runs)) if self.runs else {}
        for place, row in enumerate(rows):
            row["case"], row["place"] = names[combination(row)], place
            row |= {f"{m}_note": self.note(row, m) for m in self.headlines}
        noted = {m for m in self.headlines if any(row[f"{m}_note"] for row in rows)}
        idle = {f"{m}_note" for m in self.headlines if m not in noted}
        return [{k: v for k, v in row.items() if k not in idle} for row in rows]

    def note(self, row: Mapping[str, Any], metric: str) -> str | None:
        """Return sign and words of a reservation about a mean."""
        n, runs, mean = row[f"{metric}_n"], row["n_seeds"], row[f"{metric}_mean"]
        if 0 < n < runs:
            return (
                f"({n}\u00a0of\u00a0{runs}) mean over {n} of {runs} runs: the others have no number"
            )
        baseline = self.yardsticks.get((combination(row), metric))
        better = words(metric).better
        if mean is None or baseline is None or not better or is_same(mean, baseline.value):
            return None
        if (mean < baseline.value) == (better == "less"):
            return None
        return f"▾ worse than {baseline.name} ({baseline.value:.3g})"

    @cached_property
    def yardsticks(self) -> dict[tuple[Combination, str], Baseline]:
        """Return the best baseline on each kind of data, by metric."""
        scores = grouped(
            ((Combination(*map(str, case[:-1])), metric), values)
            for case, metrics in self.results.baselines.items()
            for metric, values in metrics.items()
        )
        best = {key: best_baseline(values, direction(key[1])) for key, values in scores.items()}
        return {key: yardstick for key, yardstick in best.items() if yardstick is not None}

    def _has(self, metric: str) -> bool:
        return any(is_number(row.get(metric)) for row in self.runs)

    @cached_property
    def metrics(self) -> list[str]:
        """Return the numeric columns that some run has, the headlines first."""
        known = [*self.headlines, *(k for row in self.runs[:1] for k in row)]
        skipped = {"seed", "run", "curve_value"} | self._parameters()
        names = dict.fromkeys(name for name in known if name not in skipped)
        return [name for name in names if self._has(name)]

    def _parameters(self) -> set[str]:
        entries = self.results.algorithms
        return {key for row in self.runs for key in entries[row["id"]].values}

    @cached_property
    def factors(self) -> dict[str, Cells]:
        """Return the factors that vary among data sets, with their values by data set."""
        kinds = combinations(self.runs)
        names = case_names(kinds)
        values = {names[kind]: factors_of(kind) for kind in kinds}
        known = dict.fromkeys(factor for by_factor in values.values() for factor in by_factor)
        return _telling(
            {
                factor: {
                    case: by_factor.get(factor, _ABSENT.get(factor))
                    for case, by_factor in values.items()
                }
                for factor in known
            }
        )


def _telling(factors: Mapping[str, Cells]) -> dict[str, Cells]:
    """Return factors that vary, without those that vary exactly as an earlier one."""
    seen: set[tuple[int, ...]] = set()
    distinct = {}
    for factor, values in factors.items():
        numbers: dict[str, int] = {}
        parts = tuple(numbers.setdefault(str(value), len(numbers)) for value in values.values())
        if len(numbers) > 1 and parts not in seen:
            seen.add(parts)
            distinct[factor] = values
    return distinct


def case_names(kinds: Sequence[Combination]) -> dict[Combination, str]:
    """Return short names of data settings, made of what distinguishes them."""
    tokens = {kind: [token for part in kind for token in part.split("/")] for kind in kinds}
    common = set.intersection(*map(set, tokens.values())) if tokens else set()
    names: dict[Combination, str] = {}
    for kind, all_tokens in tokens.items():
        distinguishing = [token for token in all_tokens if token not in common]
        names[kind] = ", ".join(distinguishing) or _ALL_DATA
    if len(set(names.values())) < len(names):
        return {kind: " · ".join(kind) for kind in kinds}
    return names


def columns(rows: Rows, names: Sequence[str]) -> Cells:
    """Encode a table by columns: texts once each, numbers with five digits."""
    return {name: _column([row.get(name) for row in rows]) for name in names}


def _column(values: Sequence[Any]) -> Any:
    if any(isinstance(value, str) for value in values):
        texts = [None if value is None else str(value) for value in values]
        levels = list(dict.fromkeys(text for text in texts if text is not None))
        codes = {level: i for i, level in enumerate(levels)}
        return {"levels": levels, "codes": [-1 if t is None else codes[t] for t in texts]}
    return [_short(value) for value in values]


def _short(value: Any) -> Any:
    if value is None or isinstance(value, bool | int):
        return value
    if not isinstance(value, float):
        return str(value)
    if not math.isfinite(value):
        return None
    rounded = float(f"{value:.{_DIGITS}g}")
    return int(rounded) if rounded.is_integer() else rounded


# Curves to choose from; a study of a hundred kinds of data has tables for the rest.
_MOST_GROUPS = 30


def by_data(tables: Tables) -> list[Cells]:
    """Return the rows of figures against the data, each algorithm at its best setting there.

    Means over the other factors would mix unlike data, so a curve follows one factor among data
    sets that are alike in all others; `group` says in what.
    """
    metric = tables.quality
    if metric is None:
        return []
    best = _best(tables, metric)
    rows: list[Cells] = []
    for factor, group, values in _curves(tables.factors)[:_MOST_GROUPS]:
        rows += [
            {
                "factor": factor,
                "group": group,
                "metric": metric,
                "value": values[case],
                "case": case,
            }
            | row
            for (_, case), row in best.items()
            if case in values
        ]
    return rows


def _best(tables: Tables, metric: str) -> dict[tuple[str, str], Cells]:
    """Return the best setting of each algorithm on each kind of data.

    A setting with more numbers comes before one with fewer: its mean is not that of easier data.
    """
    sign = 1 if words(metric).better == "more" else -1
    statistics = [f"{metric}_{name}" for name in ("median", "q1", "q3")]
    found: dict[tuple[str, str], tuple[int, float]] = {}
    best: dict[tuple[str, str], Cells] = {}
    for row in tables.settings:
        mean, key = row.get(f"{metric}_mean"), (row["id"], row["case"])
        if mean is None:
            continue
        merit = (row[f"{metric}_n"], sign * mean)
        if key not in found or merit > found[key]:
            found[key] = merit
            best[key] = {name: row[name] for name in ("id", "setting", "n_seeds", *statistics)}
    return best


def _curves(factors: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, str, Cells]]:
    """Return the curves over each factor, with the values of the other factors."""
    curves: dict[tuple[str, str], Cells] = {}
    for factor, values in factors.items():
        for case, value in values.items():
            others = [_named(name, of[case]) for name, of in factors.items() if name != factor]
            curves.setdefault((factor, ", ".join(others)), {})[case] = value
    several = [(*key, values) for key, values in curves.items() if len(set(values.values())) > 1]
    return sorted(several, key=lambda curve: -len(curve[2]))


def _named(factor: str, value: Any) -> str:
    """Format a factor's value: ``asia`` for a module or file, ``n = 1000`` for a parameter."""
    _, _, parameter = factor.partition(" ")
    return f"{parameter} = {value}" if parameter else str(value).rpartition("/")[2]

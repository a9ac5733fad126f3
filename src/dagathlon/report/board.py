"""The scoreboard of a study that is under way: each setting as far as its runs are in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean, median
from typing import Any, TypeAlias

from dagathlon.evaluate.summary import is_number
from dagathlon.report.context import Results
from dagathlon.report.page.tables import Tables
from dagathlon.report.page.verdict import lead, verdicts_of
from dagathlon.report.tables import setting_name
from dagathlon.report.words import short_title, words

Row: TypeAlias = Mapping[str, Any]

_METRICS = 4
_MOST_ROWS = 100
_COSTS = ("time", "memory")


def scoreboard(results: Results) -> dict[str, Any]:
    """The leading sentences and the table of one setup, for JSON.

    Means are over the data sets on which all runs are in, so that settings of an unfinished study
    are compared on like data; before there is one, over the runs that are in.
    """
    tables = Tables(results, {})
    shown = tables.compared or tables.runs
    metrics = [m for m in _by_quality(tables) if m not in _COSTS][:_METRICS]
    lines = sorted(_lines(results, shown, metrics), key=lambda line: _order(line, metrics))
    standing = results.standing
    return {
        "title": results.title,
        "there": standing.there,
        "planned": standing.planned,
        "words": standing.line(),
        "lead": lead(results, tables, verdicts_of(tables)),
        "header": ["setting", "runs", "failed", *map(short_title, metrics), "median time"],
        "data_sets": len(results.compared),
        "rows": [_shown(line, metrics) for line in lines[:_MOST_ROWS]],
        "more": max(len(lines) - _MOST_ROWS, 0),
    }


def _by_quality(tables: Tables) -> list[str]:
    """The headline metrics, the one that the verdict is about first."""
    if not tables.has_truth:
        return []
    return sorted(tables.headlines, key=lambda metric: metric != tables.quality)


def _lines(
    results: Results, shown: Sequence[Row], metrics: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """One line per setting of the plan, whether a run of it is in or not."""
    planned = Counter((run.entry, run.setting) for run in results.plan.runs)
    there = Counter((run.entry, run.setting) for run in results.runs)
    members: dict[str, list[Row]] = {}
    for row in shown:
        members.setdefault(row["setting"], []).append(row)
    for (entry, setting), number in planned.items():
        algorithm = results.algorithms[entry]
        line: dict[str, Any] = {"there": there[entry, setting], "planned": number}
        line["setting"] = setting_name(algorithm, algorithm.settings[setting].values)
        mine = members.get(line["setting"], [])
        line["failed"] = sum(row["status"] != "ok" for row in mine)
        for metric in metrics:
            found = [float(row[metric]) for row in mine if is_number(row.get(metric))]
            line[metric] = fmean(found) if found else None
        times = [row["time"] for row in mine if row["time"] is not None]
        yield line | {"time": median(times) if times else None}


def _order(line: Row, metrics: Sequence[str]) -> tuple[bool, float]:
    """The best first, by the metric that stands for all; without a number last."""
    value = line[metrics[0]] if metrics else line["time"]
    if value is None:
        return True, 0.0
    more = bool(metrics) and words(metrics[0]).better == "more"
    return False, -value if more else value


def _shown(line: Row, metrics: Sequence[str]) -> list[str]:
    numbers = [_number(line[metric]) for metric in metrics]
    there = f"{line['there']:,} of {line['planned']:,}"
    time = line["time"]
    cost = "–" if time is None else f"{time:.3g} s"
    return [line["setting"], there, f"{line['failed']:,}", *numbers, cost]


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"

"""The scoreboard of a study that is under way: each setting as far as its runs are in."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any, NamedTuple, TypeAlias

from dagathlon.evaluate.ranking import direction, rank_table, score_table
from dagathlon.evaluate.summary import endings, setting_summary
from dagathlon.evaluate.verdict import is_same
from dagathlon.report.context import Results
from dagathlon.report.page.lead import number
from dagathlon.report.page.tables import Tables
from dagathlon.report.page.verdict import lead, verdicts_of
from dagathlon.report.tables import combinations, setting_name
from dagathlon.report.words import duration, short_title, words

Row: TypeAlias = Mapping[str, Any]

_METRICS = 4
_MOST_ROWS = 100
_COSTS = ("time", "memory")


class _Cell(NamedTuple):
    """A number of a setting, as it is shown, and whether it may be compared with others."""

    value: float
    shown: str
    fair: bool


_Column: TypeAlias = Mapping[str, _Cell]


def scoreboard(results: Results) -> dict[str, Any]:
    """The leading sentences and the table of one setup, for JSON.

    Numbers are of the data sets on which all runs are in, so that settings of an unfinished study
    are compared on like data; before there is one, of the runs that are in. On one kind of data
    they are means, on several average ranks.
    """
    tables = Tables(results, {})
    runs = tables.compared or tables.runs
    metrics = [m for m in _by_quality(tables) if m not in _COSTS][:_METRICS]
    several = len(combinations(runs)) > 1 if runs else False
    columns = [(_ranks if several else _means)(tables, runs, metric) for metric in metrics]
    lines = sorted(_lines(results, runs), key=lambda line: _order(line, columns, metrics, several))
    ends = ["failed", *(["skipped"] if any(line["skipped"] for line in lines) else [])]
    places = _places(columns[0], metrics[0], several) if columns else {}
    titles = [f"rank by {short_title(m)[:-2]}" if several else short_title(m) for m in metrics]
    sentences = lead(results, tables, verdicts_of(tables))
    standing = results.standing
    return {
        "title": results.title,
        "there": standing.there,
        "planned": standing.planned,
        "words": standing.line(),
        "lead": sentences,
        "lead_text": _plain(sentences),
        "note": _note(len(results.compared), several, bool(columns)),
        "header": [*["place"][: len(columns)], "setting", "runs", *ends, *titles, "median time"],
        "data_sets": len(results.compared),
        "rows": [_shown(line, ends, columns, places) for line in lines[:_MOST_ROWS]],
        "more": max(len(lines) - _MOST_ROWS, 0),
    }


def _plain(sentences: str) -> str:
    """The words without their marks, for a terminal: a paragraph a line."""
    return html.unescape(re.sub(r"<[^>]+>", "", sentences.replace("</p><p", "</p>\n<p")))


def _note(data_sets: int, several: bool, ranked: bool) -> str:
    if not data_sets:
        return "No data set has all its runs yet: these are numbers of unlike data."
    where = f"the {data_sets:,} data set{'' if data_sets == 1 else 's'} on which all runs are in"
    if not ranked:
        return f"Times on {where}, the fastest first."
    if several:
        return (
            f"Average ranks on {where}, the best first, = shares its place; unlike data are not "
            "averaged, and a rank on some of the data sets has no place."
        )
    return (
        f"Means over {where}, the best first; = shares its place, ▾ is worse than the best "
        "baseline, and a mean over some of the runs has no place."
    )


def _by_quality(tables: Tables) -> list[str]:
    """The headline metrics, the one that the verdict is about first."""
    if not tables.has_truth:
        return []
    return list(dict.fromkeys([m for m in (tables.quality,) if m] + tables.headlines))


def _means(tables: Tables, runs: Sequence[Row], metric: str) -> _Column:
    """Means over the seeds of one kind of data, with what speaks against them."""
    found = {}
    for row in setting_summary(runs, [metric]):
        mean, note = row[f"{metric}_mean"], tables.note(row, metric)
        if mean is not None:
            sign = "" if note is None else f" {note.partition(' ')[0]}"
            fair = row[f"{metric}_n"] == row["n_seeds"]
            found[row["setting"]] = _Cell(mean, number(mean) + sign, fair)
    return found


def _ranks(tables: Tables, runs: Sequence[Row], metric: str) -> _Column:
    """Average ranks over blocks of data sets, failures last."""
    rows = rank_table(score_table(runs, metric), direction(metric))
    most = max((row.n for row in rows), default=0)
    return {
        row.name: _Cell(
            row.average,
            f"{row.average:.2f}" + ("" if row.n == most else f" ({row.n} of {most})"),
            row.n == most,
        )
        for row in rows
    }


def _places(column: _Column, metric: str, several: bool) -> dict[str, str]:
    """Places by the first metric: equal numbers share one, marked by an equals sign."""
    sign = -1.0 if words(metric).better == "more" and not several else 1.0
    fair = {name: sign * cell.value for name, cell in column.items() if cell.fair}
    found = {}
    for name, value in fair.items():
        others = [other for key, other in fair.items() if key != name]
        place = 1 + sum(other < value and not is_same(other, value) for other in others)
        found[name] = f"{place}{'=' if any(is_same(other, value) for other in others) else ''}"
    return found


def _lines(results: Results, runs: Sequence[Row]) -> Iterator[dict[str, Any]]:
    """One line per setting of the plan, whether a run of it is in or not."""
    planned = Counter((run.entry, run.setting) for run in results.plan.runs)
    there = Counter((run.entry, run.setting) for run in results.runs)
    members: dict[str, list[Row]] = {}
    for row in runs:
        members.setdefault(row["setting"], []).append(row)
    for (entry, setting), count in planned.items():
        algorithm = results.algorithms[entry]
        line: dict[str, Any] = {"there": there[entry, setting], "planned": count}
        line["setting"] = setting_name(algorithm, algorithm.settings[setting].values)
        mine = members.get(line["setting"], [])
        line |= endings(mine)
        times = [row["time"] for row in mine if row["time"] is not None]
        yield line | {"time": median(times) if times else None}


def _order(
    line: Row, columns: Sequence[_Column], metrics: Sequence[str], several: bool
) -> tuple[int, float]:
    """The best first, by the metric that stands for all; then who has no fair number, or none."""
    cell = columns[0].get(line["setting"]) if columns else None
    value = line["time"] if not columns else None if cell is None else cell.value
    if value is None:
        return 2, 0.0
    more = bool(metrics) and not several and words(metrics[0]).better == "more"
    return int(cell is not None and not cell.fair), -value if more else value


def _shown(
    line: Row, ends: Sequence[str], columns: Sequence[_Column], places: Mapping[str, str]
) -> list[str]:
    name, time = line["setting"], line["time"]
    numbers = [column[name].shown if name in column else "–" for column in columns]
    there = f"{line['there']:,} of {line['planned']:,}"
    cost = "–" if time is None else duration(time)
    place = [places.get(name, "–")] if columns else []
    return [*place, name, there, *(f"{line[end]:,}" for end in ends), *numbers, cost]

"""The live scoreboard of a setup, for the page and for terminals."""

from __future__ import annotations

import html
import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any, NamedTuple, TypeAlias

from dagathlon.evaluate.ranking.summary import count_failures, setting_summary
from dagathlon.evaluate.ranking.verdict import Verdict, is_same
from dagathlon.frame import Row, Rows, grouped
from dagathlon.report.page.lead import contenders, number, ranked_data
from dagathlon.report.page.tables import Tables
from dagathlon.report.page.verdict import lead, verdicts_of
from dagathlon.report.results import Results
from dagathlon.report.tables.runs import combinations, setting_name
from dagathlon.report.words import duration, short_title, words
from dagathlon.wording import counted

_METRICS = 4
_MOST_ROWS = 100
_COSTS = ("time", "memory")
_UNPLACED = (
    " Settings without a place are not the best of their algorithm, or took part in too few data "
    "sets to be ranked."
)


class _Cell(NamedTuple):
    """Number of a setting as shown, and whether it may be compared with others."""

    value: float
    shown: str
    fair: bool


_Column: TypeAlias = Mapping[str, _Cell]


def scoreboard(results: Results) -> dict[str, Any]:
    """Return the lead and the table of one setup, for JSON.

    Both are of the same verdicts, on the data sets on which all runs are in, so that settings of
    an unfinished study are compared on like data. On one kind of data the numbers are means, on
    several average ranks; before there is a verdict, means of the runs that are in.
    """
    tables = Tables(results, {})
    runs = tables.compared or tables.runs
    metrics = [m for m in _by_quality(tables) if m not in _COSTS][:_METRICS]
    chosen = tables.verdict(metrics[0]) if metrics and tables.compared else None
    several = len(chosen.kinds) != 1 if chosen else bool(runs) and len(combinations(runs)) > 1
    columns = [_column(tables, runs, metric, several=several) for metric in metrics]
    lines = sorted(
        _lines(results, tables.runs, runs),
        key=lambda line: _order(line, columns, metrics, chosen, several=several),
    )
    ends = ["failed", *(["skipped"] if any(line["skipped"] for line in lines) else [])]
    places = _places(columns[0], metrics[0], several) if columns else {}
    titles = [f"rank by {short_title(m)[:-2]}" if several else short_title(m) for m in metrics]
    sentences = lead(results, tables, verdicts_of(tables))
    standing = results.standing
    partial = several and chosen and any(line["setting"] not in places for line in lines)
    unplaced = _UNPLACED if partial else ""
    remark = f" {results.metric_note}" if chosen and results.metric_note else ""
    return {
        "title": results.setup.title,
        "there": standing.there,
        "planned": standing.planned,
        "words": standing.line(),
        "lead": sentences,
        "lead_text": _plain(sentences),
        "note": _note(len(results.compared), chosen, several=several) + unplaced + remark,
        "header": [*["place"][: len(columns)], "setting", "runs", *ends, *titles, "median time"],
        "data_sets": len(results.compared),
        "rows": [_shown(line, ends, columns, places) for line in lines[:_MOST_ROWS]],
        "more": max(len(lines) - _MOST_ROWS, 0),
    }


def _plain(sentences: str) -> str:
    """Return sentences as plain text for a terminal, one paragraph per line."""
    return html.unescape(re.sub(r"<[^>]+>", "", sentences.replace("</p><p", "</p>\n<p")))


def _note(data_sets: int, chosen: Verdict | None, *, several: bool) -> str:
    """Return the caption: the meaning of the numbers, and the data they are over."""
    if not data_sets:
        return "No data set has all its runs yet: these are numbers of unlike data."
    if chosen is None:
        where = f"the {counted(data_sets, 'data set')} on which all runs are in"
        where = "the only data set" if data_sets == 1 else where
        return f"Times on {where}, the fastest first."
    if several:
        first = f"Average ranks of {contenders(chosen)} over {ranked_data(chosen.contest)}"
        return f"{first}, the best first; = marks equal places. Unlike data are not averaged."
    return (
        f"Means over {counted(chosen.kinds[0].n, 'data set')}, the best first; = marks equal "
        "places, ▾ is worse than the best baseline, and settings with numbers on fewer of the data "
        "sets are not ranked."
    )


def _by_quality(tables: Tables) -> list[str]:
    """Return the headline metrics, the one of the verdict first."""
    if not tables.has_truth:
        return []
    return list(dict.fromkeys([m for m in (tables.quality,) if m] + tables.headlines))


def _column(tables: Tables, runs: Rows, metric: str, *, several: bool) -> _Column:
    """Return the numbers of a metric by setting, from the verdict."""
    verdict = tables.verdict(metric) if tables.compared else None
    if several:
        return {} if verdict is None else _ranks(verdict)
    return _means(tables, runs, metric, verdict)


def _means(tables: Tables, runs: Rows, metric: str, verdict: Verdict | None) -> _Column:
    """Return means over the seeds of one kind of data, with notes on their limits."""
    fair = verdict.kinds[0].means if verdict is not None and len(verdict.kinds) == 1 else {}
    cells = {}
    for row in setting_summary(runs, [metric]):
        name, mean, note = row["setting"], row[f"{metric}_mean"], tables.note(row, metric)
        sign = "" if note is None else f" {note.partition(' ')[0]}"
        if name in fair:
            sign = sign if sign.startswith(" ▾") else ""
            cells[name] = _Cell(fair[name], number(fair[name]) + sign, fair=True)
        elif mean is not None:
            cells[name] = _Cell(mean, number(mean) + sign, fair=False)
    return cells


def _ranks(verdict: Verdict) -> _Column:
    """Return average ranks of the contenders."""
    n = verdict.contest.n_cases
    return {
        place.setting: _Cell(
            place.average,
            f"{place.average:.2f}" + ("" if place.n == n else f" ({place.n} of {n})"),
            fair=True,
        )
        for place in verdict.places
    }


def _places(column: _Column, metric: str, several: bool) -> dict[str, str]:
    """Return places by the first metric; equal numbers share one, marked by an equals sign."""
    sign = -1.0 if words(metric).better == "more" and not several else 1.0
    fair = {name: sign * cell.value for name, cell in column.items() if cell.fair}
    places = {}
    for name, value in fair.items():
        others = [other for key, other in fair.items() if key != name]
        place = 1 + sum(other < value and not is_same(other, value) for other in others)
        places[name] = f"{place}{'=' if any(is_same(other, value) for other in others) else ''}"
    return places


def _lines(results: Results, all_runs: Rows, runs: Rows) -> Iterator[dict[str, Any]]:
    """Yield one line per setting of the plan, with or without finished runs."""
    planned = Counter((run.entry, run.setting) for run in results.plan.runs)
    counts = Counter((run.entry, run.setting) for run in results.runs)
    ended, members = _by_setting(all_runs), _by_setting(runs)
    for (entry, setting), count in planned.items():
        algorithm = results.algorithms[entry]
        line: dict[str, Any] = {"there": counts[entry, setting], "planned": count}
        line["setting"] = setting_name(algorithm, algorithm.settings[setting].values)
        line |= count_failures(ended.get(line["setting"], []))
        mine = members.get(line["setting"], [])
        times = [row["time"] for row in mine if row["time"] is not None]
        yield line | {"time": median(times) if times else None}


def _by_setting(rows: Rows) -> dict[str, list[Row]]:
    return grouped((row["setting"], row) for row in rows)


def _order(
    line: Row,
    columns: Sequence[_Column],
    metrics: Sequence[str],
    chosen: Verdict | None,
    *,
    several: bool,
) -> tuple[int, float]:
    """Return the sort key of a line: best by the main metric first, lines without place last."""
    cell = columns[0].get(line["setting"]) if columns else None
    value = line["time"] if not columns else None if cell is None else cell.value
    if value is None:
        others = [competitor.setting for competitor in chosen.contest.settings] if chosen else []
        known = line["setting"] in others
        return 2, float(others.index(line["setting"]) if known else len(others))
    more = bool(metrics) and not several and words(metrics[0]).better == "more"
    return int(cell is not None and not cell.fair), -value if more else value


def _shown(
    line: Row, ends: Sequence[str], columns: Sequence[_Column], places: Mapping[str, str]
) -> list[str]:
    name, time = line["setting"], line["time"]
    numbers = [column[name].shown if name in column else "–" for column in columns]
    # Skipped runs have a column of their own: nobody ran them.
    finished = f"{line['there'] - line['skipped']:,} of {line['planned'] - line['skipped']:,}"
    cost = "–" if time is None else duration(time)
    place = [places.get(name, "–")] if columns else []
    return [*place, name, finished, *(f"{line[end]:,}" for end in ends), *numbers, cost]


_ROWS = 10
_WIDTH = 88
_NAME = 36


def board_lines(results: Results) -> list[str]:
    """Return the lead and the best settings as aligned text lines."""
    board = scoreboard(results)
    paragraphs = board["lead_text"].splitlines()
    lines = [line for text in paragraphs for line in textwrap.wrap(text, _WIDTH)]
    name = board["header"].index("setting")
    rows = [_short(row, name) for row in board["rows"][:_ROWS]]
    if rows:
        lines += ["", *_aligned([board["header"], *rows], name)]
        lines += textwrap.wrap(board["note"], _WIDTH)
    more = len(board["rows"]) + board["more"] - len(rows)
    if more > 0:
        lines.append(f"… and {more:,} more in the report")
    return lines


def _aligned(rows: Sequence[Sequence[str]], name: int) -> list[str]:
    """Align rows in columns, names left and numbers right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if place == name else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _short(row: Sequence[str], name: int) -> list[str]:
    """Return a row with its name shortened for a terminal."""
    long = len(row[name]) > _NAME
    return [cell[: _NAME - 1] + "…" if i == name and long else cell for i, cell in enumerate(row)]

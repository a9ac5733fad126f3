"""The sections of a report on ranks, strengths and the data sets themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from dagathlon.evaluate.ranking import direction
from dagathlon.evaluate.significance import Friedman
from dagathlon.evaluate.summary import is_number
from dagathlon.report.charts.critical_difference import critical_difference
from dagathlon.report.context import Context
from dagathlon.report.page.figures import Figure
from dagathlon.report.page.sections import text
from dagathlon.report.page.tables import case_names
from dagathlon.report.rank_tables import Ranks
from dagathlon.report.tables import Combination, combination, combinations
from dagathlon.report.words import short_title, words
from dagathlon.study.grammar.evaluation import Ranking

_MOST_ROWS = 60
_TELLING = 0.75


def ranks_of(context: Context) -> Ranks | None:
    """The ranks that the page shows: as the study asks, else by default; None without a truth."""
    asked = context.evaluations(Ranking)
    if not asked and any(case.graph is None for case in context.cases):
        return None
    ranks = Ranks.of(context, asked[0] if asked else Ranking())
    return ranks if ranks.metrics and len(ranks.ids) > 1 else None


def ranking_section(ranks: Ranks) -> str:
    """Ranks, what they are worth, and for which data."""
    parts = [_rank_table(ranks), _like_mine(ranks), _strengths(ranks)]
    return "".join(part for part in parts if part)


def _rank_table(ranks: Ranks) -> str:
    first = ranks.metrics[0]
    found = {m: {row.name: row for row in table} for m, table in ranks.tables.items()}
    head = ["setting", *(short_title(m) for m in ranks.metrics), "failures"]
    rows = []
    order = [row.name for row in ranks.tables[first]]
    order += [name for name in ranks.ids if name not in order]
    for name in order[:_MOST_ROWS]:
        cells = [text(name)]
        for metric in ranks.metrics:
            row = found[metric].get(name)
            shown = "–" if row is None else _rank(row.average, row.deviation, row.overall)
            cells.append(shown)
        failures = max(
            (found[m][name].failures for m in ranks.metrics if name in found[m]), default=0
        )
        rows.append([*cells, str(failures)])
    more = len(order) - _MOST_ROWS
    left_out = f" The {more} settings ranked last are left out here." if more > 0 else ""
    note = (
        "Average rank over the data sets ± its standard deviation, and the place that gives "
        "(1 is best). Settings that failed share the last rank, so that nobody gains by failing."
        f"{left_out}"
    )
    return _paragraph(note) + _table(head, rows)


def _rank(average: float, deviation: float, overall: int) -> str:
    place = f"<b>{overall}</b>" if overall == 1 else str(overall)
    return f"{place}<small> · {average:.2f} ± {deviation:.2f}</small>"


def _like_mine(ranks: Ranks) -> str:
    """For each kind of data, the algorithm that ranks first on it."""
    metric = ranks.metrics[0]
    found = ranks.like_mine(metric)
    if not found:
        return ""
    rows = []
    for one in found:
        places = list(one.averages.items())[:3]
        named = [f"{text(name)} <small>({average:.2f})</small>" for name, average in places]
        named += ["–"] * (3 - len(named))
        rows.append([text(one.factor), text(one.value), str(one.n), *named])
    head = ["data with", "value", "data sets", "ranks first", "second", "third"]
    note = (
        f"Average ranks by {words(metric).title} among the algorithms, each at its best-ranked "
        "setting, on data sets of one kind only."
    )
    return "<h3>Which algorithm for data like mine?</h3>" + _paragraph(note) + _table(head, rows, 6)


def _strengths(ranks: Ranks) -> str:
    rows = ranks.strengths()
    categories = [name for name in (rows[0] if rows else {}) if name != "setting"]
    if not categories:
        return ""
    order = {row.name: i for i, row in enumerate(ranks.tables[ranks.metrics[0]])}
    rows = sorted(rows, key=lambda row: order.get(row["setting"], len(order)))[:_MOST_ROWS]
    shown = [
        [text(row["setting"]), *(_share(row[category]) for category in categories)] for row in rows
    ]
    note = (
        "From 0 (the worst of all settings here) to 100 % (the best). Steadiness: little variance "
        "of the relative scores over kinds of data. Fitting: as many edges as the truth has. "
        "Reliability: no errors."
    )
    return (
        "<h3>Strengths and weaknesses</h3>"
        + _paragraph(note)
        + _table(["setting", *categories], shown)
    )


def _share(value: float | None) -> str:
    if value is None:
        return "–"
    return f'<span class="share" style="--share:{value:.3f}">{value:.0%}</span>'


def rank_figures(ranks: Ranks, context: Context) -> list[Figure]:
    """The critical-difference diagrams, with what Friedman's test says."""
    variants = []
    for metric in ranks.metrics:
        found = ranks.nemenyi(metric)
        if found is not None:
            variants.append(
                (words(metric).title, critical_difference(found, ranks.ids, context.look))
            )
    if not variants:
        return []
    caption = (
        "Average ranks of the algorithms, each at its best-ranked setting; the best is on the "
        "left. A thick bar joins algorithms whose ranks differ by less than the critical "
        f"difference (Nemenyi, level {ranks.options.alpha:g}). {_friedman(ranks)}"
    )
    return [Figure("ranks", "Do the algorithms differ by more than chance?", caption, variants)]


def _friedman(ranks: Ranks) -> str:
    metric = ranks.metrics[0]
    found: Friedman | None = ranks.friedman(metric)
    if found is None:
        return ""
    p = "p < 0.001" if found.p_value < 0.001 else f"p = {found.p_value:.3f}"
    differ = "they differ" if found.p_value < ranks.options.alpha else "they need not differ"
    return f"Friedman's test on {words(metric).title}: {p}, {differ}."


def diagnostics_section(context: Context, runs: Sequence[Mapping[str, Any]]) -> str:
    """Whether the data sets give the order away, and what random graphs would score."""
    groups: dict[Combination, list[Mapping[str, Any]]] = {}
    for row in context.case_rows:
        groups.setdefault(combination(row), []).append(row)
    if not groups:
        return ""
    names = case_names(combinations(context.case_rows))
    controls = [m for m in ("SHD_pattern", "F1_pattern", "bsf") if _best(runs, m, None) is not None]
    head = ["data", "rows", "nodes", "edges", "varsortability", "R²-sortability"]
    head += [f"{short_title(m)}: random → best" for m in controls]
    rows = []
    for which, members in groups.items():
        cells = [text(names[which])]
        cells += [_mean(members, name, 0) for name in ("n", "n_nodes", "n_edges")]
        cells += [_mean(members, name, 2) for name in ("varsortability", "r2_sortability")]
        for metric in controls:
            best = _best(runs, metric, which)
            shown = "–" if best is None else f"{best:.3g}"
            cells.append(f"{_mean(members, f'control_{metric}', 2)} → <b>{shown}</b>")
        rows.append(cells)
    return _paragraph(_warning(context.case_rows)) + _table(head, rows)


def control_of(context: Context, metric: str | None) -> float | None:
    """What random graphs score on a metric, over all data sets; None where it was not computed."""
    return None if metric is None else _number(context.case_rows, f"control_{metric}")


def _warning(rows: Sequence[Mapping[str, Any]]) -> str:
    note = (
        "Means over seeds. Sortability near 1 means that sorting the variables by variance, or by "
        "how much the others explain of it, gives the causal order away; ½ says nothing. Random: "
        "graphs drawn with as many edges as the truth. Best: the best setting's mean."
    )
    high = [
        label
        for name, label in (("varsortability", "variances"), ("r2_sortability", "explained shares"))
        if (value := _number(rows, name)) is not None and value >= _TELLING
    ]
    if high:
        note += f" Here {' and '.join(high)} give much of the order away: results may flatter."
    return note


def _best(
    runs: Sequence[Mapping[str, Any]], metric: str, which: Combination | None
) -> float | None:
    found: dict[str, list[float]] = {}
    for row in runs:
        if is_number(row.get(metric)) and (which is None or combination(row) == which):
            found.setdefault(row["setting"], []).append(float(row[metric]))
    means = [float(np.mean(values)) for values in found.values()]
    if not means:
        return None
    return max(means) if direction(metric) == "more" else min(means)


def _number(rows: Sequence[Mapping[str, Any]], name: str) -> float | None:
    values = [float(row[name]) for row in rows if is_number(row.get(name))]
    return float(np.mean(values)) if values else None


def _mean(rows: Sequence[Mapping[str, Any]], name: str, places: int) -> str:
    value = _number(rows, name)
    return "–" if value is None else f"{value:,.{places}f}"


def _paragraph(note: str) -> str:
    return f'<p class="muted">{text(note)}</p>'


def _table(head: Iterable[str], rows: Iterable[Sequence[str]], n_text: int = 1) -> str:
    """A table whose first columns are texts; cells are HTML already."""

    def line(cells: Iterable[str], tag: str, more: str = "") -> str:
        kinds = [' class="text"' if i < n_text else "" for i in range(64)]
        made = (f"<{tag}{more}{kinds[i]}>{cell}</{tag}>" for i, cell in enumerate(cells))
        return f"<tr>{''.join(made)}</tr>"

    body = "".join(line(row, "td") for row in rows)
    top = line(map(text, head), "th", ' scope="col"')
    return (
        '<div class="scroll" tabindex="0"><table>'
        f"<thead>{top}</thead><tbody>{body}</tbody></table></div>"
    )

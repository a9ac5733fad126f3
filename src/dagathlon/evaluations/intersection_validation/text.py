"""The outcome of intersection-validation as plain text."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from dagathlon.evaluate.ranking.significance import LEAST_COMPETITORS
from dagathlon.evaluations.intersection_validation.forecast import (
    ADVICE,
    FEW_SHARED,
    REACH,
    percent,
)
from dagathlon.evaluations.intersection_validation.ranks import OVERLAP, Mean, RankTest
from dagathlon.evaluations.intersection_validation.validation import IntervalResult
from dagathlon.wording import counted, listed

_BELIEVE = {
    "not reliable": "Do not rely on this ranking",
    "fair": "Take this ranking with care",
    "good": "By its inventors' limits this ranking is close to that by the true graph",
}
_OTHERS = {
    "weighted_phd": "distance weighted by confidence",
    "adjacency_f1": "F1 of adjacencies",
    "arrowhead_f1": "F1 of arrowheads",
    "wrong_effects": "wrong effects",
}
_TITLE = (
    "Partial Hamming distance to what all agree on (mean ± standard error), less is better. Places "
    "are by mean rank: ranks within each subsample, averaged."
)
_WIDTH = 100


def summary(result: IntervalResult) -> str:
    """Return the result as text: forecast, ranking, tests, notes."""
    parts = [_forecast(result), _table(result), _tests(result), _others(result)]
    parts += map(_wrapped, result.notes)
    return "\n".join(part for part in parts if part)


def _forecast(result: IntervalResult) -> str:
    outlook = result.forecast
    figures = (
        f"Agreement of {counted(len(result.learners), 'learner')}: "
        f"{counted(outlook.n_connected, 'pair')} that all join in the same way, of "
        f"{outlook.n_joined:,} that any of them joins; {outlook.n_pairs:,} of all "
        f"{outlook.n_all:,} pairs ({percent(outlook.relative_size)})"
    )
    believe = f"Forecast: {outlook.verdict}. {_BELIEVE[outlook.verdict]}: {outlook.reason}."
    if outlook.verdict != "not reliable" and (result.duplicates or outlook.edge_share < FEW_SHARED):
        believe += " But mind the notes below."
    reach = "" if outlook.verdict == "not reliable" else f"\n{_wrapped(REACH)}"
    reach = reach if outlook.of_settings else f"\n{_wrapped(f'{REACH} {ADVICE}')}"
    return f"{_wrapped(figures)}\n{_wrapped(believe)}{reach}"


def _wrapped(text: str) -> str:
    """Wrap text without separating a percent sign from its number."""
    return "\n".join(textwrap.wrap(text.replace(" %", "\xa0%"), _WIDTH)).replace("\xa0%", " %")


def _table(result: IntervalResult) -> str:
    """Return the table of learners by place, with mean ± standard error per size."""
    if not result.means:
        return ""
    of = {(row.learner, row.size): row for row in result.means}
    head = ["place", "learner", *(f"n={size}" for size in result.sizes), "mean rank"]
    rows = [
        [
            "-" if place.place is None else str(place.place),
            place.learner,
            *(_cell(of.get((place.learner, size))) for size in result.sizes),
            "-" if place.mean_rank is None else f"{place.mean_rank:.2f}",
        ]
        for place in result.ranking
    ]
    return f"\n{_wrapped(_TITLE)}\n{_aligned([head, *rows])}\n"


def _cell(row: Mean | None) -> str:
    if row is None:
        return "-"
    mean = "-" if row.mean is None else f"{row.mean:.2f}"
    error = "" if row.se is None else f" ± {row.se:.2f}"
    failed = f" ({row.failures} failed)" if row.failures else ""
    return f"{mean}{error}{failed}"


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if k == 1 else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def _tests(result: IntervalResult) -> str:
    if not result.tests:
        return ""
    return _wrapped(f"{_tested(result.tests[-1])} {OVERLAP}")


def _others(result: IntervalResult) -> str:
    """Return a sentence naming the first learners by the other distances."""
    firsts = []
    for measure, words in _OTHERS.items():
        if best := result.first_by(measure):
            firsts.append(f"{listed(best)} by {words}")
    return _wrapped(f"First by other distances: {'; '.join(firsts)}.") if firsts else ""


def _tested(test: RankTest) -> str:
    where = "over all sizes" if test.size is None else f"with {test.size} rows"
    p = test.friedman.p_value
    shown = "p < 0.0001" if p < 1e-4 else f"p = {p:.2g}"
    return f"Friedman's test of equal ranks {where}: {shown}. {_told_apart(test)}"


def _told_apart(test: RankTest) -> str:
    result = test.nemenyi
    if not test.differ:
        return "No two learners can be told apart."
    apart = f"mean ranks differ by more than {result.difference:.2f} (Nemenyi)"
    if not test.groups:
        few = len(result.names) == LEAST_COMPETITORS
        return "The two differ." if few else f"All learners can be told apart: their {apart}."
    if test.groups == ((0, len(result.names) - 1),):
        return f"They differ, but it cannot be said which two: no {apart}."
    alike = "; nor ".join(listed(result.names[i : j + 1]) for i, j in test.groups)
    return f"Cannot be told apart: {alike}. Others can, whose {apart}."

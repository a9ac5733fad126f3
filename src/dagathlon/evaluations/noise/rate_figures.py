"""Figures of accuracy against the rate of noise, and of the share that is kept."""

from __future__ import annotations

from collections.abc import Iterator

from dagathlon.evaluations.noise.curves import n_kinds
from dagathlon.evaluations.noise.rates_chart import noise_rates, robustness_plot, state_or_gap
from dagathlon.evaluations.noise.robustness import OVERALL
from dagathlon.frame import Row, Rows
from dagathlon.report.charts.parts import is_nothing
from dagathlon.report.evaluation import TableSet
from dagathlon.report.figures.palette import Look
from dagathlon.report.section import Figure

# Clean data and one rate are no curve.
_LEAST_RATES = 3


def rate_figures(tables: TableSet) -> Iterator[Figure]:
    """Curves where a kind of noise has several rates, and the robustness of each algorithm."""
    index = [row for row in tables.rows("robustness") if _is_single(row["kind"])]
    if not index:
        return
    look = _look(tables, index)
    rows = _curved(tables.rows("rate_curves"))
    if rows:
        networks = dict.fromkeys(row["network"] for row in rows)
        yield Figure(
            "noise-rates",
            "How does accuracy fall with the rate of noise?",
            "Mean F1 at each rate, over sizes and seeds, with 95 % intervals over seeds where they "
            "are several. A higher rate spoils more of the same values, so that a line is of one "
            "set of samples. A failed run counts as 0; data on which an algorithm failed without "
            "noise are left out of its lines.",
            [
                (name, noise_rates([r for r in rows if r["network"] == name], look))
                for name in networks
            ],
        )
        yield from _gaps(rows)
    yield Figure(
        "noise-robustness",
        "Which algorithms are robust?",
        "The area under the curve of F1 against the rate of noise, divided by what it would be if "
        "F1 stayed as it is without noise: 1 keeps everything. All kinds: the mean over single "
        "kinds. Rules are 95 % intervals over seeds.",
        [("share of F1 that is kept", robustness_plot(index, look))],
    )


def _gaps(rows: Rows) -> Iterator[Figure]:
    """Missing values as a state and as gaps, where a study has both."""
    networks = dict.fromkeys(row["network"] for row in rows)
    charts = {name: state_or_gap([r for r in rows if r["network"] == name]) for name in networks}
    variants = [(name, chart) for name, chart in charts.items() if not is_nothing(chart)]
    if variants:
        yield Figure(
            "noise-gaps",
            "Missing values: a state of their own, or gaps?",
            "Mean F1 where the same values are lost twice: replaced by a state that means missing, "
            "and left out. Algorithms that take no gaps have one line. Rules are 95 % intervals "
            "over seeds.",
            variants,
        )


def _is_single(kind: str) -> bool:
    return kind == OVERALL or n_kinds(kind) == 1


def _curved(rows: Rows) -> list[Row]:
    """Those of the kinds that have several rates."""
    rates: dict[str, set[float]] = {}
    for row in rows:
        rates.setdefault(row["kind"], set()).add(row["rate"])
    return [row for row in rows if len(rates[row["kind"]]) >= _LEAST_RATES]


def _look(tables: TableSet, rows: Rows) -> Look:
    """The colours of the page; others where an algorithm stands here with several settings."""
    names = [row["algorithm"] for row in rows]
    return tables.look if set(names) <= set(tables.look.ids) else Look.of(names)

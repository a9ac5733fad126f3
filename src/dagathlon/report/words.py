"""Columns in words, as their declarations have them: what is measured, which way is better."""

from __future__ import annotations

from collections.abc import Mapping

from dagathlon.evaluate.metric import Better, Measure, measure_of

_UNITS = ((1e-3, (1e6, "µs")), (1.0, (1e3, "ms")))
_ARROW: Mapping[Better, str] = {"more": " ↑", "less": " ↓", "": ""}


def words(metric: str) -> Measure:
    """Return the declaration of a column; an unknown column is described by its name."""
    return measure_of(metric)


def title(metric: str) -> str:
    """Return the axis title: the words, and an arrow towards better values."""
    measure = measure_of(metric)
    return measure.title + _ARROW[measure.better]


def short_title(metric: str) -> str:
    """Return the title of a table column."""
    measure = measure_of(metric)
    return measure.label + _ARROW[measure.better]


def duration(seconds: float) -> str:
    """Format a time in a readable unit: 279 µs, 8.19 ms, 2.1 s."""
    scale, unit = time_unit(seconds)
    shown = f"{seconds:,.0f}" if seconds >= 1000 else f"{seconds * scale:.3g}"
    return f"{shown} {unit}"


def time_unit(seconds: float) -> tuple[float, str]:
    """Return the largest unit that fits a time: how many make a second, and its name."""
    rounded = float(f"{seconds:.3g}")
    return next((unit for limit, unit in _UNITS if rounded < limit), (1.0, "s"))

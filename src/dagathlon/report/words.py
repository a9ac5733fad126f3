"""Columns in words, as their declarations have them: what is measured, which way is better."""

from __future__ import annotations

from collections.abc import Mapping

from dagathlon.evaluate.metric import Better, Measure, measure_of

_UNITS = ((1e-3, (1e6, "µs")), (1.0, (1e3, "ms")))
_ARROW: Mapping[Better, str] = {"more": " ↑", "less": " ↓", "": ""}


def words(metric: str) -> Measure:
    """The declaration of a column; a column that is not known stands for itself."""
    return measure_of(metric)


def title(metric: str) -> str:
    """Axis title: the words, and an arrow to where it is better."""
    found = measure_of(metric)
    return found.title + _ARROW[found.better]


def short_title(metric: str) -> str:
    """Title of a column of a table."""
    found = measure_of(metric)
    return found.label + _ARROW[found.better]


def duration(seconds: float) -> str:
    """A time in the unit in which it reads best: 279 µs, 8.19 ms, 2.1 s."""
    scale, unit = time_unit(seconds)
    shown = f"{seconds:,.0f}" if seconds >= 1000 else f"{seconds * scale:.3g}"
    return f"{shown} {unit}"


def time_unit(seconds: float) -> tuple[float, str]:
    """How many of a unit make a second, and its name: the largest of which it has one."""
    rounded = float(f"{seconds:.3g}")
    return next((unit for limit, unit in _UNITS if rounded < limit), (1.0, "s"))

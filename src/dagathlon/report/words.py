"""Columns in words, as their declarations have them: what is measured, which way is better."""

from __future__ import annotations

from collections.abc import Mapping

from dagathlon.evaluate.metric import Better, Measure, measure_of

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

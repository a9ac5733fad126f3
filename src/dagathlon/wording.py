"""Grammar of generated sentences: nouns and verbs that agree with numbers, lists of names."""

from __future__ import annotations

from collections.abc import Sequence


def counted(number: int, noun: str, plural: str = "") -> str:
    """Write a number with its noun: ``1 data set``, ``2,000 data sets``.

    Parameters
    ----------
    number
        How many.
    noun
        The noun for one.
    plural
        The noun for several, if it is not the same with an s.
    """
    return f"{number:,} {agreeing(number, noun, plural or f'{noun}s')}"


def agreeing(number: int, one: str, several: str) -> str:
    """Return the form that agrees with a number: ``is`` or ``are``, ``has`` or ``have``."""
    return one if number == 1 else several


def listed(parts: Sequence[str]) -> str:
    """Join names as ``a, b and c``; names that contain commas are separated by semicolons."""
    between = "; " if any(", " in part for part in parts) else ", "
    return " and ".join([*([between.join(parts[:-1])] if len(parts) > 1 else []), *parts[-1:]])

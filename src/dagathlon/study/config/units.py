"""Parsing of durations and sizes."""

from __future__ import annotations

import math
import re
from typing import Any

from dagathlon.errors import StudyError

_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_BYTES = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_MOST_BYTES = 2**63 - 1


def seconds_of(value: Any, where: str) -> float:
    """Parse a duration such as ``90``, ``"90s"`` or ``"1.5h"`` into seconds."""
    number, unit = _split(value, where, "a time such as 60, '90s', '10m' or '2h'")
    if unit not in _SECONDS or number <= 0:
        raise StudyError(f"{where}: found {value!r}, expected a time such as 60, '90s' or '2h'")
    return number * _SECONDS[unit]


def size_of(value: Any, where: str) -> int:
    """Parse a size such as ``2000000000``, ``"2G"`` or ``"500MB"`` into bytes."""
    number, unit = _split(value, where, "a size such as '500M' or '2G'")
    letter = unit.removesuffix("b").removesuffix("i")
    if letter not in _BYTES or number <= 0:
        raise StudyError(f"{where}: found {value!r}, expected a size such as '500M' or '2G'")
    size = int(number * _BYTES[letter])
    if size > _MOST_BYTES:
        raise StudyError(f"{where}: found {value!r}, expected less than 2^63 bytes")
    return size


def _split(value: Any, where: str, expected: str) -> tuple[float, str]:
    match = re.fullmatch(r"\s*([0-9.]+(?:e[+-]?\d+)?)\s*([a-z]*)\s*", str(value).lower())
    try:
        if isinstance(value, bool) or match is None:
            raise ValueError
        number = float(match.group(1))
    except ValueError:
        raise StudyError(f"{where}: found {value!r}, expected {expected}") from None
    if not math.isfinite(number):
        raise StudyError(f"{where}: found {value!r}, expected {expected}")
    return number, match.group(2)

"""How the benchmarks measure and print."""

from __future__ import annotations

import importlib
import timeit
from collections.abc import Callable
from typing import Any

Row = dict[str, Any]


def best_of(call: Callable[[], object], repeats: int = 7, number: int = 1) -> float:
    """The shortest of several repeats, in seconds per call."""
    return min(timeit.repeat(call, number=number, repeat=repeats)) / number


def installed(module: str) -> bool:
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True


def compare(
    what: str,
    ours_s: float,
    peer: str,
    module: str,
    measure: Callable[[], tuple[float, str]],
) -> Row:
    """A row against one peer; `measure` gives its seconds and a note, if it is installed."""
    row = {"what": what, "ours_s": ours_s, "peer": peer, "peer_s": None, "ratio": None}
    if not installed(module):
        return {**row, "note": "not installed"}
    peer_s, note = measure()
    return {**row, "peer_s": peer_s, "ratio": peer_s / ours_s, "note": note}


def print_table(rows: list[Row]) -> None:
    print(f"{'what':44} {'ours':>10} {'peer':>13} {'peer time':>10} {'ratio':>9}  note")
    for row in rows:
        ratio = "" if row["ratio"] is None else f"{row['ratio']:.1f}x"
        print(
            f"{row['what']:44} {_readable(row['ours_s']):>10} {row['peer']:>13} "
            f"{_readable(row['peer_s']):>10} {ratio:>9}  {row['note']}"
        )


def _readable(seconds: float | None) -> str:
    if seconds is None:
        return ""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"

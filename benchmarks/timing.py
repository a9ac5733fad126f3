"""How the benchmarks measure and print."""

from __future__ import annotations

import importlib
import multiprocessing
import timeit
from collections.abc import Callable
from typing import Any

Row = dict[str, Any]
Measure = Callable[[], tuple[float, str]]


def best_of(call: Callable[[], object], repeats: int = 7, number: int = 1) -> float:
    """The shortest of several repeats, in seconds per call."""
    return min(timeit.repeat(call, number=number, repeat=repeats)) / number


def installed(module: str) -> bool:
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True


def row(
    what: str, ours_s: float, peer: str = "", peer_s: float | None = None, note: str = ""
) -> Row:
    """A row of a table; without `peer_s` there is nothing to compare with."""
    ratio = None if peer_s is None else peer_s / ours_s
    return {
        "what": what,
        "ours_s": ours_s,
        "peer": peer,
        "peer_s": peer_s,
        "ratio": ratio,
        "note": note,
    }


def compare(
    what: str,
    ours_s: float,
    peer: str,
    module: str,
    measure: Measure,
    *,
    limit: float | None = None,
) -> Row:
    """A row against one peer; `measure` gives its seconds and a note, if it is installed.

    With a limit it is measured in a process of its own, and given up after so many seconds.
    """
    if not installed(module):
        return row(what, ours_s, peer, note="not installed")
    found = measure() if limit is None else within(limit, measure)
    if found is None:
        return row(what, ours_s, peer, note=f"more than {limit:g} s or failed: given up")
    return row(what, ours_s, peer, *found)


def within(limit: float, measure: Measure) -> tuple[float, str] | None:
    """What `measure` says in a process of its own; None when it is too slow or fails."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=lambda: sender.send(measure()))
    process.start()
    sender.close()
    try:
        found: tuple[float, str] | None = receiver.recv() if receiver.poll(limit) else None
    except EOFError:
        found = None
    process.kill()
    process.join()
    return found


def alone(what: str, ours_s: float, note: str = "") -> Row:
    """A row without a peer."""
    return row(what, ours_s, note=note)


def print_table(rows: list[Row]) -> None:
    print(f"{'what':44} {'ours':>10} {'peer':>22} {'peer time':>10} {'ratio':>9}  note")
    for found in rows:
        ratio = "" if found.get("ratio") is None else f"{found['ratio']:.1f}x"
        print(
            f"{found['what']:44} {readable(found['ours_s']):>10} {found['peer']:>22} "
            f"{readable(found.get('peer_s')):>10} {ratio:>9}  {found['note']}"
        )


def readable(seconds: float | None) -> str:
    """Seconds in the unit that suits them."""
    if seconds is None:
        return ""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"

"""A piece of work in a process of its own, with a time limit."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

# Seconds that a peer has for loading itself and its data, and for having its result judged.
PREPARATION = 90.0
_FORK = multiprocessing.get_context("fork")


class Outcome(NamedTuple):
    """What came of it: the value, or why there is none."""

    value: Any = None
    stopped: bool = False
    failure: str = ""


class _Parent:
    """In a child the way to its parent; the parent itself has none."""

    pipe: Connection | None = None
    limit: float | None = None


def is_apart() -> bool:
    """Whether this is a process made by `apart`."""
    return _Parent.pipe is not None


def time_left_for_repeats(spent: float, last: float) -> bool:
    """Whether another repeat is sure to end before the limit."""
    return _Parent.limit is None or spent + 1.5 * last < _Parent.limit


def announce(what: str) -> None:
    """Tell the parent that the measured work `began` or `ended`: only that counts to the limit."""
    if _Parent.pipe is not None:
        _Parent.pipe.send((what, None))


def apart(work: Callable[[], Any], limit: float | None = None) -> Outcome:
    """Do `work` in a forked process; after `limit` seconds of measured work it is stopped."""
    receiver, sender = _FORK.Pipe(duplex=False)
    process = _FORK.Process(target=_child, args=(work, sender, limit))
    process.start()
    sender.close()
    try:
        return _await(receiver, limit)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid or 0, signal.SIGKILL)
        process.kill()
        process.join()


def _child(work: Callable[[], Any], sender: Connection, limit: float | None) -> None:
    os.setsid()
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    _Parent.pipe, _Parent.limit = sender, limit
    try:
        sender.send(("value", work()))
    except Exception as error:  # whatever a peer raises is its result
        lines = str(error).strip().splitlines() or [""]
        sender.send(("failure", f"{type(error).__name__}: {lines[0][:80]}"))


def _await(receiver: Connection, limit: float | None) -> Outcome:
    until, measuring = time.monotonic() + PREPARATION, False
    while True:
        wait = None if limit is None else max(until - time.monotonic(), 0.0)
        if not receiver.poll(wait):
            late = f"not ready after {PREPARATION:g} s"
            return Outcome(stopped=True) if measuring else Outcome(failure=late)
        try:
            what, value = receiver.recv()
        except EOFError:
            return Outcome(failure="its process died")
        if what in ("value", "failure"):
            return Outcome(**{what: value})
        measuring = what == "began"
        until = time.monotonic() + (limit if measuring and limit is not None else PREPARATION)

"""Heartbeats of running learners, for interrupts, progress and deadlines, per thread.

Native loops call `beat` themselves. A learner written in Python calls it in its own loops:

>>> from dagathlon.pulse import beat
>>> for step in range(3):
...     beat(step, 3)
"""

from __future__ import annotations

import ctypes
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass
from threading import Thread
from typing import ParamSpec, TypeVar

from dagathlon import _core
from dagathlon.errors import OutOfTimeError

P = ParamSpec("P")
T = TypeVar("T")
_POLL_SECONDS = 0.05


class CancelledError(BaseException):
    """Raised by `beat` in a helper thread whose result is no longer needed."""


@dataclass
class Watch:
    """State of a watched computation.

    Parameters
    ----------
    stopped_early
        Whether a search gave its best so far because the deadline had come; known when the watch
        has ended.
    """

    stopped_early: bool = False


@contextmanager
def watch(
    *,
    deadline: float | None = None,
    cpu: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[Watch]:
    """Watch the computations of this thread inside the ``with`` block.

    Parameters
    ----------
    deadline
        The value of `time.monotonic` at which to end: by the best so far where a search has one,
        otherwise by `OutOfTimeError`. Inside another watch the nearer deadline counts.
    cpu
        Seconds of processor time of this process, from now on, after which to end in the same way.
    progress
        Called every 50 ms, between two steps of the computation, with how much is done and how much
        there is to do, 0 if that is not known, and both 0 if neither is. A learner may go through
        several stages, each with its own total. An exception raised by it ends the computation.

    Examples
    --------
    >>> import time
    >>> with watch(deadline=time.monotonic() + 60) as watched:
    ...     beat()
    >>> watched.stopped_early
    False
    """
    found = Watch()
    seconds = math.inf if deadline is None else deadline - time.monotonic()
    replaced = _core.begin_watch(seconds, progress, math.inf if cpu is None else cpu)
    try:
        yield found
    finally:
        found.stopped_early = _core.end_watch(replaced)


def beat(done: int = 0, total: int = 0) -> None:
    """React to Ctrl-C and to the deadline, and report progress.

    Call it in every loop that may take long, best between ten and a thousand times a second.

    Parameters
    ----------
    done, total
        Steps that were made, and how many there will be; a total of 0 is an unknown one.

    Raises
    ------
    OutOfTimeError
        After the deadline, unless a search has stopped because of it before.
    """
    _core.beat(done, total)


def best_so_far() -> bool:
    """Whether a search should end now and return its best result, as the deadline has passed.

    For learners with ``anytime = True``, at a point where they have a result. Inside a `part`
    it raises `OutOfTimeError` instead.
    """
    return _core.out_of_time()


def time_left() -> float:
    """Return the seconds until the deadline: negative after it, infinite without one."""
    return _core.time_left()


def stop_early() -> None:
    """Note that the result is incomplete because of a time limit, the study's or the learner's own.

    From then on nothing raises at the deadline. Inside a `part` it raises `OutOfTimeError`.
    """
    _core.stop_early()


@contextmanager
def until_deadline() -> Iterator[None]:
    """Leave the ``with`` block at the deadline, wherever inside it the deadline is noticed.

    This is `best_so_far` for searches whose steps take long: they return after the block what
    they have found before.
    """
    try:
        yield
    except OutOfTimeError:
        _core.stop_early()


@contextmanager
def part() -> Iterator[None]:
    """Mark the computation inside the ``with`` block as a part of a larger one.

    Its progress is not reported, and at the deadline it raises `OutOfTimeError` instead of
    returning an incomplete result as if it were whole.
    """
    _core.enter_part()
    try:
        yield
    finally:
        _core.leave_part()


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Name the current stage, for the message if time runs out before there is a result.

    Parameters
    ----------
    name
        Words that go on after "it was still".
    """
    try:
        yield
    except OutOfTimeError as error:
        error.stage = error.stage or name
        raise


def aside(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a native function that cannot call `beat`, such as a large matrix decomposition.

    It runs in a separate thread while this one calls `beat`. After an interrupt or at the
    deadline the thread is abandoned: it ends as soon as the function returns to Python, and
    must not change anything that is used afterwards.
    """
    context = copy_context()  # NumPy's error state among others
    results: list[T] = []
    errors: list[BaseException] = []

    def call() -> None:
        try:
            results.append(context.run(work, *args, **kwargs))
        except BaseException as error:
            errors.append(error)

    thread = Thread(target=call, daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(_POLL_SECONDS)
            beat()
    except BaseException:
        _end(thread)
        raise
    if errors:
        raise errors[0]
    return results[0]


def _end(thread: Thread) -> None:
    """Raise `SystemExit` in a thread when it next runs Python."""
    identity = ctypes.c_ulong(thread.ident or 0)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(identity, ctypes.py_object(SystemExit))

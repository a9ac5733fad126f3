"""Thread limits of computations, which affect the time of a result but never its value.

Native learners with parallel work (tests of a level, scores of families) obey the limit:

>>> from dagathlon.threads import allowed_threads, several_threads
>>> with several_threads(2):
...     allowed_threads()
2

A learner in Python that calls native code many times, independently, uses `side_by_side`.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from contextvars import copy_context
from threading import Lock, Thread
from typing import Generic, TypeVar

from dagathlon import _core
from dagathlon.errors import OutOfTimeError
from dagathlon.pulse import beat, stop_early

Item = TypeVar("Item")
Result = TypeVar("Result")
_SECONDS_BETWEEN_BEATS = 0.02
# As for native teams: a small machine may use more threads than cores, for tests.
_MOST_THREADS = max(16, os.cpu_count() or 1)


def allowed_threads() -> int:
    """Return the number of threads that a computation of this thread may use (default 1)."""
    return _core.allowed_threads()


@contextmanager
def several_threads(threads: int) -> Iterator[None]:
    """Allow computations of this thread inside the ``with`` block to use several threads.

    Parameters
    ----------
    threads
        The number, including the calling thread; fewer are used if the system has no more.
    """
    before = _core.allow_threads(min(threads, sys.maxsize))
    try:
        yield
    finally:
        _core.allow_threads(before)


def side_by_side(
    work: Callable[[Item], Result], items: Iterable[Item], count: int
) -> Iterator[Result]:
    """Map a function over items in parallel threads, as far as several threads are allowed.

    The output equals that of a loop: results in the order of the items, then the exception of
    the first item that raises one, and nothing after it. Items are drawn from the iterator in
    order, when their turn comes, so that they may be generated at random on the way; the work
    on one item must not depend on another. With fewer items than threads, each item may use
    several.

    Parameters
    ----------
    work
        Function of an item, called in any thread; worthwhile if it mostly runs native code.
    items
        The items.
    count
        Upper bound of the number of items.

    Examples
    --------
    >>> with several_threads(2):
    ...     list(side_by_side(abs, [-1, 2, -3], 3))
    [1, 2, 3]
    """
    members = min(allowed_threads(), count, _MOST_THREADS)
    if members < 2:
        yield from map(work, items)
        return
    team = _ThreadTeam(work, iter(items), allowed_threads() // members)
    helpers: list[Thread] = []
    try:
        with suppress(RuntimeError):  # the system gives no more: fewer do the same work
            for _ in range(members - 1):
                # A context for each: NumPy's error state among others.
                helper = Thread(target=copy_context().run, args=(team.run_helper,), daemon=True)
                helper.start()
                helpers.append(helper)
        yield from team.results()
    finally:
        team.watch.cancel()
        for helper in helpers:
            helper.join()


class ObjectPool(Generic[Item]):
    """Pool of interchangeable objects, each used by one thread at a time, such as cached scores.

    As many are made as threads use them at the same moment.

    Parameters
    ----------
    make
        Makes an object; all must be equivalent.
    """

    def __init__(self, make: Callable[[], Item]) -> None:
        self._make = make
        self._spare: deque[Item] = deque()

    @contextmanager
    def borrow(self) -> Iterator[Item]:
        """Borrow an object exclusively for the ``with`` block."""
        try:
            found = self._spare.pop()
        except IndexError:
            found = self._make()
        try:
            yield found
        finally:
            self._spare.append(found)


class _ThreadTeam(Generic[Item, Result]):
    """The calling thread and its helper threads; idle members take the next item.

    Parameters
    ----------
    work
        Function of an item.
    items
        The items.
    share
        Threads that the work of one item may use.
    """

    def __init__(self, work: Callable[[Item], Result], items: Iterator[Item], share: int) -> None:
        self.watch = _core.SharedWatch()
        self._work, self._items, self._share = work, items, share
        self._turn = Lock()
        self._over = False
        # Futures that were begun and not yet yielded, in the order of the items.
        self._begun: deque[Future[Result]] = deque()

    def run_helper(self) -> None:
        """Process items in a helper thread until none is left or the caller stops."""
        self.watch.begin()
        with suppress(BaseException):  # which the caller finds in the item's place
            while self._next():
                pass

    def results(self) -> Iterator[Result]:
        """Process items in the calling thread, and yield finished results in order."""
        while self._next():
            yield from self._ready()
        while self._begun:
            wait([self._begun[0]], _SECONDS_BETWEEN_BEATS)
            with suppress(OutOfTimeError):  # helpers notice it too, and may have a best result
                beat()
            yield from self._ready()
        if self.watch.stopped_early:
            stop_early()

    def _ready(self) -> Iterator[Result]:
        while self._begun and self._begun[0].done():
            yield self._begun.popleft().result()

    def _next(self) -> bool:
        """Process the next item; return whether there may be more."""
        taken = self._take()
        if taken is None:
            return False
        item, place = taken
        try:
            with several_threads(self._share):
                result = self._work(item)
        except BaseException as error:
            # Items before it go on, none behind it begins.
            self._over = True
            place.set_exception(error)
            if not isinstance(error, Exception):  # an interrupt does not wait for other items
                raise
            return False
        self.watch.note_end()
        place.set_result(result)
        return True

    def _take(self) -> tuple[Item, Future[Result]] | None:
        with self._turn:
            if self._over:
                return None
            place = Future[Result]()
            try:
                with several_threads(self._share):
                    item = next(self._items)
            except StopIteration:
                self._over = True
                return None
            except Exception as error:
                self._over = True
                place.set_exception(error)
                self._begun.append(place)
                return None
            self._begun.append(place)
            return item, place

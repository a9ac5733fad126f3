"""How many threads a computation may use. It decides how long a result takes, never what it is.

Native learners whose work splits (tests of a level, families' scores) look at it by themselves:

>>> from dagathlon.threads import allowed_threads, several_threads
>>> with several_threads(2):
...     allowed_threads()
2
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dagathlon import _core


def allowed_threads() -> int:
    """How many threads a computation of this thread may use; 1 unless somebody has said more."""
    return _core.allowed_threads()


@contextmanager
def several_threads(threads: int) -> Iterator[None]:
    """Let what this thread computes inside the ``with`` block use so many threads.

    Parameters
    ----------
    threads
        The number, with the calling thread itself.
    """
    before = _core.allow_threads(threads)
    try:
        yield
    finally:
        _core.allow_threads(before)

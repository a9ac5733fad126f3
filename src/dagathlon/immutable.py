"""`Immutable`: objects that can be shared, hashed and cached because they never change."""

from __future__ import annotations


class Immutable:
    """Base class whose public attributes cannot be set.

    Cached properties (`functools.cached_property`) could otherwise be overwritten, which would
    make an object inconsistent.
    """

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("_"):
            kind = type(self).__name__
            raise AttributeError(f"a {kind} never changes: its {name!r} cannot be set")
        super().__setattr__(name, value)

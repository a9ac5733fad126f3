"""`Immutable`: objects that can be shared, hashed and cached because they never change."""

from __future__ import annotations


class Immutable:
    """A base for classes whose public attributes cannot be set.

    What a class derives on demand and keeps (`functools.cached_property`) could otherwise be
    overwritten, and an object would then contradict itself.
    """

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("_"):
            kind = type(self).__name__
            raise AttributeError(f"a {kind} never changes: its {name!r} cannot be set")
        super().__setattr__(name, value)

"""Types of one's own in stored results: declared in code, never taken from a file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Protocol, Self, TypeVar

import numpy.typing as npt

from dagathlon.errors import DagathlonError


class Storable(Protocol):
    """An object that takes itself apart, such as a model."""

    def to_parts(self) -> tuple[Any, Mapping[str, npt.NDArray[Any]]]:
        """A JSON value and named arrays that say all."""

    @classmethod
    def from_parts(cls, meta: Any, arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """The object again; the arrays are read-only and may be mapped from a file."""


Type = TypeVar("Type", bound=type[Storable])
_declared: dict[str, type[Storable]] = {}
# The end of the package that `dagathlon.modules.user_files.namespace_of` makes for a file.
_FOLDER = re.compile(r"^(dagathlon_file_.*?)_[0-9a-f]{8}(?=[.:])")


def storable(cls: Type) -> Type:
    """Declare that results may hold objects of a class, such as the model of your own generator.

    A stored result names the class, and it is looked up among those that were declared by the
    modules which are loaded; nothing is ever imported because a file says so.

    Examples
    --------
    >>> @storable
    ... class Coin:
    ...     def to_parts(self):
    ...         return "fair", {}
    ...     @classmethod
    ...     def from_parts(cls, meta, arrays):
    ...         return cls()
    """
    name = name_of(cls)
    known = _declared.get(name)
    if known is not None and known.__module__ != cls.__module__:
        raise DagathlonError(
            f"two files declare a storable {cls.__qualname__} and have the same name; rename one, "
            "so that a stored result says of which it is"
        )
    _declared[name] = cls
    return cls


def name_of(cls: type) -> str:
    """What a stored result calls the class: the same wherever the file of the class lies."""
    return _anywhere(f"{cls.__module__}:{cls.__qualname__}")


def declared(name: str) -> type[Storable] | None:
    """The class of that name, if it has been declared."""
    return _declared.get(_anywhere(name))


def _anywhere(name: str) -> str:
    """A name without what stands for the folder of a user's file, as older results have it."""
    return _FOLDER.sub(r"\1", name)

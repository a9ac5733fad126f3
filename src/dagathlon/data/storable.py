"""Registry of user-defined types in stored results; files name them but never import code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Protocol, Self, TypeVar

import numpy.typing as npt

from dagathlon.errors import DagathlonError


class Storable(Protocol):
    """Protocol of objects that are stored as JSON and arrays, such as a model."""

    def to_parts(self) -> tuple[Any, Mapping[str, npt.NDArray[Any]]]:
        """Return a JSON value and named arrays from which the object can be rebuilt."""

    @classmethod
    def from_parts(cls, meta: Any, arrays: Mapping[str, npt.NDArray[Any]]) -> Self:
        """Rebuild the object; the arrays are read-only and may be memory-mapped."""


Type = TypeVar("Type", bound=type[Storable])
_declared: dict[str, type[Storable]] = {}
# The end of the package that `dagathlon.modules.user_files.namespace_of` makes for a file.
_FOLDER = re.compile(r"^(dagathlon_file_.*?)_[0-9a-f]{8}(?=[.:])")


def storable(cls: Type) -> Type:
    """Register a class whose objects may be stored in results, such as your own generator's model.

    A stored result names the class, which is looked up among those registered by the modules
    that are loaded; nothing is ever imported because a file names it.

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
            "so that stored results can name the class"
        )
    _declared[name] = cls
    return cls


def name_of(cls: type) -> str:
    """Return the name of a class in stored results, independent of the folder of its file."""
    return _anywhere(f"{cls.__module__}:{cls.__qualname__}")


def stored_class(name: str) -> type[Storable] | None:
    """Return the registered class with that name, or None."""
    return _declared.get(_anywhere(name))


def _anywhere(name: str) -> str:
    """Remove the prefix that marks a user file's folder in names stored by older versions."""
    return _FOLDER.sub(r"\1", name)

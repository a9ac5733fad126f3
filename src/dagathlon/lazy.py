"""Public names of a package that are imported when they are first used."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any


def lazy(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], Any]]:
    """Return ``__getattr__`` and ``__dir__`` of a package that imports its names on access.

    Parameters
    ----------
    package
        Name of the package.
    homes
        For each module of the package, relative to it, the names that it defines, with spaces
        between them.
    """
    places = {name: f"{package}.{home}" for home, names in homes.items() for name in names.split()}

    def look_up(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(places[name]), name)
        setattr(importlib.import_module(package), name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(importlib.import_module(package)), *places})

    return look_up, names

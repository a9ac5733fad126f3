"""Registry of engines: those of this package by location, others by entry point."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import importlib.metadata
import inspect
import pkgutil
from collections.abc import Iterator, Mapping
from typing import Any, cast

from dagathlon.errors import DagathlonError, listing, unknown
from dagathlon.study import engine as room
from dagathlon.study.engine.protocol import OBJECT, Engine

ENTRY_POINTS = "dagathlon.engines"
"""Entry point group for engines of other packages; each entry names a class."""

DEFAULT = "local"


@functools.cache
def engines() -> Mapping[str, type[Engine]]:
    """Return all engines by name."""
    return {cls.name: cls for cls in _classes()}


def _classes() -> Iterator[type[Engine]]:
    for info in pkgutil.iter_modules(room.__path__, f"{room.__name__}."):
        for value in vars(importlib.import_module(info.name)).values():
            if inspect.isclass(value) and value.__module__ == info.name and _is_engine(value):
                yield cast(type[Engine], value)
    for entry in importlib.metadata.entry_points(group=ENTRY_POINTS):
        yield entry.load()


def _is_engine(cls: type) -> bool:
    return isinstance(vars(cls).get("name"), str) and callable(getattr(cls, "run", None))


def make_engine(name: str = DEFAULT, **settings: Any) -> Engine:
    """Return an engine with its settings, which are the fields of its dataclass.

    Parameters
    ----------
    name
        One of `engines`.
    settings
        Values by field; false and None mean not given. A field that the engine lacks is a
        `DagathlonError`.
    """
    known = engines()
    if name not in known:
        raise DagathlonError(unknown("engine", name, known, "--engine"))
    cls: Any = known[name]
    fields = dataclasses.fields(cls)
    taken = [each.name for each in fields]
    asked = {key: value for key, value in settings.items() if value}
    for key in asked:
        if key not in taken:
            words = [each.name for each in fields if OBJECT not in each.metadata]
            raise DagathlonError(f"the engine {name} has no {key}; it takes {listing(words)}")
    return known[name](**asked)

"""Finding modules by location and by entry point; there is no list to edit."""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import inspect
import pkgutil
from collections.abc import Iterator, Mapping
from types import ModuleType

from dagathlon.errors import StudyError, unknown
from dagathlon.modules.module import Kind, Module

SEARCHED = (
    "dagathlon.simulate",
    "dagathlon.learners",
    "dagathlon.evaluate",
    "dagathlon.benchpress",
    "dagathlon.study.evaluation",
)
ENTRY_POINTS = "dagathlon.modules"


@functools.cache
def modules(kind: Kind) -> Mapping[str, type[Module]]:
    """All modules of a kind by name, sorted."""
    found: dict[str, type[Module]] = {}
    for source in _sources():
        for module in _defined_in(source):
            if module.kind == kind:
                found.setdefault(module.name, module)
    return dict(sorted(found.items()))


def find(kind: Kind, name: str, where: str = "") -> type[Module]:
    """The module of that kind and name; an unknown one is a `StudyError` with the nearest match."""
    known = modules(kind)
    if name not in known:
        raise StudyError(unknown(f"{kind} module", name, known, where))
    return known[name]


def _sources() -> Iterator[ModuleType]:
    for package_name in SEARCHED:
        package = importlib.import_module(package_name)
        yield package
        for info in pkgutil.walk_packages(getattr(package, "__path__", []), package_name + "."):
            yield importlib.import_module(info.name)
    for entry in importlib.metadata.entry_points(group=ENTRY_POINTS):
        loaded = entry.load()
        yield loaded if isinstance(loaded, ModuleType) else importlib.import_module(entry.module)


def _defined_in(source: ModuleType) -> Iterator[type[Module]]:
    for value in vars(source).values():
        if inspect.isclass(value) and issubclass(value, Module) and value.__dict__.get("name"):
            yield value

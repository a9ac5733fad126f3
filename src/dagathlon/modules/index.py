"""The index of the package's modules and commands, which is read without importing them.

`tools/make_index.py` writes `index.json`; a test compares it with the sources.
"""

from __future__ import annotations

import functools
import json
import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

SEARCHED = (
    "dagathlon.graphs.formats",
    "dagathlon.simulate",
    "dagathlon.learners",
    "dagathlon.evaluate",
    "dagathlon.benchpress",
    "dagathlon.external.shipped",
    "dagathlon.evaluations",
    "dagathlon.report.charts",
)
PUBLIC = "dagathlon.learners"
"""The package whose learners, tests and scores can be imported from it by their class names."""
FILE = Path(__file__).with_name("index.json")
_PACKAGE = Path(__file__).parent.parent


@dataclass(frozen=True)
class Index:
    """Names of modules and commands, and where each is defined.

    Parameters
    ----------
    classes
        The Python modules that define the classes of learners, tests and scores.
    modules
        For each kind of module the Python module that defines a name.
    former
        For each kind the present names of modules by their former names.
    sources
        The Python modules that were searched.
    commands
        One line of help for each command.
    """

    classes: Mapping[str, str]
    modules: Mapping[str, Mapping[str, str]]
    former: Mapping[str, Mapping[str, str]]
    sources: frozenset[str]
    commands: Mapping[str, str]


@functools.cache
def index() -> Index:
    """Return the index in `index.json`."""
    record = json.loads(FILE.read_text(encoding="utf-8"))
    return Index(**{**record, "sources": frozenset(record["sources"])})


def python_modules() -> Iterator[str]:
    """Yield the names of the Python modules in the searched packages, from their files."""
    for package in SEARCHED:
        place = _PACKAGE.joinpath(*package.split(".")[1:])
        yield package
        if place.is_dir():
            yield from (info.name for info in _walk([str(place)], f"{package}."))


def _walk(places: list[str], prefix: str) -> Iterator[pkgutil.ModuleInfo]:
    """Walk packages like `pkgutil.walk_packages`, but without importing them."""
    for info in pkgutil.iter_modules(places, prefix):
        yield info
        if info.ispkg:
            yield from _walk([f"{places[0]}/{info.name.rpartition('.')[2]}"], f"{info.name}.")


def unindexed() -> list[str]:
    """Return the Python modules that were added since the index was written."""
    return [name for name in python_modules() if name not in index().sources]

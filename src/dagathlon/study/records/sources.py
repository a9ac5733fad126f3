"""Which files and bundled networks the fixed graphs, parameters and data of a study come from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from dagathlon.frame import grouped
from dagathlon.study.config.expand import Setting
from dagathlon.study.config.library import FixedFile, Library
from dagathlon.study.config.study_file import DataEntry, Part, Setup
from dagathlon.wording import counted, listed

FILE, BUNDLED, DRAWN = "file", "bundled", "drawn"
_PLACE = re.compile(r"^benchmark_setup(\[\d+\])?\.")
_MOST = 6
_MOST_FILES = 3
_PARTS = ("graph", "parameters", "data")


class Source(NamedTuple):
    """Where one part of a data entry comes from.

    Parameters
    ----------
    where
        Place of the data entry in the study.
    part
        ``graph``, ``parameters`` or ``data``.
    kind
        ``file``, ``bundled``, or ``drawn`` by a generator.
    name
        Path of the file, relative to the study where it lies beside or below it; name of the
        bundled network or data set; name of the generator.
    sha256
        Digest of a file's content, else empty.
    """

    where: str
    part: str
    kind: str
    name: str
    sha256: str = ""

    @property
    def words(self) -> str:
        """Name the source in a sentence."""
        if self.kind == BUNDLED:
            return f"the bundled {'data set' if self.part == 'data' else 'network'} {self.name}"
        return f"the file {self.name}" if self.kind == FILE else f"the generator {self.name}"


def sources_of(setup: Setup, library: Library) -> list[Source]:
    """List the sources of all data entries of a setup that have a fixed part."""
    return [source for entry in setup.data for source in _of_entry(entry, library)]


def _of_entry(entry: DataEntry, library: Library) -> list[Source]:
    parts = zip(_PARTS, (entry.graphs, entry.parameters, entry.data), strict=True)
    found = [_source(entry.where, name, one, library) for name, of in parts for one in of]
    fixed = any(source.kind != DRAWN for source in found)
    return list(dict.fromkeys(found)) if fixed else []


def _source(where: str, part: str, found: Part, library: Library) -> Source:
    if isinstance(found, Setting):
        return Source(where, part, DRAWN, found.module.name)
    if found.bundled:
        return Source(where, part, BUNDLED, found.bundled)
    return Source(where, part, FILE, _relative(found, library), found.digest)


def _relative(found: FixedFile, library: Library) -> str:
    place = Path(found.place)
    home = library.home
    return str(place.relative_to(home) if place.is_relative_to(home) else place)


def source_lines(sources: Iterable[Source]) -> list[str]:
    """Say for each data entry where its parts come from; entries that are alike share a line."""
    entries = grouped((source.where, source) for source in sources)
    places = grouped((_sentence(found), _PLACE.sub("", where)) for where, found in entries.items())
    lines = [f"{_listed_places(at)}: {said}" for said, at in places.items()]
    more = len(lines) - _MOST
    return lines if more < 2 else [*lines[:_MOST], f"and {more:,} more, all in provenance.json"]


def _sentence(found: Sequence[Source]) -> str:
    """``graph and parameters from the bundled network asia; data drawn by the generator iid``."""
    parts: dict[str, list[str]] = {}
    for part in _PARTS:
        mine = [source for source in found if source.part == part]
        if mine and (part != "data" or mine[0].kind != DRAWN):
            names = [source.words for source in mine[:_MOST_FILES]]
            more = len(mine) - len(names)
            names += [f"{counted(more, 'more file')}"] if more else []
            verb = "drawn by" if mine[0].kind == DRAWN else "from"
            parts.setdefault(f"{verb} {listed(names)}", []).append(part)
    return "; ".join(f"{listed(names)} {said}" for said, names in parts.items())


def _listed_places(places: Sequence[str]) -> str:
    more = len(places) - _MOST_FILES
    if more > 1:
        return f"{', '.join(places[:_MOST_FILES])} and {more:,} more"
    return listed(places)


def to_json(sources: Iterable[Source]) -> list[dict[str, str]]:
    """Convert sources to JSON objects; empty fields are omitted."""
    return [{k: v for k, v in one._asdict().items() if v} for one in sources]


def from_json(found: Any) -> Iterator[Source]:
    """The sources again, of an untrusted file; what is not of the right form is left out."""
    for row in found if isinstance(found, list) else ():
        if isinstance(row, Mapping):
            values = [row.get(name, "") for name in Source._fields]
            if all(isinstance(value, str) for value in values):
                yield Source(*cast(list[str], values))

"""Where and when a study was run, and where its data come from."""

from __future__ import annotations

import json
import os
import platform
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple, Self, cast

from dagathlon.errors import StudyError
from dagathlon.frame import grouped
from dagathlon.study.config.expand import Setting
from dagathlon.study.config.library import FixedFile, Library
from dagathlon.study.config.study_file import DataEntry, Part, Setup
from dagathlon.study.store.machine import described, machine_facts, versions_of
from dagathlon.study.store.results_folder import read_file, write_file
from dagathlon.wording import counted, listed

FILE, BUNDLED, DRAWN = "file", "bundled", "drawn"
_PLACE = re.compile(r"^benchmark_setup(\[\d+\])?\.")
_MOST = 6
_MOST_FILES = 3
_PARTS = ("graph", "parameters", "data")


class Source(NamedTuple):
    """Source of one part of a data entry.

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
    sources = [_source(entry.where, name, item, library) for name, of in parts for item in of]
    fixed = any(source.kind != DRAWN for source in sources)
    return list(dict.fromkeys(sources)) if fixed else []


def _source(where: str, part: str, content: Part, library: Library) -> Source:
    if isinstance(content, Setting):
        return Source(where, part, DRAWN, content.module.name)
    if content.bundled:
        return Source(where, part, BUNDLED, content.bundled)
    return Source(where, part, FILE, _relative(content, library), content.digest)


def _relative(file: FixedFile, library: Library) -> str:
    place = Path(file.place)
    home = library.home
    return str(place.relative_to(home) if place.is_relative_to(home) else place)


def source_lines(sources: Iterable[Source]) -> list[str]:
    """Say for each data entry where its parts come from; entries that are alike share a line."""
    entries = grouped((source.where, source) for source in sources)
    places = grouped(
        (_sentence(entry_sources), _PLACE.sub("", where))
        for where, entry_sources in entries.items()
    )
    lines = [f"{_listed_places(at)}: {sentence}" for sentence, at in places.items()]
    more = len(lines) - _MOST
    return lines if more < 2 else [*lines[:_MOST], f"and {more:,} more, all in provenance.json"]


def _sentence(sources: Sequence[Source]) -> str:
    """Return a sentence such as ``graph from the bundled network asia; data drawn by iid``."""
    parts: dict[str, list[str]] = {}
    for part in _PARTS:
        mine = [source for source in sources if source.part == part]
        if mine and (part != "data" or mine[0].kind != DRAWN):
            names = [source.words for source in mine[:_MOST_FILES]]
            more = len(mine) - len(names)
            names += [f"{counted(more, 'more file')}"] if more else []
            verb = "drawn by" if mine[0].kind == DRAWN else "from"
            parts.setdefault(f"{verb} {listed(names)}", []).append(part)
    return "; ".join(f"{listed(names)} {words}" for words, names in parts.items())


def _listed_places(places: Sequence[str]) -> str:
    more = len(places) - _MOST_FILES
    if more > 1:
        return f"{', '.join(places[:_MOST_FILES])} and {more:,} more"
    return listed(places)


def to_json(sources: Iterable[Source]) -> list[dict[str, str]]:
    """Convert sources to JSON objects; empty fields are omitted."""
    return [{k: v for k, v in one._asdict().items() if v} for one in sources]


def from_json(found: Any) -> Iterator[Source]:
    """Parse sources from an untrusted file, dropping invalid ones."""
    for row in found if isinstance(found, list) else ():
        if isinstance(row, Mapping):
            values = [row.get(name, "") for name in Source._fields]
            if all(isinstance(value, str) for value in values):
                yield Source(*cast(list[str], values))


PROVENANCE = "provenance.json"
_MOST_BYTES = 2**20
_PACKAGES = ("dagathlon", "numpy", "scipy", "pyarrow", "vl-convert-python")


class RunState(StrEnum):
    """State of a run, by its last message."""

    RUNNING = "running"
    FINISHED = "finished"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class Provenance:
    """Time, place and state of a run of a study.

    Parameters
    ----------
    study
        Name of the study's file.
    seed
        What was added to every seed.
    time_limit, memory_limit
        Limits of the runs that have none of their own: seconds, bytes.
    state
        What the run said last; one that was killed has not said so.
    partial
        Whether it was limited to a part of the study.
    process
        Number of the process that runs it.
    began, ended
        Seconds since 1970.
    versions
        Of the packages and of Python, by name.
    machine
        System, processor and cores.
    sources
        Files and bundled networks that data entries come from; empty before it was kept.
    rank_unit
        What counts once in average ranks, where a report was asked for another than the study's.
    cpu_limit
        Limit of processor time of the runs, in seconds; None before it was kept.
    """

    study: str
    seed: int = 0
    time_limit: float | None = None
    memory_limit: int | None = None
    state: RunState = RunState.RUNNING
    partial: bool = False
    process: int = field(default_factory=os.getpid)
    began: float = field(default_factory=time.time)
    ended: float | None = None
    versions: Mapping[str, str] = field(default_factory=lambda: dict(_versions()))
    machine: str = field(default_factory=lambda: described(machine_facts()))
    sources: Sequence[Source] = ()
    rank_unit: str = ""
    cpu_limit: float | None = None

    def closed(self, *, interrupted: bool) -> Self:
        """Return a copy for a run that has ended."""
        state = RunState.INTERRUPTED if interrupted else RunState.FINISHED
        return replace(self, state=state, ended=time.time())

    def save(self, folder: Path) -> None:
        """Write the provenance into the folder of a setup, atomically."""
        folder.mkdir(parents=True, exist_ok=True)
        values = asdict(self) | {"sources": to_json(self.sources)}
        text = json.dumps({"format": 1} | values, indent=2) + "\n"
        write_file(folder / PROVENANCE, text.encode())

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read the provenance; invalid types are a `StudyError`."""
        path = folder / PROVENANCE
        try:
            added: dict[str, Any] = {"sources": [], "rank_unit": "", "cpu_limit": None}
            found: dict[str, Any] = added | json.loads(
                read_file(folder, PROVENANCE, most=_MOST_BYTES)
            )
            values = {one.name: found[one.name] for one in fields(cls)}
            values["state"] = RunState(values["state"])
            values["versions"] = {str(k): str(v) for k, v in values["versions"].items()}
            values["rank_unit"] = str(values["rank_unit"])
            values["process"] = int(values["process"])
            values["sources"] = tuple(from_json(values["sources"]))
            time.gmtime(values["began"])  # a moment that cannot be told is no moment
            return cls(**values)
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise StudyError(f"{path}: cannot be used ({error!r})") from None
        except (OverflowError, RecursionError) as error:
            raise StudyError(f"{path}: cannot be used ({error})") from None


def installed_version() -> str:
    """Return the installed version of dagathlon."""
    return dict(_versions()).get("dagathlon", "")


def _versions() -> Iterator[tuple[str, str]]:
    yield from versions_of(_PACKAGES)
    yield "Python", platform.python_version()

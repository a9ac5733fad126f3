"""All files that a study names, and where a copy of the study has them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from dagathlon.errors import StudyError
from dagathlon.modules.sources import sources
from dagathlon.study.config.expand import ModuleEntry
from dagathlon.study.config.library import FixedFile, Library
from dagathlon.study.config.study_file import Config, code_of

RESOURCES_FOLDER = "resources"
"""Folder beside a study in which its files are looked up first."""


class NamedFile(NamedTuple):
    """A file that a study needs, and its place in a copy below the study's folder."""

    source: Path
    place: Path


def files_of(config: Config) -> list[NamedFile]:
    """Return the files that a study needs: graphs, parameters, data, constraints, code.

    Raises
    ------
    StudyError
        When one is named by a path that leads out of the study's folder: a copy would not find it.
    """
    files = [*_fixed(config), *_constraints(config)]
    named = [_placed(Path(place), config.library) for place in dict.fromkeys(files)]
    home = config.library.home
    for path in code_of(config.path):
        named += code_files(path, _inside(path, home, home))
    return _once(named)


def code_files(path: Path, place: Path) -> Iterator[NamedFile]:
    """Yield a file of modules with its local imports, or the files of a module's folder."""
    real = path.resolve()
    if real.is_dir():
        for file in _below(real):
            yield NamedFile(file, place / file.relative_to(real))
        return
    first, *others = sources(real)
    yield NamedFile(first, place)
    for file in others:
        yield NamedFile(file, place.parent / file.relative_to(real.parent))


def _below(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(n for n in folders if not n.startswith(".") and n != "__pycache__")
        files = (Path(place) / name for name in sorted(names) if not name.startswith("."))
        yield from (file for file in files if file.is_file())


def _fixed(config: Config) -> Iterator[str]:
    for entry in chain.from_iterable(setup.data for setup in config.setups):
        for part in chain(entry.graphs, entry.parameters, entry.data):
            if isinstance(part, FixedFile) and not part.bundled:
                yield part.place


def _constraints(config: Config) -> Iterator[str]:
    for name in dict.fromkeys(chain.from_iterable(map(_named_by, config.algorithms.values()))):
        try:
            yield str(config.library.constraints(name, ""))
        except StudyError:
            continue  # of an algorithm that no setup runs: planning would have said so


def _named_by(entry: ModuleEntry) -> Iterator[str]:
    for setting in entry.settings:
        values = setting.module.to_json()
        for name, parameter in type(setting.module).parameters().items():
            reference = parameter.type.reference
            if reference is not None and reference.to == "constraints" and values[name]:
                yield values[name]


def _placed(path: Path, library: Library) -> NamedFile:
    if library.resources is not None and path.is_relative_to(library.resources):
        below = _inside(path, library.resources, library.home)
        return NamedFile(path, Path(RESOURCES_FOLDER) / below)
    return NamedFile(path, _inside(path, library.home, library.home))


def _inside(path: Path, folder: Path, home: Path) -> Path:
    below = path.relative_to(folder) if path.is_relative_to(folder) else None
    if below is None or ".." in below.parts:
        raise StudyError(
            f"the study names {path}, which is not in its folder ({home.resolve()}), so that a "
            "copy elsewhere would not find it; put the file there and name it without '..' and a "
            "leading '/'"
        )
    return below


def _once(named: Sequence[NamedFile]) -> list[NamedFile]:
    files: dict[Path, Path] = {}
    for source, place in named:
        other = files.setdefault(place, source)
        if other.resolve() != source.resolve():
            raise StudyError(f"{source} and {other} would have one place in a copy, {place}")
    return [NamedFile(source, place) for place, source in files.items()]

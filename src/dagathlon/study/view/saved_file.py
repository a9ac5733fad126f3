"""The file in which a run saves a setup: a zip archive of JSON and of columns of whole numbers.

``facts.json``
    The format's number, the setup, the algorithms with their settings and what is known of the
    modules, and for each column of the tables its type and levels.
``study.json``
    The study's file, as it was.
``keys``
    The keys of the tasks, 32 bytes each.
``cases/…``, ``runs/…``
    The columns of the tables, little-endian.

Reading it makes numbers and texts and nothing else: no type is named in it and no code is found by
it. Sizes are bounded before anything is unpacked, every place is checked, and names that become
parts of file names are names of files.
"""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from dagathlon.errors import StudyError
from dagathlon.study.plan.plan import Case, Omission, Run
from dagathlon.study.plan.task import Limits
from dagathlon.study.view.columns import TYPES, Packed, by_column, by_record, uncollected
from dagathlon.study.view.facts import (
    facts_json,
    file_name,
    read_algorithms,
    read_modules,
    read_setup,
)
from dagathlon.study.view.provenance import PROVENANCE
from dagathlon.study.view.saved import Keys, Origin, SavedPlan, SavedSetup, SavedStudy

SAVED = "study.zip"
FORMAT = 1
MOST_BYTES = 2**31
_MOST_FACTS = 2**28
_FACTS, _STUDY, _KEYS = "facts.json", "study.json", "keys"
_CASE_FIELDS = (*Case._fields, "entry", "number", "combinations", "fixed", "diagnostics")
_RUN_FIELDS = (*Run._fields, "time_limit", "memory_limit")
_UNREADABLE = (
    *(OSError, EOFError, ValueError, LookupError, TypeError, AttributeError, OverflowError),
    *(MemoryError, RuntimeError, zlib.error, zipfile.BadZipFile),
)


def save(study: SavedStudy, folder: Path) -> None:
    """Write what a run saves of a setup into the setup's folder, whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    # Runs of the same study may begin at the same moment.
    unfinished = folder / f"{SAVED}.{os.getpid()}.part"
    try:
        packing = (zipfile.ZIP_DEFLATED, True, 1)
        with uncollected(), zipfile.ZipFile(unfinished, "w", *packing) as archive:
            _write(study, archive)
        unfinished.replace(folder / SAVED)
    finally:
        unfinished.unlink(missing_ok=True)


def load(folder: Path) -> SavedStudy:
    """Read what a run has saved in the folder of a setup.

    Raises
    ------
    StudyError
        When it is damaged, or was written by a later version.
    """
    path = folder / SAVED
    with _explained(path), uncollected(), zipfile.ZipFile(path) as archive:
        return _read(archive, path)


def saved_setups(folder: Path) -> list[Path]:
    """The folders of setups that runs have left in a folder of results, or the folder itself.

    Raises
    ------
    StudyError
        When there is none.
    """
    beside = sorted(path.parent for path in folder.glob(f"*/{SAVED}"))
    found = [place for place in (folder, *beside) if (place / SAVED).is_file()]
    if found:
        return found
    if (folder / PROVENANCE).is_file() or any(folder.glob(f"*/{PROVENANCE}")):
        raise StudyError(
            f"{folder}: these results are of a version that did not save what a report needs; run "
            "the study again into this folder: what is in the store is not computed again"
        )
    raise StudyError(f"{folder}: there are no results of a study here (no {SAVED})")


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except _UNREADABLE as error:
        reason = str(error) or type(error).__name__
        raise StudyError(
            f"{path}: what the run saved cannot be read ({reason}); run the study again: what is "
            "in the store is not computed again"
        ) from None


def _write(study: SavedStudy, archive: zipfile.ZipFile) -> None:
    plan = study.plan
    sources = {id(source): i for i, source in enumerate(study.setup.data)}
    of_cases = [
        (*case, sources[id(origin.entry)], *origin[1:], int(fixed), plan.diagnostics.get(number))
        for number, (case, origin, fixed) in enumerate(
            zip(plan.cases, plan.origins, plan.fixed, strict=True)
        )
    ]
    of_runs = [
        (*run, limits.time, limits.memory)
        for run, limits in zip(plan.runs, plan.limits, strict=True)
    ]
    tables = {
        "cases": by_column(of_cases, _CASE_FIELDS),
        "runs": by_column(of_runs, _RUN_FIELDS),
    }
    described = {
        table: {name: [column.numbers.dtype.str, column.levels] for name, column in found.items()}
        for table, found in tables.items()
    }
    facts = {"format": FORMAT, **facts_json(study), "tables": described}
    archive.writestr(_FACTS, json.dumps(facts, separators=(",", ":")))
    archive.writestr(_STUDY, study.text)
    # Hashes do not become smaller.
    archive.writestr(_KEYS, plan.keys.content, zipfile.ZIP_STORED)
    for table, found in tables.items():
        for name, column in found.items():
            archive.writestr(f"{table}/{name}", column.numbers.tobytes())


def _read(archive: zipfile.ZipFile, path: Path) -> SavedStudy:
    if sum(info.file_size for info in archive.infolist()) > MOST_BYTES:
        raise ValueError(f"it unpacks to more than {MOST_BYTES / 2**30:g} GB")
    if archive.getinfo(_FACTS).file_size > _MOST_FACTS:
        raise ValueError(f"{_FACTS} is larger than {_MOST_FACTS / 2**20:g} MB")
    facts = json.loads(_member(archive, _FACTS))
    if facts["format"] != FORMAT:
        raise StudyError(
            f"{path}: has format {facts['format']}, this version of dagathlon knows format "
            f"{FORMAT}; use the version that ran the study, or run the study again"
        )
    setup, algorithms = read_setup(facts["setup"]), read_algorithms(facts["algorithms"])
    plan = _plan(archive, facts, setup)
    if not set(setup.ids) <= set(algorithms):
        raise ValueError("the setup names algorithms that are not there")
    for entry, setting in {(run.entry, run.setting) for run in plan.runs}:
        if not 0 <= setting < len(algorithms[entry].settings):
            raise ValueError(f"{entry} has no setting {setting}")
    study = _member(archive, _STUDY)
    modules = read_modules(facts["modules"])
    return SavedStudy(file_name(facts["name"]), study, setup, algorithms, modules, plan)


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    """One part, unpacked to the size that it says and no further."""
    info = archive.getinfo(name)
    with archive.open(info) as stream:
        content = stream.read(info.file_size)
    if len(content) != info.file_size:
        raise ValueError(f"{name} is cut short")
    return content


def _columns(archive: zipfile.ZipFile, table: str, described: Any) -> dict[str, Packed]:
    found = {}
    for name, (kind, levels) in described.items():
        if kind not in TYPES or not (levels is None or isinstance(levels, list)):
            raise ValueError(f"the column {table}/{name} has no type that is known")
        numbers = np.frombuffer(_member(archive, f"{table}/{name}"), kind)
        found[name] = Packed(numbers, levels)
    return found


def _plan(archive: zipfile.ZipFile, facts: Mapping[str, Any], setup: SavedSetup) -> SavedPlan:
    tables = {name: _columns(archive, name, facts["tables"][name]) for name in ("cases", "runs")}
    keys = Keys(_member(archive, _KEYS))
    n_cases = len(tables["cases"]["seed"].numbers)
    _check_texts(tables)
    _check_places(tables, len(keys), n_cases, len(setup.data))
    cases, origins, fixed, diagnostics = [], [], [], {}
    width = len(Case._fields)
    for number, row in enumerate(by_record(tables["cases"], _CASE_FIELDS)):
        entry, combination, combinations, is_fixed, diagnosed = row[width:]
        cases.append(Case._make(row[:width]))
        origins.append(Origin(setup.data[entry], combination, combinations))
        fixed.append(bool(is_fixed))
        if diagnosed is not None:
            diagnostics[number] = diagnosed
    runs = [Run._make(row) for row in by_record(tables["runs"], Run._fields)]
    limits = [Limits(*row) for row in by_record(tables["runs"], _RUN_FIELDS[-2:])]
    omissions = [Omission(*map(str, row)) for row in facts["omissions"]]
    return SavedPlan(cases, runs, keys, origins, fixed, diagnostics, limits, omissions)


# Columns that are places in something else, and whether every row must have one.
_PLACES = (
    *(("cases", "graph", "keys", False), ("cases", "data", "keys", True)),
    *(("cases", "diagnostics", "keys", False), ("cases", "entry", "entries", True)),
    *(("runs", "case", "cases", True), ("runs", "learn", "keys", True)),
    *(("runs", "estimate", "keys", True), ("runs", "score", "keys", False)),
    ("runs", "held_out", "keys", False),
)


_TEXTS = (
    *(("cases", name) for name in ("graph_label", "parameters_label", "data_label", "noise")),
    ("runs", "entry"),
)


def _check_texts(tables: Mapping[str, Mapping[str, Packed]]) -> None:
    for table, name in _TEXTS:
        numbers, levels = tables[table][name]
        texts = levels is not None and all(isinstance(level, str) for level in levels)
        if len(numbers) and not (texts and numbers.min() >= 0):
            raise ValueError(f"{table}/{name} is no column of texts")


def _check_places(
    tables: Mapping[str, Mapping[str, Packed]], n_keys: int, n_cases: int, n_entries: int
) -> None:
    """Refuse places of tasks, data sets and entries that are not there."""
    sizes = {"keys": n_keys, "cases": n_cases, "entries": n_entries}
    for table, name, of, needed in _PLACES:
        numbers, levels = tables[table][name]
        if levels is not None:
            raise ValueError(f"{table}/{name} is no column of places")
        if len(numbers) and not (0 if needed else -1) <= numbers.min() <= numbers.max() < sizes[of]:
            raise ValueError(f"{table}/{name} names something that is not there")

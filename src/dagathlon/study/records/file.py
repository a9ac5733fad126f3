"""The file that a run saves in the folder of a setup, and its columns.

A column holds whole numbers from 0 on, with -1 for nothing, or the numbers of its levels, which
are listed once. Each is written in the smallest of four types, so that the plan of a million tasks
is mostly the keys of its tasks.

``facts.json``
    The format's number, the setup, the algorithms with their settings and what is known of the
    modules, and for each column of the tables its type and levels.
``study.json``
    The study's file, as it was.
``keys``
    The keys of the tasks, 32 bytes each.
``cases/…``, ``runs/…``, ``further/…``
    The columns of the tables, little-endian.

Reading it makes numbers and texts and nothing else: no type is named in it and no code is found by
it. Sizes are bounded before anything is unpacked, every place is checked, and names that become
parts of file names are names of files.
"""

from __future__ import annotations

import gc
import json
import os
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.errors import StudyError
from dagathlon.study.plan.plan import Case, Omission, Run
from dagathlon.study.plan.task import Limits
from dagathlon.study.records.json import (
    facts_json,
    file_name,
    read_algorithms,
    read_further_scores,
    read_measures,
    read_modules,
    read_origins,
    read_setup,
)
from dagathlon.study.records.provenance import PROVENANCE
from dagathlon.study.records.schema import Keys, SavedPlan, SavedStudy
from dagathlon.study.store.results_folder import LinkError, open_file

Whole: TypeAlias = npt.NDArray[np.signedinteger[Any]]
TYPES = ("|i1", "<i2", "<i4", "<i8")
_NOTHING = -1


@contextmanager
def uncollected() -> Iterator[None]:
    """Disable garbage collection while many long-lived objects are created."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


class Packed(NamedTuple):
    """Dictionary-encoded column: integers, and the values they stand for."""

    numbers: Whole
    levels: Sequence[Any] | None = None

    def unpacked(self) -> list[Any]:
        """Decode the values; an unknown code is a `ValueError`."""
        codes: list[Any] = self.numbers.tolist()
        least, most = (min(codes), max(codes)) if codes else (0, 0)
        if least < _NOTHING or (self.levels is not None and most >= len(self.levels)):
            raise ValueError("a column has a number that stands for nothing")
        if self.levels is not None:
            levels = [*self.levels, None]  # the last one is that of the number -1
            return [levels[number] for number in codes]
        return [None if n == _NOTHING else n for n in codes] if least < 0 else codes


def packed(values: Sequence[Any]) -> Packed:
    """Encode a column of natural numbers and None, or of any JSON values."""
    if all(value is None or (type(value) is int and value >= 0) for value in values):
        return Packed(_smallest([_NOTHING if value is None else value for value in values]))
    numbers: dict[str, int] = {}
    levels: list[Any] = []
    codes = []
    for value in values:
        if value is None:
            codes.append(_NOTHING)
            continue
        text = value if isinstance(value, str) else f"\0{json.dumps(value)}"
        code = numbers.setdefault(text, len(levels))
        if code == len(levels):
            levels.append(value)
        codes.append(code)
    return Packed(_smallest(codes), levels)


def _smallest(values: Sequence[int]) -> Whole:
    most = max(values, default=0)
    fitting = next(name for name in TYPES if most <= np.iinfo(name).max)
    return np.array(values, fitting)


def by_column(records: Sequence[tuple[Any, ...]], fields: Sequence[str]) -> dict[str, Packed]:
    """Convert records with equal fields to columns."""
    return {name: packed([record[i] for record in records]) for i, name in enumerate(fields)}


def by_record(columns: Mapping[str, Packed], fields: Sequence[str]) -> list[tuple[Any, ...]]:
    """Convert columns to records; unequal lengths are a `ValueError`."""
    return list(zip(*(columns[name].unpacked() for name in fields), strict=True))


SAVED = "study.zip"
FORMAT = 1
MOST_BYTES = 2**31
_MOST_FACTS = 2**28
_FACTS, _STUDY, _KEYS = "facts.json", "study.json", "keys"
_RUN_FIELDS = tuple(name for name in Run._fields if name != "scores")
_LIMIT_FIELDS = ("time_limit", "memory_limit", "cpu_limit")
_UNREADABLE = (
    *(OSError, EOFError, ValueError, LookupError, TypeError, AttributeError, OverflowError),
    *(MemoryError, RuntimeError, zlib.error, zipfile.BadZipFile),
)


def save(study: SavedStudy, folder: Path) -> None:
    """Write the saved facts of a setup into its folder, atomically."""
    folder.mkdir(parents=True, exist_ok=True)
    # Runs of the same study may begin at the same moment.
    unfinished = f"{SAVED}.{os.getpid()}.part"
    try:
        packing = (zipfile.ZIP_DEFLATED, True, 1)
        made = os.O_RDWR | os.O_CREAT | os.O_TRUNC
        with (
            open(open_file(folder, unfinished, flags=made), "w+b") as file,
            uncollected(),
            zipfile.ZipFile(file, "w", *packing) as archive,
        ):
            _write(study, archive)
        (folder / unfinished).replace(folder / SAVED)
    finally:
        (folder / unfinished).unlink(missing_ok=True)


def load(folder: Path) -> SavedStudy:
    """Read the saved facts of a setup from its folder.

    Raises
    ------
    StudyError
        When it is damaged, or was written by a later version.
    """
    path = folder / SAVED
    with (
        _explained(path),
        open(open_file(folder, SAVED), "rb") as file,
        uncollected(),
        zipfile.ZipFile(file) as archive,
    ):
        return _read(archive, path)


def saved_setups(folder: Path) -> list[Path]:
    """Return the folders of saved setups in a folder of results, or the folder itself.

    Raises
    ------
    StudyError
        When there is none, but for links.
    """
    beside = sorted(path.parent for path in folder.glob(f"*/{SAVED}"))
    saved = [place for place in (folder, *beside) if (place / SAVED).is_file()]
    unlinked = [place for place in saved if not _is_linked(place, folder)]
    if saved and not unlinked:
        raise LinkError(f"{saved[0]}: is a link or has one; links in a folder are not followed")
    if unlinked:
        return unlinked
    if (folder / PROVENANCE).is_file() or any(folder.glob(f"*/{PROVENANCE}")):
        raise StudyError(
            f"{folder}: these results are of a version that did not save what a report needs; run "
            "the study again into this folder: what is in the store is not computed again"
        )
    raise StudyError(f"{folder}: there are no results of a study here (no {SAVED})")


def _is_linked(setup: Path, folder: Path) -> bool:
    """Return whether the files of a setup are reached by a link that the user did not give."""
    return (setup / SAVED).is_symlink() or (setup != folder and setup.is_symlink())


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
    looks = list(plan.data_scores)
    limits = [(limit.time, limit.memory, limit.cpu) for limit in plan.limits]
    tables = {
        "cases": by_column(plan.cases, Case._fields) | _look_columns(plan, looks),
        "runs": _run_columns(plan.runs) | by_column(limits, _LIMIT_FIELDS),
        "further": _run_columns(plan.further),
    }
    described = {
        table: {name: [column.numbers.dtype.str, column.levels] for name, column in found.items()}
        for table, found in tables.items()
    }
    facts = {"format": FORMAT, **facts_json(study), "looks": looks, "tables": described}
    archive.writestr(_FACTS, json.dumps(facts, separators=(",", ":")))
    archive.writestr(_STUDY, study.text)
    # Hashes do not become smaller.
    archive.writestr(_KEYS, plan.keys.content, zipfile.ZIP_STORED)
    for table, found in tables.items():
        for name, column in found.items():
            archive.writestr(f"{table}/{name}", column.numbers.tobytes())


def _look_columns(plan: SavedPlan, looks: Sequence[str]) -> dict[str, Packed]:
    """Return scores of data sets as columns; their names, which may be anything, are separate."""
    numbers = range(len(plan.cases))
    return {
        f"look{i}": packed([plan.data_scores[name].get(case) for case in numbers])
        for i, name in enumerate(looks)
    }


def _run_columns(runs: Sequence[Run]) -> dict[str, Packed]:
    """Return the columns of runs without further scores, which are stored apart."""
    most = max((len(run.scores) for run in runs), default=0)
    plain = [run[: len(_RUN_FIELDS)] for run in runs]
    scores = {
        f"score{i}": packed([run.scores[i] if i < len(run.scores) else None for run in runs])
        for i in range(most)
    }
    return by_column(plain, _RUN_FIELDS) | scores


def _runs(columns: Mapping[str, Packed]) -> list[Run]:
    """Rebuild the runs from columns."""
    names = [f"score{i}" for i in range(len(columns)) if f"score{i}" in columns]
    plain = by_record(columns, _RUN_FIELDS)
    if not names:
        return [Run(*row) for row in plain]
    scores = by_record(columns, names)
    return [
        Run._make((*row, tuple([i for i in further if i is not None])))
        for row, further in zip(plain, scores, strict=True)
    ]


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
    plan = _plan(archive, facts)
    if not set(setup.ids) <= set(algorithms):
        raise ValueError("the setup names algorithms that are not there")
    for entry, setting in {(run.entry, run.setting) for run in (*plan.runs, *plan.further)}:
        if not 0 <= setting < len(algorithms[entry].settings):
            raise ValueError(f"{entry} has no setting {setting}")
    study = _member(archive, _STUDY)
    modules, measures = read_modules(facts["modules"]), read_measures(facts["measures"])
    return SavedStudy(file_name(facts["name"]), study, setup, algorithms, modules, measures, plan)


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    """Read one member of an archive, up to its declared size."""
    info = archive.getinfo(name)
    with archive.open(info) as stream:
        content = stream.read(info.file_size)
    if len(content) != info.file_size:
        raise ValueError(f"{name} is cut short")
    return content


def _columns(archive: zipfile.ZipFile, table: str, described: Any) -> dict[str, Packed]:
    columns = {}
    for name, (kind, levels) in described.items():
        if kind not in TYPES or not (levels is None or isinstance(levels, list)):
            raise ValueError(f"the column {table}/{name} has no type that is known")
        numbers = np.frombuffer(_member(archive, f"{table}/{name}"), kind)
        columns[name] = Packed(numbers, levels)
    return columns


def _plan(archive: zipfile.ZipFile, facts: Mapping[str, Any]) -> SavedPlan:
    tables = {name: _columns(archive, name, facts["tables"][name]) for name in _TABLES}
    keys, origins = Keys(_member(archive, _KEYS)), read_origins(facts["origins"])
    n_cases = len(tables["cases"]["seed"].numbers)
    _check_texts(tables)
    _check_places(tables, {"keys": len(keys), "cases": n_cases, "origins": len(origins)})
    cases = [Case._make(row) for row in by_record(tables["cases"], Case._fields)]
    looks = {
        str(name): _by_case(tables["cases"][f"look{i}"]) for i, name in enumerate(facts["looks"])
    }
    runs, further = _runs(tables["runs"]), _runs(tables["further"])
    # Before there were limits of processor time, none was written down.
    limits_named = [name for name in _LIMIT_FIELDS if name in tables["runs"]]
    limits = [Limits(*row) for row in by_record(tables["runs"], limits_named)]
    omissions = [Omission(*map(str, row)) for row in facts["omissions"]]
    named = read_further_scores(facts.get("further_scores", []))
    return SavedPlan(cases, runs, further, keys, origins, looks, limits, omissions, named)


def _by_case(column: Packed) -> dict[int, int]:
    return {case: i for case, i in enumerate(column.unpacked()) if i is not None}


_TABLES = ("cases", "runs", "further")
# Columns that are places in something else, and whether every row must have one.
_OF_RUNS = (
    *(("case", "cases", True), ("learn", "keys", True)),
    *(("estimate", "keys", True), ("score", "keys", False)),
)
_PLACES = (
    *(("cases", "graph", "keys", False), ("cases", "data", "keys", True)),
    ("cases", "origin", "origins", True),
    *((table, *one) for table in ("runs", "further") for one in _OF_RUNS),
)
_OPEN = re.compile(r"(look|score)\d+")  # further columns of places, as many as there are


_LABELS = ("graph_label", "parameters_label", "data_label", "noise", "steps", "transform")
_TEXTS = (*(("cases", name) for name in _LABELS), ("runs", "entry"), ("further", "entry"))


def _check_texts(tables: Mapping[str, Mapping[str, Packed]]) -> None:
    for table, name in _TEXTS:
        numbers, levels = tables[table][name]
        texts = levels is not None and all(isinstance(level, str) for level in levels)
        if len(numbers) and not (texts and numbers.min() >= 0):
            raise ValueError(f"{table}/{name} is no column of texts")


def _check_places(tables: Mapping[str, Mapping[str, Packed]], sizes: Mapping[str, int]) -> None:
    """Reject positions of tasks, data sets and origins that are out of range."""
    further = [
        (table, name, "keys", False)
        for table, columns in tables.items()
        for name in columns
        if _OPEN.fullmatch(name)
    ]
    for table, name, of, needed in (*_PLACES, *further):
        numbers, levels = tables[table][name]
        if levels is not None:
            raise ValueError(f"{table}/{name} is no column of places")
        if len(numbers) and not (0 if needed else -1) <= numbers.min() <= numbers.max() < sizes[of]:
            raise ValueError(f"{table}/{name} names something that is not there")

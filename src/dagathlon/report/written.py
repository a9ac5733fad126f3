"""Whether all that a study writes is there already, as its results are now."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path

import dagathlon
from dagathlon.report.files import write_bytes
from dagathlon.report.live.board import board_lines
from dagathlon.report.results import Results
from dagathlon.study.records.file import SAVED
from dagathlon.study.records.provenance import PROVENANCE
from dagathlon.study.store.results_folder import LinkError, read_file

RECORD = "written.json"
# Changed by every run, whether it writes anything else or not.
_ALWAYS_NEW = {PROVENANCE, SAVED, RECORD}


def is_written(results: Results, choice: str) -> bool:
    """Return whether all outputs exist and are up to date."""
    try:
        record = json.loads(read_file(results.folder, RECORD))
        files = [results.folder / name for name in record["files"]]
        return record["stamp"] == _stamp(results, choice) and all(map(Path.is_file, files))
    except (OSError, ValueError, LookupError, TypeError, RecursionError, LinkError):
        return False


def note_written(results: Results, choice: str, *, whole: bool) -> None:
    """Record the state that the outputs were made from.

    Parameters
    ----------
    results
        What it was written of.
    choice
        Which figures became files.
    whole
        Whether all stored results could be read; without those that could not, what was written is
        no longer true when they have been computed again.
    """
    record = {
        "stamp": _stamp(results, choice) if whole else None,
        "files": sorted(_files(results.folder)),
        "board": board_lines(results),
    }
    text = json.dumps(record, ensure_ascii=False)
    write_bytes(results.folder / RECORD, text.encode("utf-8", "surrogatepass"))


def board_of(folder: Path) -> list[str]:
    """Return the last written scoreboard of a setup, as lines of text."""
    try:
        return [str(line) for line in json.loads(read_file(folder, RECORD))["board"]]
    except (OSError, ValueError, LookupError, TypeError, RecursionError, LinkError):
        return []


def _files(folder: Path) -> Iterator[str]:
    for place, _, names in os.walk(folder):
        for name in names:
            if name not in _ALWAYS_NEW and not name.endswith(".part"):
                yield (Path(place) / name).relative_to(folder).as_posix()


def _stamp(results: Results, choice: str) -> str:
    """Return the hash of all inputs of tables, figures and page."""
    digest = hashlib.blake2b(digest_size=16)
    run = results.provenance
    digest.update(f"{choice} {run.partial} {run.sources} {run.rank_unit} {_code()}".encode())
    for evaluation in results.evaluations:
        digest.update(f"{evaluation.name} {evaluation.version}".encode())
    with zipfile.ZipFile(results.folder / SAVED) as archive:
        for entry in archive.infolist():
            digest.update(f"{entry.filename} {entry.CRC}".encode())
    keys = results.plan.keys
    outcomes = results.store.outcomes(keys)
    for key in keys:
        outcome = outcomes.get(key)
        ended = "" if outcome is None else f"{outcome.status.value} {outcome.host}"
        digest.update(key + ended.encode())
    return digest.hexdigest()


def _code() -> int:
    """Return the hash of the package's own files, since another version writes other pages."""
    newest = 0
    for place, _, names in os.walk(Path(dagathlon.__file__).parent):
        for name in names:
            if name.endswith((".py", ".js", ".css", ".html")):
                newest = max(newest, os.stat(os.path.join(place, name)).st_mtime_ns)
    return newest

"""Incremental copy of a folder of results from another machine.

The index comes first and the files of results after it, so that every row of the copy has its
file: a run writes the file first. The index may change while it is copied, of which a copy can be
unusable; it is then fetched again.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from dagathlon.errors import DagathlonError, StudyError
from dagathlon.study.store.index_tables import connect
from dagathlon.study.store.results_folder import INDEX, check_store, refuse_link, refuse_links

CACHE = ".pulled"
"""Name of the folder that holds copies of pulled results."""

_TRIES = 5
_PAUSE = 1.0  # seconds for a run to come to the end of what it is writing
_VANISHED = 24  # rsync: a file was removed while it looked
_NO_CONNECTION = 255


@dataclass(frozen=True)
class Pull:
    """A remote folder of results and its local copy.

    Parameters
    ----------
    address
        ``user@host:FOLDER``, or a folder of this machine.
    cache
        The folder of the copy.
    ssh
        The command that connects to the other machine, for rsync's ``-e``.
    store
        Name of the store in a folder of results.
    """

    address: str
    cache: Path
    ssh: str = "ssh"
    store: str = "store"

    def fetch(self, tell: Callable[[str], None]) -> None:
        """Update the copy."""
        self._check()
        refuse_link(self.cache.parent)
        refuse_links(self.cache)
        check_store(self.cache / self.store)
        self.cache.mkdir(parents=True, exist_ok=True)
        self._fetch_index(tell)
        objects = f"/{self.store}/objects"
        chosen = _only(f"/{self.store}", objects, deep=True)
        self._copy("--exclude", f"{objects}/unfinished", *chosen)
        self._copy("--exclude", f"/{self.store}", *_saved())

    def _fetch_index(self, tell: Callable[[str], None]) -> None:
        """Copy the index with its journals, repeated until the copy is consistent."""
        place = self.cache / self.store
        for tries_left in range(_TRIES - 1, -1, -1):
            # What SQLite made beside an earlier copy belongs to that one.
            (place / f"{INDEX}-shm").unlink(missing_ok=True)
            # Times are of no use there: an index changes many times in a second.
            self._copy("--delete", "--ignore-times", *_index(self.store))
            problem = _problem(place / INDEX)
            if not problem:
                return
            if not (place / INDEX).is_file():
                raise DagathlonError(f"{self.address}: {problem}")
            if tries_left:
                tell(f"the index changed while it was copied ({problem}); copying it again")
                time.sleep(_PAUSE)
        raise DagathlonError(
            f"{self.address}: {_TRIES} copies of the index were unusable ({problem}); it is "
            "damaged, which dagathlon store verify says there, or is written to all the time: try "
            "later"
        )

    def _check(self) -> None:
        if self.address.startswith("-"):
            raise DagathlonError(f"{self.address!r} is no folder of results")
        if shutil.which("rsync") is None:
            raise DagathlonError("pull needs the program rsync, which is not installed here")
        program = self.ssh.split()[:1]
        if not self._is_here and not (program and shutil.which(program[0])):
            raise DagathlonError(f"pull needs the program {self.ssh}, which is not installed here")
        if self._is_here and not Path(self.address).is_dir():
            raise DagathlonError(f"{self.address}: there is no such folder")

    @property
    def _is_here(self) -> bool:
        return is_here(self.address)

    def _copy(self, *rules: str) -> None:
        here = f"{Path(self.address).resolve()}/"
        source = here if self._is_here else f"{self.address.rstrip('/')}/"
        options = ["-rt", "--prune-empty-dirs", "--protect-args", "-e", self.ssh]
        program = ["rsync", *options, *rules, "--", source, f"{self.cache.resolve()}/"]
        done = subprocess.run(program, capture_output=True, text=True, check=False)
        if done.returncode not in (0, _VANISHED):
            raise DagathlonError(f"{self.address}: {_reason(done.returncode, done.stderr)}")


def is_here(address: str) -> bool:
    """Whether an address is local, that is, has no host before a colon."""
    return re.match(r"[^/]+:", address) is None or Path(address).is_dir()


def cache_of(address: str, out: Path) -> Path:
    """Return the folder of the copy, on the disk of the results so that files can be linked."""
    whole = str(Path(address).resolve()) if is_here(address) else address.rstrip("/")
    name = re.sub(r"[^A-Za-z0-9.-]+", "-", whole).strip("-.")[-40:]
    return out / CACHE / f"{name}-{hashlib.sha256(whole.encode()).hexdigest()[:8]}"


def _index(store: str) -> Iterator[str]:
    yield from _only(f"/{store}", f"/{store}/{INDEX}", f"/{store}/{INDEX}-wal")


def _saved() -> Iterator[str]:
    """Yield rsync rules for what runs saved of their setups, without tables and pages."""
    yield from _only("/*", "/*/study.zip", "/*/provenance.json")


def _only(folder: str, *files: str, deep: bool = False) -> Iterator[str]:
    """Yield rsync rules that select files of a folder, or everything below folders."""
    chosen = [f"{folder}/", *files, *(f"{file}/**" for file in files if deep)]
    for rule in chosen:
        yield from ("--include", rule)
    yield from ("--exclude", "*")


def _problem(path: Path) -> str:
    """Return what is wrong with a copied index; empty when it is sound."""
    if not path.is_file():
        return f"there are no results of a study here (no {path.parent.name}/{INDEX})"
    try:
        with contextlib.closing(connect(path.parent, readonly=True)) as index:
            (verdict,) = index.execute("PRAGMA integrity_check(1)").fetchone()
    except (sqlite3.DatabaseError, StudyError) as error:
        return str(error)
    return "" if verdict == "ok" else str(verdict).splitlines()[-1]


def _reason(code: int, output: str) -> str:
    """Return why rsync failed, from the messages of rsync and ssh."""
    lines: Sequence[str] = [line.strip() for line in output.splitlines() if line.strip()]
    if "No such file or directory" in output and "change_dir" in output:
        return "there is no such folder"
    if "command not found" in output or "rsync: not found" in output:
        return f"rsync is not installed there ({lines[0]})"
    reason = lines[0] if lines else f"rsync ended with {code}"
    return f"there is no connection ({reason})" if _is_of_ssh(code, output) else reason


def _is_of_ssh(code: int, output: str) -> bool:
    return code == _NO_CONNECTION or output.startswith("ssh: ") or "Permission denied (" in output

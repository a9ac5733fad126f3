"""The scoreboards of a folder of results, kept as long as nothing has changed."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any, NamedTuple

from dagathlon.errors import DagathlonError
from dagathlon.evaluate.metric import known_measures
from dagathlon.report.live.board import scoreboard
from dagathlon.report.outputs import page_of
from dagathlon.report.results import Results
from dagathlon.study.records.file import SAVED, load, saved_setups
from dagathlon.study.records.provenance import Provenance
from dagathlon.study.records.schema import SavedStudy
from dagathlon.study.store.store import Store

# A board is made again after nine times the time that it took, so that looking costs little.
_REST = 9


class _Kept(NamedTuple):
    """Cached scoreboard, the state it was made from, and the time of its next update."""

    board: dict[str, Any]
    made_of: object
    due: float


class Boards:
    """Cache of the scoreboards of all setups in a folder of results."""

    def __init__(self, folder: Path, store: Path) -> None:
        self._folder, self._store = folder, store
        self._lock = threading.Lock()
        self._kept: dict[Path, _Kept] = {}
        self._studies: dict[Path, tuple[int, SavedStudy]] = {}

    def boards(self) -> list[dict[str, Any]]:
        """Return the board of each setup, or the reason why it cannot be read."""
        with self._lock, Store(self._store, readonly=True) as store:
            return [self._board(setup, store) for setup in self._setups()]

    def page(self, title: str) -> str | None:
        """Return the current report on a setup; None if there is no such setup."""
        setups = {setup.name: setup for setup in self._setups()}
        if title not in setups:
            return None
        with self._lock, Store(self._store, readonly=True) as store:
            return page_of(self._results(setups[title], store))

    def _setups(self) -> list[Path]:
        try:
            return saved_setups(self._folder)
        except DagathlonError:
            return []

    def _board(self, setup: Path, store: Store) -> dict[str, Any]:
        cached = self._kept.get(setup)
        if cached is not None and time.monotonic() < cached.due:
            return cached.board
        began = time.monotonic()
        try:
            made_of: object = (_newest(store), _stamp(setup), Provenance.load(setup))
            if cached is not None and cached.made_of == made_of and not _open(cached.board):
                return cached.board
            results = self._results(setup, store)
            with known_measures(results.study.measures):
                board = scoreboard(results)
        except DagathlonError as error:
            made_of, board = (
                (),
                {"title": setup.name, "words": str(error), "header": [], "rows": []},
            )
        now = time.monotonic()
        self._kept[setup] = _Kept(board, made_of, now + _REST * (now - began))
        return board

    def _results(self, setup: Path, store: Store) -> Results:
        stamp = _stamp(setup)
        known = self._studies.get(setup)
        if known is None or known[0] != stamp:
            known = self._studies[setup] = (stamp, load(setup))
        return Results(known[1], Provenance.load(setup), store, setup)


def _open(board: dict[str, Any]) -> bool:
    """Return whether the words of a board may change without a new result."""
    return bool(board.get("there") != board.get("planned"))


def _newest(store: Store) -> int:
    """Return a number that grows with every recorded result."""
    (newest,) = store.connection.execute("SELECT max(id) FROM results").fetchone()
    return newest or 0


def _stamp(setup: Path) -> int:
    try:
        return (setup / SAVED).lstat().st_mtime_ns
    except OSError as error:
        raise DagathlonError(f"{setup / SAVED}: {error.strerror}") from None

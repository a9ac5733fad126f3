"""Temporary folders locked by their process, so that abandoned ones can be recognised."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
from pathlib import Path

_PREFIX = "dagathlon-"
_LOCK = "held"
_WORK = "work"


class HeldFolder:
    """Locked temporary folder; if this process is killed, the next one made removes it.

    As a context manager it gives an empty folder inside, and is removed at the end.

    Attributes
    ----------
    path
        Where it is.
    """

    def __init__(self) -> None:
        remove_abandoned()
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        being_made = self.path / f"{_LOCK}-soon"
        self._lock = os.open(being_made, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        being_made.rename(self.path / _LOCK)  # no other process sees it before it is locked

    def __enter__(self) -> Path:
        work = self.path / _WORK
        work.mkdir(mode=0o700)
        return work

    def __exit__(self, *_: object) -> None:
        self.remove()

    def remove(self) -> None:
        """Remove the folder with its content; further calls are no-ops."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def remove_abandoned() -> None:
    """Remove the folders of processes that were killed, which may hold data of runs."""
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):  # one that is just being made, or is held
            status = path.lstat()
            if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
                continue
            lock = os.open(path / _LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path, ignore_errors=True)
            finally:
                os.close(lock)

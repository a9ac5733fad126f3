"""What a worker on another machine keeps at hand: encoded results by their hashes."""

from __future__ import annotations

import errno
import hashlib
import os
import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from dagathlon.study.store.objects import INLINE, DamagedError, Objects, Payload

NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
"""How the system says that a disk is full."""
_SMALL_BYTES = 256 * 2**20


class Cache:
    """Results from elsewhere or made here: small ones in memory, large ones in files.

    What has not been used for longest goes first when there is no more room, but for results that
    were made here and that nobody has fetched yet, and for inputs that tasks are about to read.

    Parameters
    ----------
    folder
        Where files go; worker processes read them there.
    room
        Bytes that the files may take together.
    """

    def __init__(self, folder: Path, room: int) -> None:
        self.objects = Objects(folder)
        self._room = room
        self._small: OrderedDict[bytes, bytes] = OrderedDict()
        self._small_bytes = 0
        self._files: OrderedDict[bytes, int] = OrderedDict()
        self._file_bytes = 0
        self._owed: set[bytes] = set()
        self._awaited: set[bytes] = set()
        self._in_use: Counter[bytes] = Counter()
        self._lock = threading.Lock()
        self._unfinished = folder / "unfinished"
        self._unfinished.mkdir(parents=True, exist_ok=True)

    def take(self, digest: bytes, content: bytes) -> None:
        """Keep a small result."""
        with self._lock:
            if digest in self._small:
                return
            self._small[digest] = content
            self._small_bytes += len(content)
            while self._small_bytes > _SMALL_BYTES:
                self._small_bytes -= len(self._small.popitem(last=False)[1])

    def payload(self, digest: bytes, size: int) -> Payload | None:
        """A result as a worker process is told of it; None when it is not here."""
        with self._lock:
            if size > INLINE:
                if digest not in self._files:
                    return None
                self._files.move_to_end(digest)
                return Payload(digest, size, None)
            content = self._small.get(digest)
            if content is None:
                return None
            self._small.move_to_end(digest)
            return Payload(digest, size, content)

    @contextmanager
    def used(self, digests: Iterable[bytes]) -> Iterator[None]:
        """Tasks read these from now on, and they stay until the tasks have ended."""
        held = set(digests)
        with self._lock:
            self._in_use.update(held)
            self._awaited -= held
        try:
            yield
        finally:
            with self._lock:
                self._in_use.subtract(held)
                self._in_use += Counter()

    def adopt(self, file: Path, digest: bytes, size: int, *, owed: bool = False) -> None:
        """Keep a large result that lies in a file of the same disk."""
        with self._lock:
            self.objects.adopt(file, digest, size)
            self._file_bytes += size - self._files.pop(digest, 0)
            self._files[digest] = size
            (self._owed if owed else self._awaited).add(digest)
            self._make_room(self._file_bytes - self._room, digest)

    def receive(self, digest: bytes, size: int, offset: int, piece: bytes) -> None:
        """Take in a piece of a large result; the last one completes it."""
        path = self._unfinished / digest.hex()
        try:
            _put(path, offset, piece)
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            with self._lock:
                self._make_room(size)
            _put(path, offset, piece)
        if offset + len(piece) == size:
            with path.open("rb") as file:
                found = hashlib.file_digest(file, "sha256").digest()
            if found != digest:
                path.unlink()
                raise DamagedError("an input did not arrive as it was sent")
            self.adopt(path, digest, size)

    def piece(self, digest: bytes, offset: int, length: int) -> bytes:
        """A part of a large result; `DamagedError` when it is not here."""
        try:
            fd = os.open(self.objects.path(digest), os.O_RDONLY)
        except OSError as error:
            raise DamagedError(f"a result is not here any more ({error.strerror})") from None
        try:
            return os.pread(fd, length, offset)
        finally:
            os.close(fd)

    def settle(self, digests: Iterable[bytes]) -> None:
        """These have been fetched, and may go when room is needed."""
        with self._lock:
            self._owed.difference_update(digests)

    def forget(self, digest: bytes) -> None:
        """Drop a result that turned out to be damaged."""
        with self._lock:
            self._small_bytes -= len(self._small.pop(digest, b""))
            self._awaited.discard(digest)
            self._remove(digest)

    def _make_room(self, excess: int, newest: bytes = b"") -> None:
        """Remove the oldest files; processes that have one mapped keep it all the same."""
        for digest in list(self._files) if excess > 0 else ():
            if digest != newest and not self._is_needed(digest):
                excess -= self._remove(digest)
            if excess <= 0:
                return

    def _is_needed(self, digest: bytes) -> bool:
        return digest in self._owed or digest in self._awaited or digest in self._in_use

    def _remove(self, digest: bytes) -> int:
        size = self._files.pop(digest, 0)
        self._file_bytes -= size
        self.objects.path(digest).unlink(missing_ok=True)
        return size


def _put(path: Path, offset: int, piece: bytes) -> None:
    with path.open("r+b" if offset else "wb") as file:
        file.seek(offset)
        file.write(piece)

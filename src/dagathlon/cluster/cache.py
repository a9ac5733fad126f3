"""Cache of encoded results on a worker's machine, keyed by their hashes."""

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
"""Error numbers of a full disk or an exceeded quota."""
_SMALL_BYTES = 256 * 2**20


class Cache:
    """LRU cache of received and computed results: small ones in memory, large ones in files.

    Never evicted are results that were computed here and not fetched yet, and inputs of tasks
    that are about to run.

    Parameters
    ----------
    folder
        Folder of the files, from which worker processes read.
    room
        Largest total size of the files, in bytes.
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
        """Add a small result."""
        with self._lock:
            if digest in self._small:
                return
            self._small[digest] = content
            self._small_bytes += len(content)
            while self._small_bytes > _SMALL_BYTES:
                self._small_bytes -= len(self._small.popitem(last=False)[1])

    def payload(self, digest: bytes, size: int) -> Payload | None:
        """Return the payload of a result for a worker process; None when it is not cached."""
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
        """Context manager that protects inputs from eviction while tasks read them."""
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
        """Add a large result from a file on the same disk."""
        with self._lock:
            self.objects.adopt(file, digest, size)
            self._file_bytes += size - self._files.pop(digest, 0)
            self._files[digest] = size
            (self._owed if owed else self._awaited).add(digest)
            self._make_room(self._file_bytes - self._room, digest)

    def receive(self, digest: bytes, size: int, offset: int, piece: bytes) -> None:
        """Write a piece of a large result; the last piece completes it."""
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
                raise DamagedError("a received input does not match its hash")
            self.adopt(path, digest, size)

    def piece(self, digest: bytes, offset: int, length: int) -> bytes:
        """Return a piece of a large result; raise `DamagedError` when it is not cached."""
        try:
            fd = os.open(self.objects.path(digest), os.O_RDONLY)
        except OSError as error:
            raise DamagedError(f"a result is no longer cached ({error.strerror})") from None
        try:
            return os.pread(fd, length, offset)
        finally:
            os.close(fd)

    def settle(self, digests: Iterable[bytes]) -> None:
        """Mark results as fetched, so that they may be evicted."""
        with self._lock:
            self._owed.difference_update(digests)

    def forget(self, digest: bytes) -> None:
        """Drop a damaged result."""
        with self._lock:
            self._small_bytes -= len(self._small.pop(digest, b""))
            self._awaited.discard(digest)
            self._remove(digest)

    def _make_room(self, excess: int, newest: bytes = b"") -> None:
        """Evict the oldest files; processes that have mapped one keep their mapping."""
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

"""Content-addressed files: large results, named by the hash of their bytes."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import itertools
import mmap
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from dagathlon.errors import DagathlonError
from dagathlon.study.store.codec import Bytes, encode

INLINE = 16 * 1024
"""Up to this size a result lives in the index; beyond it in a file of its own."""

# What a task can do to its own process; any other failure to write lies with the disk.
_OF_THE_PROCESS = {errno.EFBIG, errno.EMFILE, errno.ENFILE, errno.ENOMEM}


class DamagedError(DagathlonError):
    """A stored result whose bytes are gone or are not those that were written."""


class UnwritableError(DagathlonError):
    """The disk of the store is full, gone or read-only: no task is to blame for it."""


class Payload(NamedTuple):
    """A result in its stored form.

    Parameters
    ----------
    digest
        sha256 of the stored bytes.
    size
        Number of bytes.
    inline
        The bytes themselves when they are few; None when they are in a file.
    """

    digest: bytes
    size: int
    inline: bytes | None


@dataclass(frozen=True)
class Objects:
    """The files of a store: ``objects/ab/cdef…``, each written once and never changed."""

    folder: Path

    def keep(self, value: object) -> Payload:
        """Bring a result into its stored form, writing a file if it is large."""
        pieces = encode(value)
        digest = hashlib.sha256()
        for piece in pieces:
            digest.update(piece)
        size = sum(map(len, pieces))
        if size <= INLINE:
            return Payload(digest.digest(), size, b"".join(pieces))
        try:
            self._write(digest.digest(), pieces)
        except OSError as error:
            if error.errno in _OF_THE_PROCESS:
                raise
            raise UnwritableError(error.strerror or str(error)) from error
        return Payload(digest.digest(), size, None)

    def read(self, payload: Payload) -> Bytes:
        """The stored bytes, checked against their hash; a large file is mapped, not copied."""
        stored: Bytes | None = payload.inline
        if stored is None:
            stored = self._mapped(payload)
        if hashlib.sha256(stored).digest() != payload.digest:
            raise DamagedError(f"{self._place(payload)} does not have the content it had")
        return stored

    def path(self, digest: bytes) -> Path:
        """Where the file with that hash is."""
        name = digest.hex()
        return self.folder / name[:2] / name[2:]

    def files(self) -> Iterator[tuple[bytes, Path]]:
        """All files with the hashes they are named by."""
        for path in self.folder.glob("[0-9a-f][0-9a-f]/*"):
            with contextlib.suppress(ValueError):
                yield bytes.fromhex(path.parent.name + path.name), path

    def leftovers(self) -> Iterator[Path]:
        """Files that a writer which no longer lives had begun."""
        for path in (self.folder / "unfinished").glob("*"):
            if not Path(f"/proc/{path.name.partition('-')[0]}").exists():
                yield path

    def _place(self, payload: Payload) -> str:
        return "the index" if payload.inline is not None else str(self.path(payload.digest))

    def _mapped(self, payload: Payload) -> memoryview:
        path = self.path(payload.digest)
        try:
            with path.open("rb") as file:
                if os.fstat(file.fileno()).st_size != payload.size:
                    raise DamagedError(f"{path} does not have the length it had")
                return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        except OSError as error:
            raise DamagedError(f"{path} cannot be read ({error.strerror})") from None

    def _write(self, digest: bytes, pieces: Sequence[Bytes]) -> None:
        """Write beside and rename, so that a file is whole or not there.

        Nothing is flushed to the disk: killing the program loses nothing that was written, and
        after a loss of power the hash tells which files did not arrive.
        """
        path = self.path(digest)
        if path.exists():
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = self.folder / "unfinished" / f"{os.getpid()}-{next(_COUNTER)}"
        unfinished.parent.mkdir(exist_ok=True)
        try:
            with unfinished.open("wb") as file:
                for piece in pieces:
                    file.write(piece)
            unfinished.rename(path)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise


_COUNTER = itertools.count()

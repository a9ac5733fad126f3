"""Content-addressed files: large results, named by the hash of their bytes."""

from __future__ import annotations

import contextlib
import hashlib
import mmap
import os
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from dagathlon.errors import DagathlonError
from dagathlon.study.store.codec import Bytes

INLINE = 16 * 1024
"""Up to this size a result lives in the index; beyond it in a file of its own."""


class DamagedError(DagathlonError):
    """A stored result whose bytes are gone or are not those that were written."""


class UnwritableError(DagathlonError):
    """The disk of the store is full, gone or read-only: no task is to blame for it.

    The text is the cause alone; `Store.unwritable` makes a message of it.
    """


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

    def keep(self, pieces: Sequence[Bytes]) -> Payload:
        """Take in an encoded result, writing a file if it is large."""
        digest, size = fingerprint(pieces)
        if size <= INLINE:
            return Payload(digest, size, b"".join(pieces))
        with _written():
            self._write(pieces, digest)
        return Payload(digest, size, None)

    def adopt(self, path: Path, digest: bytes, size: int) -> Payload:
        """Take in an encoded result that a worker has left in a file of the same disk.

        The file is renamed, not copied. Its hash is the worker's word: whoever reads the result
        checks it, and what is wrong is computed again.
        """
        with _written():
            found = path.stat().st_size
            if found != size:
                raise DamagedError(f"{path} has {found} bytes in place of {size}")
            self._move(path, digest)
        return Payload(digest, size, None)

    def receive(self, other: Objects, payload: Payload) -> bool | None:
        """Take in a file of another store, checked against its hash.

        Returns
        -------
        bool or None
            Whether it could be linked, so that both stores share it; None when it was there.
        """
        place = self.path(payload.digest)
        if place.is_file() and place.stat().st_size == payload.size:
            return None
        stored = other.read(payload)
        with _written():
            place.parent.mkdir(parents=True, exist_ok=True)
            if _linked(other.path(payload.digest), place):
                return True
            self._write([stored], payload.digest)
        return False

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
        """Files that a writer had begun; of nobody's, when no run uses the store."""
        yield from (self.folder / "unfinished").glob("*")

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

    def _write(self, pieces: Sequence[Bytes], digest: bytes) -> None:
        unfinished = self.folder / "unfinished" / secrets.token_hex(8)
        unfinished.parent.mkdir(parents=True, exist_ok=True)
        try:
            write_pieces(unfinished, pieces)
            self._move(unfinished, digest)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise

    def _move(self, path: Path, digest: bytes) -> None:
        """Give a whole file its name, so that under that name it is whole or not there.

        Nothing is flushed to the disk: killing the program loses nothing that was written, and
        after a loss of power the hash tells which files did not arrive.
        """
        place = self.path(digest)
        place.parent.mkdir(parents=True, exist_ok=True)
        path.replace(place)


def fingerprint(pieces: Sequence[Bytes]) -> tuple[bytes, int]:
    """The hash that names an encoded result, and its number of bytes."""
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.digest(), sum(map(len, pieces))


def write_pieces(path: Path, pieces: Sequence[Bytes]) -> None:
    """Write an encoded result to a file."""
    with path.open("wb") as file:
        for piece in pieces:
            file.write(piece)


def _linked(path: Path, place: Path) -> bool:
    """Give a file a second name, where the disk and its owner allow it."""
    try:
        if path.is_symlink():
            return False
        os.link(path, place)
    except OSError:
        return False
    return True


@contextlib.contextmanager
def _written() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UnwritableError(error.strerror or str(error)) from error

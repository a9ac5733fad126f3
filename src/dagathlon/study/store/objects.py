"""Content-addressed files: large results, named by the hash of their bytes."""

from __future__ import annotations

import contextlib
import hashlib
import mmap
import os
import secrets
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from dagathlon.errors import DagathlonError
from dagathlon.study.store.codec import Bytes
from dagathlon.study.store.results_folder import (
    UNFINISHED,
    LinkError,
    is_digest,
    make_folder,
    open_file,
    plain_files,
)

INLINE = 16 * 1024
"""Largest size of a result stored in the index; larger ones are files."""


class DamagedError(DagathlonError):
    """A stored result is missing or was altered."""


class UnwritableError(DagathlonError):
    """The store's disk is full, missing or read-only; no task is to blame.

    The text is the cause alone; `Store.unwritable` makes a message of it.
    """


class Payload(NamedTuple):
    """An encoded result.

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
        """Store an encoded result, as a file if it is large."""
        digest, size = fingerprint(pieces)
        if size <= INLINE:
            return Payload(digest, size, b"".join(pieces))
        with _written():
            self._write(pieces, digest)
        return Payload(digest, size, None)

    def adopt(self, path: Path, digest: bytes, size: int) -> Payload:
        """Store an encoded result from a worker's file on the same disk.

        The file is renamed, not copied. Its hash is the worker's word: whoever reads the result
        checks it, and what is wrong is computed again.
        """
        with _written():
            size_on_disk = path.stat().st_size
            if size_on_disk != size:
                raise DamagedError(f"{path} has {size_on_disk} bytes in place of {size}")
            self._move(path, digest)
        return Payload(digest, size, None)

    def receive(self, other: Objects, payload: Payload) -> bool | None:
        """Link or copy a file of another store, after checking its hash.

        Returns
        -------
        bool or None
            Whether it could be linked, so that both stores share it; None when it was there.
        """
        _check_hash(payload)
        place = self.path(payload.digest)
        with _written():
            self._make(place.parent.name)
            if _has_length(place, payload.size):
                return None
        stored = other.read(payload)
        with _written():
            if _linked(other.path(payload.digest), place):
                return True
            self._write([stored], payload.digest)
        return False

    def read(self, payload: Payload) -> Bytes:
        """Return the stored bytes after checking their hash; large files are memory-mapped."""
        _check_hash(payload)
        stored: Bytes | None = payload.inline
        if stored is None:
            stored = self._mapped(payload)
        if hashlib.sha256(stored).digest() != payload.digest:
            raise DamagedError(f"{self._place(payload)} does not match its hash")
        return stored

    def path(self, digest: bytes) -> Path:
        """Return the path of the file with that hash."""
        name = digest.hex()
        return self.folder / name[:2] / name[2:]

    def remove(self, digest: bytes) -> None:
        """Remove the file with that hash, if it exists."""
        path = self.path(digest)
        if not (self.folder.is_symlink() or path.parent.is_symlink()):
            path.unlink(missing_ok=True)

    def files(self) -> Iterator[tuple[bytes, Path]]:
        """Yield all files with their hashes."""
        for number in range(256):
            for entry in plain_files(self.folder, f"{number:02x}"):
                with contextlib.suppress(ValueError):
                    digest = bytes.fromhex(f"{number:02x}{entry.name}")
                    if is_digest(digest) and self.path(digest).name == entry.name:
                        yield digest, Path(entry.path)

    def leftovers(self) -> Iterator[Path]:
        """Yield unfinished files, which are garbage when no run uses the store."""
        for entry in plain_files(self.folder, UNFINISHED):
            yield Path(entry.path)

    def _place(self, payload: Payload) -> str:
        return "the index" if payload.inline is not None else str(self.path(payload.digest))

    def _mapped(self, payload: Payload) -> memoryview:
        path = self.path(payload.digest)
        try:
            with open(open_file(self.folder, path.parent.name, path.name), "rb") as file:
                if os.fstat(file.fileno()).st_size != payload.size:
                    raise DamagedError(f"{path} does not have its original length")
                return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        except LinkError as error:
            raise DamagedError(str(error)) from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise DamagedError(f"{path} cannot be read ({reason})") from None

    def _make(self, *names: str) -> None:
        """Create a folder in this one, and this one first."""
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        make_folder(self.folder.parent, self.folder.name, *names)

    def _write(self, pieces: Sequence[Bytes], digest: bytes) -> None:
        unfinished = self.folder / UNFINISHED / secrets.token_hex(8)
        self._make(UNFINISHED)
        try:
            write_pieces(unfinished, pieces)
            self._move(unfinished, digest)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise

    def _move(self, path: Path, digest: bytes) -> None:
        """Rename a complete file to its final name, atomically.

        Nothing is flushed to the disk: killing the program loses nothing that was written, and
        after a loss of power the hash tells which files did not arrive.
        """
        place = self.path(digest)
        self._make(place.parent.name)
        path.replace(place)


def fingerprint(pieces: Sequence[Bytes]) -> tuple[bytes, int]:
    """Return the hash and the size of an encoded result."""
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.digest(), sum(map(len, pieces))


def write_pieces(path: Path, pieces: Sequence[Bytes]) -> None:
    """Write an encoded result to a file."""
    with path.open("wb") as file:
        for piece in pieces:
            file.write(piece)


def _check_hash(payload: Payload) -> None:
    """Raise when an index has an invalid hash, since the hash names a file."""
    if not is_digest(payload.digest) or not isinstance(payload.inline, bytes | None):
        raise DamagedError("the index has no result where one has to be")


def _has_length(path: Path, size: int) -> bool:
    try:
        status = path.lstat()
    except FileNotFoundError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_size == size


def _linked(path: Path, place: Path) -> bool:
    """Hard-link a file; return whether disk and permissions allow it."""
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

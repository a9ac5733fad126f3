"""Serialised user modules for other machines: file contents and where they belong."""

from __future__ import annotations

import os
import pickle
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from dagathlon.errors import DagathlonError
from dagathlon.modules.registry import FILES
from dagathlon.study.config.portable import NamedFile, code_files

_MOST_BYTES = 64 * 2**20


class Piece(NamedTuple):
    """One file: its path in the module's folder, its content, its mode."""

    place: str
    content: bytes
    mode: int


class UserModule(NamedTuple):
    """One user module: the file or folder to load, and all its files."""

    entry: str
    pieces: tuple[Piece, ...]


def packed_user_modules() -> bytes:
    """Serialise all user modules known to this process, with the files they import.

    Raises
    ------
    DagathlonError
        When they are so large that data files are probably among them.
    """
    named = [Path(path) for path in os.environ.get(FILES, "").split(os.pathsep) if path]
    found = {path: list(code_files(path, Path(path.name))) for path in named}
    size = sum(file.source.stat().st_size for files in found.values() for file in files)
    if size > _MOST_BYTES:
        raise DagathlonError(
            f"user modules of {size / 2**20:,.0f} MB in all cannot be sent to other machines, at "
            f"most {_MOST_BYTES / 2**20:,.0f} MB can; take large files out of their folders"
        )
    return pickle.dumps(
        [UserModule(path.name, tuple(map(_piece, files))) for path, files in found.items()]
    )


def unpack_user_modules(content: bytes, folder: Path) -> Mapping[str, str]:
    """Write user modules below a folder; return environment variables to find them by."""
    entries = []
    user_modules: list[UserModule] = pickle.loads(content)
    for number, each in enumerate(user_modules):
        home = folder / str(number)
        for piece in each.pieces:
            path = home / PurePosixPath(piece.place)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(piece.content)
            path.chmod(piece.mode)
        entries.append(str((home / each.entry).resolve()))
    return {FILES: os.pathsep.join(entries)}


def _piece(file: NamedFile) -> Piece:
    source = file.source
    return Piece(file.place.as_posix(), source.read_bytes(), source.stat().st_mode & 0o777)

"""Safe opening of folders of results, which may come from strangers.

The path that a user gives may be a link. Below it no symbolic link is followed, neither to read nor
to write nor to remove, and only plain files are opened, so that a pipe or a device cannot stop a
command. No path is made of a text that a store holds: numbers of runs and hashes are checked first.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from dagathlon.errors import DagathlonError, StudyError

STORE_FOLDER = "store"
"""Name of the store in a folder of results."""
INDEX = "index.sqlite"
SCRATCH = "scratch"
"""Folder of a store with one scratch folder per run, removed when the run ends."""
OBJECTS, UNFINISHED = "objects", "unfinished"
LOCK = "lock"
LOGS = "logs"
"""Folder in which queue jobs write their logs."""
DIGEST_BYTES = 32

_FILES_OF_A_STORE = (LOCK, *(f"{INDEX}{end}" for end in ("", "-wal", "-shm", "-journal")))
_FOLDERS_OF_A_STORE = (SCRATCH, OBJECTS, f"{OBJECTS}/{UNFINISHED}")
_FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# The last bytes of a rollback journal that names a further file, which SQLite would remove.
_NAMES_ANOTHER = bytes.fromhex("d9d505f920a163d7")


class LinkError(StudyError):
    """A symbolic link, pipe or device where a file or folder is expected."""


def find_store(folder: Path) -> Path:
    """Return the store in a folder of results, or the folder itself when it is a store."""
    for place in (folder / STORE_FOLDER, folder):
        if place != folder:
            refuse_link(place)
        if (place / INDEX).is_file():
            return place
    above = folder.resolve().parent
    if (above / STORE_FOLDER / INDEX).is_file():
        raise DagathlonError(
            f"{folder}: there is no store here; studies share the one of the folder above: give "
            f"{folder.parent if folder.name else above}"
        )
    raise DagathlonError(f"{folder}: there is no store here; give the folder that a run wrote to")


def check_store(folder: Path) -> None:
    """Raise when a file or folder of a store is a link, pipe or device."""
    if folder.name == STORE_FOLDER:
        refuse_link(folder)
    for name in _FILES_OF_A_STORE:
        _refuse_special(folder / name)
    for name in _FOLDERS_OF_A_STORE:
        _is_folder(folder / name)
    _check_journal(folder / f"{INDEX}-journal")


def refuse_link(path: Path) -> None:
    """Raise when a path is a symbolic link; a missing path is accepted."""
    if path.is_symlink():
        raise LinkError(f"{path}: is a link; remove it, links in a folder of results are not used")


def refuse_links(folder: Path) -> None:
    """Raise when a folder is a link or contains a link, pipe or device at any depth."""
    refuse_link(folder)
    for place, folders, names in os.walk(folder):
        for name in folders:
            refuse_link(Path(place, name))
        for name in names:
            _refuse_special(Path(place, name))


def open_file(folder: Path, *names: str, flags: int = os.O_RDONLY) -> int:
    """Open a plain file below a folder and return its descriptor; follow no link on the way.

    Parameters
    ----------
    folder
        Trusted to be the right one; it may be reached through links.
    *names
        Path below the folder, part by part.
    flags
        As `os.open` takes them.

    Raises
    ------
    LinkError
        When a part of the path is a link, or the file is not a plain file.
    OSError
        As `os.open` does.
    """
    *folders, name = names
    place = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in folders:
            above, place = place, os.open(part, _FOLDER, dir_fd=place)
            os.close(above)
        # A pipe without a writer would keep a reader waiting.
        safe_flags = flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        descriptor = os.open(name, safe_flags, 0o666, dir_fd=place)
    except OSError as error:
        for number in range(1, len(names) + 1):
            refuse_link(folder.joinpath(*names[:number]))
        raise OSError(error.errno, error.strerror, str(folder.joinpath(*names))) from None
    finally:
        os.close(place)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise LinkError(f"{folder.joinpath(*names)}: is no plain file; remove it")
    return descriptor


def read_file(folder: Path, *names: str, most: int = -1) -> bytes:
    """Return the content of a plain file below a folder, or its first bytes; see `open_file`."""
    with open(open_file(folder, *names), "rb") as stream:
        return stream.read(most)


def write_file(path: Path, content: bytes) -> None:
    """Write a file atomically; a link of that name is replaced, not followed."""
    unfinished = f"{path.name}.{secrets.token_hex(4)}.part"
    created = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    try:
        with open(open_file(path.parent, unfinished, flags=created), "wb") as stream:
            stream.write(content)
        path.with_name(unfinished).replace(path)
    except BaseException:
        path.with_name(unfinished).unlink(missing_ok=True)
        raise


def make_folder(folder: Path, *names: str) -> Path:
    """Create a folder below an existing one, part by part; no part may be a link."""
    for name in names:
        folder = folder / name
        try:
            folder.mkdir()
        except FileExistsError:
            refuse_link(folder)
            if not folder.is_dir():
                raise
    return folder


def remove_folder(folder: Path, *names: str) -> None:
    """Remove a folder with its content; links are removed, not followed."""
    # Whoever opens a pipe in the place of a folder waits for its writer.
    if all(_is_folder(folder.joinpath(*names[:number])) for number in range(1, len(names) + 1)):
        shutil.rmtree(folder.joinpath(*names), ignore_errors=True)


def plain_files(folder: Path, *names: str) -> Iterator[os.DirEntry[str]]:
    """Yield the plain files directly in a folder below a folder; none where a part is a link."""
    if any(folder.joinpath(*names[:number]).is_symlink() for number in range(1, len(names) + 1)):
        return
    try:
        entries = os.scandir(folder.joinpath(*names))
    except (FileNotFoundError, NotADirectoryError):
        return
    with entries:
        yield from (entry for entry in entries if entry.is_file(follow_symlinks=False))


def is_digest(value: object) -> bool:
    """Whether a stored value is a valid hash, whose digits name a file."""
    return type(value) is bytes and len(value) == DIGEST_BYTES


def is_number(value: object) -> bool:
    """Whether a stored value is a valid run number, which names a folder."""
    return type(value) is int and value > 0


def _refuse_special(path: Path) -> None:
    """Raise when a path exists and is not a plain file."""
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    refuse_link(path)
    if not stat.S_ISREG(mode):
        raise LinkError(f"{path}: is no plain file; remove it")


def _is_folder(path: Path) -> bool:
    """Whether a folder exists; raise when there is something else in its place."""
    refuse_link(path)
    if path.exists() and not path.is_dir():
        raise LinkError(f"{path}: is no folder; remove it")
    return path.is_dir()


def _check_journal(path: Path) -> None:
    """Raise when a journal names a file for SQLite to remove; ours name none."""
    try:
        with open(open_file(path.parent, path.name), "rb") as stream:
            stream.seek(-min(len(_NAMES_ANOTHER), stream.seek(0, os.SEEK_END)), os.SEEK_END)
            content = stream.read()
    except FileNotFoundError:
        return
    if content == _NAMES_ANOTHER:
        raise LinkError(f"{path}: names another file, as no journal of a store does; remove it")

"""Content of files that may be pipes, such as ``<(command)`` in a shell."""

from __future__ import annotations

import os
import select
import stat
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Self

from dagathlon.errors import refuse_device

PATIENCE = 60.0
"""Timeout in seconds for the next bytes of a pipe."""
_MOST, _CHUNK = 1 << 29, 1 << 20


def read_file(path: Path) -> bytes:
    """Return the content of a file or pipe.

    Raises
    ------
    OSError
        If it is a device, or a pipe that stays silent or has no end.
    """
    refuse_device(path)
    if not stat.S_ISFIFO(path.stat().st_mode):
        return path.read_bytes()
    held = bytearray()
    with Pipe(path) as pipe:
        while piece := pipe.read(_CHUNK):
            held += piece
            if len(held) > _MOST:
                raise OSError(f"a pipe that gives more than {_MOST:,} bytes")
    return bytes(held)


class Pipe:
    """Readable pipe with a timeout."""

    def __init__(self, path: Path) -> None:
        # A pipe without a writer would else be waited for in opening it.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        self._pipe = FileIO(descriptor, "rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pipe.close()

    def read(self, size: int, /) -> bytes:
        """Return the next bytes; empty once all writers have closed it."""
        ready, _, _ = select.select([self._pipe], [], [], PATIENCE)
        if not ready:
            raise TimeoutError(f"a pipe to which nothing was written for {PATIENCE:g} seconds")
        return self._pipe.read(size) or b""

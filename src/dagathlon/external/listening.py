"""Parser of a program's output: messages to Dagathlon, and the last lines of the rest."""

from __future__ import annotations

import contextlib
import os
import re

_TAIL = 8192
_LONGEST_LINE = 65536
_BREAKS = re.compile(rb"[\r\n]+")
_MESSAGE = re.compile(rb"@dagathlon (ready|progress|ended)((?: -?\d{1,18}){0,2})\s*")


class Listener:
    """Parser of a program's output.

    A line that begins with ``@dagathlon`` is a message: ``ready``, ``progress 3 10``, ``ended
    0``. The rest is shown to users when something goes wrong.

    Attributes
    ----------
    is_ready
        Whether a server has sent ``ready``.
    progress
        Steps that are done, and their total (0 if unknown).
    ended
        A server's message on the end of a run: exit code and, if known, the peak of memory in
        bytes.
    """

    def __init__(self) -> None:
        self.is_ready = False
        self.progress = (0, 0)
        self.ended: tuple[int, ...] | None = None
        self._line = b""
        self._tail = b""

    def feed(self, read: bytes) -> None:
        """Parse more bytes of output."""
        *lines, self._line = _BREAKS.split(self._line + read)
        if len(self._line) > _LONGEST_LINE:
            lines.append(self._line)
            self._line = b""
        for line in lines:
            self._take(line)

    def close(self) -> None:
        """Finish at the end of output: text after the last line break is a line too."""
        self._take(self._line)
        self._line = b""

    def output(self) -> str:
        """Last lines that are no messages."""
        return (self._tail + self._line).decode("utf-8", "replace").strip()

    def _take(self, line: bytes) -> None:
        message = _MESSAGE.fullmatch(line)
        if message is None:
            self._tail = (self._tail + line + b"\n")[-_TAIL:]
            return
        numbers = tuple(map(int, message.group(2).split()))
        match message.group(1):
            case b"ready":
                self.is_ready = True
            case b"progress":
                done, total = (*numbers, 0, 0)[:2]
                self.progress = (max(done, 0), max(total, 0))
            case _:
                self.ended = numbers or (0,)


def read_into(listener: Listener, stream: int) -> bool:
    """Read the available bytes of a nonblocking stream; return whether there may be more."""
    with contextlib.suppress(BlockingIOError):
        for _ in range(1024):
            read = os.read(stream, 65536)
            if not read:
                return False
            listener.feed(read)
    return True

"""Communication of an engine with its workers: framed messages over pipes, a shared-memory slot."""

from __future__ import annotations

import fcntl
import math
import mmap
import os
import struct
from collections.abc import Iterator

from dagathlon.study.engine.clocks import monotonic
from dagathlon.study.engine.messages import HEADER, Message, opened, opened_header

_READ = 1 << 20
_LOOKS = 1000


class Inbox:
    """Receive buffer that splits the bytes of a pipe into messages."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._buffer = bytearray()

    def fill(self) -> bool:
        """Read available bytes, waiting for the first; return False at the end of the stream."""
        data = os.read(self._fd, _READ)
        self._buffer += data
        return bool(data)

    def messages(self) -> Iterator[Message]:
        """Yield the complete messages; raise `GarbledError` at bytes that are none."""
        start = 0
        while len(self._buffer) - start >= HEADER.size:
            length, number = opened_header(self._buffer, start)
            begin = start + HEADER.size
            if len(self._buffer) < begin + length:
                break
            start = begin + length
            yield opened(number, memoryview(self._buffer)[begin:start])
        del self._buffer[:start]


class Slot:
    """Numbers in shared memory: a worker's present task, and batches it must not begin.

    The engine learns from it when the present task began without a message per task, and takes
    back tasks that wait behind one that turns out to be slow.
    """

    SIZE = 40
    _NUMBER = struct.Struct("<q")
    _TIME = struct.Struct("<d")

    def __init__(self, fd: int) -> None:
        self._memory = mmap.mmap(fd, self.SIZE)

    @classmethod
    def create(cls) -> int:
        """Return a file descriptor of a new, idle slot."""
        fd = os.memfd_create("dagathlon-slot", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(fd, cls.SIZE)
        # A learner that cuts it would kill the engine, which reads behind the end then.
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
        slot = cls(fd)
        slot.idle()
        return fd

    def idle(self) -> None:
        """Record that no task is running."""
        self._TIME.pack_into(self._memory, 8, 0.0)
        self._NUMBER.pack_into(self._memory, 0, -1)

    def prepare(self, position: int) -> None:
        """Record that a task is being prepared; its clock does not run yet."""
        self._TIME.pack_into(self._memory, 8, 0.0)
        self._NUMBER.pack_into(self._memory, 0, position)

    def start_clock(self, held: int, spent: float = 0.0) -> None:
        """Start the clock; `held` bytes and `spent` CPU seconds were used before the task."""
        self._NUMBER.pack_into(self._memory, 24, held)
        self._TIME.pack_into(self._memory, 32, spent)
        self._TIME.pack_into(self._memory, 8, monotonic())

    def stop_clock(self) -> None:
        """Stop the clock; the task's result is still to be sent."""
        self._TIME.pack_into(self._memory, 8, 0.0)

    def read(self) -> tuple[int, float]:
        """Return the present task's position (−1: none) and clock start (0: stopped).

        The position is read before and after the time, so that the two belong together. A
        module can write here too: what the engine does with it is checked
        (`WorkerProcess.present`).
        """
        for _ in range(_LOOKS):
            (position,) = self._NUMBER.unpack_from(self._memory, 0)
            (start,) = self._TIME.unpack_from(self._memory, 8)
            if (position,) == self._NUMBER.unpack_from(self._memory, 0):
                return position, start if math.isfinite(start) else 0.0
        return -1, 0.0

    @property
    def held(self) -> int:
        """Memory of the process when the clock started, in bytes."""
        (held,) = self._NUMBER.unpack_from(self._memory, 24)
        return int(held)

    @property
    def spent(self) -> float:
        """CPU seconds of the process and its descendants when the clock started."""
        (spent,) = self._TIME.unpack_from(self._memory, 32)
        return float(spent)

    @property
    def revoked(self) -> int:
        """Number of the last batch that must not be continued."""
        (number,) = self._NUMBER.unpack_from(self._memory, 16)
        return int(number)

    @revoked.setter
    def revoked(self, batch: int) -> None:
        self._NUMBER.pack_into(self._memory, 16, batch)

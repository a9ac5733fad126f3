"""Messages between an engine and its worker processes: one type each.

A message is a tuple of plain values with a type. Through the pipe goes the number of the type and
the values, so that nothing but numbers, texts and bytes is pickled for a task.
"""

from __future__ import annotations

import pickle
import struct
from typing import NamedTuple, TypeAlias

from dagathlon.errors import DagathlonError
from dagathlon.study.plan.task import Call, Limits, Outcome, Status


class NewCall(NamedTuple):
    """From the engine: defines a call that later tasks name by its number."""

    number: int
    call: Call


class Order(NamedTuple):
    """From the engine: a task to run.

    Parameters
    ----------
    batch
        Number of the batch; the engine may take back what has not begun of it.
    position
        Its place in the plan.
    key
        Key of its random stream.
    call
        Number of the call.
    inputs
        The results that it reads (`Payload`): hash, size, and the encoded result itself, or None
        where it is in a file.
    time, memory, cpu
        Its limits.
    company
        Numbers of other calls that will run on the same data.
    threads
        Number of threads it may use.
    """

    batch: int
    position: int
    key: bytes
    call: int
    inputs: tuple[tuple[bytes, int, bytes | None], ...]
    time: float | None
    memory: int | None
    cpu: float | None = None
    company: tuple[int, ...] = ()
    threads: int = 1


class Up(NamedTuple):
    """From a worker: it is ready for tasks."""


class Report(NamedTuple):
    """From a worker: the outcome of a task.

    A small result travels with it; a large one has been left in `file`, on the store's disk.
    `limits` are those to be recorded, where they are not all that were in force. With `killed`
    the outcome is not known, since the task's program was killed: this one is used if that
    recurs.
    """

    position: int
    status: str
    reason: str
    detail: str
    wall: float
    cpu: float
    memory: int
    digest: bytes = b""
    size: int = 0
    content: bytes | None = None
    file: str = ""
    limits: Limits | None = None
    killed: bool = False

    def outcome(self, limits: Limits, host: str) -> Outcome:
        """Return the outcome."""
        fields = (self.reason, self.detail, self.wall, self.cpu, self.memory)
        return Outcome(Status(self.status), *fields, self.limits or limits, host)


class Lost(NamedTuple):
    """From a worker: a task cannot begin, since its input number `place` is unusable."""

    position: int
    place: int
    reason: str


class Unkept(NamedTuple):
    """From a worker: a task was done, but the disk has no room for its result."""

    position: int
    reason: str


Message: TypeAlias = NewCall | Order | Up | Report | Lost | Unkept

_TYPES: tuple[type[Message], ...] = (NewCall, Order, Up, Report, Lost, Unkept)
_NUMBERS = {kind: number for number, kind in enumerate(_TYPES)}
_MAGIC = b"dagw"
_MOST_BYTES = 1 << 30
HEADER = struct.Struct("<4sIB")
"""Frame header: magic bytes, length of the body, number of the type."""


class GarbledError(DagathlonError):
    """Bytes in a pipe that are no message: a module wrote to a descriptor that is not its own."""


def frame(message: Message) -> bytes:
    """Serialise a message with its header; both ends are the same program, so pickle is safe."""
    body = pickle.dumps(tuple(message), protocol=pickle.HIGHEST_PROTOCOL)
    return HEADER.pack(_MAGIC, len(body), _NUMBERS[type(message)]) + body


def opened_header(buffer: bytearray, start: int) -> tuple[int, int]:
    """Parse a header into length and type; raise `GarbledError` if there is none."""
    magic, length, number = HEADER.unpack_from(buffer, start)
    if magic != _MAGIC or length > _MOST_BYTES or number >= len(_TYPES):
        raise GarbledError("a worker's pipe contained bytes that are no message")
    return length, number


def opened(number: int, body: memoryview) -> Message:
    """Deserialise a message."""
    kind: type[Message] = _TYPES[number]
    try:
        return kind(*pickle.loads(body))
    except Exception as error:  # of bytes that anybody wrote
        raise GarbledError("a message in the pipe of a worker cannot be read") from error

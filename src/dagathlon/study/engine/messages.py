"""What an engine and its worker processes say to each other: one type per message.

A message is a tuple of plain values with a type. Through the pipe goes the number of the type and
the values, so that nothing but numbers, texts and bytes is pickled for a task.
"""

from __future__ import annotations

import pickle
import struct
from typing import NamedTuple, TypeAlias

from dagathlon.study.plan.task import Call, Limits, Outcome, Status


class NewCall(NamedTuple):
    """From the engine: tasks to come will name this call by its number."""

    number: int
    call: Call


class Order(NamedTuple):
    """From the engine: a task to be done.

    Parameters
    ----------
    batch
        Number of the batch; the engine may take back what has not begun of it.
    position
        Its place in the plan.
    key
        What chooses its random stream.
    call
        Number of the call.
    inputs
        Keys of the results that it reads.
    time, memory
        Its limits.
    company
        Numbers of the calls of others that will run on the same data.
    threads
        How many threads it may use.
    """

    batch: int
    position: int
    key: bytes
    call: int
    inputs: tuple[bytes, ...]
    time: float | None
    memory: int | None
    company: tuple[int, ...] = ()
    threads: int = 1


class Inputs(NamedTuple):
    """To a worker without a store: what the inputs of the next orders are, by their hashes.

    Each is a hash, a size and the encoded result itself, or None where it lies in a file.
    """

    payloads: tuple[tuple[bytes, int, bytes | None], ...]


class Up(NamedTuple):
    """From a worker: everything is loaded, tasks may come."""


class Report(NamedTuple):
    """From a worker: what came of a task.

    A small result travels with it; a large one has been left in `file`, on the store's disk.
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

    def outcome(self, limits: Limits, host: str) -> Outcome:
        """The outcome that it tells of."""
        said = (self.reason, self.detail, self.wall, self.cpu, self.memory)
        return Outcome(Status(self.status), *said, limits, host)


class Lost(NamedTuple):
    """From a worker: a task cannot begin, the result at `place` among its inputs is not usable."""

    position: int
    place: int
    reason: str


class Unkept(NamedTuple):
    """From a worker: a task was done and the disk has no room for its result."""

    position: int
    reason: str


Message: TypeAlias = NewCall | Order | Inputs | Up | Report | Lost | Unkept

_TYPES: tuple[type[Message], ...] = (NewCall, Order, Inputs, Up, Report, Lost, Unkept)
_NUMBERS = {kind: number for number, kind in enumerate(_TYPES)}
HEADER = struct.Struct("<IB")


def frame(message: Message) -> bytes:
    """A message as it goes through a pipe. Both ends are the same program, so pickle is safe."""
    body = pickle.dumps(tuple(message), protocol=pickle.HIGHEST_PROTOCOL)
    return HEADER.pack(len(body), _NUMBERS[type(message)]) + body


def opened(number: int, body: memoryview) -> Message:
    """The message again."""
    kind: type[Message] = _TYPES[number]
    return kind(*pickle.loads(body))

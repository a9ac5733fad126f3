"""Messages between the coordinator and a worker on another machine: batches and replies.

Many small tasks go as one batch, since a message through a scheduler costs as much as a hundred of
them. Both ends are the same version of the same program (`identity`), so pickle is safe here as it
is in dask itself.
"""

from __future__ import annotations

import pickle
from typing import NamedTuple

from dagathlon.study.engine.messages import Lost, Report
from dagathlon.study.plan.task import Call, Limits, Resources

MOST_BYTES = 2 * 2**20
"""Largest total of small inputs or results in one message, since it passes the scheduler."""


class SentInput(NamedTuple):
    """An input of a batch, by its hash.

    Parameters
    ----------
    digest
        sha256 of the encoded result.
    size
        Its number of bytes.
    content
        The bytes, where they are few and the worker is not known to have them.
    """

    digest: bytes
    size: int
    content: bytes | None = None


class TaskMessage(NamedTuple):
    """One task of a batch.

    Parameters
    ----------
    position
        Its place in the plan.
    random_key
        Key of its random stream.
    call
        Number of its call in the batch.
    inputs
        Hashes of its inputs.
    time, memory, cpu
        Its limits.
    company
        Numbers in the batch of other calls that will run on the same data.
    """

    position: int
    random_key: bytes
    call: int
    inputs: tuple[bytes, ...]
    time: float | None = None
    memory: int | None = None
    cpu: float | None = None
    company: tuple[int, ...] = ()

    @property
    def limits(self) -> Limits:
        """The limits of the task."""
        return Limits(self.time, self.memory, self.cpu)


class Batch(NamedTuple):
    """Tasks for one process of one worker, run in order.

    Parameters
    ----------
    number
        Number of the batch in this run.
    resources
        Cores and cards of each of its tasks.
    patience
        Seconds after which tasks that have not begun are sent back.
    calls
        The distinct calls of the tasks.
    inputs
        The distinct inputs of the tasks.
    items
        The tasks.
    shared
        Hash of the data set on which they share work; empty without one. A process that has shared
        work on it before is preferred.
    """

    number: int
    resources: Resources
    patience: float
    calls: tuple[Call, ...]
    inputs: tuple[SentInput, ...]
    items: tuple[TaskMessage, ...]
    shared: bytes = b""


class Reply(NamedTuple):
    """The result of a batch.

    Parameters
    ----------
    reports
        Reports of finished tasks; large results are fetched afterwards, by their hashes.
    lost
        Tasks that could not begin since an input is missing or damaged.
    left
        Positions of tasks that were not begun.
    memory
        Memory of the process and its descendants, in bytes.
    full
        Why results could not be kept, when the worker's disk is full.
    killed
        Reports of tasks whose process was killed from outside; they count if that recurs.
    """

    reports: tuple[Report, ...]
    lost: tuple[Lost, ...] = ()
    left: tuple[int, ...] = ()
    memory: int = 0
    full: str = ""
    killed: tuple[Report, ...] = ()


def packed(message: Batch | Reply) -> bytes:
    """Serialise a batch or reply to bytes that the scheduler need not understand."""
    return pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)


def opened_batch(content: bytes) -> Batch:
    """Deserialise a batch."""
    batch = pickle.loads(content)
    assert isinstance(batch, Batch)
    return batch


def opened_reply(content: bytes) -> Reply:
    """Deserialise a reply."""
    reply = pickle.loads(content)
    assert isinstance(reply, Reply)
    return reply

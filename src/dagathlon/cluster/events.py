"""Events that the cluster's thread puts into the engine's queue."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

from dagathlon.cluster.handshake import Answer
from dagathlon.cluster.messages import Reply


class Opened(NamedTuple):
    """The scheduler accepted the connection.

    Parameters
    ----------
    address
        Its address.
    dashboard
        Where a browser sees it; empty when it shows nothing.
    expected
        Number of workers that were asked for; 0 when it is not known.
    """

    address: str
    dashboard: str
    expected: int


class Joined(NamedTuple):
    """A worker joined and completed the handshake."""

    address: str
    answer: Answer


class Refused(NamedTuple):
    """A worker joined and its handshake failed."""

    address: str
    reason: str


class Gone(NamedTuple):
    """A worker left or is silent; its tasks are to be requeued.

    Parameters
    ----------
    address
        The worker.
    reason
        What is known of it.
    blameless
        Whether no task can have brought it about: it left as it had to, or it does not answer.
    """

    address: str
    reason: str
    blameless: bool = False


class Returned(NamedTuple):
    """A batch is done; large results are files on the store's disk, named by their hashes."""

    address: str
    number: int
    reply: Reply
    files: Mapping[bytes, Path]


class Failed(NamedTuple):
    """A batch failed.

    Parameters
    ----------
    address, number
        The worker and the batch.
    reason
        What is wrong there.
    full
        Whether a disk has no room: that of the worker, or that of the store.
    here
        Whether it is the disk of the store.
    stranger
        Whether the worker has forgotten the run, and should be introduced to it again.
    again
        Whether the way to the worker failed and not the worker, so that it may try again.
    damaged
        Hash of an input that is damaged in the store itself; empty when none is.
    """

    address: str
    number: int
    reason: str
    full: bool = False
    here: bool = False
    stranger: bool = False
    again: bool = False
    damaged: bytes = b""


class Broken(NamedTuple):
    """The run cannot continue: the scheduler cannot be reached, or the cluster does not start."""

    reason: str


Event: TypeAlias = Opened | Joined | Refused | Gone | Returned | Failed | Broken

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
        Address of the scheduler.
    dashboard
        URL of the dashboard; empty when there is none.
    expected
        Number of workers requested; 0 when unknown.
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
        Why it is gone, in words.
    blameless
        Whether no task can be the cause: the worker retired in order, or does not answer.
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
        The error, in words.
    full
        Whether a disk is full: the worker's or the store's.
    here
        Whether it is the store's disk.
    stranger
        Whether the worker has forgotten the run and needs a new handshake.
    again
        Whether only the connection failed, so that the worker may try again.
    damaged
        Hash of an input that is damaged in the store; empty when none is.
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

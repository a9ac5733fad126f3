"""The coordinator's record of one worker."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from dagathlon.study.engine.resources import Machine
from dagathlon.study.plan.task import Resources

LOCAL = "home"
"""Address of the local file worker."""
_PAUSE = 0.25


class SentBatch(NamedTuple):
    """A batch that was sent to a worker, which has not replied.

    Parameters
    ----------
    positions
        Its tasks.
    threads
        Cores of each task.
    exclusive
        Whether the worker gets no other batch meanwhile.
    """

    positions: tuple[int, ...]
    threads: int
    exclusive: bool


@dataclass
class WorkerRecord:
    """One worker.

    Parameters
    ----------
    address
        Its address in the cluster.
    host
        Name of its machine.
    machine
        Its cores and cards.
    lacking
        Why it cannot run tasks of some modules, by kind and name.

    Attributes
    ----------
    known
        Hashes of results that it is assumed to have.
    out
        The batches that it has been sent and has not returned, by number.
    shared_data
        Position of the last data set on which it shares work between learners.
    memory
        Memory of its processes at the last reply, in bytes.
    remark
        Why it gets no more tasks; empty when it does.
    failures
        Number of connection failures in a row.
    not_before
        When it may get tasks again after a connection failure.
    """

    address: str
    host: str
    machine: Machine
    lacking: Mapping[str, str] = field(default_factory=dict)
    known: set[bytes] = field(default_factory=set)
    out: dict[int, SentBatch] = field(default_factory=dict)
    shared_data: int | None = None
    memory: int = 0
    remark: str = ""
    failures: int = 0
    not_before: float = 0.0

    @property
    def is_local(self) -> bool:
        """Whether it is the local file worker."""
        return self.address == LOCAL

    @property
    def busy(self) -> int:
        """Cores that its unanswered batches would take if all ran at once."""
        return sum(each.threads for each in self.out.values())

    @property
    def given(self) -> int:
        """Number of unanswered tasks."""
        return sum(len(each.positions) for each in self.out.values())

    def has_room(self, wanted: Resources, times: int) -> bool:
        """Whether it may get another batch, if it may have `times` times its capacity."""
        if self.remark or self.machine.objection(wanted) or self.is_held_back:
            return False
        threads = self.machine.possible(wanted).threads
        return not self.out or self.busy + threads <= times * self.machine.cores

    @property
    def is_held_back(self) -> bool:
        """Whether it gets nothing now: after a connection failure, or beside an exclusive task."""
        alone = any(each.exclusive for each in self.out.values())
        return alone or time.monotonic() < self.not_before

    def fail(self) -> int:
        """Count a connection failure; return failures in a row, simultaneous ones counted once."""
        now = time.monotonic()
        if now >= self.not_before:
            self.failures += 1
            self.not_before = now + _PAUSE * 2.0**self.failures
        return self.failures

    def recover(self) -> None:
        """Reset the count of connection failures."""
        self.failures = 0
        self.not_before = 0.0

    def send(
        self, number: int, positions: Sequence[int], wanted: Resources, *, exclusive: bool = False
    ) -> None:
        """Record a batch that is sent."""
        threads = self.machine.possible(wanted).threads
        self.out[number] = SentBatch(tuple(positions), threads, exclusive)

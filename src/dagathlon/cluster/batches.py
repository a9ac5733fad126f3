"""Packing of tasks into batches: inputs and calls that a worker needs, each sent once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from dagathlon.cluster.messages import MOST_BYTES, Batch, SentInput, TaskMessage
from dagathlon.cluster.result_transfer import LargeInput
from dagathlon.cluster.worker_record import WorkerRecord
from dagathlon.study.engine.coordinator import Coordinator
from dagathlon.study.plan.task import Call
from dagathlon.study.store.objects import INLINE, Payload

_MOST_KNOWN = 200_000
_MOST_HOLDERS = 4


class PackedBatch(NamedTuple):
    """A batch, its large inputs, which are delivered first, and tasks that did not fit."""

    batch: Batch
    large: tuple[LargeInput, ...]
    left: tuple[int, ...]


class Packer:
    """Packs batches; keeps track of which worker holds which large result."""

    def __init__(self, work: Coordinator) -> None:
        self._work = work
        self._holders: dict[bytes, list[str]] = {}

    def note_holder(self, worker: WorkerRecord, digest: bytes, size: int) -> None:
        """Record that a worker holds a result, which it made or received."""
        if len(worker.known) > _MOST_KNOWN:
            worker.known.clear()
        worker.known.add(digest)
        if size > INLINE and not worker.is_local:
            holders = self._holders.setdefault(digest, [])
            if worker.address not in holders and len(holders) < _MOST_HOLDERS:
                holders.append(worker.address)

    def forget_worker(self, address: str) -> None:
        """Forget a worker that has left, with the results it held."""
        for holders in self._holders.values():
            if address in holders:
                holders.remove(address)

    def pack(
        self,
        worker: WorkerRecord,
        number: int,
        shape: int,
        positions: Sequence[int],
        payloads: Mapping[bytes, Payload],
        *,
        patience: float,
    ) -> PackedBatch:
        """Return a batch of these tasks for a worker, fewer when their inputs are large.

        Parameters
        ----------
        worker
            The worker.
        number
            Number of the batch.
        shape
            Number of the tasks' shape: their cores and cards.
        positions
            The tasks.
        payloads
            Their inputs, by key.
        patience
            Seconds after which tasks that have not begun are sent back.
        """
        calls = _Numbers()
        inputs: dict[bytes, SentInput] = {}
        large: list[LargeInput] = []
        items: list[TaskMessage] = []
        small = 0
        for position in positions:
            if small > MOST_BYTES:
                break
            read = [payloads[key] for key in self._work.input_keys(position)]
            for payload in read:
                if payload.digest not in inputs:
                    sent = inputs[payload.digest] = self._sent(worker, payload, large)
                    small += len(sent.content or b"")
            items.append(self._item(position, read, calls.number))
        data = self._work.affinity.data_of(positions[0]) if positions else None
        shared = b"" if data is None else payloads[self._work.schedule.tasks[data].key].digest
        resources = self._work.schedule.shapes[shape]
        content = (tuple(calls.calls), tuple(inputs.values()), tuple(items))
        batch = Batch(number, resources, patience, *content, shared)
        return PackedBatch(batch, tuple(large), tuple(positions[len(items) :]))

    def _item(
        self, position: int, read: Sequence[Payload], number: Callable[[Call], int]
    ) -> TaskMessage:
        task, limits = self._work.schedule.tasks[position], self._work.limits(position)
        company = tuple(map(number, self._work.affinity.coscheduled(position)))
        digests = tuple(payload.digest for payload in read)
        fields = (position, task.random_key, number(task.call), digests)
        return TaskMessage(*fields, limits.time, limits.memory, limits.cpu, company)

    def _sent(self, worker: WorkerRecord, payload: Payload, large: list[LargeInput]) -> SentInput:
        digest, size, content = payload
        if digest in worker.known:
            return SentInput(digest, size)
        if content is None:
            sent = SentInput(digest, size)
            large.append(LargeInput(sent, tuple(self._holders.get(digest, ()))))
        else:
            sent = SentInput(digest, size, content)
        self.note_holder(worker, digest, size)
        return sent


class _Numbers:
    """The distinct calls of a batch, numbered."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self._known: dict[bytes, int] = {}

    def number(self, call: Call) -> int:
        """Return the number of a call, adding the call on first use."""
        number = self._known.get(call.digest)
        if number is None:
            number = self._known[call.digest] = len(self.calls)
            self.calls.append(call)
        return number

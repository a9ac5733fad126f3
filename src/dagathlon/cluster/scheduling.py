"""Choice of tasks for workers: many quick ones per batch, slow ones alone."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from typing import NamedTuple

from dagathlon.cluster.identity import module_id
from dagathlon.cluster.local_files import LOCAL_FILES
from dagathlon.cluster.worker_record import WorkerRecord
from dagathlon.study.engine.coordinator import Coordinator
from dagathlon.study.engine.execute import HANDLERS
from dagathlon.study.engine.losses import SUSPECT, Losses

# A batch is to take so long; longer where there are many cores, so that batches stay few.
_BATCH_SECONDS = 1.0
_BATCHES_PER_SECOND = 400
_AHEAD_SECONDS = 2.0
_LEAST = 1e-4
_MOST_TASKS = 1000
_PATIENCE = 1.0
_FAR = 2048


class Selection(NamedTuple):
    """Tasks of one shape for one worker, with their expected duration."""

    worker: WorkerRecord
    shape: int
    positions: list[int]
    seconds: float
    exclusive: bool = False

    @property
    def patience(self) -> float:
        """Seconds after which the remaining tasks should go to other workers."""
        return max(_PATIENCE, 3.0 * self.seconds) if math.isfinite(self.seconds) else _PATIENCE


class TaskSelector:
    """Selects tasks for workers.

    Attributes
    ----------
    losses
        How often the worker of each task was lost.
    """

    def __init__(self, work: Coordinator) -> None:
        self._work = work
        self._schedule = work.schedule
        self._expected: dict[str, float] = {}
        self.losses = Losses(work)

    def note_time(self, module: str, wall: float) -> None:
        """Record how long a task of a module took."""
        self._expected[module] = max(wall, _LEAST, 0.7 * self._expected.get(module, 0.0))

    def selections(self, workers: Collection[WorkerRecord]) -> Iterator[Selection]:
        """Yield batches for all workers with room: one per core first, then one more in advance."""
        cores = sum(each.machine.cores for each in workers if not each.remark)
        for times in (1, 2):
            for shape, wanted in enumerate(self._schedule.shapes):
                for worker in workers:
                    if (wanted == LOCAL_FILES) != worker.is_local:
                        continue
                    while self._schedule.n_ready(shape) and worker.has_room(wanted, times):
                        chosen = self._select(worker, shape, workers, cores, ahead=times > 1)
                        if not chosen.positions:
                            break
                        yield chosen

    def _select(
        self,
        worker: WorkerRecord,
        shape: int,
        workers: Collection[WorkerRecord],
        cores: int,
        *,
        ahead: bool,
    ) -> Selection:
        """Select tasks for one worker; they must be sent before the next selection."""
        positions: list[int] = []
        load = 0.0
        share = math.ceil(self._schedule.n_ready(shape) / max(cores, 1))
        most = max(_BATCH_SECONDS, cores / _BATCHES_PER_SECOND)
        elsewhere = _held(workers, worker)
        while self._schedule.n_ready(shape) and len(positions) < min(share, _MOST_TASKS):
            position = self._next(worker, shape, elsewhere)
            expected = self._expectation(position)
            losses = self.losses[position]
            if positions and (losses >= SUSPECT or load + expected > most):
                break
            if self._is_unfit(worker, position) or (ahead and expected > _AHEAD_SECONDS):
                break
            positions.append(self._schedule.take(position))
            load += expected
            held = self._work.affinity.data_of(position)
            worker.shared_data = worker.shared_data if held is None else held
            if losses >= SUSPECT:
                return Selection(worker, shape, positions, load, self.losses.is_dangerous(position))
        return Selection(worker, shape, positions, load)

    def _next(self, worker: WorkerRecord, shape: int, elsewhere: set[int]) -> int:
        position = self._work.affinity.choose(shape, worker.shared_data, elsewhere)
        if self._is_unfit(worker, position):
            return self._schedule.first_but(shape, lambda i: self._is_unfit(worker, i), _FAR)
        return position

    def _is_unfit(self, worker: WorkerRecord, position: int) -> bool:
        """Whether a worker cannot run a task, or not beside its present ones."""
        dangerous = self.losses.is_dangerous(position)
        return (dangerous and bool(worker.out)) or self._lacks(worker, position)

    def _lacks(self, worker: WorkerRecord, position: int) -> bool:
        return bool(worker.lacking) and self._name(position) in worker.lacking

    def _name(self, position: int) -> str:
        call = self._schedule.tasks[position].call
        return module_id(HANDLERS[call.kind].section, call.module)

    def objection(self, workers: Collection[WorkerRecord], shape: int) -> str:
        """Return why no worker can run the next task of a shape; empty when one can."""
        wanted = self._schedule.shapes[shape]
        if wanted == LOCAL_FILES:
            return ""
        position = self._schedule.peek(shape)
        name = self._name(position)
        objections = [
            each.machine.objection(wanted) or each.lacking.get(name, "") for each in workers
        ]
        return objections[0] if all(objections) else ""

    def _expectation(self, position: int) -> float:
        return self._expected.get(self._schedule.tasks[position].call.module, math.inf)

    def cores_of_use(self, given: int, queued: int) -> int:
        """Return how many cores could be busy with so many queued tasks."""
        known = list(self._expected.values())
        mean = sum(known) / len(known) if known else math.inf
        useful = queued if mean >= _BATCH_SECONDS else math.ceil(queued * mean / _BATCH_SECONDS)
        return given + useful


def _held(workers: Collection[WorkerRecord], but: WorkerRecord) -> set[int]:
    held = (each.shared_data for each in workers if each is not but)
    return {data for data in held if data is not None}

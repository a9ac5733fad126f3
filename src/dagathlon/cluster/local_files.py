"""The local file worker: reads the study's files, which other machines do not have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from dagathlon.cluster.cache import NO_ROOM
from dagathlon.cluster.events import Event, Failed, Returned
from dagathlon.cluster.messages import Batch
from dagathlon.cluster.remote_host import RemoteHost
from dagathlon.cluster.worker_record import LOCAL
from dagathlon.study.engine.resources import Machine
from dagathlon.study.plan.task import Limits, Resources, Task, Workload

LOCAL_FILES = Resources(1, 0, True)
"""Resources requested by tasks that read a file, as a queue of their own."""


@dataclass(frozen=True)
class PlanWithLocalFiles:
    """A plan whose tasks that read local files have a queue of their own."""

    tasks: list[Task]
    limits: Mapping[int, Limits]
    resources: Mapping[int, Resources]


def with_local_files(plan: Workload) -> PlanWithLocalFiles:
    """Return the plan with the tasks that read files in a queue of their own."""
    files = {i: LOCAL_FILES for i, task in enumerate(plan.tasks) if task.call.location}
    return PlanWithLocalFiles(list(plan.tasks), plan.limits, {**plan.resources, **files})


class LocalFileWorker:
    """A `RemoteHost` of one core in the coordinator's process."""

    def __init__(self, folder: Path, tell: Callable[[Event], None]) -> None:
        self._folder = folder
        self._tell = tell
        self._remote: RemoteHost | None = None
        self._is_over = False
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="dagathlon-home")

    def send(self, batch: Batch) -> None:
        """Run a batch; `Returned` or `Failed` follows."""
        self._thread.submit(self._do, batch)

    def close(self) -> None:
        """End the running tasks."""
        self._is_over = True
        self._thread.shutdown(wait=True, cancel_futures=True)
        if self._remote is not None:
            self._remote.close()

    def _do(self, batch: Batch) -> None:
        try:
            if self._remote is None:
                self._remote = RemoteHost(self._folder, Machine(1), {})
            remote = self._remote
            reply = remote.carry_out(batch, lambda: not self._is_over)
        except Exception as error:  # it must reach the engine's thread
            self._tell(
                Failed(
                    LOCAL, batch.number, str(error), full=getattr(error, "errno", None) in NO_ROOM
                )
            )
            return
        large = [each.digest for each in reply.reports if each.digest and each.content is None]
        files = {digest: remote.cache.objects.path(digest) for digest in large}
        self._tell(Returned(LOCAL, batch.number, reply, files))

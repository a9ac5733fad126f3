"""The dask engine: guarded processes beside the workers of a dask cluster, on any machines."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar

from dagathlon.cluster.clusters import ClusterSettings, Connection, connected
from dagathlon.cluster.dask_client import DaskClient
from dagathlon.cluster.dispatch import Dispatch
from dagathlon.cluster.handshake import modules_of
from dagathlon.cluster.local_files import with_local_files
from dagathlon.cluster.user_modules import packed_user_modules
from dagathlon.errors import DagathlonError
from dagathlon.study.engine.coordinator import Coordinator
from dagathlon.study.engine.protocol import OBJECT, Note, OnEvent, Options, Summary, silent
from dagathlon.study.engine.workers import on_signals
from dagathlon.study.plan.task import Workload
from dagathlon.study.store.store import Store

_LOOK = 0.2
_RUNNING = ("client", "scheduler")


@dataclass(frozen=True)
class DaskEngine:
    """Runs tasks on the workers of a dask cluster, which share no file system with this process.

    Parameters
    ----------
    client
        A `distributed.Client`, whose cluster is used.
    scheduler
        Address of a running scheduler, such as ``tcp://host:8786``. Without it and without a
        client, a cluster on this machine is started for the run.
    jobs
        Cores of this machine to use, where the cluster is started here; 0 is all.
    workers
        Number of dask workers, where the cluster is started here; 0 chooses.
    cores
        Cores of each of these workers, in place of `jobs`.
    host, dashboard, minimum, tls, options
        Further settings of such a cluster, as in `ClusterSettings`.
    """

    name: ClassVar[str] = "dask"

    client: Any = field(default=None, metadata={OBJECT: True})
    scheduler: str = ""
    jobs: int = 0
    workers: int = 0
    cores: int = 0
    host: str = ""
    dashboard: str = ""
    minimum: int = 0
    tls: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Reject contradictory settings before anything starts."""
        asked = [name for name in vars(self) if name not in _RUNNING and getattr(self, name)]
        if asked and (self.client is not None or self.scheduler):
            raise DagathlonError(
                f"{asked[0]} is for a cluster that is started here; the scheduler that was given "
                "has its own workers"
            )
        if self.jobs and self.cores:
            raise DagathlonError("give either jobs (total cores) or cores (per worker), not both")
        self.settings()

    def settings(self) -> ClusterSettings:
        """Return the settings of the cluster; unused with a `client`."""
        workers = self.workers or min(self.jobs, 1)
        return ClusterSettings(
            kind=DaskEngine.name,
            scheduler=self.scheduler,
            workers=workers,
            cores=self.cores or (-(-self.jobs // workers) if workers else 0),
            host=self.host,
            dashboard=self.dashboard,
            minimum=self.minimum,
            tls=self.tls,
            options=self.options,
        )

    def run(
        self,
        plan: Workload,
        store: Store,
        *,
        on_event: OnEvent = silent,
        options: Options = Options(),  # noqa: B008 - it is immutable
    ) -> Summary:
        """Run all tasks that have no outcome in the store yet; see `Engine`."""
        with Coordinator(with_local_files(plan), store, on_event, options) as work:
            if work.is_going_on:
                self._go(work, store)
        return work.summary

    def _go(self, work: Coordinator, store: Store) -> None:
        def say(text: str) -> None:
            notes.append(text)

        notes: list[str] = []
        dask_client = DaskClient(
            lambda: self._connected(say, work),
            modules_of(work.schedule),
            packed_user_modules(),
            store.objects,
            work.scratch,
        )

        def stop() -> None:
            work.interrupted = True

        with on_signals(stop), dask_client, Dispatch(work, dask_client, store) as dispatch:
            next_look = 0.0
            while work.is_going_on:
                dispatch.hand_out()
                for event in dask_client.events(next_look - time.monotonic()):
                    dispatch.take(event)
                while notes:
                    work.tell(Note(notes.pop(0)))
                if time.monotonic() >= next_look:
                    next_look = time.monotonic() + _LOOK
                    dispatch.look()

    def _connected(
        self, say: Callable[[str], None], work: Coordinator
    ) -> AbstractAsyncContextManager[Connection]:
        """Connect to the scheduler; overridden by engines that start a cluster."""
        if self.client is not None:
            return _given(self.client)
        return connected(self.settings(), say)


@asynccontextmanager
async def _given(client: Any) -> Any:
    """Return the connection to the scheduler of a dask client that the caller made."""
    yield Connection(client.scheduler.address, client.security)

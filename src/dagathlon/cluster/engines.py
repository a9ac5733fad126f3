"""Engines that start a cluster for a run: one class per manager of the table."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from dagathlon.cluster.clusters import ClusterSettings, Connection, check_ready, connected
from dagathlon.cluster.dask_engine import DaskEngine
from dagathlon.cluster.managers import MANAGERS
from dagathlon.errors import DagathlonError, listing
from dagathlon.study.engine.coordinator import Coordinator
from dagathlon.study.store.results_folder import LOGS, make_folder

_WORDS = tuple(each.name for each in dataclasses.fields(ClusterSettings) if each.name != "kind")


@dataclass(frozen=True)
class ClusterEngine(DaskEngine):
    """Runs tasks on a cluster that is started for the run and closed after it.

    Parameters
    ----------
    workers, cores, memory, walltime, partition, account, hosts, interface, host, dashboard
        As in `ClusterSettings`.
    minimum, tls, log_folder, job_extra, prologue, options
        Likewise. Jobs leave their logs beside the store unless a folder is named.
    """

    memory: str = ""
    walltime: str = ""
    partition: str = ""
    account: str = ""
    hosts: str = ""
    interface: str = ""
    log_folder: str = ""
    job_extra: tuple[str, ...] = ()
    prologue: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Reject contradictory settings before anything starts."""
        for each in dataclasses.fields(self):
            if each.name not in _WORDS and getattr(self, each.name):
                takes = listing(MANAGERS[self.name].takes)
                raise DagathlonError(f"the engine {self.name} has no {each.name}; it takes {takes}")
        check_ready(self.settings())

    def settings(self) -> ClusterSettings:
        """Return the settings of the cluster."""
        return ClusterSettings(kind=self.name, **{word: getattr(self, word) for word in _WORDS})

    def _connected(
        self, say: Callable[[str], None], work: Coordinator
    ) -> AbstractAsyncContextManager[Connection]:
        settings = self.settings()
        if settings.manager.has_jobs and not settings.log_folder:
            scratch = work.scratch.resolve()
            logs = make_folder(scratch.parents[2], LOGS, scratch.name)
            settings = dataclasses.replace(settings, log_folder=str(logs))
        return connected(settings, say)


def _engine(kind: str) -> type[ClusterEngine]:
    members = {"name": kind, "__module__": __name__, "__doc__": ClusterEngine.__doc__}
    return dataclass(frozen=True)(type(f"{kind.title()}Engine", (ClusterEngine,), members))


_MADE = {kind: _engine(kind) for kind in MANAGERS if kind != DaskEngine.name}
globals().update({cls.__name__: cls for cls in _MADE.values()})

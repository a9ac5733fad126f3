"""Connections to dask schedulers: running ones, or clusters started for one run."""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from dagathlon.cluster.autoscaler import Autoscaler
from dagathlon.cluster.listening import LOCAL, listening_host
from dagathlon.cluster.making import NewCluster, check_ready, make_cluster, security_of
from dagathlon.cluster.settings import ClusterSettings
from dagathlon.errors import DagathlonError

__all__ = ["ClusterSettings", "Connection", "check_ready", "connected"]


class Connection(NamedTuple):
    """A dask scheduler that accepts connections.

    Parameters
    ----------
    address
        ``tcp://…`` or ``tls://…``.
    security
        A `distributed.Security`, or None.
    expected
        Number of workers requested; 0 when unknown.
    want
        To be called about once a second, from the event loop, with the number of cores that could
        be busy and the addresses of idle workers; raises a `DagathlonError` when no worker can be
        started. None for a cluster that is managed elsewhere.
    dashboard_host
        The address on which the dashboard listens, where that is not the scheduler's.
    """

    address: str
    security: Any = None
    expected: int = 0
    want: Callable[[int, Collection[str]], None] | None = None
    dashboard_host: str = ""


@asynccontextmanager
async def connected(
    settings: ClusterSettings, say: Callable[[str], None]
) -> AsyncIterator[Connection]:
    """Connect to a scheduler; a cluster that was started for it is closed at the end.

    To be entered inside the event loop that talks to the scheduler.

    Parameters
    ----------
    settings
        The settings of the cluster.
    say
        Called with messages for the user: jobs submitted, workers lost.
    """
    check_ready(settings)
    if settings.scheduler:
        yield _running(settings)
        return
    security = security_of(settings)
    if settings.log_folder:
        Path(settings.log_folder).mkdir(parents=True, exist_ok=True)
    _warn_of_loopback(settings, say)
    made = await _started(settings, security)
    try:
        if settings.kind == "kubernetes":
            # The operator replaces what ends; scaling is its own affair too.
            yield Connection(made.cluster.scheduler_address, security, made.workers)
            return
        async with _tended(made, settings, say) as autoscaler:
            host = "" if settings.dashboard else LOCAL
            yield Connection(
                made.cluster.scheduler_address, security, made.workers, autoscaler.want, host
            )
    finally:
        await made.cluster.close()


def _running(settings: ClusterSettings) -> Connection:
    """Return the connection to a scheduler started by others, which may not use TLS."""
    if not settings.scheduler.startswith("tls://"):
        return Connection(settings.scheduler)
    security = security_of(settings)
    if security is None:
        raise DagathlonError(
            f"scheduler: {settings.scheduler} needs credentials, and dask's configuration has none "
            f"(distributed.comm.tls.ca-file)"
        )
    return Connection(settings.scheduler, security)


async def _started(settings: ClusterSettings, security: Any) -> NewCluster:
    """Start a cluster with its scheduler, without any jobs yet."""
    try:
        made = make_cluster(settings, security)
    except (TypeError, ValueError) as error:
        message = str(error).partition(". ")[0].partition("\n")[0]
        raise DagathlonError(f"{settings.kind}: options: {message}") from None
    try:
        await made.cluster
    except Exception as error:
        await made.cluster.close()
        raise DagathlonError(f"{settings.kind}: the cluster does not start: {error}") from error
    return made


@asynccontextmanager
async def _tended(
    made: NewCluster, settings: ClusterSettings, say: Callable[[str], None]
) -> AsyncIterator[Autoscaler]:
    autoscaler = Autoscaler(made, settings, say)
    await autoscaler.begin()
    tending = asyncio.create_task(autoscaler.tend())
    try:
        yield autoscaler
    finally:
        # Never cancelled: a job that is just being submitted would have no owner.
        autoscaler.end()
        await tending


def _warn_of_loopback(settings: ClusterSettings, say: Callable[[str], None]) -> None:
    if not (settings.manager.has_jobs or settings.manager.needs_hosts):
        return
    host = listening_host(settings)
    if ipaddress.ip_address(host).is_loopback:
        say(
            f"the scheduler listens on {host}, which other machines cannot reach; --interface or "
            f"--host names another address of this machine"
        )

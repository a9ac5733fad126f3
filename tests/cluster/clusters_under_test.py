"""What the tests of clusters share: a cluster, watched from inside its event loop."""

from __future__ import annotations

import asyncio
import subprocess
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from dagathlon.cluster.clusters import ClusterSettings, Connection, connected

PATIENCE = 180.0


class Watched:
    """A cluster, and what was said of it."""

    def __init__(self, settings: ClusterSettings) -> None:
        self.settings = settings
        self.said: list[str] = []
        self.scheduler: Any = None
        self.connection: Connection | None = None

    async def workers(self) -> dict[str, dict[str, Any]]:
        """What the scheduler knows of its workers, by address."""
        found: dict[str, dict[str, Any]] = (await self.scheduler.identity())["workers"]
        return found

    async def until(self, holds: Callable[[dict[str, dict[str, Any]]], bool]) -> Any:
        """Wait until something holds of the workers, which are returned."""
        end = time.monotonic() + PATIENCE
        while True:
            found = await self.workers()
            if holds(found):
                return found
            assert time.monotonic() < end, (found, self.said, queue())
            if self.connection is not None and self.connection.want is not None:
                self.connection.want(10**6, ())
            await asyncio.sleep(0.2)


@asynccontextmanager
async def watched(**settings: Any) -> AsyncIterator[Watched]:
    """A cluster with a connection to its scheduler."""
    from distributed import Client

    cluster = Watched(ClusterSettings(**settings))
    async with connected(cluster.settings, cluster.said.append) as found:
        cluster.connection = found
        async with Client(found.address, security=found.security, asynchronous=True) as client:
            cluster.scheduler = client.scheduler
            yield cluster


def queue() -> dict[str, tuple[str, str]]:
    """State and node of every job of the queue, by number."""
    text = subprocess.run(
        ["squeue", "--noheader", "--format=%A %T %N"], capture_output=True, text=True, check=False
    ).stdout
    rows = [[*line.split(), ""] for line in text.splitlines()]
    return {number: (state, node) for number, state, node, *_ in rows}


def queue_empties() -> bool:
    """Whether all jobs come to their end."""
    end = time.monotonic() + PATIENCE
    while queue() and time.monotonic() < end:
        time.sleep(0.2)
    return not queue()


def listens_on(address: str) -> set[str]:
    """Where the processes of a cluster listen: this one, and those that were told its address."""
    import psutil  # comes with dask

    told = [
        each for each in psutil.process_iter(["cmdline"]) if address in (each.info["cmdline"] or ())
    ]
    family = {psutil.Process(), *told, *(child for each in told for child in each.children(True))}
    pids = {each.pid for each in family}
    found = psutil.net_connections("inet")
    return {each.laddr.ip for each in found if each.status == "LISTEN" and each.pid in pids}

"""A dask cluster on this machine, and one that runs already."""

from __future__ import annotations

import asyncio
import os
import signal
import socket

import pytest
from clusters_under_test import listens_on, watched

from dagathlon.cluster.clusters import ClusterSettings, Connection, connected
from dagathlon.errors import DagathlonError

pytest.importorskip("distributed")
pytestmark = pytest.mark.slow


def test_workers_listen_on_this_machine_alone_and_come_back_when_killed() -> None:
    async def go() -> None:
        async with watched(kind="dask", workers=2, cores=1) as cluster:
            assert cluster.connection is not None
            assert cluster.connection.address.startswith("tcp://127.0.0.1:")
            workers = await cluster.until(lambda found: len(found) == 2)
            assert {worker["memory_limit"] for worker in workers.values()} == {0}
            assert listens_on(cluster.connection.address) == {"127.0.0.1"}
            killed = next(iter(workers))
            _kill(killed)
            await cluster.until(lambda found: len(found) == 2 and killed not in found)

    asyncio.run(go())


def _kill(address: str) -> None:
    import psutil

    port = int(address.rpartition(":")[2])
    for each in psutil.net_connections("inet"):
        if each.status == "LISTEN" and each.laddr.port == port:
            os.kill(each.pid, signal.SIGKILL)


def test_the_dashboard_takes_another_port_when_its_own_is_taken() -> None:
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind(("127.0.0.1", 8787))
            taken.listen()
        except OSError:
            pass  # somebody else has it, which serves as well

        async def go() -> int:
            async with watched(kind="dask", workers=1, cores=1) as cluster:
                services = (await cluster.scheduler.identity())["services"]
                return int(services["dashboard"])

        assert asyncio.run(go()) not in (0, 8787)


def test_one_that_runs_already_is_left_alone() -> None:
    async def go() -> None:
        async with watched(kind="dask", workers=1, cores=1) as cluster:
            assert cluster.connection is not None
            address = cluster.connection.address
            async with connected(ClusterSettings(kind="dask", scheduler=address), print) as found:
                assert found == Connection(address)
            assert len(await cluster.until(lambda workers: len(workers) == 1)) == 1

    asyncio.run(go())


def test_a_scheduler_that_encrypts_needs_credentials() -> None:
    async def go() -> None:
        settings = ClusterSettings(kind="dask", scheduler="tls://127.0.0.1:1")
        async with connected(settings, print):
            pass

    with pytest.raises(DagathlonError, match="needs credentials"):
        asyncio.run(go())


def test_traffic_is_encrypted_when_asked_for() -> None:
    pytest.importorskip("cryptography")

    async def go() -> None:
        async with watched(kind="dask", workers=1, cores=1, tls=True) as cluster:
            (address,) = await cluster.until(lambda found: len(found) == 1)
            assert address.startswith("tls://127.0.0.1:")

    asyncio.run(go())


def test_credentials_of_dasks_own_configuration_are_used(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    pytest.importorskip("cryptography")
    import dask
    from distributed import Security

    folder = tmp_path_factory.mktemp("tls")
    made = Security.temporary()
    for name, text in (("key", made.tls_scheduler_key), ("cert", made.tls_scheduler_cert)):
        (folder / name).write_text(text)
    roles = {
        f"distributed.comm.tls.{role}.{name}": str(folder / name)
        for role in ("scheduler", "worker", "client")
        for name in ("key", "cert")
    }

    async def go() -> None:
        async with watched(kind="dask", workers=1, cores=1) as cluster:
            assert cluster.connection is not None
            assert cluster.connection.address.startswith("tls://")
            await cluster.until(lambda found: len(found) == 1)

    with dask.config.set({**roles, "distributed.comm.tls.ca-file": str(folder / "cert")}):
        asyncio.run(go())

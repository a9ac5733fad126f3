"""Clusters on a real SLURM: they come up, lose workers, get new ones, and leave nothing behind."""

from __future__ import annotations

import asyncio
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from clusters_under_test import Watched, listens_on, queue, queue_empties, watched

from dagathlon.errors import DagathlonError

pytest.importorskip("dask_jobqueue")
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("slurm")]


@pytest.fixture(autouse=True)
def nothing_is_left(slurm: Path) -> Iterator[None]:
    """Every test must leave an empty queue."""
    yield
    assert queue_empties()


def settings(tmp_path: Path, **more: Any) -> dict[str, Any]:
    asked = {"cores": 2, "memory": "1G", "walltime": "0:30:00", "log_folder": str(tmp_path)}
    return {"kind": "slurm", **asked, **more}


def scancel(job: str) -> None:
    subprocess.run(["scancel", job], check=True)


def test_workers_come_up_on_both_nodes_and_jobs_are_gone_afterwards(tmp_path: Path) -> None:
    async def go() -> None:
        async with watched(**settings(tmp_path, workers=2)) as cluster:
            assert cluster.connection is not None
            assert cluster.connection.expected == 2
            workers = await cluster.until(lambda found: len(found) == 2)
            assert {worker["nthreads"] for worker in workers.values()} == {2}
            assert {worker["memory_limit"] for worker in workers.values()} == {0}
            assert sorted(node for _, node in queue().values()) == ["n1", "n2"]
            own = socket.gethostbyname(socket.gethostname())
            assert listens_on(cluster.connection.address) == {own, "127.0.0.1"}
            assert any("submitted 2 jobs" in line for line in cluster.said)

    asyncio.run(go())


def test_a_worker_whose_job_is_cancelled_is_replaced(tmp_path: Path) -> None:
    async def go() -> None:
        async with watched(**settings(tmp_path, workers=1)) as cluster:
            first = set(await cluster.until(lambda found: len(found) == 1))
            scancel(*queue())
            await cluster.until(lambda found: len(found) == 1 and not set(found) & first)
            assert any("1 worker lost" in line for line in cluster.said)

    asyncio.run(go())


def test_a_job_that_is_cancelled_while_it_waits_is_replaced(tmp_path: Path) -> None:
    async def go() -> None:
        async with watched(**settings(tmp_path, workers=3)) as cluster:
            await cluster.until(lambda found: len(found) == 2)
            (waiting,) = [job for job, (state, _) in queue().items() if state == "PENDING"]
            before = set(queue())
            scancel(waiting)
            await cluster.until(lambda _: bool(set(queue()) - before))
            assert any(f"job {waiting} ended before" in line for line in cluster.said)

    asyncio.run(go())


def test_workers_leave_before_their_wall_time_and_are_replaced(tmp_path: Path) -> None:
    async def go() -> None:
        async with watched(**settings(tmp_path, workers=1, walltime="0:01:00")) as cluster:
            first = set(await cluster.until(lambda found: len(found) == 1))
            await cluster.until(lambda found: len(found) == 1 and not set(found) & first)

    asyncio.run(go())
    # It left in order; one that SLURM had to end says so in its log.
    assert not any("DUE TO TIME LIMIT" in path.read_text() for path in tmp_path.glob("*.err"))


def test_traffic_is_encrypted_when_asked_for(tmp_path: Path) -> None:
    async def go() -> None:
        async with watched(**settings(tmp_path, workers=1, tls=True)) as cluster:
            assert cluster.connection is not None
            assert cluster.connection.address.startswith("tls://")
            (address,) = await cluster.until(lambda found: len(found) == 1)
            assert address.startswith("tls://")

    asyncio.run(go())
    assert not list(tmp_path.glob(".dask*")), "keys are left behind"


def test_more_workers_come_when_there_is_work(tmp_path: Path) -> None:
    async def go() -> None:
        async with watched(**settings(tmp_path, workers=2, minimum=1)) as cluster:
            assert len(queue()) == 1
            await cluster.until(lambda found: len(found) == 2)  # it wants all that there may be

    asyncio.run(go())


def test_jobs_that_end_at_once_end_the_run_with_what_they_said(tmp_path: Path) -> None:
    async def go() -> None:
        prologue = ("echo there is no such module >&2", "exit 3")
        async with watched(**settings(tmp_path, workers=1, prologue=prologue)) as cluster:
            await cluster.until(lambda found: len(found) == 1)

    with pytest.raises(DagathlonError, match=r"ended before its worker.*there is no such module"):
        asyncio.run(go())


def test_a_partition_that_is_not_there_is_told(tmp_path: Path) -> None:
    async def go() -> Watched:
        async with watched(**settings(tmp_path, workers=1, partition="nope")) as cluster:
            return cluster

    with pytest.raises(
        DagathlonError, match=r"no worker could be started.*invalid partition.*nope"
    ):
        asyncio.run(go())

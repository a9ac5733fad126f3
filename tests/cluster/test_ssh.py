"""Workers by logging in to machines: to an sshd of our own on this one."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from clusters_under_test import listens_on, watched

from dagathlon.errors import DagathlonError

pytest.importorskip("asyncssh")
pytest.importorskip("distributed")
pytestmark = pytest.mark.slow


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def login(tmp_path: Path) -> Iterator[dict[str, Any]]:
    """Settings with which an sshd that runs for this test can be logged in to."""
    daemon = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin")
    if daemon is None or os.getuid():
        pytest.skip("there is no sshd, or no right to start one")
    Path("/run/sshd").mkdir(exist_ok=True)
    for name in ("machine", "user"):
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / name]
        subprocess.run(command, check=True)
    port = free_port()
    (tmp_path / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {tmp_path}/machine\n"
        f"PidFile none\nAuthorizedKeysFile {tmp_path}/user.pub\nStrictModes no\nUsePAM no\n"
    )
    sshd = subprocess.Popen([daemon, "-D", "-f", tmp_path / "sshd_config"])
    hosts = tmp_path / "hosts.txt"
    hosts.write_text("127.0.0.1\n127.0.0.1  # twice\n")
    connect = {"port": port, "client_keys": [str(tmp_path / "user")], "known_hosts": None}
    yield {"kind": "ssh", "hosts": str(hosts), "options": {"connect_options": connect}}
    sshd.send_signal(signal.SIGTERM)
    sshd.wait()


def test_workers_come_up_where_we_log_in(login: dict[str, Any]) -> None:
    async def go() -> None:
        async with watched(**login, cores=1, host="127.0.0.1") as cluster:
            assert cluster.connection is not None
            workers = await cluster.until(lambda found: len(found) == 2)
            assert {worker["memory_limit"] for worker in workers.values()} == {0}
            assert {worker["nthreads"] for worker in workers.values()} == {1}
            assert listens_on(cluster.connection.address) == {"127.0.0.1"}

    asyncio.run(go())


def test_a_worker_that_is_killed_is_started_again(login: dict[str, Any]) -> None:
    import psutil

    async def go() -> None:
        async with watched(**login, cores=1, host="127.0.0.1") as cluster:
            assert cluster.connection is not None
            first = set(await cluster.until(lambda found: len(found) == 2))
            for process in psutil.process_iter(["cmdline"]):
                words = process.info["cmdline"] or ()
                if cluster.connection.address in words and "distributed.cli.dask_spec" in words:
                    process.kill()
            await cluster.until(lambda found: len(found) == 2 and not set(found) & first)
            assert any("lost; asking for as many again" in line for line in cluster.said)

    asyncio.run(go())


def test_a_machine_that_lets_nobody_in_is_told(login: dict[str, Any]) -> None:
    login["options"]["connect_options"]["port"] = free_port()

    async def go() -> None:
        async with watched(**login):
            pass

    with pytest.raises(
        DagathlonError, match=r"ssh: no worker could be started: .*Connect call failed"
    ):
        asyncio.run(go())

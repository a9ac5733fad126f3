"""Workers and coordinators that are killed, frozen and cut off: the tables stay the same."""

from __future__ import annotations

import csv
import os
import random
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("distributed")
from chaos import Cluster, orphans

from dagathlon.study.store.store import Store

RUNNER = Path(__file__).with_name("fault_runner.py")
MEASURED = ("time", "cpu", "memory")
RUNS = 2000
SEEDS = RUNS // 4
LIMIT = 600.0


def tables(folder: Path) -> dict[str, list[list[str]]]:
    """All tables of results without what is measured."""
    found = {}
    for path in sorted(folder.rglob("*.csv")):
        with path.open(newline="") as file:
            rows = list(csv.reader(file))
        kept = [i for i, name in enumerate(rows[0]) if not name.startswith(MEASURED)]
        found[str(path.relative_to(folder))] = [[row[i] for i in kept] for row in rows]
    return found


def start(out: Path, scheduler: str, seeds: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, str(RUNNER), str(out), scheduler, str(seeds)]
    with (out.parent / "coordinator.log").open("ab") as log:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)


def watched(out: Path) -> None:
    """Have the index of a store write down every result that is put into it."""
    with Store(out / "store"):
        pass
    with sqlite3.connect(out / "store" / "index.sqlite") as connection:
        connection.execute("CREATE TABLE log (key BLOB)")
        connection.execute(
            "CREATE TRIGGER watch AFTER INSERT ON results BEGIN "
            "INSERT INTO log VALUES (NEW.key); END"
        )
    connection.close()


def counted(out: Path) -> tuple[int, int, int]:
    """Numbers of results, of entries of the log, and of keys in it."""
    connection = sqlite3.connect(out / "store" / "index.sqlite")
    rows = (
        connection.execute(f"SELECT {what}").fetchone()[0]
        for what in (
            "count(*) FROM results",
            "count(*) FROM log",
            "count(DISTINCT key) FROM log",
        )
    )
    found = tuple(rows)
    connection.close()
    return found


def harmed(cluster: Cluster, out: Path, seed: int, kills: int) -> None:
    """Run a study while its workers are harmed; the coordinator is killed so many times."""
    rng = random.Random(seed)
    coordinator = start(out, cluster.address, SEEDS)
    began = time.monotonic()
    next_harm = began + 4.0
    next_kill = began + rng.uniform(8.0, 14.0)
    while coordinator.poll() is None:
        assert time.monotonic() - began < LIMIT, (out.parent / "coordinator.log").read_text()
        time.sleep(0.1)
        cluster.tend()
        if time.monotonic() >= next_harm:
            cluster.harm(rng)
            next_harm = time.monotonic() + rng.uniform(1.5, 5.0)
        if kills and time.monotonic() >= next_kill:
            coordinator.kill()
            coordinator.wait()
            kills -= 1
            next_kill = time.monotonic() + rng.uniform(8.0, 14.0)
            coordinator = start(out, cluster.address, SEEDS)
    assert coordinator.returncode == 0, (out.parent / "coordinator.log").read_text()
    assert not kills


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The tables of the local engine."""
    out = tmp_path_factory.mktemp("local") / "results"
    coordinator = start(out, "", SEEDS)
    assert coordinator.wait(LIMIT) == 0, (out.parent / "coordinator.log").read_text()
    return tables(out)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(int(os.environ.get("DAGATHLON_FAULT_RUNS", "1"))))
def test_tables_do_not_hang_on_what_befalls_workers(tmp_path, expected, seed):
    out = tmp_path / "results"
    watched(out)
    with Cluster(tmp_path, workers=4) as cluster:
        harmed(cluster, out, seed, kills=2)
        assert set(cluster.done) == {"kill", "freeze", "disconnect"}
    assert tables(out) == expected
    results, written, keys = counted(out)
    assert results == written == keys
    until = time.monotonic() + 60
    while orphans(tmp_path) and time.monotonic() < until:
        time.sleep(0.2)
    assert not orphans(tmp_path)

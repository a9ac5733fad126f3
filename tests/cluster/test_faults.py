"""Workers and coordinators that are killed, frozen and cut off: the tables stay the same."""

from __future__ import annotations

import contextlib
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
from chaos import DEEDS, Cluster, orphans

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


def begun(out: Path) -> None:
    """Make the store before any run, so that it can be looked at from the beginning."""
    with Store(out / "store"):
        pass


def counted(out: Path) -> list[int]:
    """Numbers of results, of rows that were ever written, and of keys.

    A row that is written again gets the next number, and the old one is gone.
    """
    wanted = [f"{one} FROM results" for one in ("count(*)", "max(id)", "count(DISTINCT key)")]
    with contextlib.closing(sqlite3.connect(out / "store" / "index.sqlite")) as connection:
        return [connection.execute(f"SELECT {each}").fetchone()[0] for each in wanted]


def there(out: Path) -> int:
    """How many results are in the store."""
    with contextlib.closing(sqlite3.connect(out / "store" / "index.sqlite")) as connection:
        return int(connection.execute("SELECT count(*) FROM results").fetchone()[0])


def harmed(cluster: Cluster, out: Path, seed: int, total: int) -> None:
    """Run a study while its workers are harmed, and kill the coordinator twice.

    Harm comes with the results, so that all of it comes on machines of any speed, and now and then
    while there are none.
    """
    rng = random.Random(seed)
    harms = [total * part // 13 for part in range(1, 13)]
    kills = [total * rng.randrange(15, 45) // 100, total * rng.randrange(55, 85) // 100]
    coordinator = start(out, cluster.address, SEEDS)
    began = time.monotonic()
    next_harm = began + 10.0
    while coordinator.poll() is None:
        assert time.monotonic() - began < LIMIT, (out.parent / "coordinator.log").read_text()
        time.sleep(0.1)
        cluster.tend()
        done = there(out)
        if (harms and done >= harms[0]) or time.monotonic() >= next_harm:
            harms = [each for each in harms if each > done]
            cluster.harm(rng)
            next_harm = time.monotonic() + rng.uniform(3.0, 8.0)
        if kills and done >= kills[0]:
            kills.pop(0)
            coordinator.kill()
            coordinator.wait()
            coordinator = start(out, cluster.address, SEEDS)
    assert coordinator.returncode == 0, (out.parent / "coordinator.log").read_text()
    assert not kills


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The tables of the local engine, and how many results there are."""
    out = tmp_path_factory.mktemp("local") / "results"
    coordinator = start(out, "", SEEDS)
    assert coordinator.wait(LIMIT) == 0, (out.parent / "coordinator.log").read_text()
    return tables(out), there(out)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(int(os.environ.get("DAGATHLON_FAULT_RUNS", "1"))))
def test_tables_do_not_hang_on_what_befalls_workers(tmp_path, expected, seed):
    out = tmp_path / "results"
    rows, total = expected
    begun(out)
    with Cluster(tmp_path, workers=4) as cluster:
        harmed(cluster, out, seed, total)
        assert set(cluster.done) == set(DEEDS)
    assert tables(out) == rows
    results, written, keys = counted(out)
    assert results == written == keys == total
    until = time.monotonic() + 60
    while orphans(tmp_path) and time.monotonic() < until:
        time.sleep(0.2)
    assert not orphans(tmp_path)


@pytest.mark.slow
def test_a_way_to_the_scheduler_that_is_cut_costs_no_worker(tmp_path):
    few = SEEDS // 5
    local, out = tmp_path / "local" / "results", tmp_path / "results"
    local.parent.mkdir()
    assert start(local, "", few).wait(LIMIT) == 0
    total = there(local)
    begun(out)
    with Cluster(tmp_path, workers=2) as cluster:
        coordinator = start(out, f"tcp://127.0.0.1:{cluster.front.port}", few)
        cuts = [total * part // 4 for part in (1, 2, 3)]
        while coordinator.poll() is None:
            time.sleep(0.1)
            if cuts and there(out) >= cuts[0]:
                cuts.pop(0)
                cluster.front.cut()
    said = (tmp_path / "coordinator.log").read_text()
    assert coordinator.returncode == 0, said
    assert not cuts
    assert "no more work" not in said
    assert tables(out) == tables(local)
    assert counted(out) == [total] * 3

"""The benchmarks' harness: what it records, and a smoke run of every topic."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from benchmarks import _tables
from benchmarks.__main__ import topics
from benchmarks._measure import Timing, best_of, compare, row, timed

ROOT = Path(__file__).parent.parent


OURS = Timing(0.5, 0.6, 0.4, 2**20)


def peer_row(call, limit: float = 5.0):
    return compare("work", OURS, "numpy", "numpy", call, limit=limit)


def test_a_peer_in_time_has_a_ratio_and_a_version():
    found = peer_row(lambda: (*timed(lambda: "same", 2), "as set"))
    assert found["ratio"] == float(found["peer_s"]) / 0.5
    assert (found["result"], found["note"]) == ("same", "as set")
    assert found["version"]


def test_a_peer_that_is_stopped_gives_a_lower_bound():
    found = peer_row(lambda: (best_of(lambda: time.sleep(60)), ""), limit=0.2)
    assert found["note"] == "stopped after 0.2 s"
    assert found["peer_s"].stopped
    assert _tables.cells(found)[8] == "> 0.4"


def test_time_for_preparing_does_not_count_to_the_limit():
    def slow_to_load():
        time.sleep(0.5)
        return best_of(lambda: None), ""

    assert peer_row(slow_to_load, limit=0.2)["peer_s"] < 0.2


def test_a_peer_that_fails_or_dies_or_is_missing_is_named():
    assert peer_row(lambda: 1 // 0)["note"].startswith("failed: ZeroDivisionError")
    assert peer_row(lambda: os._exit(3))["note"] == "failed: its process died"
    missing = compare("work", OURS, "nothing", "no_such_module", lambda: (1.0, ""))
    assert missing["note"] == "not installed"
    assert _tables.peers([missing]) == "Not installed: nothing."


def test_memory_and_cpu_are_those_of_the_call():
    found = best_of(lambda: b"x" * (64 << 20), 2)
    # The kernel counts pages in batches per core, so its figure is not exact to the page.
    assert abs(found.memory / 2**20 - 64) < 1
    idle = best_of(lambda: time.sleep(0.05), 2)
    assert idle >= 0.05 > idle.cpu


def test_a_timing_scales_as_a_whole():
    half = OURS / 2
    assert (float(half), half.slowest, half.cpu, half.memory) == (0.25, 0.3, 0.2, 2**20)


def test_a_topic_replaces_its_own_section_only(tmp_path: Path):
    path = tmp_path / "results.md"
    for topic, what in (("b", "old"), ("a", "first"), ("b", "new")):
        _tables.write(path, topic, _tables.section(topic, {"Machine": "x"}, [row(what, 1.0)]))
    text = path.read_text()
    assert text.index("## a") < text.index("| first |") < text.index("## b") < text.index("| new |")
    assert "old" not in text


@pytest.mark.slow
@pytest.mark.parametrize("topic", topics())
def test_smoke_run(topic: str, tmp_path: Path):
    if topic == "cluster":
        pytest.importorskip("distributed", reason="pip install 'dagathlon[dask]'")
    output = tmp_path / "results.md"
    command = [sys.executable, "-m", "benchmarks", topic, "--quick", "--output", str(output)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"## {topic}\n" in output.read_text()

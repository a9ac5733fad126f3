"""``dagathlon learn``: time limits with and without a result, progress, interrupts, statistics."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from dagathlon.cli import INTERRUPTED, USER_ERROR, main
from dagathlon.data import Dataset, write_data
from dagathlon.graphs import read_graph

MODULES = '''
import math
from dataclasses import dataclass

from dagathlon import Estimate, Graph, Learner
from dagathlon.pulse import beat, until_deadline


@dataclass(frozen=True, kw_only=True)
class Walker(Learner):
    """Walks until its time is up, and keeps the best it has seen."""

    name = "walker"
    anytime = True
    total: int = 0

    def learn(self, data, rng):
        steps = 0
        with until_deadline():
            while True:
                steps += 1
                beat(steps, self.total)
        return Estimate(Graph.from_edges([tuple(data.names[:2])], data.names), {"score": 1.5})


@dataclass(frozen=True, kw_only=True)
class Climber(Learner):
    """Climbs for ever and has nothing before it is at the top."""

    name = "climber"

    def learn(self, data, rng):
        steps = 0
        while True:
            steps += 1
            beat(steps)


@dataclass(frozen=True, kw_only=True)
class Diver(Learner):
    """Finds a score that is none."""

    name = "diver"
    score: str = "nan"

    def learn(self, data, rng):
        return Estimate(Graph(data.names), {"score": float(self.score)})


@dataclass(frozen=True, kw_only=True)
class Circle(Learner):
    """Goes round."""

    name = "circle"

    def learn(self, data, rng):
        a, b, c = data.names
        return Estimate(Graph.from_edges([(a, b), (b, c), (c, a)], data.names))
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DAGATHLON_MODULES", "")
    (tmp_path / "mine.py").write_text(MODULES)
    rows = [f"{i}.5,{2 * i + i % 3},{(7 * i) % 11 + 0.5}" for i in range(40)]
    (tmp_path / "d.csv").write_text("\n".join(["A,B,C", *rows, ""]))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def learning(*arguments: str) -> list[str]:
    command = [sys.executable, "-m", "dagathlon", "learn", "d.csv", "--modules", "mine.py"]
    return [*command, *arguments]


def finished(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        learning(*arguments), capture_output=True, text=True, check=False, timeout=100
    )


def test_the_best_so_far_is_written_and_marked(folder: Path) -> None:
    done = finished("--with", "walker", "--time-limit", "0.2s", "--stats", "s.json")
    assert done.returncode == 0
    assert done.stdout == "A -> B\n"
    assert "stopped at the time limit of 0.2 s with the best so far\n" in done.stderr
    stats = json.loads((folder / "s.json").read_text())
    assert stats["stopped_early"] is True
    assert stats["score"] == 1.5


def test_without_a_result_nothing_is_written(folder: Path) -> None:
    done = finished("--with", "climber", "--time-limit", "0.2s", "--out", "g.csv")
    assert done.returncode == USER_ERROR
    assert "stopped at the time limit of 0.2 s" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (folder / "g.csv").exists()


def test_a_report_on_data_beyond_the_memory_limit(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_data(Dataset.from_numpy(np.random.default_rng(1).normal(size=(500, 3))), "d.parquet")
    monkeypatch.setenv("DAGATHLON_MAX_UNPACKED", "10000")
    command = ["learn", "d.parquet", "--with", "pc", "--out", "g.csv"]
    assert main([*command, "--report", "page.html"]) == 0
    assert (folder / "page.html").stat().st_size > 1000


@pytest.mark.parametrize("limit", ["-1", "soon", "nan"])
def test_a_limit_is_a_time(folder: Path, limit: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["learn", "d.csv", "--with", "hc", f"--time-limit={limit}"]) == USER_ERROR
    assert "--time-limit" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("diver", "diver: statistic 'score' is not a number (NaN)"),
        pytest.param(
            "diver[score=-inf]",
            "diver: statistic 'score' is infinite (-inf)",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "circle",
            "circle: gives is 'dag': its result needs a DAG: A -> B -> C -> A",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_what_is_no_result_is_refused_with_the_reason(folder: Path, spec: str, reason: str) -> None:
    done = finished("--with", spec, "--stats", "s.json")
    assert done.returncode == USER_ERROR
    assert reason in done.stderr
    assert "Traceback" not in done.stderr
    assert not (folder / "s.json").exists()


def shown_until(reader: int, wanted: str) -> str:
    """What a terminal shows until a text appears in it."""
    shown = ""
    end = time.monotonic() + 60
    while wanted not in shown and time.monotonic() < end:
        with contextlib.suppress(UnicodeDecodeError):
            shown += os.read(reader, 65536).decode()
    return shown


@pytest.mark.slow
@pytest.mark.parametrize(("spec", "wanted"), [("climber", "steps"), ("walker[total=7]", "of 7")])
def test_a_terminal_shows_progress_until_the_interrupt(
    folder: Path, spec: str, wanted: str
) -> None:
    reader, terminal = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    child = subprocess.Popen(
        learning("--with", spec), stderr=terminal, stdout=subprocess.DEVNULL, env=environment
    )
    os.close(terminal)
    try:
        assert wanted in shown_until(reader, wanted)
        child.send_signal(signal.SIGINT)
        rest = shown_until(reader, "interrupted")
        assert child.wait(30) == INTERRUPTED
    finally:
        child.kill()
        child.wait()
        os.close(reader)
    assert "dagathlon: interrupted" in rest
    assert "Traceback" not in rest


@pytest.mark.slow
def test_nothing_but_a_terminal_is_shown_progress(folder: Path) -> None:
    done = finished("--with", "walker[total=7]", "--time-limit", "2.5s")
    assert done.returncode == 0
    assert "of 7" not in done.stderr
    assert done.stderr.count("\n") == 3


def test_the_form_of_the_graph_can_be_named(folder: Path) -> None:
    for name, beginning in (("table", "from,edge,to\n"), ("adjacency", "A,B,C\n")):
        code = main(["learn", "d.csv", "--with", "hc", "--out", "g.csv", "--format", name])
        assert code == 0
        assert (folder / "g.csv").read_text().startswith(beginning)
    assert main(["learn", "d.csv", "--with", "hc", "--out", "g.parquet"]) == 0
    assert read_graph(folder / "g.parquet") == read_graph(folder / "g.csv")


def test_a_form_without_a_file_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["learn", "d.csv", "--with", "hc", "--format", "table"]) == USER_ERROR
    assert "--format says how the file of --out is written" in capsys.readouterr().err


def test_a_matrix_of_many_columns_is_written_as_edges(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [f"V{i}" for i in range(2_001)]
    rows = [",".join(str((i + j * j) % 7) + ".5" for i in range(2_001)) for j in range(4)]
    (folder / "wide.csv").write_text("\n".join([",".join(names), *rows, ""]))
    assert main(["learn", "wide.csv", "--with", "corr_thresh[thresh=1]", "--out", "g.csv"]) == 0
    assert (folder / "g.csv").read_text().startswith("from,edge,to\n")
    assert "between 2,001 nodes: g.csv" in capsys.readouterr().out
    assert read_graph(folder / "g.csv").names[0].startswith("V")

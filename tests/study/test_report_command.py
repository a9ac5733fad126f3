"""``dagathlon report``, ``status`` and ``serve`` read what the run saved, and run nobody's code."""

from __future__ import annotations

import copy
import csv
import json
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from small_study import STUDY

from dagathlon.cli import main
from dagathlon.cli.serve import server_of
from dagathlon.study.records.file import SAVED
from dagathlon.study.records.provenance import PROVENANCE
from dagathlon.study.store.store import Store

# A learner of a user's own that leaves a mark whenever its file is executed.
MARKING = '''
from dataclasses import dataclass
from pathlib import Path

from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate, Learner

Path({mark!r}).write_text("executed")


@dataclass(frozen=True, kw_only=True)
class Nothing(Learner):
    """Joins nothing."""

    name = "nothing"
    gives = "undirected"
    endless_once: str = ""

    def learn(self, data, rng):
        import time

        if self.endless_once:
            try:
                open(self.endless_once, "x").close()
            except FileExistsError:
                pass
            else:
                time.sleep(1000)
        return Estimate(Graph(data.names))
'''
MANIFEST = """
name = "outside"
summary = "Joins nothing, in a program of its own."
command = ["sh", "{folder}/run.sh"]
takes = ["continuous"]
gives = "dag"
"""


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "dagathlon", *map(str, words)]


def called(env: dict[str, str], *words: object, code: int = 0) -> str:
    """What a command prints, in a process that knows nothing of this one."""
    done = subprocess.run(command(*words), capture_output=True, text=True, env=env, check=False)
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


def rows(out: Path) -> list[dict[str, str]]:
    with (out / "small" / "benchmarks" / "joint_benchmarks.csv").open(newline="") as stream:
        return list(csv.DictReader(stream))


def tables(out: Path) -> dict[str, bytes]:
    found = (*out.rglob("*.csv"), *out.rglob("*.parquet"), *out.rglob("report.html"))
    return {str(path.relative_to(out)): path.read_bytes() for path in found}


def own_study(folder: Path, **parameters: Any) -> Path:
    """A study with a learner of the user's own and one in a folder of an external module."""
    content = copy.deepcopy(STUDY)
    resources = content["resources"]["structure_learning_algorithms"]
    resources["nothing"] = [{"id": "own", **parameters}]
    content["benchmark_setup"][0]["evaluation"] = {
        "benchmarks": {"ids": ["correlation", "precision", "own"]},
        "ranking": {},
        "metrics": {},
    }
    content["modules"] = ["own.py"]
    (folder / "own.py").write_text(MARKING.format(mark=str(folder / "mark")))
    (folder / "small.json").write_text(json.dumps(content))
    return folder / "small.json"


@pytest.fixture(scope="module")
def finished(
    tmp_path_factory: pytest.TempPathFactory, plain_pictures: dict[str, str]
) -> tuple[Path, Path]:
    """The folder of a study and that of its results."""
    folder = tmp_path_factory.mktemp("finished")
    study = own_study(folder)
    called(plain_pictures, "run", study, "--out", folder / "out", "--jobs", 1, "--quiet")
    assert (folder / "mark").read_text() == "executed"
    (folder / "mark").unlink()
    return folder, folder / "out"


@pytest.mark.slow
def test_a_report_written_again_is_the_same(
    finished: tuple[Path, Path], plain_pictures: dict[str, str]
) -> None:
    folder, out = finished
    before = tables(out)
    assert len(before) > 12
    for path in (out / "small").rglob("*.csv"):
        path.unlink()
    printed = called(plain_pictures, "report", out)
    assert printed == f"report: {out / 'small' / 'report.html'}\n"
    assert tables(out) == before
    assert not (folder / "mark").exists()


def test_a_changed_module_replaces_no_row(
    finished: tuple[Path, Path], plain_pictures: dict[str, str]
) -> None:
    folder, out = finished
    before = tables(out)
    own = folder / "own.py"
    text = own.read_text()
    try:
        own.write_text(text + "\n# a comment\n")
        called(plain_pictures, "report", out)
    finally:
        own.write_text(text)
    assert tables(out) == before
    assert {row["status"] for row in rows(out)} == {"ok"}
    assert not (folder / "mark").exists()


@pytest.mark.slow
def test_results_are_read_elsewhere_without_the_study(
    finished: tuple[Path, Path], plain_pictures: dict[str, str], tmp_path: Path
) -> None:
    """Neither the study nor its modules are there; the folder has another name."""
    folder, out = finished
    shutil.copytree(out, tmp_path / "downloaded")
    (tmp_path / "downloaded" / "small" / "small.json").unlink()
    before = tables(out)
    hidden = folder.with_name("hidden")
    folder.rename(hidden)
    try:
        called(plain_pictures, "report", tmp_path / "downloaded")
        status = called(plain_pictures, "status", tmp_path / "downloaded")
    finally:
        hidden.rename(folder)
    after = tables(tmp_path / "downloaded")
    page = "small/report.html"
    again = before[page].replace(b"--out out", b"--out downloaded")
    assert after.pop(page) == again.replace(b"report out", b"report downloaded")
    assert after == {name: found for name, found in before.items() if name != page}
    assert "small: all 48 runs are in" in status
    assert not (folder / "mark").exists()


@pytest.mark.slow
def test_an_external_module_is_not_started(tmp_path: Path, plain_pictures: dict[str, str]) -> None:
    """Its folder is executed by the run, which fails, and by nothing that looks at results."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "module.toml").write_text(MANIFEST)
    (folder / "run.sh").write_text(f"touch {tmp_path / 'mark'}\nexit 3\n")
    content = copy.deepcopy(STUDY) | {"modules": ["outside"]}
    content["resources"]["structure_learning_algorithms"] = {"outside": [{"id": "far"}]}
    content["benchmark_setup"][0]["evaluation"] = {"benchmarks": {"ids": ["far"]}}
    (tmp_path / "small.json").write_text(json.dumps(content))
    called(plain_pictures, "run", tmp_path / "small.json", "--out", tmp_path / "out", "--quiet")
    assert {row["status"] for row in rows(tmp_path / "out")} == {"error"}
    (tmp_path / "mark").unlink()
    called(plain_pictures, "report", tmp_path / "out")
    called(plain_pictures, "status", tmp_path / "out")
    assert {row["status"] for row in rows(tmp_path / "out")} == {"error"}
    assert not (tmp_path / "mark").exists()


def wait_for(condition: Any, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def scored(out: Path) -> int:
    if not (out / "store" / "index.sqlite").exists() or not (out / "small" / SAVED).exists():
        return 0
    with Store(out / "store", readonly=True) as store:
        asked = "SELECT count(*) FROM results WHERE module = 'metrics'"
        return int(store.connection.execute(asked).fetchone()[0])


@pytest.mark.slow
def test_an_unfinished_study_is_reported(tmp_path: Path, plain_pictures: dict[str, str]) -> None:
    """While it runs, and after Ctrl-C; the tables have what is there, marked.

    One run comes to no end, in one of two workers.
    """
    study, out = own_study(tmp_path, endless_once=str(tmp_path / "begun")), tmp_path / "out"
    run = command("run", study, "--out", out, "--jobs", 2)
    process = subprocess.Popen(run, stdout=subprocess.PIPE, text=True, env=plain_pictures)
    try:
        wait_for(lambda: scored(out) == 47)
        running = called(plain_pictures, "report", out)
        process.send_signal(signal.SIGINT)
        printed, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    assert "small: 47 of 48 runs are in; the study is running\n" in running
    assert process.returncode == 130
    assert f"dagathlon report {out} shows what is there" in printed
    stopped = called(plain_pictures, "report", out)
    assert "small: 47 of 48 runs are in; the study was interrupted" in stopped
    found = rows(out)
    assert len(found) == 47
    assert {row["status"] for row in found} == {"ok"}
    assert {row["partial"] for row in found} == {"TRUE"}
    page = (out / "small" / "report.html").read_text()
    assert "47 of 48 runs are in; the study was interrupted" in page
    assert re.search(r"By average rank over (all|the) \d+ data sets", page)
    assert "small: 47 of 48 runs are in" in called(plain_pictures, "status", out)


@pytest.mark.slow
def test_verdict_and_ranks_wait_for_all_runs_on_a_data_set(
    finished: tuple[Path, Path], plain_pictures: dict[str, str], tmp_path: Path
) -> None:
    """A setting that has not come to a data set must not look as if it had failed there."""
    _, out = finished
    shutil.copytree(out, tmp_path / "out")
    before = rows(out)
    with Store(tmp_path / "out" / "store") as store:
        gone = "SELECT key FROM results WHERE kind = 'learn' AND module = 'nothing' LIMIT 1"
        store.drop([store.connection.execute(gone).fetchone()[0]])
    printed = called(plain_pictures, "report", tmp_path / "out")
    assert "47 of 48 runs are in; the results of the others are not in the store" in printed
    assert len(rows(tmp_path / "out")) == len(before) - 1
    page = (tmp_path / "out" / "small" / "report.html").read_text()
    assert "Verdict and ranks are of the 11 of 12 data sets" in page
    with (tmp_path / "out" / "small" / "ranking" / "ranks.csv").open(newline="") as stream:
        ranks = list(csv.DictReader(stream))
    assert {row["data_sets"] for row in ranks} == {"11"}
    assert {row["failures"] for row in ranks} == {"0"}


@pytest.fixture
def copied(finished: tuple[Path, Path], tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished[1], tmp_path / "out"))


@pytest.mark.slow
def test_an_evaluation_that_is_not_there_is_named(
    copied: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    known = dict(__import__("dagathlon.modules", fromlist=["modules"]).modules("evaluation"))
    del known["ranking"]
    monkeypatch.setattr("dagathlon.report.results.modules", lambda kind: known)
    assert main(["report", str(copied)]) == 0
    printed = capsys.readouterr().out
    assert "small: ranking is not shown: no evaluation of that name is installed here" in printed
    assert "ranking is not shown" in (copied / "small" / "report.html").read_text()


@pytest.mark.slow
def test_nothing_is_written_through_a_link(
    copied: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "elsewhere").mkdir()
    shutil.rmtree(copied / "small" / "benchmarks")
    (copied / "small" / "benchmarks").symlink_to(tmp_path / "elsewhere")
    assert main(["report", str(copied)]) == 2
    assert "is a link" in capsys.readouterr().err
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_what_is_damaged_has_a_reason(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved = copied / "small" / SAVED
    saved.write_bytes(saved.read_bytes()[:1000])
    assert main(["report", str(copied)]) == 2
    assert "what the run saved cannot be read" in capsys.readouterr().err
    assert main(["status", str(copied)]) == 0
    assert "what the run saved cannot be read" in capsys.readouterr().out
    with server_of(copied) as server:
        (board,) = server.state()["boards"]
    assert "what the run saved cannot be read" in board["words"]
    saved.unlink()
    assert main(["report", str(copied)]) == 2
    assert "run the study again into this folder" in capsys.readouterr().err


@pytest.mark.slow
def test_a_run_that_was_killed_is_not_running(
    copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What it said last is that it runs; the process it names is not there."""
    path = copied / "small" / PROVENANCE
    said = json.loads(path.read_text()) | {"state": "running", "process": 2**22 + 1}
    path.write_text(json.dumps(said))
    with Store(copied / "store") as store:
        key = store.connection.execute("SELECT key FROM results WHERE kind = 'learn'").fetchone()[0]
        store.drop([key])
    assert main(["status", str(copied)]) == 0
    assert "small: 47 of 48 runs are in; the study was interrupted" in capsys.readouterr().out

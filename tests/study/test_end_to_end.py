"""A study through the real command: tables do not depend on jobs, order or being killed."""

from __future__ import annotations

import copy
import csv
import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from small_study import STUDY

from dagathlon.study.records.runs import MEASURED
from dagathlon.workflow import Study


def command(study: Path, out: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "dagathlon", "run", str(study), "--out", str(out), *more]


def table(out: Path, name: str = "joint_benchmarks.csv") -> list[list[str]]:
    """The rows of a table without what was measured."""
    with (out / "small" / "benchmarks" / name).open(newline="") as stream:
        rows = list(csv.reader(stream))
    kept = [i for i, column in enumerate(rows[0]) if not column.startswith(MEASURED)]
    return [[row[i] for i in kept] for row in rows]


@pytest.fixture(scope="module")
def study(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("study") / "small.json"
    content = copy.deepcopy(STUDY)
    content["benchmark_setup"][0]["data"][0]["seed_range"] = [1, 6]
    path.write_text(json.dumps(content))
    return path


@pytest.fixture(scope="module")
def undisturbed(study, tmp_path_factory, plain_pictures) -> Path:
    out = tmp_path_factory.mktemp("undisturbed")
    subprocess.run(command(study, out, "--jobs", "1", "--quiet"), check=True, env=plain_pictures)
    return out


@pytest.mark.slow
def test_one_job_and_four_jobs_give_the_same_tables(
    study, undisturbed, tmp_path, plain_pictures
) -> None:
    run = command(study, tmp_path, "--jobs", "4", "--shuffle", "--quiet")
    subprocess.run(run, check=True, env=plain_pictures)
    assert len(table(undisturbed)) == 73
    assert table(tmp_path) == table(undisturbed)
    assert table(tmp_path, "ROC_data.csv") == table(undisturbed, "ROC_data.csv")


def kill_and_resume(study: Path, out: Path, kills: int) -> int:
    """Kill the command at random moments, start it again each time; how often it was killed."""
    rng = random.Random(7)
    killed = 0
    for _ in range(kills):
        process = subprocess.Popen(
            command(study, out, "--jobs", "2"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(rng.uniform(0.3, 2.0))
        process.send_signal(signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
    subprocess.run(command(study, out, "--jobs", "2", "--quiet"), check=True)
    return killed


@pytest.mark.slow
def test_killed_and_resumed_gives_the_same_tables(study, undisturbed, tmp_path) -> None:
    assert kill_and_resume(study, tmp_path, 4) > 0
    assert table(tmp_path) == table(undisturbed)


@pytest.mark.slow
def test_killed_fifty_times_gives_the_same_tables(study, undisturbed, tmp_path) -> None:
    assert kill_and_resume(study, tmp_path, 50) > 0
    assert table(tmp_path) == table(undisturbed)


@pytest.mark.slow
def test_a_quick_look_is_marked_as_partial(study, tmp_path, plain_pictures) -> None:
    run = command(study, tmp_path, "--limit", "2", "--quiet")
    subprocess.run(run, check=True, env=plain_pictures)
    rows = table(tmp_path)
    status, partial = rows[0].index("status"), rows[0].index("partial")
    assert sum(row[status] == "ok" for row in rows[1:]) == 2
    assert {row[partial] for row in rows[1:]} == {"TRUE"}


def test_a_seed_offset_gives_other_replicates(study) -> None:
    here, other = Study.load(study), Study.load(study, seed=100)
    assert {case.seed for case in other.plan.cases} == set(range(101, 107))
    keys = {task.key for task in here.plan.tasks}
    assert not keys & {task.key for task in other.plan.tasks}


def test_runs_that_fail_are_records_and_the_study_is_complete(tmp_path, plain_pictures) -> None:
    content = copy.deepcopy(STUDY)
    # Twenty variables in ten rows: the correlation matrix has no inverse.
    content["resources"]["graph"]["pcalg_randdag"][0] |= {"n": 20}
    content["resources"]["data"]["iid"][0] |= {"n": 10}
    path = tmp_path / "small.json"
    path.write_text(json.dumps(content))
    run = command(path, tmp_path / "out")
    done = subprocess.run(run, check=True, capture_output=True, text=True, env=plain_pictures)
    rows = table(tmp_path / "out")
    column = {name: i for i, name in enumerate(rows[0])}
    failed = [row for row in rows[1:] if row[column["status"]] == "error"]
    assert {row[column["id"]] for row in failed} == {"precision"}
    assert "no inverse" in failed[0][column["reason"]]
    assert failed[0][column["TP_pattern"]] == "NA"
    assert "error  " in done.stdout + done.stderr

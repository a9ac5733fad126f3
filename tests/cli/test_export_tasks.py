"""``dagathlon export-tasks``: a copy of a study that runs in shards wherever it is put."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dagathlon import Study
from dagathlon.cli import main
from dagathlon.modules.registry import FILES, modules
from dagathlon.study.records.array_jobs import scripts

LEARNER = '''
from dataclasses import dataclass
from typing import ClassVar

from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate, Learner
from beside import NOTHING


@dataclass(frozen=True)
class Mine(Learner):
    """An empty graph."""

    name: ClassVar[str] = "{name}"
    takes: ClassVar = frozenset({{"continuous", "binary", "discrete"}})
    gives: ClassVar[str] = "dag"

    def learn(self, data, rng):
        return Estimate(Graph(data.names))
'''
ROWS = "a,b,c\n" + "".join(f"{i / 3},{i * i % 7 / 9},{i % 3 + 0.1}\n" for i in range(1, 30))
GRAPH = "a,b,c\n0,1,0\n0,0,1\n0,0,0\n"


def content():
    return {
        "modules": ["own/mine.py"],
        "benchmark_setup": [
            {
                "title": "exported",
                "data": [
                    {"graph_id": "true.csv", "parameters_id": None, "data_id": "rows.csv"},
                    {"graph_id": "true.csv", "parameters_id": None, "data_id": "folder"},
                ],
                "evaluation": {"benchmarks": {"ids": ["mine", "other", "hc"]}},
            }
        ],
        "resources": {
            "graph": {},
            "parameters": {},
            "data": {},
            "structure_learning_algorithms": {
                "mine_own": [{"id": "mine"}],
                "mine_other": [{"id": "other"}],
                "hc": [{"id": "hc", "constraints": "known.json"}],
            },
        },
    }


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A study with files of all kinds, in every place that they may have."""
    monkeypatch.setenv(FILES, "")
    home, resources = tmp_path / "home", tmp_path / "elsewhere"
    for folder in (home / "own", resources / "data/mydatasets/folder", resources / "constraints"):
        folder.mkdir(parents=True)
    (tmp_path / "data disk").mkdir()
    (tmp_path / "data disk" / "big.csv").write_text(ROWS)
    (home / "rows.csv").symlink_to(tmp_path / "data disk" / "big.csv")
    (home / "true.csv").write_text(GRAPH)
    (home / "not needed.csv").write_text(GRAPH)
    for number in (1, 2):
        (resources / f"data/mydatasets/folder/{number}.csv").write_text(ROWS + f"{number},1.5,1\n")
    (resources / "constraints/known.json").write_text('{"forbidden_edges": [["a", "b"]]}')
    for folder, name in ((home / "own", "mine_own"), (tmp_path / "more", "mine_other")):
        folder.mkdir(exist_ok=True)
        (folder / "mine.py").write_text(LEARNER.format(name=name))
        (folder / "beside.py").write_text(f"NOTHING = '{name}'\n")
    (home / "study.json").write_text(json.dumps(content()))
    yield home
    modules.cache_clear()


def export(home, out, *more):
    given = ["--resources", str(home.parent / "elsewhere")]
    given += ["--modules", str(home.parent / "more" / "mine.py")]
    return main(["export-tasks", str(home / "study.json"), "--out", str(out), *given, *more])


def test_the_copy_has_all_that_the_study_names_and_its_keys(home, tmp_path, capsys):
    more = ["--time-limit", "90s", "--seed", "4"]
    assert export(home, tmp_path / "out", "--shards", "2", *more) == 0
    command = (tmp_path / "out/array.slurm").read_text().splitlines()[-1]
    assert "run study/study.json --time-limit 90s --seed 4 --modules study/modules/1/" in command
    found = {
        path.relative_to(tmp_path / "out/study").as_posix()
        for path in (tmp_path / "out/study").rglob("*")
        if path.is_file() and not path.is_symlink()
    }
    assert found == {
        *("study.json", "rows.csv", "true.csv", "own/mine.py", "own/beside.py"),
        *(f"resources/data/mydatasets/folder/{number}.csv" for number in (1, 2)),
        *("resources/constraints/known.json", "modules/1/mine.py", "modules/1/beside.py"),
    }
    assert "9 files that it names, 2 shards" in capsys.readouterr().out
    study = Study.load(home / "study.json", tmp_path / "elsewhere", seed=4)
    keys = [task.key for task in study.plan.tasks]
    for name in ("home", "elsewhere", "more", "data disk"):  # nothing of the original is needed
        shutil.rmtree(tmp_path / name)
    shutil.move(tmp_path / "out", tmp_path / "moved")
    code = (
        "from dagathlon import Study; from dagathlon.modules import add_files;"
        "add_files(['study/modules/1/mine.py']);"
        "print([task.key.hex() for task in Study.load('study/study.json', seed=4).plan.tasks])"
    )
    clean = {name: value for name, value in os.environ.items() if name != FILES}
    copied = subprocess.run(
        [sys.executable, "-c", code],
        **{"cwd": tmp_path / "moved", "env": clean, "capture_output": True, "text": True},
        check=False,
    )
    assert copied.stdout.strip() == str([key.hex() for key in keys]), copied.stderr


@pytest.mark.parametrize(
    ("script", "environment"),
    [
        ("array.slurm", {"SLURM_ARRAY_TASK_ID": "2"}),
        ("array.pbs", {"PBS_ARRAY_INDEX": "2", "PBS_O_WORKDIR": "."}),
        ("array.sge", {"SGE_TASK_ID": "2", "NSLOTS": "3"}),
        ("array.lsf", {"LSB_JOBINDEX": "2"}),
        ("run-all.sh", {}),
    ],
)
def test_scripts_run_the_shards(tmp_path, script, environment):
    options = ["--time-limit", "90s", "--modules", "study/modules/1/a learner.py"]
    written = dict(scripts("my study.json", options, 3))
    (tmp_path / script).write_text(written[script])
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "dagathlon").write_text('#!/bin/sh\nfor word; do echo "$word"; done; echo .\n')
    (programs / "dagathlon").chmod(0o755)
    path = f"{programs}:{os.environ['PATH']}"
    ran = subprocess.run(
        ["bash", script],
        **{"cwd": tmp_path, "env": {"PATH": path, **environment}, "capture_output": True},
        text=True,
        check=True,
    )
    calls = [call.split("\n")[:-1] for call in ran.stdout.replace("\n.\n", "\n\0").split("\0")[:-1]]
    numbers = ["1", "2", "3"] if script == "run-all.sh" else ["2"]
    first = ["run", "study/my study.json", *options]
    jobs = {"array.sge": ["--jobs", "3"], "run-all.sh": []}.get(script, ["--jobs", "1"])
    assert calls == [
        [*first, "--shard", f"{n}/3", "--out", f"shards/shard-{n}", *jobs] for n in numbers
    ]


def test_the_table_of_shards(home, tmp_path):
    assert export(home, tmp_path / "out", "--shards", "3") == 0
    with (tmp_path / "out" / "shards.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["shard"] for row in rows] == ["1", "2", "3"]
    assert [row["learning_runs"] for row in rows] == ["3", "3", "3"]
    assert all(int(row["other_tasks"]) > 0 for row in rows)
    assert [row["expected_seconds"] for row in rows] == ["", "", ""]  # nothing is known of mine


def test_expected_seconds_stand_where_all_is_known(tmp_path):
    quick = Path(__file__).parents[2] / "studies" / "quickstart.json"
    assert main(["export-tasks", str(quick), "--shards", "4", "--out", str(tmp_path / "out")]) == 0
    with (tmp_path / "out" / "shards.csv").open() as file:
        rows = list(csv.DictReader(file))
    plan = Study.load(quick).plan
    learning = {run.learn for run in (*plan.runs, *plan.further)}
    assert sum(int(row["learning_runs"]) for row in rows) == len(learning)
    assert all(float(row["expected_seconds"]) > 0 for row in rows)


def test_an_export_is_written_again_and_nothing_else_is_overwritten(home, tmp_path, capsys):
    assert export(home, tmp_path / "out", "--shards", "2") == 0
    (tmp_path / "out/shards/shard-1").mkdir(parents=True)
    assert export(home, tmp_path / "out", "--shards", "20") == 0
    assert "some shards have none" in capsys.readouterr().out
    assert (tmp_path / "out/shards/shard-1").is_dir()
    assert "--array=1-20" in (tmp_path / "out/array.slurm").read_text()
    assert export(home, home, "--shards", "2") == 2
    assert "something else in it" in capsys.readouterr().err
    assert export(home, home / "true.csv", "--shards", "2") == 2
    assert "is a file" in capsys.readouterr().err


@pytest.mark.parametrize("count", ["0", "-3", "10001"])
def test_numbers_of_shards(home, tmp_path, capsys, count):
    assert export(home, tmp_path / "out", f"--shards={count}") == 2
    assert f"from 1 to 10,000, found {count}" in capsys.readouterr().err


@pytest.mark.parametrize("what", ["data", "module"])
def test_what_lies_outside_is_named(home, tmp_path, capsys, what):
    study = content()
    (home / "below").mkdir()
    if what == "data":
        study["benchmark_setup"][0]["data"][0]["data_id"] = str(home / ".." / "home2" / "x.csv")
        (tmp_path / "home2").mkdir()
        (tmp_path / "home2" / "x.csv").write_text(ROWS)
    else:
        study["modules"] = ["../home/own/mine.py"]
    (home / "study.json").write_text(json.dumps(study))
    assert export(home, tmp_path / "out", "--shards", "2") == 2
    said = capsys.readouterr().err
    assert "is not in its folder" in said
    assert ("x.csv" if what == "data" else "mine.py") in said


def test_modules_that_read_more_than_code_are_found_out(home, tmp_path, capsys):
    path = home / "own" / "mine.py"
    (home / "own" / "note.txt").write_text("1")
    reads = "from pathlib import Path\nPath(__file__).with_name('note.txt').read_text()\n"
    path.write_text(reads + path.read_text())
    assert export(home, tmp_path / "out", "--shards", "2") == 2
    said = capsys.readouterr().err
    assert "the copy of the study cannot be used" in said
    assert "note.txt" in said

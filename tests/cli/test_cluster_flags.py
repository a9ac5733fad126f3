"""The settings of a cluster, from flags and from a file; what is wrong is told before all else."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from dagathlon.cli import main, parser
from dagathlon.cluster.flags import EngineChoice, chosen_engine
from dagathlon.errors import DagathlonError


def chosen(*flags: str) -> EngineChoice:
    arguments: argparse.Namespace = parser().parse_args(["run", "study.json", *flags])
    return chosen_engine(arguments)


def test_flags() -> None:
    found = chosen("--engine", "slurm", "--workers", "20", "--memory", "16G", "--job-extra=--x")
    assert found.engine == "slurm"
    assert found.settings == {"workers": 20, "memory": "16G", "job_extra": ("--x",)}


def test_without_flags_it_is_the_local_engine() -> None:
    assert chosen() == EngineChoice("local", {}, {})


def test_flags_win_over_the_file(tmp_path: Path) -> None:
    path = tmp_path / "cluster.toml"
    path.write_text(
        'engine = "slurm"\nworkers = 20\nmemory = "16G"\ntls = true\n'
        'coordinator_walltime = "48:00:00"\nprologue = ["module load python"]\n'
        "[options]\njob_cpu = 3\n"
    )
    found = chosen("--cluster-settings", str(path), "--workers", "2")
    assert found.engine == "slurm"
    assert found.settings == {
        "workers": 2,
        "memory": "16G",
        "tls": True,
        "prologue": ("module load python",),
        "options": {"job_cpu": 3},
    }
    assert found.coordinator == {"coordinator_walltime": "48:00:00"}


def test_a_file_may_be_json(tmp_path: Path) -> None:
    path = tmp_path / "cluster.json"
    path.write_text(json.dumps({"engine": "pbs", "cores": 4}))
    assert chosen("--cluster-settings", str(path)).settings == {"cores": 4}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("partitoin = 'x'", "unknown setting 'partitoin' .did you mean 'partition'"),
        ("workers = 'many'", "workers is a number, found 'many'"),
        ("workers = true", "workers is a number, found True"),
        ("workers = 0", "workers is a number from 1 on, found 0"),
        ("prologue = 'x'", "prologue is a list of texts, found 'x'"),
        ("options = 3", "options is a table, found 3"),
        ("coordinator_memory = '3X'", "coordinator_memory: found '3X'"),
        ("workers =", "not valid TOML"),
    ],
)
def test_mistakes_in_the_file_are_named(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "cluster.toml"
    path.write_text(text)
    with pytest.raises(DagathlonError, match=message):
        chosen("--cluster-settings", str(path))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "cluster.toml").touch()
    with pytest.raises(DagathlonError, match=r"did you mean 'cluster.toml'"):
        chosen("--cluster-settings", str(tmp_path / "clutser.toml"))


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--partition", "long"], "the engine local has no partition"),
        (["--coordinator-memory", "4G"], "are for --detach with slurm"),
        (["--engine", "local", "--detach", "--coordinator-memory", "4G"], "are for --detach with"),
    ],
)
def test_flags_that_mean_nothing_are_refused(
    flags: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "studies/quickstart.json", *flags]) == 2
    assert message in capsys.readouterr().err

"""What goes into the script of a job, for every queue; nothing is submitted."""

from __future__ import annotations

import asyncio
import gc
import sys
from pathlib import Path
from typing import Any

import pytest

from dagathlon.cluster import making
from dagathlon.cluster.clusters import connected
from dagathlon.cluster.dask_engine import DaskEngine
from dagathlon.cluster.managers import MANAGERS
from dagathlon.cluster.settings import ClusterSettings
from dagathlon.errors import DagathlonError
from dagathlon.study.engine.engines import make_engine

pytest.importorskip("dask_jobqueue")


def script(kind: str, tmp_path: Path, **more: Any) -> str:
    """The script of a worker's job."""
    asked: dict[str, Any] = {
        "cores": 4,
        "memory": "16G",
        "walltime": "12:00:00",
        "partition": "long",
        "account": "physics",
        "host": "127.0.0.1",
        "log_folder": str(tmp_path),
    }
    # LSF is asked for its units otherwise, and is not there.
    options = {"lsf_units": "mb"} if kind == "lsf" else {}

    async def make() -> str:
        settings = ClusterSettings(kind=kind, **{**asked, "options": options, **more})
        cluster = making.make_cluster(settings, None).cluster
        async with cluster:
            return str(cluster.job_script())

    return asyncio.run(make())


@pytest.mark.parametrize(
    ("kind", "header"),
    [
        ("slurm", ["-p long", "-A physics", "--cpus-per-task=4", "--mem=16G", "-t 12:00:00"]),
        ("pbs", ["-q long", "-A physics", "ncpus=4:mem=16GB", "walltime=12:00:00"]),
        ("lsf", ["-q long", '-P "physics"', "-n 4", "-M 17180", "-W 12:00"]),
        ("sge", ["-q long", "-P physics", "h_rt=12:00:00"]),
    ],
)
def test_every_queue_is_asked_in_its_own_words(
    kind: str, header: list[str], tmp_path: Path
) -> None:
    text = script(kind, tmp_path)
    assert [words for words in header if words not in text] == []


def test_workers_have_no_limit_of_dask_and_leave_before_their_wall_time(tmp_path: Path) -> None:
    command = script("slurm", tmp_path).splitlines()[-1]
    assert command.startswith(f"{sys.executable} -m distributed.cli.dask_worker tcp://127.0.0.1:")
    assert command.rpartition("--memory-limit ")[2].startswith("0 ")
    assert "--lifetime 42960s --lifetime-stagger 120s" in command
    assert "--nthreads 4" in command
    assert "--host $DAGATHLON_HOST" in command


def test_directives_and_lines_of_ones_own(tmp_path: Path) -> None:
    text = script("slurm", tmp_path, job_extra=("--gres=gpu:1",), prologue=("module load python",))
    assert "#SBATCH --gres=gpu:1" in text
    assert text.index("module load python") < text.index("dask_worker")


def test_a_log_folder_with_a_space_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DagathlonError, match="has a space, which the header of a job cannot hold"):
        script("slurm", tmp_path, log_folder=str(tmp_path / "my results"))


# dask complains of a cluster that it has not finished making.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_option_that_the_constructor_does_not_take_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(making.shutil, "which", lambda program: program)
    settings = ClusterSettings(kind="slurm", memory="1G", options={"nonsense": 1})

    async def go() -> None:
        async with connected(settings, print):
            pass

    with pytest.raises(DagathlonError, match=r"slurm: options: .*nonsense"):
        asyncio.run(go())
    gc.collect()


@pytest.mark.parametrize(
    ("kind", "settings", "message"),
    [
        ("slurm", {"memory": "1G", "jobs": 2}, "the engine slurm has no jobs; it takes workers"),
        ("slurm", {"memory": "1G"}, "needs the command sbatch, which this machine does not have"),
        ("pbs", {"memory": "1G"}, "needs the command qsub"),
    ],
)
def test_engines_refuse_what_cannot_be(
    kind: str, settings: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(DagathlonError, match=message):
        make_engine(kind, **settings)


def test_jobs_need_their_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making.shutil, "which", lambda program: program)
    with pytest.raises(DagathlonError, match="needs the memory of each job"):
        make_engine("slurm", workers=2)


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dask_jobqueue", None)
    with pytest.raises(DagathlonError, match=r"pip install 'dagathlon\[dask\]'"):
        make_engine("slurm", memory="1G")
    monkeypatch.setitem(sys.modules, "dask_kubernetes", None)
    with pytest.raises(DagathlonError, match="pip install 'dask-kubernetes'"):
        make_engine("kubernetes")


def test_the_engine_dask_has_all_that_its_table_names() -> None:
    asked: dict[str, Any] = {
        "workers": 3,
        "cores": 2,
        "minimum": 1,
        "host": "127.0.0.1",
        "dashboard": ":0",
        "tls": True,
        "options": {"name": "ours"},
    }
    assert {"scheduler", *asked} == set(MANAGERS["dask"].takes)
    assert DaskEngine(**asked).settings() == ClusterSettings(kind="dask", **asked)
    for word, value in asked.items():
        with pytest.raises(DagathlonError, match=f"{word} is for a cluster that is started here"):
            DaskEngine(scheduler="tcp://node7:8786", **{word: value})
    with pytest.raises(DagathlonError, match="minimum is 3, more than the 2 workers"):
        DaskEngine(workers=2, minimum=3)

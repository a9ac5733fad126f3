"""A full disk ends a run with words; it is nobody's result, and the same command goes on later."""

from __future__ import annotations

import errno
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from plans import FakePlan, add_data, learner, plan_of

from dagathlon.cli import main
from dagathlon.errors import StudyError
from dagathlon.modules import add_files, find
from dagathlon.study.engine import coordinator
from dagathlon.study.engine.inline import InlineEngine
from dagathlon.study.engine.local import LocalEngine
from dagathlon.study.engine.private_paths import without_private_paths
from dagathlon.study.plan.task import Call, Status, TaskKind
from dagathlon.study.store.store import Store

MODULES = Path(__file__).with_name("full_disk_modules.py")
FULL = r"No space left on device.*run the same command again"


def _plan_with_a_full_disk(flag: Path) -> FakePlan:
    """Its graph cannot be drawn while the file is there."""
    plan = FakePlan()
    add_files([MODULES])
    version = find("graph", "full_disk_graph").version
    plan.add(Call.of(TaskKind.GRAPH, "full_disk_graph", version, {"flag": str(flag)}), 1)
    return plan


@pytest.mark.parametrize("engine", [InlineEngine(), LocalEngine(1)], ids=lambda one: one.name)
def test_a_task_of_our_own_that_finds_the_disk_full_ends_the_run(
    tmp_path: Path, engine: Any
) -> None:
    flag = tmp_path / "full"
    flag.touch()
    plan = _plan_with_a_full_disk(flag)
    with Store(tmp_path / "store") as store:
        with pytest.raises(StudyError, match=FULL):
            engine.run(plan, store)
        assert store.outcomes(plan.keys()) == {}
        flag.unlink()
        assert engine.run(plan, store).failures() == {}


class _Full:
    """A file on a disk that takes only a part."""

    def __init__(self, **_: Any) -> None: ...
    def __enter__(self) -> _Full:
        return self

    def __exit__(self, *_: object) -> None: ...
    def write(self, content: bytes) -> int:
        return len(content) // 2


def test_no_failure_is_recorded_while_the_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_of(learner("raise"))
    with Store(tmp_path / "store") as store:
        with monkeypatch.context() as patch:
            patch.setattr(coordinator.tempfile, "TemporaryFile", _Full)
            with pytest.raises(StudyError, match=os.strerror(errno.ENOSPC)):
                InlineEngine().run(plan, store)
        assert plan.tasks[-1].key not in store.outcomes(plan.keys())
        InlineEngine().run(plan, store)
        assert store.outcomes(plan.keys())[plan.tasks[-1].key].status is Status.ERROR


def test_a_learner_that_fills_a_disk_of_its_own_has_failed(tmp_path: Path) -> None:
    plan = FakePlan()
    add_files([MODULES])
    version = find("algorithm", "full_disk_learner").version
    call = Call.of(TaskKind.LEARN, "full_disk_learner", version, {})
    plan.add(call, 1, [add_data(plan, 1)])
    with Store(tmp_path / "store") as store:
        InlineEngine().run(plan, store)
        outcome = store.outcomes(plan.keys())[plan.tasks[-1].key]
    assert (outcome.status, "No space left" in outcome.reason) == (Status.ERROR, True)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = ["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", str(folder)]
    if os.geteuid() or subprocess.run(mounted, capture_output=True, check=False).returncode:
        pytest.skip("no disk can be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.slow
@pytest.mark.parametrize("kilobytes", [120, 200, 280, 360])
def test_a_run_on_a_full_disk_goes_on_when_there_is_room(
    small_disk: Path, kilobytes: int, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = plan_of(learner(), learner("large"), seeds=12, n=400)
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes((600 - kilobytes) * 1024))
    with pytest.raises(StudyError, match="cannot be written"), Store(small_disk / "store") as store:
        LocalEngine(2).run(plan, store)
    ballast.unlink()
    assert main(["status", str(small_disk)]) in (0, 2)
    subprocess.run(["mount", "-o", "remount,size=60m", str(small_disk)], check=True)
    with Store(small_disk / "store") as store:
        summary = LocalEngine(2).run(plan, store)
        assert {one.status for one in store.outcomes(plan.keys()).values()} == {Status.OK}
    assert summary.failures() == {}
    capsys.readouterr()


def test_paths_of_the_home_folder_are_not_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tempfile.gettempdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    text = f'File "{tmp_path}/a b/mine.py", line 1\n'
    text += f"{tmp_path}: gone; /x{tmp_path}/y, {tmp_path}2; {tmp_path}."
    told = without_private_paths(text)
    assert told.splitlines() == [
        'File "~/a b/mine.py", line 1',
        f"~: gone; /x{tmp_path}/y, {tmp_path}2; ~.",
    ]
    monkeypatch.setenv("HOME", "/")
    assert without_private_paths(f"{home}/a") == f"{home}/a"
    assert without_private_paths("/data/s/rows.csv: bad", ["/data/s/rows.csv"]) == "./rows.csv: bad"


@pytest.mark.parametrize("engine", [InlineEngine(), LocalEngine(1)], ids=lambda one: one.name)
def test_a_stored_traceback_names_no_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: Any
) -> None:
    plan = plan_of(learner("raise"))
    here = Path(__file__).parent
    monkeypatch.setenv("HOME", str(here.parents[1]))
    with Store(tmp_path / "store") as store:
        engine.run(plan, store)
        detail = store.outcomes(plan.keys())[plan.tasks[-1].key].detail
    assert "fake_modules.py" in detail
    assert str(here.parents[1]) not in detail

"""Killed at any moment, a run goes on where it was: nothing is lost, nothing is left behind."""

from __future__ import annotations

import os
import random
import signal
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from plans import FakePlan, learner, plan_of
from test_engine import processes_with

from dagathlon.study.engine.local import LocalEngine
from dagathlon.study.engine.protocol import Event, Finished, Running, Summary
from dagathlon.study.plan.task import Limits
from dagathlon.study.store.store import Store
from dagathlon.study.store.upkeep import verify


class Child:
    """A process that runs a plan on a store; it can be killed, and heard when a task ends."""

    def __init__(
        self, plan: FakePlan, folder: Path, jobs: int, heard: type[Event] = Finished
    ) -> None:
        self._reader, writer = os.pipe()
        with warnings.catch_warnings():
            # The child uses no thread of its parent, so the warning of Python 3.12 is moot.
            warnings.simplefilter("ignore", DeprecationWarning)
            self.pid = os.fork()
        if self.pid == 0:
            os.close(self._reader)
            self._run(plan, folder, jobs, writer, heard)
        os.close(writer)

    @staticmethod
    def _run(plan: FakePlan, folder: Path, jobs: int, writer: int, heard: type[Event]) -> None:
        def tell(event: Event) -> None:
            if isinstance(event, heard) and getattr(event, "positions", True):
                os.write(writer, b".")

        code = 1
        try:
            with Store(folder) as store:
                summary = LocalEngine(jobs).run(plan, store, on_event=tell)
            os.write(writer, b"!%d" % summary.ran.total())
            code = 130 if summary.interrupted else 0
        finally:
            os._exit(code)

    def wait_for_news(self) -> bytes:
        return os.read(self._reader, 1 << 16)

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self._reader)

    def wait(self) -> tuple[int, int]:
        """Exit code, and number of tasks it ran."""
        heard = b""
        while news := self.wait_for_news():
            heard += news
        os.close(self._reader)
        _, status = os.waitpid(self.pid, 0)
        return os.waitstatus_to_exitcode(status), int(heard.rpartition(b"!")[2] or 0)


def wait_until(condition: Callable[[], bool], seconds: float = 60.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return condition()


def undisturbed(plan: FakePlan, folder: Path) -> dict[bytes, bytes]:
    with Store(folder) as store:
        LocalEngine(2).run(plan, store)
        return store.digests(plan.keys())


def kill_and_resume(plan: FakePlan, folder: Path, kills: int, seed: int) -> Summary:
    """Kill a run again and again, mostly some moments after its first result; then let it end."""
    moments = random.Random(seed)
    for _ in range(kills):
        child = Child(plan, folder, jobs=moments.choice([1, 1, 2]))
        if moments.random() < 0.8:
            child.wait_for_news()
            time.sleep(moments.random() * 0.1)
        else:
            time.sleep(moments.random() * 0.5)
        child.kill()
        assert wait_until(lambda: not processes_with(str(folder)))
        with Store(folder) as store:
            assert verify(store) == []
    with Store(folder) as store:
        return LocalEngine(2).run(plan, store)


def check_kills(tmp_path: Path, plan: FakePlan, kills: int) -> None:
    summary = kill_and_resume(plan, tmp_path / "disturbed", kills, seed=kills)
    assert summary.stored.total() >= kills // 2
    assert summary.stored.total() + summary.ran.total() == len(plan.tasks)
    with Store(tmp_path / "disturbed") as store:
        found = store.digests(plan.keys())
        assert not list(store.folder.glob("scratch/*"))
        assert not list(store.objects.leftovers())
    assert found == undisturbed(plan, tmp_path / "undisturbed")


@pytest.mark.slow
def test_kill_and_resume(tmp_path):
    learners = [learner(number=i, seconds=0.005) for i in range(8)]
    check_kills(tmp_path, plan_of(*learners, seeds=10, n=1500), kills=8)


@pytest.mark.slow
def test_kill_and_resume_fifty_times(tmp_path):
    learners = [learner(number=i, seconds=0.005) for i in range(20)]
    check_kills(tmp_path, plan_of(*learners, seeds=40, n=1500), kills=50)


@pytest.mark.slow
def test_workers_die_with_the_engine_whatever_they_do(tmp_path):
    """Native loops that never let go, and programs that a learner has started."""
    plan = plan_of(learner("spin"), learner("children"))
    child = Child(plan, tmp_path, jobs=2, heard=Running)
    assert wait_until(lambda: len(sleeping_programs(tmp_path)) == 1, 20)
    child.kill()
    assert wait_until(lambda: not processes_with(str(tmp_path)) and not sleeping_programs(tmp_path))


def sleeping_programs(folder: Path) -> list[int]:
    """Programs started by learners: they work in the scratch folder of their worker."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cwd"):
        try:
            inside = path.readlink().is_relative_to(folder)
            if inside and b"sleep" in (path.parent / "cmdline").read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


@pytest.mark.slow
def test_two_runs_on_one_store(tmp_path):
    learners = [learner(number=i, seconds=0.01) for i in range(6)]
    plan = plan_of(*learners, seeds=5, n=1500)
    children = [Child(plan, tmp_path / "shared", jobs=1) for _ in range(2)]
    (code, ran), (other_code, other_ran) = (child.wait() for child in children)
    assert (code, other_code) == (0, 0)
    # A task is done twice only when both begin it in the same moment.
    assert len(plan.tasks) <= ran + other_ran <= len(plan.tasks) + 2
    with Store(tmp_path / "shared") as store:
        assert verify(store) == []
        found = store.digests(plan.keys())
    assert found == undisturbed(plan, tmp_path / "alone")


def test_a_run_takes_over_from_one_that_was_killed(tmp_path):
    """The survivor waits for the tasks of the other run, and takes them when it is gone."""
    plan = plan_of(learner("sleep"))
    first = Child(plan, tmp_path, jobs=1, heard=Running)
    first.wait_for_news()
    quick = plan_of(learner("sleep"))
    quick.limits[3] = Limits(time=0.3)
    second = Child(quick, tmp_path, jobs=1, heard=Running)
    time.sleep(1.0)
    assert os.waitpid(second.pid, os.WNOHANG) == (0, 0)
    first.kill()
    code, ran = second.wait()
    assert (code, ran) == (0, 1)


@pytest.mark.parametrize(
    "asked", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_signals_end_a_run_cleanly(tmp_path, asked):
    child = Child(plan_of(learner("spin")), tmp_path, jobs=1, heard=Running)
    child.wait_for_news()
    os.kill(child.pid, asked)
    # The learners have no end.
    code, ran = child.wait()
    assert code == 130
    assert ran <= 3
    assert not processes_with(str(tmp_path))

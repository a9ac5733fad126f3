"""How many workers are asked for and given up, with a cluster and a clock of our own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator
from types import SimpleNamespace
from typing import Any

import pytest

from dagathlon.cluster import autoscaler as crew_room
from dagathlon.cluster.autoscaler import Autoscaler, manager_error
from dagathlon.cluster.making import NewCluster
from dagathlon.cluster.settings import ClusterSettings
from dagathlon.errors import DagathlonError


class FakeCluster:
    """Gives every worker that is specified at once, or refuses."""

    def __init__(self) -> None:
        self.new_spec = {"cls": None}
        self.worker_spec: dict[str, Any] = {}
        self.workers: dict[str, Any] = {}
        self.refuses = ""
        self.made = 0

    @property
    def scheduler(self) -> SimpleNamespace:
        """What the autoscaler sees of the scheduler."""
        found = {f"tcp://{name}": SimpleNamespace(name=name) for name in self.workers}
        return SimpleNamespace(workers=found)

    def new_worker_spec(self) -> dict[str, Any]:
        """A worker with a name of its own."""
        self.made += 1
        return {f"w{self.made}": {}}

    def __await__(self) -> Generator[Any, Any, FakeCluster]:
        yield from asyncio.sleep(0).__await__()
        if self.refuses:
            raise RuntimeError(self.refuses)
        accepted = SimpleNamespace(status=SimpleNamespace(name="running"))
        self.workers = dict.fromkeys(self.worker_spec, accepted)
        return self


class Scene:
    """A autoscaler of up to four workers of two cores each, and the hands of its clock."""

    def __init__(self, minimum: int) -> None:
        self.cluster = FakeCluster()
        self.now = 0.0
        self.said: list[str] = []
        settings = ClusterSettings(kind="dask", workers=4, minimum=minimum)
        made = NewCluster(self.cluster, 4, 2)
        self.autoscaler = Autoscaler(made, settings, self.said.append, lambda: self.now)

    @property
    def asked(self) -> list[str]:
        """Names of the workers that are asked for."""
        return list(self.cluster.worker_spec)

    async def look(self) -> None:
        """One round of looking after the workers."""
        await self.autoscaler._look()


def play(minimum: int, act: Callable[[Scene], Awaitable[None]]) -> None:
    """Begin a scene inside an event loop."""

    async def whole() -> None:
        scene = Scene(minimum)
        await scene.autoscaler.begin()
        await act(scene)

    asyncio.run(whole())


def test_a_fixed_number_is_kept_whatever_is_wanted() -> None:
    async def act(scene: Scene) -> None:
        scene.autoscaler.want(0, ["tcp://w1"])
        scene.now = 1000.0
        scene.autoscaler.want(0, ["tcp://w1"])
        assert len(scene.asked) == 4

    play(0, act)


def test_more_are_asked_for_at_once_up_to_the_most() -> None:
    async def act(scene: Scene) -> None:
        assert len(scene.asked) == 1
        scene.autoscaler.want(5, ())
        assert len(scene.asked) == 3
        scene.autoscaler.want(100, ())
        assert len(scene.asked) == 4

    play(1, act)


def test_idle_ones_are_given_up_after_a_minute_and_no_others() -> None:
    async def act(scene: Scene) -> None:
        scene.autoscaler.want(8, ())
        await scene.look()
        idle = ["tcp://w2", "tcp://w3"]
        scene.autoscaler.want(2, idle)
        scene.now = 59.0
        scene.autoscaler.want(2, idle)
        assert len(scene.asked) == 4
        scene.now = 61.0
        scene.autoscaler.want(2, idle)
        assert scene.asked == ["w1", "w4"]
        assert any("2 workers released" in line for line in scene.said)

    play(1, act)


def test_work_that_comes_back_in_time_keeps_them() -> None:
    async def act(scene: Scene) -> None:
        scene.autoscaler.want(8, ())
        await scene.look()
        for scene.now, cores in ((0.0, 0), (50.0, 8), (70.0, 0), (120.0, 0)):
            scene.autoscaler.want(cores, ["tcp://w1"])
        assert len(scene.asked) == 4

    play(1, act)


def test_a_lost_worker_is_asked_for_again_under_another_name() -> None:
    async def act(scene: Scene) -> None:
        del scene.cluster.workers["w2"]
        await scene.look()
        assert sorted(scene.cluster.workers) == ["w1", "w3", "w4", "w5"]
        assert any("1 worker lost" in line for line in scene.said)

    play(0, act)


def test_a_refusal_later_on_is_told_once_and_tried_again() -> None:
    async def act(scene: Scene) -> None:
        await scene.look()
        del scene.cluster.workers["w2"]
        scene.cluster.refuses = "Command exited\nstdout:\n\nstderr:\nno more\n jobs allowed\n"
        for scene.now in (0.0, 20.0, 40.0):
            await scene.look()
        assert sum("no more jobs allowed" in line for line in scene.said) == 1
        scene.cluster.refuses = ""
        scene.now = 60.0
        await scene.look()
        assert len(scene.cluster.workers) == 4

    play(0, act)


def test_a_refusal_at_the_beginning_is_an_error() -> None:
    async def begin() -> None:
        scene = Scene(0)
        scene.cluster.refuses = "stderr:\ninvalid account"
        await scene.autoscaler.begin()

    with pytest.raises(DagathlonError, match="no worker could be started: invalid account"):
        asyncio.run(begin())


def test_whoever_wants_workers_hears_that_there_will_be_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(crew_room, "_LOOK", 0.0)

    async def act(scene: Scene) -> None:
        async def fails() -> None:
            raise DagathlonError("all is lost")

        monkeypatch.setattr(scene.autoscaler, "_look", fails)
        await scene.autoscaler.tend()
        with pytest.raises(DagathlonError, match="all is lost"):
            scene.autoscaler.want(1, ())

    play(0, act)


def test_what_a_queue_said_is_told_without_the_call() -> None:
    assert manager_error(RuntimeError("Exit code: 1\nstderr:\nsbatch: error: no\n")) == (
        "sbatch: error: no"
    )
    assert manager_error(TimeoutError()) == "TimeoutError"

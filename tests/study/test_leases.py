"""Leases: the living, the dead and the sleeping, on this machine and on others."""

from __future__ import annotations

import os
import time

import pytest
from plans import learner, plan_of

from dagathlon.errors import StudyError
from dagathlon.study.engine.local import LocalEngine
from dagathlon.study.plan.task import Call, Task, TaskKind, task_key
from dagathlon.study.store import claims, leases
from dagathlon.study.store.claims import Registration, run_records
from dagathlon.study.store.leases import Lease, Watcher, place, process_start
from dagathlon.study.store.store import Store
from dagathlon.study.store.upkeep import gc

CALL = Call.of(TaskKind.DATA, "some_module", 1, {})
KEY = Task(task_key(CALL, 1, ()), CALL, 1).key
OWN = Lease(1, os.getpid(), process_start(os.getpid()), "here", place(), 1, 1000.0, 20.0)


class Clocks:
    """Clocks that a test moves; the wall clock of this machine may be wrong by `skew`."""

    def __init__(self, skew: float = 0.0) -> None:
        self.now = 0.0
        self.skew = skew
        self.watcher = Watcher(lambda: self.now, lambda: 1000.0 + self.now + self.skew)


@pytest.fixture
def clocks(monkeypatch):
    found = Clocks()
    monkeypatch.setattr(claims, "_WATCHER", found.watcher)
    return found


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "store") as opened:
        yield opened


@pytest.mark.parametrize("skew", [-300.0, 0.0, 300.0, -1e6])
@pytest.mark.parametrize("where", [place(), "another machine"])
def test_a_lease_lapses_when_its_beats_stand_still(skew, where):
    clocks = Clocks(skew)
    lease = OWN._replace(place=where)
    for beats, now, lives in [
        (1, 0, True), (1, 19, True), (2, 21, True), (2, 40, True), (2, 42, False), (3, 50, True),
    ]:  # fmt: skip
        clocks.now = now
        assert clocks.watcher.lives(lease._replace(beats=beats)) is lives


def test_a_process_of_this_machine_that_is_gone_is_dead_at_once():
    watcher = Clocks().watcher
    assert watcher.lives(OWN)
    assert not watcher.lives(OWN._replace(pid=2**22 + 1))
    assert not watcher.lives(OWN._replace(started="long ago"))
    assert watcher.lives(OWN._replace(pid=2**22 + 1, place="another machine"))


def test_what_was_last_heard_long_ago_needs_no_watching():
    assert not Clocks().watcher.lives(OWN._replace(place="another machine", beat=0.0))


def test_stores_have_runs_of_the_same_number():
    clocks = Clocks()
    assert clocks.watcher.lives(OWN, "one")
    clocks.now = 30
    assert clocks.watcher.lives(OWN, "other")
    assert not clocks.watcher.lives(OWN, "one")


def elsewhere(store: Store) -> None:
    """Make all runs so far those of another machine, heard of just now by the test's clock."""
    store.connection.execute("UPDATE leases SET place = 'other', host = 'node7', beat = 1000.0")


def test_claims_of_another_machine_stand_until_its_lease_lapses(store, clocks):
    other = Registration(store)
    other.exchange([], [KEY])
    elsewhere(store)
    mine = Registration(store)
    mine._alone = False
    assert set(mine.exchange([], [KEY]).busy) == {KEY}
    assert [record.host for record in run_records(store)][1] == "node7"
    with pytest.raises(StudyError, match=r"process \d+ on .* is using the store"):
        gc(store)
    clocks.now = 25
    assert set(mine.exchange([], [KEY]).busy) == set()
    other.end({})
    mine.end({})


def test_a_run_that_only_slept_takes_up_its_lease_again(store, clocks):
    other = Registration(store)
    elsewhere(store)
    assert [record.alive for record in run_records(store)] == [True]
    clocks.now = 25
    later = Registration(store)
    later.end({})
    assert [record.alive for record in run_records(store)] == [False, False]
    assert other.scratch.is_dir()  # it may only be asleep
    other.exchange([], progress={})
    assert [record.alive for record in run_records(store)] == [False, True]
    other.end({})
    assert [record.ended is None for record in run_records(store)] == [False, False]


def test_gc_removes_what_other_machines_left(store, clocks):
    other = Registration(store)
    elsewhere(store)
    other._heart.stop()
    run_records(store)
    clocks.now = 25
    gc(store)
    assert not other.scratch.exists()


def test_a_loop_that_does_not_come_round_is_heard_all_the_same(store, monkeypatch):
    monkeypatch.setattr(leases, "_BEAT", 0.01)
    registration = Registration(store)
    (before,) = leases.leases(store.connection)
    end = time.monotonic() + 20
    while time.monotonic() < end:
        (now,) = leases.leases(store.connection)
        if now.beats > before.beats:
            break
        time.sleep(0.01)
    assert now.beats > before.beats
    registration.end({})
    assert leases.leases(store.connection) == []


def test_a_run_after_one_that_was_lost_with_its_machine(store, clocks):
    """The tasks of the lost run are taken over when its lease has lapsed, not before."""
    plan = plan_of(learner())
    lost = Registration(store)
    lost.exchange([], plan.keys())
    elsewhere(store)
    lost._heart.stop()
    waited = []

    def hear(event: object) -> None:
        waited.append(type(event).__name__)
        if waited.count("Running") == 3:
            clocks.now = 25

    summary = LocalEngine(1).run(plan, store, on_event=hear)
    assert summary.ran.total() == 4
    assert waited.index("Finished") > [i for i, w in enumerate(waited) if w == "Running"][2]

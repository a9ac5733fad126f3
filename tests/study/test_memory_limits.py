"""Memory limits count what is resident: not addresses, not files, and nothing twice."""

from __future__ import annotations

import mmap
import os

import pytest
from plans import learner, plan_of
from test_engine import outcome, run, statuses

from dagathlon.study.engine.limits import Meter, occupied, taken_by
from dagathlon.study.plan.task import Limits, Status
from dagathlon.study.store.store import Store

MB = 2**20


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "store") as opened:
        yield opened


def test_memory_limits_are_hard(store):
    plan = plan_of(learner("eat"), learner("buffer"), limits=Limits(memory=200 * MB))
    summary, _ = run(plan, store)
    assert statuses(summary) == {"ok": 4, "memory": 1}
    eaten, buffered = outcome(store, plan, 3), outcome(store, plan, 4)
    assert eaten.status is Status.MEMORY
    assert eaten.reason == "it needed more than 200 MB of memory"
    assert eaten.memory > 200 * MB
    assert eaten.limits == Limits(memory=200 * MB)
    assert 39 * MB < buffered.memory < 45 * MB


def test_addresses_are_no_memory(store):
    plan = plan_of(learner("reserve"), limits=Limits(memory=50 * MB))
    run(plan, store)
    found = outcome(store, plan)
    assert (found.status, found.reason) == (Status.OK, "")


@pytest.mark.slow
def test_what_processes_share_counts_once(store):
    """Five processes of 60 MB each, which are the same 60 MB."""
    plan = plan_of(learner("offspring"), limits=Limits(memory=200 * MB))
    run(plan, store)
    found = outcome(store, plan)
    assert (found.status, found.reason) == (Status.OK, "")


def test_each_task_begins_at_nothing(store):
    """What earlier tasks left behind in their worker is not held against a later one."""
    plan = plan_of(*(learner("buffer", number=i) for i in range(8)), limits=Limits(memory=60 * MB))
    summary, _ = run(plan, store)
    assert statuses(summary) == {"ok": 11}


def test_mapped_files_are_no_memory(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(bytes(40 * MB))
    held = Meter().start()
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert mapped[:].count(1) == 0
        limited = taken_by(os.getpid(), held, 20 * MB)
    assert not limited.is_over


def test_shared_memory_is_memory():
    held = occupied([os.getpid()])
    with mmap.mmap(-1, 40 * MB) as shared:
        shared[:] = b"x" * (40 * MB)
        limited = taken_by(os.getpid(), held, 20 * MB)
    assert limited.is_over
    assert limited.taken > 35 * MB

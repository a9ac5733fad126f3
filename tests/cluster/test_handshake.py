"""Handshake workers: who may work, what is said of them, and when nobody else will come."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from fakes import FakePlan, add_data, answer_of, learner, made, objections_told, remarks_told

from dagathlon.cluster import handshake as module
from dagathlon.cluster.handshake import Handshake, modules_of
from dagathlon.cluster.worker_record import LOCAL, WorkerRecord
from dagathlon.study.engine.coordinator import Coordinator
from dagathlon.study.engine.protocol import Note, Options
from dagathlon.study.engine.resources import Machine
from dagathlon.study.engine.schedule import Schedule
from dagathlon.study.plan.task import Resources
from dagathlon.study.store.store import Store


class Heard:
    def __init__(self, folder: Path) -> None:
        self.notes: list[str] = []
        work = Coordinator(FakePlan(), Store(folder), self._hear, Options())
        self.handshake = Handshake(work)

    def _hear(self, event: object) -> None:
        if isinstance(event, Note):
            self.notes.append(event.text)

    def judge(self, address: str, **said: Any) -> WorkerRecord:
        return self.handshake.judge(address, answer_of("m", **said))


@pytest.fixture
def heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Heard:
    monkeypatch.setattr(module, "objections", objections_told)
    monkeypatch.setattr(module, "remarks", remarks_told)
    monkeypatch.setattr(module, "identity", lambda: {})
    return Heard(tmp_path)


def test_a_worker_like_us_is_taken_without_a_word(heard):
    worker = heard.judge("tcp://m:1", threads=3, cards=["0"])
    assert (worker.host, worker.machine.cores, worker.machine.cards) == ("host-m", 3, ("0",))
    assert worker.remark == ""
    assert heard.notes == []


def test_a_worker_that_differs_too_much_is_refused_with_the_reasons(heard):
    worker = heard.judge("tcp://m:1", identity={"refusals": ["one", "two"], "remarks": ["x"]})
    assert worker.remark == "one; two"
    assert heard.notes == ["the worker tcp://m:1 on host-m is not used: one; two"]


def test_remarks_are_made_once_for_a_machine(heard):
    for address in ("tcp://m:1", "tcp://m:2"):
        worker = heard.judge(
            address, identity={"remarks": ["another NumPy"]}, lacking={"algorithm x": "no R"}
        )
        assert worker.remark == ""
        assert worker.lacking == {"algorithm x": "no R"}
    assert heard.notes == [
        "host-m: another NumPy",
        "host-m gets no tasks of algorithm x: no R",
    ]


@pytest.mark.parametrize(("ahead", "said"), [(3600, "ahead of"), (-3600, "behind"), (5, "")])
def test_a_clock_that_is_far_off_is_remarked(heard, ahead, said):
    worker = heard.judge("tcp://m:1", clock=time.time() + ahead)
    assert worker.remark == ""
    assert [said in note for note in heard.notes] == ([True] if said else [])


def test_a_worker_without_dagathlon_is_told_what_to_do(heard):
    worker = heard.handshake.refuse(
        "tcp://10.0.0.7:4711", "ModuleNotFoundError: No module named 'dagathlon'"
    )
    assert worker.host == "10.0.0.7"
    assert "install the same version there as here" in worker.remark
    assert not worker.has_room(Resources(), 1)


def test_more_may_come_until_all_are_there_or_the_time_of_grace_is_over(heard, monkeypatch):
    one = WorkerRecord("a", "a", Machine(1))
    assert heard.handshake.more_to_come([one])  # the scheduler has not even answer_question
    heard.handshake.open(2)
    assert heard.handshake.more_to_come([one])
    assert not heard.handshake.more_to_come([one, one])
    heard.handshake.open(0)
    assert heard.handshake.more_to_come([one])
    monkeypatch.setattr(module, "_GRACE", 0.0)
    assert not heard.handshake.more_to_come([one])


def test_that_nobody_works_is_said_once(heard, monkeypatch):
    local, refused = WorkerRecord(LOCAL, "here", Machine(1)), WorkerRecord("a", "a", Machine(1))
    refused.remark = "no"
    monkeypatch.setattr(module, "_LONELY", -1.0)
    heard.handshake.remind([local])  # not before the scheduler answers
    heard.handshake.open(3)
    heard.handshake.remind([local, WorkerRecord("b", "b", Machine(1))])
    assert heard.notes == []
    heard.handshake.remind([local, refused])
    heard.handshake.remind([local])
    assert heard.notes == [
        "there is no worker that can be used (3 were asked for); the run waits for one"
    ]


def test_workers_of_one_machine_are_counted_together(heard):
    workers = [WorkerRecord(LOCAL, "here", Machine(1))]
    workers += [WorkerRecord(name, "m", Machine(2)) for name in "ab"]
    workers += [WorkerRecord("c", "m", Machine(4)), WorkerRecord("d", "n", Machine(1))]
    workers[3].remark = "its disk is full"
    first, second = heard.handshake.hosts(workers)
    assert (first.name, first.workers, first.remark) == ("m", 4, "its disk is full")
    assert (second.name, second.workers, second.remark) == ("n", 1, "")


def test_workers_are_asked_for_the_modules_of_what_is_still_to_be_done(tmp_path):
    plan = FakePlan()
    data = add_data(plan, 1)
    store = made(plan, tmp_path)
    plan.add(learner(), 1, [data])
    ((kind, name, version),) = modules_of(Schedule(plan, store, Options()))
    assert (kind, name) == ("algorithm", "fake_learner")
    assert version == plan.tasks[-1].call.version

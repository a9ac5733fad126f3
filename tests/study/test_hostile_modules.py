"""A module that harms its own process costs its own run, and nothing else."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from plans import FakePlan, add_data, call

from dagathlon.modules import add_files, find
from dagathlon.study.engine import losses, process
from dagathlon.study.engine.inline import InlineEngine
from dagathlon.study.engine.local import LocalEngine
from dagathlon.study.engine.protocol import Note
from dagathlon.study.plan.task import Call, Limits, Outcome, Status, TaskKind
from dagathlon.study.store.store import Store
from dagathlon.study.store.upkeep import verify

HOSTILE = Path(__file__).with_name("hostile_modules.py")


def hostile(deed: str, number: int = 0) -> Call:
    add_files([HOSTILE])
    cls = find("algorithm", "hostile")
    values = cls.from_json({"deed": deed, "number": number}).to_json()
    return Call.of(TaskKind.LEARN, "hostile", cls.version, values)


def plan_of(*deeds: str, limits: Limits | None = None) -> FakePlan:
    plan = FakePlan()
    data = add_data(plan, 1)
    for number, deed in enumerate(deeds):
        position = plan.add(hostile(deed, number), 1, [data])
        if limits is not None:
            plan.limits[position] = limits
    return plan


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "store") as opened:
        yield opened


def outcomes(plan: FakePlan, store: Store) -> list[Outcome]:
    """What became of the learners."""
    found = store.outcomes(plan.keys())
    return [found[task.key] for task in plan.tasks[3:]]


def test_a_killed_worker_is_no_result_unless_it_recurs(store, tmp_path, monkeypatch):
    monkeypatch.setattr(losses, "MOST_LOSSES", 3)
    monkeypatch.setattr(losses, "DANGEROUS", 2)
    monkeypatch.setenv("DAGATHLON_TEST_MARK", str(tmp_path / "mark"))
    plan = plan_of("die once", "die", "none")
    LocalEngine(1).run(plan, store)
    once, always, other = outcomes(plan, store)
    assert once.status is other.status is Status.OK
    assert (always.status, always.reason) == (Status.ERROR, "3 times: killed by SIGKILL (Killed)")
    assert not LocalEngine(1).run(plan, store).ran


def test_what_is_no_learner_never_fails_because_it_was_killed(store, tmp_path, monkeypatch):
    """It is skipped, which the next run looks at again."""
    monkeypatch.setattr(losses, "MOST_LOSSES", 2)
    monkeypatch.setenv("DAGATHLON_TEST_MARK", str(tmp_path / "mark"))
    add_files([HOSTILE])
    plan = FakePlan()
    plan.add(call(TaskKind.GRAPH, "deadly_graph"), 1)
    LocalEngine(1).run(plan, store)
    found = store.outcomes(plan.keys())[plan.tasks[0].key]
    assert (found.status, found.reason) == (Status.SKIPPED, "2 times: killed by SIGKILL (Killed)")
    (tmp_path / "mark").touch()
    LocalEngine(1).run(plan, store)
    assert store.outcomes(plan.keys())[plan.tasks[0].key].status is Status.OK


def test_a_process_that_a_learner_forked_does_not_go_on_with_its_work(store):
    plan = plan_of(*["fork"] * 12, "leave child", limits=Limits(time=60.0))
    LocalEngine(2).run(plan, store)
    *forked, left = outcomes(plan, store)
    assert {each.status for each in forked} == {Status.OK}
    assert left.reason == "it ended the worker process with exit code 5"


def test_bytes_in_descriptors_of_others_cost_one_run_and_no_store(store):
    plan = plan_of("none", "write", "shared", "cut", "none")
    LocalEngine(1).run(plan, store)
    first, wrote, *others = outcomes(plan, store)
    assert {each.status for each in (first, *others)} == {Status.OK}
    assert wrote.reason == "it wrote to file descriptors that are not its own"
    assert verify(store) == []
    assert store.connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.parametrize("deed", ["close", "replace"])
def test_a_learner_that_closes_descriptors_of_others_has_failed_at_once(store, deed):
    """It is not begun again, as one is that was killed from outside."""
    events = []
    plan = plan_of(deed, "none")
    LocalEngine(1).run(plan, store, on_event=events.append)
    closed, other = outcomes(plan, store)
    assert (closed.status, other.status) == (Status.ERROR, Status.OK)
    assert closed.reason == "it closed file descriptors that are not its own"
    assert not any("begins again" in event.text for event in events if isinstance(event, Note))


def test_what_a_learner_does_to_the_measuring_of_usage_is_not_believed(store):
    plan = plan_of("usage", "none")
    LocalEngine(1).run(plan, store)
    assert [each.status for each in outcomes(plan, store)] == [Status.OK] * 2


@pytest.mark.parametrize("deed", ["thread", "limit"])
def test_what_a_learner_leaves_in_its_process_harms_no_other(store, deed):
    plan = plan_of(deed, "state", "none")
    LocalEngine(1).run(plan, store)
    assert {each.status for each in outcomes(plan, store)} == {Status.OK}
    stats = store.load(plan.tasks[4].key).stats
    assert stats["threads"] == 1
    assert stats["files"] > 3


def test_workers_hold_no_descriptor_of_the_index(store):
    plan = plan_of("descriptors")
    LocalEngine(1).run(plan, store)
    names = store.load(plan.tasks[3].key).stats["names"]
    assert "pipe:" in names
    assert str(store.folder / "index") not in names


@pytest.mark.slow
def test_orders_that_a_learner_swallowed_are_given_again(store, monkeypatch):
    monkeypatch.setattr(process, "_UNREAD", 2.0)
    plan = plan_of("swallow", "none", "none", "none")
    LocalEngine(1).run(plan, store)  # it would wait for ever
    assert {each.status for each in outcomes(plan, store)} == {Status.OK}


@pytest.mark.parametrize("engine", [LocalEngine(1), InlineEngine()])
def test_clocks_that_a_learner_replaced_are_not_believed(store, engine):
    plan = plan_of("nan", "past", "none")
    began = time.monotonic()
    engine.run(plan, store)
    for found in outcomes(plan, store):
        assert found.status is Status.OK
        assert 0 <= found.wall < time.monotonic() - began
        assert 0 <= found.cpu < time.monotonic() - began


@pytest.mark.parametrize("engine", [LocalEngine(1), InlineEngine()])
def test_texts_that_are_no_unicode_are_written_with_escapes(store, engine):
    plan = plan_of("speak", "note", "stat")
    engine.run(plan, store)
    spoken, noted, counted = outcomes(plan, store)
    assert spoken.status is Status.ERROR
    assert r"donn\udce9es.csv" in spoken.reason
    assert spoken.reason.isprintable()
    assert noted.status is counted.status is Status.OK
    assert store.load(plan.tasks[4].key).notes == (r"donn\udce9es.csv",)
    assert store.load(plan.tasks[5].key).stats["name"] == r"donn\udce9es.csv"

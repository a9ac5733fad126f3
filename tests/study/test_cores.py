"""Cores that no run needs: who gets them, and that none is given away twice."""

from __future__ import annotations

import pytest
from plans import FakePlan, add_data, call, learner, plan_of
from test_engine import outcome

from dagathlon.learners.constraint.pc import Pc
from dagathlon.study.engine.execute import gains_by_threads
from dagathlon.study.engine.idle_cores import IdleCores
from dagathlon.study.engine.local import LocalEngine
from dagathlon.study.engine.protocol import Options
from dagathlon.study.engine.resources import Share
from dagathlon.study.engine.schedule import Schedule
from dagathlon.study.plan.task import Resources, TaskKind
from dagathlon.study.store.store import Store

BY_TWO = "learned by 2 threads"


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "store") as opened:
        yield opened


class Worker:
    """As much of a worker as cores are counted by."""

    def __init__(self, busy: int = 0, threads: int = 1) -> None:
        self.share = Share(threads)
        self.cores = busy
        self.outstanding = {99: 1.0} if busy else {}


def ready(store: Store, *modules: str) -> tuple[FakePlan, Schedule, list[int]]:
    """A plan of learners on one data set, of which only the first task is ready."""
    plan = plan_of(*(call(TaskKind.LEARN, name) for name in modules))
    schedule = Schedule(plan, store, Options())
    return plan, schedule, list(range(3, 3 + len(modules)))


def test_the_only_run_gets_all_cores(store):
    _, schedule, (position,) = ready(store, "pc")
    workers = [Worker(), Worker(), Worker()]
    cores = IdleCores(3, workers)
    cores.engage(workers[0], [position])
    schedule.take(0)  # the only task that was ready
    assert cores.left_over(schedule, {workers[0]: [position], workers[1]: []}) == {position: 2}


def test_runs_that_begin_together_share_what_is_left(store):
    _, schedule, positions = ready(store, "pc", "boss", "hc")
    schedule.take(0)
    workers = [Worker() for _ in range(8)]
    cores = IdleCores(8, workers)
    chosen = {worker: [position] for worker, position in zip(workers, positions, strict=False)}
    for worker, batch in chosen.items():
        cores.engage(worker, batch)
    assert cores.left_over(schedule, chosen) == {positions[0]: 3, positions[1]: 2}


@pytest.mark.parametrize(
    ("name", "values", "gains"),
    [
        ("pc", {}, True),
        ("hc", {}, False),
        ("hc", {"column_orders": 3}, True),
        ("ges", {}, False),
        ("ges", {"starts": 4}, True),
        ("gies", {}, True),
        ("gies", {"orders": False}, False),
        ("giudici_green", {}, False),
        ("giudici_green", {"chains": 2}, True),
        ("bootstrap", {"learner": "hc"}, True),
        ("bootstrap", {"learner": "golem"}, False),
        ("grasp", {}, False),
    ],
)
def test_cores_are_lent_where_parameters_leave_something_to_split(name, values, gains):
    assert gains_by_threads(call(TaskKind.LEARN, name, values)) is gains


def test_whoever_lends_cores_prepares_no_learner(store, monkeypatch):
    def unprepared(cls: type) -> None:
        raise ImportError("a library that is not here")

    monkeypatch.setattr(Pc, "prepare", classmethod(unprepared))
    assert gains_by_threads(call(TaskKind.LEARN, "pc"))


def test_a_user_module_that_cannot_be_asked_has_one_core(monkeypatch):
    def broken(self: Pc) -> bool:
        raise ZeroDivisionError

    monkeypatch.setattr(Pc, "gains_by_threads", broken)
    assert not gains_by_threads(call(TaskKind.LEARN, "pc"))


def test_what_is_ready_keeps_its_core(store):
    _, schedule, (position,) = ready(store, "pc")
    worker = Worker()
    cores = IdleCores(2, [worker, Worker()])
    cores.engage(worker, [position])
    assert schedule.queued == 1
    assert cores.left_over(schedule, {worker: [position]}) == {}


def test_a_study_that_says_how_many_is_obeyed(store):
    plan, _, (position,) = ready(store, "pc")
    plan.resources[position] = Resources(1)
    schedule = Schedule(plan, store, Options())
    schedule.take(0)
    worker = Worker()
    cores = IdleCores(4, [worker])
    cores.engage(worker, [position])
    assert cores.left_over(schedule, {worker: [position]}) == {}


def test_nobody_begins_on_a_core_that_is_lent():
    lent, idle = Worker(busy=2), Worker()
    assert not IdleCores(2, [lent, idle]).suffice(idle)
    assert IdleCores(2, [lent, idle]).suffice(lent)
    assert IdleCores(3, [lent, idle]).suffice(idle)
    first, second = Worker(), Worker()
    cores = IdleCores(3, [lent, first, second])
    cores.engage(first, [7])
    assert not cores.suffice(second)


def test_a_run_alone_has_two_threads_and_the_same_result(store, tmp_path):
    plan = plan_of(call(TaskKind.LEARN, "pc"))
    LocalEngine(2, cards=()).run(plan, store)
    assert outcome(store, plan, 3).detail == BY_TWO
    with Store(tmp_path / "other") as other:
        plan.resources[3] = Resources(1)
        LocalEngine(2, cards=()).run(plan, other)
        assert outcome(other, plan, 3).detail == ""
        assert other.digests(plan.keys()) == store.digests(plan.keys())


def test_a_learner_that_does_not_split_has_one(store):
    plan = plan_of(learner())
    LocalEngine(2, cards=()).run(plan, store)
    assert outcome(store, plan, 3).detail == ""


def test_asked_for_threads_are_used(store):
    plan = FakePlan()
    source = add_data(plan, 0)
    names = ("pc", "boss", "hc")  # the last has little to split, and does
    positions = [plan.add(call(TaskKind.LEARN, name), 0, [source]) for name in names]
    for position in positions:
        plan.resources[position] = Resources(2)
    LocalEngine(2, cards=()).run(plan, store)
    assert [outcome(store, plan, i).detail for i in positions] == [BY_TWO] * 3

"""Cores and cards: shares, what programs are told, and what a study can ask for."""

from __future__ import annotations

import json
from typing import Any

import pytest
from plans import call, learner, plan_of
from small_study import STUDY
from test_engine import outcome, statuses

from dagathlon.errors import DagathlonError, StudyError
from dagathlon.study.engine.local import LocalEngine
from dagathlon.study.engine.resources import Machine, Share, cards_here, cards_to_give
from dagathlon.study.plan.task import Call, Resources, Status, TaskKind
from dagathlon.study.store.store import Store
from dagathlon.workflow import Study


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "store") as opened:
        yield opened


def test_shares_are_taken_and_given_back():
    machine = Machine(4, ["a", "b"])
    first = machine.take(Resources(1, 1))
    second = machine.take(Resources(2, 1))
    assert (first, second) == (Share(1, ("a",)), Share(2, ("b",)))
    assert machine.fits(Resources(1))
    assert not machine.fits(Resources(2))
    assert not machine.fits(Resources(1, 1))
    assert machine.fits(Resources(1, 1), [first])
    machine.give_back(first)
    assert machine.take(Resources(2, 1)) == Share(2, ("a",))


def test_nobody_gets_more_than_there_is():
    machine = Machine(2, ["a"])
    assert machine.possible(Resources(8)) == Resources(2)
    assert machine.possible(Resources(1, 2, optional=True)) == Resources(1)
    assert machine.possible(Resources(1, 1, optional=True)) == Resources(1, 1)
    assert machine.objection(Resources(8, 1)) == ""
    assert machine.objection(Resources(1, 2)) == "it needs 2 GPUs, and this machine has 1"
    assert Machine(2).objection(Resources(1, 1)) == "it needs 1 GPU, and this machine has none"
    assert Machine(2).objection(Resources(1, 1, optional=True)) == ""


def test_environment_of_a_share():
    told = Share(3, ("0", "GPU-7")).variables()
    assert told["OMP_NUM_THREADS"] == told["DAGATHLON_THREADS"] == "3"
    assert told["CUDA_VISIBLE_DEVICES"] == "0,GPU-7"
    assert Share().variables()["CUDA_VISIBLE_DEVICES"] == ""


def test_cards_of_this_machine(tmp_path):
    for name in ("nvidia1", "nvidia7", "nvidiactl", "nvidia-uvm"):
        (tmp_path / name).touch()
    assert cards_here({}, str(tmp_path)) == ["0", "1"]
    assert cards_here({}, str(tmp_path / "nothing")) == []
    assert cards_here({"CUDA_VISIBLE_DEVICES": "2, GPU-5"}, str(tmp_path)) == ["2", "GPU-5"]
    for none in ("", "-1"):
        assert cards_here({"CUDA_VISIBLE_DEVICES": none}, str(tmp_path)) == []


def test_several_runs_share_a_card_only_when_told_to(tmp_path):
    here = {"CUDA_VISIBLE_DEVICES": "a,b"}
    assert cards_to_give(here) == ["a", "b"]
    cards = cards_to_give(here | {"DAGATHLON_RUNS_PER_CARD": "2"})
    machine = Machine(9, cards)
    both = machine.take(Resources(1, 2))
    assert both.cards == ("a", "b")
    assert [machine.take(Resources(1, 1)).cards for _ in range(2)] == [("a",), ("b",)]
    assert not machine.fits(Resources(1, 1))
    assert machine.fits(Resources(1, 2), [both])
    machine = Machine(9, cards)
    machine.take(Resources(1, 1))
    machine.give_back(machine.take(Resources(1, 1)))
    assert machine.take(Resources(1, 1)).cards == ("b",)  # nobody is there
    assert machine.objection(Resources(1, 3)) == "it needs 3 GPUs, and this machine has 2"
    with pytest.raises(DagathlonError, match="DAGATHLON_RUNS_PER_CARD: found 'many'"):
        cards_to_give(here | {"DAGATHLON_RUNS_PER_CARD": "many"})


def test_jax_does_not_take_the_whole_card(monkeypatch):
    monkeypatch.delenv("XLA_PYTHON_CLIENT_PREALLOCATE", raising=False)
    assert Share(1, ("0",)).variables()["XLA_PYTHON_CLIENT_PREALLOCATE"] == "false"
    monkeypatch.setenv("XLA_PYTHON_CLIENT_PREALLOCATE", "true")
    assert Share(1, ("0",)).variables()["XLA_PYTHON_CLIENT_PREALLOCATE"] == "true"


def told(module: str, **values: Any) -> Call:
    return call(TaskKind.LEARN, module, {"mode": "told", **values})


@pytest.mark.slow
def test_cores_are_never_given_away_twice(store):
    """Tasks of one, two and nine threads on two cores: what overlaps fits."""
    plan = plan_of(*(learner("told", number=i) for i in range(9)))
    threads = [1, 2, 9] * 3
    for position, number in enumerate(threads, start=3):
        plan.resources[position] = Resources(number)
    summary = LocalEngine(2, cards=()).run(plan, store)
    assert statuses(summary) == {"ok": 12}
    found = [store.load(task.key).stats for task in plan.tasks[3:]]
    given = [int(stats["DAGATHLON_THREADS"]) for stats in found]
    assert given == [min(number, 2) for number in threads]
    assert [stats["OMP_NUM_THREADS"] for stats in found] == list(map(str, given))
    assert {stats["CUDA_VISIBLE_DEVICES"] for stats in found} == {""}
    for stats in found:
        at_once = (s["begin"] <= stats["begin"] < s["end"] for s in found)
        assert sum(n for n, there in zip(given, at_once, strict=True) if there) <= 2


@pytest.mark.slow
def test_cards_are_never_given_away_twice(store):
    plan = plan_of(*(told("card_learner", number=i) for i in range(4)))
    for position in range(3, 7):
        plan.resources[position] = Resources(1, 1)
    LocalEngine(3, cards=("7", "9")).run(plan, store)
    found = [store.load(task.key).stats for task in plan.tasks[3:]]
    assert {stats["CUDA_VISIBLE_DEVICES"] for stats in found} <= {"7", "9"}
    for stats in found:
        card = stats["CUDA_VISIBLE_DEVICES"]
        same = [s for s in found if s["CUDA_VISIBLE_DEVICES"] == card]
        assert sum(s["begin"] <= stats["begin"] < s["end"] for s in same) == 1


@pytest.mark.slow
def test_what_needs_a_card_is_skipped_where_there_is_none(store):
    plan = plan_of(told("card_learner"), told("perhaps_learner"), learner())
    plan.resources |= {3: Resources(1, 1), 4: Resources(2, 1, optional=True)}
    summary = LocalEngine(2, cards=()).run(plan, store)
    assert statuses(summary) == {"ok": 5, "skipped": 1}
    skipped = outcome(store, plan, 3)
    assert skipped.status is Status.SKIPPED
    assert skipped.reason == "it needs 1 GPU, and this machine has none"
    assert store.load(plan.tasks[4].key).stats["CUDA_VISIBLE_DEVICES"] == ""
    again = LocalEngine(2, cards=("0",)).run(plan, store)
    assert again.ran == {("ok", "learn", "card_learner"): 1}


def loaded(folder, setup: dict[str, Any], objects: dict[str, Any]) -> Study:
    study = json.loads(json.dumps(STUDY))
    study["benchmark_setup"][0] |= setup
    study["benchmark_setup"][0]["evaluation"] = {"benchmarks": {"ids": ["it"]}}
    study["resources"]["structure_learning_algorithms"] = objects
    path = folder / "study.json"
    path.write_text(json.dumps(study))
    return Study.load(path)


@pytest.mark.parametrize(
    ("module", "setup", "own", "expected"),
    [
        ("corr_thresh", {}, {}, None),
        ("corr_thresh", {}, {"threads": 2}, Resources(2)),
        ("corr_thresh", {"threads": 3, "gpu": 1}, {}, Resources(3)),
        ("corr_thresh", {"threads": 3}, {"threads": 2, "gpu": 0}, Resources(2)),
        ("card_learner", {}, {}, Resources(1, 1)),
        ("card_learner", {"gpu": 0}, {}, Resources(1, 1)),
        ("card_learner", {"gpu": 2}, {}, Resources(1, 2)),
        ("perhaps_learner", {}, {}, Resources(2, 1, optional=True)),
        ("perhaps_learner", {}, {"gpu": 0}, Resources(2)),
        ("perhaps_learner", {}, {"gpu": False}, Resources(2)),
        ("perhaps_learner", {"gpu": True}, {}, Resources(2, 1)),
        ("perhaps_learner", {}, {"gpu": 1, "threads": 1}, Resources(1, 1)),
    ],
)
def test_what_a_study_asks_for(tmp_path, module, setup, own, expected):
    learner()  # makes the fake modules known
    plain = loaded(tmp_path, {}, {module: [{"id": "it"}]})
    study = loaded(tmp_path, setup, {module: [{"id": "it", **own}]})
    assert set(study.plan.resources.values()) == ({expected} if expected else set())
    assert [task.key for task in study.plan.tasks] == [task.key for task in plain.plan.tasks]


@pytest.mark.parametrize(
    ("module", "own", "problem"),
    [
        ("corr_thresh", {"threads": 0}, "threads: found 0, expected a whole number from 1"),
        ("corr_thresh", {"threads": "two"}, 'threads: found "two", expected a whole number'),
        ("corr_thresh", {"gpu": 1}, "gpu: corr_thresh has no use for a graphics card"),
        ("card_learner", {"gpu": 0}, "gpu: card_learner cannot run without a graphics card"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path, module, own, problem):
    learner()
    with pytest.raises(StudyError, match=problem):
        loaded(tmp_path, {}, {module: [{"id": "it", **own}]})

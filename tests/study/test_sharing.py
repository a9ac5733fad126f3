"""Learners that share tables: one worker for a data set, the same results, times that say so."""

from __future__ import annotations

import json

import pytest
from plans import FakePlan, add_data, call, learner

from dagathlon.learners.exact import candidate_families as shared
from dagathlon.study.engine.data_affinity import DataAffinity
from dagathlon.study.engine.inline import InlineEngine
from dagathlon.study.engine.local import LocalEngine
from dagathlon.study.engine.protocol import Options
from dagathlon.study.engine.schedule import Schedule
from dagathlon.study.plan.task import Outcome, Status, TaskKind
from dagathlon.study.store.store import Store
from dagathlon.workflow import Study

SCORES = ("bic", "fnml", "bdeu")
STUDY = {
    "benchmark_setup": [
        {
            "title": "shared",
            "data": [
                {
                    "graph_id": "asia.csv",
                    "parameters_id": "asia.rds",
                    "data_id": "rows",
                    "seed_range": [1, 2],
                }
            ],
            "evaluation": {"benchmarks": {"ids": ["exact"]}},
        }
    ],
    "resources": {
        "data": {"iid": [{"id": "rows", "n": 60}]},
        "structure_learning_algorithms": {
            "exact_map": [{"id": "exact", "score": list(SCORES), "max_parents": 2}]
        },
    },
}


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "store") as opened:
        yield opened


def ready_plan(store, seeds=2):
    """Three learners that share and one that does not on each data set, all ready to run."""
    plan = FakePlan()
    data = [add_data(plan, seed) for seed in range(seeds)]
    calls = [call(TaskKind.LEARN, "exact_map", {"score": score}) for score in SCORES]
    learners = [[plan.add(each, 0, [source]) for each in (*calls, learner())] for source in data]
    schedule = Schedule(plan, store, Options())
    for position in range(max(data) + 1):
        schedule.finish(position, Outcome(Status.OK))
    return schedule, data, learners


def test_a_worker_goes_on_with_its_data_and_others_begin_elsewhere(store):
    schedule, data, (first, second) = ready_plan(store)
    affinity = DataAffinity(schedule)

    def given(held, *elsewhere):
        assert schedule.n_ready(0)
        return schedule.take(affinity.choose(0, held, elsewhere))

    assert given(None) == first[0]
    assert affinity.data_of(first[0]) == data[0]
    assert affinity.data_of(first[3]) is None
    # Another worker: what shares nothing, the other data set to its end, at last what is left.
    assert given(None, data[0]) == first[3]
    assert given(None, data[0]) == second[0]
    assert [given(data[1], data[0]) for _ in range(4)] == [*second[1:], first[1]]
    assert given(data[0], data[1]) == first[2]
    assert schedule.n_ready(0) == 0


def test_company_is_what_is_still_to_be_done(store):
    schedule, _, (first, _) = ready_plan(store)
    affinity = DataAffinity(schedule)
    assert [each.values["score"] for each in affinity.coscheduled(first[0])] == ["fnml", "bdeu"]
    assert affinity.coscheduled(first[3]) == ()
    schedule.take(first[0])
    schedule.finish(first[0], Outcome(Status.OK))
    assert [each.values["score"] for each in affinity.coscheduled(first[1])] == ["bdeu"]


def test_results_are_the_same_with_and_without_sharing(tmp_path, monkeypatch):
    path = tmp_path / "study.json"
    path.write_text(json.dumps(STUDY))
    plan = Study.load(path).plan
    keys = [task.key for task in plan.tasks]
    learned = [task.key for task in plan.tasks if task.call.kind is TaskKind.LEARN]
    shared.MEMORY.clear()
    with Store(tmp_path / "together") as together, Store(tmp_path / "alone") as alone:
        InlineEngine(raises=True).run(plan, together)
        shared.MEMORY.clear()
        monkeypatch.setattr(DataAffinity, "coscheduled", lambda *_: ())
        InlineEngine(raises=True).run(plan, alone)
        assert together.digests(keys) == alone.digests(keys)
        said = [together.outcomes([key])[key].detail for key in learned]
        assert said == 2 * [shared.COUNTED_FOR_OTHERS.format(2), *2 * [shared.FOUND_COUNTED]]
        assert {outcome.detail for outcome in alone.outcomes(learned).values()} == {""}


@pytest.mark.slow
def test_workers_share_within_a_data_set(tmp_path):
    """In processes: each data set is counted once or twice (when the last is divided), no more."""
    path = tmp_path / "study.json"
    path.write_text(json.dumps(STUDY))
    plan = Study.load(path).plan
    keys = [task.key for task in plan.tasks]
    learned = [task.key for task in plan.tasks if task.call.kind is TaskKind.LEARN]
    with Store(tmp_path / "local") as local, Store(tmp_path / "inline") as inline:
        LocalEngine(2).run(plan, local)
        InlineEngine(raises=True).run(plan, inline)
        assert local.digests(keys) == inline.digests(keys)
        said = [outcome.detail for outcome in local.outcomes(learned).values()]
    assert said.count(shared.FOUND_COUNTED) >= len(learned) - 4

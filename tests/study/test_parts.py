"""Shards of a plan: every learning task once, balanced, the same everywhere."""

from __future__ import annotations

from itertools import chain

import pytest
from plans import FakePlan, add_data, learner, plan_of

from dagathlon.study.engine.inline import InlineEngine
from dagathlon.study.engine.parts import shard, shares
from dagathlon.study.engine.protocol import Options
from dagathlon.study.plan.task import Call, TaskKind
from dagathlon.study.store.store import Store


def learning(plan, positions):
    return [i for i in positions if plan.tasks[i].call.kind is TaskKind.LEARN]


def data_of(plan, positions):
    return {plan.tasks[i].inputs[0] for i in learning(plan, positions)}


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 40])
def test_every_learning_task_is_in_one_shard_with_what_it_needs(count):
    plan = plan_of(learner(), learner(number=1), learner(number=2), seeds=5)
    parts = [shard(plan.tasks, number, count) for number in range(1, count + 1)]
    learned = sorted(chain.from_iterable(learning(plan, part) for part in parts))
    assert learned == learning(plan, range(len(plan.tasks)))
    for part in parts:
        assert part == sorted(part)
        assert all(i in part for position in part for i in plan.tasks[position].inputs)
    sizes = [len(learning(plan, part)) for part in parts]
    together = 3 if count <= 5 else 1
    assert max(sizes) - min(sizes) <= together


def test_runs_on_one_data_set_stay_together_where_there_are_enough():
    plan = plan_of(learner(), learner(number=1), seeds=6)
    parts = [shard(plan.tasks, number, 6) for number in range(1, 7)]
    assert [len(data_of(plan, part)) for part in parts] == [1] * 6
    split = [shard(plan.tasks, number, 12) for number in range(1, 13)]
    assert [len(learning(plan, part)) for part in split] == [1] * 12


def test_data_sets_made_of_one_stay_with_it_where_there_are_enough():
    plan = FakePlan()
    for seed in range(2):
        source = add_data(plan, seed)
        for number in range(2):
            change = Call.of(TaskKind.TRANSFORM, "bootstrap", 1, {"number": number})
            plan.add(learner(), seed, [plan.add(change, seed, [source])])
    assert [len(share) for share in shares(plan.tasks, 2)] == [2, 2]
    first, second = (plan.tasks[i].seed for i in shares(plan.tasks, 2)[0])
    assert first == second
    assert [len(share) for share in shares(plan.tasks, 4)] == [1, 1, 1, 1]


def test_replicates_of_one_kind_are_dealt_out():
    plan = FakePlan()
    for seed in range(4):
        for rows in (10, 1000):  # were shards every second data set, one would have all large ones
            plan.add(learner(), seed, [add_data(plan, seed, n=rows)])
    for share in shares(plan.tasks, 2):
        data = [plan.tasks[plan.tasks[i].inputs[0]] for i in share]
        assert sorted(task.call.values["n"] for task in data) == [10, 10, 1000, 1000]


def test_learners_stay_with_those_that_they_read():
    plan = FakePlan()
    source = add_data(plan, 1)
    first = plan.add(learner(), 1, [source])
    other = plan.add(learner(number=1), 1, [source])
    estimate = plan.add(Call.of(TaskKind.ESTIMATE, "map", 1, {}), 1, [first])
    second = plan.add(learner(number=2), 1, [source, estimate])
    assert shares(plan.tasks, 3) == [[first, second], [other], []]


def test_a_score_of_several_graphs_is_in_a_shard_that_has_them_all():
    plan = plan_of(learner(), learner(number=1))
    own = [plan.add(Call.of(TaskKind.SCORE, "metrics", 1, {}), 0, [0, i]) for i in (3, 4)]
    both = plan.add(Call.of(TaskKind.SCORE, "agreement", 1, {}), 0, [3, 4])
    assert shard(plan.tasks, 1, 2) == [0, 1, 2, 3, own[0]]
    assert shard(plan.tasks, 2, 2) == [0, 1, 2, 4, own[1]]
    assert both in shard(plan.tasks, 1, 1)


def test_without_learning_all_tasks_are_divided():
    plan = plan_of(seeds=5)
    parts = [shard(plan.tasks, number, 3) for number in (1, 2, 3)]
    assert sorted(chain.from_iterable(parts)) == list(range(len(plan.tasks)))
    assert sorted(map(len, parts)) == [3, 6, 6]


def test_shards_of_one_store_leave_the_rest_to_the_whole(tmp_path):
    plan = plan_of(learner(), learner(number=1), seeds=3)
    with Store(tmp_path) as store:
        for number in (1, 2, 3):
            part = Options(shard=(number, 3))
            assert part.partial
            summary = InlineEngine().run(plan, store, options=part)
            assert summary.ran.total() == len(plan.tasks) / 3
        rest = InlineEngine().run(plan, store)
    assert rest.ran.total() == 0
    assert rest.stored.total() == len(plan.tasks)

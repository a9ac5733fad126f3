"""Limits of processor time: of a run's processes together, whatever else a machine does."""

from __future__ import annotations

import json

import numpy as np
import pytest
from plans import FAKES, learner, plan_of
from small_study import STUDY
from test_engine import outcome, run, statuses

from dagathlon import learn
from dagathlon.cli import main
from dagathlon.data import Dataset, Variable
from dagathlon.study.plan.task import Limits, Outcome, Status
from dagathlon.study.store.store import Store
from dagathlon.workflow import Study

CPU = Limits(cpu=0.3)


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "store") as opened:
        yield opened


def test_processor_time_is_limited_and_waiting_is_free(store):
    """Native code that never returns, programs that compute, and sleep, which costs nothing."""
    plan = plan_of(learner("spin"), learner("busy children"), learner(seconds=0.5), limits=CPU)
    summary, _ = run(plan, store, jobs=1)
    assert statuses(summary) == {"ok": 4, "timeout": 2}
    for position in (3, 4):
        found = outcome(store, plan, position)
        assert found.reason == "stopped after 0.3 s of processor time"
        assert found.cpu >= 0.3
        assert found.limits == CPU
    assert outcome(store, plan, 5).status is Status.OK


def test_a_run_is_stopped_by_the_limit_that_it_reaches_first(store):
    plan = plan_of(learner("sleep"), limits=Limits(time=0.3, cpu=60.0))
    run(plan, store)
    found = outcome(store, plan, 3)
    assert (found.reason, found.limits) == ("stopped after 0.3 s", Limits(time=0.3))


@pytest.mark.parametrize(
    ("earlier", "now", "stands"),
    [
        (Limits(cpu=1.0), Limits(cpu=1.0), True),
        (Limits(cpu=1.0), Limits(cpu=2.0), False),
        (Limits(cpu=1.0), Limits(), False),
        (Limits(cpu=1.0), Limits(time=9.0, cpu=1.0), True),
        (Limits(time=1.0), Limits(time=1.0, cpu=9.0), True),
    ],
)
def test_more_processor_time_lets_a_run_be_tried_again(earlier, now, stands):
    assert Outcome(Status.TIME, limits=earlier).settles(now) is stands


def test_stores_know_the_limit(store):
    plan = plan_of(learner("spin"), limits=CPU)
    run(plan, store)
    assert not run(plan, store)[0].ran
    plan.limits[3] = Limits(cpu=0.4)
    assert statuses(run(plan, store)[0]) == {"timeout": 1}


def test_studies_and_commands_limit_processor_time():
    content = json.loads(json.dumps(STUDY))
    assert Study.of(content).plan.limits == {}
    content["benchmark_setup"][0]["cpu_limit"] = "2m"
    assert set(Study.of(content).plan.limits.values()) == {Limits(cpu=120.0)}
    changed = Study.of(content, cpu_limit=5.0).plan
    assert set(changed.limits.values()) == {Limits(cpu=5.0)}
    assert [task.key for task in changed.tasks] == [t.key for t in Study.of(STUDY).plan.tasks]


def test_learn_stops_by_processor_time():
    values = np.random.default_rng(1).normal(size=(60, 5))
    data = Dataset([Variable(f"X{i}") for i in range(5)], values=values)
    found = learn(data, "order_mcmc", iterations=10**9, cpu_limit=0.3)
    assert found.stats["stopped_early"] is True


def test_the_command_stops_what_never_looks_at_the_clock(tmp_path, capsys):
    rows = "\n".join(f"{i / 7},{i * i % 7 / 3}" for i in range(9))
    (tmp_path / "d.csv").write_text(f"a,b\n{rows}\n")
    words = ("learn", str(tmp_path / "d.csv"), "--with", "fake_learner[mode=busy]")
    assert main([*words, "--modules", str(FAKES), "--cpu-limit", "0.3"]) == 2
    said = capsys.readouterr().err
    assert "stopped at the limit of 0.3 s of processor time; nothing was written" in said

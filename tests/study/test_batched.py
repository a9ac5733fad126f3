"""The batched engine: data sets together, results as if each had run alone."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from plans import FAKES, FakePlan, call, learner, plan_of
from small_study import STUDY
from test_engine import outcome, statuses

from dagathlon.cli import main
from dagathlon.data import Dataset, Variable
from dagathlon.errors import KilledError, UnsuitedError, WrongResultError
from dagathlon.learners.run import run_learner, run_learner_on_many
from dagathlon.modules import find
from dagathlon.study.engine import batched
from dagathlon.study.engine import perform as subject
from dagathlon.study.engine.batched import BatchedEngine
from dagathlon.study.engine.inline import InlineEngine
from dagathlon.study.engine.losses import MOST_LOSSES
from dagathlon.study.engine.protocol import Note
from dagathlon.study.plan.task import Status, TaskKind
from dagathlon.study.store.codec import decode
from dagathlon.study.store.store import Store
from dagathlon.workflow import Study


def batch_learner(**values):
    return call(TaskKind.LEARN, "batch_learner", values)


def stored(folder: Path, plan: FakePlan, engine: InlineEngine) -> tuple[dict, list[str]]:
    """What a run leaves in the store, and how large the batch of each learning task was."""
    with Store(folder) as store:
        engine.run(plan, store)
        learned = [i for i, t in enumerate(plan.tasks) if t.call.kind is TaskKind.LEARN]
        details = [outcome(store, plan, i).detail for i in learned]
        return store.digests(plan.keys()), details


def test_results_are_those_of_single_runs(tmp_path):
    """Two settings on three data sets are two batches of three; another learner runs alone."""
    plan = plan_of(batch_learner(), batch_learner(number=1), learner(), seeds=3)
    alone, nothing = stored(tmp_path / "alone", plan, InlineEngine())
    together, said = stored(tmp_path / "together", plan, BatchedEngine())
    assert together == alone
    assert len(alone) == len(plan.tasks)
    assert set(nothing) == {""}
    sizes = [re.search(r"from (\d+) data sets", text) for text in said]
    assert [size and int(size[1]) for size in sizes] == [3, 3, None] * 3
    pairs, said = stored(tmp_path / "pairs", plan, BatchedEngine(most=2))
    assert pairs == alone
    assert sum("from 2 data sets" in text for text in said) == 4  # and one of each is left alone


@pytest.mark.slow
def test_times_are_shares(tmp_path):
    plan = plan_of(batch_learner(), seeds=4)
    with Store(tmp_path) as store:
        BatchedEngine().run(plan, store)
        learned = [i for i, t in enumerate(plan.tasks) if t.call.kind is TaskKind.LEARN]
        assert (
            len({(outcome(store, plan, i).wall, outcome(store, plan, i).cpu) for i in learned}) == 1
        )
        assert not BatchedEngine().run(plan, store).ran


def _first(store: Store, key: bytes) -> float:
    found: Any = decode(store.stored(key))
    return float(found.stats["first"])


@pytest.mark.slow
def test_one_bad_data_set_takes_no_other_with_it(tmp_path):
    """Halves are tried, with random numbers from the beginning: only the bad one fails."""
    fine = plan_of(batch_learner(), seeds=6)
    with Store(tmp_path / "fine") as store:
        InlineEngine().run(fine, store)
        firsts = [
            _first(store, task.key) for task in fine.tasks if task.call.module == "batch_learner"
        ]
    worst = sorted(firsts)[-2] + 1e-9
    plan = plan_of(batch_learner(worst=worst), seeds=6)
    events: list = []
    with Store(tmp_path / "bad") as store:
        summary = BatchedEngine().run(plan, store, on_event=events.append)
        assert statuses(summary) == {"ok": 23, "error": 1}
        details = [outcome(store, plan, i).detail for i in range(len(plan.tasks))]
        assert sum("from 3 data sets" in text for text in details) == 3
        with Store(tmp_path / "alone") as other:
            InlineEngine().run(plan, other)
            assert store.digests(plan.keys()) == other.digests(plan.keys())
    notes = [event.text for event in events if isinstance(event, Note)]
    assert any("failed on 6 data sets together (RuntimeError: a bad" in note for note in notes)
    with Store(tmp_path / "raises") as store, pytest.raises(RuntimeError, match="a bad data set"):
        BatchedEngine(raises=True).run(plan, store)


@pytest.mark.parametrize("engine", [InlineEngine(), BatchedEngine()])
@pytest.mark.parametrize(("kills", "status"), [(2, Status.OK), (99, Status.ERROR)])
def test_a_killed_program_is_no_result_unless_it_recurs(
    engine, kills, status, tmp_path, monkeypatch
):
    execute, left = subject.execute, [kills]

    def killed(call, *arguments):
        if call.kind is TaskKind.LEARN and left[0]:
            left[0] -= 1
            raise KilledError("somebody killed it")
        return execute(call, *arguments)

    monkeypatch.setattr(subject, "execute", killed)
    plan = plan_of(learner())
    with Store(tmp_path) as store:
        engine.run(plan, store)
        found = outcome(store, plan, len(plan.tasks) - 1)
    assert found.status is status
    assert left == [0 if status is Status.OK else kills - MOST_LOSSES]


def test_a_killed_batch_runs_again(tmp_path, monkeypatch):
    """Also where the learner gives the error as the result of one of the data sets."""
    many, calls = subject.execute_many, []

    def killed(*arguments):
        calls.append(arguments)
        found = list(many(*arguments))
        return [KilledError("somebody killed it"), *found[1:]] if len(calls) == 1 else found

    monkeypatch.setattr(subject, "execute_many", killed)
    plan = plan_of(batch_learner(), seeds=3)
    with Store(tmp_path) as store:
        assert statuses(BatchedEngine().run(plan, store)) == {"ok": len(plan.tasks)}
    assert len(calls) == 2


def test_an_interrupted_batch_runs_again(tmp_path, monkeypatch):
    """Ctrl-C inside the second batch keeps the first one, and leaves the other to the next run."""
    plan = plan_of(batch_learner(), batch_learner(number=1), seeds=2)
    perform, calls = batched.perform_many, []

    def interrupted(*arguments):
        calls.append(arguments)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return perform(*arguments)

    monkeypatch.setattr(batched, "perform_many", interrupted)
    with Store(tmp_path) as store:
        first = BatchedEngine().run(plan, store)
        assert first.interrupted
        assert first.ran[("ok", "learn", "batch_learner")] == 2
        second = BatchedEngine().run(plan, store)
        assert second.ran == {("ok", "learn", "batch_learner"): 2}
        assert len(store.digests(plan.keys())) == len(plan.tasks)


@pytest.mark.slow
def test_wrong_results_and_unsuited_data_fail_by_themselves(tmp_path):
    plan = plan_of(batch_learner(wrong=True), seeds=6)
    with Store(tmp_path / "wrong") as store:
        summary = BatchedEngine().run(plan, store)
        failed = [
            i for i in range(len(plan.tasks)) if outcome(store, plan, i).status is Status.ERROR
        ]
        assert 0 < len(failed) < 6
        assert "not over the variables" in outcome(store, plan, failed[0]).reason
        assert statuses(summary) == {"ok": 24 - len(failed), "error": len(failed)}
    few = plan_of(batch_learner(), seeds=3, n=4)
    with Store(tmp_path / "few") as store:
        assert statuses(BatchedEngine().run(few, store)) == {"ok": 9, "skipped": 3}
        assert outcome(store, few, 3).reason == "too few rows"


@pytest.mark.slow
def test_damaged_inputs_are_computed_again(tmp_path):
    plan = plan_of(batch_learner(), seeds=2, n=3000)
    with Store(tmp_path) as store:
        BatchedEngine().run(plan, store)
        next(store.objects.files())[1].write_bytes(b"x")
        more = plan_of(batch_learner(number=1), seeds=2, n=3000)
        summary = BatchedEngine().run(more, store)
    assert summary.ran[("ok", "learn", "batch_learner")] == 2


def test_the_door_for_several_data_sets():
    call(TaskKind.LEARN, "batch_learner")  # which makes it known
    made = find("algorithm", "batch_learner").from_json({"wrong": True})

    def table(first: float, rows: int = 6) -> Dataset:
        return Dataset([Variable("a"), Variable("b")], values=np.full((rows, 2), first))

    def rngs() -> list[np.random.Generator]:
        return [np.random.default_rng(k) for k in range(4)]

    data = [table(-1), table(-2, rows=3), table(1), table(-3)]
    found = run_learner_on_many(made, data, rngs())
    assert isinstance(found[1], UnsuitedError)
    assert isinstance(found[2], WrongResultError)
    assert found[0] == run_learner(made, data[0], rngs()[0])
    assert found[3] == run_learner(made, data[3], rngs()[3])
    assert run_learner_on_many(made, data[1:2], rngs()[:1])[0].args == found[1].args


@pytest.mark.slow
def test_the_command_knows_the_engine(tmp_path, capsys):
    """A study of one's own learner, from the command line."""
    study = deepcopy(STUDY)
    (setup,), algorithms = study["benchmark_setup"], "structure_learning_algorithms"
    setup["evaluation"] = {"benchmarks": {"ids": ["batches"]}}
    study["resources"][algorithms] = {"batch_learner": [{"id": "batches"}]}
    path = tmp_path / "study.json"
    path.write_text(json.dumps(study | {"modules": [str(FAKES)]}))
    options = ["--engine", "batched", "--figures", "none"]
    assert main(["run", str(path), "--out", str(tmp_path / "out"), *options]) == 0
    assert "batched engine runs everything in one process" in capsys.readouterr().err
    with Store(tmp_path / "out" / "store") as store:
        plan = Study.load(path).plan
        learned = [i for i, t in enumerate(plan.tasks) if t.call.kind is TaskKind.LEARN]
        details = {outcome(store, plan, i).detail for i in learned}
    assert len(details) == 1
    assert f"from {len(learned)} data sets" in details.pop()

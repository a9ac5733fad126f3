"""The seam between engines and the rest: by name, with settings, with the same results."""

from __future__ import annotations

import bdb
import csv
import json
import os
import sys
from pathlib import Path

import pytest
from plans import learner, plan_of
from small_study import STUDY
from test_engine import outcome, statuses

from dagathlon.cli import main
from dagathlon.cluster.managers import MANAGERS
from dagathlon.errors import DagathlonError
from dagathlon.study.engine import inline
from dagathlon.study.engine.batched import BatchedEngine
from dagathlon.study.engine.engines import engines, make_engine
from dagathlon.study.engine.inline import InlineEngine
from dagathlon.study.engine.local import LocalEngine
from dagathlon.study.engine.messages import (
    HEADER,
    Lost,
    NewCall,
    Order,
    Report,
    Unkept,
    Up,
    frame,
    opened,
    opened_header,
)
from dagathlon.study.engine.protocol import Finished, Note, Options
from dagathlon.study.plan.task import Limits, Status
from dagathlon.study.store.store import Store
from dagathlon.workflow import Study

MEASURED = ("time", "cpu", "memory")


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "store") as opened:
        yield opened


def test_engines_are_found_by_name():
    at_home = {"batched": BatchedEngine, "inline": InlineEngine, "local": LocalEngine}
    assert {name: engines().get(name) for name in at_home} == at_home
    assert set(engines()) == {*at_home, *MANAGERS}
    assert make_engine("local", jobs=3, raises=False) == LocalEngine(3)
    assert make_engine("inline", jobs=0, raises=True) == InlineEngine(raises=True)
    with pytest.raises(DagathlonError, match="did you mean 'inline'"):
        make_engine("inlin")
    with pytest.raises(DagathlonError, match="the engine dask has no memory; it takes scheduler"):
        make_engine("dask", memory="1G")
    with pytest.raises(DagathlonError, match="the engine inline has no jobs; it takes raises"):
        make_engine("inline", jobs=2)


def without_pictures(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]) -> None:
    """Write figures that show nothing, here and in the processes that draw."""
    monkeypatch.setenv("PYTHONPATH", variables["PYTHONPATH"])
    monkeypatch.syspath_prepend(variables["PYTHONPATH"].partition(os.pathsep)[0])
    monkeypatch.delitem(sys.modules, "vl_convert", raising=False)


def tables(folder: Path) -> dict[str, list[list[str]]]:
    """All tables of results without what is measured."""
    found = {}
    for path in sorted(folder.rglob("*.csv")):
        with path.open(newline="") as file:
            rows = list(csv.reader(file))
        left_out = {i for i, name in enumerate(rows[0]) if name.startswith(MEASURED)}
        kept = [[cell for i, cell in enumerate(row) if i not in left_out] for row in rows]
        found[str(path.relative_to(folder))] = kept
    return found


@pytest.mark.slow
def test_tables_do_not_depend_on_the_engine(tmp_path, monkeypatch, plain_pictures):
    without_pictures(monkeypatch, plain_pictures)
    path = tmp_path / "study.json"
    path.write_text(json.dumps(STUDY))
    study = Study.load(path)
    summary = study.run(tmp_path / "local", jobs=2)
    again = study.run(tmp_path / "inline", engine="inline")
    assert summary.ran == again.ran
    found = tables(tmp_path / "local")
    assert tables(tmp_path / "inline") == found
    assert len(found["small/benchmarks/joint_benchmarks.csv"]) == 1 + 3 * 4 * 3
    with Store(tmp_path / "local/store") as one, Store(tmp_path / "inline/store") as other:
        keys = [task.key for task in study.plan.tasks]
        assert one.digests(keys) == other.digests(keys)
        assert len(one.digests(keys)) == len(keys)


def test_inline_failures_are_records_and_limits_are_not_enforced(store):
    plan = plan_of(learner("raise"), learner(), limits=Limits(time=1e-9), n=3000)
    events: list = []
    summary = InlineEngine().run(plan, store, on_event=events.append)
    assert statuses(summary) == {"ok": 4, "error": 1}
    assert outcome(store, plan, 3).reason == "RuntimeError: it went wrong in detail"
    assert outcome(store, plan, 4).status is Status.OK
    notes = [event.text for event in events if isinstance(event, Note)]
    assert any("limits are not enforced" in note for note in notes)
    assert sum(isinstance(event, Finished) for event in events) == 5
    assert not InlineEngine().run(plan, store).ran
    assert InlineEngine().run(plan, store, options=Options(retry={Status.ERROR})).ran.total() == 1


def test_inline_computes_damaged_inputs_again(store):
    plan = plan_of(learner(), n=3000)
    InlineEngine().run(plan, store)
    ((_, path),) = store.objects.files()
    path.write_bytes(b"x")
    more = plan_of(learner(), learner(number=1), n=3000)
    summary = InlineEngine().run(more, store)
    assert summary.ran == {("ok", "data", "fake_data"): 1, ("ok", "learn", "fake_learner"): 1}


def test_the_first_failure_can_be_entered(store):
    plan = plan_of(learner("raise"))
    with pytest.raises(RuntimeError, match="it went wrong") as caught:
        InlineEngine(raises=True).run(plan, store)
    assert caught.traceback[-1].name == "raise_error"
    assert store.get(plan.tasks[3].key) is None
    assert not list(store.folder.glob("scratch/*"))
    assert statuses(InlineEngine().run(plan, store)) == {"error": 1}


@pytest.mark.parametrize("error", [KeyboardInterrupt, bdb.BdbQuit])
def test_leaving_the_debugger_stops_the_run(store, monkeypatch, error):
    plan = plan_of(learner(), learner(number=1))
    perform, calls = inline.perform, []

    def leaving(*arguments, **company):
        calls.append(arguments)
        if len(calls) == 4:
            raise error
        return perform(*arguments, **company)

    monkeypatch.setattr(inline, "perform", leaving)
    summary = InlineEngine().run(plan, store)
    assert summary.interrupted
    assert summary.ran.total() == 3


STOPS = """
from dataclasses import dataclass
from dagathlon import Estimate, Graph, Learner


@dataclass(frozen=True, kw_only=True)
class Mine(Learner):
    name = "mine"

    def learn(self, data, rng):
        breakpoint()
        return Estimate(Graph(data.names))
"""


def test_breakpoints_in_a_learner_are_reached(tmp_path, monkeypatch, plain_pictures, capsys):
    """`breakpoint()` stops in the process that has the terminal."""
    without_pictures(monkeypatch, plain_pictures)
    mine = tmp_path / "mine.py"
    mine.write_text(STOPS)
    monkeypatch.setenv("DAGATHLON_MODULES", "")
    study = json.loads(json.dumps(STUDY))
    study["modules"] = ["mine.py"]
    study["benchmark_setup"][0]["evaluation"] = {"benchmarks": {"ids": ["it"]}}
    study["benchmark_setup"][0]["data"][0]["seed_range"] = [1, 1]
    study["resources"]["structure_learning_algorithms"] = {"mine": [{"id": "it"}]}
    (tmp_path / "study.json").write_text(json.dumps(study))
    stopped = []
    monkeypatch.setattr(
        sys, "breakpointhook", lambda: stopped.append(sys._getframe(1).f_code.co_name)
    )
    arguments = ["run", str(tmp_path / "study.json"), "--out", str(tmp_path / "out")]
    assert main([*arguments, "--engine", "inline"]) == 0
    assert stopped == ["learn"] * 4
    assert "the inline engine runs everything in one process" in capsys.readouterr().err
    assert main([*arguments, "--engine", "nowhere"]) == 2
    assert "nowhere" in capsys.readouterr().err
    assert main([*arguments, "--raise"]) == 2
    assert "the engine local has no raises" in capsys.readouterr().err


def test_messages_keep_their_type():
    call = learner()
    for message in (
        NewCall(3, call),
        Order(1, 2, b"key", 3, ((b"a", 1, b"x"), (b"b", 9, None)), None, 2**40, 2.5),
        Up(),
        Report(1, "ok", "", "", 0.5, 0.25, 10, b"digest", 3, b"abc"),
        Report(1, "error", "why", "where", 0.5, 0.25, 10),
        Lost(1, 0, "gone"),
        Unkept(1, "full"),
    ):
        data = frame(message)
        length, number = opened_header(bytearray(data), 0)
        found = opened(number, memoryview(data)[HEADER.size :])
        assert length == len(data) - HEADER.size
        assert (type(found), found) == (type(message), message)


def test_large_results_are_renamed_into_the_store(store):
    plan = plan_of(learner("large"))
    LocalEngine(1).run(plan, store)
    ((_, path),) = store.objects.files()
    assert path.stat().st_size > 100_000
    assert len(store.load(plan.tasks[3].key).stats["text"]) == 400_000
    assert not list(store.folder.glob("scratch/*"))

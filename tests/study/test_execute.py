"""One task: files that change, parameters from elsewhere, results of the wrong kind."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pytest

from dagathlon.data import Dataset, Variable
from dagathlon.errors import DagathlonError, DataError, WrongResultError
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate, Learner
from dagathlon.modules import Reference
from dagathlon.study.engine import execute as subject
from dagathlon.study.engine.execute import execute
from dagathlon.study.plan.task import Call, TaskKind, random_stream

RNG = np.random.default_rng(1)
DATA = Dataset([Variable("A")], values=np.zeros((2, 1)))


@dataclass(frozen=True, kw_only=True)
class Constrained(Learner):
    """Says what it was given."""

    name = "constrained"
    edge_constraints: Annotated[str | None, Reference("constraints")] = None

    def learn(self, data: Any, rng: np.random.Generator, start: Any = None) -> Estimate:
        return Estimate(
            Graph(data.names), {"given": str(self.edge_constraints), "start": str(start)}
        )


@pytest.fixture(autouse=True)
def known(monkeypatch):
    monkeypatch.setattr(subject, "find", lambda kind, name: Constrained)
    monkeypatch.setattr(subject, "_modules", {})


def learn(values, *inputs):
    return execute(Call.of(TaskKind.LEARN, "constrained", 1, values), RNG, inputs)


def test_content_of_a_constraint_file_is_passed_on():
    given = {"forbidden_edges": [["A", "B"]]}
    assert learn({"edge_constraints": given}, DATA).stats["given"] == str(given)
    assert learn({"edge_constraints": None}, DATA).stats["given"] == "None"


def test_start_graphs():
    one, two = Graph(["B"]), Graph(["C"])
    assert learn({}, DATA).stats["start"] == "None"
    assert learn({}, DATA, Estimate(one)).stats["start"] == str(one)
    assert learn({}, DATA, Estimate(one), Estimate(two)).stats["start"] == str((one, two))


def test_learners_are_called_through_the_guarded_door(monkeypatch):
    with pytest.raises(DataError, match="column 'A' has values of size 1e\\+200"):
        learn({}, Dataset([Variable("A")], values=np.full((2, 1), 1e200)))
    monkeypatch.setattr(Constrained, "learn", lambda *_: Estimate(Graph(["B"])))
    with pytest.raises(WrongResultError, match="not over the variables of the data: A, B"):
        learn({}, DATA)


def fixed(path, text: str) -> Call:
    path.write_text(text)
    values = {"sha256": hashlib.sha256(text.encode()).hexdigest()}
    return Call.of(TaskKind.GRAPH, "fixed_graph", 1, values, str(path))


def test_fixed_files(tmp_path):
    call = fixed(tmp_path / "graph.csv", "A,B\n0,1\n0,0\n")
    assert execute(call, RNG, ()) == Graph.from_edges(["A -> B"])
    (tmp_path / "graph.csv").write_text("A,B\n0,0\n1,0\n")
    with pytest.raises(DagathlonError, match="has changed since the study was read"):
        execute(call, RNG, ())


def test_location_is_no_part_of_the_key(tmp_path):
    first, second = (fixed(tmp_path / name, "A\n0\n") for name in ("a.csv", "b.csv"))
    assert first.digest == second.digest


def test_random_streams_belong_to_keys():
    first, again, other = (random_stream(key * 32).random() for key in (b"a", b"a", b"b"))
    assert first == again
    assert first != other


def test_a_module_that_has_changed_since_the_plan_was_made_is_refused():
    call = Call.of(TaskKind.LEARN, "constrained", 2, {})
    with pytest.raises(DagathlonError, match="constrained has changed since the study was read"):
        execute(call, RNG, (Graph(["A"]),))

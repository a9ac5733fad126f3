"""One task: files that change, parameters from elsewhere, results of the wrong kind."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pytest

from dagathlon.errors import DagathlonError
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate, Learner
from dagathlon.modules import Reference
from dagathlon.study.engine import execute as subject
from dagathlon.study.engine.execute import WrongResultError, execute
from dagathlon.study.plan.task import Call, TaskKind, random_stream

RNG = np.random.default_rng(1)


@dataclass(frozen=True, kw_only=True)
class Constrained(Learner):
    """Says what it was given."""

    name = "constrained"
    edge_constraints: Annotated[str | None, Reference("constraints")] = None

    def learn(self, data: Any, rng: np.random.Generator, start: Any = None) -> Estimate:
        return Estimate(data, {"given": str(self.edge_constraints), "start": str(start)})


@pytest.fixture(autouse=True)
def known(monkeypatch):
    monkeypatch.setattr(subject, "find", lambda kind, name: Constrained)
    monkeypatch.setattr(subject, "_modules", {})


def learn(values, *inputs):
    return execute(Call.of(TaskKind.LEARN, "constrained", 1, values), RNG, inputs)


def test_content_of_a_constraint_file_is_passed_on():
    given = {"forbidden": [["A", "B"]]}
    assert learn({"edge_constraints": given}, Graph(["A"])).stats["given"] == str(given)
    assert learn({"edge_constraints": None}, Graph(["A"])).stats["given"] == "None"


def test_start_graphs():
    data = Graph(["A"])
    one, two = Graph(["B"]), Graph(["C"])
    assert learn({}, data).stats["start"] == "None"
    assert learn({}, data, Estimate(one)).stats["start"] == str(one)
    assert learn({}, data, Estimate(one), Estimate(two)).stats["start"] == str((one, two))


@pytest.mark.parametrize(
    ("names", "stats", "problem"),
    [
        (["B"], {}, "not over the variables of the data: A, B"),
        (None, {}, "holds nothing in place of a Graph"),
        (["A"], {"x": np.float64("nan")}, "'x' is not a number"),
        (["A"], {"x": [1]}, "'x' is a list in place of a number or text"),
        (["A"], {3: 1}, "a statistic has the name 3"),
        (["A"], [1], "its statistics are a list"),
    ],
)
def test_estimates_are_checked(monkeypatch, names, stats, problem):
    graph = Graph(names) if names else None
    monkeypatch.setattr(Constrained, "learn", lambda *_: Estimate(graph, stats))
    with pytest.raises(WrongResultError, match=problem):
        learn({}, Graph(["A"]))


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

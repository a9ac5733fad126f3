"""The one door to a learner: what is refused before, what is refused after, and time limits."""

from __future__ import annotations

import ast
import json
import math
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dagathlon
from dagathlon.data import Dataset, Variable
from dagathlon.errors import DataError, OutOfTimeError, UnavailableError, WrongResultError
from dagathlon.graphs import Graph, GraphPath
from dagathlon.learners.base import Estimate, Learner
from dagathlon.learners.result_checks import problems_with, wrong_kind
from dagathlon.learners.run import run_inner_learner, run_learner
from dagathlon.modules import find
from dagathlon.pulse import beat, part, until_deadline

NAMES = ("A", "B", "C")
DATA = Dataset([Variable(name) for name in NAMES], values=np.arange(12.0).reshape(4, 3))


@dataclass(frozen=True, kw_only=True)
class Told(Learner):
    """Returns what the test says."""

    name = "told"
    takes = frozenset({"continuous"})
    returned: Any = None

    def learn(self, data: Dataset, rng: np.random.Generator) -> Any:
        return Estimate(Graph(data.names)) if self.returned is None else self.returned


def tried(learner: Learner, data: Dataset = DATA, **options: Any) -> Estimate:
    return run_learner(learner, data, np.random.default_rng(1), **options)


def graph(*edges: str) -> Graph:
    return Graph.from_edges(edges, NAMES)


def giving(kind: str, returned: Graph) -> Learner:
    attributes = {"gives": kind, "__doc__": "As told."}
    return dataclass(frozen=True, kw_only=True)(type("Giving", (Told,), attributes))(
        returned=Estimate(returned)
    )


@pytest.mark.parametrize("size", [1e200, -1e200, 1.1e100])
def test_numbers_whose_squares_overflow_are_refused(size: float) -> None:
    values = np.zeros((3, 3))
    values[1, 2] = size
    values[0, 0] = np.nan
    with pytest.raises(DataError, match="cannot handle missing values"):
        tried(Told(), Dataset(DATA.variables, values=values))
    values[0, 0] = 1e100
    with pytest.raises(DataError, match="column 'C' has values of size 1") as refused:
        tried(Told(), Dataset(DATA.variables, values=values))
    assert "(at most 1e+100)" in str(refused.value)


def test_the_column_is_named_among_discrete_ones() -> None:
    class Anything(Told):
        takes = frozenset({"mixed"})
        handles_missing = True

    variables = [Variable("D", ("0", "1")), Variable("x"), Variable("E", ("0", "1")), Variable("y")]
    codes = np.zeros((2, 2), dtype=int)
    values = np.array([[np.nan, 1.0], [2.0, -3e150]])
    with pytest.raises(DataError, match="column 'y' has values of size 3e\\+150"):
        tried(Anything(), Dataset(variables, codes, values))


def test_data_of_the_wrong_kind_are_refused() -> None:
    discrete = Dataset([Variable("A", ("0", "1"))], codes=np.zeros((2, 1), dtype=int))
    with pytest.raises(DataError, match="told with these parameters needs continuous data"):
        tried(Told(), discrete)


def test_a_learner_that_is_not_there_is_refused() -> None:
    class Absent(Told):
        unavailable = "no such program"

    with pytest.raises(UnavailableError, match="told cannot run here: no such program"):
        tried(Absent())


def test_a_start_graph_that_nobody_takes_is_refused() -> None:
    with pytest.raises(DataError, match="told cannot start from a graph"):
        tried(Told(), start=graph("A -> B"))


@pytest.mark.parametrize(
    ("returned", "problem"),
    [
        (graph("A -> B"), "it returned a Graph in place of an Estimate"),
        (0, "it returned an int in place of an Estimate"),
        (Estimate(None), "its estimate holds nothing in place of a Graph"),  # type: ignore[arg-type]
        (Estimate(Graph(["A", "B"])), "not over the variables of the data: C$"),
        (Estimate(Graph(["A", "B", "C", "D"])), "not over the variables of the data: D$"),
        (Estimate(graph(), {"x": math.nan}), r"statistic 'x' is not a number \(NaN\)"),
        (Estimate(graph(), {"x": -math.inf}), r"statistic 'x' is infinite \(-inf\)"),
        (Estimate(graph(), {"x": np.float32("inf")}), r"statistic 'x' is infinite \(inf\)"),  # type: ignore[dict-item]
        (Estimate(graph(), {"x": [1]}), "'x' is a list in place of a number or text"),  # type: ignore[dict-item]
        (Estimate(graph(), {"x": np.datetime64("2026-01-01")}), "'x' is a datetime64 in place of"),  # type: ignore[dict-item]
        (Estimate(graph(), {"x": np.complex128(1)}), "'x' is a complex128 in place of"),  # type: ignore[dict-item]
        (Estimate(graph(), {"x": np.bytes_(b"x")}), "'x' is a bytes_ in place of"),  # type: ignore[dict-item]
        (Estimate(graph(), {3: 1}), "a statistic has the name 3"),  # type: ignore[dict-item]
        (Estimate(graph(), [1]), "its statistics are a list"),  # type: ignore[arg-type]
    ],
)
def test_results_that_are_none_are_refused(returned: Any, problem: str) -> None:
    with pytest.raises(WrongResultError, match=problem):
        tried(Told(returned=returned))


CYCLE = graph("A -> B", "B -> C", "C -> A")


@pytest.mark.parametrize(
    ("gives", "returned", "problem"),
    [
        ("dag", CYCLE, "A -> B -> C -> A is a directed cycle"),
        ("dag", graph("A -> B", "B - C"), "found the edge B - C"),
        ("undirected", graph("A - B", "B -> C"), "found the edge B -> C"),
        ("cpdag", graph("A <-> B"), "found the edge A <-> B"),
        ("cpdag", graph("A o-> B"), "found the edge A o-> B"),
        ("mag", graph("A o-> B"), "found an edge with a circle"),
        ("mag", graph("A -> B", "B -> C", "A <-> C"), "not ancestral"),
        ("mag", CYCLE, "not ancestral"),
        ("dag", graph("A -> B", "C -> B"), ""),
        ("undirected", graph("A - B"), ""),
        ("cpdag", CYCLE, ""),
        ("mag", graph("A <-> B", "B -> C"), ""),
        ("pag", graph("A o-o B", "B <-> C"), ""),
        ("mixed", CYCLE, ""),
        ("chain", graph("A - B", "B -> C"), ""),
    ],
)
def test_the_kind_of_graph_is_the_declared_one(gives: Any, returned: Graph, problem: str) -> None:
    assert (problem in wrong_kind(returned, gives)) if problem else not wrong_kind(returned, gives)
    learner = giving(gives, returned)
    if problem:
        with pytest.raises(WrongResultError, match=f"gives is '{gives}': .*{problem}"):
            tried(learner)
    elif gives != "chain":
        assert tried(learner).graph == returned


@pytest.mark.parametrize(
    ("further", "problem"),
    [
        ({"precision": [[1.0]]}, "is a list in place of an array"),
        ({"precision": np.eye(2)}, "has 2×2 numbers, and the data have 3 columns"),
        ({"precision": np.full((3, 3), np.nan)}, "not finite"),
        ({"precision": np.triu(np.ones((3, 3)))}, "not symmetric"),
        ({"path": "none"}, "is a str in place of a GraphPath"),
        ({"path": GraphPath("AB", [1.0], np.zeros((1, 2, 2)))}, "not over the variables"),
    ],
)
def test_precision_and_path_are_checked(further: Any, problem: str) -> None:
    with pytest.raises(WrongResultError, match=problem):
        tried(Told(returned=Estimate(graph("A -> B"), **further)))
    turned = Graph.from_edges(["A -> B"], names=("B", "A", "C"))
    with pytest.raises(WrongResultError, match="in the order of the data"):
        tried(Told(returned=Estimate(turned, precision=np.eye(3))))


def test_a_sampler_returns_a_chain() -> None:
    with pytest.raises(WrongResultError, match="gives is 'chain', and it returned no posterior"):
        tried(giving("chain", graph()))


def test_all_problems_are_named_at_once() -> None:
    estimate = Estimate(Graph.from_edges(["A - X"]), {"x": math.nan})
    found = list(problems_with(estimate, NAMES, "dag"))
    assert len(found) == 3
    with pytest.raises(WrongResultError) as refused:
        tried(Told(returned=estimate))
    assert refused.value.problems == tuple(found)


def test_a_learner_of_dags_may_say_that_parameters_decide() -> None:
    class Loose(Told):
        def output(self) -> Any:
            return "mixed"

    assert tried(Loose(returned=Estimate(CYCLE))).graph == CYCLE


def test_statistics_become_what_json_knows() -> None:
    stats: Any = {"score": np.float64(-1.5), "n": np.int64(3), "ok": np.bool_(True), "note": "x"}
    result = tried(Told(returned=Estimate(graph(), stats | {"long": np.longdouble(0.5)}))).stats
    expected = {"score": -1.5, "n": 3, "ok": True, "note": "x", "long": 0.5}
    assert json.loads(json.dumps(dict(result))) == expected


@dataclass(frozen=True, kw_only=True)
class Search(Told):
    """Counts steps until its time is up; with `patient`, it returns what it has then."""

    name = "search"
    steps: int = 10**9
    patient: bool = False

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        done = 0
        with until_deadline() if self.patient else nullcontext():
            while done < self.steps:
                done += 1
                beat(done, self.steps)
        return Estimate(Graph(data.names), {"steps": done})


class Anytime(Search):
    """Returns its best so far."""

    anytime = True


def test_a_run_that_is_over_in_time_is_not_marked() -> None:
    assert tried(Search(steps=5), timeout=1000.0).stats == {"steps": 5}
    assert tried(Anytime(steps=5, patient=True), timeout=1000.0).stats == {"steps": 5}


def test_a_search_without_a_result_is_given_up() -> None:
    with pytest.raises(OutOfTimeError, match=r"search was stopped at the time limit of 0.01 s"):
        tried(Search(), timeout=0.01)


def test_the_best_so_far_is_marked() -> None:
    stats = tried(Anytime(patient=True), timeout=0.01).stats
    assert stats["stopped_early"] is True
    assert int(stats["steps"]) < 10**9


def test_the_best_so_far_of_a_part_is_no_result_of_the_whole() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Outer(Told):
        """Goes on with the result of another learner."""

        def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
            with part():
                return run_inner_learner(Anytime(patient=True), data, rng)

    with pytest.raises(OutOfTimeError, match="told was stopped"):
        tried(Outer(), timeout=0.01)


def test_a_learner_under_another_name_returns_its_best_so_far_too() -> None:
    rows = np.random.default_rng(1).normal(size=(200, 8))
    data = Dataset([Variable(f"v{i}") for i in range(8)], values=rows)
    learner: Any = find("algorithm", "bidag_order_mcmc").from_json(
        {"iterations": 10**9, "stepsave": 10**6}
    )
    assert tried(learner, data, cpu_limit=1.0).stats["stopped_early"] is True


def test_progress_is_told_also_from_learners_inside() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Outer(Told):
        """Calls another learner."""

        def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
            return run_inner_learner(Search(), data, rng)

    class HeardError(Exception):
        pass

    def listener(done: int, total: int) -> None:
        raise HeardError(f"{total}")

    with pytest.raises(HeardError, match=f"^{10**9}$"):
        tried(Outer(), progress=listener)
    with pytest.raises(OutOfTimeError, match="told was stopped"):
        tried(Outer(), timeout=0.0)


def test_results_of_learners_inside_are_checked() -> None:
    with pytest.raises(WrongResultError, match="directed cycle"):
        run_inner_learner(giving("dag", CYCLE), DATA, np.random.default_rng(1))


def test_there_is_no_other_way_to_a_learner() -> None:
    """Nothing calls `learn` of another object but the door, and classes that of their base."""
    package = Path(dagathlon.__file__).parent
    found = {
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        if not (path.parent / "module.toml").exists()  # runs apart, with other people's learners
        for call in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(call, ast.Call) and _is_learn(call.func)
    }
    assert found == set()


def _is_learn(function: ast.expr) -> bool:
    if not isinstance(function, ast.Attribute) or function.attr != "learn":
        return False
    owner = function.value
    is_super = isinstance(owner, ast.Call) and getattr(owner.func, "id", "") == "super"
    return not is_super and getattr(owner, "id", "") != "self"


@pytest.mark.parametrize(
    ("name", "parameters", "kind"),
    [
        ("pc", {"conflicts": "mark"}, "mixed"),
        ("pc", {}, "cpdag"),
        ("notears", {"cycles": "keep"}, "mixed"),
        ("notears", {}, "dag"),
        ("anm", {"undecided": "keep"}, "mixed"),
        ("bidag_itsearch", {"estimate": "endspace"}, "mixed"),
        ("bidag_itsearch", {"estimate": "map"}, "dag"),
        ("bnlearn_hc", {}, "dag"),
    ],
)
def test_parameters_that_decide_on_the_kind(name: str, parameters: Any, kind: str) -> None:
    learner: Any = find("algorithm", name).from_json(parameters)
    assert learner.output() == kind

"""CD-NOD: against causal-learn, true separations, where the condition comes from, changes."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dagathlon.data import Dataset, Variable
from dagathlon.errors import DataError, StudyError
from dagathlon.graphs import Graph, Knowledge, cpdag, meek
from dagathlon.learners import learn
from dagathlon.learners.constraint.cd_nod import CdNod, Changes
from dagathlon.learners.independence import separation_test

TOOL = Path(__file__).parents[2] / "tools" / "condition_graphs.py"
CASES = json.loads(Path(__file__).with_name("condition_graphs.json").read_text())
# causal-learn asks all sets of one size that separate the ends of a triple about its middle, ours
# the first: their skeletons are equal, some directions are not.
DIFFERENT = [6, 7, 8, 9, 10, 11, 13, 14, 17, 19]
TESTS = {"fisherz": "zf", "kci": "kci"}


def draw(seed: int) -> tuple[Any, Any]:
    """The data of the tool that recorded the graphs."""
    spec = importlib.util.spec_from_file_location("condition_graphs", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.draw(seed)


def with_numbers(values: Any, labels: Any) -> Dataset:
    names = [f"X{i}" for i in range(values.shape[1])]
    table = np.column_stack([values, labels.astype(float)])
    return Dataset([Variable(name) for name in (*names, "C")], values=table)


def test_compared_with_causal_learn() -> None:
    different = []
    for case in CASES:
        data = with_numbers(*draw(case["seed"]))
        learner = CdNod(condition="C", show_condition=True, test=TESTS[case["test"]])
        found = learner.learn(data, np.random.default_rng(1)).graph
        expected = np.array([list(map(int, row)) for row in case["marks"]])
        assert np.array_equal(found.marks > 0, expected > 0), case["seed"]
        if not np.array_equal(found.marks, expected):
            different.append(case["seed"])
    assert different == DIFFERENT


def test_exact_from_true_separations() -> None:
    rng = np.random.default_rng(5)
    names = ["a", "b", "d", "e", "C"]
    for _ in range(60):
        edges = [(x, y) for i, x in enumerate(names[:4]) for y in names[i + 1 : 4]]
        edges = [edge for edge in edges if rng.random() < 0.5]
        edges += [("C", x) for x in names[:4] if rng.random() < 0.4]
        dag = Graph.from_edges(edges, names=names)
        found = CdNod(condition="C").learn_with(separation_test(dag), rng).graph
        assert found == meek(cpdag(dag), forbidden=[(x, "C") for x in names[:4]])


def chain(rng: np.random.Generator, n: int = 400) -> tuple[Any, Any]:
    """Two conditions: a -> b, and the condition shifts a."""
    labels = np.repeat([0, 1], n)
    a = rng.normal(size=2 * n) + 2 * labels
    return np.column_stack([a, a + rng.normal(size=2 * n)]), labels


def test_the_condition_directs_and_is_named() -> None:
    values, labels = chain(np.random.default_rng(1))
    variables = [Variable("a"), Variable("b")]
    column = Dataset([*variables, Variable("c", ("x", "y"))], labels[:, None], values)
    regimes = Dataset(variables, values=values, regimes=([[], ["a"]], labels))
    ours = Graph.from_edges(["a -> b"])
    shown = learn(column, "cd_nod", condition="c", show_condition=True)
    assert shown.graph == Graph.from_edges(["a -> b", "c -> a"])
    assert shown.stats["changing_variables"] == 1
    assert "given their causes: a." in shown.notes[-1]
    assert learn(column, "cd_nod", condition="c").graph == Graph.from_edges(
        ["a -> b"], names=["a", "b", "c"]
    )
    assert learn(regimes, "cd_nod").graph == ours
    # A test for numbers only has the numbers of the regimes.
    assert learn(regimes, "cd_nod", test="zf").graph == ours
    # Rows in the order of time.
    assert learn(Dataset(variables, values=values), "cd_nod").graph == ours


def test_rows_in_the_order_of_time_become_windows_for_tables() -> None:
    rng = np.random.default_rng(2)
    a = (rng.random(2000) < np.repeat([0.2, 0.8], 1000)).astype(int)
    b = np.where(rng.random(2000) < 0.8, a, 1 - a)
    variables = [Variable("a", ("0", "1")), Variable("b", ("0", "1"))]
    found = learn(Dataset(variables, codes=np.column_stack([a, b])), "cd_nod", test="mi")
    assert found.graph == Graph.from_edges(["a -> b"])


def test_bad_settings_are_refused() -> None:
    values, labels = chain(np.random.default_rng(1), 20)
    with pytest.raises(DataError, match="unknown column of the condition 'D'"):
        learn(with_numbers(values, labels), "cd_nod", condition="D")
    known = Knowledge(required=frozenset({("X0", "C")}))
    with pytest.raises(DataError, match="nothing causes the condition"):
        CdNod(condition="C", constraints=known).learn(  # type: ignore[arg-type]
            with_numbers(values, labels), np.random.default_rng(1)
        )
    with pytest.raises(StudyError, match="set condition"):
        CdNod.from_json({"show_condition": True})
    with pytest.raises(StudyError, match="directs the edges of a CPDAG"):
        CdNod.from_json({"changes": "kernel", "skeleton_only": True})


def changing_pair(seed: int, conditions: int = 10, rows: int = 60) -> tuple[Dataset, Any]:
    """x -> y, where the distribution of x and the mechanism of y change independently."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(conditions), rows)
    spread, middle = rng.uniform(0.4, 2, conditions), rng.normal(size=conditions)
    slope, shift = rng.uniform(0.3, 2, conditions), 0.7 * rng.normal(size=conditions)
    x = rng.normal(size=len(labels)) * spread[labels] + middle[labels]
    y = np.tanh(slope[labels] * x) + shift[labels] + 0.3 * rng.normal(size=len(labels))
    levels = tuple(map(str, range(conditions)))
    variables = [Variable("y"), Variable("x"), Variable("c", levels)]
    return Dataset(variables, labels[:, None], np.column_stack([y, x])), labels


def test_independent_changes_have_the_same_value_in_any_unit() -> None:
    data, labels = changing_pair(3, 4, 20)
    scaled = Dataset(data.variables, data.codes, data.values * [3.0, 0.1])
    first, second = Changes(data, labels), Changes(scaled, labels)
    assert first.dependence(["x"], "y", []) == pytest.approx(second.dependence(["x"], "y", []))


def test_independent_changes_of_very_many_conditions_are_those_of_some() -> None:
    data, labels = changing_pair(3, 600, 2)
    changes = Changes(data, labels)
    sizes = [len(rows) for rows in changes._rows]
    assert 150 < len(sizes) <= 250
    assert sum(sizes) <= 1000


@pytest.mark.slow
def test_independent_changes_direct_what_nothing_else_does() -> None:
    right = 0
    for seed in range(12):
        data, _ = changing_pair(seed)
        plain = learn(data, "cd_nod", condition="c").graph
        assert plain.neighbours("x") == ("y",)
        found = learn(data, "cd_nod", condition="c", changes="kernel")
        assert found.stats["by_changes"] == 1
        right += found.graph.parents("y") == ("x",)
    assert right >= 9

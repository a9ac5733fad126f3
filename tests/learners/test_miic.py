"""MIIC: against graphs that pyAgrum 3.3.1 gave, by hand, and by what the papers promise."""

from __future__ import annotations

import importlib.util
import json
import math
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from dagathlon import _core
from dagathlon.data import Dataset, Variable
from dagathlon.errors import DataError
from dagathlon.graphs import Graph, Knowledge, cpdag
from dagathlon.graphs.checks import directed_cycle
from dagathlon.learners import learn
from dagathlon.learners.base import Estimate
from dagathlon.learners.constraint.miic import Miic

TOOL = Path(__file__).parents[2] / "tools" / "pyagrum_graphs.py"
CASES = json.loads(Path(__file__).with_name("pyagrum_graphs.json").read_text())


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("pyagrum_graphs", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def dataset(codes: np.ndarray) -> Dataset:
    levels = [tuple(map(str, range(int(column.max()) + 1))) for column in codes.T]
    variables = [Variable(f"V{j}", levels=each) for j, each in enumerate(levels)]
    return Dataset(variables, codes=codes.astype(np.uint8))


def miic(data: Dataset, **given: Any) -> Estimate:
    return Miic(**given).learn(data, np.random.default_rng(1))


def arguments(tool: ModuleType, case: dict[str, Any]) -> dict[str, Any]:
    if not case["constraint"]:
        return {"complexity": case["complexity"]}
    a, b = (f"V{j}" for j in tool.gap_of(case))
    return {
        "complexity": case["complexity"],
        "constraints": Knowledge(forbidden=frozenset({(a, b), (b, a)})),
    }


def listed(graph: Graph) -> tuple[list[list[int]], list[list[int]]]:
    marks = graph.marks
    arcs = (marks == 2) & (marks.T == 3)
    edges = np.triu((marks == 3) & (marks.T == 3))
    return np.argwhere(arcs).tolist(), np.argwhere(edges).tolist()


def test_graphs_are_those_of_pyagrum(tool: ModuleType) -> None:
    for case in CASES:
        codes = tool.drawn(case)
        places = np.arange(1, codes.size + 1).reshape(codes.shape)
        assert int((codes * places).sum()) == case["checksum"]
        found = miic(dataset(codes), **arguments(tool, case))
        assert listed(found.graph) == (case["arcs"], case["edges"]), case["seed"]
        assert found.stats["two_headed_edges"] == len(case["suspected"]), case["seed"]


@pytest.mark.slow
def test_graphs_are_those_of_pyagrum_beside_us(tool: ModuleType) -> None:
    pytest.importorskip("pyagrum")
    for case in tool.cases(990_000, 100):
        codes = tool.drawn(case)
        arcs, edges, suspected = tool.pyagrum(case, codes)
        found = miic(dataset(codes), **arguments(tool, case))
        assert listed(found.graph) == (arcs, edges), case["seed"]
        assert found.stats["two_headed_edges"] == len(suspected), case["seed"]


def entropy(codes: np.ndarray) -> float:
    counts = np.unique(codes, axis=0, return_counts=True)[1] if codes.size else np.array([1])
    shares = counts / counts.sum()
    return float(-np.sum(shares * np.log(shares)))


def regret(n: int, levels: int) -> float:
    """The logarithm of the sum of maximal likelihoods over all samples, level by level."""
    if levels == 1:
        return 0.0
    sums = [1.0, sum(math.comb(n, h) * (h / n) ** h * (1 - h / n) ** (n - h) for h in range(n + 1))]
    for k in range(3, levels + 1):
        sums.append(sums[-1] + n / (k - 2) * sums[-2])
    return math.log(sums[levels - 1])


def groups(codes: np.ndarray) -> list[int]:
    if not codes.shape[1]:
        return [len(codes)]
    counted: list[int] = np.unique(codes, axis=0, return_counts=True)[1].tolist()
    return counted


@pytest.mark.parametrize("given", [[], [2], [3, 2]])
def test_information_less_its_complexity_by_hand(given: list[int]) -> None:
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 3, (60, 4))
    codes[:, 1] = (codes[:, 0] + codes[:, 2] * rng.integers(0, 2, 60)) % 3
    x, y, z = codes[:, [0]], codes[:, [1]], codes[:, given]
    joint = np.hstack([x, y, z])
    plain = entropy(np.hstack([x, z])) + entropy(np.hstack([y, z])) - entropy(z) - entropy(joint)
    one = sum(regret(n, 3) for side in (x, y) for n in groups(np.hstack([side, z])))
    two = 2 * sum(regret(n, 3) for n in groups(z))
    expected = {
        "none": 60 * plain,
        "mdl": 60 * plain - 0.5 * 4 * 3 ** len(given) * math.log(60),
        "nml": 60 * plain - 0.5 * (one - two),
    }
    for complexity, value in expected.items():
        native = _core.CorrectedInformation(codes.astype(np.uint8), [3] * 4, complexity)
        assert native(0, 1, given) == pytest.approx(value, abs=1e-9)


def collider(rows: int, seed: int) -> np.ndarray:
    """V0 → V2 ← V1, V2 → V3."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 2, (2, rows))
    c = np.where(rng.random(rows) < 0.9, a | b, 1 - (a | b))
    d = np.where(rng.random(rows) < 0.9, c, 1 - c)
    return np.column_stack([a, b, c, d])


@pytest.mark.parametrize("orientation", ["colliders-first", "by-information", "by-probability"])
@pytest.mark.parametrize("contributors", ["all", "neighbours"])
def test_collider_and_what_follows(orientation: str, contributors: str) -> None:
    given = {"orientation": orientation, "contributors": contributors}
    found = miic(dataset(collider(1000, 1)), **given).graph
    assert {str(edge) for edge in found.edges()} == {"V0 -> V2", "V1 -> V2", "V2 -> V3"}


def test_a_hidden_cause_leaves_two_arrowheads() -> None:
    """V0 → V2 ← h → V3 ← V1, and h is not observed."""
    rng = np.random.default_rng(5)
    a, b, h = rng.integers(0, 2, (3, 2000))
    noise = rng.random((2, 2000)) < 0.05
    c, d = (a & h) ^ noise[0], (b & h) ^ noise[1]
    codes = np.column_stack([a, b, c, d])
    found = miic(dataset(codes), latent=True)
    assert {str(e) for e in found.graph.edges()} == {"V0 -> V2", "V1 -> V3", "V2 <-> V3"}
    assert "V2 and V3" in found.notes[0]
    single = miic(dataset(codes))
    assert single.graph.kind in ("dag", "cpdag", "pattern", "mixed")
    assert "<->" not in " ".join(str(e) for e in single.graph.edges())


def test_every_direction_is_given_when_asked_for() -> None:
    codes = collider(300, 2)[:, 2:]
    assert not miic(dataset(codes)).graph.is_dag
    assert miic(dataset(codes), directed=True).graph.is_dag


def test_confidence_takes_edges_of_chance_away() -> None:
    codes = collider(500, 4)
    plain = miic(dataset(codes), complexity="none").graph
    sure = miic(dataset(codes), complexity="none", confidence=0.001).graph
    assert sure.n_edges < plain.n_edges
    assert {frozenset((e.left, e.right)) for e in sure.edges()} == {
        frozenset(pair) for pair in (("V0", "V2"), ("V1", "V2"), ("V2", "V3"))
    }
    assert miic(dataset(codes), confidence=0.0).graph.n_edges == 0


def test_required_directions_stand() -> None:
    data = dataset(collider(500, 6))
    known = Knowledge(
        forbidden=frozenset({("V0", "V2"), ("V2", "V0")}), required=frozenset({("V3", "V2")})
    )
    graph = miic(data, constraints=known).graph
    written = {str(edge) for edge in graph.edges()}
    assert "V3 -> V2" in written
    assert not any({"V0", "V2"} == {edge.left, edge.right} for edge in graph.edges())


def test_benchpress_pyagrum_is_a_dag_of_the_class(tool: ModuleType) -> None:
    for case in CASES[:12]:
        data = dataset(tool.drawn(case))
        pattern = miic(data, complexity="mdl")
        dags = [learn(data, "pyagrum", useMDLCorrection=flag).graph for flag in (False, True)]
        assert dags[0] == dags[1]
        assert dags[0].is_dag
        if pattern.graph.kind == "cpdag":
            assert cpdag(dags[0]) == pattern.graph


@pytest.mark.parametrize("orientation", ["colliders-first", "by-information", "by-probability"])
def test_arrows_close_no_cycle_however_few_the_rows(orientation: str) -> None:
    for seed in range(30):
        rng = np.random.default_rng(seed)
        codes = rng.integers(0, 2, (30, 9))
        for j in range(1, 9):
            same = rng.random(30) < 0.6
            codes[:, j] = np.where(same, codes[:, rng.integers(j)], codes[:, j])
        given = {"complexity": "none", "orientation": orientation}
        assert directed_cycle(miic(dataset(codes), **given).graph) == ""
        assert miic(dataset(codes), **given, directed=True).graph.is_dag


def test_no_rows_are_refused() -> None:
    data = dataset(np.array([[0, 1], [1, 0]]))
    none = Dataset(data.variables, codes=data.codes[:0])
    with pytest.raises(DataError, match="at least 1 row"):
        miic(none)


@pytest.mark.parametrize("given", [{}, {"directed": True}, {"orientation": "by-probability"}])
def test_forbidden_directions_in_a_circle_leave_no_cycle(given: dict[str, Any]) -> None:
    rng = np.random.default_rng(2)
    a = rng.integers(0, 2, 400)
    b = a ^ (rng.random(400) < 0.2)
    c = (a + b + (rng.random(400) < 0.2) > 1).astype(int)
    data = dataset(np.column_stack([a, b, c]))
    assert miic(data, **given).graph.n_edges == 3
    turned = frozenset({("V1", "V0"), ("V2", "V1"), ("V0", "V2")})
    graph = miic(data, constraints=Knowledge(forbidden=turned), **given).graph
    assert not directed_cycle(graph)
    assert graph.n_edges == 2
    latent = miic(data, constraints=Knowledge(forbidden=turned), latent=True).graph
    assert not directed_cycle(latent)
    assert latent.n_edges == 3

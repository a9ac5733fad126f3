"""BOSS and GRaSP: with an oracle, against Tetrad, under constraints, by invariance."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_grasp import PlainGrasp

from dagathlon import _core
from dagathlon.data import Dataset, Variable, read_data
from dagathlon.errors import DagathlonError, GraphError
from dagathlon.graphs import Graph, cpdag, extension, read_graph
from dagathlon.graphs.knowledge import Knowledge
from dagathlon.learners import learn
from dagathlon.learners.order.order_search import Boss, Grasp, OrderSearch
from dagathlon.learners.score.scores import score_graph


def sample(seed: int, p: int = 6, n: int = 200) -> Dataset:
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.uniform(0.5, 1.2, size=(p, p)) * (rng.random((p, p)) < 0.5), 1)
    values = rng.normal(size=(n, p)) @ np.linalg.inv(np.eye(p) - weights)
    names = [f"V{i}" for i in range(p)]
    return Dataset([Variable(name) for name in names], values=values[:, rng.permutation(p)])


@pytest.mark.parametrize("seed", range(6))
def test_grasp_goes_where_tucks_that_move_everything_go(seed: int) -> None:
    data = sample(seed, p=8, n=60)
    learner = Grasp(starts=1, score="bic-g")
    plain = PlainGrasp(learner.native_score(data))
    found = learn(data, "grasp", starts=1, score="bic-g")
    assert found.stats["steps"] == plain.steps
    assert found.stats["score"] == plain.score
    pairs = [(i, j) for j, parents in enumerate(plain.parents) for i in parents]
    assert found.graph == cpdag(Graph.from_pairs(data.names, np.array(pairs)))


def test_boss_finds_a_collider_of_five_variables_in_any_order() -> None:
    """One start ends on a plateau in about half of the orders, ten in one of a few hundred."""
    edges = [("V2", "V0"), ("V4", "V0"), ("V0", "V1")]
    names = [f"V{i}" for i in range(5)]
    dag = Graph.from_edges(edges, names=names)
    for seed in (*range(100), 209, 321):
        rng = np.random.default_rng(1000 + seed)
        weights = np.where(dag.adjacency, rng.uniform(0.5, 1.2, size=(5, 5)), 0)
        raw = rng.normal(size=(2000, 5))
        noise, _ = np.linalg.qr(raw - raw.mean(axis=0))
        values = noise @ np.linalg.inv(np.eye(5) - weights)
        data = Dataset([Variable(name) for name in names], values=values)
        data = data.select([names[i] for i in rng.permutation(5)])
        found = learn(data, "boss", seed=seed).graph
        assert found == cpdag(dag)


@pytest.mark.parametrize("learner", ["boss", "grasp"])
def test_an_oracle_finds_the_class_of_random_graphs(learner: str) -> None:
    """Exact moments and a tiny penalty stand for an infinite sample."""
    rng = np.random.default_rng(4)
    for trial in range(100):
        p = int(rng.integers(2, 9))
        order = rng.permutation(p)
        weights = np.zeros((p, p))
        for j in range(p):
            for i in range(j):
                if rng.random() < 2 / p:
                    weights[order[i], order[j]] = rng.choice([-1, 1]) * rng.uniform(0.5, 1.5)
        raw = rng.normal(size=(40, p))
        noise, _ = np.linalg.qr(raw - raw.mean(axis=0))
        values = (noise - noise.mean(axis=0)) @ np.linalg.inv(np.eye(p) - weights)
        maximum = _core.LikelihoodConvention.maximum
        score = _core.gaussian_likelihood([values], [0] * p, maximum, 1e-6)
        none = np.zeros((p, p), bool)
        limits = _core.SearchLimits(none, none, p)
        once = _core.OrderStarts(count=1, given=[], seed=0)
        if learner == "boss":
            found = _core.boss(score, limits, True, False, once)
        else:
            found = _core.grasp(
                score,
                limits,
                _core.Grasp(depth=3, uncovered_depth=1, nonsingular_depth=1, starts=once),
            )
        names = [f"V{i}" for i in range(p)]
        truth = cpdag(Graph.from_adjacency(names, weights != 0))
        assert cpdag(Graph(names, found.dag.marks())) == truth, f"graph {trial}"


@given(seed=st.integers(0, 500), learner=st.sampled_from(["boss", "grasp"]))
def test_result_is_a_class_with_its_score(seed: int, learner: str) -> None:
    data = sample(seed)
    found = learn(data, learner, score="bge", starts=1)
    assert found.graph == cpdag(extension(found.graph))
    total = score_graph(data, extension(found.graph), "bge").total
    assert found.stats["score"] == pytest.approx(total)
    again = learn(data, learner, score="bge", starts=4)
    assert float(again.stats["score"]) >= total - 1e-8


@given(seed=st.integers(0, 200), learner=st.sampled_from([Boss, Grasp]))
def test_constraints_are_obeyed(seed: int, learner: type[OrderSearch]) -> None:
    data = sample(seed)
    order = np.random.default_rng(seed).permutation(data.names).tolist()
    knowledge = Knowledge(
        forbidden=frozenset((order[j], order[i]) for i in range(3) for j in range(i + 1, 6)),
        required=frozenset({(order[0], order[4]), (order[4], order[3])}),
    )
    search = learner(constraints=knowledge, starts=2)  # type: ignore[arg-type]
    graph = search.learn(data, np.random.default_rng(0)).graph
    assert knowledge.violations(graph) == []


def test_required_edges_in_a_circle_are_refused() -> None:
    circle = Knowledge(required=frozenset({("V0", "V1"), ("V1", "V2"), ("V2", "V0")}))
    with pytest.raises(GraphError, match="cycle"):
        Boss(constraints=circle).learn(sample(1), np.random.default_rng(0))  # type: ignore[arg-type]


def test_random_moves_depend_on_the_seed_alone() -> None:
    data = sample(3, p=10)
    runs = [learn(data, "boss", random=True, starts=3, seed=5) for _ in range(2)]
    assert runs[0].graph == runs[1].graph
    assert runs[0].stats == runs[1].stats


def tetrad_parameters(case: dict[str, Any]) -> dict[str, Any]:
    given = case["params"]
    if case["score_name"] == "bdeu":
        return {"score": "bdeu-score", "samplePrior": given["priorEquivalentSampleSize"]}
    name = "sem-bic-score" if case["score_name"] == "sem-bic" else "disc-bic-score"
    return {"score": name, "penaltyDiscount": given["penaltyDiscount"]}


@pytest.mark.shared
def test_classes_of_tetrads_boss(shared: Path) -> None:
    compared = 0
    for path in sorted((shared / "reference/tetrad").glob("*__boss__*.json")):
        case = json.loads(path.read_text())
        data = read_data(path.parent / case["data"])
        kind = "discrete" if data.is_discrete else "continuous"
        parameters = tetrad_parameters(case) | {
            "datatype": kind,
            "useBes": case["params"]["useBes"],
        }
        found = learn(data, "tetrad_boss", **parameters)
        assert found.graph == read_graph(path.with_suffix(".adj.csv")), path.stem
        compared += 1
    assert compared == 10


@pytest.mark.shared
def test_scores_of_tetrads_grasp(shared: Path) -> None:
    """The same class or a higher score."""
    better = []
    for path in sorted((shared / "reference/tetrad").glob("*__grasp__*.json")):
        case = json.loads(path.read_text())
        data = read_data(path.parent / case["data"])
        kind = "discrete" if data.is_discrete else "continuous"
        found = learn(data, "tetrad_grasp", datatype=kind, **tetrad_parameters(case))
        if found.graph != read_graph(path.with_suffix(".adj.csv")):
            assert float(found.stats["score"]) > case["score"]
            better.append(path.stem)
    assert "alarm1000__grasp__bdeu-iss10" in better


@given(seed=st.integers(0, 200), learner=st.sampled_from(["boss", "grasp"]))
def test_number_of_parents_is_limited(seed: int, learner: str) -> None:
    data = sample(seed)
    for limit in (1, 2):
        graph = extension(learn(data, learner, max_parents=limit).graph)
        assert max(len(graph.parents(name)) for name in graph.names) <= limit
    assert learn(data, learner, max_parents=5).graph == learn(data, learner).graph


def test_a_row_of_tucks_that_no_stack_holds_is_refused():
    """Two variables are turned to and fro, one place on the stack each time."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=(100, 2)) @ np.array([[1.0, 1.0], [0.0, 1.0]])
    data = Dataset([Variable("A"), Variable("B")], values=values)
    assert learn(data, "grasp", depth=1000).graph == learn(data, "grasp").graph
    for name in ("grasp", "grasp_fci"):
        with pytest.raises(DagathlonError, match="between 1 and 1000"):
            learn(data, name, depth=10**6)

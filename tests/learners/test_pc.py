"""PC: exact with an oracle, invariant where it promises to be, obedient to knowledge."""

from __future__ import annotations

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from dagathlon import learn
from dagathlon.data import Dataset, Variable
from dagathlon.data.spec import DataFacts
from dagathlon.errors import DataError, GraphError, StudyError
from dagathlon.graphs import Graph, cpdag, skeleton
from dagathlon.learners.constraint.pc import Pc
from dagathlon.learners.independence import separation_test
from dagathlon.modules import find
from strategies import random_dag

RNG = np.random.default_rng(0)


def linear_data(dag: Graph, n: int, rng: np.random.Generator) -> Dataset:
    weights = dag.adjacency * rng.uniform(0.4, 1.2, (len(dag), len(dag)))
    noise = rng.normal(size=(n, len(dag)))
    values = noise @ np.linalg.inv(np.eye(len(dag)) - weights)
    return Dataset([Variable(name) for name in dag.names], values=values)


@pytest.mark.parametrize("stable", [True, False])
@pytest.mark.parametrize("colliders", ["separating-set", "conservative", "majority", "highest-p"])
@pytest.mark.parametrize("conflicts", ["last", "mark", "lowest-p", "highest-p"])
def test_oracle_gives_the_cpdag(stable: bool, colliders: str, conflicts: str):
    rng = np.random.default_rng(11)
    learner = Pc(stable=stable, colliders=colliders, conflicts=conflicts)  # type: ignore[arg-type]
    for _ in range(25):
        dag = random_dag(int(rng.integers(1, 11)), rng, degree=2.5)
        assert learner.learn_with(separation_test(dag), rng).graph == cpdag(dag)


@pytest.mark.slow
def test_oracle_gives_the_cpdag_of_2000_graphs():
    rng = np.random.default_rng(12)
    for k in range(2000):
        dag = random_dag(int(rng.integers(2, 16)), rng, degree=float(rng.uniform(1, 5)))
        learner = Pc(stable=k % 2 == 0)
        assert learner.learn_with(separation_test(dag), rng).graph == cpdag(dag)


@hypothesis.given(st.integers(0, 2**32 - 1))
def test_stable_skeleton_does_not_depend_on_the_order_of_columns(seed: int):
    rng = np.random.default_rng(seed)
    data = linear_data(random_dag(8, rng, degree=3), 60, rng)
    shuffled = data.select([str(name) for name in rng.permutation(data.names)])
    left, right = (learn(d, "pc", test="zf").graph for d in (data, shuffled))
    assert skeleton(left) == skeleton(right)


@hypothesis.given(st.integers(0, 2**32 - 1))
def test_majority_with_marked_conflicts_does_not_depend_on_the_order_of_columns(seed: int):
    rng = np.random.default_rng(seed)
    data = linear_data(random_dag(8, rng, degree=3), 60, rng)
    shuffled = data.select([str(name) for name in rng.permutation(data.names)])
    settings = {"colliders": "majority", "conflicts": "mark"}
    assert learn(data, "pc", **settings).graph == learn(shuffled, "pc", **settings).graph


def test_collider_and_chain_are_learned():
    rng = np.random.default_rng(5)
    for text in (["a -> c", "b -> c", "c -> d"], ["a -> b", "b -> c"]):
        dag = Graph.from_edges(text)
        data = linear_data(dag, 2000, rng)
        estimate = learn(data, "pc", alpha=0.001)
        assert estimate.graph == cpdag(dag)
        assert estimate.stats["ntests"] > 0


def test_tests_are_counted_and_the_order_is_limited():
    rng = np.random.default_rng(6)
    data = linear_data(random_dag(10, rng, degree=4), 200, rng)
    marginal = learn(data, "pc", max_order=0)
    assert marginal.stats["ntests"] == 45
    assert marginal.stats["max_order"] == 0
    assert learn(data, "pc").stats["max_order"] > 0


def constrained(learner: str, content: dict[str, object], data: Dataset, **values: object) -> Graph:
    made = find("algorithm", learner).from_json(values, learner)
    field = "constraints" if hasattr(made, "constraints") else "edgeConstraints"
    object.__setattr__(made, field, content)
    return made.learn(data, np.random.default_rng(1)).graph  # type: ignore[attr-defined]


@pytest.mark.parametrize("learner", ["pc", "pcalg_pc", "bnlearn_pcstable", "tetrad_pc"])
def test_knowledge_is_honoured(learner: str):
    rng = np.random.default_rng(7)
    data = linear_data(Graph.from_edges(["a -> b", "b -> c", "d -> c"]), 500, rng)
    content = {
        "required_edges": [["d", "a"]],
        "forbidden_edges": [["a", "b"], ["b", "c"], ["c", "b"]],
    }
    edges = {str(edge) for edge in constrained(learner, content, data).edges()}
    assert "d -> a" in edges
    assert "b -> a" in edges
    assert not edges & {"b - c", "b -> c", "c -> b"}


@pytest.mark.parametrize("learner", ["pc", "fci", "rfci", "gs", "mmpc", "hc"])
def test_required_edges_in_a_cycle_are_named(learner: str):
    rng = np.random.default_rng(7)
    data = linear_data(Graph.from_edges(["a -> b", "b -> c"]), 50, rng)
    content = {"required_edges": [["a", "b"], ["b", "c"], ["c", "a"]]}
    with pytest.raises(GraphError, match=r"directed cycle, .* -> .*take one of these out"):
        constrained(learner, content, data)


def test_an_edge_required_both_ways_has_an_open_direction():
    rng = np.random.default_rng(7)
    data = linear_data(Graph.from_edges(["a -> b"], names=["a", "b", "c"]), 50, rng)
    found = constrained("mmpc", {"required_edges": [["b", "c"], ["c", "b"]]}, data)
    assert "b - c" in {str(edge) for edge in found.edges()}


def test_tiers_direct_edges():
    rng = np.random.default_rng(8)
    data = linear_data(Graph.from_edges(["a -> b", "b -> c"]), 500, rng)
    found = constrained("pc", {"tiers": [["a"], ["b"], ["c"]]}, data)
    assert [str(edge) for edge in found.edges()] == ["a -> b", "b -> c"]


@pytest.mark.parametrize("contradiction", ["random", "retry"])
def test_contradictions_are_resolved(contradiction: str):
    rng = np.random.default_rng(9)
    for _ in range(30):
        data = linear_data(random_dag(8, rng, degree=4), 40, rng)
        plain = learn(data, "pc", conflicts="last").graph
        found = learn(data, "pc", conflicts="last", contradiction=contradiction).graph
        assert skeleton(found) == skeleton(plain)
        assert found.kind in ("cpdag", "dag", "undirected")
        assert cpdag(found) == found


def test_marked_conflicts_are_bidirected():
    rng = np.random.default_rng(10)
    connectors = set()
    for _ in range(30):
        data = linear_data(random_dag(8, rng, degree=4), 40, rng)
        connectors |= {edge.connector for edge in learn(data, "pc", conflicts="mark").graph.edges()}
    assert connectors == {"-", "->", "<->"}


def test_original_and_stable_differ_but_agree_on_the_number_of_marginal_tests():
    rng = np.random.default_rng(13)
    data = linear_data(random_dag(12, rng, degree=5), 60, rng)
    counts = {stable: learn(data, "pc", stable=stable).stats["ntests"] for stable in (True, False)}
    assert counts[True] > counts[False] > 66


def test_dual_pc_on_a_chain_and_with_few_rows():
    rng = np.random.default_rng(14)
    dag = Graph.from_edges(["a -> b", "b -> c", "d -> c"])
    data = linear_data(dag, 2000, rng)
    assert learn(data, "dual_pc", alpha=0.001).graph == cpdag(dag)
    wide = Dataset([Variable(f"V{j}") for j in range(12)], values=rng.normal(size=(6, 12)))
    assert learn(wide, "dual_pc").graph.n_edges >= 0
    assert learn(data, "dual_pc", skeleton_only=True).graph.kind == "undirected"


def test_more_variables_than_rows_and_odd_columns():
    rng = np.random.default_rng(15)
    values = rng.normal(size=(8, 20))
    values[:, 3] = 1.0
    values[:, 4] = values[:, 5]
    data = Dataset([Variable(f"V{j}") for j in range(20)], values=values)
    graph = learn(data, "pc").graph
    assert not any("V3" in (edge.left, edge.right) for edge in graph.edges())


def test_missing_values_need_a_test_that_leaves_out_rows():
    values = np.random.default_rng(16).normal(size=(50, 3))
    values[:, 1] += values[:, 0]
    values[3, 1] = np.nan
    data = Dataset([Variable(f"V{j}") for j in range(3)], values=values)
    with pytest.raises(DataError, match="choose a test that leaves rows out"):
        learn(data, "pc")
    assert [str(edge) for edge in learn(data, "pc", test="zf.td").graph.edges()] == ["V0 - V1"]


def test_wrong_parameters_are_refused():
    with pytest.raises(StudyError, match="unknown independence test 'mii'"):
        find("algorithm", "pc").from_json({"test": "mii"}, "pc")
    with pytest.raises(StudyError, match="set it to 'keep'"):
        find("algorithm", "pcalg_pc").from_json({"u2pd": "rand", "solveconfl": True}, "pcalg_pc")
    with pytest.raises(StudyError, match="'cci-test' is not available"):
        find("algorithm", "tetrad_pc").from_json({"test": "cci-test"}, "tetrad_pc")
    assert "needs discrete data" in Pc(test="mi").why_unsuitable(
        DataFacts("continuous", missing=False)
    )

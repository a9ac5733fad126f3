"""Hill climbing and tabu search: by brute force, by their limits, by invariance."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagathlon.data import Dataset, Network, Variable
from dagathlon.errors import DataError, GraphError
from dagathlon.graphs import Graph
from dagathlon.graphs.knowledge import Knowledge
from dagathlon.learners import learn
from dagathlon.learners.score import hill_climbing
from dagathlon.learners.score.hill_climbing import HillClimbing, Tabu
from dagathlon.learners.score.scores import score_graph

TOLERANCE = 1e-8


def sample(seed: int, n: int = 120, p: int = 5) -> Dataset:
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.normal(size=(p, p)) * (rng.random((p, p)) < 0.6), 1)
    values = np.zeros((n, p))
    for j in range(p):
        values[:, j] = values @ weights[:, j] + rng.normal(size=n)
    names = [f"V{i}" for i in range(p)]
    return Dataset([Variable(name) for name in names], values=values[:, rng.permutation(p)])


def neighbours(graph: Graph) -> list[Graph]:
    """All DAGs that differ by one arc added, removed or reversed, in the order of the search."""
    arcs = {(e.left, e.right) for e in graph.edges()}
    pairs = list(itertools.permutations(graph.names, 2))
    changed = [arcs | {pair} for pair in pairs if pair not in arcs and pair[::-1] not in arcs]
    changed += [arcs - {pair} for pair in pairs if pair in arcs]
    changed += [arcs - {pair} | {pair[::-1]} for pair in pairs if pair in arcs]
    graphs = [Graph.from_edges(sorted(found), names=graph.names) for found in changed]
    return [found for found in graphs if found.is_dag]


def plain_hill_climbing(data: Dataset, score: str) -> Graph:
    graph = Graph(data.names)
    now = score_graph(data, graph, score).total
    while True:
        best, gain = None, 0.0
        for other in neighbours(graph):
            found = score_graph(data, other, score).total - now
            if found - gain > TOLERANCE:
                best, gain = other, found
        if best is None:
            return graph
        graph, now = best, now + gain


@settings(max_examples=40)
@given(seed=st.integers(0, 1000), score=st.sampled_from(["bic-g", "bge", "aic-g"]))
def test_the_same_as_hill_climbing_without_any_trick(seed: int, score: str) -> None:
    data = sample(seed, p=4)
    assert learn(data, "hc", score=score).graph == plain_hill_climbing(data, score)


@given(seed=st.integers(0, 1000))
def test_local_maximum_with_its_score(seed: int) -> None:
    data = sample(seed)
    found = learn(data, "hc", score="bge")
    total = score_graph(data, found.graph, "bge").total
    assert found.stats["score"] == pytest.approx(total)
    others = [score_graph(data, other, "bge").total for other in neighbours(found.graph)]
    assert max(others) <= total + TOLERANCE
    assert learn(data, "tabu", score="bge").stats["score"] >= total - TOLERANCE
    restarted = learn(data, "hc", score="bge", restart=5, perturb=3)
    assert restarted.stats["score"] >= total - TOLERANCE


def test_restarts_depend_on_the_seed_alone() -> None:
    data = sample(3, p=8)
    runs = [learn(data, "hc", restart=4, perturb=5, seed=9) for _ in range(2)]
    assert runs[0].graph == runs[1].graph
    assert runs[0].stats == runs[1].stats


@given(seed=st.integers(0, 200), learner=st.sampled_from(["hc", "tabu"]))
def test_stable_search_does_not_see_the_order_of_columns(seed: int, learner: str) -> None:
    data = sample(seed)
    turned = data.select(np.random.default_rng(seed).permutation(data.names).tolist())
    assert learn(data, learner, stable=True).graph == learn(turned, learner, stable=True).graph


def test_order_of_columns_decides_ties_otherwise() -> None:
    data = sample(1)
    turned = data.select(data.names[::-1])
    assert learn(data, "hc").graph != learn(turned, "hc").graph


@pytest.mark.parametrize("learner", ["hc", "tabu"])
def test_more_orders_of_columns_are_never_worse_and_sometimes_better(learner: str) -> None:
    data = Network.load("alarm").sample(10_000, seed=1)
    once, often = (learn(data, learner, column_orders=k, seed=1) for k in (1, 10))
    assert once.graph == learn(data, learner).graph
    assert often.stats["score"] > once.stats["score"] + 1
    assert often.stats["score"] == pytest.approx(score_graph(data, often.graph, "bic").total)
    assert often.graph.names == data.names
    assert often.stats["steps"] > 4 * once.stats["steps"]


def test_orders_of_columns_depend_on_the_seed_and_not_on_the_data_where_stable() -> None:
    data = sample(5, p=8)
    turned = data.select(data.names[::-1])
    found, again, other = (
        learn(table, "hc", column_orders=5, stable=True, seed=3) for table in (data, data, turned)
    )
    assert found.graph == again.graph == other.graph
    assert found.stats == again.stats


def test_orders_of_columns_after_the_deadline_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    data = sample(5, p=8)
    monkeypatch.setattr(hill_climbing, "best_so_far", lambda: True)
    found, once = (learn(data, "hc", column_orders=k) for k in (50, 1))
    assert found.graph == once.graph
    assert found.stats == once.stats


@given(seed=st.integers(0, 300), learner=st.sampled_from([HillClimbing, Tabu]))
def test_limits_are_kept(seed: int, learner: type[HillClimbing]) -> None:
    data = sample(seed, p=6)
    rng = np.random.default_rng(seed)
    order = rng.permutation(data.names).tolist()
    knowledge = Knowledge(
        forbidden=frozenset((order[j], order[i]) for i, j in [(0, 1), (1, 2), (0, 5)]),
        required=frozenset({(order[0], order[3]), (order[3], order[4])}),
    )
    search = learner(constraints=knowledge, max_parents=2)  # type: ignore[arg-type]
    graph = search.learn(data, rng).graph
    assert knowledge.violations(graph) == []
    assert max(len(graph.parents(name)) for name in graph.names) <= 2
    assert graph.is_dag


def test_start_and_number_of_steps() -> None:
    data = sample(2)
    rng = np.random.default_rng(0)
    start = Graph.from_edges(["V4 -> V0", "V3 -> V1"], names=data.names)
    assert HillClimbing(max_iter=0).learn(data, rng, start=start).graph == start
    one = HillClimbing(max_iter=1).learn(data, rng)
    assert one.graph.n_edges == one.stats["steps"] == 1


def test_constraint_files_and_their_mistakes(tmp_path: Path) -> None:
    data = sample(2)
    path = tmp_path / "rules.json"
    path.write_text(json.dumps({"required_edges": [["V4", "V0"]], "source_nodes": ["V4"]}))
    found = learn(data, "bnlearn_hc", edgeConstraints=str(path)).graph
    assert "V4" in found.parents("V0")
    assert found.parents("V4") == ()
    circle = Knowledge(required=frozenset({("V0", "V1"), ("V1", "V0")}))
    with pytest.raises(GraphError, match=r"cycle|twice"):
        HillClimbing(constraints=circle).learn(data, np.random.default_rng(0))  # type: ignore[arg-type]
    with pytest.raises(GraphError, match="cannot be read"):
        learn(data, "hc", constraints=str(tmp_path / "none.json"))
    path.write_text("[")
    with pytest.raises(GraphError, match="not a JSON file"):
        learn(data, "hc", constraints=str(path))


def test_score_that_does_not_fit_is_refused_with_those_that_do() -> None:
    with pytest.raises(DataError, match="scores for them: aic-g, bge, bic-g, ebic-g, l0-g"):
        learn(sample(1), "hc", score="bde")


def test_mixed_data_have_no_arc_from_continuous_to_discrete() -> None:
    rng = np.random.default_rng(4)
    group = rng.integers(0, 3, 300)
    values = np.column_stack([group + rng.normal(size=300), rng.normal(size=300)])
    variables = [Variable("x"), Variable("g", ("a", "b", "c")), Variable("y")]
    data = Dataset(variables, codes=group[:, None].astype(np.uint8), values=values)
    found = learn(data, "hc", score="bic-cg").graph
    assert found == Graph.from_edges(["g -> x"], names=data.names)


def test_duplicated_and_constant_columns() -> None:
    rng = np.random.default_rng(4)
    values = rng.normal(size=(50, 4))
    values[:, 1] = values[:, 0]
    values[:, 2] = 1.0
    data = Dataset([Variable(name) for name in "ABCD"], values=values)
    for score in ("bic-g", "sem-bic", "l0-g"):
        graph = learn(data, "hc", score=score).graph
        assert [set(edge[::2]) for edge in graph.edges()] == [{"A", "B"}]
    assert "A" in learn(data, "hc", score="bge").graph.parents("B")


def test_more_variables_than_rows() -> None:
    data = sample(5, n=8, p=20)
    for learner in ("hc", "tabu"):
        found = learn(data, learner, score="bge")
        assert found.graph.is_dag
        assert np.isfinite(float(found.stats["score"]))


def test_discrete_network_is_found_again() -> None:
    network = Network.load("asia")
    data = network.sample(20_000, seed=1)
    found = learn(data, "tabu", score="bde")
    truth = score_graph(data, network.graph, "bde").total
    assert float(found.stats["score"]) >= truth - 20
    assert found.graph.n_edges in range(7, 10)

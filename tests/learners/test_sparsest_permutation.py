"""Greedy sparsest permutation: with an oracle, by hand, on data, on bad input."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from dagathlon.data import Dataset, Network, Variable
from dagathlon.errors import StudyError
from dagathlon.graphs import Graph, cpdag
from dagathlon.learners import learn
from dagathlon.learners.independence import separation_test
from dagathlon.learners.order.sparsest_permutation import Gsp
from dagathlon.testing.samples import ordinary
from strategies import random_dag


@pytest.mark.parametrize("take_sparsest", [False, True])
def test_an_oracle_finds_the_class_of_random_graphs(take_sparsest: bool) -> None:
    """Faithful independences and no limit of depth: one start is enough (Solus et al. 2021)."""
    rng = np.random.default_rng(3)
    for trial in range(100):
        truth = random_dag(int(rng.integers(2, 8)), rng, degree=2)
        search = Gsp(starts=1, draws=1, depth=None, by_degree=False, take_sparsest=take_sparsest)
        found = search.learn_with(separation_test(truth), rng)
        assert cpdag(found.graph) == cpdag(truth), f"graph {trial}"


def test_the_start_alone_is_the_dag_of_an_order() -> None:
    """Without steps: a later node has for parents what it depends on given the others before."""
    truth = Graph.from_edges([("a", "c"), ("b", "c")])
    rng = np.random.default_rng(0)
    for _ in range(20):
        search = Gsp(starts=1, draws=1, max_steps=0, by_degree=False)
        dag = search.learn_with(separation_test(truth), rng).graph
        last = [name for name in dag.names if not dag.children(name)]
        # With c last a and b stay apart; with c before either of them all three are joined.
        assert dag.n_edges == (2 if last == ["c"] else 3)


def test_a_chain_of_variables_is_found_in_data() -> None:
    rng = np.random.default_rng(5)
    values = np.cumsum(rng.normal(size=(2000, 6)), axis=1)
    names = [f"V{i}" for i in range(6)]
    data = Dataset([Variable(name) for name in names], values=values)
    chain = Graph.from_edges(list(itertools.pairwise(names)), names=names)
    for learner, parameters in (("gsp", {}), ("causaldag_gsp", {"alpha": 0.001})):
        found = learn(data, learner, **parameters)
        assert cpdag(found.graph) == cpdag(chain)
        assert int(found.stats["ntests"]) > 0


def test_discrete_data_are_taken_with_a_discrete_test() -> None:
    data = Network.load("asia").sample(1000, seed=1)
    found = learn(data, "gsp", alpha=0.01)
    assert found.graph.is_dag
    assert "dysp" in found.graph.adjacencies("bronc")


def test_the_seed_decides() -> None:
    rng = np.random.default_rng(7)
    data = Dataset([Variable(f"V{i}") for i in range(5)], values=rng.normal(size=(50, 5)))
    runs = [learn(data, "gsp", seed=4, alpha=0.3) for _ in range(2)]
    assert runs[0].graph == runs[1].graph
    assert runs[0].stats == runs[1].stats


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"constraints": "x.json"}, "cannot honour"), ({"max_order": 2}, "max_order has to be null")],
)
def test_what_it_cannot_promise_is_refused(parameters: dict[str, object], message: str) -> None:
    data = Dataset([Variable("a"), Variable("b")], values=np.eye(5)[:, :2])
    with pytest.raises(StudyError, match=message):
        learn(data, "gsp", **parameters)


def test_more_variables_than_rows_and_a_constant_column_are_survived() -> None:
    rng = np.random.default_rng(8)
    values = rng.normal(size=(6, 9))
    values[:, 3] = 1.0
    data = Dataset([Variable(f"V{i}") for i in range(9)], values=values)
    found = learn(data, "gsp")
    assert found.graph.is_dag
    assert not found.graph.adjacencies("V3")


def test_degrees_of_freedom_beyond_all_tables_are_tested_in_no_time() -> None:
    """The last of forty discrete columns is tested given all others: 4·3³⁸ degrees of freedom."""
    data = ordinary("discrete", 100, 40)
    found = Gsp(starts=1, draws=1, depth=0).learn(data, np.random.default_rng(1))
    assert found.graph.names == data.names
    assert found.graph.is_dag

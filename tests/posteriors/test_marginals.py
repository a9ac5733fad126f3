"""Exact posteriors: marginals against all DAGs, draws on demand, and what cannot be asked."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from all_graphs import all_dags, edge_matrix, mean, path_matrix

from dagathlon import _core
from dagathlon.data import Dataset, Variable
from dagathlon.errors import DataError, GraphError
from dagathlon.graphs import Graph
from dagathlon.graphs.knowledge import Knowledge
from dagathlon.learners.bayesian.exact_posterior import ExactPosterior
from dagathlon.learners.score.scores import score_graph
from dagathlon.posteriors import DagPosterior, MarginalPosterior, Posterior


def data_of(p: int, seed: int, n: int = 40) -> Dataset:
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.normal(size=(p, p)), 1)
    values = rng.normal(size=(n, p)) @ np.linalg.inv(np.eye(p) - weights)
    return Dataset([Variable(name) for name in "abcdefgh"[:p]], values=values)


@pytest.mark.parametrize("p", [1, 2, 3, 4])
def test_everything_is_a_sum_over_all_dags(p: int) -> None:
    data = data_of(p, p)
    found = ExactPosterior(score="bge").posterior(data)
    dags = all_dags("abcd"[:p])
    scores = np.array([score_graph(data, dag, "bge").total for dag in dags])
    weights = np.exp(scores - scores.max())
    np.testing.assert_allclose(found.edge_probabilities, edge_matrix(dags, weights), atol=1e-10)
    np.testing.assert_allclose(found.path_probabilities, path_matrix(dags, weights), atol=1e-10)
    shares = weights / weights.sum()
    assert found.entropy == pytest.approx(-(shares * np.log(shares)).sum(), abs=1e-9)
    assert found.expected_edges == pytest.approx(mean(dags, weights, lambda g: g.n_edges))
    square = mean(dags, weights, lambda g: g.n_edges**2)
    assert found.expect(lambda g: g.n_edges**2) == pytest.approx(square, abs=1e-10)
    chains = mean(dags, weights, lambda g: bool(g.v_structures()))
    assert found.probability(lambda g: bool(g.v_structures())) == pytest.approx(chains, abs=1e-10)
    best = score_graph(data, found.map(), "bge").total
    assert best == pytest.approx(scores.max(), abs=1e-9)
    assert len(found.enumerated().graphs()) <= len(dags)
    assert found.above(0.3, acyclic=True).is_dag


@pytest.mark.parametrize("p", [5, 6])
def test_paths_agree_with_independent_draws(p: int) -> None:
    found = ExactPosterior(score="bge").posterior(data_of(p, p + 10))
    drawn = Posterior([found.drawn(4000, seed=2)])
    # Five standard deviations of a share of one half.
    bound = 5 * math.sqrt(0.25 / 4000)
    assert np.abs(drawn.path_probabilities - found.path_probabilities).max() < bound
    assert np.abs(drawn.edge_probabilities - found.edge_probabilities).max() < bound
    assert np.all(found.path_probabilities >= found.edge_probabilities - 1e-12)


@pytest.mark.parametrize("spread", [1.0, 300.0])
def test_paths_of_any_weights(spread: float) -> None:
    """Weights that differ by hundreds of nats, for all 543 DAGs of four nodes."""
    weights = np.random.default_rng(9).normal(size=(4, 8)) * spread
    dags = all_dags("abcd")
    logs = []
    for dag in dags:
        arcs = dag.adjacency
        ranks = [int(np.delete(arcs[:, j], j) @ [1, 2, 4]) for j in range(4)]
        logs.append(sum(weights[j, rank] for j, rank in enumerate(ranks)))
    shares = np.exp(np.array(logs) - max(logs))
    found = _core.DagPosterior.of_weights(weights, _core.Modularity.structure).paths()
    np.testing.assert_allclose(found, path_matrix(dags, shares), atol=1e-12)


def test_limits_are_kept_in_the_enumeration() -> None:
    knowledge = Knowledge(forbidden=frozenset({("a", "b")}), required=frozenset({("d", "c")}))
    learner = ExactPosterior(constraints=knowledge, max_parents=1)  # type: ignore[arg-type]
    found = learner.posterior(data_of(4, 1))
    listed = found.enumerated()
    np.testing.assert_allclose(found.edge_probabilities, listed.edge_probabilities, atol=1e-10)
    np.testing.assert_allclose(found.path_probabilities, listed.path_probabilities, atol=1e-10)
    assert found.path_probabilities[3, 2] == pytest.approx(1)


def test_what_needs_draws_says_so() -> None:
    found = ExactPosterior(score="bge").posterior(data_of(7, 3))
    with pytest.raises(DataError, match=r"posterior.with_draws\(posterior.drawn"):
        found.expect(lambda g: g.n_edges)
    drawn = found.with_draws(found.drawn(500, seed=1))
    assert drawn.expect(lambda g: g.n_edges) == pytest.approx(found.expected_edges, rel=0.2)
    assert drawn.n_draws == 500
    assert found.n_draws == 0
    with pytest.raises(DataError, match="at most 6 variables"):
        found.enumerated()
    with pytest.raises(GraphError, match="edges of DAGs are directed"):
        found.probability(["a - b"])
    with pytest.raises(DataError, match="need draws"):
        found.rhat()
    with pytest.raises(DataError, match="only posteriors with draws"):
        Posterior.merge([found])


def test_orders_have_no_paths_and_no_entropy() -> None:
    found = ExactPosterior(score="bge", modularity="order").posterior(data_of(3, 3))
    with pytest.raises(DataError, match="modularity 'structure'"):
        _ = found.path_probabilities
    with pytest.raises(DataError, match="each once"):
        found.enumerated()
    kept = pickle.loads(pickle.dumps(found))
    assert math.isnan(kept.entropy)
    with pytest.raises(DataError, match="not computed"):
        _ = kept.path_probabilities


def test_what_is_kept_of_an_exact_posterior() -> None:
    found = ExactPosterior(score="bge").posterior(data_of(4, 5))
    found = found.with_draws(found.drawn(30, seed=4))
    kept = pickle.loads(pickle.dumps(found))
    assert type(found) is DagPosterior
    assert type(kept) is MarginalPosterior
    assert kept == found
    np.testing.assert_array_equal(kept.path_probabilities, found.path_probabilities)
    assert (kept.log_partition, kept.entropy) == (found.log_partition, found.entropy)
    assert kept.map() == found.map()
    assert kept.probability([("a", "b")]) == found.edge_probabilities[0, 1]
    assert kept.probability(["a - b"]) == 0
    assert kept.after(0.5) is kept.thinned(2) is kept
    both = [("a", "b"), ("b", "c")]
    assert kept.probability(both) == Posterior(found.chains).probability(both)


def test_paths_of_many_variables_are_kept_where_they_were_asked_for() -> None:
    rng = np.random.default_rng(0)
    data = Dataset([Variable(f"v{i}") for i in range(13)], values=rng.normal(size=(30, 13)))
    found = ExactPosterior(score="bge", max_parents=1).posterior(data)
    with pytest.raises(DataError, match="not computed"):
        _ = pickle.loads(pickle.dumps(found)).path_probabilities
    paths = found.path_probabilities
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(found)).path_probabilities, paths)
    # One parent each: a way of two arcs is there as often as both arcs are.
    assert np.all(paths >= found.edge_probabilities - 1e-12)


@pytest.mark.parametrize(
    "wrong", [np.ones((2, 2)), [[0, 0.7], [0.7, 0]], [[0, -0.1], [0, 0]], [[0, math.nan], [0, 0]]]
)
def test_impossible_marginals_are_refused(wrong: np.ndarray) -> None:
    with pytest.raises(DataError, match="both directions of a pair"):
        MarginalPosterior("ab", wrong, best=Graph("ab"))


def test_marginals_alone() -> None:
    found = MarginalPosterior("ab", [[0, 0.6], [0.1, 0]], best=Graph.from_edges([("a", "b")]))
    assert found.median() == found.map() == found.consensus(0.5)
    assert found.strengths.strength[1, 0] == pytest.approx(0.7)
    assert found.summary() == {"expected_edges": pytest.approx(0.7)}
    assert "2 nodes, 0.7 edges expected" in found._repr_html_()
    with pytest.raises(DataError, match="several edges together need draws"):
        found.probability([("a", "b")], absent=[("b", "a")])
    with pytest.raises(DataError, match="2×2, not"):
        MarginalPosterior("ab", [[0]], best=Graph("ab"))

"""Samplers of decomposable graphs against the enumeration of all of them."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from decomposable_oracle import (
    continuous,
    decomposable,
    discrete,
    junction_trees,
    total_variation,
)

from dagathlon import _core
from dagathlon.data import Dataset, Variable
from dagathlon.graphs import log_junction_trees
from dagathlon.learners.undirected.bd_mcmc import BdMcmc
from dagathlon.learners.undirected.decomposable_score import (
    DecomposablePosterior,
    DecomposableSampler,
)
from dagathlon.learners.undirected.exact_decomposable import ExactDecomposable
from dagathlon.learners.undirected.giudici_green import GiudiciGreen
from dagathlon.learners.undirected.junction_tree_mcmc import JunctionTreeMcmc
from dagathlon.learners.undirected.parallel_junction_trees import ParallelJunctionTrees
from dagathlon.learners.undirected.particle_gibbs import ParticleGibbs
from dagathlon.learners.undirected.rj_mcmc import RjMcmc

PRIOR = {
    "edge_probability": 0.4,
    "max_clique": 3,
    "clique_weights": (0.0, 0.5, -0.5),
    "separator_weights": (0.3, -0.2),
}
SAMPLERS = {
    "edges": (GiudiciGreen, {}),
    "trees": (JunctionTreeMcmc, {}),
    "several": (JunctionTreeMcmc, {"several": True}),
    "often new trees": (JunctionTreeMcmc, {"several": True, "randomise": 3}),
}
MakeData = Callable[[int], Dataset]


def native_chain(learner: DecomposableSampler, data: Dataset, steps: int) -> _core.UndirectedLog:
    options = _core.ChainOptions(iterations=steps, stepsave=1, seed=11, stream=0)
    target, first = learner.target(data), _core.FirstGraph.empty
    if isinstance(learner, JunctionTreeMcmc):
        every = 100 if learner.randomise is None else learner.randomise
        return _core.junction_tree_chain(target, first, learner.several, every, options)
    return _core.giudici_green_chain(target, first, options)


def distance(name: str, data: Dataset, steps: int, **prior: object) -> float:
    kind, own = SAMPLERS[name]
    learner = kind(**own, **prior)
    return total_variation(native_chain(learner, data, steps), learner, data)


@pytest.mark.parametrize(("p", "graphs"), [(1, 1), (2, 2), (3, 8), (4, 61), (5, 822), (6, 18154)])
def test_as_many_decomposable_graphs_as_there_are(p: int, graphs: int) -> None:
    edges, _, _ = _core.decomposable_graphs(ExactDecomposable().target(discrete(p)))
    assert len(edges) == graphs


@pytest.mark.parametrize("name", SAMPLERS)
@pytest.mark.parametrize("data", [continuous, discrete])
def test_chains_visit_graphs_as_often_as_they_are_probable(name: str, data: MakeData) -> None:
    assert distance(name, data(4), 40_000) < 0.06


@pytest.mark.slow
@pytest.mark.parametrize("name", ["edges", "trees", "several"])
@pytest.mark.parametrize("data", [continuous, discrete])
@pytest.mark.parametrize("prior", [{}, PRIOR], ids=["flat", "weights"])
def test_long_chains_come_close(name: str, data: MakeData, prior: dict[str, object]) -> None:
    assert distance(name, data(4), 1_000_000, **prior) < 0.012
    assert distance(name, data(5), 1_000_000, **prior) < 0.03


@pytest.mark.slow
@pytest.mark.parametrize("name", ["edges", "trees", "several"])
@pytest.mark.parametrize("data", [continuous, discrete])
def test_chains_over_all_18154_graphs(name: str, data: MakeData) -> None:
    assert distance(name, data(6), 4_000_000) < 0.05


def test_the_number_of_junction_trees() -> None:
    for graph in decomposable(4):
        expected = math.log(junction_trees(graph))
        assert log_junction_trees(graph) == pytest.approx(expected, abs=1e-12)


@pytest.mark.slow
def test_the_number_of_junction_trees_of_five_nodes() -> None:
    graphs = decomposable(5)
    assert len(graphs) == 822
    for graph in graphs:
        expected = math.log(junction_trees(graph))
        assert log_junction_trees(graph) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("p", [9, 70])
@pytest.mark.parametrize("name", SAMPLERS)
def test_scores_along_a_chain_are_those_of_its_graphs(name: str, p: int) -> None:
    kind, own = SAMPLERS[name]
    data = continuous(p)
    learner = kind(**own, iterations=200 * p, stepsave=20 * p, edge_probability=0.6, max_clique=4)
    target = learner.target(data)
    found = learner.learn(data, np.random.default_rng(1))
    (chain,) = found.posterior.chains
    for row in range(len(chain)):
        graph = chain.graph_at(row)
        assert chain.score[row] == pytest.approx(target.log_posterior(graph.native), abs=1e-7)


@pytest.mark.parametrize("name", ["edges", "several"])
def test_edge_probabilities_are_means_over_all_steps(name: str) -> None:
    """Few states are saved, and the probabilities are better than their shares."""
    data = continuous(4)
    exact = ExactDecomposable().learn(data, np.random.default_rng(0))
    kind, own = SAMPLERS[name]
    found = kind(**own, iterations=40_000, stepsave=10_000).learn(data, np.random.default_rng(2))
    expected = exact.posterior.edge_probabilities
    np.testing.assert_allclose(found.posterior.edge_probabilities, expected, atol=0.05)


def test_the_exact_posterior_of_three_variables() -> None:
    data = continuous(3)
    learner = ExactDecomposable(**{**PRIOR, "max_clique": 2})
    target, graphs = learner.target(data), decomposable(3)
    weights = np.exp([target.log_posterior(graph.native) for graph in graphs])
    weights /= weights.sum()
    found = learner.learn(data, np.random.default_rng(0))
    assert found.stats["graphs"] == 7
    expected = np.tensordot(weights, [graph.adjacency for graph in graphs], axes=1)
    np.testing.assert_allclose(found.posterior.edge_probabilities, expected, atol=1e-12)
    precisions = [target.precision(graph.native) for graph in graphs]
    np.testing.assert_allclose(found.precision, np.tensordot(weights, precisions, axes=1))
    assert found.graph == graphs[int(np.argmax(weights))]


def test_the_precision_matrix_of_a_chain_is_near_its_mean() -> None:
    data = continuous(4)
    exact = ExactDecomposable().learn(data, np.random.default_rng(0)).precision
    found = GiudiciGreen(iterations=50_000).learn(data, np.random.default_rng(3)).precision
    np.testing.assert_allclose(found, exact, atol=0.06)


def test_units_do_not_matter() -> None:
    data = continuous(4)
    scaled = Dataset.from_numpy(data.values * [1.0, 1e3, 1e-3, 7.0])
    first, second = (
        ExactDecomposable().learn(one, np.random.default_rng(0)).posterior.edge_probabilities
        for one in (data, scaled)
    )
    np.testing.assert_allclose(first, second, rtol=1e-9)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"delta": 0.0}, "delta: found 0"),
        ({"edge_probability": 1.0}, "edge_probability: found 1"),
        ({"clique_weights": (math.inf,)}, "finite"),
    ],
)
def test_priors_that_are_none(given: dict[str, object], words: str) -> None:
    assert words in GiudiciGreen(**given).problem()


@pytest.mark.parametrize("data", [continuous, discrete])
def test_chains_start_from_the_best_forest(data: MakeData) -> None:
    """Forests are the decomposable graphs without a clique of three nodes."""
    rng, table = np.random.default_rng(0), data(6)
    start = JunctionTreeMcmc(iterations=0, edge_probability=0.3).learn(table, rng).graph
    best = ExactDecomposable(max_clique=2, edge_probability=0.3).learn(table, rng).graph
    assert start == best
    none = GiudiciGreen(iterations=0, first_graph="empty").learn(table, rng).graph
    assert none.n_edges == 0


@pytest.mark.parametrize(
    "kind",
    [ExactDecomposable, GiudiciGreen, JunctionTreeMcmc, ParallelJunctionTrees, ParticleGibbs],
)
def test_without_a_scale_it_is_the_variance_by_the_number_of_rows(
    kind: type[DecomposablePosterior],
) -> None:
    """As the reference says; the variance that divides by one row less gives other numbers."""
    values = np.random.default_rng(3).normal(size=(12, 4)) @ np.diag([1.0, 3.0, 0.1, 40.0])
    names = [Variable(f"V{i}") for i in range(4)]

    def scores(rows: np.ndarray, scale: float | None) -> np.ndarray:
        target = kind(scale=scale).target(Dataset(names, values=rows))
        return np.asarray(_core.decomposable_graphs(target)[1])

    found = scores(values, None)
    same = scores(values / values.std(axis=0), 1.0)
    other = scores(values / values.std(axis=0, ddof=1), 1.0)
    assert np.allclose(found - found[0], same - same[0], atol=1e-9)
    assert not np.allclose(found - found[0], other - other[0], atol=1e-3)


def test_the_scale_of_g_wishart_samplers_is_the_variance_by_the_number_of_rows() -> None:
    values = np.random.default_rng(3).normal(3.0, 2.0, size=(12, 3))
    data = Dataset([Variable(f"V{i}") for i in range(3)], values=values)
    for kind in (BdMcmc, RjMcmc):
        assert kind().scatter(data).units == pytest.approx(values.std(axis=0))
        about_zero = np.sqrt((values**2).mean(axis=0))
        assert kind(zero_mean=True).scatter(data).units == pytest.approx(about_zero)

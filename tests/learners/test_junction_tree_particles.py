"""Particle Gibbs and moves of whole nodes against all decomposable graphs; Benchpress's names."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from decomposable_oracle import continuous, discrete, total_variation

from dagathlon import _core
from dagathlon.benchpress.junction_trees import ParallelDg, TrilearnPgibbs
from dagathlon.data import Dataset
from dagathlon.graphs import Graph
from dagathlon.graphs.chordal import perfect_elimination_order
from dagathlon.learners.undirected.decomposable_score import DecomposableSampler
from dagathlon.learners.undirected.parallel_junction_trees import ParallelJunctionTrees
from dagathlon.learners.undirected.particle_gibbs import ParticleGibbs

MakeData = Callable[[int], Dataset]
PRIOR: dict[str, Any] = {
    "edge_probability": 0.4,
    "max_clique": 3,
    "clique_weights": (0.0, 0.5, -0.5),
    "separator_weights": (0.3, -0.2),
}
SAMPLERS: dict[str, tuple[type[DecomposableSampler], dict[str, Any], int]] = {
    "published": (ParticleGibbs, {"proposal": "christmas_tree", "block": None}, 2),
    "informed": (ParticleGibbs, {"n_particles": 5, "block": 2, "radius": 1}, 2),
    "nodes": (ParallelJunctionTrees, {}, 1),
    "one tree": (ParallelJunctionTrees, {"randomise": 0}, 1),
}


def distance(name: str, data: Dataset, steps: int, **prior: Any) -> float:
    """The total variation of a chain; a step of particle Gibbs counts for several."""
    kind, own, worth = SAMPLERS[name]
    learner = kind(**{"n_particles": 3} | own if kind is ParticleGibbs else own, **prior)
    options = _core.ChainOptions(iterations=steps // worth, stepsave=1, seed=11, stream=0)
    target = learner.target(data)
    if isinstance(learner, ParticleGibbs):
        log = _core.particle_gibbs(target, learner.growth(len(data.names)), options)
    else:
        log = _core.parallel_moves(target, learner.randomise, options)
    return total_variation(log, learner, data)


@pytest.mark.parametrize("name", SAMPLERS)
def test_chains_visit_graphs_as_often_as_they_are_probable(name: str) -> None:
    assert distance(name, continuous(3), 8000, **PRIOR) < 0.05


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLERS)
@pytest.mark.parametrize("data", [continuous, discrete])
@pytest.mark.parametrize("prior", [{}, PRIOR], ids=["flat", "weights"])
def test_long_chains_come_close(name: str, data: MakeData, prior: dict[str, Any]) -> None:
    assert distance(name, data(4), 150_000, **prior) < 0.04
    assert distance(name, data(5), 150_000, **prior) < 0.08


@pytest.mark.slow
@pytest.mark.parametrize("data", [continuous, discrete])
def test_chains_over_all_18154_graphs(data: MakeData) -> None:
    assert distance("nodes", data(6), 1_500_000) < 0.08


@pytest.mark.slow
@pytest.mark.parametrize("own", [{}, {"proposal": "christmas_tree", "block": None}])
def test_particle_gibbs_over_all_18154_graphs(own: dict[str, Any]) -> None:
    learner, data = ParticleGibbs(n_particles=20, **own), discrete(6)
    options = _core.ChainOptions(iterations=40_000, stepsave=1, seed=11, stream=0)
    log = _core.particle_gibbs(learner.target(data), learner.growth(6), options)
    assert total_variation(log, learner, data) < 0.08


@pytest.mark.parametrize("name", SAMPLERS)
def test_chains_of_many_variables_keep_their_scores(name: str) -> None:
    """More variables than a machine word has bits."""
    kind, own, _ = SAMPLERS[name]
    data = continuous(70)
    learner = kind(**own, iterations=6, stepsave=2, warmup=0, max_clique=5)
    target = learner.target(data)
    (chain,) = learner.learn(data, np.random.default_rng(1)).posterior.chains
    for row in range(len(chain)):
        graph = chain.graph_at(row)
        assert len(perfect_elimination_order(graph)) == 70
        assert chain.score[row] == pytest.approx(target.log_posterior(graph.native), abs=1e-7)


def test_edges_without_direction_are_as_strong_as_they_are_probable() -> None:
    """Though few graphs are saved, and probabilities are means over all steps."""
    found = ParticleGibbs(iterations=60, stepsave=20).learn(continuous(4), np.random.default_rng(1))
    late = found.posterior.after(0.5)
    np.testing.assert_allclose(late.strengths.strength, late.edge_probabilities, atol=1e-12)


def test_few_variables() -> None:
    for p in (1, 2):
        for learner in (ParticleGibbs(iterations=3), ParallelJunctionTrees(iterations=3)):
            found = learner.learn(continuous(p), np.random.default_rng(1))
            assert len(found.graph.names) == p


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"n_particles": 1}, "n_particles: found 1, expected at least 2"),
        ({"alpha": 1.0}, "alpha: found 1, expected above 0 and below 1"),
        ({"beta": 0.0}, "beta: found 0"),
        ({"delta": 0.0}, "delta: found 0"),
    ],
)
def test_settings_that_cannot_work(given: dict[str, Any], words: str) -> None:
    assert words in ParticleGibbs(**given).problem()


def test_only_some_parameters_reach_trilearn() -> None:
    data = continuous(4)
    chains = [
        TrilearnPgibbs(M=30, n_particles=4, **ignored)
        .learn(data, np.random.default_rng(1))
        .posterior.chains[0]
        for ignored in ({}, {"alpha": 0.1, "beta": 0.9, "radii": 1})
    ]
    assert chains[0] == chains[1]
    assert chains[0].index[-1] == 30
    native = TrilearnPgibbs(M=30, n_particles=0).native()
    assert (native.n_particles, native.iterations, native.delta) == (2, 29, 1.0)


def log_priors(learner: Any, p: int) -> tuple[float, float]:
    """Log prior odds of a chain of three against a triangle, and of one edge against none."""
    native = learner.native_for(continuous(p))
    flat = ParallelJunctionTrees(**{**vars(native), "edge_probability": 0.5, "clique_weights": (),
                                    "separator_weights": ()})  # fmt: skip
    data = continuous(p)
    values = []
    for edges in (["V1 - V2", "V2 - V3"], ["V1 - V2", "V2 - V3", "V1 - V3"], ["V1 - V2"], []):
        graph = Graph.from_edges(edges, data.names).native
        values.append(
            native.target(data).log_posterior(graph) - flat.target(data).log_posterior(graph)
        )
    return values[0] - values[1], values[2] - values[3]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"graph_prior": "uniform", "graph_prior_param": 1.0}, (0.0, 0.0)),
        ({"graph_prior": "edgepenalty", "graph_prior_param": 0.7}, (0.7, -0.7)),
        # Two cliques of two over a separator of one against one clique of three.
        ({"graph_prior": "mbc", "graph_prior_param": 1.5}, (2 * 1.5 - 4 - 2 * 1.5, 1.5)),
        ({"graph_prior": "other", "graph_prior_param1": 1.0}, (2 * 2 - 1 - 2 * 2, 2.0)),
        ({"graph_prior": "jumppenalty"}, (-0.25 * (4 - 3), 0.0)),
    ],
)
def test_priors_of_paralleldg(given: dict[str, Any], expected: tuple[float, float]) -> None:
    assert log_priors(ParallelDg(**given), 3) == pytest.approx(expected, abs=1e-9)


def test_trilearn_weighs_graphs_as_the_original() -> None:
    """By the formula of its hyper inverse Wishart prior: delta = 1, the identity as scale."""
    data = continuous(2)
    native = TrilearnPgibbs().native()
    target = native.target(data)
    n, sums = len(data), data.values.T @ data.values
    expected = _log_constant(np.eye(2) + sums, 1.0 + n) - _log_constant(np.eye(2), 1.0)
    expected -= n * math.log(2 * math.pi)
    assert target.log_posterior(_graph(data, ["V1 - V2"])) == pytest.approx(expected, abs=1e-9)


def _graph(data: Dataset, edges: list[str]) -> Any:
    return Graph.from_edges(edges, data.names).native


def _log_constant(scale: np.ndarray, delta: float) -> float:
    """Of |Σ|^-(δ/2+c) exp(-tr(D Σ^-1)/2) over positive definite matrices of two columns."""
    degrees = delta + 1
    gamma = math.log(math.pi) / 2 + math.lgamma(degrees / 2) + math.lgamma((degrees - 1) / 2)
    return degrees * math.log(2) + gamma - degrees / 2 * float(np.linalg.slogdet(scale)[1])


def test_a_penalty_as_large_as_one_likes() -> None:
    learner = ParallelDg(M=50, graph_prior="edgepenalty", graph_prior_param=1e6)
    assert not learner.problem()
    found = learner.learn(continuous(4), np.random.default_rng(1))
    assert not found.graph.adjacency.any()

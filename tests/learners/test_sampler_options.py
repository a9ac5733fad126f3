"""Samplers by default and with options: search spaces, coupled chains, means of edges, orders."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from posterior_oracle import dag_marginals, local_weights, members
from test_samplers import check_z, gaussian, sample, z_scores

from dagathlon import _core
from dagathlon.benchpress.bidag import BidagOrderMcmc, BidagPartitionMcmc
from dagathlon.data import Dataset, read_data
from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.learners import learn
from dagathlon.learners.bayesian.dag_sampling import DagSampler
from dagathlon.learners.bayesian.order_mcmc import OrderMcmc
from dagathlon.learners.bayesian.partition_mcmc import PartitionMcmc
from dagathlon.learners.bayesian.structure_mcmc import StructureMcmc
from dagathlon.learners.score.scores import score_graph
from dagathlon.posteriors import Chain, Posterior, read_posterior, write_posterior
from strategies import copied_levels

ALL: list[type[DagSampler]] = [OrderMcmc, PartitionMcmc, StructureMcmc]


def posterior_of(learner: DagSampler, data: Dataset, seed: int = 1) -> Posterior:
    found = sample(learner, data, seed=seed).posterior
    assert found is not None
    return found


@pytest.mark.parametrize("kind", ALL)
def test_by_default_all_dags_are_covered(kind: type[DagSampler]) -> None:
    data = gaussian(3, 4)
    found = posterior_of(kind(iterations=20_000, stepsave=10), data)
    assert found.space == "all DAGs"
    exact = dag_marginals(local_weights(data, "bge"))
    check_z(z_scores(found.chains[0], exact), 1)
    assert np.abs(found.edge_probabilities - exact).max() < 0.03


@pytest.mark.slow
@pytest.mark.parametrize("kind", ALL)
def test_the_cold_one_of_coupled_chains_samples_the_posterior(kind: type[DagSampler]) -> None:
    data = copied_levels(4, 4, 60)
    learner = kind(iterations=15_000, stepsave=10, temperatures=(1.0, 2.0, 5.0))
    found = sample(learner, data)
    assert found.posterior is not None
    exact = dag_marginals(local_weights(data, "bde"))
    check_z(z_scores(found.posterior.chains[0], exact), 1)
    assert np.abs(found.posterior.edge_probabilities - exact).max() < 0.04
    assert all(0 < float(found.stats[f"swap_rate_{k}"]) <= 1 for k in (1, 2))


def test_temperatures_begin_at_one_and_rise() -> None:
    for wrong in ((), (2.0,), (1.0, 1.0), (1.0, 3.0, 2.0)):
        assert "temperatures" in PartitionMcmc(temperatures=wrong).problem()
    assert PartitionMcmc(temperatures=(1.0, 1.5)).problem() == ""


@pytest.mark.slow
@pytest.mark.parametrize("kind", [OrderMcmc, PartitionMcmc])
@pytest.mark.parametrize("free", [2, 3])
def test_candidates_with_all_small_sets_besides(kind: Any, free: int) -> None:
    data = gaussian(8, 5)
    learner = kind(iterations=20_000, stepsave=10, candidates=1, free_parents=free)
    space = learner.space(data, np.random.default_rng(1), None)
    assert space.candidates.sum(axis=0).tolist() == [1] * 5

    def allowed(child: int, parents: int) -> bool:
        outside = [x for x in members(parents) if not space.candidates[x, child]]
        return len(outside) <= 1 or len(members(parents)) <= free

    found = posterior_of(learner, data)
    check_z(z_scores(found.chains[0], dag_marginals(local_weights(data, "bge", allowed))), 1)
    assert found.space == (
        "DAGs whose parents are among 1 candidates for each node, chosen by the score, with one "
        f"more from outside, or any {free} nodes"
    )


@pytest.mark.slow
def test_many_variables_have_candidates_and_few_of_them_are_lost() -> None:
    rng = np.random.default_rng(1)
    weights = np.triu((rng.random((24, 24)) < 0.08) * rng.uniform(0.5, 1, (24, 24)), 1)
    data = read_data(rng.normal(size=(200, 24)) @ np.linalg.inv(np.eye(24) - weights))
    found = learn(data, "partition_mcmc", iterations=300, candidates=4)
    assert found.posterior is not None
    assert found.posterior.space.startswith("DAGs whose parents are among 4 candidates")
    assert "or any 2 nodes" in found.posterior.space
    forbidden = np.eye(24, dtype=bool)
    chosen = _core.candidate_parents(
        OrderMcmc().native_score(data), forbidden, np.zeros_like(forbidden), 6
    )
    assert chosen.sum(axis=0).tolist() == [6] * 24
    best = learn(data, "hc", score="bge").graph.adjacency.astype(bool)
    # Parents that hill climbing finds are worth a place in nearly all cases.
    assert (chosen & best).sum() >= 0.9 * best.sum()


def test_too_many_variables_for_tables_are_refused() -> None:
    data = read_data(np.random.default_rng(1).normal(size=(4, 3000)))
    with pytest.raises(DataError, match="of 3000 variables has 144000000 parent sets"):
        learn(data, "partition_mcmc")
    assert PartitionMcmc().sizes(128)[1] == 2
    assert PartitionMcmc().sizes(129)[1] == 1  # pairs from outside are in no table then
    with pytest.raises(DataError, match="found 2 for 3000 variables"):
        learn(data, "order_mcmc", free_parents=2)


def test_an_explicit_alpha_is_the_search_space_of_pc() -> None:
    data = gaussian(3, 6)
    found = learn(data, "partition_mcmc", iterations=200, alpha=0.05)
    assert found.posterior is not None
    assert found.posterior.space == (
        "DAGs whose parents are all neighbours in PC at alpha = 0.05 or with one parent besides"
    )
    by_orders = learn(data, "order_mcmc", iterations=200, modularity="order").posterior
    assert by_orders is not None
    assert "once for every order" in by_orders.space


def weights_of_dags(data: Dataset) -> dict[bytes, float]:
    """The posterior probability of every DAG, one at a time."""
    p = len(data.names)
    logs: dict[bytes, float] = {}
    for bits in itertools.product((0, 1), repeat=p * (p - 1)):
        matrix = np.zeros((p, p), dtype=np.uint8)
        matrix[~np.eye(p, dtype=bool)] = bits
        if not np.any(np.linalg.matrix_power(matrix.astype(float), p)):
            graph = Graph.from_adjacency(data.names, matrix)
            logs[matrix.tobytes()] = score_graph(data, graph, "bge").total
    top = max(logs.values())
    total = sum(math.exp(log - top) for log in logs.values())
    return {key: math.exp(log - top) / total for key, log in logs.items()}


@pytest.mark.slow
@pytest.mark.parametrize("learner", [
    StructureMcmc(iterations=80_000, stepsave=4, reversals=0.9),
    # Most families are not in the tables here, and stay as they are when an edge is turned.
    StructureMcmc(iterations=80_000, stepsave=4, reversals=0.5, candidates=1),
    OrderMcmc(iterations=160_000, stepsave=8),
    PartitionMcmc(iterations=40_000, stepsave=4, turns=3, leaps=False),
    PartitionMcmc(iterations=40_000, stepsave=4, turns=3),
])  # fmt: skip
def test_every_dag_of_three_variables_comes_up_by_its_probability(learner: DagSampler) -> None:
    data = gaussian(12, 3, 15)
    exact = weights_of_dags(data)
    found = posterior_of(learner, data)
    shares = {graph.adjacency.astype(np.uint8).tobytes(): share for graph, share in found.graphs()}
    assert shares.keys() <= exact.keys()
    distance = sum(abs(shares.get(key, 0.0) - share) for key, share in exact.items()) / 2
    # 10000 to 20000 draws, of which one in ten or so is independent, over 25 DAGs.
    assert distance < 0.04


def test_orders_of_dags_are_counted() -> None:
    rng = np.random.default_rng(1)
    for p in (1, 2, 5, 6):
        for density in (0.0, 0.2, 0.5, 1.0):
            matrix = np.triu(rng.random((p, p)) < density, 1)
            order = rng.permutation(p)
            graph = Graph.from_adjacency([f"v{i}" for i in range(p)], matrix[np.ix_(order, order)])
            arcs = np.argwhere(graph.adjacency).tolist()
            agreeing = sum(
                all(places.index(i) < places.index(j) for i, j in arcs)
                for places in itertools.permutations(range(p))
            )
            found = _core.log_linear_extensions(graph.native)
            assert found == pytest.approx(math.log(agreeing), abs=1e-9)
    free = Graph([f"v{i}" for i in range(30)])
    assert _core.log_linear_extensions(free.native) == pytest.approx(math.lgamma(31))


def test_means_of_edges_are_cut_kept_and_left_out(tmp_path: Any) -> None:
    data = gaussian(5, 4)
    found = posterior_of(PartitionMcmc(iterations=2000, stepsave=10, chains=2), data)
    chain = found.chains[0]
    assert isinstance(chain, Chain)
    assert chain.edge_means is not None
    assert chain.edge_means.lengths.sum() == chain.end == 201
    late = chain.after(0.5).edge_means
    assert late is not None
    np.testing.assert_allclose(late.mean, chain.edge_means.means[-25:].mean(axis=0), atol=0.02)
    write_posterior(found, tmp_path / "draws.npz")
    assert read_posterior(tmp_path / "draws.npz") == found
    counted = posterior_of(PartitionMcmc(iterations=2000, mean_edges=False), data)
    (plain,) = counted.chains
    assert isinstance(plain, Chain)
    assert plain.edge_means is None


def test_bidags_names_keep_their_search_space_and_length() -> None:
    data = gaussian(1, 5)
    chains: list[Any] = [c().native_for(data) for c in (BidagOrderMcmc, BidagPartitionMcmc)]
    for chain, steps in zip(chains, (30_000, 20_000), strict=True):
        assert (chain.alpha, chain.iterations, chain.warmup) == (0.05, steps, 0)
        assert not chain.mean_edges
    assert chains[0].modularity == "order"
    assert chains[1].turns == 1


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_default_settings_find_the_probabilities_of_edges(seed: int) -> None:
    data = gaussian(seed, 8, 100)
    exact = learn(data, "exact_posterior").posterior
    found = learn(data, "partition_mcmc").posterior
    assert exact is not None
    assert found is not None
    assert np.abs(found.edge_probabilities - exact.edge_probabilities).max() < 0.02

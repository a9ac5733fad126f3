"""Order, partition and structure MCMC: against exact posteriors, and under odd circumstances."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from posterior_oracle import (
    best_score,
    dag_marginals,
    local_weights,
    members,
    order_marginals,
)

from dagathlon.data import Dataset, read_data
from dagathlon.errors import DataError, GraphError, StudyError
from dagathlon.graphs import Graph
from dagathlon.graphs.knowledge import Knowledge
from dagathlon.learners import learn
from dagathlon.learners.base import Estimate
from dagathlon.learners.bayesian.dag_sampling import DagSampler
from dagathlon.learners.bayesian.iterative_search import IterativeSearch
from dagathlon.learners.bayesian.order_mcmc import OrderMcmc
from dagathlon.learners.bayesian.partition_mcmc import PartitionMcmc
from dagathlon.learners.bayesian.search_space import space_of_graph
from dagathlon.learners.bayesian.structure_mcmc import StructureMcmc
from dagathlon.learners.score.scores import score_graph
from dagathlon.posteriors.convergence import effective_sample_size
from dagathlon.posteriors.draws import Draws
from dagathlon.posteriors.posterior import Posterior
from strategies import copied_levels

Marginals = Callable[[np.ndarray], np.ndarray]
BURNIN = 0.1


def gaussian(seed: int, p: int, n: int = 40) -> Dataset:
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.normal(0, 0.8, (p, p)) * (rng.random((p, p)) < 0.5), 1)
    values = rng.normal(size=(n, p)) @ np.linalg.inv(np.eye(p) - weights)
    return read_data(values[:, rng.permutation(p)])


def complete(data: Dataset) -> Graph:
    return Graph.from_adjacency(data.names, 1 - np.eye(len(data.names), dtype=int))


def sample(learner: Any, data: Dataset, start: Graph | None = None, seed: int = 1) -> Estimate:
    estimate: Estimate = learner.learn(data, np.random.default_rng(seed), start=start)
    return estimate


def series(chain: Draws) -> np.ndarray:
    """For each pair of nodes whether each state after the burn-in has the arc."""
    p = len(chain.names)
    values = np.zeros((p, p, chain.end))
    for row in range(len(chain) - 1):
        states = slice(chain.index[row], chain.index[row + 1])
        values[:, :, states] = chain.graph_at(row).adjacency[:, :, None]
    return values[:, :, int(chain.end * BURNIN) :]


def z_scores(chain: Draws, exact: np.ndarray) -> np.ndarray:
    """Deviations of arc frequencies in units of their Monte Carlo error."""
    values = series(chain)
    scores = []
    for i, j in zip(*np.nonzero(~np.eye(len(exact), dtype=bool)), strict=True):
        draws = values[i, j]
        size = effective_sample_size(draws)
        size = size if np.isfinite(size) else float(len(draws))
        # A rare arc is counted in whole draws: its error is at least that of half a draw.
        variance = max(exact[i, j] * (1 - exact[i, j]), 0.5 / len(draws))
        scores.append((draws.mean() - exact[i, j]) / np.sqrt(variance / size))
    return np.array(scores)


def check_z(scores: np.ndarray, n_sets: int) -> None:
    """No deviation beyond what so many comparisons allow (one false alarm in 1000 runs), and
    together not more than noise."""
    limit = NormalDist().inv_cdf(1 - 0.001 / (2 * len(scores)))
    assert np.abs(scores).max() < limit
    # Arcs of one chain are dependent, so that their mean square varies as that of few numbers.
    assert np.mean(scores**2) < 1 + 4 / np.sqrt(2 * n_sets)


KINDS: list[tuple[type[DagSampler], dict[str, Any], Marginals]] = [
    (OrderMcmc, {"plus_one": False, "modularity": "order"}, order_marginals),
    (PartitionMcmc, {"plus_one": False}, dag_marginals),
    (StructureMcmc, {}, dag_marginals),
]


@pytest.mark.parametrize(
    ("kind", "parameters", "exact"),
    [KINDS[0], *(pytest.param(*kind, marks=pytest.mark.slow) for kind in KINDS[1:])],
)
@pytest.mark.parametrize(
    ("make", "score"),
    [pytest.param(gaussian, "bge", marks=pytest.mark.slow), (copied_levels, "bde")],
)
def test_frequencies_are_the_exact_posterior(
    kind: type[DagSampler], parameters: Any, exact: Marginals, make: Any, score: str
) -> None:
    for p in (3, 4, 5):
        data = make(p, p)
        start = None if kind is StructureMcmc else complete(data)
        found = sample(kind(iterations=60_000, stepsave=20, **parameters), data, start, seed=p)
        assert found.posterior is not None
        check_z(z_scores(found.posterior.chains[0], exact(local_weights(data, score))), 1)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "parameters", "exact"), KINDS[:2])
@pytest.mark.parametrize(("make", "score"), [(gaussian, "bge"), (copied_levels, "bde")])
def test_frequencies_are_the_exact_posterior_of_twenty_data_sets(
    kind: type[DagSampler], parameters: Any, exact: Marginals, make: Any, score: str
) -> None:
    scores = []
    for seed in range(20):
        data = make(seed, 6 + seed % 3)
        learner = kind(iterations=400_000, stepsave=50, **parameters)
        found = sample(learner, data, complete(data), seed)
        assert found.posterior is not None
        scores.append(z_scores(found.posterior.chains[0], exact(local_weights(data, score))))
    check_z(np.concatenate(scores), len(scores))


@pytest.mark.parametrize(
    ("learner", "exact"),
    [
        (OrderMcmc(iterations=60_000, stepsave=20, modularity="order"), order_marginals),
        (PartitionMcmc(iterations=60_000, stepsave=20), dag_marginals),
    ],
)
@pytest.mark.parametrize("power", [1.0, 0.5])
def test_a_search_space_with_one_extra_parent(
    learner: DagSampler, exact: Marginals, power: float
) -> None:
    data = gaussian(7, 5)
    space = np.triu(np.ones((5, 5)), 1) * (np.random.default_rng(1).random((5, 5)) < 0.5)

    def allowed(child: int, parents: int) -> bool:
        return sum(not space[x, child] for x in members(parents)) <= 1

    weights = local_weights(data, "bge", allowed) ** power
    start = Graph.from_adjacency(data.names, space)
    found = sample(replace(learner, power=power), data, start)
    assert found.posterior is not None
    check_z(z_scores(found.posterior.chains[0], exact(weights)), 1)


@pytest.mark.parametrize("kind", [kind for kind, _, _ in KINDS])
def test_the_same_seed_gives_the_same_chain(kind: type[DagSampler]) -> None:
    data = gaussian(2, 6)
    first, again, other = (sample(kind(iterations=2000), data, seed=s) for s in (5, 5, 6))
    assert first.posterior == again.posterior
    assert first.posterior != other.posterior


@pytest.mark.parametrize("kind", [kind for kind, _, _ in KINDS])
def test_scores_of_a_chain_are_those_of_its_graphs(kind: type[DagSampler]) -> None:
    data = copied_levels(3, 5)
    found = sample(kind(iterations=1000, edge_penalty=2.0, iss=0.5), data)
    assert found.posterior is not None
    (chain,) = found.posterior.chains
    assert chain.score is not None
    for row in range(0, len(chain), 50):
        expected = score_graph(data, chain.graph_at(row), "bde", iss=0.5, edge_penalty=2.0)
        assert chain.score[row] == pytest.approx(expected.total, abs=1e-8)
    assert found.stats["score"] == chain.score.max()


@pytest.mark.parametrize("learner", [OrderMcmc(maximise=True), IterativeSearch()])
def test_a_search_finds_the_best_dag(learner: Any) -> None:
    for seed in range(5):
        data = gaussian(seed, 7, 200)
        with np.errstate(divide="ignore"):
            logs = np.log(local_weights(data, "bge"))
        found = sample(learner, data, complete(data))
        best = local_weights_of(data, found.graph, logs)
        assert best == pytest.approx(best_score(logs), abs=1e-6)
        assert score_graph(data, found.graph, "bge").total == pytest.approx(found.stats["score"])


def local_weights_of(data: Dataset, dag: Graph, logs: np.ndarray) -> float:
    matrix = dag.adjacency
    sets = [sum(1 << i for i in np.flatnonzero(matrix[:, j])) for j in range(len(data.names))]
    return float(sum(logs[j, parents] for j, parents in enumerate(sets)))


def test_an_iterative_search_leaves_a_space_that_is_too_small() -> None:
    data = gaussian(11, 8, 300)
    empty = Graph(data.names)
    free, confined = IterativeSearch(), OrderMcmc(maximise=True, plus_one=False)
    found = sample(free, data, empty)
    assert found.stats["rounds"] > 1
    assert found.stats["score"] > sample(confined, data, empty).stats["score"]
    space = sample(IterativeSearch(estimate="endspace"), data, empty).graph
    inside = space.adjacency.astype(bool)
    assert np.all(inside | ~found.graph.adjacency.astype(bool))
    assert inside.sum() == found.stats["space"]


def test_an_iterative_search_needs_the_extra_parent() -> None:
    with pytest.raises(StudyError, match="plus_one has to be true"):
        IterativeSearch.from_json({"plus_one": False})


def test_limits_hold_back_the_growth_of_the_space() -> None:
    data = gaussian(11, 8, 300)
    learner = IterativeSearch(estimate="endspace", soft_limit=2, hard_limit=3)
    space = sample(learner, data, Graph(data.names)).graph.adjacency
    assert space.sum(axis=0).max() <= 3
    sampled = IterativeSearch(maximise=False, rounds=1, posterior=0.9, estimate="endspace")
    assert sample(sampled, data, Graph(data.names)).stats["rounds"] == 1


@pytest.mark.parametrize("kind", [OrderMcmc, PartitionMcmc, StructureMcmc])
def test_required_and_forbidden_edges_hold_in_every_state(kind: type[DagSampler]) -> None:
    data = gaussian(5, 6)
    names = data.names
    knowledge: Any = Knowledge(
        forbidden={(names[0], names[1]), (names[1], names[0])},
        required={(names[5], names[2]), (names[2], names[3])},
    )
    found = sample(kind(constraints=knowledge, iterations=3000, chains=2), data)
    assert found.posterior is not None
    frequencies = found.posterior.edge_probabilities
    assert frequencies[5, 2] == frequencies[2, 3] == 1.0
    assert frequencies[0, 1] == frequencies[1, 0] == 0.0


def test_several_chains_keep_apart() -> None:
    data = gaussian(6, 5)
    one = sample(OrderMcmc(iterations=400, stepsave=10), data).posterior
    three = sample(OrderMcmc(iterations=400, stepsave=10, chains=3), data)
    assert one is not None
    assert three.posterior is not None
    assert [chain.end for chain in three.posterior.chains] == [41, 41, 41]
    assert three.posterior.n_draws == 3 * one.n_draws == 123
    assert three.posterior.chains[0] == one.chains[0] != three.posterior.chains[1]
    alone = [Posterior([chain]).edge_probabilities for chain in three.posterior.chains]
    np.testing.assert_allclose(three.posterior.edge_probabilities, np.mean(alone, axis=0))
    assert three.stats["rhat_score"] < 1.3
    assert three.posterior.after(0.5).rhat() < 1.3
    best = max(
        float(chain.score.max()) for chain in three.posterior.chains if chain.score is not None
    )
    assert three.stats["score"] == best
    assert score_graph(data, three.graph, "bge").total == pytest.approx(best)


def test_the_number_of_parents_is_limited() -> None:
    data = gaussian(6, 6, 500)
    for kind in (OrderMcmc, PartitionMcmc, StructureMcmc):
        found = sample(kind(iterations=2000, max_parents=1), data)
        assert found.posterior is not None
        degrees = [graph.adjacency.sum(axis=0) for graph, _ in found.posterior.graphs()]
        assert np.max(degrees) == 1


def test_too_many_candidate_parents_are_refused_with_a_remedy() -> None:
    data = gaussian(1, 22, 60)
    with pytest.raises(DataError, match=r"21 candidate parents.*hard limit of 14.*alpha"):
        sample(OrderMcmc(), data, complete(data))
    wide = gaussian(1, 60, 60)
    matrix = np.zeros((60, 60))
    matrix[:20, 20:] = 1
    with pytest.raises(DataError, match="parent sets, more than"):
        sample(PartitionMcmc(hard_limit=20), wide, Graph.from_adjacency(wide.names, matrix))
    assert "at most 20" in OrderMcmc(hard_limit=21).problem()


def test_the_space_of_a_graph_follows_its_directions() -> None:
    graph = Graph.from_adjacency("abc", [[0, 1, 0], [0, 0, 1], [0, 1, 0]])
    assert space_of_graph(graph, "abc").tolist() == [[0, 1, 0], [0, 0, 1], [0, 1, 0]]


def test_a_start_graph_of_other_variables_is_refused() -> None:
    data = gaussian(1, 3)
    with pytest.raises(GraphError, match="only in the graph: other"):
        sample(OrderMcmc(), data, Graph(["V1", "V2", "other"]))


@pytest.mark.parametrize("learner", [k(iterations=50) for k in (OrderMcmc, PartitionMcmc)])
def test_one_variable_and_no_step(learner: Any) -> None:
    alone = sample(learner, gaussian(1, 1))
    assert alone.graph.adjacency.sum() == 0
    assert alone.posterior is not None
    assert alone.posterior.n_draws == 51
    still = sample(type(learner)(iterations=0), gaussian(1, 3))
    assert still.posterior is not None
    assert still.posterior.n_draws == 1


@pytest.mark.parametrize("kind", [OrderMcmc, PartitionMcmc])
def test_weights_that_are_thousands_of_orders_of_magnitude_apart(kind: type[DagSampler]) -> None:
    """An extra parent that explains all: sums without it vanish beside those with it."""
    rng = np.random.default_rng(4)
    values = rng.normal(size=(4000, 4))
    values[:, 1] = values[:, 0] + 0.001 * rng.normal(size=4000)
    values[:, 3] += 0.04 * values[:, 2]
    data = read_data(values)
    found = sample(kind(iterations=40_000, stepsave=20), data, Graph(data.names))
    assert found.posterior is not None
    check_z(z_scores(found.posterior.chains[0], forest_marginals(data)), 1)


def forest_marginals(data: Dataset) -> np.ndarray:
    """Probabilities of arcs over all DAGs with at most one parent each, one DAG at a time."""
    p = len(data.names)
    weights: dict[tuple[int, ...], float] = {}
    orders = list(itertools.permutations(range(p)))
    for parents in itertools.product(range(-1, p), repeat=p):
        if any(
            all(k < 0 or order.index(k) < order.index(j) for j, k in enumerate(parents))
            for order in orders
        ):
            pairs = [(data.names[k], data.names[j]) for j, k in enumerate(parents) if k >= 0]
            score = score_graph(data, Graph.from_edges(pairs, names=data.names), "bge").total
            weights[parents] = score
    shares = np.exp(np.array(list(weights.values())) - max(weights.values()))
    result = np.zeros((p, p))
    for parents, share in zip(weights, shares / shares.sum(), strict=True):
        for j, k in enumerate(parents):
            if k >= 0:
                result[k, j] += share
    return result


def test_bidags_score_parameters_mean_the_same_here() -> None:
    data = gaussian(3, 6)
    found = learn(data, "bidag_partition_mcmc", am=0.1, iterations=500)
    expected = score_graph(data, found.graph, "bge", iss_mu=0.1, iss_w=6 + 0.1 + 1)
    assert found.stats["score"] == pytest.approx(expected.total)
    table = copied_levels(3, 5)
    for given, iss, penalty in (({}, 0.5, 2.0), ({"chi": 1.0, "edgepf": 3.0}, 1.0, 3.0)):
        found = learn(table, "bidag_itsearch", scoretype="bdecat", **given)
        expected = score_graph(table, found.graph, "bde", iss=iss, edge_penalty=penalty)
        assert found.stats["score"] == pytest.approx(expected.total)

"""Exact posteriors: against enumeration of all DAGs, by frequencies, by invariance."""

from __future__ import annotations

import itertools
import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
from dagathlon import _core
from dagathlon.data import Dataset, Variable
from dagathlon.errors import DataError, GraphError
from dagathlon.graphs import Graph
from dagathlon.graphs.knowledge import Knowledge
from dagathlon.learners import learn
from dagathlon.learners.bayesian.exact_posterior import ExactPosterior, memory_needed
from dagathlon.learners.score.scores import score_graph
from dagathlon.posteriors import Posterior

Floats = npt.NDArray[np.float64]
STRUCTURE, ORDER = _core.Modularity.structure, _core.Modularity.order


def all_dags(d: int) -> npt.NDArray[np.int64]:
    """Parent sets as bits, one row per DAG."""
    bits: npt.NDArray[np.int64] = 1 << np.arange(d)
    return np.einsum("kij,i->kj", strategies.all_dags(d), bits)


def ranks(parents: npt.NDArray[np.int64], child: int) -> npt.NDArray[np.int64]:
    low = parents & ((1 << child) - 1)
    return low | (parents >> 1 & ~((1 << child) - 1))


def enumerated(weights: Floats, orders: bool = False) -> tuple[Floats, float]:
    """Probability of each DAG and the log partition function."""
    d = len(weights)
    dags = all_dags(d)
    reference = weights.max(axis=1)
    logs = sum(weights[j][ranks(dags[:, j], j)] - reference[j] for j in range(d))
    logs = np.asarray(logs)
    if orders:
        logs = logs + np.log([count_orders(tuple(row), (1 << d) - 1) for row in dags.tolist()])
    top = logs.max()
    total = math.fsum(np.exp(logs - top))
    return np.exp(logs - top) / total, float(reference.sum() + top + math.log(total))


def count_orders(parents: tuple[int, ...], left: int) -> int:
    """Linear extensions, taking away nodes without children."""
    if left == 0:
        return 1
    members = [j for j in range(len(parents)) if left >> j & 1]
    sinks = [j for j in members if not any(parents[k] >> j & 1 for k in members)]
    return sum(count_orders(parents, left & ~(1 << j)) for j in sinks)


def edge_sums(dags: npt.NDArray[np.int64], shares: Floats) -> Floats:
    d = dags.shape[1]
    return np.array(
        [[shares[(dags[:, j] >> i & 1) == 1].sum() for j in range(d)] for i in range(d)]
    )


def random_weights(seed: int, d: int, spread: float) -> Floats:
    rng = np.random.default_rng(seed)
    weights = spread * rng.normal(size=(d, 2 ** (d - 1))) - 1000
    weights[rng.random(weights.shape) < 0.1] = -np.inf
    weights[:, 0] = -1000.0
    return weights


@given(
    seed=st.integers(0, 10**6),
    d=st.integers(1, 4),
    spread=st.sampled_from([0.5, 5, 100, 2000]),
    orders=st.booleans(),
)
def test_sums_agree_with_enumeration(seed: int, d: int, spread: float, orders: bool) -> None:
    weights = random_weights(seed, d, spread)
    shares, log_partition = enumerated(weights, orders)
    found = _core.DagPosterior.of_weights(weights, ORDER if orders else STRUCTURE)
    assert found.log_partition() == pytest.approx(log_partition, rel=1e-13)
    dags = all_dags(d)
    assert np.abs(found.edges() - edge_sums(dags, shares)).max() < 1e-12
    for j in range(d):
        expected = np.bincount(ranks(dags[:, j], j), weights=shares, minlength=2 ** (d - 1))
        assert np.abs(np.array(found.families(j)) - expected).max() < 1e-12


@pytest.mark.parametrize("spread", [1.0, 30.0])
def test_five_nodes_agree_with_all_29281_dags(spread: float) -> None:
    weights = random_weights(3, 5, spread)
    assert len(all_dags(5)) == 29281
    shares, log_partition = enumerated(weights)
    found = _core.DagPosterior.of_weights(weights, STRUCTURE)
    assert abs(found.log_partition() - log_partition) < 1e-12 * abs(log_partition)
    assert np.abs(found.edges() - edge_sums(all_dags(5), shares)).max() < 1e-12
    positive = shares[shares > 0]
    entropy = -math.fsum(positive * np.log(positive))
    mine = found.log_partition() - found.mean_log_weight()
    assert mine == pytest.approx(entropy, abs=1e-9)


def test_flat_weights_count_labelled_dags() -> None:
    counts = {1: 1, 2: 3, 3: 25, 4: 543, 5: 29281, 6: 3781503, 10: 4175098976430598143}
    for d, count in counts.items():
        found = _core.DagPosterior.of_weights(np.zeros((d, 2 ** (d - 1))), STRUCTURE)
        assert found.log_partition() == pytest.approx(math.log(count), rel=1e-14)


def test_a_leaf_of_any_weight_changes_nothing() -> None:
    """With it, sums are no longer ordinary numbers: 2^-1000 beside 1 asks for powers of 2."""
    d = 8
    plain = 3 * np.random.default_rng(0).normal(size=(d, 2 ** (d - 1)))
    larger = np.full((d + 1, 2**d), -np.inf)
    larger[:d, : 2 ** (d - 1)] = plain
    larger[d, 0], larger[d, 1] = -1000 * math.log(2), 0.0
    few, more = (_core.DagPosterior.of_weights(table, STRUCTURE) for table in (plain, larger))
    assert more.log_partition() == pytest.approx(few.log_partition(), abs=1e-12)
    np.testing.assert_allclose(more.edges()[:d, :d], few.edges(), rtol=0, atol=1e-12)
    np.testing.assert_allclose(more.paths()[:d, :d], few.paths(), rtol=0, atol=1e-12)
    assert more.edges()[0, d] == pytest.approx(1)
    assert more.best()[:d] == few.best()


@pytest.mark.parametrize("modularity", [STRUCTURE, ORDER])
def test_frequencies_of_draws_fit_the_probabilities(modularity: _core.Modularity) -> None:
    """Chi-square over all DAGs that are expected at least five times."""
    weights = random_weights(11, 4, 1.0)
    shares, _ = enumerated(weights, modularity == ORDER)
    draws = 40_000
    found = _core.DagPosterior.of_weights(weights, modularity).sample(draws, 5)
    place = {tuple(row): k for k, row in enumerate(all_dags(4).tolist())}
    rows = [place[tuple(dag)] for dag in found.tolist()]
    counts = np.bincount(rows, minlength=len(shares))
    often = shares * draws >= 5
    observed = np.append(counts[often], counts[~often].sum())
    expected = np.append(shares[often], shares[~often].sum()) * draws
    kept = expected > 0
    statistic = ((observed - expected)[kept] ** 2 / expected[kept]).sum()
    freedom = kept.sum() - 1
    # Wilson and Hilferty: above 4 standard deviations one run in 30,000 fails by chance.
    deviation = ((statistic / freedom) ** (1 / 3) - (1 - 2 / (9 * freedom))) / math.sqrt(
        2 / (9 * freedom)
    )
    assert deviation < 4


def sample_data(seed: int, p: int = 5, n: int = 60) -> Dataset:
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.normal(size=(p, p)), 1)
    values = rng.normal(size=(n, p)) @ np.linalg.inv(np.eye(p) - weights)
    return Dataset([Variable(f"V{i}") for i in range(p)], values=values)


def test_posterior_of_data_agrees_with_scores_of_dags() -> None:
    data = sample_data(1, p=4)
    posterior = ExactPosterior(score="bge").posterior(data)
    dags = all_dags(4)
    graphs = [
        Graph.from_adjacency(data.names, [[row[j] >> i & 1 for j in range(4)] for i in range(4)])
        for row in dags.tolist()
    ]
    scores = np.array([score_graph(data, graph, "bge").total for graph in graphs])
    top = scores.max()
    shares = np.exp(scores - top) / np.exp(scores - top).sum()
    assert posterior.log_partition == pytest.approx(top + math.log(np.exp(scores - top).sum()))
    assert posterior.edge_probabilities == pytest.approx(edge_sums(dags, shares), abs=1e-10)
    assert posterior.entropy == pytest.approx(-(shares * np.log(shares)).sum(), abs=1e-9)
    assert posterior.map() == graphs[int(np.argmax(scores))] or math.isclose(
        score_graph(data, posterior.map(), "bge").total, top, abs_tol=1e-9
    )
    both = [k for k, row in enumerate(dags) if row[1] & 1 and row[3] >> 2 & 1]
    found = posterior.probability(present=[("V0", "V1"), ("V2", "V3")])
    assert found == pytest.approx(shares[both].sum(), abs=1e-10)
    neither = [k for k, row in enumerate(dags) if not row[1] & 1 and not row[0] >> 1 & 1]
    found = posterior.probability(absent=[("V0", "V1"), ("V1", "V0")])
    assert found == pytest.approx(shares[neither].sum(), abs=1e-10)
    assert posterior.probability([("V0", "V1")], [("V0", "V1")]) == 0.0
    assert math.fsum(posterior.parent_sets("V2", 0.0).values()) == pytest.approx(1)


@settings(max_examples=20)
@given(seed=st.integers(0, 1000))
def test_order_of_columns_does_not_matter(seed: int) -> None:
    data = sample_data(seed, p=6)
    order = np.random.default_rng(seed).permutation(6).tolist()
    other = data.select([data.names[k] for k in order])
    first = ExactPosterior().posterior(data).edge_probabilities
    second = ExactPosterior().posterior(other).edge_probabilities
    assert second == pytest.approx(first[np.ix_(order, order)], abs=1e-9)


def test_learner_gives_graph_marginals_and_draws() -> None:
    data = sample_data(2)
    found = learn(data, "exact_posterior", draws=200)
    assert found.posterior is not None
    shares = found.posterior.edge_probabilities
    assert shares.sum() == pytest.approx(found.stats["expected_edges"])
    assert found.posterior.n_draws == 200
    mean = Posterior(found.posterior.chains).edge_probabilities
    assert np.abs(mean - shares).max() < 0.2
    likely = learn(data, "exact_posterior", estimator="threshold", threshold=0.3).graph
    assert likely.is_dag
    assert (
        learn(data, "exact_posterior", draws=20).posterior
        == learn(data, "exact_posterior", draws=20).posterior
    )


def test_constraints_and_limits_are_kept() -> None:
    data = sample_data(4)
    knowledge = Knowledge(forbidden=frozenset({("V0", "V1")}), required=frozenset({("V4", "V2")}))
    learner = ExactPosterior(constraints=knowledge, max_parents=2)  # type: ignore[arg-type]
    posterior = learner.posterior(data)
    assert posterior.edge_probabilities[0, 1] == 0
    assert posterior.edge_probabilities[4, 2] == pytest.approx(1)
    for dag in posterior.sample(50, 1):
        assert knowledge.violations(dag) == []
        assert max(len(dag.parents(name)) for name in dag.names) <= 2
    with pytest.raises(GraphError, match="did you mean"):
        posterior.probability([("V0", "V11")])


def test_too_many_variables_are_refused_with_an_estimate() -> None:
    data = sample_data(1, p=25, n=40)
    with pytest.raises(DataError, match=r"25 variables needs about 20.5 GB.*at most 20"):
        learn(data, "exact_posterior")
    assert memory_needed(18) < 200e6
    with pytest.raises(DataError, match="memory_limit"):
        learn(sample_data(1, p=18), "exact_posterior", memory_limit=0.01)


def test_impossible_constraints_are_named() -> None:
    knowledge = Knowledge(required=frozenset({("V0", "V2"), ("V1", "V2")}))
    learner = ExactPosterior(constraints=knowledge, max_parents=1)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="no DAG has a positive probability"):
        learner.learn(sample_data(1), np.random.default_rng(0))


@pytest.mark.parametrize("n", [1, 3, 50])
def test_singular_data_give_probabilities(n: int) -> None:
    """Constant and duplicated columns, one level, few rows."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, size=(n, 4)).astype(np.uint8)
    codes[:, 1] = 0
    codes[:, 2] = codes[:, 0]
    data = Dataset([Variable(f"V{i}", ("a", "b")) for i in range(4)], codes=codes)
    shares = ExactPosterior().posterior(data).edge_probabilities
    assert np.all((shares >= 0) & (shares <= 1))
    assert not np.isnan(shares).any()


def test_all_sets_of_probabilities_add_up() -> None:
    weights = random_weights(8, 9, 10.0)
    found = _core.DagPosterior.of_weights(weights, STRUCTURE)
    edges = found.edges()
    for j, i in itertools.permutations(range(9), 2):
        assert edges[i, j] + edges[j, i] <= 1 + 1e-9
    for j in range(9):
        assert math.fsum(found.families(j)) == pytest.approx(1, abs=1e-9)

"""The DAG bootstrap: weights and parameters against their definitions, classes against searches."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
import pytest
from scipy import stats

from dagathlon.data import Dataset, LinearSem
from dagathlon.graphs import Graph, cpdag, members
from dagathlon.graphs.knowledge import Knowledge
from dagathlon.graphs.members import ClassMembers
from dagathlon.learners import learn
from dagathlon.learners.bayesian.bgies import Bgies, fit_dags
from dagathlon.learners.score.equivalence_search import Ges, Gies
from dagathlon.posteriors import Sample
from dagathlon.posteriors.parameters import (
    NormalInverseGamma,
    NormalWishart,
    likeliest,
)
from dagathlon.simulate.interventional import Interventional

NAMES = ("a", "b", "c", "d")
WEIGHTS = np.zeros((4, 4))
WEIGHTS[[0, 1, 2], [1, 2, 3]] = (1.2, -0.9, 0.8)
CHAIN = LinearSem(NAMES, WEIGHTS)
PUBLISHED = {"score": "l0-g", "phases": ("forward", "backward", "turning"), "iterate": True}


def observed(n: int, seed: int = 1) -> Dataset:
    return CHAIN.sample(n, np.random.default_rng(seed))


def intervened(n: int, seed: int = 1, targets: tuple[str, ...] = ("b", "c")) -> Dataset:
    made = Interventional(n=n, n_intervened=n, targets=targets)
    return made.sample(CHAIN, np.random.default_rng(seed))


def run(data: Dataset, **settings) -> tuple:
    found = Bgies(**{"bootstraps": 12} | settings).learn(data, np.random.default_rng(3))
    return found, found.posterior.chains[0]


@pytest.mark.parametrize(
    ("score", "prior"), [("bge", NormalWishart()), ("nig", NormalInverseGamma())]
)
@pytest.mark.parametrize("data", [observed(40), intervened(15)], ids=["observed", "intervened"])
def test_weights_are_posterior_probabilities(
    data: Dataset, score: str, prior: NormalWishart | NormalInverseGamma
) -> None:
    found, draws = run(data, score=score)
    logs = [prior.log_evidence(draws.graph_at(k), data) for k in range(len(draws))]
    np.testing.assert_allclose(draws.log_weights, logs, rtol=1e-10)
    shares = np.exp(logs - np.max(logs))
    assert found.stats["effective_size"] == pytest.approx(shares.sum() ** 2 / (shares**2).sum())
    assert found.graph == found.posterior.map()
    edges = np.array([draws.graph_at(k).adjacency for k in range(12)])
    expected = np.tensordot(shares / shares.sum(), edges, axes=1)
    np.testing.assert_allclose(found.posterior.edge_probabilities, expected, atol=1e-12)


def test_without_weights_all_draws_count_the_same() -> None:
    found, draws = run(observed(40), weighted=False)
    assert draws.log_weights is None
    assert found.stats["effective_size"] == 12
    edges = np.mean([draws.graph_at(k).adjacency for k in range(12)], axis=0)
    np.testing.assert_allclose(found.posterior.edge_probabilities, edges)
    same, others = run(observed(40))[0], found.posterior
    assert same.posterior.n_draws == others.n_draws
    halves = run(observed(40), weighted=False, estimator="threshold", threshold=0.4)[0]
    assert halves.graph == others.above(0.4, acyclic=True)


@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize("data", [observed(30), intervened(10)], ids=["observed", "intervened"])
def test_parameters_are_the_likeliest_on_each_sample(data: Dataset, centred: bool) -> None:
    rng = np.random.default_rng(0)
    regime = np.zeros(len(data), int) if data.regime is None else data.regime
    blocks = [np.flatnonzero(regime == k) for k in np.unique(regime)]
    rows = [np.concatenate([rng.choice(block, len(block)) for block in blocks]) for _ in range(6)]
    dags = list(members(cpdag(CHAIN.graph)))[:3] * 2
    found = fit_dags(Sample.of(dags, names=NAMES), data, rows, centred=centred)
    assert not found.without_noise
    for k, dag in enumerate(dags):
        best = likeliest(Sample.of([dag], names=NAMES), data.take(rows[k]), centred=centred)
        weights, noise = best.parameters_at(0)
        np.testing.assert_allclose(found.coefficients[k], weights, atol=1e-9)
        np.testing.assert_allclose(found.variances[k], noise, rtol=1e-9)


@pytest.mark.parametrize(
    ("search", "data"),
    [(Ges(**PUBLISHED), observed(30)), (Gies(escape=False, orders=False), intervened(10))],
    ids=["ges", "gies"],
)
def test_classes_are_those_of_the_search(search: Ges | Gies, data: Dataset) -> None:
    """Each sample has the class that the search itself finds, and draws are of that class."""
    rng = np.random.default_rng(2)
    samples = [data.take(np.sort(rng.integers(len(data), size=len(data)))) for _ in range(8)]
    samples = [one for one in samples if one.regime is None or len(np.unique(one.regime)) == 3]
    found = list(search.classes(data, samples))
    assert found == [search.learn(one, rng).graph for one in samples]
    for graph in found:
        dag = ClassMembers(graph).draw(Random(1))
        assert dag.is_dag
        assert cpdag(dag) == cpdag(graph)
        directed = {(e.left, e.right) for e in graph.edges() if e.connector == "->"}
        assert directed <= {(e.left, e.right) for e in dag.edges()}


def test_members_of_an_interventional_class_are_equally_likely() -> None:
    """b - c - d with an arc a -> e beside it: three DAGs, none with a collider at c."""
    graph = Graph.from_edges(["b - c", "c - d", "a -> e"], names="abcde")
    drawn = ClassMembers(graph)
    random = Random(4)
    counts = Counter(drawn.draw(random) for _ in range(600))
    assert len(counts) == 3
    assert stats.chisquare(list(counts.values())).pvalue > 1e-3


def test_targets_direct_edges_that_observations_leave_open() -> None:
    free = run(observed(2000), weighted=False, bootstraps=30)[0].posterior
    known = run(intervened(500), weighted=False, bootstraps=30)[0].posterior
    assert 0.05 < free.probability([("a", "b")]) < 0.6
    assert known.probability([("a", "b"), ("b", "c"), ("c", "d")]) > 0.9


def test_targets_can_be_ignored() -> None:
    data = intervened(20)
    plain = Dataset(data.variables, values=data.values)
    assert run(data, interventions=False)[0].posterior == run(plain)[0].posterior


def test_collapsed_weights_are_told() -> None:
    rng = np.random.default_rng(0)
    weights = np.triu(rng.normal(size=(10, 10)), 1)
    data = LinearSem([f"x{i}" for i in range(10)], weights).sample(60, rng)
    found, _ = run(data, bootstraps=40)
    assert found.stats["effective_size"] < 4
    assert any("effective size" in note for note in found.notes)
    assert run(data, bootstraps=40, weighted=False)[0].notes == ()


def test_few_rows_have_noise_all_the_same() -> None:
    found, draws = run(observed(4), bootstraps=30)
    assert any("explain all rows" in note for note in found.notes)
    for k in range(30):
        weights, noise = draws.parameters_at(k)
        assert np.all(noise > 0)
        assert np.all(np.isfinite(weights))


def test_constant_variables_have_no_noise() -> None:
    values = observed(30).values.copy()
    values[:, 1] = 7.0
    found, draws = run(Dataset(observed(30).variables, values=values))
    assert found.notes == ()
    assert all(draws.parameters_at(k)[1][1] == 0 for k in range(12))
    assert all(not draws.graph_at(k).parents("b") for k in range(12))


def test_knowledge_holds_in_every_draw() -> None:
    known = Knowledge(required=frozenset({("d", "c")}), forbidden=frozenset({("b", "a")}))
    _, draws = run(observed(60), constraints=known)
    for k in range(12):
        dag = draws.graph_at(k)
        assert "d" in dag.parents("c")
        assert "b" not in dag.parents("a")


def test_it_is_a_learner_like_any_other() -> None:
    data = observed(50)
    found = learn(data, "bgies[bootstraps=5]", seed=1)
    assert found.posterior.n_draws == found.stats["bootstraps"] == 5
    assert len(list(found.posterior.models())) == 5
    assert learn(data, "bgies[bootstraps=5]", seed=1).posterior == found.posterior

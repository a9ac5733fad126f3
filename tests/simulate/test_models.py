"""Random models and the data that are drawn from them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from dagathlon.benchpress.parameters import (
    BdgraphRgwish,
    SemParams,
    TrilearnGInvWishart,
    TrilearnIntraClass,
)
from dagathlon.benchpress.templates import NewAlg, NewData, NewGraph, NewMcmcalg, NewParams
from dagathlon.data import Dataset, LinearSem, MultivariateNormal, Variable
from dagathlon.errors import DagathlonError, DataError, DataWarning
from dagathlon.graphs import Graph
from dagathlon.simulate.completion import complete_covariance
from dagathlon.simulate.erdos_renyi import ErdosRenyi
from dagathlon.simulate.g_wishart import GWishart
from dagathlon.simulate.iid import Iid
from dagathlon.simulate.row_generator import standardize
from dagathlon.study.store.codec import decode, encode


def small_sem() -> LinearSem:
    return LinearSem("abc", [[0, 2, 0], [0, 0, -0.5], [0, 0, 0]], [1, 4, 9])


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_covariance_by_hand():
    # var a = 1; var b = 4·1 + 4 = 8; cov(a,b) = 2; c = -b/2 + e: var 8/4 + 9 = 11.
    expected = [[1, 2, -1], [2, 8, -4], [-1, -4, 11]]
    np.testing.assert_allclose(small_sem().covariance(), expected, atol=1e-14)
    assert small_sem().graph == Graph.from_edges(["a -> b", "b -> c"])


def test_sample_has_the_covariance_of_the_model():
    graph = ErdosRenyi(nodes=8, neighbours=3).sample(rng())
    model = SemParams().sample(graph, rng())
    data = model.sample(200_000, rng())
    assert data.names == graph.names
    error = np.cov(data.values.T) - model.covariance()
    scale = np.sqrt(np.outer(np.diag(model.covariance()), np.diag(model.covariance())))
    # The standard error of a covariance is at most √(2/n) times the scale.
    assert np.max(np.abs(error) / scale) < 4.5 * np.sqrt(2 / 200_000)


def test_weights_have_random_sizes_and_signs():
    graph = ErdosRenyi(nodes=60, neighbours=20).sample(rng())
    model = SemParams(min=0.25, max=1).sample(graph, rng())
    assert isinstance(model, LinearSem)
    weights = model.weights[model.weights != 0]
    assert model.graph == graph
    assert len(weights) == graph.n_edges
    assert np.abs(weights).min() >= 0.25
    assert np.abs(weights).max() <= 1
    assert abs(np.abs(weights).mean() - 0.625) < 4 * 0.75 / np.sqrt(12 * len(weights))
    assert abs(np.sign(weights).mean()) < 4 / np.sqrt(len(weights))


def test_models_are_determined_by_the_stream():
    graph = ErdosRenyi().sample(rng())
    first, second = (SemParams().sample(graph, rng()).sample(5, rng()) for _ in range(2))
    assert first == second
    assert pickle.loads(pickle.dumps(small_sem())).sample(5, rng()) == small_sem().sample(5, rng())


def test_models_survive_a_store():
    for model in (small_sem(), MultivariateNormal("ab", [[1, 0.5], [0.5, 2]])):
        again = decode(b"".join(bytes(piece) for piece in encode(model)))
        assert type(again) is type(model)
        assert again.sample(5, rng()) == model.sample(5, rng())


@pytest.mark.parametrize(
    ("weights", "variances", "message"),
    [
        ([[0, 1, 0], [0, 0, 1], [1, 0, 0]], None, "is on or behind a cycle"),
        ([[0, 1], [1, 0]], None, "is on or behind a cycle"),
        ([[0, 1]], None, "expected 2×2 numbers, found 1×2"),
        ([[0, np.nan], [0, 0]], None, "finite"),
        ([[0, 1], [0, 0]], [1, -1], "at least 0"),
    ],
)
def test_wrong_models_are_refused(weights, variances, message):
    with pytest.raises(DagathlonError, match=message):
        LinearSem("abc"[: np.shape(weights)[-1]], weights, variances)


def test_iid_standardises():
    data = Iid(n=50, standardized=True).sample(small_sem(), rng())
    np.testing.assert_allclose(data.values.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(data.values.std(axis=0, ddof=1), 1)
    raw = Iid(n=50).sample(small_sem(), rng())
    assert raw == small_sem().sample(50, rng())


def test_standardising_keeps_discrete_columns_and_constants():
    variables = [Variable("x"), Variable.coded("d", 2), Variable("k")]
    mixed = Dataset(variables, codes=[[0], [1], [1]], values=[[1, 5], [2, 5], [3, 5]])
    with pytest.warns(DataWarning, match="constant columns become zero: k"):
        result = standardize(mixed)
    assert result.values.tolist() == [[-1, 0], [0, 0], [1, 0]]
    assert result.codes.tolist() == mixed.codes.tolist()


def test_completion_has_the_edges_and_the_zeros():
    graph = ErdosRenyi(nodes=7, neighbours=3, directed=False).sample(rng(3))
    joined = graph.adjacency.astype(bool)
    full = np.cov(rng().standard_normal((7, 40)))
    result = complete_covariance(full, graph, 1e-12)
    given = joined | np.eye(7, dtype=bool)
    np.testing.assert_allclose(result[given], full[given])
    np.testing.assert_allclose(np.linalg.inv(result)[~given], 0, atol=1e-9)


def precisions(generator, graph: Graph, n: int) -> np.ndarray:
    stream = rng()
    models = (generator.sample(graph, stream) for _ in range(n))
    return np.array([np.linalg.inv(model.covariance()) for model in models])


def test_g_wishart_on_a_complete_graph_is_wishart():
    complete = Graph.from_edges(["a - b", "a - c", "b - c"])
    drawn = precisions(GWishart(b=4), complete, 4000)
    # Degrees of freedom b + p - 1 = 6: mean 6·I, variance 12 on and 6 off the diagonal.
    error = np.sqrt(np.where(np.eye(3), 12, 6) / 4000)
    assert np.all(np.abs(drawn.mean(axis=0) - 6 * np.eye(3)) < 4.5 * error)


def test_g_wishart_on_an_empty_graph_is_chi_square():
    drawn = precisions(BdgraphRgwish(b=3), Graph("abc"), 4000)
    diagonal = drawn[:, range(3), range(3)]
    assert np.all(np.abs(diagonal.mean(axis=0) - 3) < 4.5 * np.sqrt(6 / 4000))
    assert np.abs(drawn[:, 0, 1]).max() < 1e-9


def test_g_inv_wishart_counts_from_the_number_of_variables():
    assert TrilearnGInvWishart(dof=2).native() == GWishart(b=3)


def test_intra_class_by_hand():
    path = Graph.from_edges(["a - b", "b - c"])
    model = TrilearnIntraClass(rho=0.5, sigma2=2).sample(path, rng())
    # Along a path correlations multiply.
    np.testing.assert_allclose(model.covariance(), [[2, 1, 0.5], [1, 2, 1], [0.5, 1, 2]])


def test_multivariate_normal_checks_its_covariance():
    with pytest.raises(DataError, match="not positive definite"):
        MultivariateNormal("ab", [[1, 2], [2, 1]])
    with pytest.raises(DataError, match="symmetric"):
        MultivariateNormal("ab", [[1, 0.5], [0, 1]])
    with pytest.raises(DataError, match="2×2"):
        MultivariateNormal("ab", [[1]])
    data = MultivariateNormal("ab", [[1, 0.5], [0.5, 1]]).sample(100_000, rng())
    assert abs(np.corrcoef(data.values.T)[0, 1] - 0.5) < 0.015


def test_templates_work_together():
    graph = NewGraph(p=5, cutoff=0.5).sample(rng())
    data = NewData(n=100).sample(NewParams().sample(graph, rng()), rng())
    assert data.names == graph.names
    assert (data.n_rows, data.is_continuous) == (100, True)
    learned = NewAlg(cutoff=0.1).learn(data, rng()).graph
    assert learned.names == data.names
    assert (learned.adjacency == learned.adjacency.T).all()


def test_new_mcmcalg_gives_a_chain():
    data = MultivariateNormal("abcde", np.eye(5)).sample(10, rng())
    estimate = NewMcmcalg(n_iterations=2000, cutoff=0.8).learn(data, rng())
    assert estimate.posterior is not None
    (chain,) = estimate.posterior.chains
    assert (chain.end, len(chain)) == (2000, 2001)
    assert estimate.graph == estimate.posterior.map()
    mean = chain.sizes[:-1].mean()
    assert abs(mean - 2) < 4.5 * np.sqrt(10 * 0.8 * 0.2 / 2000)

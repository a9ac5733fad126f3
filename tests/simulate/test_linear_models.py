"""Random linear models: weights, noise, scales, files."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from graph_draws import stream
from scipy import stats

from dagathlon.data import LinearSem, read_sem
from dagathlon.errors import DagathlonError, DataError
from dagathlon.graphs import Graph
from dagathlon.simulate.er_sf import ErSf
from dagathlon.simulate.erdos_renyi import ErdosRenyi
from dagathlon.simulate.linear_sem import RandomLinearSem, rescaled

DENSE = ErdosRenyi(nodes=60, neighbours=30)


def weights_of(model: LinearSem) -> np.ndarray:
    return model.weights[model.weights != 0]


def test_uniform_weights():
    graph = DENSE.sample(stream())
    model = RandomLinearSem(min=0.5, max=2).sample(graph, stream())
    assert model.graph == graph
    weights = weights_of(model)
    assert stats.kstest(np.abs(weights), stats.uniform(0.5, 1.5).cdf).pvalue > 1e-4
    assert stats.binomtest(int((weights > 0).sum()), len(weights)).pvalue > 1e-4
    assert np.all(model.variances == 1)


def test_identifiable_models_of_the_posterior_study():
    model = RandomLinearSem(distribution="normal").sample(DENSE.sample(stream()), stream())
    assert stats.kstest(weights_of(model), stats.norm(0, math.sqrt(2)).cdf).pvalue > 1e-4
    assert np.all(model.variances == 1)


def test_other_models_of_the_posterior_study():
    generator = RandomLinearSem(distribution="normal", weight_variance=None, noise="inverse_gamma")
    model = generator.sample(DENSE.sample(stream()), stream())
    law = stats.invgamma(4, scale=0.5)
    assert stats.kstest(model.variances, law.cdf).pvalue > 1e-4
    rows, columns = np.nonzero(model.weights)
    scaled = model.weights[rows, columns] / np.sqrt(model.variances[columns])
    assert stats.kstest(scaled, stats.norm.cdf).pvalue > 1e-4


def test_equal_noise_of_any_variance():
    model = RandomLinearSem(noise_variance=2.5).sample(Graph.from_edges(["a -> b"]), stream())
    assert model.variances.tolist() == [2.5, 2.5]


@pytest.mark.parametrize("scale", ["standardized", "internal"])
def test_scales_with_unit_variances(scale):
    generator = RandomLinearSem(min=0.5, max=2, noise="inverse_gamma", scale=scale)
    graph = ErdosRenyi(nodes=30, neighbours=6).sample(stream())
    model = generator.sample(graph, stream())
    np.testing.assert_allclose(np.diag(model.covariance()), 1, rtol=1e-10)
    assert model.graph == graph
    assert np.all(model.variances > 0)


def test_scales_by_hand():
    # a has variance 4, b = 1.5 a + e with variance 9 + 7 = 16.
    raw = LinearSem("ab", [[0, 1.5], [0, 0]], [4, 7])
    standardized = rescaled(raw, "standardized")
    np.testing.assert_allclose(standardized.weights[0, 1], 1.5 * 2 / 4)
    np.testing.assert_allclose(standardized.variances, [1, 7 / 16])
    # Internally, b sees a with variance 1: 2.25 + 7.
    internal = rescaled(raw, "internal")
    np.testing.assert_allclose(internal.weights[0, 1], 1.5 / math.sqrt(9.25))
    np.testing.assert_allclose(internal.variances, [1, 7 / 9.25])
    assert rescaled(raw, "raw") is raw


def test_internal_standardization_against_simulation():
    graph = Graph.from_edges(["a -> b", "a -> c", "b -> c", "c -> d", "b -> d"])
    raw = RandomLinearSem().sample(graph, stream())
    noise = stream(2).standard_normal((200_000, 4))
    values = np.zeros_like(noise)
    for j in raw.order:
        column = values @ raw.weights[:, j] + noise[:, j]
        values[:, j] = column / column.std()
    internal = rescaled(raw, "internal")
    np.testing.assert_allclose(np.cov(values.T), internal.covariance(), atol=0.02)


def test_samples_follow_the_equations():
    model = RandomLinearSem(noise="inverse_gamma").sample(ErSf(nodes=10).sample(stream()), stream())
    data = model.sample(50, stream(5))
    noise = stream(5).standard_normal((50, 10)) * np.sqrt(model.variances)
    np.testing.assert_allclose(data.values @ (np.eye(10) - model.weights), noise, atol=1e-12)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"min": 2.0}, "min 2 is above max 1"),
        ({"min": 0.0, "max": 0.0}, "max must be a finite number above 0"),
        ({"max": math.inf}, "max must be a finite number above 0, found inf"),
        ({"distribution": "normal", "weight_variance": 0.0}, "weight_variance must be"),
        ({"noise": "inverse_gamma", "shape": 0.0}, "shape must be"),
        ({"noise_variance": 0.0}, "noise_variance must be"),
        ({"min": -1.0}, "found -1.0, expected a number at least 0"),
        ({"distribution": "cauchy"}, "expected one of 'uniform', 'normal'"),
    ],
)
def test_wrong_parameters_are_refused(values, message):
    with pytest.raises(DagathlonError, match=message):
        RandomLinearSem(**values).sample(Graph("ab"), stream())


def test_graphs_that_are_no_dags_are_refused():
    with pytest.raises(DagathlonError, match="a linear model needs a DAG: a -> b -> c -> a"):
        RandomLinearSem().sample(Graph.from_edges(["a -> b", "b -> c", "c -> a"]), stream())
    with pytest.raises(DagathlonError, match="a linear model needs a DAG, found the edge a - b"):
        RandomLinearSem().sample(Graph.from_edges(["a - b"]), stream())


def test_weights_from_a_file(tmp_path: Path):
    file = tmp_path / "weights.csv"
    file.write_text('a,"b, c",d\n0,-0.5,0\n0,0,2e-1\n0,0,0\n')
    model = read_sem(file)
    assert model.names == ("a", "b, c", "d")
    assert model.weights.tolist() == [[0, -0.5, 0], [0, 0, 0.2], [0, 0, 0]]
    assert model.variances.tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("a,b\n0,1\n", "has 2 rows, found 1"),
        ("a,b\n0,1\n0\n", "line 3: expected 2 weights, found 1"),
        ("a,b\n0,x\n0,0\n", "line 2, column 2: found 'x', expected a number"),
        ("a,a\n0,1\n0,0\n", "line 1: the header has one name per variable"),
        ("a,b\n0,1\n1,0\n", "cycle"),
        ("a,b\n0,inf\n0,0\n", "finite"),
    ],
)
def test_wrong_files_are_refused(tmp_path: Path, text: str, message: str):
    file = tmp_path / "weights.csv"
    file.write_text(text)
    with pytest.raises(DataError, match=message) as caught:
        read_sem(file)
    assert str(file) in str(caught.value)
    with pytest.raises(DataError):
        read_sem(tmp_path / "missing.csv")

"""Rows from models: prefixes, standardisation, laws of the noise, functions, levels."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from dagathlon.data import Dataset, LinearSem, MultivariateNormal, Network, Variable
from dagathlon.data.spec import DataFacts
from dagathlon.errors import DataError, DataWarning, StudyError
from dagathlon.graphs import Graph
from dagathlon.simulate.discretized import Discretized
from dagathlon.simulate.erdos_renyi import ErdosRenyi
from dagathlon.simulate.iid import Iid
from dagathlon.simulate.linear_sem import RandomLinearSem
from dagathlon.simulate.non_gaussian import Logistic, NonGaussian
from dagathlon.simulate.nonlinear import Nonlinear
from dagathlon.simulate.row_generator import standardize
from dagathlon.simulate.streams import substreams
from strategies import stream

CHAIN = LinearSem("ABC", [[0, 0.8, 0], [0, 0, -0.5], [0, 0, 0]], [1, 2, 0.5])


def sem(nodes: int = 10) -> LinearSem:
    graph = ErdosRenyi(nodes=nodes, neighbours=3).sample(stream(3))
    return RandomLinearSem(min=0.3, max=1).sample(graph, stream(4))


# Prefixes

MODELS = {
    "linear": sem(),
    "discrete": Network.load("alarm"),
    "gaussian": Network.load("ecoli70"),
    "normal": MultivariateNormal(sem().names, sem().covariance()),
}


@pytest.mark.parametrize("name", MODELS)
def test_every_kind_of_model_has_prefixes(name) -> None:
    long = Iid(n=3000).sample(MODELS[name], stream())
    for n in (1, 17, 1024, 2999):
        assert Iid(n=n).sample(MODELS[name], stream()) == long[:n]


@pytest.mark.parametrize("law", NonGaussian.parameters()["law"].type.schema["enum"])
def test_every_law_has_prefixes(law) -> None:
    long = NonGaussian(n=500, law=law).sample(sem(), stream())
    assert NonGaussian(n=77, law=law).sample(sem(), stream()) == long[:77]


@pytest.mark.parametrize("function", ["mlp", "mim", "quadratic"])
def test_functions_have_prefixes(function) -> None:
    long = Nonlinear(n=500, function=function).sample(sem(), stream())
    assert Nonlinear(n=77, function=function).sample(sem(), stream()) == long[:77]


@pytest.mark.parametrize("function", ["gp", "gp-add"])
def test_gaussian_processes_have_prefixes_up_to_rounding(function) -> None:
    long = Nonlinear(n=200, function=function).sample(sem(), stream())
    short = Nonlinear(n=77, function=function).sample(sem(), stream())
    assert np.allclose(short.values, long.values[:77], rtol=0, atol=1e-5)


# Standardisation


def test_standardised_columns_have_mean_zero_and_variance_one() -> None:
    data = Iid(n=50, standardized=True).sample(sem(), stream())
    assert np.allclose(data.values.mean(axis=0), 0)
    assert np.allclose(data.values.var(axis=0, ddof=1), 1)


def test_missing_values_and_discrete_columns_stay() -> None:
    variables = [Variable("A"), Variable.coded("B", 2)]
    data = Dataset(variables, np.array([[0], [1], [1]]), [[1.0], [np.nan], [3.0]])
    scaled = standardize(data)
    assert np.array_equal(scaled.codes, data.codes)
    half = np.sqrt(0.5)
    assert np.allclose(scaled.values[:, 0], [-half, np.nan, half], equal_nan=True)


@pytest.mark.parametrize("value", [0.0, 0.1, 1e300])
def test_a_constant_column_becomes_zero_with_a_warning(value) -> None:
    data = Dataset([Variable("A"), Variable("B")], values=[[value, 1], [value, 2], [value, 4]])
    with pytest.warns(DataWarning, match="constant columns become zero: A"):
        scaled = standardize(data)
    assert scaled.values[:, 0].tolist() == [0, 0, 0]
    assert scaled.values[:, 1].var(ddof=1) == pytest.approx(1)


def test_standardising_categories_is_refused() -> None:
    discrete = DataFacts(kind="discrete")
    assert "set standardized to false" in Iid(standardized=True).why_unsuitable(discrete)
    assert not Iid().why_unsuitable(discrete)
    continuous = DataFacts(kind="continuous")
    assert "standardized" in Logistic(standardized=True).why_unsuitable(continuous)
    assert "standardized" in Discretized(share=1, standardized=True).why_unsuitable(continuous)
    assert "needs continuous data" in NonGaussian().why_unsuitable(discrete)


# Linear models

MOMENTS = {
    # mean, variance, skewness at scale 1
    "gaussian": (0, 1, 0),
    "exponential": (1, 1, 2),
    "gumbel": (np.euler_gamma, np.pi**2 / 6, 1.1395470994),
    "uniform": (0, 1 / 3, 0),
    "laplace": (0, 2, 0),
    "logistic": (0, np.pi**2 / 3, 0),
}


@pytest.mark.parametrize("law", MOMENTS)
@pytest.mark.parametrize("centred", [True, False])
def test_moments_of_the_noise(law, centred) -> None:
    mean, variance, skewness = MOMENTS[law]
    n, scale = 100_000, 1.5
    model = LinearSem("A", [[0]], [4.0])
    generator = NonGaussian(n=n, law=law, scale=scale, centred=centred)
    x = generator.sample(model, stream()).values[:, 0]
    sd = 2 * scale * np.sqrt(variance)
    expected = 0.0 if centred else 2 * scale * mean
    assert abs(x.mean() - expected) < 5 * sd / np.sqrt(n)
    fourth = stats.kurtosis(x) + 2
    assert abs(x.var() - sd**2) < 5 * sd**2 * np.sqrt(fourth / n)
    assert stats.skew(x) == pytest.approx(skewness, abs=0.15)


@pytest.mark.parametrize("law", MOMENTS)
def test_covariance_of_linear_models(law) -> None:
    n = 200_000
    data = NonGaussian(n=n, law=law, scale=0.7).sample(CHAIN, stream())
    expected = CHAIN.covariance() * MOMENTS[law][1] * 0.49
    assert np.allclose(np.cov(data.values.T), expected, atol=0.03 * np.max(expected))
    assert np.allclose(data.values.mean(axis=0), 0, atol=6 * np.sqrt(np.max(expected) / n))


def test_gaussian_noise_is_the_model_itself() -> None:
    same = NonGaussian(n=50, law="gaussian").sample(CHAIN, stream())
    assert np.allclose(same.values, Iid(n=50).sample(CHAIN, stream()).values)


def test_logistic_regression() -> None:
    model = LinearSem("AB", [[0, 1.7], [0, 0]])
    data = Logistic(n=50_000).sample(model, stream())
    assert data.arities == (2, 2)
    a, b = data.codes.T
    for level, expected in ((0, 0.5), (1, 1 / (1 + np.exp(-1.7)))):
        rows = b[a == level]
        assert abs(rows.mean() - expected) < 5 * np.sqrt(0.25 / len(rows))


def test_weights_are_needed() -> None:
    with pytest.raises(DataError, match="found Network; use linear_sem"):
        NonGaussian().sample(Network.load("asia"), stream())


# Nonlinear models


TWO_PARENTS = LinearSem("ABCD", [[0, 0, 1, 0], [0, 0, 1, 0], [0] * 4, [0] * 4])


def effect(function: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Values of the parents A and B, and of C without its noise, which is the first stream's."""
    data = Nonlinear(n=400, function=function, noise_scale=0.5).sample(TWO_PARENTS, stream(seed))
    noise = 0.5 * substreams(stream(seed), 5)[0].standard_normal((400, 4))
    assert np.array_equal(data.values[:, [0, 1, 3]], noise[:, [0, 1, 3]])
    return data.values[:, :2], data.values[:, 2] - noise[:, 2]


@pytest.mark.parametrize(
    ("function", "bound", "slope"),
    # |f| and the steepest slope that weights of size 2 allow
    [("mlp", 200, 100 * np.sqrt(2)), ("mim", 3, 6 * np.sqrt(2))],
)
def test_smooth_functions_of_the_parents(function, bound, slope) -> None:
    for seed in range(5):
        parents, values = effect(function, seed)
        assert np.max(np.abs(values)) <= bound
        assert values.std() > 0.1
        steps = np.abs(values[:, None] - values)
        distances = np.linalg.norm(parents[:, None] - parents, axis=2)
        assert np.all(steps <= slope * distances + 1e-9)


def test_quadratic_functions_are_averages_of_signed_terms() -> None:
    signs = set()
    for seed in range(20):
        parents, values = effect("quadratic", seed)
        a, b = parents.T
        terms = np.array([a, b, a**2, b**2, a * b]).T
        coefficients, residual, *_ = np.linalg.lstsq(terms, values, rcond=None)
        assert residual[0] < 1e-18
        used = coefficients[np.abs(coefficients) > 1e-9]
        assert np.all((np.abs(used) * len(used) >= 0.5) & (np.abs(used) * len(used) <= 1))
        signs |= set(np.sign(used))
    assert signs == {-1.0, 1.0}


def test_a_gaussian_process_has_its_covariance() -> None:
    """Over many functions, values at parents a distance apart have the kernel's correlation."""
    model = LinearSem("AB", [[0, 1], [0, 0]])
    points, values = [], []
    for seed in range(400):
        data = Nonlinear(n=2, function="gp", noise_scale=1.0).sample(model, stream(seed))
        points.append(data.values[:, 0])
        values.append(data.values[:, 1])
    a, b = np.array(points).T, np.array(values).T
    kernel = np.exp(-0.5 * (a[0] - a[1]) ** 2)
    # variance 1 of the function and 1 of the noise; the product has the kernel as mean
    assert abs(b.var() - 2) < 5 * 2 * np.sqrt(2 / 800)
    assert abs((b[0] * b[1] - kernel).mean()) < 5 * 2 / np.sqrt(400)


def test_every_parent_of_a_quadratic_function_has_an_effect() -> None:
    weights = np.zeros((4, 4))
    weights[:3, 3] = 1
    model = LinearSem("ABCD", weights)
    for seed in range(30):
        data = Nonlinear(n=400, function="quadratic", noise_scale=0.3).sample(model, stream(seed))
        x = data.values[:, :3]
        terms = [*x.T, *(x**2).T, x[:, 0] * x[:, 1], x[:, 0] * x[:, 2], x[:, 1] * x[:, 2]]
        design = np.array([np.ones(400), *terms]).T
        fitted, residual, *_ = np.linalg.lstsq(design, data.values[:, 3], rcond=None)
        assert residual[0] / 400 == pytest.approx(0.09, rel=0.35)
        a, b, c, aa, bb, cc, ab, ac, bc = np.abs(fitted[1:]) > 0.03
        for used in ((a, aa, ab, ac), (b, bb, ab, bc), (c, cc, ac, bc)):
            assert any(used)


def test_nonlinear_mistakes() -> None:
    with pytest.raises(StudyError, match="at most 10000 rows"):
        Nonlinear.from_json({"function": "gp", "n": 20_000})
    normal = MultivariateNormal("AB", np.eye(2))
    with pytest.raises(DataError, match="a model on a DAG, found MultivariateNormal"):
        Nonlinear().sample(normal, stream())
    chain = np.eye(40, k=1)
    long = LinearSem([f"X{j}" for j in range(40)], chain)
    with pytest.raises(DataError, match="grew beyond the range of numbers"):
        Nonlinear(function="quadratic", noise_scale=10, n=200).sample(long, stream())


# Levels


@pytest.mark.parametrize(("share", "discrete"), [(0, 0), (0.5, 5), (1, 10)])
def test_a_share_of_the_columns_is_cut_at_quantiles(share, discrete) -> None:
    generator = Discretized(n=999, share=share, levels=3)
    data = generator.sample(sem(), stream())
    assert data.arities == (3,) * discrete
    for column in data.codes.T:
        assert np.bincount(column).tolist() == [333, 333, 333]
    kind = generator.facts(DataFacts(kind="continuous")).kind
    assert (kind == "mixed") == data.is_mixed
    assert (kind == "discrete") == data.is_discrete


def test_levels_follow_the_values() -> None:
    model = sem()
    whole = model.sample(300, _after_permutation())
    data = Discretized(n=300, share=0.3, levels=4).sample(model, stream())
    for variable in data.variables:
        column = data.column(variable.name)
        if variable.is_discrete:
            values = whole.column(variable.name)
            assert all(values[column == k].max() < values[column == k + 1].min() for k in range(3))
        else:
            assert np.array_equal(column, whole.column(variable.name))


def _after_permutation() -> np.random.Generator:
    rng = stream()
    rng.permutation(10)
    return rng


def test_discrete_models_are_not_cut_again() -> None:
    with pytest.raises(DataError, match="the model has discrete ones"):
        Discretized().sample(Network.load("asia"), stream())
    assert isinstance(Network.load("asia").graph, Graph)

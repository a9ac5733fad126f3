"""The Gaussian copula of bd_mcmc and rj_mcmc: latent values, invariance, ordinal data and gaps."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
import pytest

from dagathlon.data import Dataset, Variable
from dagathlon.data.spec import facts_of
from dagathlon.learners import learn
from dagathlon.learners.undirected.copula import copula_start
from dagathlon.modules import find
from strategies import continuous

Matrix = npt.NDArray[np.float64]
PRECISION = np.array([[1.5, -0.9, 0.0], [-0.9, 2.0, 0.5], [0.0, 0.5, 1.0]])


def ordinal(codes: npt.NDArray[np.int64]) -> Dataset:
    """Codes from 0 on; -1 is missing."""
    variables = [Variable(f"v{j}", tuple("abcdefg")) for j in range(codes.shape[1])]
    return Dataset(variables, codes=np.where(codes < 0, 255, codes).astype(np.uint8))


def latent_sample(p: int, n: int, seed: int) -> tuple[Matrix, npt.NDArray[np.bool_]]:
    """Rows of a Gaussian model of a chain, and its edges."""
    joined = np.eye(p, k=1, dtype=bool) | np.eye(p, k=-1, dtype=bool)
    covariance = np.linalg.inv(np.eye(p) + np.where(joined, 0.42, 0.0))
    rng = np.random.default_rng(seed)
    return rng.multivariate_normal(np.zeros(p), covariance, size=n), joined


def edges(data: Dataset, name: str = "bd_mcmc", **parameters: object) -> Matrix:
    posterior = learn(data, name, model="copula", **parameters).posterior
    assert posterior is not None
    return posterior.edge_probabilities


def test_latent_values_keep_the_order_of_the_data():
    rng = np.random.default_rng(2)
    codes = rng.integers(-1, 4, size=(40, 3))
    drawn = copula_start(ordinal(codes), [False] * 3).drawn(PRECISION, 20, 5)
    for j in range(3):
        seen = codes[:, j] >= 0
        levels, latent = codes[seen, j], drawn[seen, j]
        for level in range(3):
            assert latent[levels == level].max() < latent[levels == level + 1].min()
    assert len(np.unique(drawn)) == drawn.size


def test_normal_scores_stay():
    values = np.random.default_rng(3).normal(size=(30, 3))
    values[4, 1] = np.nan
    start = copula_start(continuous(values, "v"), [True] * 3)
    first, later = start.drawn(PRECISION, 0, 1), start.drawn(PRECISION, 9, 1)
    seen = ~np.isnan(values)
    assert np.array_equal(first[seen], later[seen])
    assert first[4, 1] != later[4, 1]
    assert np.array_equal(np.argsort(first[:, 0]), np.argsort(values[:, 0]))
    np.testing.assert_allclose(first[:, 2].std(ddof=1), 1)


@pytest.mark.slow
def test_latent_values_have_the_conditional_distribution():
    # Rows of a normal sample in which the orders came out as in the data.
    codes = np.array([[0, 0, 1], [0, 1, 0], [1, 1, -1], [1, -1, 0]])
    rng = np.random.default_rng(6)
    rows = rng.multivariate_normal(np.zeros(3), np.linalg.inv(PRECISION), size=(400_000, 4))
    fits = np.ones(len(rows), dtype=bool)
    for j in range(3):
        low, high = (rows[:, codes[:, j] == level, j] for level in (0, 1))
        fits &= low.max(axis=1) < high.min(axis=1)
    expected = rows[fits]
    assert len(expected) > 2000
    start = copula_start(ordinal(codes), [False] * 3)
    found = np.array([start.drawn(PRECISION, 40, seed) for seed in range(8000)])
    error = np.sqrt(expected.var(axis=0) * (1 / len(expected) + 1 / len(found)))
    assert np.all(np.abs(found.mean(axis=0) - expected.mean(axis=0)) < 4.5 * error)
    np.testing.assert_allclose(found.std(axis=0), expected.std(axis=0), rtol=0.07)
    product = (found[:, :, 0] * found[:, :, 1]).mean(axis=0)
    np.testing.assert_allclose(
        product, (expected[:, :, 0] * expected[:, :, 1]).mean(axis=0), atol=0.06
    )


ALIKE = np.array([[0, 0], [0, 0], [0, 0], [1, 1], [1, 1], [1, 1], [1, -1]])


@cache
def edge_of_two() -> float:
    """The probability of the edge of `ALIKE` under a prior one of 0.3, by rejection.

    Draws of the prior count when their normal samples come out in the order of the data.
    """
    rng, accepted = np.random.default_rng(8), np.zeros(2)
    for edge in (0, 1, 0, 1):
        factor = np.zeros((300_000, 2, 2))
        factor[:, 0, 0] = np.sqrt(rng.chisquare(3 + edge, size=len(factor)))
        factor[:, 1, 1] = np.sqrt(rng.chisquare(3, size=len(factor)))
        factor[:, 1, 0] = edge * rng.normal(size=len(factor))
        rows = np.linalg.solve(np.swapaxes(factor, 1, 2), rng.normal(size=(len(factor), 2, 7)))
        fits = np.ones(len(factor), dtype=bool)
        for j in range(2):
            low, high = (rows[:, j, ALIKE[:, j] == level] for level in (0, 1))
            fits &= low.max(axis=1) < high.min(axis=1)
        accepted[edge] += fits.sum()
    weights = accepted * [0.7, 0.3]
    return float(weights[1] / weights.sum())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bd_mcmc", "rj_mcmc"])
def test_the_posterior_is_that_of_the_rank_likelihood(name: str):
    expected = edge_of_two()
    assert expected > 0.4
    found = edges(ordinal(ALIKE), name, edge_probability=0.3, iterations=60_000)[0, 1]
    assert found == pytest.approx(expected, abs=0.025)


@pytest.mark.parametrize("scores", [False, True])
def test_monotone_functions_of_the_columns_change_nothing(scores: bool):
    values, _ = latent_sample(4, 50, 1)
    values[3, 2] = np.nan
    other = np.column_stack([np.exp(values[:, 0]), values[:, 1] ** 3, 5 + 2 * values[:, 2:]])
    given = {"normal_scores": scores, "iterations": 60}
    assert np.array_equal(
        edges(continuous(values, "v"), **given), edges(continuous(other, "v"), **given)
    )


def test_a_copula_is_needed_for_levels_and_gaps():
    gaps = continuous(np.array([[1.0, np.nan], [2.0, 0.0], [0.0, 1.0]]), "v")
    levels = ordinal(np.array([[0, 1], [1, 0], [1, 1]]))
    for name in ("bd_mcmc", "rj_mcmc"):
        cls = find("algorithm", name)
        assert "set model to 'copula'" in cls().why_unsuitable(facts_of(gaps))
        assert "needs continuous data" in cls().why_unsuitable(facts_of(levels))
        assert cls(model="copula").why_unsuitable(facts_of(gaps)) == ""
        assert cls(model="copula").why_unsuitable(facts_of(levels)) == ""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bd_mcmc", "rj_mcmc"])
def test_ordinal_and_mixed_data_show_the_latent_graph(name: str):
    values, joined = latent_sample(8, 500, 3)
    codes = np.digitize(values, [-0.9, 0.1, 0.8])
    found = edges(ordinal(codes), name, iterations=1500)
    assert np.array_equal(found > 0.5, joined)
    variables = [Variable(f"v{j}", tuple("abcd") if j % 2 else None) for j in range(8)]
    mixed = Dataset(variables, codes=codes[:, 1::2], values=np.exp(values[:, ::2]))
    estimate = learn(mixed, name, model="copula", iterations=1500)
    assert estimate.posterior is not None
    assert np.array_equal(estimate.posterior.edge_probabilities > 0.5, joined)
    assert estimate.precision is not None
    correlation = np.linalg.inv(estimate.precision)
    expected = np.linalg.inv(np.eye(8) + np.where(joined, 0.42, 0.0))
    scale = np.sqrt(np.diag(expected))
    np.testing.assert_allclose(correlation, expected / np.outer(scale, scale), atol=0.15)


@pytest.mark.slow
def test_values_missing_at_random_are_filled_in():
    # Normal scores of what is seen would be those of other quantiles, and give another graph.
    values, joined = latent_sample(5, 800, 5)
    gaps = values.copy()
    gaps[values[:, 0] > 0.3, 1] = np.nan
    gaps[values[:, 0] > 0.6, 3] = np.nan
    estimate = learn(continuous(gaps, "v"), "bd_mcmc", model="copula", iterations=2000)
    assert estimate.posterior is not None
    assert np.array_equal(estimate.posterior.edge_probabilities > 0.5, joined)

"""R̂ and effective sample size: by hand, and where theory knows the answer."""

from __future__ import annotations

import numpy as np
import pytest

from dagathlon.posteriors.chain import Chain
from dagathlon.posteriors.convergence import (
    effective_sample_size,
    potential_scale_reduction,
    repeat_by_state,
)
from dagathlon.posteriors.edits import Edits


def autoregressive(rho: float, chains: int, n: int, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    values = np.zeros((chains, n))
    values[:, 0] = rng.normal(size=chains)
    for t in range(1, n):
        values[:, t] = rho * values[:, t - 1] + np.sqrt(1 - rho**2) * rng.normal(size=chains)
    return values


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_an_autoregression_has_the_size_that_theory_says(rho: float) -> None:
    draws = autoregressive(rho, 4, 20_000)
    expected = draws.size * (1 - rho) / (1 + rho)
    assert effective_sample_size(draws) == pytest.approx(expected, rel=0.1)


def test_independent_chains_agree_and_shifted_ones_do_not() -> None:
    draws = np.random.default_rng(2).normal(size=(4, 1000))
    assert potential_scale_reduction(draws) == pytest.approx(1.0, abs=0.01)
    assert potential_scale_reduction(draws + np.arange(4)[:, None]) > 1.3
    # Chains of one location and several spreads are found by the folded values.
    assert potential_scale_reduction(draws * (1 + np.arange(4)[:, None])) > 1.1


def test_a_trend_within_one_chain_is_found() -> None:
    trend = np.linspace(0, 3, 500) + np.random.default_rng(3).normal(size=500)
    assert potential_scale_reduction(trend) > 1.1


def test_the_scale_does_not_matter_and_only_ranks_count() -> None:
    draws = autoregressive(0.3, 2, 400)
    assert potential_scale_reduction(draws**3 + 5) == pytest.approx(
        potential_scale_reduction(draws), rel=0.02
    )
    assert effective_sample_size(3 * draws - 7) == pytest.approx(effective_sample_size(draws))


def test_what_does_not_vary_has_neither() -> None:
    assert np.isnan(potential_scale_reduction(np.ones((2, 100))))
    assert np.isnan(effective_sample_size(np.ones((2, 100))))
    assert np.isnan(effective_sample_size([[1.0, 2.0]]))


def test_rows_last_as_many_states_as_their_index_says() -> None:
    nothing = Edits.of([(), (), ()])
    chain = Chain("ab", True, index=[0, 3, 5], score=[1, 2, 2], added=nothing, removed=nothing)
    assert repeat_by_state(chain, chain.score).tolist() == [1, 1, 1, 2, 2]

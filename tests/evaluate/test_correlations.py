"""Rank correlations between metrics, against SciPy and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from dagathlon.evaluate.ranking.correlations import (
    bootstrap_means,
    mean_correlations,
    method_correlations,
    rank_correlations,
)


def test_they_are_spearmans_over_the_methods_that_have_both() -> None:
    rng = np.random.default_rng(1)
    values = rng.integers(0, 5, (8, 4)).astype(float)  # with ties
    values[0, 1] = values[3, 2] = values[4, 2] = np.nan
    found = rank_correlations(values, ["more", "less", "", "more"])
    for i in range(4):
        for j in range(4):
            both = ~np.isnan(values[:, [i, j]]).any(axis=1)
            turned = (-1) ** ((i == 1) + (j == 1))
            wanted = turned * stats.spearmanr(values[both, i], values[both, j])[0]
            assert found[i, j] == pytest.approx(wanted, abs=1e-12)


def test_signs_are_turned_so_that_one_is_agreement() -> None:
    distance, area = [3.0, 2.0, 1.0, 5.0], [0.5, 0.6, 0.9, 0.1]
    table = np.column_stack([distance, area])
    assert rank_correlations(table, ["less", "more"])[0, 1] == pytest.approx(1)
    assert rank_correlations(table, ["more", "more"])[0, 1] == pytest.approx(-1)


def test_too_few_methods_and_constant_metrics_have_none() -> None:
    table = np.array([[1.0, 2.0, 7.0], [2.0, 1.0, 7.0], [3.0, np.nan, 7.0]])
    found = rank_correlations(table, ["more"] * 3)
    assert np.isnan(found[0, 1])
    assert np.isnan(found[0, 2])
    assert found[0, 0] == pytest.approx(1)


def test_starts_are_averaged_before_data_sets() -> None:
    up = np.column_stack([[1.0, 2, 3], [1.0, 2, 3]])
    down = np.column_stack([[1.0, 2, 3], [3.0, 2, 1]])
    # One data set at two starts (1 and -1: 0 on average), another at one (1).
    found = mean_correlations([[up, down], [up]], ["more", "more"], resamples=200)
    assert found.mean[0, 1] == pytest.approx(0.5)
    assert (found.low[0, 1], found.high[0, 1]) == pytest.approx((0.0, 1.0))
    assert found.known[0, 1] == 2


def test_hard_data_sets_do_not_make_metrics_alike() -> None:
    """Within a data set two metrics are opposite; both are worse on the harder one."""
    easy = np.column_stack([[1.0, 2, 3], [3.0, 2, 1]])
    found = mean_correlations([[easy], [easy + 100]], ["less", "less"], resamples=10)
    assert found.mean[0, 1] == pytest.approx(-1)
    pooled = stats.spearmanr(np.vstack([easy, easy + 100]))[0]
    assert pooled > 0


def test_means_of_resampled_data_sets_are_spread_as_the_mean_is() -> None:
    values = np.random.default_rng(3).normal(size=(400, 2))
    values[:100, 1] = np.nan
    found = bootstrap_means(values, 2000)
    np.testing.assert_allclose(found.mean, np.nanmean(values, axis=0))
    errors = np.nanstd(values, axis=0) / np.sqrt([400, 300])
    np.testing.assert_allclose(found.high - found.low, 2 * 1.96 * errors, rtol=0.1)
    assert found.known.tolist() == [400, 300]


def test_nothing_has_no_mean() -> None:
    found = bootstrap_means(np.full((3, 1), np.nan), 20)
    assert np.isnan([found.mean[0], found.low[0], found.high[0]]).all()
    assert np.isnan(bootstrap_means(np.empty((0, 2))).mean).all()


def test_methods_are_correlated_as_numpy_does() -> None:
    rng = np.random.default_rng(8)
    table = rng.normal(size=(6, 3))
    values = {
        method: {f"learner {i}": float(table[i, k]) for i in range(6)}
        for k, method in enumerate(("SHD", "CE", "CV"))
    }
    found = {(one.left, one.right): one for one in method_correlations(values)}
    expected = np.corrcoef(table.T)
    assert found["SHD", "CE"].value == pytest.approx(expected[0, 1])
    assert found["SHD", "CV"].value == pytest.approx(expected[0, 2])
    assert found["CE", "CV"].value == pytest.approx(expected[1, 2])
    assert {one.learners for one in found.values()} == {6}


def test_undefined_correlations_of_methods_are_marked() -> None:
    same = {"a": 0.1 + 0.2, "b": 0.3, "c": 0.3, "d": 0.3}
    other = {"a": 1.0, "b": 2.0, "c": 5.0, "d": None}
    (flat,) = method_correlations({"PHD": same, "SHD": other})
    assert (flat.value, flat.learners) == (None, 3)
    assert flat.note == "PHD is the same for all learners"
    (few,) = method_correlations({"CE": {"a": 1.0, "b": float("nan"), "c": 2.0}, "SHD": other})
    assert (few.value, few.learners) == (None, 2)
    assert "fewer than 3 learners" in few.note
    (whole,) = method_correlations({"CE": {"a": -1.0, "b": -2.0, "c": -5.0}, "SHD": other})
    assert whole.value == pytest.approx(-1)

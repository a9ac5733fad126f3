"""Friedman, Nemenyi, Wilcoxon and Holm against scipy and published examples."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from dagathlon.errors import DagathlonError
from dagathlon.evaluate.ranking.ranks import Scores
from dagathlon.evaluate.ranking.significance import (
    critical_difference,
    friedman,
    holm,
    nemenyi,
    pairwise,
)


def scores(values: np.ndarray, failed: np.ndarray | None = None) -> Scores:
    names = tuple("abcdefghijkl"[: values.shape[1]])
    cases = tuple(("g", "p", "d", i) for i in range(len(values)))
    marked = np.zeros(values.shape, bool) if failed is None else failed
    return Scores(names, cases, np.where(marked, np.nan, values), marked)


# Demšar 2006, Table 6: AUC of C4.5, C4.5+m, C4.5+cf and C4.5+m+cf on fourteen data sets.
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)


def test_demsars_example() -> None:
    found = friedman(scores(DEMSAR), "more")
    groups = nemenyi(scores(DEMSAR), "more", alpha=0.10)
    assert found is not None
    assert groups is not None
    assert dict(zip(groups.names, groups.averages, strict=True)) == pytest.approx(
        {"a": 3.143, "b": 2.000, "c": 2.893, "d": 1.964}, abs=5e-4
    )
    # He does not correct for ties: 9.28 and 3.69 there.
    uncorrected = 12 * 14 / (4 * 5) * (sum(r * r for r in groups.averages) - 4 * 5**2 / 4)
    assert uncorrected == pytest.approx(9.28, abs=0.01)
    assert 13 * uncorrected / (14 * 3 - uncorrected) == pytest.approx(3.69, abs=0.01)
    assert found.statistic == pytest.approx(stats.friedmanchisquare(*DEMSAR.T).statistic)
    assert found.f_p_value < 0.05
    # At level 0.10 the critical difference is 1.12, at 0.05 1.25.
    assert groups.difference == pytest.approx(1.12, abs=0.006)
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)
    # With it, plain C4.5 is worse than both C4.5+m and C4.5+m+cf; the third is in between.
    assert groups.names == ("d", "b", "c", "a")
    assert groups.groups == ((0, 2), (2, 3))


@pytest.mark.parametrize(
    ("k", "at_05", "at_10"),
    [
        (2, 1.960, 1.645),
        (3, 2.343, 2.052),
        (4, 2.569, 2.291),
        (5, 2.728, 2.459),
        (6, 2.850, 2.589),
        (7, 2.949, 2.693),
        (8, 3.031, 2.780),
        (9, 3.102, 2.855),
        (10, 3.164, 2.920),
    ],
)
def test_demsars_critical_values(k: int, at_05: float, at_10: float) -> None:
    unit = (k * (k + 1) / 6) ** 0.5
    assert critical_difference(k, 1, 0.05) / unit == pytest.approx(at_05, abs=1e-3)
    assert critical_difference(k, 1, 0.10) / unit == pytest.approx(at_10, abs=1e-3)


@pytest.mark.parametrize("k", [2, 3, 5, 10, 20])
@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.10])
def test_critical_values_are_quantiles_of_the_range_of_normals(k: int, alpha: float) -> None:
    """By the definition: the range of k standard normal variables exceeds √2 q with chance α."""
    q = critical_difference(k, 1, alpha) / (k * (k + 1) / 6) ** 0.5 * 2**0.5
    z = np.linspace(-9, 9 + q, 20001)
    below = stats.norm.cdf(z) - stats.norm.cdf(z - q)
    within = integrate.trapezoid(k * stats.norm.pdf(z) * below ** (k - 1), z)
    assert 1 - within == pytest.approx(alpha, rel=1e-5)


@given(st.integers(0, 10**6))
def test_friedman_is_scipys(seed: int) -> None:
    values = np.random.default_rng(seed).integers(0, 6, (9, 4)).astype(float)
    found, expected = friedman(scores(values), "less"), stats.friedmanchisquare(*values.T)
    assert found is not None
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.p_value == pytest.approx(expected.pvalue)


@given(st.integers(0, 10**6))
def test_wilcoxon_is_scipys_and_holm_is_in_order(seed: int) -> None:
    values = np.random.default_rng(seed).normal(size=(12, 3))
    found = pairwise(scores(values), "more")
    assert [(pair.left, pair.right) for pair in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    for pair, (i, j) in zip(found, [(0, 1), (0, 2), (1, 2)], strict=True):
        assert pair.p_value == pytest.approx(stats.wilcoxon(values[:, i], values[:, j]).pvalue)
        assert pair.p_value <= pair.adjusted <= 1
        assert pair.wins == (values[:, i] > values[:, j]).sum()
        assert pair.wins + pair.losses + pair.ties == 12


def test_equal_differences_are_scipys_approximation() -> None:
    values = np.random.default_rng(5).integers(0, 6, (40, 3)).astype(float)
    for pair, (i, j) in zip(
        pairwise(scores(values), "more"), [(0, 1), (0, 2), (1, 2)], strict=True
    ):
        difference = values[:, i] - values[:, j]
        expected = stats.wilcoxon(difference[difference != 0], method="approx", correction=False)
        assert pair.p_value == pytest.approx(expected.pvalue)


@pytest.mark.parametrize("k", [2, 5, 12, 40])
def test_the_range_of_normals_is_scipys(k: int) -> None:
    found = critical_difference(k, 1, 0.05) / (k * (k + 1) / 12) ** 0.5
    assert found == pytest.approx(float(stats.studentized_range.ppf(0.95, k, np.inf)), rel=1e-6)


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_a_failure_is_worse_than_anything() -> None:
    values = np.column_stack([np.arange(8.0), np.arange(8.0) + 1])
    failed = np.zeros((8, 2), bool)
    failed[:, 0] = True
    (pair,) = pairwise(scores(values, failed), "less")
    assert (pair.wins, pair.losses, pair.ties) == (0, 8, 0)
    failed[:, 1] = True
    (both,) = pairwise(scores(values, failed), "less")
    assert (both.ties, both.p_value) == (8, 1.0)
    found = friedman(scores(values, failed), "less")
    assert found is not None
    assert (found.statistic, found.p_value) == (0, 1)


def repeated(values: np.ndarray, copies: int) -> Scores:
    """Each row of the table at several sample sizes of its seed."""
    plain = scores(values)
    cases = tuple(("g", "p", f"d/n={n}", i) for i in range(len(values)) for n in range(copies))
    marks = np.zeros((len(cases), values.shape[1]), bool)
    return Scores(plain.names, cases, np.repeat(values, copies, axis=0), marks)


def test_variants_of_one_draw_are_no_evidence() -> None:
    values = np.random.default_rng(4).normal(size=(7, 4))
    for copies in (2, 5):
        assert friedman(repeated(values, copies), "less") == pytest.approx(
            friedman(scores(values), "less")
        )
        several, once = (
            nemenyi(found, "less") for found in (repeated(values, copies), scores(values))
        )
        assert several is not None
        assert once is not None
        assert several._replace(averages=once.averages) == once._replace(
            difference=pytest.approx(several.difference)
        )
        assert several.averages == pytest.approx(once.averages)
        wins = [pair[:5] for pair in pairwise(repeated(values, copies), "less")]
        assert wins == [pair[:5] for pair in pairwise(scores(values), "less")]
    assert friedman(repeated(values[:4], 10), "less") is None
    assert pairwise(repeated(values[:4], 10), "less") == []


def by_all_signs(differences: np.ndarray) -> float:
    """Wilcoxon's p-value by the definition: the rank sum under every choice of signs."""
    sizes = stats.rankdata(np.abs(differences))
    sums = np.array([sizes @ signs for signs in itertools.product((0, 1), repeat=len(sizes))])
    found = sizes[differences > 0].sum()
    return min(1.0, 2 * min((sums <= found + 1e-9).mean(), (sums >= found - 1e-9).mean()))


@pytest.mark.parametrize("seed", range(3))
def test_unlike_values_are_compared_by_their_ranks(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(10, 3)) * np.where(np.arange(10) % 2, 100.0, 1.0)[:, None]
    cases = tuple((f"g{i % 2}", "p", "d", i // 2) for i in range(10))
    table = Scores(("a", "b", "c"), cases, values, np.zeros((10, 3), bool))
    found = np.apply_along_axis(stats.rankdata, 1, values)
    for pair, (i, j) in zip(pairwise(table, "less"), [(0, 1), (0, 2), (1, 2)], strict=True):
        assert pair.p_value == pytest.approx(by_all_signs(found[:, j] - found[:, i]))


def test_averages_within_blocks_keep_the_level() -> None:
    """Under exchangeable competitors the statistic has the first two moments of χ²."""
    rng = np.random.default_rng(8)
    found = []
    for _ in range(300):
        noise = rng.normal(size=(20, 1, 4)) + 0.5 * rng.normal(size=(20, 3, 4))
        cases = tuple(("g", "p", f"d/n={n}", i) for i in range(20) for n in range(3))
        table = Scores(tuple("abcd"), cases, noise.reshape(60, 4), np.zeros((60, 4), bool))
        one = friedman(table, "less")
        assert one is not None
        found.append(one.statistic)
    assert np.mean(found) == pytest.approx(3, abs=0.4)
    assert np.mean(np.array(found) > stats.chi2.ppf(0.95, 3)) < 0.08


def test_too_little_to_tell() -> None:
    values = np.random.default_rng(1).normal(size=(4, 3))
    assert friedman(scores(values), "less") is None
    assert nemenyi(scores(values), "less") is None
    assert pairwise(scores(values), "less") == []
    with pytest.raises(DagathlonError, match="two competitors"):
        critical_difference(1, 5)
    assert friedman(score_nothing(), "less") is None


def score_nothing() -> Scores:
    return Scores((), (), np.empty((0, 0)), np.empty((0, 0), bool))


def test_data_sets_without_everybody_are_left_out() -> None:
    values = np.random.default_rng(2).normal(size=(10, 3))
    values[:2, 0] = np.nan
    values[1:, 2] = np.nan  # takes part once only: left out itself
    found = friedman(scores(values), "less")
    assert found is not None
    assert (found.n, found.k) == (8, 2)

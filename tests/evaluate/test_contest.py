"""Average ranks where some take no part: by hand, by brute force, by invariance."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dagathlon.errors import DagathlonError
from dagathlon.evaluate.ranking.contest import Contest, contest
from dagathlon.evaluate.ranking.ranks import Scores, case_weights, neutral_ranks
from dagathlon.evaluate.ranking.significance import friedman, nemenyi, pairwise

NAN = float("nan")


def scores(values: Any, blocks: list[int] | None = None) -> Scores:
    table = np.array(values, dtype=float)
    names = tuple("abcdefghijkl"[: table.shape[1]])
    seeds = list(range(len(table))) if blocks is None else blocks
    cases = tuple(("g", "p", f"d/n={i}", seed) for i, seed in enumerate(seeds))
    return Scores(names, cases, table, np.zeros(table.shape, bool))


def ranked(values: Any, unit: Any = "data_set", **more: Any) -> Contest:
    table = scores(values, **more)
    return contest(table, "less", {name: name for name in table.names}, unit)


def averages(found: Contest) -> dict[str, float]:
    return {one.setting: one.average for one in found.places}


def test_who_takes_no_part_takes_the_data_set_from_nobody() -> None:
    # c runs on two of the four data sets. On the others a and b have ranks 1 and 2, c their mean.
    found = ranked([[1, 2, 3], [1, 2, 3], [2, 1, NAN], [2, 1, NAN]])
    assert averages(found) == {"a": 1.5, "b": 1.5, "c": (3 + 3 + 1.5 + 1.5) / 4}
    assert [one.place for one in found.places] == [1, 1, 3]
    assert [one.n for one in found.places] == [4, 4, 2]
    assert (found.n_cases, found.n_all, found.n_blocks) == (4, 4, 4)


def test_data_sets_that_nobody_or_one_alone_ran_on_count_for_nothing() -> None:
    found = ranked([[1, 2], [1, 2], [NAN, NAN], [5, NAN]])
    assert averages(found) == {"a": 1, "b": 2}
    assert (found.n_cases, found.n_all) == (2, 4)


def test_who_takes_part_in_less_than_half_is_not_ranked() -> None:
    found = ranked([[3, 2, 1], [1, 2, NAN], [1, 2, NAN]])
    assert averages(found) == {"a": pytest.approx(4 / 3), "b": pytest.approx(5 / 3)}
    assert dict(found.absent) == {"c": 1}


def test_groups_that_never_meet_are_not_ranked() -> None:
    apart = [[1, 2, NAN, NAN], [NAN, NAN, 2, 1]]
    assert ranked(apart).places == ()
    assert len(ranked([*apart, [NAN, 1, 2, NAN]] * 2).places) == 2
    assert len(ranked([[1, 2, 3, NAN], [NAN, 2, 3, 1]]).places) == 4
    # Whoever ran alone takes the ranking from nobody.
    alone = ranked([[1, 2, NAN], [2, 1, NAN], [1, 2, NAN], *[[NAN, NAN, 1]] * 3])
    assert averages(alone) == {"a": pytest.approx(4 / 3), "b": pytest.approx(5 / 3)}
    assert (dict(alone.absent), alone.n_cases) == ({"c": 3}, 3)


def test_the_unit_decides_what_counts_once() -> None:
    values, blocks = [[2, 1], [2, 1], [2, 1], [1, 2]], [1, 1, 1, 2]
    assert averages(ranked(values, blocks=blocks)) == {"b": 1.25, "a": 1.75}
    assert averages(ranked(values, "block", blocks=blocks)) == {"a": 1.5, "b": 1.5}
    assert ranked(values, blocks=blocks).n_blocks == 2
    with pytest.raises(DagathlonError, match="'data_set' or 'block'"):
        case_weights(scores(values), "seed")  # type: ignore[arg-type]


def test_algorithms_are_ranked_at_their_best_setting_and_a_single_one_by_settings() -> None:
    table = scores([[1, 2, 3], [1, 3, 2], [2, 1, 3]])
    found = contest(table, "less", {"a": "x", "b": "x", "c": "y"})
    assert [(one.id, one.setting) for one in found.places] == [("x", "a"), ("y", "c")]
    assert found.of_algorithms
    assert [one.setting for one in found.settings] == ["a", "b", "c"]
    alone = contest(table, "less", dict.fromkeys("abc", "x"))
    assert [one.setting for one in alone.places] == ["a", "b", "c"]
    assert not alone.of_algorithms


def _some_absent(seed: int, n: int = 7, k: int = 4) -> np.ndarray:
    """Values with gaps; the first two take part everywhere, so that all meet."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 5, (n, k)).astype(float)
    absent = rng.random((n, k)) < 0.3
    absent[:, :2] = False
    return np.where(absent, NAN, values)


@given(st.integers(0, 10**6))
def test_averages_are_those_of_plain_loops(seed: int) -> None:
    values = _some_absent(seed)
    often = [j for j in range(4) if (~np.isnan(values[:, j])).mean() >= 0.5]
    total = dict.fromkeys((("abcd"[j]) for j in often), 0.0)
    for row in values:
        there = [j for j in often if not np.isnan(row[j])]
        ranks = dict(zip(there, stats.rankdata([row[j] for j in there]), strict=True))
        for j in often:
            total["abcd"[j]] += ranks.get(j, (len(there) + 1) / 2) / len(values)
    assert averages(ranked(values)) == pytest.approx(total)


@given(st.integers(0, 10**6), st.permutations(range(4)), st.permutations(range(7)))
def test_orders_and_monotone_changes_do_not_matter(
    seed: int, columns: list[int], rows: list[int]
) -> None:
    values = _some_absent(seed)
    table, names = scores(values), "abcd"
    before = averages(ranked(values))
    moved = scores(values[np.ix_(rows, columns)])._replace(names=tuple(names[j] for j in columns))
    assert averages(contest(moved, "less", {n: n for n in names})) == pytest.approx(before)
    assert averages(ranked(np.exp(values))) == pytest.approx(before)
    left, right = friedman(table, "less"), friedman(moved, "less")
    assert (left is None) == (right is None)
    if left is not None and right is not None:
        assert left.statistic == pytest.approx(right.statistic)


@given(st.integers(0, 10**6))
def test_a_competitor_that_never_ran_changes_nothing(seed: int) -> None:
    values = _some_absent(seed)
    more = np.column_stack([values, np.full(len(values), NAN)])
    assert averages(ranked(more)) == averages(ranked(values))
    assert friedman(scores(more), "less") == friedman(scores(values), "less")


@given(st.integers(0, 10**6))
def test_the_mean_of_all_averages_is_that_of_the_ranks(seed: int) -> None:
    table = scores(_some_absent(seed)).contested()
    middle = (table.took_part.sum(axis=1) + 1) / 2
    assert neutral_ranks(table, "less").mean(axis=1) == pytest.approx(middle)


def _permuted_sums(values: np.ndarray) -> np.ndarray:
    """Sums of centred ranks over every permutation of those present within each row."""
    options = []
    for row in values:
        there = np.flatnonzero(~np.isnan(row))
        centred = stats.rankdata(row[there]) - (len(there) + 1) / 2
        options.append([])
        for order in itertools.permutations(range(len(there))):
            full = np.zeros(len(row))
            full[there] = centred[list(order)]
            options[-1].append(full)
    return np.array([np.sum(found, axis=0) for found in itertools.product(*options)])


def test_the_statistic_is_of_all_permutations_within_data_sets() -> None:
    values = np.array([[1, 2, NAN], [2, 1, 1], [1, NAN, 2], [3, 1, 2], [1, 2, 2]], float)
    sums = _permuted_sums(values)
    assert sums.mean(axis=0) == pytest.approx(np.zeros(3), abs=1e-12)
    covariance = np.cov(sums.T, bias=True)
    centre = (~np.isnan(values)).sum(axis=1, keepdims=True) / 2 + 0.5
    observed = (neutral_ranks(scores(values), "less") - centre).sum(axis=0)
    expected = float(observed @ np.linalg.pinv(covariance) @ observed)
    found = friedman(scores(values), "less")
    assert found is not None
    assert found.statistic == pytest.approx(expected)
    assert found.p_value == pytest.approx(stats.chi2.sf(expected, 2))


def test_a_known_statistic_of_a_balanced_incomplete_design(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Durbin's test, by his formula: seven tasters, three of seven ice creams each."""
    ranks = [
        [2, 3, None, 1, None, None, None],
        [None, 3, 1, None, 2, None, None],
        [None, None, 2, 1, None, 3, None],
        [None, None, None, 1, 2, None, 3],
        [3, None, None, None, 1, 2, None],
        [None, 3, None, None, None, 1, 2],
        [3, None, 1, None, None, None, 2],
    ]
    values = np.array([[NAN if r is None else r for r in row] for row in ranks], float)
    table = scores(values)
    sums = np.nansum(values, axis=0)
    durbin = 12 * 6 / (3 * 7 * 2 * 4) * float(((sums - 3 * 4 / 2) ** 2).sum())
    assert durbin == pytest.approx(12.0)
    # Everybody takes part in three of seven: less than half, so that the rule is put aside here.
    monkeypatch.setattr("dagathlon.evaluate.ranking.ranks._OFTEN", 0.0)
    found = friedman(table, "less")
    assert found is not None
    assert found.statistic == pytest.approx(durbin)


def test_tests_count_blocks_whatever_the_unit() -> None:
    rng = np.random.default_rng(3)
    values = rng.random((6, 3))
    blocks = [1, 2, 3, 4, 5, 6]
    copied = np.repeat(values, [1, 1, 1, 1, 1, 7], axis=0)
    many = scores(copied, [*blocks[:5], *[6] * 7])
    once = scores(values, blocks)
    found, expected = friedman(many, "less", "block"), friedman(once, "less", "block")
    assert found is not None
    assert expected is not None
    assert found.n == 6
    assert found.statistic == pytest.approx(expected.statistic)
    by_data = friedman(many, "less", "data_set")
    assert by_data is not None
    # One block has 7 of 12 shares: the weights are those of fewer equal blocks.
    assert by_data.n == 6
    left, right = nemenyi(many, "less", unit="data_set"), nemenyi(many, "less", unit="block")
    assert left is not None
    assert right is not None
    equal = 1 / (5 * (1 / 12) ** 2 + (7 / 12) ** 2)
    assert left.difference / right.difference == pytest.approx((6 / equal) ** 0.5)


def test_pairs_are_compared_where_both_take_part() -> None:
    rows = [[1, 2, 3]] * 4 + [[1, 2, NAN]] * 3
    pairs = {(one.left, one.right): one for one in pairwise(scores(rows), "less")}
    assert pairs["a", "b"][2:5] == (7, 0, 0)
    assert pairs["a", "c"][2:5] == (4, 0, 0)

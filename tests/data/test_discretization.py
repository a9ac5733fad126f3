"""Cutting columns into levels: against brute force on small data, and by what must not matter."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagathlon.data import Dataset, Variable, discretize, log_columns
from dagathlon.data.preparing.discretization import (
    candidates,
    equal_frequency,
    equal_width,
    intervals_of,
    log_regrets,
    shortest_histogram,
)
from dagathlon.errors import DataError

whole = st.lists(st.integers(-20, 20), min_size=2, max_size=40)


def table(*columns: list[float], discrete: list[int] | None = None) -> Dataset:
    variables = [Variable(f"x{j}") for j in range(len(columns))]
    values = np.column_stack([np.asarray(column, dtype=float) for column in columns])
    if discrete is None:
        return Dataset(variables, values=values)
    coded = Variable.coded("k", max(discrete) + 1)
    return Dataset([*variables, coded], codes=np.array(discrete)[:, None], values=values)


@settings(max_examples=25)
@given(whole, st.integers(2, 6))
def test_equal_frequency_parts_where_counts_are_nearest(values: list[int], levels: int) -> None:
    cuts = equal_frequency(np.array(values, dtype=float), levels)
    between = sorted(set(values))
    below = [sum(value <= last for value in values) for last in between[:-1]]
    expected = set()
    for k in range(1, levels):
        if below:
            distances = [abs(number * levels - k * len(values)) for number in below]
            expected.add(below[distances.index(min(distances))])
    assert {sum(value < cut for value in values) for cut in cuts} == expected


def test_equal_frequency_gives_equal_counts_without_ties() -> None:
    values = np.random.default_rng(1).permutation(120).astype(float)
    data = discretize(table(list(values)), levels=5)
    assert np.bincount(data.column("x0")).tolist() == [24] * 5


@settings(max_examples=15)
@given(whole, st.sampled_from(["equal_frequency", "hartemink"]))
def test_levels_do_not_depend_on_the_scale(values: list[int], method: str) -> None:
    other = [float((7 * i) % 5) for i in range(len(values))]
    plain = discretize(table([float(v) for v in values], other), method)
    bent = discretize(table([math.exp(v / 7) for v in values], other), method)
    assert (plain.codes == bent.codes).all()


@settings(max_examples=25)
@given(whole, st.integers(2, 6))
def test_equal_width_is_a_matter_of_the_range(values: list[int], levels: int) -> None:
    found = equal_width(np.array(values, dtype=float), levels)
    low, high = min(values), max(values)
    expected = [low + k * (high - low) / levels for k in range(1, levels)] if high > low else []
    assert np.allclose(found, expected)


def test_equal_values_stay_together_and_empty_levels_are_not_made() -> None:
    data = discretize(table([0.0] * 90 + [1.0] * 9 + [100.0]), "equal_width", levels=4)
    assert data.variables[0] == Variable("x0", ("<75", ">=75"), ordered=True)
    assert np.bincount(data.column("x0")).tolist() == [99, 1]
    constant = discretize(table([3.0] * 5), levels=3)
    assert constant.variables[0].levels == ("all",)


def test_gaps_discrete_columns_and_interventions_stay() -> None:
    values = np.array([[1.0, 5.0], [np.nan, 6.0], [3.0, 7.0], [4.0, 8.0]])
    variables = [Variable("k", ("a", "b")), Variable("x"), Variable("y")]
    regimes = ([(), ("x",)], [0, 0, 1, 1])
    data = Dataset(variables, [[0], [1], [-1], [1]], values, regimes)
    found = discretize(data, levels=2, columns=["x"])
    assert [v.is_discrete for v in found.variables] == [True, True, False]
    assert found.column("x").tolist() == [0, found.missing_code, 1, 1]
    assert found.column("k").tolist() == data.column("k").tolist()
    assert (found.column("y") == data.column("y")).all()
    assert found.targets == data.targets


def information(a: np.ndarray, b: np.ndarray) -> float:
    """Mutual information of two columns of codes over the rows in which both are there."""
    both = (a >= 0) & (b >= 0)
    joint = np.zeros((a.max() + 1, b.max() + 1))
    np.add.at(joint, (a[both], b[both]), 1 / both.sum())
    outer = joint.sum(1, keepdims=True) * joint.sum(0, keepdims=True)
    there = joint > 0
    return float((joint[there] * np.log(joint[there] / outer[there])).sum())


def joined(codes: np.ndarray, place: int) -> np.ndarray:
    return np.where(codes > place, codes - 1, codes)


def hartemink_by_hand(columns: list[np.ndarray], fixed: list[np.ndarray], levels: int) -> None:
    """Joins levels of `columns` in place, by the definition, with information from scratch."""
    most = max(int(codes.max()) + 1 for codes in columns)
    for wanted in range(most - 1, levels - 1, -1):
        for j, codes in enumerate(columns):
            if codes.max() + 1 <= wanted:
                continue
            others = [*columns[:j], *columns[j + 1 :], *fixed]
            kept = [
                round(sum(information(joined(codes, place), other) for other in others), 9)
                for place in range(int(codes.max()))
            ]
            columns[j] = joined(codes, int(np.argmax(kept)))


@pytest.mark.parametrize("seed", range(4))
def test_hartemink_joins_what_loses_least(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=60)
    y = np.abs(x) + rng.normal(0, 0.3, 60)
    z = rng.normal(size=60) + (y > 1)
    x[:4] = np.nan
    group = (rng.random(60) < 0.4).astype(int)
    data = table(list(x), list(y), list(z), discrete=list(group))
    start = discretize(data, "equal_frequency", levels=7)
    gap = start.missing_code
    columns = [
        np.where(start.column(n) == gap, -1, start.column(n).astype(int))
        for n in ("x0", "x1", "x2")
    ]
    hartemink_by_hand(columns, [group], 3)
    found = discretize(data, "hartemink", levels=3, initial=7)
    for name, expected in zip(("x0", "x1", "x2"), columns, strict=True):
        codes = np.where(found.column(name) == gap, -1, found.column(name).astype(int))
        assert codes.tolist() == expected.tolist()


def test_log_regrets_are_sums_over_all_counts() -> None:
    n, levels = 6, 4
    for k in range(1, levels + 1):
        total = 0.0
        for counts in itertools.product(range(n + 1), repeat=k):
            if sum(counts) == n:
                ways = math.factorial(n) / math.prod(map(math.factorial, counts))
                total += ways * math.prod((c / n) ** c for c in counts)
        assert math.isclose(log_regrets(n, levels)[k - 1], math.log(total), rel_tol=1e-9)


def code_length(values: np.ndarray, cuts: tuple[float, ...], n_candidates: int) -> float:
    edges = [values.min(), *cuts, values.max()]
    counts = [
        np.sum((values >= low) & ((values < high) | (high == values.max())))
        for low, high in itertools.pairwise(edges)
    ]
    fit = sum(
        -h * math.log(h / len(values) / (high - low)) if h else 0.0
        for h, (low, high) in zip(counts, itertools.pairwise(edges), strict=True)
    )
    regret = log_regrets(len(values), len(counts))[-1]
    return fit + regret + math.log(math.comb(n_candidates, len(cuts)))


@pytest.mark.parametrize("seed", range(3))
def test_the_shortest_histogram_is_the_shortest_of_all(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = np.sort(np.concatenate([rng.normal(0, 0.2, 6), rng.normal(3, 1.0, 5)]))
    places, _ = candidates(values)
    found = shortest_histogram(values, 4)
    best = min(
        code_length(values, cuts, len(places))
        for k in (1, 2, 3)
        for cuts in itertools.combinations(places, k)
    )
    assert math.isclose(code_length(values, tuple(found), len(places)), best, rel_tol=1e-9)


def test_mdl_finds_two_heaps() -> None:
    rng = np.random.default_rng(5)
    values = np.concatenate([rng.uniform(0, 1, 200), rng.uniform(9, 10, 300)])
    found = discretize(table(list(values)), "mdl", levels=6)
    edges = shortest_histogram(values, 6)
    assert found.variables[0].arity == 3  # the heaps, and the empty space between them
    assert edges[0] == pytest.approx(1, abs=0.3) or edges[0] > 1
    assert len(shortest_histogram(np.ones(9), 5)) == 0


def test_labels_tell_cuts_apart() -> None:
    assert intervals_of(np.array([0.5, 2.0])) == ("<0.5", "0.5:2", ">=2")
    assert len(set(intervals_of(np.array([1.0, 1.0 + 1e-12])))) == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "quantiles"}, "unknown way to discretize"),
        ({"columns": ["x1"]}, "unknown variable 'x1'"),
        ({"columns": ["k"]}, "column 'k' has levels already"),
        ({"levels": 1}, "at least 2"),
    ],
)
def test_what_cannot_be_cut_is_said(options: dict, message: str) -> None:
    with pytest.raises(DataError, match=message):
        discretize(table([1.0, 2.0], discrete=[0, 1]), **options)
    with pytest.raises(DataError, match="without any value: 'x0'"):
        discretize(table([np.nan, np.nan]))


def test_logarithms_and_their_offset() -> None:
    data = table([1.0, math.e, np.nan], [0.0, 4.0, 2.0], [-1.0, 0.0, 3.0])
    found = log_columns(data, ["x0", "x1"])
    assert found.column("x0")[:2].tolist() == [0.0, 1.0]
    assert np.isnan(found.column("x0")[2])
    assert np.allclose(found.column("x1"), np.log([1.0, 5.0, 3.0]))  # half of 2 is added
    assert (found.column("x2") == data.column("x2")).all()
    with pytest.raises(DataError, match=r"'x2': 2 values down to -1 without a logarithm.*above 1"):
        log_columns(data)
    assert np.allclose(log_columns(data, ["x2"], offset=2.0).column("x2"), np.log([1.0, 2.0, 5.0]))
    with pytest.raises(DataError, match="all values are 0"):
        log_columns(table([0.0, 0.0]))

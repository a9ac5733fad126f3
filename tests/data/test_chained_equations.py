"""Chained equations: each method against the distribution it should draw from."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from dagathlon.data import Dataset, Variable
from dagathlon.data.preparing.imputation import ImputationMethod, impute, method_of
from dagathlon.errors import DataError

GAP = np.iinfo(np.uint16).max
METHODS = get_args(ImputationMethod)
LEVELS = ("low", "middle", "high")


def mixed(n: int = 200, seed: int = 1) -> Dataset:
    """A continuous, a binary and an ordinal column that lean on a complete one, with gaps."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    y = x + rng.normal(size=n)
    codes = np.column_stack([x + rng.logistic(size=n) > 0, np.digitize(x + y, [-1, 1])])
    codes = codes.astype(np.uint16)
    values = np.column_stack([x, y])
    values[rng.random(n) < 0.2, 1] = np.nan
    codes[rng.random((n, 2)) < 0.2] = GAP
    names = [Variable("x"), Variable("y"), Variable("b", ("no", "yes"))]
    return Dataset([*names, Variable("o", LEVELS, ordered=True)], values=values, codes=codes)


def lost(data: Dataset) -> np.ndarray:
    assert data.missing is not None
    return data.missing


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("auto", ["pmm", "cart", "cart", "cart"]),
        ("mice", ["pmm", "polyreg", "polyreg", "polr"]),
        ("norm", ["norm", "polyreg", "polyreg", "polyreg"]),
        ("polr", ["pmm", "polyreg", "polr", "polr"]),
        ("logreg", ["pmm", "polyreg", "polyreg", "polyreg"]),
        ("rf", ["rf", "rf", "rf", "rf"]),
    ],
)
def test_method_of_each_kind_of_column(method, expected):
    columns = [Variable("x"), Variable("b", ("no", "yes")), Variable("u", LEVELS)]
    columns.append(Variable("o", LEVELS, ordered=True))
    assert [method_of(column, method) for column in columns] == expected


@pytest.mark.parametrize("method", METHODS)
def test_gaps_alone_are_filled_and_with_what_was_observed(method):
    data = mixed()
    first, second = impute(data, 2, sweeps=2, method=method, seed=3)
    again = impute(data, 2, sweeps=2, method=method, seed=3)[0]
    assert np.array_equal(first.values, again.values)
    assert np.array_equal(first.codes, again.codes)
    assert not np.array_equal(first.codes, second.codes)
    known = ~np.isnan(data.values[:, 1])
    assert np.array_equal(first.values[known], data.values[known])
    kept = ~lost(data)[:, 2:]
    assert np.array_equal(first.codes[kept], data.codes[kept])
    assert (first.codes.max(axis=0) <= [1, 2]).all()
    filled = first.values[~known, 1]
    assert np.isfinite(filled).all()
    assert np.isin(filled, data.values[known, 1]).all() == (method != "norm")


def test_unknown_method_is_named():
    with pytest.raises(DataError, match="did you mean 'polyreg'"):
        impute(mixed(), 1, method="polyregg")  # type: ignore[arg-type]


def two_columns(n: int, chances: np.ndarray) -> Dataset:
    """A binary column and one whose levels have these chances given it; a third of it is lost."""
    rng = np.random.default_rng(7)
    group = (rng.random(n) < 0.4).astype(np.uint16)
    level = np.array([rng.choice(len(chances[g]), p=chances[g]) for g in group], np.uint16)
    level[rng.random(n) < 1 / 3] = GAP
    labels = tuple("abcd"[: chances.shape[1]])
    columns = [Variable("group", ("0", "1")), Variable("level", labels)]
    return Dataset(columns, codes=np.column_stack([group, level]))


@pytest.mark.parametrize("method", ["polyreg", "logreg", "polr", "rf", "cart"])
def test_levels_are_drawn_as_often_as_they_are_observed(method):
    """With one binary predictor each model is saturated or nearly so: frequencies in the groups."""
    chances = np.array([[0.7, 0.3], [0.2, 0.8]])
    if method in ("polyreg", "rf", "cart"):
        chances = np.array([[0.6, 0.3, 0.1], [0.1, 0.5, 0.4]])
    data = two_columns(1500, chances)
    gaps = lost(data)[:, 1]
    copies = impute(data, 8, sweeps=1, method=method, seed=1)
    for group in (0, 1):
        inside = data.codes[:, 0] == group
        seen = np.bincount(data.codes[inside & ~gaps, 1], minlength=chances.shape[1])
        drawn = np.sum(
            [np.bincount(c.codes[inside & gaps, 1], minlength=len(seen)) for c in copies], axis=0
        )
        share = seen / seen.sum()
        # The draws vary, and the parameters of each copy do as much as the estimate itself.
        noise = np.sqrt(share * (1 - share) * (1 / drawn.sum() + 1 / seen.sum() / 8))
        assert (np.abs(drawn / drawn.sum() - share) < 4.5 * noise + 0.005).all()


def test_proportional_odds_are_those_of_the_model():
    rng = np.random.default_rng(5)
    n = 4000
    x = rng.normal(size=n)
    level = np.digitize(1.5 * x + rng.logistic(size=n), [-1.0, 1.0]).astype(np.uint16)
    gone = rng.random(n) < 0.5
    codes = np.where(gone, GAP, level)[:, None].astype(np.uint16)
    columns = [Variable("x"), Variable("o", LEVELS)]
    data = Dataset(columns, values=x[:, None], codes=codes)
    copies = impute(data, 4, sweeps=1, method="polr", seed=2)
    below = gone & (x < -1)
    truth = 1 / (1 + np.exp(-(-1.0 - 1.5 * x[below])))
    drawn = np.mean([(c.codes[below, 0] == 0).mean() for c in copies])
    assert drawn == pytest.approx(truth.mean(), abs=0.04)


@pytest.mark.parametrize("method", ["polyreg", "polr"])
def test_levels_that_a_column_tells_for_sure(method):
    """The likelihood has no maximum then; the fit stays finite and the answer right."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=300)
    level = np.digitize(x, [-0.5, 0.5]).astype(np.uint16)
    gone = rng.random(300) < 0.3
    codes = np.where(gone, GAP, level)[:, None].astype(np.uint16)
    data = Dataset([Variable("x"), Variable("o", LEVELS)], values=x[:, None], codes=codes)
    (copy,) = impute(data, 1, sweeps=1, method=method, seed=4)
    assert (copy.codes[gone, 0] == level[gone]).mean() > 0.85


def test_constant_columns_and_single_levels_are_survived():
    values = np.column_stack([np.ones(40), np.arange(40.0)])
    values[:5, 1] = np.nan
    codes = np.zeros((40, 1), np.uint16)
    codes[3:9] = GAP
    columns = [Variable("one"), Variable("v"), Variable("c", ("a", "b"))]
    data = Dataset(columns, values=values, codes=codes)
    for method in METHODS:
        (copy,) = impute(data, 1, method=method)
        assert not copy.has_missing
        assert (copy.codes == 0).all()


def pooled(copies: list[np.ndarray]) -> tuple[float, float, float]:
    """Rubin's rules for the slope of y on x: the estimate, its error, degrees of freedom."""
    slopes, within = [], []
    for x, y in copies:
        centred = x - x.mean()
        slope = centred @ y / (centred @ centred)
        rest = y - y.mean() - slope * centred
        slopes.append(slope)
        within.append(rest @ rest / (len(x) - 2) / (centred @ centred))
    m, between = len(slopes), np.var(slopes, ddof=1)
    total = np.mean(within) + (1 + 1 / m) * between
    share = (1 + 1 / m) * between / total
    return float(np.mean(slopes)), float(np.sqrt(total)), float((m - 1) / share**2)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["norm", "pmm"])
def test_pooled_intervals_cover_what_they_should(method):
    """Gaps of y that depend on x: a share of 95 % of the intervals of Rubin's rules holds .8."""
    from scipy.stats import t

    covered, estimates = 0, []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=200)
        y = 0.8 * x + rng.normal(size=200)
        gone = rng.random(200) < 1 / (1 + np.exp(0.7 - x))
        values = np.column_stack([x, np.where(gone, np.nan, y)])
        data = Dataset([Variable("x"), Variable("y")], values=values)
        copies = impute(data, 10, sweeps=1, method=method, seed=seed)
        slope, error, freedom = pooled([c.values.T for c in copies])
        covered += abs(slope - 0.8) < error * t.ppf(0.975, freedom)
        estimates.append(slope)
    error = np.std(estimates) / len(estimates) ** 0.5
    bias = 0.05 if method == "pmm" else 0.0  # five donors of few rows reach less far than a line
    assert abs(np.mean(estimates) - 0.8) < 4 * error + bias
    assert 0.92 < covered / 300 < 0.98 if method == "norm" else covered / 300 > 0.85

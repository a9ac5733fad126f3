"""Imputation by chained equations and tests pooled over its data sets."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from dagathlon import _core, learn
from dagathlon.data import Dataset, Variable, impute
from dagathlon.errors import DataError
from dagathlon.learners.independence import independence_test, problem_of_test


def gaussian(n: int, seed: int, share: float = 0.3) -> tuple[Dataset, np.ndarray]:
    """X → Y → Z, with gaps at random in X and Z, and the whole values."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    y = x + rng.normal(size=n)
    values = np.column_stack([x, y, y + rng.normal(size=n)])
    gaps = rng.random((n, 3)) < share
    gaps[:, 1] = False
    data = Dataset([Variable(c) for c in "XYZ"], values=np.where(gaps, np.nan, values))
    return data, values


def discrete(n: int, seed: int) -> Dataset:
    """A chain of three variables with three levels."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 3, n)
    y = np.where(rng.random(n) < 0.7, x, rng.integers(0, 3, n))
    z = np.where(rng.random(n) < 0.7, y, rng.integers(0, 3, n))
    codes = np.column_stack([x, y, z])
    codes[rng.random(n) < 0.3, 0] = 255
    return Dataset([Variable(c, ("a", "b", "c")) for c in "XYZ"], codes=codes.astype(np.uint8))


def mixed(n: int, seed: int) -> Dataset:
    data = discrete(n, seed)
    rng = np.random.default_rng(seed)
    value = np.where(data.codes[:, 2] == 1, 1.0, 0.0) + rng.normal(size=n)
    value[rng.random(n) < 0.2] = np.nan
    return Dataset([*data.variables, Variable("C")], codes=data.codes, values=value[:, None])


@pytest.mark.parametrize("make", [lambda: gaussian(200, 1)[0], lambda: discrete(200, 1)])
def test_only_gaps_change_and_values_were_observed(make):
    data = make()
    copies = impute(data, 3, seed=5)
    assert len(copies) == 3
    assert copies != impute(data, 3, seed=6)
    assert copies == impute(data, 3, seed=5)
    for copy in copies:
        assert copy.missing is None
        for j, name in enumerate(data.names):
            kept = ~data.missing[:, j]
            assert np.array_equal(copy.column(name)[kept], data.column(name)[kept])
            assert set(copy.column(name)) <= set(data.column(name)[kept])


def test_mixed_data_are_completed():
    data = mixed(300, 2)
    for copy in impute(data, 2):
        assert copy.missing is None
        assert copy.variables == data.variables


def test_imputed_values_restore_the_distribution():
    rng = np.random.default_rng(3)
    n = 4000
    x = rng.normal(size=n)
    y = 2 * x + rng.normal(size=n)
    z = np.where(rng.random(n) < stats.norm.cdf(2 * x), 1, 0)
    gaps = rng.random(n) < stats.norm.cdf(x)
    data = Dataset(
        [Variable("X"), Variable("Y"), Variable("Z", ("0", "1"))],
        values=np.column_stack([x, np.where(gaps, np.nan, y)]),
        codes=np.where(gaps, 255, z).astype(np.uint8)[:, None],
    )
    for copy in impute(data, 3):
        filled = copy.column("Y")
        assert np.mean(filled) == pytest.approx(np.mean(y), abs=0.12)
        assert np.corrcoef(x, filled)[0, 1] == pytest.approx(np.corrcoef(x, y)[0, 1], abs=0.03)
        assert np.mean(copy.codes) == pytest.approx(np.mean(z), abs=0.04)


def fisher_by_hand(copies: list[np.ndarray], n: int) -> tuple[float, float, float]:
    """Rubin's rules for the correlation of the first two columns given the third."""
    zs = []
    for values in copies:
        inverse = np.linalg.inv(np.corrcoef(values.T))
        zs.append(np.arctanh(-inverse[0, 1] / np.sqrt(inverse[0, 0] * inverse[1, 1])))
    m = len(zs)
    within = 1 / (n - 4)
    between = (1 + 1 / m) * np.var(zs, ddof=1)
    t = np.mean(zs) / np.sqrt(within + between)
    df = (m - 1) * (1 + within / between) ** 2
    return t, df, 2 * stats.t.sf(abs(t), df)


def test_fisher_z_is_pooled_by_rubins_rules():
    data, _ = gaussian(100, 4)
    test = independence_test(data, "zf.mi", replicates=4, seed=9)
    copies = [copy.values for copy in impute(data, 4, seed=9)]
    order = [values[:, [0, 2, 1]] for values in copies]
    found = test.test("X", "Z", "Y")
    assert found[:3] == pytest.approx(fisher_by_hand(order, 100), rel=1e-10)
    assert found.defined


def g_square(codes: np.ndarray) -> float:
    total = 0.0
    for z in range(3):
        table = np.zeros((3, 3))
        np.add.at(table, (codes[codes[:, 1] == z, 0], codes[codes[:, 1] == z, 2]), 1)
        total += stats.contingency.chi2_contingency(table + 0.0, lambda_=0, correction=False)[0]
    return total


def test_likelihood_ratios_are_pooled_as_meng_and_rubin_do():
    data = discrete(300, 6)
    m, k = 4, 12
    copies = [np.asarray(copy.codes, dtype=int) for copy in impute(data, m, seed=2)]
    mean = np.mean([g_square(codes) for codes in copies])
    common = g_square(np.concatenate(copies)) / m
    r = (m + 1) / (k * (m - 1)) * (mean - common)
    expected = common / (k * (1 + r))
    t = k * (m - 1)
    df = 4 + (t - 4) * (1 + (1 - 2 / t) / r) ** 2
    found = independence_test(data, "mi.mi", replicates=m, seed=2).test("X", "Z", "Y")
    assert found.statistic == pytest.approx(expected, rel=1e-9)
    assert found.p_value == pytest.approx(stats.f.sf(expected, k, df), rel=1e-8)


@pytest.mark.parametrize("name", ["zf", "gaussCItest"])
def test_nothing_missing_gives_the_plain_test(name: str):
    _, values = gaussian(80, 1)
    data = Dataset([Variable(c) for c in "XYZ"], values=values)
    pooled = independence_test(data, name + ".mi").test("X", "Z", "Y")
    plain = independence_test(data, name).test("X", "Z", "Y")
    assert pooled.p_value == pytest.approx(plain.p_value, rel=1e-9)


def test_pooled_degenerate_gaussians_follow_the_same_rules():
    data, m = mixed(120, 3), 4
    copies = impute(data, m, seed=2)
    each = [independence_test(copy, "lr-dg").test("X", "Z", "Y") for copy in copies]
    rows = [{"codes": copy.codes, "values": copy.values} for copy in copies]
    stacked = Dataset(
        data.variables, **{k: np.concatenate([row[k] for row in rows]) for k in ("codes", "values")}
    )
    together = independence_test(stacked, "lr-dg").test("X", "Z", "Y")
    k, common = together.df, together.statistic / m
    r = (m + 1) / (k * (m - 1)) * (np.mean([found.statistic for found in each]) - common)
    found = independence_test(data, "lr-dg.mi", replicates=m, seed=2).test("X", "Z", "Y")
    assert {result.df for result in each} == {k}
    assert found.statistic == pytest.approx(common / (k * (1 + r)), rel=1e-9)


def test_level_and_power_of_pooled_tests():
    rejected = {"X-Z|Y": 0, "X-Y": 0}
    for seed in range(60):
        test = independence_test(gaussian(150, seed)[0], "zf.mi", seed=seed)
        rejected["X-Z|Y"] += test.test("X", "Z", "Y").p_value < 0.05
        rejected["X-Y"] += test.test("X", "Y").p_value < 0.05
    assert rejected["X-Z|Y"] <= 9
    assert rejected["X-Y"] == 60


def test_pc_learns_from_imputed_data():
    for data, test in (
        (discrete(3000, 1), "mi.mi"),
        (mixed(2000, 1), "mi-cg.mi"),
        (mixed(2000, 1), "lr-dg.mi"),
    ):
        graph = learn(data, "pc", test=test, alpha=0.001, seed=1).graph
        assert graph.adjacencies("X") == ("Y",)
        assert "Z" in graph.adjacencies("Y")


@pytest.mark.parametrize("f", [1e-3, 0.5, 1.0, 3.0, 40.0])
@pytest.mark.parametrize(("df1", "df2"), [(1, 3.5), (4, 80.0), (12, 1e5), (2, 1e9), (300, 20)])
def test_f_statistic_has_scipys_tail(f: float, df1: int, df2: float):
    # Older SciPy loses digits at so many degrees of freedom; two of them have a closed form.
    closed = math.exp(-df2 / 2 * math.log1p(2 * f / df2))
    expected = closed if df1 == 2 else stats.f.sf(f, df1, df2)
    assert _core.f_tail(f, df1, df2) == pytest.approx(expected, rel=1e-8)


def test_mistakes_are_named():
    assert "cannot be pooled" in problem_of_test("x2.mi")
    empty = np.column_stack([np.full(5, np.nan), np.arange(5.0)])
    data = Dataset([Variable("A"), Variable("B")], values=empty)
    with pytest.raises(DataError, match="'A' has no value at all"):
        impute(data)
    with pytest.raises(DataError, match="at least one copy"):
        impute(gaussian(10, 1)[0], 0)
    with pytest.raises(DataError, match="for discrete"):
        independence_test(gaussian(10, 1)[0], "mi.mi")


def test_constant_and_collinear_columns_are_survived():
    rng = np.random.default_rng(1)
    a = rng.normal(size=50)
    values = np.column_stack([a, 2 * a, np.full(50, 7.0), rng.normal(size=50)])
    values[::7, 0] = np.nan
    values[::5, 2] = np.nan
    data = Dataset([Variable(c) for c in "ABCD"], values=values)
    for copy in impute(data, 2):
        assert np.isfinite(copy.values).all()
        assert set(copy.column("C")) == {7.0}
    test = independence_test(data, "zf.mi")
    assert not test.test("A", "C").defined
    assert test.test("A", "D").defined

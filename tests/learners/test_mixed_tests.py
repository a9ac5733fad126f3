"""Tests for discrete and continuous variables together: by hand, against bnlearn, by invariance."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

from dagathlon.data import Dataset, Variable, read_data
from dagathlon.learners.independence import independence_test


def frame(rows: int, seed: int) -> pd.DataFrame:
    """Three discrete variables d, e, f of 2, 3 and 2 levels; three continuous ones u, v, w."""
    rng = np.random.default_rng(seed)
    d, e, f = (rng.integers(0, levels, rows) for levels in (2, 3, 2))
    u = rng.normal(size=rows) + d
    v = 0.5 * u + e + rng.normal(size=rows)
    w = rng.normal(size=rows) * (1 + f) + 0.3 * v
    table = pd.DataFrame({"d": d, "e": e, "f": f}).astype(str).astype("category")
    return table.assign(u=u, v=v, w=w)


def likelihood(data: pd.DataFrame, response: str, regressors: list[str], groups: list[str]):
    """Twice the log likelihood of a regression in each group; unbiased variances."""
    total = 0.0
    for _, part in data.groupby(groups, observed=True) if groups else [((), data)]:
        columns = np.column_stack([np.ones(len(part)), *(part[name] for name in regressors)])
        fitted, *_ = np.linalg.lstsq(columns, part[response], rcond=None)
        residual = float(((part[response] - columns @ fitted) ** 2).sum())
        left = len(part) - columns.shape[1]
        total -= len(part) * np.log(residual / left) + left
    return total


def test_one_kind_of_data() -> None:
    data = read_data(frame(80, 1))
    codes, values = data.select(["d", "e", "f"]), data.select(["u", "v", "w"])
    for name in ("mi-cg", "lr-cg"):
        left = independence_test(codes, name).test("d", "e", "f")
        right = independence_test(codes, "mi").test("d", "e", "f")
        assert left.statistic == pytest.approx(right.statistic, rel=1e-9)
        assert left.df == right.df == 4
        given = [] if name == "mi-cg" else ["w"]
        left = independence_test(values, name).test("u", "v", given)
        right = independence_test(values, "mi-g").test("u", "v", given)
        assert left.statistic == pytest.approx(right.statistic, rel=1e-9)
        assert left.df == right.df == 1


def test_likelihood_ratio_by_hand() -> None:
    rng = np.random.default_rng(6)
    group = np.repeat([0, 1], 50)
    value = rng.normal(size=100) + group
    variables = [Variable("g", ("a", "b")), Variable("v")]
    data = Dataset(variables, codes=group[:, None], values=value[:, None])
    found = independence_test(data, "lr-cg").test("g", "v")
    inside = [value[group == k].var() for k in (0, 1)]
    assert found.statistic == pytest.approx(100 * np.log(value.var()) - 50 * np.log(inside).sum())
    assert found.df == 2


def test_mutual_information_by_hand() -> None:
    table = frame(200, 2)
    test = independence_test(read_data(table), "mi-cg")
    for x, y, given, df in (("u", "v", ["w", "e"], 3), ("v", "u", ["d", "e"], 6)):
        inside = [name for name in given if name in "def"]
        regressors = [name for name in given if name in "uvw"]
        more = likelihood(table, x, [*regressors, y], inside)
        expected = more - likelihood(table, x, regressors, inside)
        found = test.test(x, y, given)
        assert (found.statistic, found.df) == (pytest.approx(expected, rel=1e-9), df)
    found = test.test("e", "u", ["d", "w"])
    more = likelihood(table, "u", ["w"], ["d", "e"]) - likelihood(table, "u", ["w"], ["d"])
    assert (found.statistic, found.df) == (pytest.approx(more, rel=1e-9), 2 * 2 * 3)


def test_discrete_ends_and_continuous_conditions_as_bnlearn_has_them() -> None:
    table = frame(200, 3)
    data = read_data(table)
    test, plain = (
        independence_test(data, "mi-cg"),
        independence_test(data.select(["d", "e", "f"]), "mi"),
    )
    shift = likelihood(table, "u", [], ["e"]) - likelihood(table, "u", [], [])
    found = test.test("d", "e", ["u"])
    expected = plain.test("d", "e").statistic + shift
    assert (found.statistic, found.df) == (pytest.approx(expected, rel=1e-9), 2)
    assert test.test("d", "e", ["f", "u"]).df == 4 + 2 * 2 * 2
    symmetric = independence_test(data, "lr-cg")
    left, right = symmetric.test("d", "e", ["u"]), symmetric.test("e", "d", ["u"])
    assert left.statistic == pytest.approx(right.statistic)


def test_a_configuration_with_one_row_leaves_the_question_open() -> None:
    table = frame(60, 4)
    table["d"] = pd.Categorical(["0"] * 59 + ["1"])
    found = independence_test(read_data(table), "mi-cg").test("d", "u")
    assert (found.p_value, found.defined) == (1.0, False)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_equals_bnlearn(seed: int) -> None:
    peer = pytest.importorskip("pybnlearn")
    table = frame(400, 100 + seed)
    test = independence_test(read_data(table), "mi-cg")
    for size in range(4):
        for chosen in itertools.permutations(table.columns, 2 + size):
            if list(chosen[2:]) != sorted(chosen[2:]):
                continue
            x, y, *given = chosen
            expected = peer.ci_test(table, x, y, given, test="mi-cg")
            found = test.test(x, y, given)
            (statistic,), (df,) = expected["statistic"].values(), expected["parameter"].values()
            assert found.statistic == pytest.approx(float(statistic), rel=1e-8, abs=1e-8)
            assert found.df == float(df)
            assert found.p_value == pytest.approx(float(expected["p.value"]), rel=1e-7)

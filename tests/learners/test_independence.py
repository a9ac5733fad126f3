"""Tests of independence: by hand, against SciPy, by invariance, and on data they cannot answer."""

from __future__ import annotations

import itertools

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st
from scipy import stats

from dagathlon.data import Dataset, Variable
from dagathlon.errors import DataError
from dagathlon.graphs import Graph, separated
from dagathlon.learners.independence import (
    DEFAULT_TESTS,
    independence_test,
    known_tests,
    separation_test,
    suitable_tests,
)
from strategies import continuous


def discrete(codes: np.ndarray, arities: list[int]) -> Dataset:
    variables = [Variable(f"V{j}", tuple(map(str, range(k)))) for j, k in enumerate(arities)]
    return Dataset(variables, codes=codes)


def gaussian_rows(n: int, p: int, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) @ rng.normal(size=(p, p))


def tables(codes: np.ndarray, x: int, y: int, given: list[int]) -> list[np.ndarray]:
    """Counts of x × y in every observed configuration, by the plainest means."""
    found = {}
    shape = (codes[:, x].max() + 1, codes[:, y].max() + 1)
    for row in codes:
        table = found.setdefault(tuple(row[given]), np.zeros(shape))
        table[row[x], row[y]] += 1
    return list(found.values())


def g_square(slices: list[np.ndarray]) -> float:
    total = 0.0
    for t in slices:
        expected = np.outer(t.sum(1), t.sum(0)) / t.sum()
        total += 2 * (t[t > 0] * np.log(t[t > 0] / expected[t > 0])).sum()
    return total


def test_fisher_z_by_hand():
    values = np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 4.0], [4.0, 3.0], [5.0, 6.0]])
    result = independence_test(continuous(values), "zf").test("V0", "V1")
    r = np.corrcoef(values.T)[0, 1]
    assert result.statistic == pytest.approx(np.arctanh(r) * np.sqrt(2), rel=1e-13)
    assert result.df == 2
    assert result.p_value == pytest.approx(2 * stats.norm.sf(result.statistic), rel=1e-12)


def test_g_square_by_hand():
    codes = np.array([[0, 0]] * 10 + [[0, 1]] * 20 + [[1, 0]] * 30 + [[1, 1]] * 40)
    result = independence_test(discrete(codes, [2, 2]), "mi").test("V0", "V1")
    expected = 2 * sum(
        o * np.log(o / e) for o, e in zip((10, 20, 30, 40), (12, 18, 28, 42), strict=True)
    )
    assert result.statistic == pytest.approx(expected, rel=1e-12)
    assert result.df == 1


@pytest.mark.parametrize("size", [0, 1, 2, 3, 5, 9])
def test_partial_correlation_is_that_of_residuals(size: int):
    values = gaussian_rows(60, 12)
    others = list(range(2, 2 + size))
    design = np.column_stack([np.ones(60), values[:, others]])
    x, y = (v - design @ np.linalg.lstsq(design, v, rcond=None)[0] for v in values[:, :2].T)
    test = independence_test(continuous(values), "cor")
    found = test.test("V0", "V1", [f"V{j}" for j in others])
    r = float(np.corrcoef(x, y)[0, 1])
    assert found.statistic == pytest.approx(r, abs=1e-10)
    t = r * np.sqrt(found.df / (1 - r * r))
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(t), found.df), rel=1e-8)


@pytest.mark.parametrize("z", [0.1, 3.0, 12.0, 30.0, 37.0])
def test_far_tail_of_the_normal(z: float):
    n = 1000
    x = np.linspace(-1, 1, n)
    rng = np.random.default_rng(0)
    noise = rng.normal(size=n)
    noise -= np.polyval(np.polyfit(x, noise, 1), x)
    r = np.tanh(z / np.sqrt(n - 3))
    y = r * x / x.std() + np.sqrt(1 - r * r) * noise / noise.std()
    found = independence_test(continuous(np.column_stack([x, y])), "zf").test("V0", "V1")
    assert found.statistic == pytest.approx(z, rel=1e-9)
    assert found.p_value == pytest.approx(2 * stats.norm.sf(found.statistic), rel=1e-9)
    assert found.p_value > 1e-301


@pytest.mark.parametrize(("rows", "arity"), [(300, 2), (1000, 3), (60, 7), (5000, 12)])
def test_chi_square_tail_and_counts(rows: int, arity: int):
    rng = np.random.default_rng(arity)
    x = rng.integers(0, arity, rows)
    y = np.where(rng.random(rows) < 0.6, x, rng.integers(0, arity, rows))
    codes = np.column_stack([x, y, rng.integers(0, arity, (rows, 2))])
    codes[:arity] = np.arange(arity)[:, None]
    test = independence_test(discrete(codes, [arity] * 4), "mi")
    for given in ([], [2], [2, 3]):
        found = test.test("V0", "V1", [f"V{j}" for j in given])
        assert found.statistic == pytest.approx(g_square(tables(codes, 0, 1, given)), rel=1e-10)
        assert found.df == (arity - 1) ** 2 * arity ** len(given)
        expected = stats.chi2.sf(found.statistic, found.df)
        assert found.p_value == pytest.approx(expected, rel=1e-9, abs=1e-301)


def many_rows(rows: int, columns: int) -> np.ndarray:
    """Columns that depend on the two before them; levels 2, 3, 4, 2, …."""
    rng = np.random.default_rng(columns)
    codes = np.zeros((rows, columns), dtype=np.uint8)
    for j in range(columns):
        parents = codes[:, max(j - 2, 0) : j].sum(axis=1)
        codes[:, j] = np.where(rng.random(rows) < 0.8, parents, rng.integers(0, 4, rows))
        codes[:, j] %= 2 + j % 3
    return codes


def test_tables_of_many_rows_asked_again_and_again():
    # From the second question on they come from tables and distinct rows that are kept.
    codes = many_rows(17_000, 7)
    levels = [2 + j % 3 for j in range(7)]
    test = independence_test(discrete(codes, levels), "mi")
    fresh = {}
    for x, y in ((0, 1), (4, 2), (2, 4), (6, 5)):
        rest = [j for j in range(7) if j not in {x, y}]
        for size in range(len(rest) + 1):
            for given in itertools.combinations(rest, size):
                fresh[x, y, given] = test.test(f"V{x}", f"V{y}", [f"V{j}" for j in given])
    for (x, y, given), found in list(fresh.items())[::61]:
        expected = g_square(tables(codes, x, y, list(given)))
        assert found.statistic == pytest.approx(expected, rel=1e-9, abs=1e-8)
        # In another role, and in a test that has kept nothing: the same digits.
        assert test.test(f"V{x}", f"V{y}", [f"V{j}" for j in given]) == found
    for x, y, given in list(fresh)[::40]:
        alone = independence_test(discrete(codes, levels), "mi")
        assert alone.test(f"V{x}", f"V{y}", [f"V{j}" for j in given]) == fresh[x, y, given]


def test_sparse_tables_of_63_levels():
    rng = np.random.default_rng(7)
    codes = rng.integers(0, 63, (400, 5))
    codes[:63] = np.arange(63)[:, None]
    test = independence_test(discrete(codes, [63] * 5), "mi")
    found = test.test("V0", "V1", ["V2", "V3", "V4"])
    expected = g_square(tables(codes, 0, 1, [2, 3, 4]))
    assert found.statistic == pytest.approx(expected, rel=1e-10, abs=1e-9)
    assert found.df == 62 * 62 * 63**3
    assert found.p_value == 1.0


def test_300_levels_need_wide_codes():
    rng = np.random.default_rng(8)
    codes = np.column_stack([rng.integers(0, 300, 3000), rng.integers(0, 2, (3000, 2))])
    codes[:300, 0] = np.arange(300)
    found = independence_test(discrete(codes, [300, 2, 2]), "mi").test("V0", "V1", ["V2"])
    assert found.statistic == pytest.approx(g_square(tables(codes, 0, 1, [2])), rel=1e-10)


@hypothesis.given(st.integers(0, 2**32 - 1), st.sampled_from(sorted(known_tests())))
def test_x_and_y_can_be_exchanged(seed: int, name: str):
    rng = np.random.default_rng(seed)
    if "discrete" in known_tests()[name].takes:
        data = discrete(rng.integers(0, 3, (40, 4)), [3] * 4)
    else:
        data = continuous(rng.normal(size=(40, 4)))
    test = independence_test(data, name, replicates=20)
    left = test.test("V0", "V1", ["V2", "V3"])
    right = test.test("V1", "V0", ["V3", "V2"])
    assert left.p_value == pytest.approx(right.p_value, rel=1e-7, abs=1e-12)
    assert left.df == pytest.approx(right.df)
    assert 0 <= left.p_value <= 1


@hypothesis.given(st.integers(0, 2**32 - 1), st.sampled_from(sorted(known_tests())))
def test_decision_is_that_of_the_p_value(seed: int, name: str):
    rng = np.random.default_rng(seed)
    base = rng.integers(0, 2, (80, 1))
    if "discrete" in known_tests()[name].takes:
        data = discrete((rng.random((80, 3)) < 0.3) ^ base, [2] * 3)
    else:
        data = continuous(rng.normal(size=(80, 3)) + base)
    test = independence_test(data, name, replicates=30)
    for given in ([], ["V2"]):
        found = test.test("V0", "V1", given)
        for alpha in (0.01, 0.05, 0.3):
            expected = found.p_value >= alpha
            if not found.defined:
                expected = test.native.undefined_is_independent
            assert test.independent("V0", "V1", given, alpha=alpha) == expected


def test_permutations_agree_with_the_asymptotic_test():
    rng = np.random.default_rng(3)
    x, z = rng.integers(0, 3, (2, 400))
    y = np.where(rng.random(400) < 0.08, x, rng.integers(0, 3, 400))
    data = discrete(np.column_stack([x, y, z]), [3, 3, 3])
    for plain, permuted in (("mi", "mc-mi"), ("x2", "smc-x2"), ("x2", "sp-x2"), ("jt", "mc-jt")):
        expected = independence_test(data, plain).test("V0", "V1", "V2")
        found = independence_test(data, permuted, replicates=4000).test("V0", "V1", "V2")
        assert found.statistic == pytest.approx(expected.statistic)
        assert found.p_value == pytest.approx(expected.p_value, abs=0.05)
    values = continuous(gaussian_rows(100, 2, 5) + rng.normal(size=(100, 2)) * 20)
    expected = independence_test(values, "cor").test("V0", "V1")
    found = independence_test(values, "mc-cor", replicates=4000).test("V0", "V1")
    assert found.p_value == pytest.approx(expected.p_value, abs=0.03)


def test_permutations_depend_on_the_seed_and_not_on_the_order_of_tests():
    data = discrete(np.random.default_rng(4).integers(0, 2, (50, 3)), [2] * 3)
    first = independence_test(data, "mc-mi", replicates=200, seed=1)
    second = independence_test(data, "mc-mi", replicates=200, seed=1)
    second.test("V1", "V2")
    assert first.test("V0", "V1") == second.test("V0", "V1")
    other = independence_test(data, "sp-mi", replicates=200, seed=2)
    assert other.test("V0", "V1").df != independence_test(data, "sp-mi").test("V0", "V1").df


def test_testwise_deletion_is_the_test_on_complete_rows():
    rng = np.random.default_rng(9)
    values = gaussian_rows(100, 3)
    gaps = rng.random((100, 3)) < 0.2
    whole = values[~gaps.any(axis=1)]
    found = independence_test(continuous(np.where(gaps, np.nan, values)), "zf.td")
    expected = independence_test(continuous(whole), "zf")
    assert found.test("V0", "V1", "V2") == pytest.approx(expected.test("V0", "V1", "V2"))
    codes = rng.integers(0, 3, (200, 4))
    gaps = rng.random((200, 4)) < 0.1
    left = discrete(np.where(gaps, -1, codes), [3] * 4)
    right = discrete(codes[~gaps[:, :3].any(axis=1)], [3] * 4)
    for name in ("mi", "x2-adf", "mi-sh", "jt", "disCItest", "mi-cg"):
        a = independence_test(left, f"{name}.td").test("V0", "V1", "V2")
        b = independence_test(right, name).test("V0", "V1", "V2")
        assert a == pytest.approx(b)


def test_merging_of_equal_rows_changes_nothing():
    codes = np.random.default_rng(1).integers(0, 2, (4000, 3))
    merged = independence_test(discrete(codes, [2] * 3), "mi")
    padding = np.random.default_rng(2).integers(0, 9, (4000, 8))
    apart = independence_test(discrete(np.hstack([codes, padding]), [2] * 3 + [9] * 8), "mi")
    assert merged.test("V0", "V1", "V2") == apart.test("V0", "V1", "V2")


def test_calls_are_counted():
    test = independence_test(continuous(gaussian_rows(20, 3)))
    test.test("V0", "V1")
    test.independent("V0", "V1", "V2")
    assert test.calls == 2


def test_oracle_answers_by_separation():
    graph = Graph.from_edges(["a -> c", "b -> c", "c -> d"])
    test = separation_test(graph)
    for given in ([], ["c"], ["d"]):
        assert test.independent("a", "b", given) == separated(graph, "a", "b", given)


@pytest.mark.parametrize("name", suitable_tests("continuous"))
def test_a_constant_column_is_independent(name: str):
    values = gaussian_rows(30, 3)
    values[:, 1] = 0.1
    test = independence_test(continuous(values), name, replicates=10)
    for given in ([], ["V2"]):
        found = test.test("V0", "V1", given)
        # A score has an answer: the edge costs and gains nothing.
        assert (found.p_value, found.defined) == (1.0, name == "sem-bic")
    assert np.isfinite(test.test("V0", "V2", ["V1"])).all()


@pytest.mark.parametrize("name", ["zf", "cor", "mi-g", "gaussCItest", "mc-cor"])
def test_collinear_columns(name: str):
    values = gaussian_rows(40, 5)
    values[:, 3] = values[:, 1] + 2 * values[:, 2]
    values[:, 4] = -3 * values[:, 0]
    test = independence_test(continuous(values), name, replicates=50)
    assert test.test("V0", "V4").p_value < 1e-12 or name == "mc-cor"
    function_of_given = test.test("V0", "V3", ["V1", "V2"])
    assert (function_of_given.p_value, function_of_given.defined) == (1.0, False)
    once = test.test("V0", "V1", ["V2"])
    assert not np.isnan(test.test("V0", "V1", ["V2", "V3"]).p_value)
    assert 0 <= once.p_value <= 1


@pytest.mark.parametrize("name", ["zf", "cor", "mi-g", "mi-g-sh", "gaussCItest"])
def test_more_variables_than_rows(name: str):
    test = independence_test(continuous(gaussian_rows(6, 10)), name)
    found = test.test("V0", "V1", [f"V{j}" for j in range(2, 10)])
    assert (found.p_value, found.defined) == (1.0, False)


@pytest.mark.parametrize("name", suitable_tests("discrete"))
def test_one_level_cannot_be_tested(name: str):
    codes = np.zeros((30, 2), dtype=int)
    codes[:10, 1] = 1
    found = independence_test(discrete(codes, [1, 2]), name, replicates=5).test("V0", "V1")
    assert found.p_value == 1.0


def test_wrong_data_are_refused_with_what_fits():
    values = gaussian_rows(10, 2)
    with pytest.raises(DataError, match="'mi' is for discrete data, and these are continuous"):
        independence_test(continuous(values), "mi")
    with pytest.raises(DataError, match=r"unknown independence test 'mi-ad' \(did you mean"):
        independence_test(continuous(values), "mi-ad")
    with pytest.raises(DataError, match="at least 2 rows, found 1"):
        independence_test(continuous(values[:1]))
    values[3, 1] = np.nan
    with pytest.raises(DataError, match=r"'V1' has missing values.*use 'zf\.td'"):
        independence_test(continuous(values), "zf")
    test = independence_test(continuous(gaussian_rows(10, 2)))
    with pytest.raises(DataError, match="unknown variable 'V7'"):
        test.test("V0", "V7")
    with pytest.raises(DataError, match="different variables"):
        test.test("V0", "V0")


def test_every_kind_of_data_has_a_default():
    for kind in ("continuous", "discrete", "mixed"):
        assert DEFAULT_TESTS[kind] in suitable_tests(kind)


@pytest.mark.parametrize("given", [[], ["V2"], ["V2", "V3", "V4"]])
def test_correlations_are_shrunk_with_one_intensity_for_all_variables_of_a_test(
    given: list[str],
) -> None:
    """Schäfer and Strimmer 2005, over x, y and the given variables together."""
    rng = np.random.default_rng(5)
    n = 30
    values = rng.normal(size=(n, 5)) @ (np.eye(5) + 0.4)
    data = Dataset([Variable(f"V{j}") for j in range(5)], values=values)
    used = values[:, [0, 1, *(int(name[1]) for name in given)]]
    z = (used - used.mean(axis=0)) / used.std(axis=0, ddof=1)
    r = np.corrcoef(used.T)
    products = z[:, :, None] * z[:, None, :]
    # Of two variables alone the products are centred with one row less, as in bnlearn.
    centre = products.sum(axis=0) / (n if given else n - 1)
    variances = n / (n - 1) ** 3 * ((products - centre) ** 2).sum(axis=0)
    apart = ~np.eye(len(r), dtype=bool)
    shrunk = (1 - min(1, variances[apart].sum() / (r[apart] ** 2).sum())) * r
    np.fill_diagonal(shrunk, 1)
    inverse = np.linalg.inv(shrunk)
    partial = -inverse[0, 1] / np.sqrt(inverse[0, 0] * inverse[1, 1])
    found = independence_test(data, "mi-g-sh").test("V0", "V1", given)
    assert found.statistic == pytest.approx(-n * np.log(1 - partial**2))

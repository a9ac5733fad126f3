"""The kernel and the degenerate Gaussian test: by hand, against causal-learn, by invariance."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dagathlon.data import read_data
from dagathlon.errors import DataError
from dagathlon.learners import learn
from dagathlon.learners.independence import independence_test
from strategies import continuous

QUESTIONS = ((0, 1, []), (0, 3, []), (0, 1, [2]), (0, 4, [2]), (0, 1, [2, 3]), (1, 3, [0, 2]))


def curved(rows: int, seed: int) -> np.ndarray:
    """x and y are functions of z, w is apart, and v is the product of x and y."""
    rng = np.random.default_rng(seed)
    z, w = rng.normal(size=(2, rows))
    x = np.sin(z) + 0.5 * rng.normal(size=rows)
    y = z**2 + 0.5 * rng.normal(size=rows)
    return np.column_stack([x, y, z, w, x * y + rng.normal(size=rows)])


def kernel(columns: np.ndarray, width: float) -> np.ndarray:
    apart = ((columns[:, None] - columns[None]) ** 2).sum(axis=2)
    k = np.exp(-apart / (2 * width**2))
    centre = np.eye(len(k)) - 1 / len(k)
    return np.asarray(centre @ k @ centre)


def by_hand(values: np.ndarray, x: int, y: int, given: list[int]) -> tuple[float, float]:
    """The formulas of the paper for fewer than 200 rows, with features from eigenvectors."""
    n = len(values)
    scaled = stats.zscore(values, ddof=1)
    if not given:
        kx, ky = kernel(scaled[:, [x]], 0.8), kernel(scaled[:, [y]], 0.8)
        mean = np.trace(kx) * np.trace(ky) / n
        variance = 2 * np.trace(kx @ kx) * np.trace(ky @ ky) / n**2
    else:
        z, width = scaled[:, given], 1.2 * np.sqrt(len(given))
        rest = 1e-3 * np.linalg.inv(kernel(z, width) + 1e-3 * np.eye(n))
        kx = rest @ kernel(np.hstack([scaled[:, [x]], z / 2]), width) @ rest
        ky = rest @ kernel(scaled[:, [y]], width) @ rest
        features = []
        for k in (kx, ky):
            root, vectors = np.linalg.eigh((k + k.T) / 2)
            features.append(vectors * np.sqrt(np.maximum(root, 0)))
        products = (features[0][:, :, None] * features[1][:, None]).reshape(n, -1)
        gram = products @ products.T
        mean, variance = np.trace(gram), 2 * np.trace(gram @ gram)
    statistic = float(np.sum(kx * ky))
    return statistic, float(stats.gamma.sf(statistic, mean**2 / variance, scale=variance / mean))


@pytest.mark.parametrize(("x", "y", "given"), QUESTIONS)
def test_kernel_test_by_hand(x: int, y: int, given: list[int]) -> None:
    values = curved(70, 4)
    found = independence_test(continuous(values), "kci").test(
        f"V{x}", f"V{y}", [f"V{j}" for j in given]
    )
    assert (found.statistic, found.p_value) == pytest.approx(by_hand(values, x, y, given), rel=1e-7)


@pytest.mark.parametrize(("x", "y", "given"), QUESTIONS)
def test_kernel_test_against_causal_learn(x: int, y: int, given: list[int]) -> None:
    kci = pytest.importorskip("causallearn.utils.KCI.KCI")
    values = curved(120, 9)
    found = independence_test(continuous(values), "kci").test(
        f"V{x}", f"V{y}", [f"V{j}" for j in given]
    )
    columns = [values[:, [x]], values[:, [y]]]
    peer = kci.KCI_CInd() if given else kci.KCI_UInd()
    p_value, statistic = peer.compute_pvalue(*columns, *([values[:, given]] if given else []))
    assert found.statistic == pytest.approx(statistic, rel=1e-8)
    # Given others it leaves out eigenvalues below 1e-5 of the largest, which moves the mean and
    # the variance of the gamma distribution by some multiples of that.
    assert found.p_value == pytest.approx(p_value, rel=2e-4 if given else 1e-9)


def test_kernel_test_is_level_and_sees_curves() -> None:
    p_values = []
    for seed in range(60):
        test = independence_test(continuous(curved(100, seed)), "kci")
        p_values.append([test.test("V0", "V3").p_value, test.test("V2", "V1").p_value])
    null, dependent = np.array(p_values).T
    assert stats.kstest(null, "uniform").pvalue > 0.01
    assert np.mean(dependent < 0.01) > 0.95


def test_kernel_test_refuses_too_many_rows() -> None:
    with pytest.raises(DataError, match=r"at most 5000 rows, found 5001"):
        independence_test(continuous(curved(5001, 1)), "kci")


def test_tetrad_pc_names_the_kernel_test() -> None:
    estimate = learn(continuous(curved(80, 3)), "tetrad_pc", test="kci-test", alpha=0.01)
    assert not estimate.graph.marks[:, 3].any()
    assert estimate.graph.n_edges > 0
    assert estimate.stats["ntests"] > 0


def mixed(rows: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    d, e = (rng.integers(0, levels, rows) for levels in (2, 4))
    u = rng.normal(size=rows) + d
    v = 0.4 * u + 0.5 * (e == 2) + rng.normal(size=rows)
    return pd.DataFrame({"d": d, "e": e}).astype(str).astype("category").assign(u=u, v=v)


def log_likelihood(frame: pd.DataFrame, names: list[str]) -> float:
    """Twice the log likelihood of a normal distribution, without constants."""
    if not names:
        return 0.0
    dummies = pd.get_dummies(frame[names], drop_first=True, dtype=float)
    return -len(frame) * float(np.linalg.slogdet(np.atleast_2d(np.cov(dummies.T, ddof=0)))[1])


@pytest.mark.parametrize(("x", "y"), list(itertools.combinations("deuv", 2)))
def test_degenerate_gaussian_by_hand(x: str, y: str) -> None:
    frame = mixed(150, 2)
    test = independence_test(read_data(frame), "lr-dg")
    rest = [name for name in "deuv" if name not in {x, y}]
    for given in ([], rest[:1], rest):
        found = test.test(x, y, given)
        ratio = log_likelihood(frame, [x, y, *given]) + log_likelihood(frame, given)
        ratio -= log_likelihood(frame, [x, *given]) + log_likelihood(frame, [y, *given])
        df = 3 if "e" in {x, y} else 1
        assert found.statistic == pytest.approx(ratio, rel=1e-9)
        assert found.df == df
        assert found.p_value == pytest.approx(stats.chi2.sf(ratio, df), rel=1e-9)


def test_degenerate_gaussian_of_continuous_variables_is_the_gaussian_test() -> None:
    data = continuous(curved(90, 5))
    left, right = (independence_test(data, name) for name in ("lr-dg", "mi-g"))
    for x, y, given in QUESTIONS:
        question = (f"V{x}", f"V{y}", [f"V{j}" for j in given])
        assert left.test(*question) == pytest.approx(right.test(*question), rel=1e-9)


def test_degenerate_gaussian_does_not_depend_on_the_level_left_out() -> None:
    frame = mixed(120, 7)
    turned = frame.assign(
        e=frame["e"].cat.rename_categories(dict(zip("0123", "3210", strict=True)))
    )
    left, right = (independence_test(read_data(each), "lr-dg") for each in (frame, turned))
    for question in (("e", "v", "u"), ("u", "v", "e"), ("d", "e", ["u", "v"])):
        assert left.test(*question) == pytest.approx(right.test(*question), rel=1e-9)

"""Thresholds: correlations pair by pair, whatever is missing and however many columns there are."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from dagathlon import _core
from dagathlon.learners import learn
from dagathlon.learners.undirected import thresholds
from dagathlon.threads import several_threads
from strategies import continuous


def columns(p: int, n: int, seed: int = 0) -> npt.NDArray[np.float64]:
    """Chains of correlated columns, two of which are constant, and one of them large."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, p)).cumsum(axis=1) * 0.3 + rng.normal(size=(n, p))
    values[:, 3], values[:, p - 1] = 0.1, 1e9 / 3
    return values


def by_pair(values: npt.NDArray[np.float64]) -> tuple[list[float], list[float]]:
    """Correlation and p-value of each pair in its complete rows, one after the other."""
    from scipy.stats import pearsonr

    found, p_values = [], []
    for i in range(values.shape[1]):
        for j in range(i + 1, values.shape[1]):
            both = values[~np.isnan(values[:, [i, j]]).any(axis=1)][:, [i, j]]
            varies = len(both) > 2 and (np.ptp(both, axis=0) > 0).all()
            test = pearsonr(*both.T) if varies else (0.0, 1.0)
            found.append(abs(test[0]))
            p_values.append(test[1])
    return found, p_values


@pytest.mark.parametrize("missing", [False, True])
def test_pairs_one_by_one(missing: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thresholds, "_STRIP", 5)
    monkeypatch.setattr(thresholds, "_AT_ONCE", 17)
    values = columns(13, 40)
    if missing:
        values[np.random.default_rng(1).random(values.shape) < 0.2] = np.nan
    strong, p_values = by_pair(values)
    for options, expected in [
        ({"thresh": 0.25}, np.array(strong) > 0.25),
        ({"method": "pval", "thresh": 0.2}, np.array(p_values) < 0.2),
    ]:
        path = learn(continuous(values), "corr_thresh", **options).path
        assert path is not None
        assert path.pairs[path.chosen].tolist() == expected.tolist()
        assert 0 < expected.sum() < len(expected)


@pytest.mark.parametrize("p", [0, 1, 2, 70, 131])
def test_correlations_by_strips_are_those_of_the_matrix(p: int) -> None:
    values = columns(p, 50) if p > 3 else np.random.default_rng(2).normal(size=(50, p))
    found = _core.pair_correlations(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        matrix = np.nan_to_num(np.corrcoef(values.T).reshape(p, p)) if p else np.empty((0, 0))
    matrix[:, values.std(axis=0) < 1e-6] = matrix[values.std(axis=0) < 1e-6] = 0.0
    np.testing.assert_allclose(found, matrix[np.triu_indices(p, 1)], rtol=0, atol=1e-12)


def test_the_same_correlations_by_any_number_of_threads() -> None:
    values = columns(300, 200)
    alone = _core.pair_correlations(values)
    with several_threads(3):
        assert np.array_equal(_core.pair_correlations(values), alone)


def test_thresholds_are_order_statistics() -> None:
    strength = np.random.default_rng(5).random(200 * 199 // 2).round(3)
    names = tuple(f"V{j}" for j in range(200))
    path = thresholds.path_of(names, strength, 0.5)
    ordered = np.sort(strength)[::-1]
    steps = np.geomspace(1, len(ordered) - 1, 19).round().astype(int)
    assert path.penalties.tolist() == sorted({0.5, ordered[0], *ordered[steps]}, reverse=True)
    assert path.n_edges.tolist() == [int((strength > t).sum()) for t in path.penalties]

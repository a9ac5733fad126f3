"""Conditional mutual information by nearest neighbours: by hand, beside tigramite, calibrated."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import digamma

from dagathlon.data import Dataset, Variable
from dagathlon.errors import DataError
from dagathlon.learners.constraint.pc import Pc
from dagathlon.learners.independence import independence_test
from strategies import continuous

QUESTIONS = ((0, 1, []), (0, 1, [2]), (1, 2, [0]), (0, 3, [1, 2]))


def curved(rows: int, seed: int) -> np.ndarray:
    """V1 and V2 are functions of V0; V3 is apart."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(rows, 4))
    values[:, 1] = values[:, 0] ** 2 + 0.5 * values[:, 1]
    values[:, 2] = np.sin(2 * values[:, 0]) + 0.5 * values[:, 2]
    return values


def mixed(rows: int, seed: int) -> Dataset:
    """Two levels and two numbers, one of them with ties."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (rows, 2))
    values = rng.normal(size=(rows, 2))
    values[:, 0] += 2 * codes[:, 0]
    values[:, 1] = np.round(values[:, 1] + values[:, 0])
    levels = ("n", "y")
    variables = [
        Variable("V0", levels=levels), Variable("V1"), Variable("V2", levels=levels), Variable("V3")
    ]  # fmt: skip
    return Dataset(variables, codes=codes.astype(np.uint8), values=values)


def apart(column: np.ndarray, is_discrete: bool) -> np.ndarray:
    """Distances of all rows in one column."""
    if is_discrete:
        return np.where(column[:, None] == column[None], 0, len(column))
    ranks = stats.rankdata(column, method="min").astype(int)
    return np.abs(ranks[:, None] - ranks[None])


def by_hand(data: Dataset, x: int, y: int, given: list[int], ties: bool) -> float:
    """The formulas of Frenzel and Pompe, or with ties those of Mesner and Shalizi."""
    n = len(data)
    k = round(0.2 * n)
    column = [
        apart(np.asarray(data.column(v.name), dtype=float), v.is_discrete) for v in data.variables
    ]
    to_z = np.max([column[z] for z in given], axis=0) if given else np.zeros((n, n), dtype=int)
    to_xz, to_yz = np.maximum(column[x], to_z), np.maximum(column[y], to_z)
    joint = np.maximum(to_xz, to_yz)
    if not ties:
        radius = np.sort(joint, axis=1)[:, [k]]
        z, xz, yz = (digamma((each < radius).sum(axis=1)) for each in (to_z, to_xz, to_yz))
        return float(digamma(k) + np.mean(z - xz - yz))
    found = np.minimum(k, (joint < n).sum(axis=1) - 1)
    radius = np.sort(joint, axis=1)[np.arange(n), found][:, None]
    near = np.where(radius[:, 0] == 0, (joint == 0).sum(axis=1) - 1, found)
    z, xz, yz = (digamma((each <= radius).sum(axis=1) - 1) for each in (to_z, to_xz, to_yz))
    return float(np.sum((digamma(near) + z - xz - yz)[found > 0]) / n)


@pytest.mark.parametrize(("x", "y", "given"), QUESTIONS)
def test_estimates_by_hand(x: int, y: int, given: list[int]) -> None:
    numbers, levels = continuous(curved(60, 1)), mixed(60, 2)
    for data, ties in ((numbers, False), (levels, True)):
        found = independence_test(data, "cmi-knn", replicates=1).native.test(x, y, given)
        assert found[0] == pytest.approx(by_hand(data, x, y, given, ties), abs=1e-12)


def test_answers_depend_on_seed_and_question_alone() -> None:
    data = continuous(curved(60, 3))
    first, other = (
        independence_test(data, "cmi-knn", replicates=50, seed=seed).native for seed in (1, 2)
    )
    expected = [first.test(*question) for question in QUESTIONS]
    again = independence_test(data, "cmi-knn", replicates=50, seed=1).native
    assert [again.test(*question) for question in reversed(QUESTIONS)] == expected[::-1]
    assert again.test(2, 1, [0]) == again.test(1, 2, [0])
    assert [other.test(*question) for question in QUESTIONS] != expected
    # A monotone function of a column changes no rank.
    bent = continuous(np.exp(curved(60, 3)))
    third = independence_test(bent, "cmi-knn", replicates=50, seed=1).native
    assert [third.test(*question) for question in QUESTIONS] == expected


def test_curves_that_correlations_do_not_see() -> None:
    data = continuous(curved(150, 4))
    linear, near = independence_test(data, "zf"), independence_test(data, "cmi-knn", seed=1)
    assert linear.native.test(0, 1, [])[2] > 0.05
    assert near.native.test(0, 1, [])[2] < 0.01
    assert near.native.test(0, 1, [2])[2] < 0.01
    assert near.native.test(1, 2, [0])[2] > 0.05


def test_levels_that_numbers_depend_on() -> None:
    test = independence_test(mixed(100, 6), "cmi-knn", seed=1).native
    assert test.test(0, 1, [])[2] < 0.01
    assert test.test(0, 2, [])[2] > 0.05
    assert test.test(0, 3, [1])[2] > 0.05


def test_data_that_cannot_answer() -> None:
    values = curved(40, 1)
    values[:, 3] = 1.0
    assert not independence_test(continuous(values), "cmi-knn").native.test(0, 3, [])[3]
    with pytest.raises(DataError, match="5000 rows"):
        independence_test(continuous(np.zeros((5001, 2))), "cmi-knn")


@pytest.mark.slow
@pytest.mark.parametrize("given", [False, True])
def test_p_values_are_uniform_under_independence(given: bool) -> None:
    found = []
    for seed in range(200):
        test = independence_test(continuous(curved(80, seed)), "cmi-knn", replicates=100, seed=seed)
        found.append(test.native.test(1, 2, [0])[2] if given else test.native.test(0, 3, [])[2])
    # Values of the grid of hundredths are spread over their cells.
    spread = np.minimum(1, np.array(found) + np.random.default_rng(1).random(200) / 100)
    assert stats.kstest(spread, "uniform").pvalue > 0.001
    assert 0.005 < np.mean(spread < 0.05) < 0.12


@pytest.mark.slow
def test_a_skeleton_of_curves() -> None:
    found = Pc(test="cmi-knn", alpha=0.01).learn(
        continuous(curved(200, 7)), np.random.default_rng(1)
    )
    edges = {frozenset((edge.left, edge.right)) for edge in found.graph.edges()}
    assert edges == {frozenset(("V0", "V1")), frozenset(("V0", "V2"))}


@pytest.mark.slow
def test_estimates_are_those_of_tigramite() -> None:
    peer = pytest.importorskip("tigramite.independence_tests.cmiknn")
    values = curved(200, 6)
    test = independence_test(continuous(values), "cmi-knn", replicates=1).native
    cmi = peer.CMIknn(knn=0.2, transform="ranks")
    for x, y, given in QUESTIONS:
        array = values[:, [x, y, *given]].T.copy()
        kinds = np.array([0, 1] + [2] * len(given))
        expected = cmi.get_dependence_measure(array, kinds)
        assert test.test(x, y, given)[0] == pytest.approx(expected, abs=1e-9)

"""Learners of nonlinear orders: against dodiscover, by brute force, under constraints."""

from __future__ import annotations

import importlib.util
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dagathlon.data import Dataset, Variable
from dagathlon.errors import OutOfTimeError
from dagathlon.graphs import Graph
from dagathlon.graphs.knowledge import Knowledge
from dagathlon.learners.base import Estimate, Learner
from dagathlon.learners.nonlinear import cam
from dagathlon.learners.nonlinear.additive import AdditiveFit, fit_additive
from dagathlon.learners.nonlinear.cam import Cam
from dagathlon.learners.nonlinear.hsic import CentredKernel, independence
from dagathlon.learners.nonlinear.kernel_ridge import HeldOut, kernel_features, smoothest_residuals
from dagathlon.learners.nonlinear.nogam import NoGam
from dagathlon.learners.nonlinear.resit import Resit
from dagathlon.learners.nonlinear.score_matching import Das, Score
from dagathlon.learners.nonlinear.sorts import R2Sort, RandomSort, VarSort
from dagathlon.learners.nonlinear.stein import Stein
from dagathlon.pulse import watch

TOOL = Path(__file__).parents[2] / "tools" / "dodiscover_orders.py"
CASES = json.loads(Path(__file__).with_name("dodiscover_orders.json").read_text())
SAME_ORDERS: dict[str, Learner] = {
    "SCORE": Score(standardize=False),
    "DAS": Das(standardize=False),
    "NoGAM": NoGam(standardize=False),
}


def data_of(values: np.ndarray) -> Dataset:
    return Dataset([Variable(str(i)) for i in range(values.shape[1])], values=values)


def learned(learner: Learner, values: np.ndarray) -> Estimate:
    return learner.learn(data_of(values), np.random.default_rng(1))


def order_of(found: Estimate) -> list[int]:
    return [int(name) for name in str(found.stats["order"]).split()]


def arcs_of(graph: Graph) -> list[list[int]]:
    return np.argwhere(graph.adjacency).tolist()


def rows_of(case: dict[str, Any]) -> np.ndarray:
    spec = importlib.util.spec_from_file_location("dodiscover_orders", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    rows: np.ndarray = module.rows_of(case["seed"], case["columns"], case["rows"])
    assert float((rows**2).sum()) == pytest.approx(case["checksum"])
    return rows


def curved(n: int = 200, seed: int = 5) -> np.ndarray:
    """A chain 2 → 0 → 1 and a variable of its own."""
    rng = np.random.default_rng(seed)
    third, fourth = rng.normal(size=(2, n))
    first = np.sin(2 * third) + 0.4 * rng.normal(size=n)
    second = first**2 + 0.4 * rng.normal(size=n)
    return np.column_stack([first, second, third, fourth])


@pytest.mark.parametrize(
    "case",
    [pytest.param(c, marks=[pytest.mark.slow] if i else []) for i, c in enumerate(CASES)],
    ids=lambda case: str(case["seed"]),
)
def test_orders_are_those_of_dodiscover(case: dict[str, Any]) -> None:
    rows = rows_of(case)
    for name, learner in SAME_ORDERS.items():
        found = learned(learner, rows)
        assert order_of(found) == case[name]["order"]
        theirs, ours = (
            {tuple(arc) for arc in arcs} for arcs in (case[name]["arcs"], arcs_of(found.graph))
        )
        # Their splines have a coarser choice of smoothness; one arc is significant in ours alone.
        assert len(theirs ^ ours) <= 1


@pytest.mark.parametrize("case", CASES[:1], ids=lambda case: str(case["seed"]))
def test_cam_agrees_with_that_of_dodiscover(case: dict[str, Any]) -> None:
    found = learned(Cam(), rows_of(case))
    place = np.argsort(order_of(found))
    theirs = {tuple(arc) for arc in case["CAM"]["arcs"]}
    assert all(place[a] < place[b] for a, b in theirs)
    assert len(theirs ^ {tuple(arc) for arc in arcs_of(found.graph)}) <= 1


@pytest.mark.parametrize("learner", [Cam(), Score(), Resit()])
def test_a_curved_chain_is_found(learner: Learner) -> None:
    assert arcs_of(learned(learner, curved()).graph) == [[0, 1], [2, 0]]


def test_stein_estimates_by_sums_over_all_pairs() -> None:
    rows = np.random.default_rng(1).normal(size=(12, 3)) + 5
    stein = Stein(rows, 0.1)
    apart = rows[:, None] - rows
    norms = np.sqrt((apart**2).sum(axis=2))
    width = np.median(norms[norms > 0])
    kernel = np.exp(-(norms**2) / (2 * width**2)) / width
    solve = np.linalg.inv(kernel + 0.1 * np.eye(12))
    score = solve @ (-np.einsum("kij,ik->kj", apart, kernel) / width**2)
    np.testing.assert_allclose(stein.score, score, atol=1e-10)
    for c in range(3):
        pairs = np.einsum("ik,ikj,ik->ij", apart[:, :, c], apart, kernel) / width**4
        pairs[:, c] -= kernel.sum(axis=1) / width**2
        row = solve @ pairs - score[:, [c]] * score
        np.testing.assert_allclose(stein.jacobian_rows(c), row, atol=1e-10)
        np.testing.assert_allclose(stein.jacobian_diagonal()[:, c], row[:, c], atol=1e-10)


@pytest.mark.parametrize("columns", [1, 6], ids=["low rank", "all rows"])
def test_fits_of_rows_held_out_by_fitting_each_fold(columns: int) -> None:
    rng = np.random.default_rng(2)
    rows, target = rng.normal(size=(43, columns)), rng.normal(size=43)
    gamma = 0.01 if columns == 1 else 1.0
    kernel = np.exp(-gamma * ((rows[:, None] - rows) ** 2).sum(axis=2))
    expected = np.empty(43)
    for fold in np.array_split(np.arange(43), 5):
        rest = np.setdiff1d(np.arange(43), fold)
        weights = np.linalg.solve(
            kernel[np.ix_(rest, rest)] + 0.05 * np.eye(len(rest)), target[rest]
        )
        expected[fold] = kernel[np.ix_(fold, rest)] @ weights
    found = HeldOut(gamma=gamma, ridge=0.05, folds=5).fits(rows, target)
    np.testing.assert_allclose(found, expected, atol=1e-4)
    assert (kernel_features(rows, gamma, 10)[1] < 1e-5) == (columns == 1)


def test_kernel_regression_leaves_the_noise() -> None:
    rng = np.random.default_rng(3)
    rows, noise = rng.uniform(-2, 2, size=(400, 1)), 0.3 * rng.normal(size=400)
    features, error = kernel_features(rows, 1.0, 200)
    assert error < 1e-5
    rest = smoothest_residuals(features, np.sin(2 * rows[:, 0]) + noise)
    assert np.corrcoef(rest, noise)[0, 1] > 0.98


def test_hsic_by_its_definition() -> None:
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(14, 2)), rng.normal(size=(14, 1))
    found = independence(CentredKernel(x), CentredKernel(y))
    kernels = []
    for rows in (x, y):
        squares = ((rows[:, None] - rows) ** 2).sum(axis=2)
        kernels.append(np.exp(-squares / np.median(squares[squares > 0])))
    centre = np.eye(14) - 1 / 14
    brute = np.trace(kernels[0] @ centre @ kernels[1] @ centre) / 14
    assert found.statistic == pytest.approx(brute)


@pytest.mark.slow
def test_hsic_keeps_its_level_and_sees_dependence() -> None:
    rng = np.random.default_rng(5)
    levels, powers = [], []
    for _ in range(300):
        x, y = rng.normal(size=(80, 2)), rng.normal(size=(80, 1))
        first = CentredKernel(x)
        levels.append(independence(first, CentredKernel(y)).p_value)
        powers.append(independence(first, CentredKernel(x[:, :1] ** 2 + 0.5 * y)).p_value)
    assert 0.02 <= (np.array(levels) < 0.05).mean() <= 0.09
    assert (np.array(powers) < 0.05).mean() > 0.9


def test_required_arcs_and_tiers_bind_the_order() -> None:
    required = Knowledge(required=frozenset({("1", "0")}))
    later = Knowledge(forbidden=frozenset({("2", "0"), ("2", "1"), ("2", "3")}))
    for learner in (Cam, Score, VarSort):
        found = learned(learner(constraints=required), curved())  # type: ignore[arg-type]
        assert [1, 0] in arcs_of(found.graph)
        assert found.graph.is_dag
        found = learned(learner(constraints=later), curved())  # type: ignore[arg-type]
        assert order_of(found)[-1] == 2 or learner is Cam
        assert not any(a == 2 for a, _ in arcs_of(found.graph))


def test_sorting_by_variance_by_explained_shares_and_at_random() -> None:
    rng = np.random.default_rng(6)
    noise = rng.normal(size=(500, 3))
    chain = np.column_stack([noise[:, 0], noise[:, 0] + noise[:, 1], np.zeros(500)])
    chain[:, 2] = chain[:, 1] + noise[:, 2]
    assert arcs_of(learned(VarSort(), chain).graph) == [[0, 1], [1, 2]]
    turned = chain / chain.std(axis=0) * [3, 2, 1]
    assert order_of(learned(VarSort(), turned)) == [2, 1, 0]
    assert order_of(learned(R2Sort(), turned)) == order_of(learned(R2Sort(), chain))
    assert order_of(learned(R2Sort(), chain))[-1] == 1  # the middle is explained from both sides
    drawn = {
        tuple(order_of(RandomSort().learn(data_of(chain), np.random.default_rng(seed))))
        for seed in range(60)
    }
    assert len(drawn) == 6


def test_cam_prunes_the_arcs_so_far_at_a_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def late(*given: Any, **named: Any) -> AdditiveFit:
        made.append(1)
        if len(made) == 18:  # twelve pairs, then five fits after the first arcs
            raise OutOfTimeError("too late")
        return fit_additive(*given, **named)

    monkeypatch.setattr(cam, "fit_additive", late)
    with watch(deadline=time.monotonic() + 1000) as watched:
        found = learned(Cam(), curved())
    assert watched.stopped_early
    assert 0 < found.graph.n_edges <= 3


def test_many_rows_are_drawn_and_it_is_said() -> None:
    found = learned(Score(max_rows=60), curved(300))
    assert "60 of 300 rows" in found.notes[0]


def test_ties_of_variances_have_a_random_order() -> None:
    values = curved()
    values = (values - values.mean(axis=0)) / values.std(axis=0)
    assert len(set(values.var(axis=0))) > 1  # rounding alone
    orders = {
        str(VarSort().learn(data_of(values), np.random.default_rng(seed)).stats["order"])
        for seed in range(10)
    }
    assert len(orders) > 3
    units = values * [1, 1e-6, 1e6, 1 + 1e-6]
    assert order_of(learned(VarSort(), units)) == [1, 0, 3, 2]

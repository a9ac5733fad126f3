"""NOTEARS on ordinal columns, as the authors' source of 2018: ranks of levels, not centred."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dagathlon.data import Dataset, Network, Variable
from dagathlon.errors import StudyError
from dagathlon.evaluate import compare
from dagathlon.learners import learn
from dagathlon.learners.continuous.notears import Notears
from dagathlon.learners.continuous.notears_losses import moments_of
from dagathlon.learners.continuous.weights import ranks_of


@pytest.mark.parametrize(
    ("levels", "ranks"),
    [
        (("0to6", "11to14", "15to20", "21+", "7to10"), [0, 2, 3, 4, 1]),
        (("38to46", "lessThan38", "66+"), [1, 0, 2]),
        (("x0_", "xto1", "xto3"), [2, 0, 1]),
        (("-1", "0", "-2.5"), [1, 2, 0]),
        (("A", "D", "H"), [0, 1, 2]),
        (("low", "2"), [0, 1]),
        (("0to6", "11to14", "21+", "7to10", "missing"), [0, 2, 3, 1, 4]),
        (("3", "missing", "1", "other"), [1, 2, 0, 3]),
        (("12to15", "0to6+16to20", "7to11"), [2, 0, 1]),
        (("x", "x2", "x4", "x3", "x_", "missing"), [0, 1, 3, 2, 4, 5]),
        (("x+x4", "x2", "x3", "x_"), [0, 1, 2, 3]),
        (("5++0to1", "2to4"), [1, 0]),
        (("A+D", "H", "missing"), [0, 1, 2]),
    ],
)
def test_ranks_by_the_numbers_in_names(levels: tuple[str, ...], ranks: list[int]) -> None:
    assert ranks_of(levels).tolist() == ranks


def test_moments_need_no_mean() -> None:
    values = np.array([[1.0, 2.0], [3.0, 6.0]])
    assert moments_of(values, centre=False).tolist() == [[5, 10], [10, 20]]
    assert moments_of(values).tolist() == [[1, 2], [2, 4]]


def test_what_is_not_centred_must_explain_means() -> None:
    # Two independent columns far from 0: without an intercept each predicts the other's mean.
    values = np.random.default_rng(0).normal(5, 1, size=(200, 2))
    data = Dataset([Variable("a"), Variable("b")], values=values)
    settings = {"standardize": False, "solver": "path"}
    assert learn(data, "notears", **settings).graph.n_edges == 0
    assert learn(data, "notears", centre=False, **settings).graph.n_edges == 1


def test_centring_belongs_to_least_squares_of_raw_columns() -> None:
    with pytest.raises(StudyError, match="centre=false is for"):
        Notears.from_json({"centre": False})


# Table D1 of the noise study: F1 on Sports without noise.
@pytest.mark.slow
@pytest.mark.shared
@pytest.mark.parametrize(("rows", "published"), [(100, 0.33), (1000, 0.32), (10_000, 0.35)])
def test_the_published_row(shared: Path, rows: int, published: float) -> None:
    network = Network.load(shared / "networks/sports.dsc")
    settings = {"standardize": False, "centre": False, "discrete": "ordered", "solver": "path"}
    found = [learn(network.sample(rows, seed=s), "notears", **settings) for s in range(6)]
    scores = [float(compare(one, network.graph)["bayesys_f1"]) for one in found]
    assert abs(np.mean(scores) - published) < 0.06

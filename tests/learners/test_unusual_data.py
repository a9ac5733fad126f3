"""Learners named after bnlearn's on constant, collinear, short, wide and incomplete data."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dagathlon.errors import DataError
from dagathlon.learners import learn

TESTING = ("gs", "iamb", "fast_iamb", "inter_iamb", "iamb_fdr", "mmpc", "si_hiton_pc", "hpc")
HYBRID = ("mmhc", "rsmax2", "h2pc")
ALL = (*TESTING, "bnlearn_pcstable", "hc", "tabu", *HYBRID)
pytestmark = pytest.mark.filterwarnings("ignore::dagathlon.errors.DataWarning")


def normal(rows: int, columns: int) -> np.ndarray:
    return np.random.default_rng(1).normal(size=(rows, columns))


def coded(codes: np.ndarray) -> pd.DataFrame:
    names = [f"V{j}" for j in range(codes.shape[1])]
    return pd.DataFrame(codes, columns=names).astype(str).astype("category")


def ternary(rows: int, columns: int = 4) -> np.ndarray:
    return np.random.default_rng(2).integers(0, 3, (rows, columns))


def adjacent(name: str, data: pd.DataFrame | np.ndarray) -> np.ndarray:
    return np.asarray(learn(data, name).graph.marks) != 0


@pytest.mark.parametrize("name", ["hc", "pc", "itsearch", "notears", "direct_lingam", "anm"])
def test_numbers_whose_squares_overflow_are_refused(name: str) -> None:
    values = normal(50, 3) * [1.0, 1e200, 1.0]
    with pytest.raises(DataError, match=r"column .* has values of size .*another unit"):
        learn(values, name)


@pytest.mark.parametrize("name", ALL)
def test_a_constant_has_no_edges(name: str) -> None:
    values, codes = normal(50, 4), ternary(60)
    values[:, 2] = 0.1
    codes[:, 2] = 0
    assert not adjacent(name, values)[2].any()
    assert not adjacent(name, coded(codes))[2].any()
    mixed = coded(codes).assign(x=0.1, y=normal(60, 1)[:, 0])
    assert not adjacent(name, mixed)[[2, 4]].any()


@pytest.mark.parametrize("name", ALL)
def test_functions_of_others_are_joined_to_them(name: str) -> None:
    values = normal(50, 4)
    doubled = np.column_stack([values, values[:, 0]])
    assert adjacent(name, doubled)[0, 4]
    summed = np.column_stack([values, values[:, 0] + values[:, 1]])
    assert adjacent(name, summed)[4, :2].any()
    codes = ternary(200)
    assert adjacent(name, coded(np.column_stack([codes, codes[:, 0]])))[0, 4]


@pytest.mark.parametrize("name", ALL)
def test_more_variables_than_rows(name: str) -> None:
    found = adjacent(name, normal(8, 12))
    assert found.shape == (12, 12)
    assert not np.diag(found).any()


@pytest.mark.parametrize("name", ALL)
def test_many_levels(name: str) -> None:
    rng = np.random.default_rng(3)
    codes = np.column_stack([rng.integers(0, 3, (400, 3)), np.arange(400) % 63])
    assert adjacent(name, coded(codes)).shape == (4, 4)


@pytest.mark.parametrize("name", ALL)
def test_one_row_and_gaps_are_refused(name: str) -> None:
    with pytest.raises(DataError, match="at least"):
        learn(normal(1, 3), name)
    values = normal(30, 3)
    values[4, 1] = np.nan
    with pytest.raises(DataError, match="missing values"):
        learn(values, name)
    with pytest.raises(DataError, match="missing values"):
        learn(coded(ternary(30)).mask(normal(30, 4) > 1.5), name)


def test_gaps_are_counted_only_where_they_are_the_reason() -> None:
    values = normal(50, 3)
    values[[4, 7], 1] = np.nan
    for name in ("hc", "pc"):
        with pytest.raises(DataError, match=r"missing values.* \(2 of 50 rows have missing values"):
            learn(values, name)
    with pytest.raises(DataError, match="needs discrete data, and these are continuous") as found:
        learn(values, "hc", score="bde")
    assert "rows have missing values" not in str(found.value)


@pytest.mark.parametrize("name", [*TESTING, *HYBRID])
def test_two_rows_are_no_evidence(name: str) -> None:
    assert not adjacent(name, coded(ternary(2))).any()

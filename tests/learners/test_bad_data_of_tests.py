"""Every test of the catalogue on unusual data: a p-value between 0 and 1, or a message."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from dagathlon.data import Dataset, Variable, read_data
from dagathlon.errors import DataError
from dagathlon.learners.independence import DELETION, IMPUTATION, independence_test, known_tests
from dagathlon.learners.independence.catalogue import pooled_tests

NAMES = (
    *known_tests(),
    *(name + DELETION for name, kind in known_tests().items() if kind.leaves_out_rows),
    *(name + IMPUTATION for name in pooled_tests()),
)
pytestmark = pytest.mark.filterwarnings("ignore::dagathlon.errors.DataWarning")


def continuous(rows: int, columns: int = 5) -> np.ndarray:
    return np.random.default_rng(3).normal(size=(rows, columns))


def codes_of(rows: int, columns: int = 5, levels: int = 3) -> np.ndarray:
    return np.random.default_rng(4).integers(0, levels, (rows, columns))


def from_values(values: np.ndarray) -> Dataset:
    return Dataset([Variable(f"V{j}") for j in range(values.shape[1])], values=values)


def from_codes(codes: np.ndarray, levels: int = 3) -> Dataset:
    texts = tuple(map(str, range(levels)))
    return Dataset([Variable(f"V{j}", texts) for j in range(codes.shape[1])], codes=codes)


def with_constant(table: np.ndarray) -> np.ndarray:
    return np.column_stack([np.zeros_like(table[:, 0]), table[:, 1:]])


def with_copy(table: np.ndarray) -> np.ndarray:
    return np.column_stack([table[:, 1], table[:, 1:]])


def with_gap(values: np.ndarray) -> np.ndarray:
    return np.where(np.arange(len(values))[:, None] == [[1, -1, 2, -1, -1]], np.nan, values)


def with_missing_code(codes: np.ndarray) -> Dataset:
    frame = pd.DataFrame(codes.astype(str), columns=[f"V{j}" for j in range(codes.shape[1])])
    frame.iloc[1, 0] = frame.iloc[2, 2] = None
    return read_data(frame.astype("category"))


BAD: dict[str, tuple[Callable[[], Dataset], Callable[[], Dataset]]] = {
    "constant": (
        lambda: from_values(with_constant(continuous(40))),
        lambda: from_codes(with_constant(codes_of(40))),
    ),
    "copy": (
        lambda: from_values(with_copy(continuous(40))),
        lambda: from_codes(with_copy(codes_of(40))),
    ),
    "more variables than rows": (
        lambda: from_values(continuous(6, 12)),
        lambda: from_codes(codes_of(6, 12)),
    ),
    "one row": (lambda: from_values(continuous(1)), lambda: from_codes(codes_of(1))),
    "two rows": (lambda: from_values(continuous(2)), lambda: from_codes(codes_of(2))),
    "huge numbers": (
        lambda: from_values(continuous(30) * 1e150),
        lambda: from_codes(codes_of(30, levels=1), 1),
    ),
    "63 levels": (
        lambda: from_values(np.round(continuous(50))),
        lambda: from_codes(codes_of(50, levels=63), 63),
    ),
    "gaps": (
        lambda: from_values(with_gap(continuous(30))),
        lambda: with_missing_code(codes_of(30)),
    ),
}


def check_answers(data: Dataset, name: str) -> None:
    test = independence_test(data, name, replicates=20 if "mc-" in name else None)
    names = data.names
    for given in ([], [names[2]], [names[2], names[3]], list(names[2:])):
        found = test.test(names[0], names[1], given)
        assert 0 <= found.p_value <= 1, (name, given, found)
        assert not np.isnan(found.statistic)
        assert test.independent(names[0], names[1], given, alpha=0.05) in {True, False}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("name", NAMES)
def test_a_probability_or_a_message(name: str, case: str) -> None:
    base = name.removesuffix(DELETION).removesuffix(IMPUTATION)
    for kind, make in zip(("continuous", "discrete"), BAD[case], strict=True):
        if kind not in known_tests()[base].takes:
            continue
        data = make()
        too_short = case == "two rows" and name == "sem-bic"
        if case == "one row" or too_short or (case == "gaps" and base == name):
            with pytest.raises(DataError, match=r"at least \d rows|missing values"):
                independence_test(data, name)
        else:
            check_answers(data, name)


@pytest.mark.parametrize(
    "name", [n for n, kind in known_tests().items() if not kind.leaves_out_rows]
)
def test_deletion_is_refused_where_it_is_not_there(name: str) -> None:
    kind = "continuous" if "continuous" in known_tests()[name].takes else "discrete"
    data = from_values(continuous(30)) if kind == "continuous" else from_codes(codes_of(30))
    with pytest.raises(
        DataError, match=r"cannot leave out rows with missing values; impute them first"
    ):
        independence_test(data, name + DELETION)

"""Large files: what is held while they are read, and what is used where it lies."""

from __future__ import annotations

import math
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dagathlon import _core
from dagathlon.data import Dataset, Variable, read_data, write_data
from dagathlon.data.reading import column_plan
from dagathlon.errors import DataError


def made(n_rows: int, n_discrete: int = 5, n_continuous: int = 3) -> Dataset:
    rng = np.random.default_rng(1)
    discrete = [Variable(f"D{j}", ("high", "low", "normal")) for j in range(n_discrete)]
    continuous = [Variable(f"C{j}") for j in range(n_continuous)]
    codes = rng.integers(0, 3, (n_discrete, n_rows), dtype=np.uint8).T
    return Dataset([*discrete, *continuous], codes, rng.normal(size=(n_rows, n_continuous)))


def test_a_large_arrow_file_is_used_where_it_lies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, path = made(1001), tmp_path / "d.arrow"
    write_data(data, path)
    copied = read_data(path)
    monkeypatch.setattr(column_plan, "LEAST_MAPPED", 0)
    mapped = read_data(path)
    path.unlink()  # the pages stay as long as somebody uses them
    assert copied == mapped == data
    assert mapped.fingerprint == data.fingerprint
    assert not mapped.codes.flags.owndata
    assert mapped.codes.strides[1] > copied.codes.strides[1]  # columns begin at multiples of 8
    assert not mapped.codes.flags.writeable
    assert not mapped.values.flags.writeable


@pytest.mark.parametrize("gap", ["codes", "values"])
def test_files_with_gaps_are_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gap: str
) -> None:
    whole = made(100)
    codes, values = whole.codes.copy(), whole.values.copy()
    if gap == "codes":
        codes[3, 1] = 255
    else:
        values[3, 1] = math.nan
    data = Dataset(whole.variables, codes, values)
    write_data(data, tmp_path / "d.arrow")
    monkeypatch.setattr(column_plan, "LEAST_MAPPED", 0)
    assert read_data(tmp_path / "d.arrow") == data


def test_tables_of_others_are_never_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_plan, "LEAST_MAPPED", 0)
    matrix = np.asfortranarray(np.random.default_rng(1).normal(size=(50, 3)))
    data = read_data(matrix)
    before = data.fingerprint
    matrix[:] = 0
    assert data[:].fingerprint == before


def test_batches_of_a_parquet_file_that_differ(tmp_path: Path) -> None:
    path = tmp_path / "d.parquet"
    words = [f"w{i:03}" for i in range(70_000 // 200)] * 200
    numbers = [1, 2, 3] * 20_000 + list(range(10_000))
    table = pa.table({"A": words, "B": numbers, "C": [i % 3 for i in range(70_000)]})
    pq.write_table(table, path, row_group_size=1000)
    found = read_data(path)
    assert found == read_data(table)
    assert found.arities == (350, 3)


def test_batches_of_few_labels_that_have_many_together(tmp_path: Path) -> None:
    """The labels of each batch have numbers of a byte."""
    words = [f"w{i // 500:03}" for i in range(150_000)]
    pq.write_table(pa.table({"A": words}), tmp_path / "d.parquet", row_group_size=50_000)
    found = read_data(tmp_path / "d.parquet")
    assert found.arities == (300,)
    assert found.column("A").tolist() == [i // 500 for i in range(150_000)]


def test_batches_whose_numbers_need_all_bits(tmp_path: Path) -> None:
    """Some batches are of small numbers and kept as bytes, another has more than int64 holds."""
    path = tmp_path / "d.parquet"
    numbers = pa.array([1, 2, 3] * 30_000 + [2**63 + 5], pa.uint64())
    pq.write_table(pa.table({"A": numbers, "B": [i % 2 for i in range(len(numbers))]}), path)
    assert read_data(path).column("A").tolist() == [float(n) for n in numbers.to_pylist()]


def test_batches_of_labels_one_of_which_is_null() -> None:
    """Each batch has a list of labels of its own, and null is one of them."""
    parts = [
        pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(labels))
        for labels in (["b", None, "a"], ["a", "c", None])
    ]
    found = read_data(pa.table({"A": pa.chunked_array(parts)}))
    assert found.variables[0].levels == ("a", "b", "c")
    assert found.column("A").tolist() == [1, 255, 0, 0, 2, 255]


_MEASURED = """
import sys, warnings
from dagathlon.data import read_data
warnings.simplefilter("ignore")
def peak():
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
read_data(sys.argv[2])
before = peak()
read_data(sys.argv[1])
print(peak() - before)
"""


@pytest.mark.slow
def test_codes_of_a_parquet_file_take_bytes(tmp_path: Path) -> None:
    large, small = tmp_path / "large.parquet", tmp_path / "small.parquet"
    write_data(made(2_000_000, 50, 0), large)
    write_data(made(100, 50, 0), small)
    command = [sys.executable, "-c", _MEASURED, str(large), str(small)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    cells = 2_000_000 * 50
    # The narrow batches and the codes, and what the reader of a row group holds.
    assert int(done.stdout) < 4 * cells


@pytest.mark.parametrize("n_rows", [8191, 8192, 8200, 20_001])
def test_moments_by_parts_are_exact(n_rows: int) -> None:
    rng = np.random.default_rng(2)
    values = np.asfortranarray(rng.normal(size=(n_rows, 4)) + np.array([0.0, 1e6, -1e8, 3.0]))
    values[:, 3] = values[:, 0] + rng.normal(size=n_rows)
    test = _core.gaussian_test(values, "fisher-z", 1.0, False)
    for i, j in ((0, 1), (0, 3), (1, 2)):
        expected = math.sqrt(n_rows - 3) * math.atanh(exact_correlation(values[:, [i, j]]))
        assert test.test(i, j, [])[0] == pytest.approx(expected, rel=1e-8)


def test_parts_change_no_digit() -> None:
    """Of many columns all rows are centred at once, of a few of them part by part."""
    values = np.asfortranarray(np.random.default_rng(3).normal(3, size=(9001, 150)))
    assert 9001 < 64 * 150
    at_once, by_parts = (
        _core.gaussian_test(columns, "fisher-z", 1.0, False) for columns in (values, values[:, :6])
    )
    for i, j in ((0, 1), (2, 5), (3, 4)):
        assert at_once.test(i, j, []) == by_parts.test(i, j, [])


def exact_correlation(pair: np.ndarray) -> float:
    """By fractions, without any rounding before the last step."""
    x, y = ([Fraction(float(entry)) for entry in column] for column in pair.T)
    n = len(x)
    mean_x, mean_y = sum(x) / n, sum(y) / n
    products = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    squares = sum((a - mean_x) ** 2 for a in x) * sum((b - mean_y) ** 2 for b in y)
    return float(products) / math.sqrt(squares)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pa.table({"A": [[1], [2]]}), r"column 'A': values of type list<.*> are neither"),
        (pa.table({"A": [{"x": 1}, {"x": 2}]}), r"column 'A': values of type struct<.*> are"),
    ],
)
@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_nested_columns_are_named(
    tmp_path: Path, table: pa.Table, message: str, ending: str
) -> None:
    path = tmp_path / f"d.{ending}"
    if ending == "parquet":
        pq.write_table(table, path)
    else:
        with pa.ipc.new_file(str(path), table.schema) as file:
            file.write_table(table)
    with pytest.raises(DataError, match=message):
        read_data(path)

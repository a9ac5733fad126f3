"""Continuous files larger than what may be held: the same moments and graphs, no row at hand."""

from __future__ import annotations

import io
import math
import os
import pickle
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from memory_held import held

from dagathlon import _core, learn
from dagathlon.data import Dataset, Variable, read_data
from dagathlon.data.reading import rows_in_file
from dagathlon.data.reading.rows_in_file import FileDataset, RowsInFileError, RowsOfFile
from dagathlon.data.reading.table_files import table_batches
from dagathlon.data.reading.unpacking import MOST_UNPACKED
from dagathlon.data.writing.write_csv import write_csv
from dagathlon.errors import DataError
from dagathlon.study.engine.fixed import read_fixed_data

LIMIT = 200_000
N_ROWS, N_COLUMNS = 9001, 7


@pytest.fixture(scope="module")
def whole() -> Dataset:
    """Linear data whose means are far from 0."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=(N_ROWS, N_COLUMNS))
    for j in range(1, N_COLUMNS):
        values[:, j] += 0.6 * values[:, rng.integers(j)]
    values += 1e6 * np.arange(N_COLUMNS)
    return Dataset([Variable(f"X{j}") for j in range(N_COLUMNS)], values=values)


def _parquet(table: pa.Table, path: Path) -> None:
    pq.write_table(table, path, row_group_size=1003)


def _arrow(table: pa.Table, path: Path) -> None:
    with pa.ipc.new_file(path, table.schema) as file:
        file.write_table(table)


def _batches(table: pa.Table, path: Path) -> None:
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_file(path, table.schema, options=options) as file:
        file.write_table(table, max_chunksize=777)


FORMS = [("d.parquet", _parquet), ("d.arrow", _arrow), ("d.feather", _batches)]


@pytest.fixture(params=FORMS, ids=[name for name, _ in FORMS])
def large(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    whole: Dataset,
    monkeypatch: pytest.MonkeyPatch,
) -> Dataset:
    name, write = request.param
    write(whole.to_arrow(), tmp_path / name)
    monkeypatch.setenv(MOST_UNPACKED, str(LIMIT))
    return read_data(tmp_path / name)


def test_moments_to_the_last_digit(large: Dataset, whole: Dataset) -> None:
    assert isinstance(large, FileDataset)
    expected, found = _core.moments(whole.values), large.known_moments
    assert (found.rows, found.means) == (N_ROWS, expected.means)
    np.testing.assert_array_equal(found.scatter(), expected.scatter())
    np.testing.assert_array_equal(large.ranges, whole.ranges)
    names = ["X5", "X0", "X3"]
    chosen, part = large.select(names), _core.moments(whole.select(names).values)
    assert chosen.known_moments is not None
    assert chosen.known_moments.means == part.means
    np.testing.assert_array_equal(chosen.known_moments.scatter(), part.scatter())


@pytest.mark.parametrize("n_rows", [1, 7, 4096, 4097, 12_288, 20_000])
def test_moments_of_blocks(n_rows: int) -> None:
    values = np.asfortranarray(np.random.default_rng(n_rows).normal(1e5, size=(n_rows, 5)))
    found = _core.BlockMoments(5)
    again = True
    while again:
        for start in range(0, n_rows, 8192):
            found.add(values[start : start + 8192])
        again = found.next_pass()
    expected = _core.moments(values)
    assert found.finished().means == expected.means
    np.testing.assert_array_equal(found.finished().scatter(), expected.scatter())


def test_blocks_must_be_whole_and_passes_alike() -> None:
    found = _core.BlockMoments(2)
    found.add(np.zeros((10, 2)))
    with pytest.raises(RuntimeError, match="no block follows the last"):
        found.add(np.zeros((10, 2)))
    found.next_pass()
    found.add(np.zeros((9, 2)))
    with pytest.raises(ValueError, match="every pass has the same rows"):
        found.next_pass()


@pytest.mark.parametrize("spec", ["pc", "hc", "fges", "boss"])
def test_the_same_graph(large: Dataset, whole: Dataset, spec: str) -> None:
    found, expected = learn(large, spec), learn(whole, spec)
    assert found.graph == expected.graph
    assert found.stats.get("score") == expected.stats.get("score")


@pytest.mark.parametrize(
    "needs_rows",
    [
        lambda data: data.values,
        lambda data: data.to_matrix(),
        lambda data: data.to_arrow(),
        lambda data: write_csv(data, io.BytesIO(), ",", labels=False),
        lambda data: learn(data, "direct_lingam"),
        lambda data: learn(data, "pc", test="zf-ranks"),
        lambda data: learn(data, "pc", test="rcot"),
        lambda data: learn(data, "bootstrap"),
        lambda data: data.take(np.arange(N_ROWS)),
    ],
)
def test_what_needs_the_rows_says_so(
    large: Dataset, needs_rows: Callable[[Dataset], object]
) -> None:
    with pytest.raises(
        RowsInFileError, match=r"unpacks to more than 200,000 bytes, .*data\[::100\]"
    ):
        needs_rows(large)


def test_a_study_takes_no_such_file(
    tmp_path: Path, whole: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    _parquet(whole.to_arrow(), tmp_path / "d.parquet")
    assert read_fixed_data(str(tmp_path / "d.parquet")) == whole
    monkeypatch.setenv(MOST_UNPACKED, str(LIMIT))
    with pytest.raises(DataError, match="a study keeps a copy of its data"):
        read_fixed_data(str(tmp_path / "d.parquet"))


def test_samples_columns_and_facts(large: Dataset, whole: Dataset) -> None:
    assert repr(large) == repr(whole)
    assert large[::100] == whole[::100]
    assert large[5:9].take([3, 0, 3]) == whole.take([8, 5, 8])
    np.testing.assert_array_equal(large.column("X4"), whole.column("X4"))
    assert large.fingerprint == whole.fingerprint
    assert large.summary() == whole.summary()
    assert not large.has_missing


def test_the_file_is_found_from_another_folder(
    tmp_path: Path, whole: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    _parquet(whole.to_arrow(), tmp_path / "d.parquet")
    monkeypatch.setenv(MOST_UNPACKED, str(LIMIT))
    monkeypatch.chdir(tmp_path)
    data = read_data("d.parquet")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    for found in (data, pickle.loads(pickle.dumps(data)), data.select(data.names)):
        assert found[:100] == whole[:100]
    with pytest.raises(RowsInFileError, match=r"^d\.parquet: unpacks"):
        data.require_rows()


def test_pickled(large: Dataset) -> None:
    again = pickle.loads(pickle.dumps(large))
    assert again == large
    assert again.known_moments.means == large.known_moments.means  # type: ignore[union-attr]


def test_few_columns_are_read(
    tmp_path: Path, whole: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    _parquet(whole.to_arrow(), tmp_path / "d.parquet")
    monkeypatch.setenv(MOST_UNPACKED, str(LIMIT))
    found = read_data(tmp_path / "d.parquet", keep=["X4", "X1"])
    assert type(found) is Dataset
    assert found == whole.select(["X1", "X4"])


def test_constant_columns_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    table = pa.table({"A": rng.normal(size=20_000), "B": np.full(20_000, 2.5)})
    _parquet(table, tmp_path / "d.parquet")
    monkeypatch.setenv(MOST_UNPACKED, str(LIMIT))
    with pytest.warns(UserWarning, match="column 'B' with one value only"):
        read_data(tmp_path / "d.parquet")


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (None, r"row 8001, column 'B': a missing value\. .* DAGATHLON_MAX_UNPACKED"),
        (math.nan, r"row 8001, column 'B': a missing value"),
        (-999.0, r"row 8001, column 'B': a missing value"),
        (math.inf, r"row 8001, column 'B': found an infinite"),
    ],
)
def test_what_is_no_number_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: float | None, message: str
) -> None:
    numbers: list[float | None] = np.random.default_rng(2).normal(size=20_000).tolist()
    table = pa.table({"A": numbers, "B": [*numbers[:8000], entry, *numbers[8001:]]})
    _parquet(table, tmp_path / "d.parquet")
    monkeypatch.setenv(MOST_UNPACKED, str(LIMIT))
    with pytest.raises(DataError, match=message):
        read_data(tmp_path / "d.parquet", missing=["-999"])


@pytest.mark.parametrize("kind", ["labels", "marks"])
def test_other_columns_are_refused_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    numbers = np.random.default_rng(2).normal(size=20_000)
    other = ["a", "b"] * 10_000 if kind == "labels" else [True, False] * 10_000
    table = pa.table({"A": numbers, "B": numbers, "do(A)": other})
    _parquet(table, tmp_path / "d.parquet")
    monkeypatch.setenv(MOST_UNPACKED, str(LIMIT))
    with pytest.raises(DataError, match=r"d\.parquet: unpacks to more than 200,000 bytes; if"):
        read_data(tmp_path / "d.parquet")


def test_whole_numbers_and_halves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    table = pa.table(
        {"A": rng.integers(0, 9, 30_000), "B": rng.normal(size=30_000).astype(np.float32)}
    )
    _parquet(table, tmp_path / "d.parquet")
    whole = read_data(table, kinds="continuous")
    monkeypatch.setenv(MOST_UNPACKED, str(LIMIT))
    found = read_data(tmp_path / "d.parquet", kinds="continuous")
    assert found.known_moments is not None
    expected = _core.moments(whole.values)
    np.testing.assert_array_equal(found.known_moments.scatter(), expected.scatter())


@pytest.mark.parametrize("form", FORMS, ids=[name for name, _ in FORMS])
def test_interventions_are_never_lost(
    tmp_path: Path,
    whole: Dataset,
    monkeypatch: pytest.MonkeyPatch,
    form: tuple[str, Callable[[pa.Table, Path], None]],
) -> None:
    path = tmp_path / form[0]
    marks = pa.array(np.arange(N_ROWS) % 2 == 0)
    form[1](whole.to_arrow().append_column("do(X1)", marks), path)
    others = [name for name in whole.names if name != "X1"]
    assert read_data(path, keep=whole.names).targets is not None
    monkeypatch.setenv(MOST_UNPACKED, str(LIMIT))
    for names in (whole.names, ["X0", "X1"]):
        with pytest.raises(DataError, match=r"unpacks to more than 200,000 bytes; if"):
            read_data(path, keep=names)
    assert read_data(path, drop=["X1"]).names == tuple(others)
    assert read_data(path, keep=["X0", "X2"]) == whole.select(["X0", "X2"])
    with pytest.raises(DataError, match=r"unknown column 'do\(X1\)'"):
        read_data(path, drop=["do(X1)"])


def test_gaps_in_few_columns_are_read(
    tmp_path: Path, whole: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = whole.values.copy()
    values[[5, 8000], 1] = math.nan
    with_gaps = Dataset(whole.variables, values=values)
    _parquet(with_gaps.to_arrow(), tmp_path / "d.parquet")
    monkeypatch.setenv(MOST_UNPACKED, str(LIMIT))
    assert read_data(tmp_path / "d.parquet", keep=["X1", "X3"]) == with_gaps.select(["X1", "X3"])
    with pytest.raises(DataError, match=r"row 6, column 'X1': a missing value"):
        read_data(tmp_path / "d.parquet")


def test_infinite_numbers_behind_gaps_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = np.random.default_rng(2).normal(size=20_000)
    odd = numbers.copy()
    odd[3], odd[15_000] = math.nan, math.inf
    _parquet(pa.table({"A": numbers, "B": odd}), tmp_path / "d.parquet")
    monkeypatch.setenv(MOST_UNPACKED, str(LIMIT))
    with pytest.raises(DataError, match=r"row 15001, column 'B': found an infinite"):
        read_data(tmp_path / "d.parquet", keep=["B"])


NEEDS: list[Callable[[Dataset], object]] = [
    lambda data: learn(data, "pc"),
    lambda data: data.column("X1"),
    lambda data: data.take([N_ROWS - 1, 0]),
    lambda data: data[:5],
]


@pytest.mark.parametrize("rows", [5000, 2 * N_ROWS])
def test_a_file_of_other_rows(
    tmp_path: Path, whole: Dataset, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    """Though size and time say that it is the same."""
    path = tmp_path / "d.parquet"
    _parquet(whole.to_arrow(), path)
    monkeypatch.setenv(MOST_UNPACKED, str(LIMIT))
    monkeypatch.setattr(RowsOfFile, "_stamp_now", lambda _: (0, 0))
    data = read_data(path)
    _parquet(whole.take(np.arange(rows) % N_ROWS).to_arrow(), path)
    for need in NEEDS[: 3 if rows < N_ROWS else 2]:
        with pytest.raises(DataError, match=r"does not have 9,001 rows as when"):
            need(data)


@pytest.mark.parametrize("need", NEEDS)
def test_a_file_that_changes(
    large: Dataset, whole: Dataset, need: Callable[[Dataset], object]
) -> None:
    """To other values in as many rows."""
    path = large._rows.place  # type: ignore[attr-defined]
    dict(FORMS)[path.name](whole.take(np.arange(N_ROWS)[::-1]).to_arrow(), path)
    os.utime(path, ns=(0, 0))  # the same bytes within one tick of the file system's clock
    with pytest.raises(DataError, match=r"has changed since it was opened"):
        need(large)


@pytest.mark.parametrize("need", NEEDS)
def test_a_file_that_is_gone(large: Dataset, need: Callable[[Dataset], object]) -> None:
    large._rows.place.unlink()  # type: ignore[attr-defined]
    with pytest.raises(DataError, match="there is no such file"):
        need(large)


@pytest.mark.parametrize("need", NEEDS)
@pytest.mark.parametrize("change", ["columns", "text", "no table"])
def test_a_file_that_is_another_one(
    large: Dataset,
    whole: Dataset,
    monkeypatch: pytest.MonkeyPatch,
    change: str,
    need: Callable[[Dataset], object],
) -> None:
    """Though size and time say that it is the same."""
    rows: RowsOfFile = large._rows  # type: ignore[attr-defined]
    monkeypatch.setattr(RowsOfFile, "_stamp_now", lambda _: rows.stamp)
    table = whole.to_arrow()
    if change == "no table":
        rows.place.write_bytes(b"no table")
    else:
        words = pa.array(["a word"] * N_ROWS)
        columns = {"columns": [*table.columns[:1]], "text": [words] * N_COLUMNS}[change]
        dict(FORMS)[rows.place.name](
            pa.table(columns, names=list(whole.names[: len(columns)])), rows.place
        )
    with pytest.raises(DataError, match=r"not a readable table|cannot open this file"):
        need(large)


def test_a_file_that_changes_during_a_pass(large: Dataset) -> None:
    rows: RowsOfFile = large._rows  # type: ignore[attr-defined]
    blocks = rows.blocks(large.names)
    next(blocks)
    os.utime(rows.place, ns=(0, 0))
    with pytest.raises(DataError, match=r"has changed since it was opened"):
        list(blocks)


def test_a_notebook_goes_over_the_file_once(
    large: Dataset, whole: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    passes = []

    def noted(*given: Any) -> Iterator[pa.RecordBatch]:
        passes.append(given)
        return table_batches(*given)

    monkeypatch.setattr(rows_in_file, "table_batches", noted)
    assert large._repr_html_() == whole._repr_html_()
    assert len(passes) == 1


@pytest.mark.parametrize(
    ("name", "column", "message"),
    [
        ("K", np.ones(8000), "column 'K' with one value only"),
        ("K", np.arange(8000.0) // 2000, None),
        ("id", np.arange(8000.0), "column 'id' with another value in each row"),
        ("id", np.arange(8000.0) ** 2, None),
    ],
)
def test_a_column_larger_than_the_limit_is_judged(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    column: np.ndarray[Any, Any],
    message: str | None,
) -> None:
    table = pa.table({"A": np.random.default_rng(2).normal(size=8000), name: column})
    _parquet(table, tmp_path / "d.parquet")
    monkeypatch.setenv(MOST_UNPACKED, "60000")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        data = read_data(tmp_path / "d.parquet")
    assert isinstance(data, FileDataset)
    assert [message in str(one.message) for one in said if message] == [True] * bool(message)
    assert len(said) == bool(message)


def test_a_wide_file_of_few_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({f"X{j}": np.arange(20.0) * j % 7 for j in range(1, 400)})
    _parquet(table, tmp_path / "d.parquet")
    monkeypatch.setenv(MOST_UNPACKED, "60000")
    with pytest.warns(UserWarning, match="columns 'X7', 'X14', .* with one value only"):
        data = read_data(tmp_path / "d.parquet")
    assert not data.has_rows


def test_batches_of_wide_files_have_few_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = pa.table({f"X{j}": np.arange(30_000.0) for j in range(200)})
    pq.write_table(table, tmp_path / "d.parquet")
    seen = []

    def noted(*given: Any) -> Iterator[pa.RecordBatch]:
        for batch in table_batches(*given):
            seen.append(batch.num_rows * batch.num_columns * 8)
            yield batch

    monkeypatch.setattr(rows_in_file, "table_batches", noted)
    monkeypatch.setenv(MOST_UNPACKED, str(10 * LIMIT))
    assert isinstance(read_data(tmp_path / "d.parquet"), FileDataset)
    assert max(seen) <= 2**25
    assert len(seen) > 1


@pytest.mark.slow
@pytest.mark.parametrize(("name", "write"), [("d.parquet", pq.write_table), ("d.arrow", _arrow)])
def test_what_is_held(tmp_path: Path, name: str, write: Callable[..., None]) -> None:
    """Of a file of 320 MB some blocks, beside the pages of the file itself."""
    rng = np.random.default_rng(3)
    table = pa.table({f"X{j}": rng.normal(size=2_000_000) for j in range(20)})
    write(table, tmp_path / f"large-{name}")
    write(table.slice(0, 90_000), tmp_path / f"small-{name}")
    files = (tmp_path / f"{size}-{name}" for size in ("large", "small"))
    is_in_file = 'type(data).__name__ == "FileDataset"'
    assert held(*files, 'learn(data, "pc")', is_in_file, 10_000_000) < 200_000_000

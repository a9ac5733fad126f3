"""Small files that hold more than the machine has are refused while they are read."""

from __future__ import annotations

import contextlib
import gzip
import os
import threading
import zlib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dagathlon.data import read_data
from dagathlon.data.reading.unpacking import MOST_UNPACKED, most_unpacked, unpacked
from dagathlon.errors import DataError

LIMIT = 1_000_000
TOO_MUCH = r"unpacks to more than 1,000,000 bytes; .* environment variable DAGATHLON_MAX_UNPACKED"


@pytest.fixture
def limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MOST_UNPACKED, str(LIMIT))


def test_the_limit_is_what_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(MOST_UNPACKED, raising=False)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert most_unpacked() == min(4 * 2**30, memory // 2)
    monkeypatch.setenv(MOST_UNPACKED, "17")
    assert most_unpacked() == 17
    monkeypatch.setenv(MOST_UNPACKED, "much")
    with pytest.raises(DataError, match="found 'much', expected a number of bytes"):
        most_unpacked()


@pytest.mark.usefixtures("limited")
def test_text_in_gzip(tmp_path: Path) -> None:
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"A,B\n" + b"1.5,2\n" * 10**6))
    with pytest.raises(DataError, match=TOO_MUCH) as refused:
        read_data(path)
    assert str(refused.value).startswith(f"{path}: ")
    path.write_bytes(gzip.compress(b"A,B\n1.5,2\n2.5,3\n"))
    assert read_data(path).names == ("A", "B")


@pytest.mark.usefixtures("limited")
def test_a_bomb_in_several_members(tmp_path: Path) -> None:
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"A,B\n") + 20 * gzip.compress(b"1.5,2\n" * 10**4))
    with pytest.raises(DataError, match=TOO_MUCH):
        read_data(path)


@pytest.mark.usefixtures("limited")
def test_a_pipe_without_an_end(tmp_path: Path) -> None:
    path = tmp_path / "pipe.csv"
    os.mkfifo(path)

    def write() -> None:
        pipe = os.open(path, os.O_WRONLY)
        with contextlib.suppress(BrokenPipeError):
            while True:
                os.write(pipe, b"1.5,2\n" * 10**4)
        os.close(pipe)

    writer = threading.Thread(target=write)
    writer.start()
    with pytest.raises(DataError, match=TOO_MUCH):
        read_data(path)
    writer.join()


def table(rows: int) -> pa.Table:
    return pa.table({"A": np.zeros(rows), "B": np.ones(rows)})


def written(path: Path, content: pa.Table, compression: str | None) -> None:
    if path.suffix == ".parquet":
        pq.write_table(content, path, compression=compression or "none")
        return
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_file(path, content.schema, options=options) as file:
        file.write_table(content, max_chunksize=60_000)


FILES = [("d.parquet", "zstd"), ("d.parquet", None), ("d.arrow", "zstd"), ("d.arrow", "lz4")]


@pytest.mark.usefixtures("limited")
@pytest.mark.parametrize(("name", "compression"), FILES)
def test_tables(tmp_path: Path, name: str, compression: str | None) -> None:
    path = tmp_path / name
    words = pa.array(["yes", "no"] * 100_000).dictionary_encode()
    written(path, table(200_000).append_column("C", words), compression)
    assert path.stat().st_size < LIMIT / 20
    with pytest.raises(DataError, match=TOO_MUCH) as refused:
        read_data(path)
    assert str(refused.value).startswith(f"{path}: ")


@pytest.mark.usefixtures("limited")
@pytest.mark.parametrize("compression", ["zstd", "lz4"])
def test_a_batch_that_is_too_large_alone(tmp_path: Path, compression: str) -> None:
    path = tmp_path / "d.arrow"
    numbers = pa.table({"A": np.zeros(200_000), "B": np.ones(200_000)})
    with pa.ipc.new_file(
        path, numbers.schema, options=pa.ipc.IpcWriteOptions(compression=compression)
    ) as file:
        file.write_table(numbers)
    with pytest.raises(DataError, match=TOO_MUCH):
        read_data(path)


@pytest.mark.usefixtures("limited")
@pytest.mark.filterwarnings("ignore::dagathlon.errors.DataWarning")
@pytest.mark.parametrize(("name", "compression"), [*FILES, ("d.arrow", None)])
def test_tables_within_the_limit(tmp_path: Path, name: str, compression: str | None) -> None:
    path = tmp_path / name
    words = pa.array(["yes", "no"] * 500).dictionary_encode()
    content = table(1000).append_column("C", words)
    written(path, content, compression)
    data = read_data(path)
    assert len(data) == 1000
    assert data.column("C").tolist() == [1, 0] * 500


@pytest.mark.usefixtures("limited")
def test_rows_without_bytes(tmp_path: Path) -> None:
    """A column of nulls takes no space in an Arrow file, however long it is."""
    path = tmp_path / "d.arrow"
    written(path, pa.table({"A": pa.nulls(10**8)}), None)
    assert path.stat().st_size < LIMIT
    with pytest.raises(DataError, match=TOO_MUCH):
        read_data(path)


@pytest.mark.usefixtures("limited")
def test_the_file_s_own_account_is_not_believed(tmp_path: Path) -> None:
    path = tmp_path / "d.parquet"
    numbers = pa.array([10**6 + i % 7 for i in range(200_000)])
    written(path, pa.table({"A": numbers}), "zstd")
    about = pq.ParquetFile(path).metadata
    assert about.row_group(0).total_byte_size < LIMIT  # the numbers stand there once each
    with pytest.raises(DataError, match=TOO_MUCH):
        read_data(path)


@pytest.mark.usefixtures("limited")
def test_packed_bytes() -> None:
    assert unpacked(zlib.compress(b"x" * LIMIT)) == b"x" * LIMIT
    with pytest.raises(DataError, match=TOO_MUCH):
        unpacked(zlib.compress(b"x" * (LIMIT + 1)))
    with pytest.raises(zlib.error, match="ends too early"):
        unpacked(zlib.compress(b"x" * 100)[:-1])
    with pytest.raises(zlib.error, match="4 bytes follow its end"):
        unpacked(zlib.compress(b"x" * 100) + b"more")

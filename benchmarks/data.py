"""Reading text files and fingerprints, against pyarrow's own CSV reader, one core for both.

The goal is to take no more than pyarrow's time for labels and wide files, to the same product: of
labels that is numbers and a dictionary. Of the others it is no more than twice: a ratio of 0.5.
pyarrow reads blocks of a megabyte, or of more where a line is longer.
"""

from __future__ import annotations

import functools
import itertools
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv

from benchmarks.timing import Row, Timing, best_of, compare, pick, print_table, row
from dagathlon.data import Dataset, Variable, read_data, write_data

ROWS, COLUMNS, REPEATS = pick(500_000, 2000), 40, 3
WIDE = (
    ("codes", 50, 10_000),
    ("floats", 30, 10_000),
    ("floats", 200, pick(10_000, 1000)),
    ("codes", 5, pick(100_000, 10_000)),
)


def run() -> list[Row]:
    rows = []
    pa.set_cpu_count(1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.csv"
        for kind in ("codes", "labels", "quoted labels", "floats"):
            write_data(make(kind), path, labels=kind.endswith("labels"))
            rows.append(reading(f"read {ROWS:,} × {COLUMNS} {kind}", path, kind.endswith("labels")))
        for kind, n_rows, n_columns in WIDE:
            write_data(make(kind, n_rows, n_columns), path)
            rows.append(reading(f"read {n_rows:,} × {n_columns:,} {kind}", path))
    return [*rows, hashing("codes"), hashing("floats")]


def reading(what: str, path: Path, labels: bool = False) -> Row:
    converting = pa_csv.ConvertOptions(auto_dict_encode=labels)
    with path.open("rb") as stream:
        longest = max(map(len, itertools.islice(stream, 3)))
    alone = pa_csv.ReadOptions(use_threads=False, block_size=max(1 << 20, 2 * longest))

    def peer() -> tuple[Timing, str, str]:
        size = f"{path.stat().st_size / 1e6:.0f} MB of text"
        call = functools.partial(pa_csv.read_csv, path, alone, convert_options=converting)
        return best_of(call, REPEATS), "", f"{size}{', to dictionaries' if labels else ''}"

    ours = best_of(lambda: read_data(path), REPEATS)
    return compare(what, ours, "pyarrow.csv", "pyarrow", peer)


def make(kind: str, n_rows: int = ROWS, n_columns: int = COLUMNS) -> Dataset:
    rng = np.random.default_rng(1)
    names = [f"X{j}" for j in range(n_columns)]
    if kind == "floats":
        values = rng.standard_normal((n_columns, n_rows)).T
        return Dataset(map(Variable, names), values=values)
    levels = {
        "codes": ("0", "1", "2"),
        "labels": ("high", "low", "normal"),
        "quoted labels": ("high", "low", "so, so"),
    }[kind]
    codes = rng.integers(0, 3, (n_columns, n_rows), dtype=np.uint8).T
    return Dataset([Variable(name, levels) for name in names], codes=codes)


def hashing(kind: str) -> Row:
    data = make(kind)
    seconds = best_of(lambda: data[:].fingerprint, REPEATS)
    size = (data.codes.nbytes + data.values.nbytes) / 1e6
    note = f"{size / float(seconds):.0f} MB/s"
    return row(f"fingerprint of {size:.0f} MB of {kind}", seconds, note=note)


if __name__ == "__main__":
    print_table(run())

"""Reading text files and fingerprints, against pyarrow's own CSV reader.

The goal is to take no more than twice pyarrow's time: a ratio of at least 0.5.
"""

from __future__ import annotations

import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
from benchmarks.timing import Row, print_table, row

from dagathlon.data import Dataset, Variable, read_data, write_data

ROWS, COLUMNS, REPEATS = 1_000_000, 40, 3


def run() -> list[Row]:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("codes", "labels", "quoted labels", "floats"):
            path = Path(folder) / "data.csv"
            write_data(make(kind), path, labels=kind.endswith("labels"))
            rows.append(reading(f"read {ROWS:,} × {COLUMNS} {kind}", path))
            rows[-1]["note"] += f"; {peaks(path)}"
        write_data(make("codes", n_rows=50, n_columns=10_000), path)
        rows.append(reading("read 50 × 10,000 codes", path))
    return [*rows, hashing("codes"), hashing("floats")]


def reading(what: str, path: Path) -> Row:
    """Times taken in turns in this process."""
    ours, peer = math.inf, math.inf
    for _ in range(REPEATS):
        ours = min(ours, seconds_of(lambda: read_data(path)))
        peer = min(peer, seconds_of(lambda: pa_csv.read_csv(path)))
    return row(what, ours, "pyarrow.csv.read_csv", peer, f"{path.stat().st_size >> 20} MiB of text")


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


def seconds_of(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def hashing(kind: str) -> Row:
    data = make(kind)
    seconds = min(seconds_of(lambda: data[:].fingerprint) for _ in range(REPEATS))
    size = (data.codes.nbytes + data.values.nbytes) / 1e6
    note = f"{size / seconds:.0f} MB/s"
    return row(f"fingerprint of {size:.0f} MB of {kind}", seconds, note=note)


def peaks(path: Path) -> str:
    """Peaks of memory, in a process each."""
    return f"peak {peak_of('ours', path):.0f} MiB against {peak_of('peer', path):.0f} MiB"


def peak_of(who: str, path: Path) -> float:
    command = [sys.executable, "-m", "benchmarks.data", who, str(path)]
    return float(subprocess.check_output(command))


def print_peak(who: str, path: str) -> None:
    before = peak_mib()
    kept = read_data(path) if who == "ours" else pa_csv.read_csv(path)
    print(peak_mib() - before if len(kept) >= ROWS else math.nan)


def peak_mib() -> float:
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print_peak(*sys.argv[1:])
    else:
        print(f"pyarrow {pa.__version__}, {pa.cpu_count()} threads, best of {REPEATS}")
        print_table(run())

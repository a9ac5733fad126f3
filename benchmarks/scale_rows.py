"""Searches on 50 discrete variables and ever more rows, from a file: time and memory of all of it.

A process of its own reads an Arrow file that it maps and searches once. There are no peers. The
memory is the peak of the whole process, the pages of the file that are in use included.
"""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._apart import apart
from benchmarks.inputs import random_dag, shd_to_truth
from benchmarks.timing import Row, Timing, pick, print_table, row, timed
from dagathlon.data import Dataset, Variable, read_data, write_data
from dagathlon.graphs import Graph
from dagathlon.learners import learn

VARIABLES, DEGREE = pick((50, 3.0), (10, 2.0))
ROWS = pick((10_000, 100_000, 1_000_000, 10_000_000), (1_000, 20_000))
LEARNERS = ("hc", "pc", "fges", "boss")
PATIENCE = pick(1_800.0, 10.0)
_PART = 1_000_000


def discrete_data(truth: Graph, n_rows: int, seed: int = 3) -> Dataset:
    """Rows of a network with random tables and 2 to 4 levels, drawn part by part."""
    rng = np.random.default_rng(seed)
    arcs = truth.marks == 2
    arities = rng.integers(2, 5, len(truth.names))
    parents = [np.flatnonzero(arcs[:, j]) for j in range(len(truth.names))]
    sizes = [int(arities[of].prod()) for of in parents]
    tables = [rng.dirichlet(np.ones(k), size) for k, size in zip(arities, sizes, strict=True)]
    codes = np.empty((len(truth.names), n_rows), np.uint8)
    for start in range(0, n_rows, _PART):
        part = codes[:, start : start + _PART]
        for name in truth.topological_order():
            j = truth.names.index(name)
            place = np.zeros(part.shape[1], np.intp)
            for parent in parents[j]:
                place = place * arities[parent] + part[parent]
            bounds = tables[j].cumsum(axis=1)[:, :-1]
            part[j] = (rng.random(len(place))[:, None] > bounds[place]).sum(axis=1)
    levels = [tuple(map(str, range(arity))) for arity in arities]
    return Dataset(map(Variable, truth.names, levels), codes=codes.T)


def measured(path: Path, learner: str) -> tuple[Timing, int, int]:
    """Time of reading and search, the peak of the process, and the distance to the true class."""
    learn(discrete_data(random_dag(6, 1), 100), learner)  # what a first call loads does not count
    seconds, found = timed(lambda: learn(read_data(path), learner), 0)
    status = Path("/proc/self/status").read_text().splitlines()
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    return seconds, 1024 * peak, shd_to_truth(found.graph, random_dag(VARIABLES, DEGREE))


def told(path: Path, learner: str, n_rows: int) -> Row:
    what = f"{learner} n={n_rows:,} p={VARIABLES} discrete, reading included"
    outcome: Any = apart(functools.partial(measured, path, learner), PATIENCE)
    if outcome.stopped:
        return row(what, Timing(PATIENCE, stopped=True), note=f"stopped after {PATIENCE:g} s")
    if outcome.failure:
        raise RuntimeError(f"{what}: {outcome.failure}")
    seconds, peak, distance = outcome.value
    note = f"peak of the process {peak / 1e6:,.0f} MB"
    return row(what, seconds, note=note, result=f"SHD {distance} to the true CPDAG")


def _written(path: Path, n_rows: int) -> None:
    write_data(discrete_data(random_dag(VARIABLES, DEGREE), n_rows), path)


def run() -> list[Row]:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.arrow"
        for n_rows in ROWS:
            # Apart, so that the memory of making the data is not that of the searches.
            made = apart(functools.partial(_written, path, n_rows))
            if made.failure:
                raise RuntimeError(made.failure)
            rows += [told(path, learner, n_rows) for learner in LEARNERS]
    return rows


if __name__ == "__main__":
    print_table(run())

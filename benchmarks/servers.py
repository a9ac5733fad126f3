"""What a server saves an external module: started for each run, and kept waiting."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._apart import apart
from benchmarks.timing import Row, Timing, best_of, pick, print_table, row
from dagathlon.data import Dataset, Variable
from dagathlon.errors import UnavailableError
from dagathlon.external import ExternalLearner, load_folder
from dagathlon.external.contract import RunInputs, write_inputs
from dagathlon.modules import find

ROWS, COLUMNS = pick((10_000, 100), (100, 5))
SMALL = """\
name = "small"
summary = "No edges."
command = ["{python}", "{{serve}}", "{{folder}}/learn.py"]
server = true
gives = "undirected"
"""
SCRIPT = """\
import csv, json
import numpy as np

def main():
    names = json.load(open("parameters.json"))["names"]
    with open("adjmat.csv", "w") as file:
        csv.writer(file).writerows([names, *np.zeros((len(names),) * 2, dtype=int).tolist()])

if __name__ == "__main__":
    main()
"""


def data(rows: int, columns: int) -> Dataset:
    values = np.random.default_rng(1).normal(size=(rows, columns))
    return Dataset([Variable(f"x{j}") for j in range(columns)], values=values)


def once(cls: type[ExternalLearner]) -> type[ExternalLearner]:
    """The same module, whose program is started for every run."""
    words = tuple(word for word in cls.manifest.command if word != "{serve}")
    manifest = replace(cls.manifest, server=False, command=words)
    return type(f"Once{cls.__name__}", (cls,), {"manifest": manifest})


def seconds_of(learner: Any, given: Dataset) -> Timing:
    """The time of a run; what a server computes is no child's time, so CPU is left out."""

    def measured() -> Timing:
        learner.warm_up()
        return best_of(lambda: learner.learn(given, np.random.default_rng(1)), 5)

    found = apart(measured)
    if found.failure:
        raise RuntimeError(found.failure)
    return Timing(float(found.value), found.value.slowest)


def against_cold(what: str, cls: type[ExternalLearner], values: dict[str, Any]) -> Row:
    given = data(100, 5)
    warm = seconds_of(cls.from_json(values), given)
    cold = seconds_of(once(cls).from_json(values), given)
    note = f"{float(cold - warm):.2g} s of each run are its start"
    return row(what, warm, "started for each run", cold, note)


def gcastle() -> Row:
    what, values = "gCastle's MCSL, 1 step", {"max_iter": 1, "iter_step": 1, "hidden_dim": 4}
    cls: Any = find("algorithm", "gcastle_mcsl")
    try:
        if cls.unavailable:
            raise UnavailableError(cls.unavailable)
        cls.prepare()
    except UnavailableError as error:
        return row(what, float("nan"), note=str(error))
    return against_cold(what, cls, values)


def exchange() -> Row:
    """What it takes to write the data for a program."""
    given = RunInputs("m", data(ROWS, COLUMNS), {}, 1)
    with tempfile.TemporaryDirectory() as folder:
        arrow = best_of(lambda: write_inputs(Path(folder), given, "arrow"), 5)
        text = best_of(lambda: write_inputs(Path(folder), given, "csv"), 5)
    return row(f"write {ROWS:,} rows of {COLUMNS} numbers as Arrow", arrow, "as CSV", text)


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "module.toml").write_text(SMALL.format(python=sys.executable))
        (folder / "learn.py").write_text(SCRIPT)
        small = against_cold("a Python script with NumPy, no edges", load_folder(folder), {})
    return [small, *(make() for make in pick([gcastle], [])), exchange()]


if __name__ == "__main__":
    print_table(run())

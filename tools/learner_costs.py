"""Measure how long learners take on data of several sizes, and fit the laws of `learners/costs.py`.

    python tools/learner_costs.py            # all learners that have no law yet
    python tools/learner_costs.py pc hc      # these, again
    python tools/learner_costs.py h2pc --kinds discrete --slow 1   # more of the larger sizes

Each run has a few seconds; sizes grow until one is too slow. Other laws that were measured before
stay as they are. Processor time, in units of a fixed work that is timed between the runs.
"""

from __future__ import annotations

import argparse
import json
import math
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np

from dagathlon.data import Dataset, Variable
from dagathlon.data.spec import DataKind, facts_of
from dagathlon.errors import DagathlonError
from dagathlon.external import ExternalLearner
from dagathlon.learners.base import Learner
from dagathlon.learners.costs import unit_of_work
from dagathlon.learners.meta_learner import MetaLearner
from dagathlon.learners.run import STOPPED_EARLY, run_learner
from dagathlon.modules import modules

FILE = Path(__file__).parents[1] / "src/dagathlon/learners/costs.json"
ROWS, COLUMNS = (100, 500, 2500, 25_000, 250_000), (4, 8, 16, 32, 64, 128, 512, 2048)
MOST_CELLS = 2**25
KINDS: tuple[DataKind, ...] = ("continuous", "discrete", "mixed")
SLOW, LIMIT, FEW = 0.1, 2.0, 16
FEWEST = 3
GAPS = 0.1
_LEVELS = ("a", "b", "c")


def drawn(kind: DataKind, rows: int, columns: int, gaps: float = 0.0) -> Dataset:
    """Rows of a sparse random linear model of unit variances; of discrete columns terciles.

    A share of the values is missing.
    """
    rng = np.random.default_rng([rows, columns])
    values = np.empty((rows, columns))
    for j in range(columns):
        parents = rng.choice(j, size=min(j, 2), replace=False) if j else []
        values[:, j] = rng.laplace(size=rows) + sum(values[:, i] for i in parents)
        values[:, j] /= values[:, j].std()  # noise is a third of it: columns are not collinear
    discrete = [kind == "discrete" or (kind == "mixed" and j % 2 == 1) for j in range(columns)]
    cut = [np.digitize(v, np.quantile(v, [1 / 3, 2 / 3])) for v in values.T]
    chosen = [j for j in range(columns) if discrete[j]]
    variables = [Variable(f"V{j}", _LEVELS if discrete[j] else None) for j in range(columns)]
    rest = [j for j in range(columns) if not discrete[j]]
    gone = np.random.default_rng([rows, columns, 1]).random(values.shape) < gaps
    codes = np.where(gone, -1, np.array(cut).T)[:, chosen] if chosen else None
    known = np.where(gone, np.nan, values)
    return Dataset(variables, values=known[:, rest] if rest else None, codes=codes)


def seconds(learner: Learner, data: Dataset) -> float | None:
    """Processor time of a run; None where it fails or takes too long."""
    rng = np.random.Generator(np.random.Philox(key=1))
    began = time.process_time()
    try:
        # Of the clock on the wall, which on a busy machine is faster.
        found = run_learner(learner, data, rng, timeout=4 * LIMIT)
    except DagathlonError:
        return None
    taken = time.process_time() - began
    return None if STOPPED_EARLY in found.stats else max(taken, 1e-4)


def unit() -> float:
    """Processor time of a unit of work."""
    found = []
    for _ in range(3):
        began = time.process_time()
        unit_of_work()
        found.append(time.process_time() - began)
    return min(found)


def measured(
    learner: Learner, kind: DataKind, slow: float = SLOW
) -> Iterator[tuple[int, int, float]]:
    """Rows, columns and units, from small data to the largest that are quick."""
    one = unit()
    # Whoever takes gaps with these parameters is run because of them.
    gappy = facts_of(drawn(kind, ROWS[0], COLUMNS[0], GAPS))
    gaps = 0.0 if learner.why_unsuitable(gappy) else GAPS
    seconds(learner, drawn(kind, ROWS[0], COLUMNS[0], gaps))  # what it loads is no cost of the data
    for rows in ROWS:
        for columns in (c for c in COLUMNS if rows * c <= MOST_CELLS):
            data = drawn(kind, rows, columns, gaps)
            if learner.why_unsuitable(facts_of(data)):
                break
            found = seconds(learner, data)
            if found is None:
                break
            if found < LIMIT / 4:
                found = min(found, seconds(learner, data) or found)
            yield rows, columns, found / one
            if found > (slow if columns >= FEW else LIMIT / 3):
                break


def fit_for(cls: type[Learner], kind: DataKind) -> Learner | None:
    """The learner with its defaults, or told to take ordered levels; None if it refuses still."""
    default = cls()
    if kind not in default.accepted() and hasattr(default, "discrete"):
        default = cls.from_json({"discrete": "ordered"})
    return default if kind in default.accepted() else None


def law(points: list[tuple[int, int, float]]) -> list[float]:
    """The law in the least squares of logarithms; times that only grow with the data."""
    design = np.array([[1.0, math.log(n), math.log(p)] for n, p, _ in points])
    logs = np.log([t for *_, t in points])
    # Small runs are mostly overhead: larger ones count more.
    weights = np.sqrt([t for *_, t in points])
    found, *_ = np.linalg.lstsq(design * weights[:, None], logs * weights, rcond=None)
    slopes = np.maximum(found[1:], 0.0)
    level = float(np.average(logs - design[:, 1:] @ slopes, weights=weights**2))
    sizes = [max(n for n, *_ in points), max(p for _, p, _ in points)]
    return [round(level, 3), *(round(float(s), 3) for s in slopes), *sizes]


def main() -> None:
    """Measure what the command names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--slow", type=float, default=SLOW, help="seconds that end the sizes")
    arguments = parser.parse_args()
    names = arguments.names
    warnings.simplefilter("ignore")
    stored: dict[str, Any] = json.loads(FILE.read_text()) if FILE.exists() else {"laws": {}}
    for name, module in modules("algorithm").items():
        cls = cast(type[Learner], module)
        ours = cls.__module__.startswith("dagathlon.learners.") and not cls.unavailable
        if not ours or issubclass(cls, ExternalLearner) or (names and name not in names):
            continue
        as_others = (
            issubclass(cls, MetaLearner) and not cls.handles_missing
        )  # filling gaps takes longer
        if (name in stored["laws"] and not names) or as_others:
            continue  # one that runs others takes as long as they do
        laws = dict(stored["laws"].get(name, {}))
        for kind in arguments.kinds:
            learner = fit_for(cls, kind)
            points = list(measured(learner, kind, arguments.slow)) if learner else []
            if len(points) >= FEWEST:
                laws[kind] = law(points)
        print(name, laws, flush=True)
        stored["laws"][name] = laws
        known = sorted(stored["laws"].items())
        lines = ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in known)
        FILE.write_text('{"laws": {\n' + lines + "\n}}\n")


if __name__ == "__main__":
    main()

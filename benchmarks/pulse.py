"""What interrupts, progress and deadlines cost: our core against the same one without its pulse.

The other core is built once; without it there is nothing to compare:

    cmake -S . -B build/no-pulse -DCMAKE_BUILD_TYPE=Release -DDAGATHLON_NO_PULSE=ON \\
          -DSKBUILD_SABI_VERSION=3.12
    cmake --build build/no-pulse -j

Both take turns, in processes of their own, so that what else the machine does meets both alike.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from benchmarks.timing import Row, Timing, alone, pick, print_table, row
from dagathlon import _core

ROOT = Path(__file__).parents[1]
OTHER = ROOT / "build" / "no-pulse"
TURNS = pick(9, 1)


class Work(NamedTuple):
    """A learner on data of a size at which it takes about a second."""

    learner: str
    parameters: dict[str, object]
    kind: str
    columns: int
    rows: int


# Many cheap steps: what a beat costs shows most where there is one for every few operations.
WORKS = (
    Work("pc", {"alpha": 0.2}, "continuous", 300, 2000),
    Work("fast_iamb", {}, "continuous", 200, 1000),
    Work("fges", {}, "continuous", 400, 1000),
    Work("hc", {"restart": 30, "perturb": 20}, "continuous", 100, 1000),
    Work("hc", {}, "discrete", 100, 3000),
    Work("boss", {}, "continuous", 100, 1000),
    Work("winasobs", {"starts": 3}, "continuous", 60, 1000),
    Work("order_mcmc", {"iterations": 300_000}, "continuous", 50, 1000),
    Work("structure_mcmc", {"iterations": 1_000_000}, "continuous", 50, 1000),
    Work("exact_posterior", {}, "continuous", 14, 500),
    Work("dagma", {"warm_iter": 2000, "max_iter": 2000}, "continuous", 30, 1000),
)


def measure(core: str, work: Work) -> tuple[float, str]:
    """CPU seconds of the fastest of a few calls, and a mark of the graph."""
    size = [str(pick(work.columns, 10)), str(pick(work.rows, 100)), str(pick(3, 1))]
    words = [core, work.learner, json.dumps(work.parameters), work.kind, *size]
    command = [sys.executable, "-m", "benchmarks._pulse_process", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    seconds, mark = done.stdout.split()
    return float(seconds), mark


def compared(work: Work, other: str) -> Row:
    with_pulse, without = [], []
    for turn in range(TURNS):
        cores = [(_core.__file__, with_pulse), (other, without)]
        for core, found in cores if turn % 2 == 0 else cores[::-1]:
            found.append(measure(core, work))
    ours, theirs = min(s for s, _ in with_pulse), min(s for s, _ in without)
    same = len({mark for _, mark in [*with_pulse, *without]}) == 1
    return row(
        what(work),
        Timing(ours, max(s for s, _ in with_pulse), ours),
        "without the pulse",
        Timing(theirs, max(s for s, _ in without), theirs),
        f"the pulse costs {100 * (ours / theirs - 1):+.1f} %",
        result="same graph" if same else "another graph",
    )


def what(work: Work) -> str:
    return f"{work.learner}, {work.columns} {work.kind} columns, {work.rows} rows"


def run() -> list[Row]:
    found = sorted(OTHER.glob("_core*.so"))
    if not found:
        note = f"no core without a pulse in {OTHER.relative_to(ROOT)}"
        return [alone(what(work), measure(_core.__file__, work)[0], note) for work in WORKS]
    return [compared(work, str(found[0])) for work in WORKS]


if __name__ == "__main__":
    print_table(run())

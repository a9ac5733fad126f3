"""R packages as peers: one script in a process of its own, which takes its own time."""

from __future__ import annotations

import functools
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from benchmarks._measure import QUICK, Row, Timing, row

Matrix: TypeAlias = npt.NDArray[np.float64]
# `x` is the data; the call stands in for WORK and leaves a matrix in `result`.
_SCRIPT = """
suppressMessages(library(PACKAGE))
x <- as.matrix(read.csv('x.csv', header=FALSE)); dimnames(x) <- NULL
spent <- NULL
for (k in 1:REPEATS) { gc(); spent <- rbind(spent, system.time({ WORK })[1:3]) }
write.table(spent, 'spent.csv', sep=',', row.names=FALSE, col.names=FALSE)
write.table(as.matrix(result), 'result.csv', sep=',', row.names=FALSE, col.names=FALSE)
"""


@functools.cache
def version(package: str) -> str:
    """The version of an R package; empty where there is no R or no such package."""
    if shutil.which("Rscript") is None:
        return ""
    asked = f"cat(as.character(packageVersion('{package}')))"
    found = subprocess.run(["Rscript", "-e", asked], capture_output=True, text=True, check=False)
    return found.stdout if found.returncode == 0 else ""


def compare_r(
    what: str,
    ours_s: float,
    package: str,
    work: str,
    *,
    values: Matrix,
    judge: Callable[[Matrix], str],
    limit: float = 20.0,
) -> Row:
    """A row against an R package; `judge` says how the matrix that `work` left compares."""
    if not version(package):
        return row(what, ours_s, package, note="not installed")
    found = _timed(package, work, values, limit)
    if isinstance(found, str):
        seconds = Timing(limit, stopped=True) if not found else None
        note = f"failed: {found}" if found else f"stopped after {limit:g} s"
        return row(what, ours_s, package, seconds, note, version=version(package))
    return row(what, ours_s, package, found[0], result=judge(found[1]), version=version(package))


def _timed(package: str, work: str, values: Matrix, limit: float) -> tuple[Timing, Matrix] | str:
    """Seconds and the matrix; what it failed with, or nothing where it was stopped."""
    repeats = 1 if QUICK else 3
    script = _SCRIPT.replace("PACKAGE", package).replace("REPEATS", str(repeats))
    with tempfile.TemporaryDirectory() as folder:
        np.savetxt(Path(folder, "x.csv"), values, delimiter=",")
        try:
            ended = subprocess.run(
                ["Rscript", "-e", script.replace("WORK", work)],
                cwd=folder, capture_output=True, text=True, check=False, timeout=limit * repeats,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return ""
        if ended.returncode:
            return ended.stderr.strip().splitlines()[-1]
        spent = np.loadtxt(Path(folder, "spent.csv"), delimiter=",", ndmin=2)
        result = np.loadtxt(Path(folder, "result.csv"), delimiter=",", ndmin=2)
    cpu = float((spent[:, 0] + spent[:, 1]).min())
    return Timing(spent[:, 2].min(), spent[:, 2].max(), cpu), result

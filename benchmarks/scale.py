"""Searches with hundreds to thousands of variables: time, memory and distance to the truth.

Linear models with normal noise (of LiNGAM: Laplace), each learner with its default score. There are
no peers: the notes have the CPU time of the same search before its data structures were made for
such sizes, on the machine of the recorded table; the graphs found are the same ones.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from benchmarks._apart import apart
from benchmarks.inputs import linear_data, random_dag, shd_to_truth
from benchmarks.timing import Row, Timing, pick, print_table, row, timed
from dagathlon.learners import learn

# Seconds of wall time after which a search is stopped.
PATIENCE = pick(600.0, 5.0)


class Case(NamedTuple):
    """A learner on a linear model; `before` is the CPU time that it once took.

    With several threads the graph is the same, and the wall time is what they are for.
    """

    learner: str
    variables: int
    before: str = ""
    degree: float = 4
    noise: str = "normal"
    threads: int = 1


CASES = pick(
    (
        Case("hc", 1_000, "0.68 s"),
        Case("hc", 3_000, "12.7 s"),
        Case("hc", 10_000, degree=2),
        Case("fges", 1_000, "2.33 s"),
        Case("fges", 3_000, "71 s"),
        Case("fges", 10_000, degree=2),
        Case("ges", 1_000, "2.66 s"),
        Case("ges", 3_000),
        Case("pc", 3_000),
        Case("pc", 3_000, threads=2),
        Case("pc", 10_000, degree=2),
        Case("pc", 10_000, degree=2, threads=2),
        Case("boss", 1_000, "5.0 s"),
        Case("boss", 1_000, threads=2),
        Case("boss", 3_000),
        Case("xges", 500, "6.5 s"),
        Case("grasp", 200, "1.8 s"),
        Case("mmhc", 1_000, "6.6 s"),
        Case("h2pc", 1_000, "45 s"),
        Case("direct_lingam", 200, "8.2 s", noise="laplace"),
        Case("direct_lingam", 500, noise="laplace"),
    ),
    (Case("hc", 30), Case("fges", 30), Case("boss", 30), Case("mmhc", 30)),
)
ROWS = pick(1_000, 200)


def measured(case: Case) -> tuple[Timing, int]:
    """The time of one search, and the distance of what it found to the true class."""
    data = linear_data(case.variables, ROWS, case.degree, noise=case.noise)
    # What a first call loads is neither time nor memory of the search.
    learn(linear_data(6, 100, 1, noise=case.noise), case.learner)
    seconds, found = timed(functools.partial(learn, data, case.learner, threads=case.threads), 0)
    return seconds, shd_to_truth(found.graph, random_dag(case.variables, case.degree))


def told(case: Case) -> Row:
    what = f"{case.learner} p={case.variables:,} n={ROWS:,} degree {case.degree:g}"
    what += f", {case.threads} threads" if case.threads > 1 else ""
    note = f"before: {case.before} CPU" if case.before else ""
    outcome: Any = apart(functools.partial(measured, case), PATIENCE)
    if outcome.stopped:
        return row(what, Timing(PATIENCE, stopped=True), note=f"stopped after {PATIENCE:g} s")
    if outcome.failure:
        raise RuntimeError(f"{what}: {outcome.failure}")
    seconds, distance = outcome.value
    return row(what, seconds, note=note, result=f"SHD {distance:,} to the true CPDAG")


def run() -> list[Row]:
    return [told(case) for case in CASES]


if __name__ == "__main__":
    print_table(run())

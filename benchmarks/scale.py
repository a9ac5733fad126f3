"""Searches with hundreds to thousands of variables: time, memory and distance to the truth.

Linear models with normal noise (of LiNGAM: Laplace). The notes have the CPU time of the same search
before its data structures were made for such sizes, on the machine of the recorded table; the
graphs found are the same ones; of DAGMA it is that of Adam, which goes to other points. Draws
docs/images/scale.svg: time and memory against variables and rows, with the fitted power of each
learner. `scale_peers` has others beside them.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks._apart import apart
from benchmarks._exponents import Point, chart, exponent, lines
from benchmarks.inputs import linear_data, random_dag, shd_to_truth
from benchmarks.timing import Row, Timing, pick, print_table, row, timed
from dagathlon.learners import learn
from dagathlon.report.figures.charts_io import save

PICTURE = Path(__file__).parent.parent / "docs" / "images" / "scale.svg"
# Seconds of wall time after which a search is stopped.
PATIENCE = pick(600.0, 5.0)
ROWS = pick(1_000, 200)


class Case(NamedTuple):
    """A learner, perhaps with parameters in brackets, on a linear model.

    `before` is the CPU time that it once took. With several threads the graph is the same, and the
    wall time is what they are for.
    """

    learner: str
    variables: int
    before: str = ""
    degree: float = 4
    noise: str = "normal"
    rows: int = ROWS
    threads: int = 1


# With thousands of variables a level of 0.05 lets hundreds of chance edges through for each.
PC = "pc[alpha=0.01]"
PLAIN = "[score=bic-g]"
BY_ROWS = ("hc", "fges", PC, "boss")
# Up to 200 variables these go on where the search of larger problems ends.
ESCAPING = ("fges", "ges")
# Growth is seen where one size changes alone: the variables of most, the rows of the last ones.
CASES = pick(
    (
        *(Case("hc", p) for p in (100, 300)),
        Case("hc", 1_000, "0.68 s"),
        Case("hc", 3_000, "12.7 s"),
        Case("hc", 10_000, degree=2),
        *(Case("fges", p) for p in (100, 300)),
        Case("fges", 1_000, "2.33 s"),
        Case("fges", 3_000, "71 s"),
        Case("fges", 10_000, degree=2),
        Case("hc" + PLAIN, 1_000),
        Case("hc" + PLAIN, 3_000),
        Case("fges" + PLAIN, 1_000),
        *(Case("ges", p) for p in (100, 300)),
        Case("ges", 1_000, "2.66 s"),
        Case("ges", 3_000),
        *(Case(PC, p) for p in (100, 300, 1_000, 3_000)),
        Case(PC, 3_000, threads=2),
        Case(PC, 10_000, degree=2),
        Case(PC, 10_000, "5.5 s", degree=2, rows=200),
        Case(PC, 10_000, degree=2, rows=200, threads=2),
        Case("pc", 10_000, "26 s", degree=2, rows=200),
        *(Case("boss", p) for p in (100, 300)),
        Case("boss", 1_000, "5.0 s"),
        Case("boss", 1_000, threads=2),
        Case("boss", 3_000),
        *(Case("xges", p) for p in (100, 200)),
        Case("xges", 500, "6.5 s"),
        Case("grasp", 100),
        Case("grasp", 200, "1.8 s"),
        Case("grasp", 500, "131 s"),
        *(Case("mmhc", p) for p in (100, 300)),
        Case("mmhc", 1_000, "6.6 s"),
        Case("mmhc", 3_000),
        *(Case("h2pc", p) for p in (100, 300)),
        Case("h2pc", 1_000, "45 s"),
        Case("h2pc", 3_000),
        Case("direct_lingam", 100, noise="laplace"),
        Case("direct_lingam", 200, "8.2 s", noise="laplace"),
        Case("direct_lingam", 500, "25.2 s", noise="laplace"),
        *(Case(learner, p) for learner in ("notears", "dagma") for p in (50, 100)),
        Case("notears", 200, "8.5 s"),
        Case("dagma", 200, "63 s"),
        *(Case(learner, 300, rows=n) for learner in BY_ROWS for n in (10_000, 100_000)),
    ),
    (Case("hc", 30), Case("hc", 60), Case("fges", 30), Case("boss", 30), Case("mmhc", 30)),
)


def measured(case: Case) -> tuple[Timing, int]:
    """The time of one search, and the distance of what it found to the true class."""
    data = linear_data(case.variables, case.rows, case.degree, noise=case.noise)
    # What a first call loads is neither time nor memory of the search.
    learn(linear_data(6, 100, 1, noise=case.noise), case.learner)
    search = functools.partial(learn, data, case.learner, threads=case.threads)
    seconds, found = timed(search, 2)
    return seconds, shd_to_truth(found.graph, random_dag(case.variables, case.degree))


def described(case: Case) -> str:
    threads = f", {case.threads} threads" if case.threads > 1 else ""
    size = f"p={case.variables:,} n={case.rows:,} degree {case.degree:g}"
    return f"{case.learner} {size}{threads}"


def told(case: Case) -> Row:
    what = described(case)
    note = f"before: {case.before} CPU" if case.before else ""
    outcome: Any = apart(functools.partial(measured, case), PATIENCE)
    if outcome.stopped:
        return row(what, Timing(PATIENCE, stopped=True), note=f"stopped after {PATIENCE:g} s")
    if outcome.failure:
        raise RuntimeError(f"{what}: {outcome.failure}")
    seconds, distance = outcome.value
    return row(what, seconds, note=note, result=f"SHD {distance:,} to the true CPDAG")


def points_of(found: Iterable[tuple[Case, Row]]) -> list[Point]:
    """The cases that finished, along the sizes that change while all else stays."""
    points = []
    for case, told_row in found:
        time: Timing = told_row["ours_s"]
        if time.stopped or case.degree != 4 or PLAIN in case.learner or case.threads > 1:
            continue
        if case.learner in ESCAPING and case.variables <= 200:
            continue
        numbers = (time.cpu or float(time), (time.memory or 0) / 2**20)
        if case.rows == ROWS:
            axis = f"variables ({ROWS:,} rows)"
            points.append(Point(axis, case.learner, case.variables, *numbers))
        if case.variables == 300 and case.learner in BY_ROWS:
            points.append(Point("rows (300 variables)", case.learner, case.rows, *numbers))
    return points


def growth(points: list[Point]) -> list[str]:
    """The fitted power of each line that has one."""
    powers = {of: exponent(mine) for of, mine in lines(points).items()}
    return [
        f"{learner} along {axis}: power {power:.2f}"
        for (axis, learner), power in powers.items()
        if power is not None
    ]


def run() -> list[Row]:
    found = [(case, told(case)) for case in CASES]
    points = points_of(found)
    print("\n".join(growth(points)), flush=True)
    if pick(True, False):
        save(chart(points), PICTURE)
    return [told_row for _, told_row in found]


if __name__ == "__main__":
    print_table(run())

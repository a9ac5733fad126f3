"""Selection of a penalty on a path of ten against huge: the learners of its names, as a whole."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks._r import Matrix, compare_r
from benchmarks.neighbourhoods import band
from benchmarks.timing import Row, best_of, pick, print_table
from dagathlon.benchpress.huge import HugeGlasso, HugeMb
from dagathlon.data import Dataset, Variable
from dagathlon.learners.base import Estimate
from dagathlon.learners.run import run_learner

SIZES = pick([(100, 200)], [(15, 60)])
# huge collects R's garbage after every step, which takes seconds for stars at any size.
TASKS = (("glasso", "ebic"), ("glasso", "ric"), ("mb", "ric"))
TASKS += pick((("glasso", "stars"), ("mb", "stars")), ())
WORK = (
    'path <- huge(x, method = "{method}", verbose = FALSE); '
    'result <- huge.select(path, criterion = "{criterion}", verbose = FALSE)$refit'
)


def judge(found: Estimate) -> Callable[[Matrix], str]:
    """How many edges are others; stars and ric draw random numbers of their own."""
    graph = found.graph.adjacency != 0

    def compared(theirs: Matrix) -> str:
        apart = int(np.sum(graph != (theirs != 0))) // 2
        return f"{found.graph.n_edges} edges, {apart} are others"

    return compared


def selected(p: int, n: int, method: str, criterion: str) -> Row:
    values = band(p, n)
    data = Dataset([Variable(f"V{j}") for j in range(p)], values=values)
    module = {"glasso": HugeGlasso, "mb": HugeMb}[method]
    learner = module.from_json({"select_criterion": criterion})

    def learned() -> Estimate:
        return run_learner(learner, data, np.random.default_rng(0))

    ours = best_of(learned, repeats=3)
    what = f"{learner.name}, {criterion}, p={p} n={n}"
    work = WORK.format(method=method, criterion=criterion)
    return compare_r(what, ours, "huge", work, values=values, judge=judge(learned()), limit=40)


def run() -> list[Row]:
    return [selected(p, n, *task) for p, n in SIZES for task in TASKS]


if __name__ == "__main__":
    print_table(run())

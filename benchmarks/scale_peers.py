"""Peers at the sizes of `scale` that they finish: the same linear data, the same score or test.

bnlearn's port and pybnesian climb with plain BIC; Tetrad's Java is warm.
"""

from __future__ import annotations

from benchmarks._tetrad import against_tetrad
from benchmarks.inputs import linear_data, random_dag, shd_to_truth
from benchmarks.scale import PLAIN, ROWS, Case, described, told
from benchmarks.score_based import bnlearn, pybnesian, pybnesian_mmhc
from benchmarks.searches import SEM_BIC, tetrad_row
from benchmarks.timing import Row, Timing, best_of, compare, pick, print_table
from dagathlon.graphs import Graph
from dagathlon.learners import learn

PEERS: dict[str, tuple[int, ...]] = pick({"hc": (100, 300), "mmhc": (100, 300)}, {"hc": (30,)})
TETRAD: dict[str, tuple[int, ...]] = pick(
    {"pc": (300, 1_000, 3_000), "fges": (300, 1_000), "boss": (100, 300), "grasp": (100,)},
    {"pc": (30,), "fges": (30,)},
)
TETRAD_LIMIT = pick(60.0, 5.0)
STRICT = 0.01


def against_peers(case: Case, ours: Timing) -> list[Row]:
    """The same problem by others: whose search has a score that can be chosen, with plain BIC."""
    data = linear_data(case.variables, case.rows, case.degree)
    what = described(case)
    if case.learner == "mmhc":
        port, other = bnlearn("mmhc", data), pybnesian_mmhc(data)
    else:
        port, other = bnlearn("hc", data, "bic-g"), pybnesian(data, "bic-g")
    return [
        compare(what, ours, "bnlearn-port", "pybnlearn", port),
        compare(what, ours, "pybnesian", "pybnesian", other),
    ]


def beside_tetrad(learner: str, variables: int) -> Row:
    """The same test or score in Tetrad, whose Java is warm."""
    data = linear_data(variables, ROWS, 4)
    size = f"p={variables:,} n={ROWS:,} degree 4"
    if learner != "pc":
        return tetrad_row(f"{learner} sem-bic {size}", data, learner, SEM_BIC, TETRAD_LIMIT)
    seconds = best_of(lambda: learn(data, "pc", alpha=STRICT), repeats=2)
    truth = random_dag(variables, 4)
    mine = shd_to_truth(learn(data, "pc", alpha=STRICT).graph, truth)

    def judge(graph: Graph) -> str:
        return f"SHD to the true CPDAG: {mine:,} ours, {shd_to_truth(graph, truth):,} Tetrad's"

    how = {"learner": "pc", "alpha": STRICT}
    return against_tetrad(f"pc alpha={STRICT} {size}", seconds, data, judge, TETRAD_LIMIT, **how)


def run() -> list[Row]:
    rows: list[Row] = []
    for learner, sizes in PEERS.items():
        for p in sizes:
            case = Case(learner if learner == "mmhc" else learner + PLAIN, p)
            rows += against_peers(case, told(case)["ours_s"])
    return rows + [beside_tetrad(learner, p) for learner, sizes in TETRAD.items() for p in sizes]


if __name__ == "__main__":
    print_table(run())

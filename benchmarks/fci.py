"""Speed of the learners with latent variables: ``python -m benchmarks.fci``.

FCI without a limit on the size of sets is out of reach for ours and for pcalg at these sizes: both
try all sets that may separate. So all programs are given the same limit there. Tetrad runs in this
process through JPype1, on one core and warm: the first of its runs is not counted. Set
OMP_NUM_THREADS=1 so that all use one core.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.inputs import linear_data
from benchmarks.timing import Row, best_of, compare, pick, print_table, row, timed
from dagathlon.data import Dataset
from dagathlon.learners.base import Learner
from dagathlon.learners.fci import Fci, FciPlus, Rfci
from dagathlon.learners.gfci import Gfci

ALPHA = 0.01
PENALTY_DISCOUNT = 2.0
# Largest set of FCI, by the number of variables.
FCI_ORDER = {20: 3, 80: 3, 200: 2}
SIZES = pick([(80, 300), (200, 1000)], [(20, 100)])
LEARNERS: dict[str, Learner] = {
    "FCI": Fci(alpha=ALPHA, test="zf"),
    "RFCI": Rfci(alpha=ALPHA, test="zf"),
    "GFCI": Gfci(alpha=ALPHA, test="zf", score="sem-bic", penalty_discount=PENALTY_DISCOUNT),
}


@functools.cache
def tetrad() -> Any:
    import jpype
    import tetrad_plus

    jar = next((Path(tetrad_plus.__file__).parent / "jars").glob("*.jar"))
    if not jpype.isJVMStarted():
        jpype.startJVM("-Xmx2g", "-XX:ActiveProcessorCount=1", classpath=[str(jar)])
    return jpype.JPackage("edu").cmu.tetrad


def tetrad_data(data: Dataset) -> Any:
    package = tetrad()
    import jpype

    variables = jpype.JClass("java.util.ArrayList")()
    for name in data.names:
        variables.add(package.data.ContinuousVariable(name))
    rows = jpype.JArray(jpype.JDouble, 2)(data.to_matrix().tolist())
    return package.data.BoxDataSet(package.data.DoubleDataBox(rows), variables)


def tetrad_search(name: str, table: Any) -> Any:
    """One search, with a test and a score that remember nothing of the runs before."""
    package = tetrad().search
    test = package.test.IndTestFisherZ(table, ALPHA)
    if name == "FCI":
        fci = package.Fci(test)
        fci.setDepth(FCI_ORDER[table.getNumColumns()])
        return fci.search()
    if name == "RFCI":
        return package.Rfci(test).search()
    score = package.score.SemBicScore(table, True)
    score.setPenaltyDiscount(PENALTY_DISCOUNT)
    score.setStructurePrior(0.0)
    search = package.GFci(test, score)
    search.setFaithfulnessAssumed(True)
    return search.search()


def time_tetrad(name: str, data: Dataset) -> tuple[float, str, str]:
    table = tetrad_data(data)
    seconds, found = timed(partial(tetrad_search, name, table), 3)
    return seconds, f"its {found.getNumEdges()} edges", "warm"


def time_causal_learn(name: str, data: Dataset) -> tuple[float, str, str]:
    from causallearn.search.ConstraintBased.FCI import fci

    matrix = data.to_matrix()
    depth = FCI_ORDER[matrix.shape[1]]
    call = partial(fci, matrix, "fisherz", ALPHA, depth=depth, show_progress=False, verbose=False)
    seconds, (found, _) = timed(call, 1)
    return seconds, f"its {found.get_num_edges()} edges", "fci"


def time_ours(learner: Learner, data: Dataset) -> tuple[float, str]:
    rng = np.random.default_rng(1)
    found = learner.learn(data, rng)
    note = f"{found.graph.n_edges} edges by {found.stats['ntests']} tests"
    return best_of(partial(learner.learn, data, rng), 3), note


# Peer, module, how to time it, which learners it has, and the most variables it is given.
Timer = Callable[[str, Dataset], tuple[float, str, str]]
PEERS: tuple[tuple[str, str, Timer, frozenset[str], int], ...] = (
    ("Tetrad", "tetrad_plus", time_tetrad, frozenset(LEARNERS), 200),
    ("causal-learn", "causallearn", time_causal_learn, frozenset({"FCI"}), 80),
)


def rows_for(name: str, data: Dataset) -> list[Row]:
    p = len(data.names)
    learner = LEARNERS[name]
    what = f"{name} Gaussian p={p} n={len(data)}"
    if isinstance(learner, Fci):
        learner = dataclasses.replace(learner, max_order=FCI_ORDER[p])
        what += f" order {FCI_ORDER[p]}"
    seconds, note = time_ours(learner, data)
    rows: list[Row] = []
    for peer, module, measure, has, largest in PEERS:
        if name not in has:
            continue
        if p > largest:
            rows.append(row(what, seconds, peer, note=f"too slow for this size; {note}"))
            continue
        found = compare(what, seconds, peer, module, partial(measure, name, data))
        rows.append({**found, "result": f"{note}, {found['result']}".rstrip(", ")})
    return rows


def run() -> list[Row]:
    rows: list[Row] = []
    for p, n in SIZES:
        data = linear_data(p, n, 4, 1)
        for name in LEARNERS:
            rows += rows_for(name, data)
    # Closing sets under known separations is too slow for repeats at 200 variables.
    seconds, note = time_ours(FciPlus(alpha=ALPHA, test="zf"), linear_data(80, 300, 4, 1))
    rows.append(row("FCI+ Gaussian p=80 n=300", seconds, note=note))
    return rows


if __name__ == "__main__":
    print_table(run())

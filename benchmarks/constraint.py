"""Speed of the PC family: ``python -m benchmarks.constraint``.

Each row is one data set and one peer in its fastest comparable setting, with the data already in
memory in the peer's own format. Set OMP_NUM_THREADS=1 so that all use one core. A peer runs in a
process of its own, is stopped after a time limit, and is then left out of the larger sizes.
"""

from __future__ import annotations

import multiprocessing
import os
import queue
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeAlias

import numpy as np
from benchmarks.timing import Row, best_of, installed, print_table, row

from dagathlon.data import Dataset, Variable
from dagathlon.data.network import Network
from dagathlon.learners.base import Learner
from dagathlon.learners.dual_pc import DualPc
from dagathlon.learners.pc import Pc

# What is timed, and a note; made by a peer from the data.
Prepared = tuple[Callable[[], object], str]


def linear_data(p: int, n: int, degree: float, seed: int) -> Dataset:
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.random((p, p)) < degree / (p - 1), 1) * rng.uniform(0.25, 1, (p, p))
    weights *= rng.choice([-1, 1], (p, p))
    values = np.zeros((n, p))
    for j in range(p):
        values[:, j] = values @ weights[:, j] + rng.normal(size=n)
    return Dataset([Variable(f"V{j}") for j in range(p)], values=values[:, rng.permutation(p)])


def ours(learner: Learner, data: Dataset, repeats: int) -> tuple[float, str]:
    rng = np.random.default_rng(1)
    estimate = learner.learn(data, rng)
    note = f"ours: {estimate.stats['ntests']} tests, {estimate.graph.n_edges} edges"
    return best_of(partial(learner.learn, data, rng), repeats), note


def bnlearn(data: Dataset, alpha: float, test: str) -> Prepared:
    import pybnlearn

    frame = data.to_pandas()
    return lambda: pybnlearn.pc_stable(frame, test=test, alpha=alpha), "pc_stable"


def pybnesian(data: Dataset, alpha: float, test: str) -> Prepared:
    import pybnesian as peer

    frame = data.to_pandas()
    if data.is_discrete:
        # It takes levels that are texts only.
        frame = frame.apply(lambda column: column.astype(str).astype("category"))
    kind = peer.ChiSquare if data.is_discrete else peer.LinearCorrelation
    return lambda: peer.PC().estimate(kind(frame), alpha=alpha), f"PC with {kind.__name__}"


def causal_learn(data: Dataset, alpha: float, test: str) -> Prepared:
    from causallearn.search.ConstraintBased.PC import pc

    matrix = data.to_matrix()
    kind = "gsq" if data.is_discrete else "fisherz"
    return lambda: pc(matrix, alpha, kind, show_progress=False), f"pc with {kind}, stable"


def gcastle(data: Dataset, alpha: float, test: str) -> Prepared:
    from castle.algorithms import PC

    matrix = data.to_matrix()
    kind = "g2" if data.is_discrete else "fisherz"
    learner = PC(variant="stable", alpha=alpha, ci_test=kind)
    return lambda: learner.learn(matrix), f"PC stable with {kind}"


def pyagrum(data: Dataset, alpha: float, test: str) -> Prepared:
    import pyagrum as peer

    frame = data.to_pandas()

    def learn() -> object:
        learner = peer.BNLearner(frame)
        learner.setNumberOfThreads(1)
        learner.usePC()
        learner.setPCAlpha(alpha)
        return learner.learnPDAG()

    return learn, "PC, reading of the frame included"


def pgmpy(data: Dataset, alpha: float, test: str) -> Prepared:
    from pgmpy.estimators import PC

    frame = data.to_pandas()
    kind = "g_sq" if data.is_discrete else "pearsonr"

    def learn() -> object:
        return PC(frame).estimate(
            ci_test=kind, significance_level=alpha, variant="stable", show_progress=False
        )

    return learn, f"PC stable with {kind}"


def tetrad(data: Dataset, alpha: float, test: str) -> Prepared:
    import jpype
    import tetrad_plus

    jars = Path(tetrad_plus.__file__).parent.glob("jars/*.jar")
    jpype.startJVM("-Xlog:disable", classpath=[str(jar) for jar in jars])
    root = jpype.JPackage("edu").cmu.tetrad
    variables = jpype.java.util.ArrayList()
    for variable in data.variables:
        if variable.is_discrete:
            variables.add(root.data.DiscreteVariable(variable.name, variable.arity))
        else:
            variables.add(root.data.ContinuousVariable(variable.name))
    if data.is_discrete:
        cells = jpype.JArray.of(np.ascontiguousarray(data.codes, dtype=np.int32))
        box = root.data.IntDataBox(cells)
        kind = root.search.test.IndTestGSquare
    else:
        cells = jpype.JArray.of(np.ascontiguousarray(data.values))
        box = root.data.DoubleDataBox(cells)
        kind = root.search.test.IndTestFisherZ
    table = root.data.BoxDataSet(box, variables)
    return lambda: root.search.Pc(kind(table, alpha)).search(), "Tetrad 7.6.3, warm"


# Peer, module, how to time it, whether it takes continuous and discrete data.
PEERS: tuple[tuple[str, str, Callable[..., Prepared], bool, bool], ...] = (
    ("bnlearn", "pybnlearn", bnlearn, True, True),
    ("pybnesian", "pybnesian", pybnesian, True, True),
    ("Tetrad", "tetrad_plus", tetrad, True, True),
    ("causal-learn", "causallearn", causal_learn, True, True),
    ("gcastle", "castle.algorithms", gcastle, True, True),
    ("pgmpy", "pgmpy", pgmpy, True, True),
    ("pyagrum", "pyagrum", pyagrum, False, True),
)
LIMIT_S = 10.0
REPEATS = 3
# Seconds of one repeat, or nothing, with a note.
Repeats: TypeAlias = "multiprocessing.Queue[tuple[float | None, str]]"


def _repeat(results: Repeats, prepare: Callable[[], Prepared]) -> None:
    with Path(os.devnull).open("w") as nowhere:
        sys.stdout = sys.stderr = nowhere
        try:
            call, note = prepare()
            for _ in range(REPEATS):
                results.put((best_of(call, 1), note))
        except Exception as error:  # whatever a peer raises is its result
            results.put((None, f"fails: {str(error)[:60]}"))


def limited(prepare: Callable[[], Prepared]) -> tuple[float | None, str]:
    """The best of the repeats that a peer ends in time, and its note."""
    context = multiprocessing.get_context("fork")
    results: Repeats = context.Queue()
    process = context.Process(target=_repeat, args=(results, prepare), daemon=True)
    process.start()
    end = time.monotonic() + LIMIT_S
    best: tuple[float | None, str] = (None, f"more than {LIMIT_S:.0f} s")
    try:
        for _ in range(REPEATS):
            seconds, note = results.get(timeout=max(end - time.monotonic(), 0.01))
            if seconds is None:
                return None, note
            best = (seconds if best[0] is None else min(best[0], seconds), note)
    except queue.Empty:
        pass
    finally:
        process.kill()
        process.join()
    return best


def rows_for(what: str, learner: Pc, data: Dataset, *, test: str, slow: set[str]) -> list[Row]:
    """One row per peer; those in `slow` are left out, and those that prove slow come in."""
    size = len(data) * len(data.names)
    seconds, note = ours(learner, data, 5 if size < 1_000_000 else 3)
    rows: list[Row] = []
    for peer, module, measure, continuous, discrete in PEERS:
        if not (discrete if data.is_discrete else continuous):
            continue
        if peer in slow:
            found: tuple[float | None, str] = (None, "too slow for a smaller size")
        elif not installed(module):
            found = (None, "not installed")
        else:
            found = limited(partial(measure, data, learner.alpha, test))
        if found[0] is None:
            slow.add(peer)
        rows.append(row(what, seconds, peer, found[0], f"{found[1]}; {note}"))
    return rows


def gaussian_rows() -> list[Row]:
    rows = []
    slow: set[str] = set()
    for p, n in ((80, 300), (200, 1000)):
        data = linear_data(p, n, 4, 1)
        what = f"PC Gaussian p={p} n={n} alpha=.01"
        rows += rows_for(what, Pc(alpha=0.01, test="zf"), data, test="zf", slow=slow)
        seconds, note = ours(DualPc(alpha=0.01), data, 5)
        rows.append(row(f"dual PC p={p} n={n}", seconds, note=note))
    return [*rows, large_row()]


def _resident_mib() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def _peak_growth(results: Repeats) -> None:
    """Samples the resident memory while PC runs: making the data had a higher peak (Linux only)."""
    data = linear_data(1000, 1000, 4, 1)
    before = _resident_mib()
    run = threading.Thread(
        target=Pc(alpha=0.01, test="zf").learn, args=(data, np.random.default_rng(1))
    )
    run.start()
    peak = before
    while run.is_alive():
        peak = max(peak, _resident_mib())
        time.sleep(0.005)
    results.put((peak - before, "MiB"))


def large_row() -> Row:
    """PC with 1000 variables, and by how much the peak of the memory grows in a new process."""
    seconds, note = ours(Pc(alpha=0.01, test="zf"), linear_data(1000, 1000, 4, 1), 2)
    context = multiprocessing.get_context("spawn")
    results: Repeats = context.Queue()
    process = context.Process(target=_peak_growth, args=(results,))
    process.start()
    grown, unit = results.get()
    process.join()
    memory = f"peak memory {grown:.0f} {unit} above the data's"
    return row("PC Gaussian p=1000 n=1000 alpha=.01", seconds, note=f"{note}; {memory}")


def discrete_rows() -> list[Row]:
    network = Network.load("alarm")
    rows = []
    slow: set[str] = set()
    for n in (1000, 10_000, 100_000):
        data = network.sample(n, seed=1)
        what = f"PC Alarm n={n} alpha=.01"
        rows += rows_for(what, Pc(alpha=0.01, test="mi"), data, test="mi", slow=slow)
    return rows


def run() -> list[Row]:
    return gaussian_rows() + discrete_rows()


if __name__ == "__main__":
    print_table(run())

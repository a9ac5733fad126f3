"""Speed of the PC family.

Each row is one data set and one peer in its fastest comparable setting, with the data already in
memory in the peer's own format. A peer that is stopped is left out of the larger sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from benchmarks._tetrad import against_tetrad
from benchmarks.inputs import linear_data, random_dag, shd_to_truth
from benchmarks.timing import Row, best_of, compare, pick, print_table, row
from dagathlon.data import Dataset
from dagathlon.data.models.network import Network
from dagathlon.graphs import Graph
from dagathlon.learners.base import Learner
from dagathlon.learners.constraint.dual_pc import DualPc
from dagathlon.learners.constraint.pc import Pc

Arcs = Iterable[tuple[Any, Any]]
# What is timed, how its result becomes arcs (an undirected edge is two), and the setting.
Prepared = tuple[Callable[[], Any], Callable[[Any], Arcs], str]
GAUSSIAN = pick([(80, 300), (200, 1000)], [(20, 100)])
# With fewer rows few tests can be answered, and those of g-square that cannot keep all edges.
ALARM = pick([1000, 10_000, 100_000], [300])


def bnlearn(data: Dataset, alpha: float, test: str) -> Prepared:
    import pybnlearn

    frame = data.to_pandas()
    call = partial(pybnlearn.pc_stable, frame, test=test, alpha=alpha)
    return call, pybnlearn.arcs, f"pc_stable with {test}"


def pybnesian(data: Dataset, alpha: float, test: str) -> Prepared:
    import pybnesian as peer

    frame = data.to_pandas()
    if data.is_discrete:
        # It takes levels that are texts only.
        frame = frame.apply(lambda column: column.astype(str).astype("category"))
    kind = peer.ChiSquare if data.is_discrete else peer.LinearCorrelation
    return (
        lambda: peer.PC().estimate(kind(frame), alpha=alpha),
        lambda found: with_edges(found.arcs(), found.edges()),
        f"PC with {kind.__name__}",
    )


def causal_learn(data: Dataset, alpha: float, test: str) -> Prepared:
    from causallearn.search.ConstraintBased.PC import pc

    matrix = data.to_matrix()
    kind = "gsq" if data.is_discrete else "fisherz"

    def arcs(found: Any) -> Arcs:
        # Its cell (i, j) is the mark at i: -1 a tail, 1 an arrow.
        ends = found.G.graph
        return named(data, (ends == -1) | ((ends == 1) & (ends.T == 1)))

    call = partial(pc, matrix, alpha, kind, show_progress=False)
    return call, arcs, f"pc with {kind}, stable"


def gcastle(data: Dataset, alpha: float, test: str) -> Prepared:
    from castle.algorithms import PC

    matrix = data.to_matrix()
    kind = "g2" if data.is_discrete else "fisherz"
    learner = PC(variant="stable", alpha=alpha, ci_test=kind)
    return (
        lambda: learner.learn(matrix),
        lambda _: named(data, np.asarray(learner.causal_matrix) != 0),
        f"PC stable with {kind}",
    )


def pyagrum(data: Dataset, alpha: float, test: str) -> Prepared:
    import pyagrum as peer

    frame = data.to_pandas()

    def learn() -> Any:
        learner = peer.BNLearner(frame)
        learner.setNumberOfThreads(1)
        learner.usePC()
        learner.setPCAlpha(alpha)
        return learner.learnPDAG()

    def arcs(found: Any) -> Arcs:
        both = with_edges(found.arcs(), found.edges())
        return [(data.names[a], data.names[b]) for a, b in both]

    return learn, arcs, "PC, reading of the frame included"


def pgmpy(data: Dataset, alpha: float, test: str) -> Prepared:
    from pgmpy.estimators import PC

    frame = data.to_pandas()
    kind = "g_sq" if data.is_discrete else "pearsonr"

    def learn() -> Any:
        return PC(frame).estimate(
            ci_test=kind, significance_level=alpha, variant="stable", show_progress=False
        )

    return (
        learn,
        lambda found: with_edges(found.directed_edges, found.undirected_edges),
        f"PC stable with {kind}",
    )


def with_edges(arcs: Arcs, edges: Arcs) -> Arcs:
    return [*arcs, *edges, *((b, a) for a, b in edges)]


def named(data: Dataset, matrix: np.ndarray) -> Arcs:
    return [(data.names[i], data.names[j]) for i, j in np.argwhere(matrix)]


# Peer, module, how to prepare it.
PEERS: tuple[tuple[str, str, Callable[..., Prepared]], ...] = (
    ("bnlearn-port", "pybnlearn", bnlearn),
    ("pybnesian", "pybnesian", pybnesian),
    ("causal-learn", "causallearn", causal_learn),
    ("gcastle", "castle", gcastle),
    ("pgmpy", "pgmpy", pgmpy),
    ("pyagrum", "pyagrum", pyagrum),
)
# Tests of discrete data, and the peers that take degrees of freedom in the same way: from all cells
# of a table, or from those that occur.
DISCRETE = {
    "mi": {"bnlearn-port", "pybnesian"},
    "g-square": {"causal-learn", "gcastle", "pgmpy", "pyagrum", "Tetrad"},
}
CONTINUOUS = {"bnlearn-port", "pybnesian", "causal-learn", "gcastle", "pgmpy", "Tetrad"}


def measured(
    prepare: Callable[..., Prepared], data: Dataset, learner: Pc, judge: Callable[[Graph], str]
) -> tuple[Any, ...]:
    """A peer's time, the distance of its graph and ours from the truth, its setting."""
    call, arcs, setting = prepare(data, learner.alpha, learner.test)
    found: list[Any] = []
    seconds = best_of(lambda: found.append(call()), 3)
    matrix = np.zeros((len(data.names), len(data.names)), dtype=int)
    for a, b in arcs(found[-1]):
        matrix[data.names.index(a), data.names.index(b)] = 1
    return seconds, judge(Graph.from_adjacency(data.names, matrix)), setting


def rows_for(
    what: str, learner: Pc, case: tuple[Dataset, Graph], peers: set[str], slow: set[str]
) -> list[Row]:
    """One row per peer; those in `slow` are left out, and those that prove slow come in."""
    data, truth = case
    graph = learner.learn(data, np.random.default_rng(1)).graph

    def judge(peer: Graph) -> str:
        return f"SHD {shd_to_truth(graph, truth)}, its {shd_to_truth(peer, truth)}"

    seconds = ours(learner, data)
    how = {"learner": "pc", "alpha": learner.alpha}
    measures = {
        peer: partial(
            compare, what, seconds, peer, module, partial(measured, prepare, data, learner, judge)
        )
        for peer, module, prepare in PEERS
        if peer in peers
    }
    if "Tetrad" in peers:
        measures["Tetrad"] = partial(against_tetrad, what, seconds, data, judge, **how)
    rows = []
    for peer, measure in measures.items():
        if peer in slow:
            rows.append(row(what, seconds, peer, note="left out: stopped at a smaller size"))
            continue
        rows.append(measure())
        if rows[-1]["note"].startswith(("stopped", "failed")):
            slow.add(peer)
    return rows


def ours(learner: Learner, data: Dataset) -> float:
    # A new view, since a `Dataset` remembers what it worked out about its columns.
    return best_of(lambda: learner.learn(data[:], np.random.default_rng(1)), 5)


def gaussian_rows() -> list[Row]:
    rows = []
    slow: set[str] = set()
    for p, n in GAUSSIAN:
        data, truth = linear_data(p, n), random_dag(p, 4)
        what = f"PC Gaussian p={p} n={n} alpha=.01"
        rows += rows_for(what, Pc(alpha=0.01, test="zf"), (data, truth), CONTINUOUS, slow)
        majority = Pc(alpha=0.01, test="zf", colliders="majority")
        rows.append(own_row(f"{what} majority", majority, data, truth))
        rows.append(own_row(f"dual PC p={p} n={n}", DualPc(alpha=0.01), data, truth))
    p = pick(1000, 50)
    large = linear_data(p, 1000), random_dag(p, 4)
    return [*rows, own_row(f"PC Gaussian p={p} n=1000", Pc(alpha=0.01, test="zf"), *large)]


def own_row(what: str, learner: Learner, data: Dataset, truth: Graph) -> Row:
    found = learner.learn(data, np.random.default_rng(1))
    result = f"SHD {shd_to_truth(found.graph, truth)}"
    return row(what, ours(learner, data), note=f"{found.stats['ntests']} tests", result=result)


def discrete_rows() -> list[Row]:
    network = Network.load("alarm")
    rows = []
    slow: set[str] = set()
    for n in ALARM:
        data = network.sample(n, seed=1)
        for test, peers in DISCRETE.items():
            what = f"PC {test} Alarm n={n:,} alpha=.01"
            learner = Pc(alpha=0.01, test=test)
            rows += rows_for(what, learner, (data, network.graph), peers, slow)
    return rows


def run() -> list[Row]:
    return gaussian_rows() + discrete_rows()


if __name__ == "__main__":
    print_table(run())

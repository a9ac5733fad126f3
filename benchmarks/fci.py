"""Speed and quality of the learners with latent variables: ``python -m benchmarks.fci``.

A tenth of the variables of each data set is hidden. The notes say how many marks of each result
are unlike the true PAG's. FCI uses possible ancestors in its second pass, which is the nearest to
what Tetrad and causal-learn do; all programs are without a limit on the size of sets. Tetrad runs
through JPype1, on one core and warm: the first of its runs is not counted. Each peer has a process
of its own and is given up after 25 seconds. Set OMP_NUM_THREADS=1 so that all use one core.
"""

from __future__ import annotations

import contextlib
import functools
import io
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.timing import Row, best_of, compare, print_table, row
from dagathlon.data import Dataset, Variable
from dagathlon.graphs import Graph, latent_projection, pag
from dagathlon.learners.base import Learner
from dagathlon.learners.constraint.fci import Fci, FciPlus, Rfci
from dagathlon.learners.hybrid.gfci import Gfci
from dagathlon.learners.hybrid.order_fci import BossFci, GraspFci, LvLite

ALPHA = 0.01
PENALTY_DISCOUNT = 2.0
LIMIT_S = 25.0
# Imported before its process is made, so that this does not count.
FCI_MODULE = "causallearn.search.ConstraintBased.FCI"
LEARNERS: dict[str, Learner] = {
    "FCI": Fci(alpha=ALPHA, test="zf", second_pass="ancestors"),
    "RFCI": Rfci(alpha=ALPHA, test="zf"),
    "GFCI": Gfci(alpha=ALPHA, test="zf", score="sem-bic", penalty_discount=PENALTY_DISCOUNT),
    "BOSS-FCI": BossFci(alpha=ALPHA, test="zf", penalty_discount=PENALTY_DISCOUNT, starts=1),
    "GRaSP-FCI": GraspFci(alpha=ALPHA, test="zf", penalty_discount=PENALTY_DISCOUNT, starts=1),
}
# Other rules for colliders, FCI+, and all subsets up to a size. FCI+ is too slow for 200 variables.
WITHOUT_PEER: dict[str, Learner] = {
    "FCI majority": Fci(alpha=ALPHA, test="zf", second_pass="ancestors", colliders="majority"),
    "FCI highest-p": Fci(alpha=ALPHA, test="zf", second_pass="ancestors", colliders="highest-p"),
    "LV-Lite": LvLite(alpha=ALPHA, test="zf", penalty_discount=PENALTY_DISCOUNT, starts=1),
    "FCI+": FciPlus(alpha=ALPHA, test="zf"),
    "FCI subsets order 3": Fci(alpha=ALPHA, test="zf", max_order=3),
}


class Case(NamedTuple):
    """Data of the observed variables, and what is to be found."""

    data: Dataset
    truth: Graph

    def wrong(self, marks: NDArray[np.integer[Any]]) -> str:
        return f"{np.count_nonzero(marks)} marks, {np.sum(marks != self.truth.marks)} wrong"


def hidden_data(p: int, n: int, degree: float, seed: int) -> Case:
    """A linear Gaussian model of average degree `degree` in which p variables are observed."""
    rng = np.random.default_rng(seed)
    total = p + p // 10
    weights = np.triu(rng.random((total, total)) < degree / (total - 1), 1)
    weights = weights * rng.uniform(0.25, 1, (total, total)) * rng.choice([-1, 1], (total, total))
    values = np.zeros((n, total))
    for j in range(total):
        values[:, j] = values @ weights[:, j] + rng.normal(size=n)
    names = [f"V{j}" for j in range(total)]
    hidden = set(rng.choice(total, total - p, replace=False).tolist())
    seen = rng.permutation([j for j in range(total) if j not in hidden])
    dag = Graph.from_adjacency(names, (weights != 0).astype(int))
    truth = pag(latent_projection(dag, [names[j] for j in sorted(hidden)]))
    columns = [names[j] for j in seen]
    places = [truth.names.index(name) for name in columns]
    truth = Graph(columns, truth.marks[np.ix_(places, places)])
    return Case(Dataset([Variable(name) for name in columns], values=values[:, seen]), truth)


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
        return package.Fci(test).search()
    if name == "RFCI":
        return package.Rfci(test).search()
    score = package.score.SemBicScore(table, True)
    score.setPenaltyDiscount(PENALTY_DISCOUNT)
    score.setStructurePrior(0.0)
    if name != "GFCI":
        search = (package.BFci if name == "BOSS-FCI" else package.GraspFci)(test, score)
        search.setNumStarts(1)
        return search.search()
    search = package.GFci(test, score)
    search.setFaithfulnessAssumed(True)
    return search.search()


def tetrad_marks(graph: Any, names: tuple[str, ...]) -> NDArray[np.int_]:
    place = {name: j for j, name in enumerate(names)}
    code = {"CIRCLE": 1, "ARROW": 2, "TAIL": 3}
    marks = np.zeros((len(names), len(names)), dtype=int)
    for edge in graph.getEdges():
        i, j = (place[str(node.getName())] for node in (edge.getNode1(), edge.getNode2()))
        marks[j, i] = code[str(edge.getEndpoint1().name())]
        marks[i, j] = code[str(edge.getEndpoint2().name())]
    return marks


def time_tetrad(name: str, case: Case) -> tuple[float, str]:
    table = tetrad_data(case.data)
    found = tetrad_marks(tetrad_search(name, table), case.data.names)
    seconds = best_of(partial(tetrad_search, name, table), 2)
    return seconds, f"7.6.3, warm, {case.wrong(found)}"


def time_causal_learn(_: str, case: Case) -> tuple[float, str]:
    from causallearn.search.ConstraintBased.FCI import fci

    matrix = case.data.to_matrix()
    call = partial(fci, matrix, "fisherz", ALPHA, show_progress=False, verbose=False)
    results: list[Any] = []
    with contextlib.redirect_stdout(io.StringIO()):
        seconds = best_of(lambda: results.append(call()), 1)
    # Its entry (i, j) is the mark at i: -1 a tail, 1 an arrow, 2 a circle.
    code = np.array([0, 2, 1, 3])
    return seconds, case.wrong(code[np.asarray(results[0][0].graph).T.astype(int)])


def time_ours(learner: Learner, case: Case) -> tuple[float, str]:
    rng = np.random.default_rng(1)
    found = learner.learn(case.data, rng)
    note = f"ours: {found.stats['ntests']} tests, {case.wrong(found.graph.marks)}"
    return best_of(partial(learner.learn, case.data, rng), 3), note


# Peer, module, how to time it, which learners it has, and the most variables it is given.
Timer = Callable[[str, Case], tuple[float, str]]
PEERS: tuple[tuple[str, str, Timer, frozenset[str], int], ...] = (
    ("causal-learn", FCI_MODULE, time_causal_learn, frozenset({"FCI"}), 80),
    ("Tetrad", "tetrad_plus", time_tetrad, frozenset(LEARNERS), 200),
)


def rows_for(name: str, case: Case) -> list[Row]:
    what = f"{name} Gaussian p={len(case.data.names)} n={len(case.data)}"
    seconds, note = time_ours(LEARNERS[name], case)
    rows: list[Row] = []
    for peer, module, measure, has, largest in PEERS:
        if name not in has or len(case.data.names) > largest:
            continue
        found = compare(what, seconds, peer, module, partial(measure, name, case), limit=LIMIT_S)
        rows.append({**found, "note": f"{found['note']}; {note}"})
    return rows


def run() -> list[Row]:
    rows: list[Row] = []
    for p, n, without_peer in ((80, 300, WITHOUT_PEER), (200, 1000, {})):
        case = hidden_data(p, n, 4, 1)
        for name in LEARNERS:
            rows += rows_for(name, case)
        for name, learner in without_peer.items():
            seconds, note = time_ours(learner, case)
            rows.append(row(f"{name} Gaussian p={p} n={n}", seconds, note=note))
    return rows


if __name__ == "__main__":
    print_table(run())

"""How often our learners give bnlearn's graph on data drawn for the purpose.

    python tools/compare_bnlearn.py --networks asia,alarm --rows 200,1000 --seeds 1,2

bnlearn 5.2.1's own code is run through the package bnlearn-port (``pip install bnlearn-port``). The
table counts, for each learner, the runs in which every entry of the adjacency matrix is equal. What
bnlearn does not finish in ``--seconds`` is left out.
"""

from __future__ import annotations

import argparse
import itertools
import multiprocessing
import warnings
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from dagathlon.data import Dataset, Network, read_data
from dagathlon.errors import DataWarning
from dagathlon.learners import learn
from dagathlon.learners.base import Estimate

BLANKETS = ("gs", "iamb", "fast_iamb", "inter_iamb", "iamb_fdr")
NEIGHBOURS = ("mmpc", "si_hiton_pc", "hpc")
HYBRIDS = ("mmhc", "rsmax2", "h2pc")
LEARNERS = (*BLANKETS, *NEIGHBOURS, "bnlearn_pcstable", "hc", "tabu", *HYBRIDS)
# bnlearn-port has no learner that takes a test for mixed data.
TESTS = {"discrete": ("mi", "mi-adf", "x2"), "continuous": ("zf", "cor"), "mixed": ()}
SCORES = {
    "discrete": ("bic", "bde", "aic", "k2"),
    "continuous": ("bic-g", "bge"),
    "mixed": ("bic-cg",),
}


@dataclass(frozen=True)
class Case:
    """One learner with its arguments on one data set."""

    learner: str
    arguments: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return " ".join([self.learner, *(f"{k}={v}" for k, v in self.arguments.items())])


@dataclass(frozen=True)
class Outcome:
    """Entries that differ and the number of tests of both, or why there is none."""

    different: int = 0
    ours: int = 0
    theirs: int = 0
    skipped: str = ""


Table: TypeAlias = dict[tuple[str, str], list[Outcome]]


def kind_of(data: Dataset) -> str:
    """What the tests and scores are chosen by."""
    if data.is_discrete:
        return "discrete"
    return "mixed" if data.is_mixed else "continuous"


def cases(data: Dataset, learners: tuple[str, ...]) -> Iterator[Case]:
    """What is tried on a data set."""
    tests, scores = TESTS[kind_of(data)], SCORES[kind_of(data)]
    for name in learners:
        if name in ("hc", "tabu"):
            yield from (Case(name, {"score": score}) for score in scores)
        elif name in HYBRIDS:
            for test, score in itertools.product(tests[:1], scores[:2]):
                yield Case(name, {"test": test, "alpha": 0.05, "score": score})
        else:
            directions = (True, False) if name in NEIGHBOURS else (False,)
            for test in tests:
                for alpha in (0.01, 0.05):
                    for undirected in directions:
                        yield Case(name, {"test": test, "alpha": alpha, "undirected": undirected})


def matrix(estimate: Estimate) -> np.ndarray:
    """1 from row to column where an edge leaves the row, in both directions when undirected."""
    marks = np.asarray(estimate.graph.marks)
    return ((marks == 2) | ((marks == 3) & (marks.T == 3))).astype(int)


def peer_result(frame: Any, case: Case) -> tuple[np.ndarray, int]:
    """Bnlearn's matrix and its number of tests."""
    import pybnlearn  # noqa: PLC0415 - a peer, for those who have it

    name = {"bnlearn_pcstable": "pc_stable"}.get(case.learner, case.learner)
    arguments = dict(case.arguments)
    if case.learner in HYBRIDS:
        maximize = {"score": arguments.pop("score")}
        arguments = {"restrict_args": arguments, "maximize_args": maximize}
    result = getattr(pybnlearn, name)(frame, **arguments)
    return pybnlearn.amat(result).to_numpy(), int(pybnlearn.ntests(result))


def outcome(data: Dataset, frame: Any, case: Case) -> Outcome:
    """Run both on one case."""
    try:
        expected, theirs = peer_result(frame, case)
    except Exception as error:  # whatever stops the peer is no result of ours
        return Outcome(skipped=f"bnlearn: {error}")
    estimate = learn(data, case.learner, **case.arguments)
    ours = int(estimate.stats.get("ntests", 0))
    return Outcome(int(np.count_nonzero(matrix(estimate) != expected)), ours, theirs)


def _serve(pipe: Any, data: Dataset, frame: Any) -> None:
    warnings.simplefilter("ignore", DataWarning)
    while True:
        pipe.send(outcome(data, frame, pipe.recv()))


class Worker:
    """A process that runs cases on one data set, and is replaced when one takes too long."""

    def __init__(self, data: Dataset, seconds: float) -> None:
        self._data, self._seconds = data, seconds
        self._frame = data.to_pandas()
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("fork")
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other, self._data, self._frame))
        self._process.daemon = True
        self._process.start()

    def close(self) -> None:
        """End the process."""
        self._process.terminate()
        self._process.join()

    def run(self, case: Case) -> Outcome:
        """The outcome of a case, or that it took too long."""
        self._pipe.send(case)
        if self._pipe.poll(self._seconds):
            found: Outcome = self._pipe.recv()
            return found
        self.close()
        self._start()
        return Outcome(skipped="time")


def gaussian_sample(p: int, degree: float, n: int, seed: int) -> Dataset:
    """A random linear Gaussian network."""
    rng = np.random.default_rng([p, n, seed])
    weights = np.triu((rng.random((p, p)) < degree / (p - 1)) * rng.uniform(0.3, 0.9, (p, p)), 1)
    weights *= rng.choice([-1, 1], (p, p))
    values = np.linalg.solve((np.eye(p) - weights).T, rng.normal(size=(p, n))).T
    return read_data(values[:, rng.permutation(p)])


def mixed_sample(p: int, degree: float, n: int, seed: int) -> Dataset:
    """A random Gaussian network of which every third variable is cut into two or three levels."""
    frame = gaussian_sample(p, degree, n, seed).to_pandas()
    for place, name in enumerate(frame.columns[::3]):
        frame[name] = pd.qcut(frame[name], 2 + place % 2, labels=["a", "b", "c"][: 2 + place % 2])
    return read_data(frame)


def drawn(name: str, n: int, seed: int) -> Dataset:
    """`gauss20x2` and `mixed12x2` are random graphs: nodes, average degree."""
    for prefix, sample in (("gauss", gaussian_sample), ("mixed", mixed_sample)):
        if name.startswith(prefix):
            p, degree = name.removeprefix(prefix).split("x")
            return sample(int(p), float(degree), n, seed)
    return Network.load(name).sample(n, seed)


def options() -> argparse.Namespace:
    """What the user chose."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--networks", default="asia,gauss20x2")
    parser.add_argument("--rows", default="60,200,1000")
    parser.add_argument("--seeds", default="1")
    parser.add_argument("--learners", default=",".join(LEARNERS))
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--quiet", action="store_true", help="print the table only")
    return parser.parse_args()


def samples(chosen: argparse.Namespace) -> Iterator[tuple[str, Dataset]]:
    """The data sets, each with a description."""
    for name in chosen.networks.split(","):
        for n in map(int, chosen.rows.split(",")):
            for seed in map(int, chosen.seeds.split(",")):
                yield f"{name} n={n} seed={seed}", drawn(name, n, seed)


def main() -> None:
    """Compare, print differences as they come and the table at the end."""
    chosen = options()
    table: Table = defaultdict(list)
    for what, data in samples(chosen):
        worker = Worker(data, chosen.seconds)
        for case in cases(data, tuple(chosen.learners.split(","))):
            found = worker.run(case)
            table[row_name(case), kind_of(data)].append(found)
            if not chosen.quiet and (found.different or found.skipped):
                note = found.skipped or f"{found.different} entries"
                print(f"{what} {case}: {note}", flush=True)
        worker.close()
    report(table)


def row_name(case: Case) -> str:
    """The row of the table that a case belongs to."""
    directed = case.learner in NEIGHBOURS and not case.arguments["undirected"]
    return f"{case.learner} directed" if directed else case.learner


def report(table: Table) -> None:
    """Print the table."""
    print("| learner | data | runs | equal | entries that differ | tests, ours / bnlearn's |")
    print("|---|---|---|---|---|---|")
    for (learner, kind), outcomes in table.items():
        done = [o for o in outcomes if not o.skipped]
        equal = sum(o.different == 0 for o in done)
        ratios = [o.ours / o.theirs for o in done if o.theirs and o.ours]
        tests = f"{min(ratios):.2f}-{max(ratios):.2f}" if ratios else ""
        differing = sum(o.different for o in done)
        print(f"| {learner} | {kind} | {len(done)} | {equal} | {differing} | {tests} |")


if __name__ == "__main__":
    main()

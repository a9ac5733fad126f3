"""A learner of nonlinear orders on one data set, as a program on one core.

    python _orders_peer.py WHICH DATA.npz OUT.npz

reads the array ``values``, and writes the order, the arcs and the CPU and wall seconds of learning,
without start-up. WHICH is a learner of ours, or ``dodiscover:`` or ``lingam:`` with one of theirs,
for a Python that has them.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import time
import warnings
from collections.abc import Callable

os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}

import numpy as np

Found = tuple[list[int], np.ndarray]
Learn = Callable[[np.ndarray], Found]
ALPHA = 0.001


def ours(name: str) -> Learn:
    from dagathlon.data import Dataset, Variable
    from dagathlon.modules import find

    # Units as they are, as in the peers.
    as_theirs = {"standardize": False} if name in ("score", "das", "nogam") else {}
    learner = find("algorithm", name)(**as_theirs)
    learner.prepare()  # type: ignore[attr-defined]

    def learn(values: np.ndarray) -> Found:
        data = Dataset([Variable(str(i)) for i in range(values.shape[1])], values=values)
        found = learner.learn(data, np.random.default_rng(0))  # type: ignore[attr-defined]
        order = [int(name) for name in found.stats["order"].split()]
        return order, np.asarray(found.graph.adjacency)

    return learn


def dodiscover(name: str) -> Learn:
    import networkx
    import pandas as pd
    from dodiscover import make_context, toporder

    def learn(values: np.ndarray) -> Found:
        learner, frame = getattr(toporder, name)(alpha=ALPHA), pd.DataFrame(values)
        with contextlib.redirect_stdout(io.StringIO()):
            learner.learn_graph(frame, make_context().variables(data=frame).build())
        arcs = networkx.to_numpy_array(learner.graph_, nodelist=range(values.shape[1]))
        return list(map(int, learner.order_)), arcs

    return learn


def lingam(name: str) -> Learn:
    from lingam import RESIT
    from sklearn.kernel_ridge import KernelRidge

    def learn(values: np.ndarray) -> Found:
        scaled = (values - values.mean(axis=0)) / values.std(axis=0)
        gamma = 0.5 / values.shape[1]
        learner = RESIT(regressor=KernelRidge(kernel="rbf", gamma=gamma, alpha=0.1), alpha=0.05)
        learner.fit(scaled)
        return list(map(int, learner.causal_order_)), learner.adjacency_matrix_.T

    return learn


def main(which: str, data: str, out: str) -> None:
    warnings.simplefilter("ignore")
    package, _, name = which.rpartition(":")
    learn = {"": ours, "dodiscover": dodiscover, "lingam": lingam}[package](name)
    values = np.load(data)["values"]
    cpu, wall = time.process_time(), time.perf_counter()
    order, arcs = learn(values)
    spent = time.process_time() - cpu, time.perf_counter() - wall
    np.savez(out, order=order, arcs=np.asarray(arcs) != 0, spent=spent)


if __name__ == "__main__":
    main(*sys.argv[1:])

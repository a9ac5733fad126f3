"""One learner on the data sets of a folder, as a program on one core.

    python _networks_process.py WHICH FOLDER

reads the arrays ``values`` of FOLDER/NUMBER.npz, and writes FOLDER/WHICH-NUMBER.npz with the arcs
that were learned and CPU and wall seconds. WHICH is a learner of ours, or ``gcastle:`` or
``dagma:`` with one of theirs, for a Python that has them, which leaves out what is there. Ours
learns the first data set twice, since the first time compiles.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ |= {"NPROC": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import numpy as np

Learn = Callable[[np.ndarray], np.ndarray]


def ours(name: str) -> Learn:
    from dagathlon.data import Dataset, Variable
    from dagathlon.modules import modules

    learner = modules("algorithm")[name]()

    def learn(values: np.ndarray) -> np.ndarray:
        columns = [Variable(f"x{i}") for i in range(values.shape[1])]
        found = learner.learn(Dataset(columns, values=values), np.random.default_rng(0))
        return np.asarray(found.graph.adjacency)

    return learn


def gcastle(name: str) -> Learn:
    import logging

    import torch
    from castle import algorithms

    torch.set_num_threads(1)
    logging.disable(logging.CRITICAL)

    def learn(values: np.ndarray) -> np.ndarray:
        torch.manual_seed(0)
        np.random.seed(0)  # noqa: NPY002 - gCastle draws from it
        learner = _gcastle_learner(algorithms, name, values.shape[1])
        # MCSL has networks of single precision, and its data must be so too.
        learner.learn(values.astype(np.float32) if name == "MCSL" else values)
        return np.asarray(learner.causal_matrix)

    return learn


def _gcastle_learner(algorithms: Any, name: str, p: int) -> Any:
    """A learner of gCastle with its defaults; some have to be told the number of columns."""
    needed = {"GraNDAG": {"input_dim": p}}
    return getattr(algorithms, name)(**needed.get(name, {}))


def dagma(name: str) -> Learn:
    import torch
    from dagma import nonlinear

    torch.set_num_threads(1)

    def learn(values: np.ndarray) -> np.ndarray:
        torch.manual_seed(0)
        networks = nonlinear.DagmaMLP(dims=[values.shape[1], 10, 1])
        return np.asarray(getattr(nonlinear, name)(networks).fit(values))

    return learn


def main(which: str, folder: str) -> None:
    package, _, name = which.rpartition(":")
    learn = {"": ours, "gcastle": gcastle, "dagma": dagma}[package](name)
    numbers = sorted(int(path.stem) for path in Path(folder).glob("*.npz") if path.stem.isdigit())
    if not package:
        learn(np.load(Path(folder) / f"{numbers[0]}.npz")["values"])
    for number in numbers:
        if package and (Path(folder) / f"{which}-{number}.npz").exists():
            continue
        values = np.load(Path(folder) / f"{number}.npz")["values"]
        cpu, wall = time.process_time(), time.perf_counter()
        arcs = learn(values) != 0
        times = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
        np.savez(Path(folder) / f"{which}-{number}.npz", arcs=arcs, **times)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""trilearn on one data set, as a program: it lives in an environment of its own.

    python _trilearn_peer.py DATA.npz METHOD STEPS OUT.npz

METHOD is `greenthomas` (its Metropolis-Hastings sampler of junction trees) or the number of
particles of its particle Gibbs sampler. Writes CPU seconds, the share of the second half of the
chain in which each edge is there, and the log likelihood of the graph after each step. Its prior:
δ = 1, scale 1, columns of mean zero.
"""

from __future__ import annotations

import sys
import time

import networkx as nx
import numpy as np
import pandas as pd
from trilearn import mh_greenthomas, pgibbs
from trilearn.distributions import wishart


class OlderArray(np.ndarray):
    """With a method that NumPy has lost since trilearn was written."""

    tostring = np.ndarray.tobytes


class OlderNumpy:
    """NumPy for trilearn's constants of Wishart distributions."""

    def array(self, *given: object) -> np.ndarray:
        return np.array(*given).view(OlderArray)

    def __getattr__(self, name: str) -> object:
        return getattr(np, name)


wishart.np = OlderNumpy()


def main(data: str, method: str, steps: str, out: str) -> None:
    table = pd.DataFrame(np.load(data)["values"])
    np.random.seed(1)  # noqa: NPY002 - the generator that trilearn draws from
    start = time.process_time()
    if method == "greenthomas":
        chain = mh_greenthomas.sample_trajectory_ggm(table, int(steps), randomize=1000)
    else:
        chain = pgibbs.sample_trajectory_ggm(table, int(method), int(steps))
    seconds = time.process_time() - start
    nodes = list(range(table.shape[1]))
    late = chain.trajectory[len(chain.trajectory) // 2 :]
    shares = np.mean([nx.to_numpy_array(graph, nodelist=nodes) > 0 for graph in late], axis=0)
    scores = np.asarray(chain.log_likelihood(), dtype=float)
    np.savez(out, seconds=seconds, shares=shares, scores=scores)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Speed and memory of posteriors of a million draws over 37 nodes, and of exact path marginals."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from benchmarks.timing import Row, Timing, best_of, compare, pick, print_table, row, timed
from dagathlon import _core
from dagathlon.posteriors import Posterior, Sample, read_posterior, write_posterior
from dagathlon.posteriors.packed import Packing

DRAWS = pick(1_000_000, 4_000)
NODES = 37
ARCS = 0.07
VARIABLES = pick(14, 8)
# The peer's share of the draws.
PART = 20


def run() -> list[Row]:
    plain = random_dags(DRAWS)
    weighted = Sample(plain.names, "arcs", plain.bits, log_weights=logs())
    what = f"{DRAWS:,} DAGs of {NODES} nodes ({plain.bits.nbytes / 1e6:.0f} MB)"
    edges = best_of(lambda: Posterior([plain]).edge_probabilities, 5)
    alone = {
        "edges, weighted": best_of(lambda: Posterior([weighted]).edge_probabilities, 3),
        "paths, all draws distinct": best_of(lambda: Posterior([plain]).path_probabilities, 1),
        "MAP, entropy": best_of(lambda: summary(weighted), 1),
        "three edges together": best_of(lambda: three(plain), 1),
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "draws.npz"
        few = Posterior([plain.at(np.arange(DRAWS // 10))])
        alone |= {
            "write a tenth of them": best_of(lambda: write_posterior(few, path), 1),
            "read a tenth of them": best_of(lambda: read_posterior(path), 1),
        }
    exact = _core.DagPosterior.of_weights(families(VARIABLES), _core.Modularity.structure)
    alone[f"exact path marginals, {VARIABLES} variables"] = best_of(exact.paths, 1)
    return [
        compare(f"edges of {what}", edges, "numpy", "numpy", lambda: matrices(plain)),
        *(row(name, seconds) for name, seconds in alone.items()),
    ]


def random_dags(draws: int) -> Sample:
    """Arcs that follow an order of the nodes, packed block by block."""
    rng = np.random.default_rng(1)
    packing = Packing(NODES, "arcs")
    bits = np.empty((draws, packing.words), dtype=np.uint64)
    for first in range(0, draws, 10_000):
        count = min(10_000, draws - first)
        matrices = rng.random((count, NODES, NODES), dtype=np.float32) < ARCS
        bits[first : first + count] = packing.pack(np.triu(matrices, 1))
    return Sample([f"v{i}" for i in range(NODES)], "arcs", bits)


def logs() -> np.ndarray:
    return np.random.default_rng(2).normal(size=DRAWS)


def families(variables: int) -> np.ndarray:
    return np.random.default_rng(3).normal(size=(variables, 2 ** (variables - 1))) * 3


def summary(sample: Sample) -> tuple[object, float]:
    posterior = Posterior([sample])
    return posterior.map(), posterior.entropy


def three(sample: Sample) -> float:
    return Posterior([sample]).probability([("v0", "v1"), ("v1", "v2"), ("v2", "v3")])


def matrices(sample: Sample) -> tuple[Timing, str, str]:
    """The mean of unpacked matrices, block by block, of fewer draws and scaled."""
    few = sample.at(np.arange(DRAWS // PART))

    def means() -> np.ndarray:
        total = np.zeros((NODES, NODES))
        for _, rows in few.blocks():
            total += few.packing.unpack(rows).sum(axis=0, dtype=np.float64)
        return total / len(few)

    seconds, found = timed(means, 1)
    same = np.allclose(found, Posterior([few]).edge_probabilities)
    note = f"unpacked block by block, scaled from 1/{PART} of the draws"
    return seconds * PART, "same" if same else "DIFFERENT", note


if __name__ == "__main__":
    print_table(run())

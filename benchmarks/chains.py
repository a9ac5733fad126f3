"""Speed of what is read from long Markov chains, against a walk row by row with networkx."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from benchmarks.timing import Row, Timing, best_of, compare, pick, print_table, row, timed
from dagathlon.evaluate.posteriors.chains import size_trajectory
from dagathlon.posteriors.chain import Chain
from dagathlon.posteriors.edits import Edits
from dagathlon.posteriors.posterior import Posterior
from dagathlon.posteriors.trajectory import read_trajectory, write_trajectory

ROWS = pick(1_000_000, 10_000)
WALKED = pick(20_000, 1000)
NODES = 50


def run() -> list[Row]:
    chain = random_chain(ROWS)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chain.csv"
        alone = {
            "make and check a chain": best_of(lambda: random_chain(ROWS), 3),
            "MAP graph": best_of(lambda: Posterior([chain]).map(), 5),
            "sizes, every tenth": best_of(lambda: size_trajectory(chain, 0.1, 10), 5),
            "write the file": best_of(lambda: write_trajectory(chain, path), 3),
            "read the file": best_of(lambda: read_trajectory(path), 3),
        }
    frequencies = best_of(lambda: Posterior([chain]).edge_probabilities, 5)
    return [
        compare("edge frequencies", frequencies, "networkx", "networkx", walking),
        *(row(what, seconds) for what, seconds in alone.items()),
    ]


def walking() -> tuple[Timing, str, str]:
    """A walk over the rows, as Benchpress does it, on fewer rows and scaled."""
    short = random_chain(WALKED)
    seconds, found = timed(lambda: walk(short), 1)
    same = "same" if np.allclose(found, Posterior([short]).edge_probabilities) else "DIFFERENT"
    return seconds * (ROWS / WALKED), same, f"scaled from {WALKED} to {ROWS} rows"


def random_chain(rows: int) -> Chain:
    """One edge is toggled in each row."""
    rng = np.random.default_rng(1)
    pairs = np.argwhere(np.triu(np.ones((NODES, NODES)), 1)).astype(np.int32)
    picked = rng.integers(len(pairs), size=rows)
    order = np.argsort(picked, kind="stable")
    place = np.empty(rows, dtype=np.int64)
    starts = np.searchsorted(picked[order], np.arange(len(pairs)))
    place[order] = np.arange(rows) - starts[picked[order]]
    edits = []
    for mine in (place % 2 == 0, place % 2 == 1):
        edits.append(Edits(pairs[picked[mine]], np.concatenate([[0], np.cumsum(mine)])))
    return Chain(
        map(str, range(NODES)),
        False,
        index=np.cumsum(rng.integers(1, 5, rows)),
        score=rng.normal(size=rows),
        added=edits[0],
        removed=edits[1],
    )


def walk(chain: Chain) -> np.ndarray:
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(range(NODES))
    total = np.zeros((NODES, NODES))
    previous = int(chain.index[0])
    for place, index in enumerate(chain.index.tolist()):
        total += (index - previous) * nx.to_numpy_array(graph)
        for edits, change in (
            (chain.added, graph.add_edges_from),
            (chain.removed, graph.remove_edges_from),
        ):
            change(edits.edges[edits.starts[place] : edits.starts[place + 1]].tolist())
        previous = index
    return total / (previous - int(chain.index[0]))


if __name__ == "__main__":
    print_table(run())

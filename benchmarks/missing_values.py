"""Learning from data with gaps: structural EM against filling and dropping.

``python -m benchmarks.missing_values`` prints the mean SHD between CPDAGs over fresh data sets, and
the processor time of structural EM. Values are missing completely at random (MCAR), or, in the rows
in which the first column is at or above its median, at random (MAR) with the share doubled.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable

import numpy as np

from dagathlon import Dataset, Graph, Network, learn
from dagathlon.data import impute
from dagathlon.errors import DagathlonError
from dagathlon.evaluate.graphs.distance import shd
from dagathlon.graphs import cpdag

SETS = 5
FIRST_SEED = 2000
SETTINGS = (("asia", 500), ("insurance", 1000), ("alarm", 1000), ("ecoli70", 1000))
SHARES = (0.1, 0.2)


def with_gaps(data: Dataset, share: float, seed: int, at_random: bool) -> Dataset:
    rng = np.random.default_rng(seed)
    chance = np.full((len(data), len(data.names)), share)
    if at_random:
        first = data.to_matrix()[:, 0]
        chance = np.where((first >= np.median(first))[:, None], np.minimum(2 * share, 0.6), 0.0)
        chance = np.broadcast_to(chance, (len(data), len(data.names))).copy()
        chance[:, 0] = 0.0
    gone = rng.random(chance.shape) < chance
    if data.is_continuous:
        return Dataset(data.variables, values=np.where(gone, np.nan, data.values))
    return Dataset(data.variables, codes=np.where(gone, data.missing_code, data.codes))


def dropped(data: Dataset) -> Graph:
    assert data.missing is not None
    return learn(data.take(np.flatnonzero(~data.missing.any(axis=1))), "hc").graph


WAYS: dict[str, Callable[[Dataset], Graph]] = {
    "structural EM": lambda data: learn(data, "structural_em").graph,
    "filled once, hc": lambda data: learn(impute(data, 1)[0], "hc").graph,
    "rows dropped, hc": dropped,
    "pc, test-wise": lambda data: learn(data, "pc_missing").graph,
}


def distances(name: str, rows: int, share: float, at_random: bool) -> dict[str, list[float]]:
    network = Network.load(name)
    truth = cpdag(network.graph)
    found: dict[str, list[float]] = {}
    for seed in range(SETS):
        complete = network.sample(rows, FIRST_SEED + seed)
        data = with_gaps(complete, share, seed, at_random)
        graphs = {"nothing missing, hc": learn(complete, "hc").graph}
        for way, of in WAYS.items():
            began = time.process_time()
            try:
                graphs[way] = of(data)
            except DagathlonError:
                found.setdefault(way, []).append(np.nan)
            if way == "structural EM":
                found.setdefault("seconds", []).append(time.process_time() - began)
        for way, graph in graphs.items():
            found.setdefault(way, []).append(shd(cpdag(graph) if graph.is_dag else graph, truth))
    return found


def main() -> None:
    columns = ["nothing missing, hc", *WAYS, "seconds"]
    print("| network | rows | missing | " + " | ".join(columns) + " |")
    print("|" + "---|" * (len(columns) + 3))
    for name, rows in SETTINGS:
        for kind in ("MCAR", "MAR"):
            for share in SHARES:
                found = distances(name, rows, share, kind == "MAR")
                cells = [f"{np.mean(found[column]):.2f}" for column in columns]
                print(
                    f"| {name} | {rows:,} | {share:.0%} {kind} | " + " | ".join(cells) + " |",
                    flush=True,
                )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()

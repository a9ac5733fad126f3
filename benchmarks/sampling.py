"""Rows of a Bayesian network per second, against pgmpy and pyAgrum."""

from __future__ import annotations

import gzip
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import Row, best_of, compare, pick, print_table, row
from dagathlon.data import Network, write_network
from dagathlon.data.networks import bif

# Network, rows for the goal, rows at which the peers are timed (they would take minutes).
CASES = pick(
    [("alarm", 1_000_000, 50_000), ("pathfinder", 100_000, 20_000), ("munin", 10_000, 2_000)],
    [("alarm", 1000, 100)],
)


def run() -> list[Row]:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, n, peer_n in CASES:
            rows += sampling(name, n, peer_n, Path(folder))
        rows += [gaussian(), *loading(Path(folder))]
    return rows


def sampling(name: str, n: int, peer_n: int, folder: Path) -> list[Row]:
    """Ours at the goal's size, and all with the same, smaller number of rows."""
    network = Network.load(name)
    path = folder / f"{name}.bif"
    write_network(network, path)
    goal = row(
        f"sample {n:,} rows of {name}",
        best_of(lambda: network.sample(n, seed=1), repeats=5),
        note="goal: under 1 s" if name != "munin" else "",
    )
    ours = best_of(lambda: network.sample(peer_n, seed=1), repeats=5)
    what = f"sample {peer_n:,} rows of {name}"

    def agrum() -> tuple[Any, ...]:
        import pyagrum

        model = pyagrum.loadBN(str(path))
        generator = pyagrum.BNDatabaseGenerator(model)
        return best_of(lambda: generator.drawSamples(peer_n), repeats=2), "", "drawing alone"

    def pgmpy() -> tuple[Any, ...]:
        from pgmpy.readwrite import BIFReader

        model = BIFReader(str(path)).get_model()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            draw = lambda: model.simulate(peer_n, seed=1, show_progress=False)  # noqa: E731
            return best_of(draw, repeats=2), ""

    rows = [goal, compare(what, ours, "pyagrum", "pyagrum", agrum)]
    if name != "munin":
        rows.append(compare(what, ours, "pgmpy", "pgmpy", pgmpy))
    return rows


def gaussian() -> Row:
    network = Network.load("ecoli70")
    n = pick(200_000, 1000)
    ours = best_of(lambda: network.sample(n, seed=1), repeats=5)

    def numpy() -> tuple[Any, ...]:
        rng = np.random.default_rng(1)
        covariance = np.cov(network.sample(5000, seed=2).values.T)
        mean = np.zeros(len(network))
        draw = lambda: rng.multivariate_normal(mean, covariance, n, method="cholesky")  # noqa: E731
        return best_of(draw, repeats=3), "", "multivariate_normal, Cholesky"

    return compare(f"sample {n:,} rows of ecoli70", ours, "numpy", "numpy", numpy)


def loading(folder: Path) -> list[Row]:
    name = pick("mildew", "alarm")
    network = Network.load(name)
    path = folder / f"{name}.bif"
    path.write_bytes(bif.write(network))
    standard = best_of(lambda: Network.load(name), repeats=5)

    def text() -> tuple[Any, ...]:
        import pyagrum

        return best_of(lambda: pyagrum.loadBN(str(path)), repeats=1), "", "the same network as BIF"

    packed = gzip.compress(path.read_bytes())
    reading = best_of(lambda: bif.read(gzip.decompress(packed)), repeats=2)
    return [
        compare(f"load {name}, compact", standard, "pyagrum", "pyagrum", text),
        compare(f"load {name}, BIF", reading, "pyagrum", "pyagrum", text),
    ]


if __name__ == "__main__":
    print_table(run())

"""Data generators, noise and sortability; numpy or CausalDisco as peers."""

from __future__ import annotations

import numpy as np

from benchmarks.timing import Row, best_of, compare, pick, print_table, row, timed, version
from dagathlon.data import Dataset, LinearSem, Network
from dagathlon.evaluate import r2_sortability
from dagathlon.simulate.erdos_renyi import ErdosRenyi
from dagathlon.simulate.iid import Iid
from dagathlon.simulate.interventional import Interventional
from dagathlon.simulate.linear_sem import RandomLinearSem
from dagathlon.simulate.missing import Missing
from dagathlon.simulate.noise import Noise
from dagathlon.simulate.non_gaussian import NonGaussian
from dagathlon.simulate.nonlinear import Nonlinear

ROWS = pick(1_000_000, 1000)


def stream() -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=1))


def run() -> list[Row]:
    return [*noise(), *generators(), *sortability()]


def noise() -> list[Row]:
    clean = Network.load("alarm").sample(ROWS, 1)
    rows = []
    for code in ("M5", "I5", "S5", "L5", "cMISL"):
        experiment = Noise.from_code(code)
        ours = best_of(lambda e=experiment: e.apply(clean, stream()), 5)
        rows.append(row(f"{code}, Alarm, {ROWS:,} rows", ours))
        if code == "M5":
            peer = best_of(lambda: in_numpy(clean), 3)
            rows[-1] = row(rows[-1]["what"], ours, "numpy", peer, version=version("numpy"))
    return rows


def in_numpy(data: Dataset) -> Dataset:
    """Missing values as one would write them by hand."""
    hit = np.random.default_rng(1).random(data.codes.shape) < 0.05
    codes = np.where(hit, np.array(data.arities, dtype=np.uint8), data.codes)
    return Dataset(Noise(missing=0.05).apply(data[:1], stream()).variables, codes=codes)


def generators() -> list[Row]:
    model = linear_model(80)
    small = linear_model(20)
    cases = {
        "iid, p=80, n=320, standardised": lambda: Iid(n=320, standardized=True).sample(
            model, stream()
        ),
        "exponential noise, p=80, n=320": lambda: NonGaussian(n=320).sample(model, stream()),
        "mlp, p=20, n=1000": lambda: Nonlinear(n=1000).sample(small, stream()),
        "gp, p=20, n=300": lambda: Nonlinear(n=300, function="gp").sample(small, stream()),
        "interventional, p=20, 20 × 100 rows": lambda: Interventional().sample(small, stream()),
        "mar, p=80, n=10,000": lambda: Missing(n=10_000, mechanism="mar").sample(model, stream()),
    }
    return [row(what, best_of(call, 7)) for what, call in cases.items()]


def linear_model(nodes: int) -> LinearSem:
    graph = ErdosRenyi(nodes=nodes, neighbours=4).sample(stream())
    return RandomLinearSem().sample(graph, stream())


def sortability() -> list[Row]:
    model = linear_model(80)
    data = model.sample(1000, stream())

    def peer() -> tuple[float, str]:
        from CausalDisco import analytics

        seconds, found = timed(lambda: analytics.r2_sortability(data.values, model.weights), 5)
        return seconds, f"{r2_sortability(data, model.graph):.6f}, its {found:.6f}"

    ours = best_of(lambda: r2_sortability(data, model.graph), 5)
    return [compare("R²-sortability, p=80, n=1000", ours, "CausalDisco", "CausalDisco", peer)]


if __name__ == "__main__":
    print_table(run())

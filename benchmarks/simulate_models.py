"""Random graphs and models, some beside networkx."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.timing import Row, best_of, compare, print_table, row
from dagathlon.simulate.decomposable import DecomposableGraph
from dagathlon.simulate.discrete import BinaryNetwork
from dagathlon.simulate.erdos_renyi import ErdosRenyi
from dagathlon.simulate.g_wishart import GWishart
from dagathlon.simulate.iid import Iid
from dagathlon.simulate.linear_sem import RandomLinearSem
from dagathlon.simulate.scale_free import ScaleFree
from dagathlon.simulate.uniform_dag import UniformDag


def stream(seed: int = 1) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(seed))


def ours(
    what: str, call: Callable[[], object], goal_s: float | None = None, repeats: int = 15
) -> Row:
    """A row without a peer, against the time that was asked for, if any."""
    ours_s = best_of(call, repeats)
    return row(what, ours_s) if goal_s is None else row(what, ours_s, "goal", goal_s)


def linear_model() -> Row:
    rng = stream()
    graph, weights, rows = ErdosRenyi(nodes=80), RandomLinearSem(), Iid(n=320)

    def draw() -> object:
        return rows.sample(weights.sample(graph.sample(rng), rng), rng)

    return ours("p=80 DAG, weights, 320 rows", draw, 1e-3, 200)


def g_wishart(neighbours: float) -> Row:
    rng = stream()
    graph = ErdosRenyi(nodes=50, neighbours=neighbours, directed=False).sample(rng)
    generator = GWishart()
    what = f"G-Wishart p=50, {neighbours:g} neighbours"
    return ours(what, lambda: generator.sample(graph, rng), 10e-3)


def beside_networkx(what: str, generator: ErdosRenyi | ScaleFree, theirs: str) -> Row:
    rng = stream()
    n, d = generator.nodes, generator.neighbours

    def measure() -> tuple[float, str, str]:
        import networkx as nx

        if theirs == "er":
            seconds = best_of(lambda: nx.fast_gnp_random_graph(n, d / (n - 1), seed=1), 3)
        else:
            seconds = best_of(lambda: nx.barabasi_albert_graph(n, int(d / 2), seed=1), 3)
        return seconds, "", "without directions"

    ours_s = best_of(lambda: generator.sample(rng), 5)
    return compare(what, ours_s, "networkx", "networkx", measure)


def run() -> list[Row]:
    rng = stream()
    network = ErdosRenyi(nodes=80, max_parents=5).sample(rng)
    return [
        linear_model(),
        ours("ER p=5000 d=4", lambda: ErdosRenyi(nodes=5000).sample(rng), 50e-3, 5),
        beside_networkx("ER p=5000 d=4", ErdosRenyi(nodes=5000), "er"),
        beside_networkx("scale-free p=1000 d=4", ScaleFree(nodes=1000), "ba"),
        *map(g_wishart, (4, 10, 25)),
        ours("binary network p=80", lambda: BinaryNetwork().sample(network, rng)),
        ours("decomposable p=50", lambda: DecomposableGraph(nodes=50).sample(rng)),
        ours("uniform DAG p=20", lambda: UniformDag(nodes=20).sample(rng)),
    ]


if __name__ == "__main__":
    print_table(run())

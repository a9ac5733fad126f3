"""Graph algorithms beside networkx, causal-learn and pgmpy."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.inputs import random_dag
from benchmarks.timing import Row, best_of, compare, pick, print_table, row, timed
from dagathlon import _core
from dagathlon.evaluate import shd
from dagathlon.graphs import (
    Graph,
    cpdag,
    extension,
    maximal_cliques,
    meek,
    moral,
    pattern,
    skeleton,
)


def pairs(graph: Graph, connector: str = "->") -> list[tuple[str, str]]:
    return [(edge.left, edge.right) for edge in graph.edges() if edge.connector == connector]


def as_networkx(graph: Graph) -> Any:
    import networkx as nx

    result = nx.DiGraph() if graph.is_dag else nx.Graph()
    result.add_nodes_from(graph.names)
    result.add_edges_from((edge.left, edge.right) for edge in graph.edges())
    return result


def as_pgmpy(graph: Graph) -> Any:
    from pgmpy.base import DAG

    result = DAG()
    result.add_nodes_from(graph.names)
    result.add_edges_from(pairs(graph))
    return result


def as_causal_learn(graph: Graph) -> Any:
    from causallearn.graph.Dag import Dag
    from causallearn.graph.GraphNode import GraphNode

    nodes = {name: GraphNode(name) for name in graph.names}
    result = Dag(list(nodes.values()))
    for start, end in pairs(graph):
        result.add_directed_edge(nodes[start], nodes[end])
    return result


def same(agrees: bool) -> str:
    return "same result" if agrees else "DIFFERENT RESULT"


def cpdag_rows(p: int, degree: float) -> list[Row]:
    dag = random_dag(p, degree, seed=1)
    ours = best_of(lambda: cpdag(dag))
    compelled = set(pairs(cpdag(dag)))

    def pgmpy() -> tuple[float, str]:
        peer = as_pgmpy(dag)
        seconds, found = timed(peer.to_pdag, 2)
        return seconds, same(set(found.directed_edges) == compelled)

    def causal_learn() -> tuple[float, str]:
        from causallearn.utils.DAG2CPDAG import dag2cpdag

        peer = as_causal_learn(dag)
        seconds, found = timed(lambda: dag2cpdag(peer), 1)
        ends = found.graph
        # Its cell (i, j) is the mark at i: 1 an arrow, -1 a tail.
        arcs = np.argwhere((ends == -1) & (ends.T == 1)).tolist()
        return seconds, same({(dag.names[i], dag.names[j]) for i, j in arcs} == compelled)

    what = f"DAG to CPDAG, p={p}, degree {degree:g}"
    return [
        compare(what, ours, "pgmpy", "pgmpy", pgmpy),
        compare(what, ours, "causal-learn", "causallearn", causal_learn),
    ]


def shd_rows(p: int, degree: float) -> list[Row]:
    a, b = random_dag(p, degree, seed=1), random_dag(p, degree, seed=2)
    native = best_of(lambda: _core.differing_pairs(a.native, b.native), number=1000)
    ours = best_of(lambda: shd(a, b), number=1000)

    def causal_learn() -> tuple[float, str]:
        from causallearn.graph.SHD import SHD

        x, y = as_causal_learn(a), as_causal_learn(b)
        seconds, found = timed(lambda: SHD(x, y).get_shd(), 3)
        return seconds, same(found == shd(a, b))

    def pgmpy() -> tuple[float, str]:
        from pgmpy.metrics import SHD

        x, y = as_pgmpy(a), as_pgmpy(b)
        call = partial(SHD().evaluate, true_causal_graph=x, est_causal_graph=y)
        seconds, found = timed(call, 3)
        return seconds, same(found == shd(a, b))

    return [
        compare(
            f"SHD, p={p}, the native call", native, "causal-learn", "causallearn", causal_learn
        ),
        compare(f"SHD, p={p}, from Python", ours, "causal-learn", "causallearn", causal_learn),
        compare(f"SHD, p={p}, from Python", ours, "pgmpy", "pgmpy", pgmpy),
    ]


def networkx_rows(p: int, degree: float) -> list[Row]:
    dag = random_dag(p, degree, seed=1)
    node = dag.topological_order()[-1]

    def moral_graph() -> tuple[float, str]:
        import networkx as nx

        peer = as_networkx(dag)
        seconds, found = timed(lambda: nx.moral_graph(peer), 3)
        return seconds, same(found.number_of_edges() == moral(dag).n_edges)

    def ancestors() -> tuple[float, str]:
        import networkx as nx

        peer = as_networkx(dag)
        seconds, found = timed(lambda: nx.ancestors(peer, node), 7)
        return seconds, same(found | {node} == set(dag.ancestors(node)))

    def order() -> tuple[float, str]:
        import networkx as nx

        peer = as_networkx(dag)
        return best_of(lambda: list(nx.topological_sort(peer))), "both orders are valid"

    size = f"p={p}, degree {degree:g}"
    return [
        compare(
            f"moral graph, {size}", best_of(lambda: moral(dag)), "networkx", "networkx", moral_graph
        ),
        compare(
            f"ancestors of one node, {size}",
            best_of(lambda: dag.ancestors(node), number=10),
            "networkx",
            "networkx",
            ancestors,
        ),
        compare(
            f"topological order, {size}",
            best_of(dag.topological_order),
            "networkx",
            "networkx",
            order,
        ),
    ]


def chordal_rows(p: int, width: int) -> list[Row]:
    band = [(f"V{i}", "-", f"V{j}") for i in range(p) for j in range(i + 1, min(i + width, p))]
    graph = Graph.from_edges(band)

    def cliques() -> tuple[float, str]:
        import networkx as nx

        peer = as_networkx(graph)
        seconds, found = timed(lambda: list(nx.chordal_graph_cliques(peer)), 2)
        return seconds, same(set(map(frozenset, found)) == set(map(frozenset, ours_found)))

    ours_found = maximal_cliques(graph)
    ours = best_of(lambda: maximal_cliques(graph))
    what = f"cliques of a chordal graph, p={p}"
    return [compare(what, ours, "networkx", "networkx", cliques)]


def alone_rows(p: int, degree: float) -> list[Row]:
    """What no peer offers at this size in a comparable form."""
    dag = random_dag(p, degree, seed=1)
    essential, unclosed = cpdag(dag), pattern(dag)
    calls = {
        "extension of a CPDAG": lambda: extension(essential),
        "Meek closure of a pattern": lambda: meek(unclosed),
        "is_cpdag": lambda: essential.is_cpdag,
        "skeleton": lambda: skeleton(dag),
    }
    return [row(f"{name}, p={p}", best_of(call)) for name, call in calls.items()]


def run() -> list[Row]:
    return [
        *cpdag_rows(pick(1000, 50), 4),
        *cpdag_rows(100, 4),
        *shd_rows(100, 4),
        *networkx_rows(1000, 4),
        *chordal_rows(pick(500, 50), 6),
        *alone_rows(1000, 4),
    ]


if __name__ == "__main__":
    print_table(run())

"""Speed of separation queries, latent projection and PAGs: ``python -m benchmarks.separation``.

Peers are timed on fewer queries where they are slow; their time for all queries is then the time
per query times the number of queries, and the note says on how many it was measured.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from benchmarks.timing import Row, best_of, print_table, row

from dagathlon.graphs import Graph, latent_projection, pag, separated

N_QUERIES = 100_000
Query = tuple[str, str, list[str]]
Ask = Callable[[str, str, list[str]], bool]


def random_dag(p: int, degree: float, rng: np.random.Generator) -> Graph:
    upper = np.triu(rng.random((p, p)) < degree / (p - 1), 1)
    order = rng.permutation(p)
    return Graph.from_adjacency([f"V{i}" for i in range(p)], upper[np.ix_(order, order)])


def random_queries(graph: Graph, n: int, rng: np.random.Generator) -> list[Query]:
    """Pairs with conditioning sets of 0 to 5 nodes."""
    result = []
    for size in rng.integers(0, 6, n):
        x, y, *z = (graph.names[i] for i in rng.choice(len(graph), 2 + size, replace=False))
        result.append((x, y, z))
    return result


def networkx_dag(graph: Graph) -> Ask:
    import networkx as nx

    dag = nx.DiGraph([(edge.left, edge.right) for edge in graph.edges()])
    dag.add_nodes_from(graph.names)
    return lambda x, y, z: bool(nx.is_d_separator(dag, {x}, {y}, set(z)))


def pgmpy_dag(graph: Graph) -> Ask:
    from pgmpy.base import DAG

    dag = DAG([(edge.left, edge.right) for edge in graph.edges()])
    dag.add_nodes_from(graph.names)
    return lambda x, y, z: not dag.is_dconnected(x, y, observed=z)


def causal_learn_graph(graph: Graph) -> tuple[Any, dict[str, Any]]:
    from causallearn.graph.Dag import Dag
    from causallearn.graph.GraphNode import GraphNode

    nodes = {name: GraphNode(name) for name in graph.names}
    dag = Dag(list(nodes.values()))
    for edge in graph.edges():
        dag.add_directed_edge(nodes[edge.left], nodes[edge.right])
    return dag, nodes


def causal_learn_dag(graph: Graph) -> Ask:
    """Its independence test by d-separation; the graph's own method may never end."""
    import networkx as nx
    from causallearn.utils.cit import CIT

    dag = nx.DiGraph([(graph.index[e.left], graph.index[e.right]) for e in graph.edges()])
    dag.add_nodes_from(range(len(graph)))
    test = CIT(np.zeros((2, len(graph))), "d_separation", true_dag=dag)

    def ask(x: str, y: str, z: list[str]) -> bool:
        test.pvalue_cache.clear()
        return bool(test(graph.index[x], graph.index[y], [graph.index[v] for v in z]))

    return ask


# Peer, how to make it answer, how many queries it is timed on.
PEERS: tuple[tuple[str, Callable[[Graph], Ask], int], ...] = (
    ("networkx", networkx_dag, 2000),
    ("pgmpy", pgmpy_dag, 1000),
    ("causal-learn", causal_learn_dag, 1000),
)


def ask_all(ask: Ask, queries: Sequence[Query]) -> list[bool]:
    return [ask(x, y, z) for x, y, z in queries]


def query_rows() -> list[Row]:
    rng = np.random.default_rng(1)
    graph = random_dag(100, 4, rng)
    queries = random_queries(graph, N_QUERIES, rng)
    what = f"{N_QUERIES} d-separation queries, p=100, degree 4"
    ours = best_of(lambda: ask_all(partial(separated, graph), queries), 5)
    rows = []
    for peer, make, n in PEERS:
        try:
            ask = make(graph)
        except ImportError:
            rows.append(row(what, ours, peer, note="not installed"))
            continue
        few = queries[:n]
        agree = ask_all(ask, few) == ask_all(partial(separated, graph), few)
        peer_s = best_of(partial(ask_all, ask, few), 3) * N_QUERIES / n
        answers = "same answers" if agree else "DIFFERENT ANSWERS"
        rows.append(row(what, ours, peer, peer_s, f"peer timed on {n} queries; {answers}"))
    return rows


def projection_rows() -> list[Row]:
    rng = np.random.default_rng(2)
    graph = random_dag(1000, 4, rng)
    latent = [graph.names[i] for i in rng.choice(1000, 100, replace=False)]
    mag = latent_projection(graph, latent)
    hide = best_of(lambda: latent_projection(graph, latent), 5)
    orient = best_of(lambda: pag(mag), 5)
    size = "p=1000, degree 4, 100 latent"
    return [
        row(f"latent projection, {size}", hide, note=f"{mag.n_edges} edges"),
        row(f"PAG of that MAG, {size}", orient, note="rules 0 to 10"),
    ]


def pag_rows() -> list[Row]:
    rng = np.random.default_rng(3)
    graph = random_dag(10, 2.5, rng)
    latent = list(graph.names[:2])
    what = "PAG of a DAG, p=10, 2 latent"
    ours = best_of(lambda: pag(latent_projection(graph, latent)), 20)
    try:
        dag, nodes = causal_learn_graph(graph)
        from causallearn.utils.DAG2PAG import dag2pag
    except ImportError:
        return [row(what, ours, "causal-learn", note="not installed")]
    peer_s = best_of(lambda: dag2pag(dag, [nodes[name] for name in latent]), 3)
    return [row(what, ours, "causal-learn", peer_s, "dag2pag")]


def run() -> list[Row]:
    return query_rows() + projection_rows() + pag_rows()


if __name__ == "__main__":
    print_table(run())

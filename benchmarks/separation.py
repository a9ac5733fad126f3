"""Speed of separation queries, latent projection and PAGs.

Peers are timed on fewer queries where they are slow; their time for all queries is then the time
per query times the number of queries, and the note says on how many it was measured.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from benchmarks.inputs import random_dag
from benchmarks.timing import Row, Timing, best_of, compare, pick, print_table, row, timed
from dagathlon.graphs import Graph, latent_projection, pag, separated

N_QUERIES = pick(100_000, 1000)
Query = tuple[str, str, list[str]]
Ask = Callable[[str, str, list[str]], bool]


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
    graph = random_dag(100, 4)
    queries = random_queries(graph, N_QUERIES, rng)
    what = f"{N_QUERIES} d-separation queries, p=100, degree 4"
    ours = best_of(lambda: ask_all(partial(separated, graph), queries), 5)
    rows = []
    for peer, make, n in PEERS:
        measure = partial(answered, graph, make, queries[: pick(n, 10)])
        module = peer.replace("-", "")
        rows.append(compare(what, ours, peer, module, measure))
    return rows


def answered(
    graph: Graph, make: Callable[[Graph], Ask], queries: Sequence[Query]
) -> tuple[Timing, str, str]:
    """A peer's time, scaled to all queries."""
    seconds, found = timed(partial(ask_all, make(graph), queries), 3)
    agree = found == ask_all(partial(separated, graph), queries)
    answers = "same answers" if agree else "DIFFERENT ANSWERS"
    return seconds * (N_QUERIES / len(queries)), answers, f"timed on {len(queries)} queries"


def projection_rows() -> list[Row]:
    rng = np.random.default_rng(2)
    graph = random_dag(1000, 4)
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
    graph = random_dag(10, 2.5, seed=3)
    latent = list(graph.names[:2])
    ours = best_of(lambda: pag(latent_projection(graph, latent)), 20)

    def causal_learn() -> tuple[Timing, str]:
        from causallearn.utils.DAG2PAG import dag2pag

        dag, nodes = causal_learn_graph(graph)
        seconds, found = timed(lambda: dag2pag(dag, [nodes[name] for name in latent]), 3)
        edges = pag(latent_projection(graph, latent)).n_edges
        return seconds, f"{edges} edges, its {found.get_num_edges()}"

    what = "PAG of a DAG, p=10, 2 latent"
    return [compare(what, ours, "causal-learn", "causallearn", causal_learn)]


def run() -> list[Row]:
    return query_rows() + projection_rows() + pag_rows()


if __name__ == "__main__":
    print_table(run())

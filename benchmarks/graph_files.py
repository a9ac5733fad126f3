"""Reading graph files and drawing graphs, beside pandas and networkx."""

from __future__ import annotations

import io

import networkx as nx
import numpy as np
import pandas as pd
from benchmarks.timing import Row, best_of, print_table, row

from dagathlon.graphs import Graph, read_graph, to_networkx, to_svg, write_graph


def random_dag(p: int, edges: int) -> Graph:
    rng = np.random.default_rng(1)
    matrix = np.triu(rng.random((p, p)) < 2 * edges / (p * (p - 1)), 1).astype(int)
    return Graph.from_adjacency([f"variable_{i}" for i in range(p)], matrix)


def content(graph: Graph, format: str) -> bytes:
    file = io.BytesIO()
    write_graph(graph, file, format)
    return file.getvalue()


def run() -> list[Row]:
    graph = random_dag(1041, 1397)
    csv, graphml = content(graph, "adjacency"), content(graph, "graphml")
    plain = to_networkx(graph)

    def networkx_csv() -> nx.DiGraph:
        frame = pd.read_csv(io.BytesIO(csv))
        return nx.from_numpy_array(frame.to_numpy(), create_using=nx.DiGraph)

    small = random_dag(70, 123)
    return [
        row(
            "read adjacency CSV, 1041 nodes",
            best_of(lambda: read_graph(io.BytesIO(csv))),
            "pandas + networkx",
            best_of(networkx_csv),
            "2.2 MB",
        ),
        row(
            "read GraphML, 1041 nodes",
            best_of(lambda: read_graph(io.BytesIO(graphml))),
            "networkx",
            best_of(lambda: nx.read_graphml(io.BytesIO(graphml))),
        ),
        row("draw, 70 nodes", best_of(lambda: to_svg(small)), note="layered"),
        row(
            "draw, 1041 nodes",
            best_of(lambda: to_svg(graph), 2),
            "networkx spring_layout",
            best_of(lambda: nx.spring_layout(plain, seed=1), 1),
            "the peer gives positions only",
        ),
    ]


if __name__ == "__main__":
    print_table(run())

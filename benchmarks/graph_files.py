"""Reading graph files and drawing graphs, beside pandas and networkx."""

from __future__ import annotations

import io

import networkx as nx
import pandas as pd

from benchmarks.inputs import random_dag
from benchmarks.timing import Row, best_of, pick, print_table, row, version
from dagathlon.graphs import Graph, read_graph, to_networkx, to_svg, write_graph


def content(graph: Graph, format: str) -> bytes:
    file = io.BytesIO()
    write_graph(graph, file, format)
    return file.getvalue()


def run() -> list[Row]:
    p = pick(1041, 50)
    graph = random_dag(p, 2.7)
    csv, graphml = content(graph, "adjacency"), content(graph, "graphml")
    plain = to_networkx(graph)

    def networkx_csv() -> nx.DiGraph:
        frame = pd.read_csv(io.BytesIO(csv))
        return nx.from_numpy_array(frame.to_numpy(), create_using=nx.DiGraph)

    small = random_dag(70, 3.5)
    return [
        row(
            f"read adjacency CSV, {p} nodes",
            best_of(lambda: read_graph(io.BytesIO(csv))),
            "pandas + networkx",
            best_of(networkx_csv),
            version=version("networkx"),
            note=f"{len(csv) / 1e6:.1f} MB",
        ),
        row(
            f"read GraphML, {p} nodes",
            best_of(lambda: read_graph(io.BytesIO(graphml))),
            "networkx",
            best_of(lambda: nx.read_graphml(io.BytesIO(graphml))),
            version=version("networkx"),
        ),
        row("draw, 70 nodes", best_of(lambda: to_svg(small)), note="layered"),
        row(
            f"draw, {p} nodes",
            best_of(lambda: to_svg(graph), 2),
            "networkx spring_layout",
            best_of(lambda: nx.spring_layout(plain, seed=1), 1),
            version=version("networkx"),
            note="the peer gives positions only",
        ),
    ]


if __name__ == "__main__":
    print_table(run())

"""Graphs of every kind: the type, conversions, separation, formats."""

from dagathlon.graphs.convert import (
    as_graph,
    from_causal_learn,
    from_igraph,
    from_networkx,
    from_pandas,
    from_pgmpy,
    to_causal_learn,
    to_igraph,
    to_networkx,
    to_pandas,
    to_pgmpy,
)
from dagathlon.graphs.drawing import to_svg
from dagathlon.graphs.formats import read_graph, write_graph
from dagathlon.graphs.graph import Edge, Graph
from dagathlon.graphs.marks import Mark

__all__ = [
    "Edge",
    "Graph",
    "Mark",
    "as_graph",
    "from_causal_learn",
    "from_igraph",
    "from_networkx",
    "from_pandas",
    "from_pgmpy",
    "read_graph",
    "to_causal_learn",
    "to_igraph",
    "to_networkx",
    "to_pandas",
    "to_pgmpy",
    "to_svg",
    "write_graph",
]

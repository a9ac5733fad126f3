"""Graphs of every kind: the type, conversions, separation, formats."""

from dagathlon.graphs.formats import read_graph, write_graph
from dagathlon.graphs.graph import Edge, Graph
from dagathlon.graphs.marks import Mark

__all__ = ["Edge", "Graph", "Mark", "read_graph", "write_graph"]

"""Graphs of every kind: the type, conversions, separation, formats."""

from dagathlon.graphs.graph import Edge, Graph
from dagathlon.graphs.marks import Mark

__all__ = ["Edge", "Graph", "Mark"]

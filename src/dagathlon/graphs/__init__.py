"""Graphs of every kind: the type, conversions, separation, formats."""

from dagathlon.graphs.chordal import (
    JunctionTree,
    junction_tree,
    maximal_cliques,
    perfect_elimination_order,
)
from dagathlon.graphs.equivalence import (
    cpdag,
    extension,
    interventional_essential_graph,
    meek,
    moral,
    pattern,
    skeleton,
)
from dagathlon.graphs.graph import Edge, Graph
from dagathlon.graphs.marks import Mark
from dagathlon.graphs.members import count_members, members, sample_members

__all__ = [
    "Edge",
    "Graph",
    "JunctionTree",
    "Mark",
    "count_members",
    "cpdag",
    "extension",
    "interventional_essential_graph",
    "junction_tree",
    "maximal_cliques",
    "meek",
    "members",
    "moral",
    "pattern",
    "perfect_elimination_order",
    "sample_members",
    "skeleton",
]

"""Graphs of every kind: the type, conversions, separation, formats."""

from dagathlon.graphs.ancestral import latent_projection, mag_of_pag, pag
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
from dagathlon.graphs.separation import separated, separating_set

__all__ = [
    "Edge",
    "Graph",
    "JunctionTree",
    "Mark",
    "Mark",
    "count_members",
    "cpdag",
    "extension",
    "interventional_essential_graph",
    "junction_tree",
    "latent_projection",
    "mag_of_pag",
    "maximal_cliques",
    "meek",
    "members",
    "moral",
    "pag",
    "pattern",
    "perfect_elimination_order",
    "sample_members",
    "separated",
    "separating_set",
    "skeleton",
]

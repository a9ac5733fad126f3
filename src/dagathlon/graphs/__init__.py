"""Graphs of every kind: the type, conversions, separation, formats."""

from dagathlon.graphs.ancestral import latent_projection, mag_of_pag, pag
from dagathlon.graphs.graph import Edge, Graph
from dagathlon.graphs.marks import Mark
from dagathlon.graphs.separation import separated, separating_set

__all__ = [
    "Edge",
    "Graph",
    "Mark",
    "latent_projection",
    "mag_of_pag",
    "pag",
    "separated",
    "separating_set",
]

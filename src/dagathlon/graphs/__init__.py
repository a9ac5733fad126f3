"""Graphs: one type for all kinds, equivalence classes, separation, file formats, drawings."""

from typing import TYPE_CHECKING

from dagathlon.graphs.ancestral import latent_projection, mag_of_pag, pag
from dagathlon.graphs.chordal import (
    JunctionTree,
    junction_tree,
    log_junction_trees,
    maximal_cliques,
    perfect_elimination_order,
)
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
from dagathlon.graphs.equivalence import (
    cpdag,
    extension,
    interventional_essential_graph,
    meek,
    moral,
    pattern,
    skeleton,
)
from dagathlon.graphs.formats import read_graph, write_graph
from dagathlon.graphs.graph import Edge, Graph
from dagathlon.graphs.knowledge import Knowledge
from dagathlon.graphs.languages import common_language
from dagathlon.graphs.marks import Mark
from dagathlon.graphs.measurement import MeasurementModel
from dagathlon.graphs.measurement_files import read_measurement, write_measurement
from dagathlon.graphs.members import count_members, members, sample_members
from dagathlon.graphs.partial import PartialGraph, agreement_graph, partial_hamming_distance
from dagathlon.graphs.path import GraphPath
from dagathlon.graphs.path_files import read_path, write_path
from dagathlon.graphs.separation import separated, separating_set
from dagathlon.graphs.undirected import as_undirected, unconditional_dependence
from dagathlon.lazy import lazy

if TYPE_CHECKING:
    from dagathlon.graphs.drawing import to_svg

__all__ = [
    "Edge",
    "Graph",
    "GraphPath",
    "JunctionTree",
    "Knowledge",
    "Mark",
    "MeasurementModel",
    "PartialGraph",
    "agreement_graph",
    "as_graph",
    "as_undirected",
    "common_language",
    "count_members",
    "cpdag",
    "extension",
    "from_causal_learn",
    "from_igraph",
    "from_networkx",
    "from_pandas",
    "from_pgmpy",
    "interventional_essential_graph",
    "junction_tree",
    "latent_projection",
    "log_junction_trees",
    "mag_of_pag",
    "maximal_cliques",
    "meek",
    "members",
    "moral",
    "pag",
    "partial_hamming_distance",
    "pattern",
    "perfect_elimination_order",
    "read_graph",
    "read_measurement",
    "read_path",
    "sample_members",
    "separated",
    "separating_set",
    "skeleton",
    "to_causal_learn",
    "to_igraph",
    "to_networkx",
    "to_pandas",
    "to_pgmpy",
    "to_svg",
    "unconditional_dependence",
    "write_graph",
    "write_measurement",
    "write_path",
]

__getattr__, __dir__ = lazy(__name__, {"drawing": "to_svg"})

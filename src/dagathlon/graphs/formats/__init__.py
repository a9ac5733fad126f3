"""Graph files: one module per format family, and the two functions that choose among them."""

from dagathlon.graphs.formats.files import FORMATS, read_graph, write_graph

__all__ = ["FORMATS", "read_graph", "write_graph"]

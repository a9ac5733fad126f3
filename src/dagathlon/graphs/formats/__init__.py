"""Graph files: a class for each format, and functions that choose the format."""

from dagathlon.graphs.formats.files import read_graph, write_graph
from dagathlon.graphs.formats.format import GraphFormat
from dagathlon.graphs.formats.source import TextSource

__all__ = ["GraphFormat", "TextSource", "read_graph", "write_graph"]

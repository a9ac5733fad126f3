"""`GraphFormat`: base of the file formats of graphs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dagathlon.errors import GraphError
from dagathlon.graphs.formats.builder import GraphBuilder
from dagathlon.graphs.formats.source import TextSource
from dagathlon.graphs.graph import Graph
from dagathlon.modules import Module


@dataclass(frozen=True, kw_only=True)
class GraphFormat(Module):
    """Base class of graph file formats.

    A format of yours is a class with a name, suffixes, `parse` and `write`, in a file that a
    study or command names in ``modules``, or behind an entry point of the group
    ``dagathlon.modules``.

    Attributes
    ----------
    suffixes
        Endings of file names, such as ``(".gml",)``: files of these names are read and, without
        another format being named, written so.
    content_decides
        Whether files with these suffixes may hold other formats: then their content is looked at.
    rank
        The order in which formats are tried on a content: lower ones first.
    """

    kind = "format"
    suffixes: ClassVar[tuple[str, ...]] = ()
    content_decides: ClassVar[bool] = False
    rank: ClassVar[int] = 0

    def parse(self, text: str) -> Graph:
        """Read a graph from the text of a file."""
        raise GraphError(f"format {self.name!r} cannot be read")

    def write(self, graph: Graph) -> str | bytes:
        """Return the content of a file for this graph."""
        raise GraphError(f"format {self.name!r} cannot be written")

    def recognises(self, source: TextSource) -> bool:
        """Whether a content, where the file name is inconclusive, is of this format."""
        return False

    def loses(self, graph: Graph) -> str | None:
        """Return what the format cannot represent of a graph; None when nothing is lost."""
        return None

    def read(self, source: TextSource, names: Iterable[str] | None = None) -> Graph:
        """Read a file whose format was chosen by name or suffix.

        Parameters
        ----------
        source
            The content (``content``, ``text``) and name of the file.
        names
            The nodes in order, if they are known: adds those that the file does not have and
            refuses others.
        """
        return on_nodes(self.parse(source.text), names, source)

    def read_recognised(self, source: TextSource, names: Iterable[str] | None = None) -> Graph:
        """Read a file whose content was recognised; by default as `read` does."""
        return self.read(source, names)


def on_nodes(graph: Graph, names: Iterable[str] | None, source: TextSource) -> Graph:
    """Return the graph on `names`, which may add isolated nodes and leave none out."""
    if names is None:
        return graph
    builder = GraphBuilder(source, names)
    positions = [builder.node(name) for name in graph.names]
    everything = builder.graph()
    marks = everything.marks.copy()
    marks[np.ix_(positions, positions)] = graph.marks
    return Graph(everything.names, marks)

"""Conversion methods of `Graph`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import os

    import igraph
    import networkx as nx
    import pandas as pd
    from causallearn.graph.GeneralGraph import GeneralGraph

    from dagathlon.graphs.drawing.arrange import LayoutName
    from dagathlon.graphs.graph import Graph


class Exchange:
    """The conversions of `dagathlon.graphs.convert` as methods of a graph."""

    __slots__ = ()

    @staticmethod
    def of(obj: Any) -> Graph:
        """Convert another library's graph, a data frame or a file to a `Graph`."""
        from dagathlon.graphs.convert import as_graph  # noqa: PLC0415 - needs Graph

        return as_graph(obj)

    def to_networkx(self) -> nx.Graph:
        """Convert to networkx: a `DiGraph` if every edge is directed, else with end marks."""
        from dagathlon.graphs.convert import to_networkx  # noqa: PLC0415 - needs Graph

        return to_networkx(cast("Graph", self))

    def to_igraph(self) -> igraph.Graph:
        """Convert to igraph."""
        from dagathlon.graphs.convert import to_igraph  # noqa: PLC0415 - needs Graph

        return to_igraph(cast("Graph", self))

    def to_pandas(self, format: str = "adjacency") -> pd.DataFrame:
        """Convert to a data frame from row to column: the ``"adjacency"`` or ``"marks"`` matrix."""
        from dagathlon.graphs.convert import to_pandas  # noqa: PLC0415 - needs Graph

        return to_pandas(cast("Graph", self), format)

    def to_causal_learn(self) -> GeneralGraph:
        """Convert to causal-learn's graph."""
        from dagathlon.graphs.convert import to_causal_learn  # noqa: PLC0415 - needs Graph

        return to_causal_learn(cast("Graph", self))

    def to_pgmpy(self) -> nx.Graph:
        """Convert to pgmpy's graph."""
        from dagathlon.graphs.convert import to_pgmpy  # noqa: PLC0415 - needs Graph

        return to_pgmpy(cast("Graph", self))

    def to_svg(self, width: float | None = None) -> str:
        """Return a drawing as SVG text."""
        from dagathlon.graphs.drawing.svg import to_svg  # noqa: PLC0415 - needs Graph

        return to_svg(cast("Graph", self), width=width)

    def write(self, path: str | os.PathLike[str], format: str | None = None) -> None:
        """Write the graph to a file; see `write_graph`."""
        from dagathlon.graphs.formats.files import write_graph  # noqa: PLC0415 - needs Graph

        write_graph(cast("Graph", self), path, format)

    def draw(
        self,
        path: str | os.PathLike[str],
        *,
        truth: Graph | None = None,
        layout: LayoutName = "auto",
        width: float | None = None,
        dark: bool | None = None,
    ) -> None:
        """Draw the graph to a file: ``.svg``, ``.png``, ``.pdf`` or ``.dot``.

        Parameters
        ----------
        path
            The file.
        truth
            A graph over the same nodes: edges are coloured by whether they are right, and those
            that are missed are drawn too.
        layout
            ``"layered"``, ``"stress"`` or ``"grid"``; by default chosen by the graph.
        width
            Width in pixels; by default fitted to the drawing.
        dark
            Whether on dark paper; by default on white, and an SVG on none.
        """
        from dagathlon.graphs.drawing.picture import draw  # noqa: PLC0415 - needs Graph

        draw(cast("Graph", self), path, truth=truth, layout=layout, width=width, dark=dark)

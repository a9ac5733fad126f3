"""Trivial Graph Format: numbered nodes, a line with #, and arrows as pairs of numbers."""

from dataclasses import dataclass

from dagathlon import Graph
from dagathlon.errors import GraphError
from dagathlon.graphs.formats import GraphFormat


@dataclass(frozen=True, kw_only=True)
class TrivialGraph(GraphFormat):
    """Trivial Graph Format, for DAGs."""

    name = "tgf"
    suffixes = (".tgf",)

    def parse(self, text: str) -> Graph:
        """Read the nodes above the line with # and the arrows below it."""
        above, hash_line, below = text.partition("#")
        if not hash_line:
            raise GraphError("a file in Trivial Graph Format has a line with #")
        names = dict(line.split(maxsplit=1) for line in above.splitlines() if line.strip())
        pairs = [line.split()[:2] for line in below.splitlines() if line.strip()]
        return Graph.from_edges([(names[a], "->", names[b]) for a, b in pairs], names.values())

    def write(self, graph: Graph) -> str:
        """Number the nodes from 1."""
        number = {name: str(k) for k, name in enumerate(graph.names, start=1)}
        nodes = [f"{k} {name}" for name, k in number.items()]
        arrows = [f"{number[edge.left]} {number[edge.right]}" for edge in graph.edges()]
        return "\n".join([*nodes, "#", *arrows, ""])

    def loses(self, graph: Graph) -> str | None:
        """Edges that are no arrows, and names that the format cannot hold."""
        if not graph.is_dag:
            return "the marks of edges that are not directed"
        odd = [name for name in graph.names if "#" in name or name != " ".join(name.split())]
        return f"the name {odd[0]!r}" if odd else None

"""Background knowledge as learners take it: a file, its content, or a `Knowledge`."""

from __future__ import annotations

import contextlib
import json
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.errors import DataWarning, GraphError
from dagathlon.graphs import Graph, extension, meek
from dagathlon.graphs.checks import directed_cycle
from dagathlon.graphs.knowledge import Knowledge
from dagathlon.modules import Module, Reference
from dagathlon.pipes import read_file

ConstraintFile: TypeAlias = Annotated[str, Reference("constraints")]
ArcMatrix: TypeAlias = npt.NDArray[np.bool_]


def knowledge_of(constraints: Any, names: Sequence[str]) -> Knowledge:
    """Return the background knowledge in a learner's parameter, for data with these columns.

    Parameters
    ----------
    constraints
        ``None``, a `Knowledge`, the content of a constraint file, or the path of one.
    names
        The columns of the data; edges of a `Knowledge` with other names are an error.
    """
    content = content_of(constraints)
    if content is None:
        return Knowledge()
    return content if isinstance(content, Knowledge) else Knowledge.from_json(content, names)


def content_of(constraints: Any) -> Mapping[str, Any] | Knowledge | None:
    """Return the constraints of a learner's parameter, read from the file if it is a path."""
    if constraints is None or isinstance(constraints, Knowledge | Mapping):
        return constraints
    try:
        content = json.loads(read_file(Path(constraints)))
    except OSError as error:
        raise GraphError(f"{constraints}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise GraphError(f"{constraints}: not a JSON file: {error}") from None
    if not isinstance(content, Mapping):
        raise GraphError(f"{constraints}: a constraint file is a JSON object")
    return content


def constraints_of(learner: Module) -> list[Any]:
    """Return the values of a learner's parameters for constraints, those that are set."""
    return [
        value
        for parameter in type(learner).parameters().values()
        if parameter.type.reference and parameter.type.reference.to == "constraints"
        if (value := getattr(learner, parameter.attribute)) is not None
    ]


def unknown_names(constraints: Any, names: Sequence[str]) -> tuple[str, ...]:
    """Return a sentence for each edge of the constraints that names an unknown column.

    Raises
    ------
    GraphError
        If a tier, group, context or source names a variable that is not a column.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        knowledge_of(constraints, names)
    return tuple(dict.fromkeys(str(one.message) for one in caught))


def starting_dag(start: Graph | None, knowledge: Knowledge, names: Sequence[str]) -> Graph:
    """Return a DAG from which a search can start: all required and no forbidden edges.

    Undirected edges of `start` are directed so that it becomes a DAG of its class.
    """
    arcs = set(knowledge.required)
    if start is not None:
        dag = extension(start.subgraph([name for name in names if name in start]))
        directed = {(edge.left, edge.right) for edge in dag.edges()}
        arcs |= {(a, b) for a, b in directed - knowledge.forbidden if (b, a) not in arcs}
    what = "the required edges" if start is None else "the start graph with required edges"
    return _without_cycle(arcs, names, what)


def refuse_required_cycle(knowledge: Knowledge, names: Sequence[str]) -> None:
    """Raise an error if the required edges form a directed cycle.

    An edge that is required both ways has an open direction, as in bnlearn's whitelists.
    """
    one_way = {(a, b) for a, b in knowledge.required if (b, a) not in knowledge.required}
    _without_cycle(one_way, names, "the required edges")


def direct_by_knowledge(graph: Graph, knowledge: Knowledge) -> Graph:
    """Direct undirected edges of a CPDAG by required and forbidden edges, then apply Meek's rules.

    An edge that no DAG of the class can have together with the edges before it stays
    undirected.
    """
    for a, b in sorted(knowledge.required | {(b, a) for a, b in knowledge.forbidden}):
        if b in graph.neighbours(a):
            with contextlib.suppress(GraphError):
                graph = meek(graph, required=[(a, b)])
    return graph


def _without_cycle(arcs: set[tuple[str, str]], names: Sequence[str], what: str) -> Graph:
    both = next(((a, b) for a, b in sorted(arcs) if (b, a) in arcs), None)
    graph = Graph(names) if both else Graph.from_edges(sorted(arcs), names=names)
    cycle = f"{both[0]} -> {both[1]} -> {both[0]}" if both else directed_cycle(graph)
    if cycle:
        raise GraphError(
            f"{what} have a directed cycle, {cycle}: no graph can have all of them; take one of "
            "these out of the constraints"
        )
    return graph

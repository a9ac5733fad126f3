"""Markov equivalence: skeletons, patterns, CPDAGs, extensions, Meek's rules, interventions."""

from __future__ import annotations

from collections.abc import Iterable

from dagathlon import _core
from dagathlon.errors import GraphError, listing
from dagathlon.graphs.checks import directed_cycle, require_dag, require_pdag
from dagathlon.graphs.graph import Graph


def skeleton(graph: Graph) -> Graph:
    """Return the skeleton: the same adjacencies, all undirected."""
    return Graph._of(graph.names, _core.skeleton(graph.native))


def moral(graph: Graph) -> Graph:
    """Return the moral graph of a DAG: its skeleton, with any two parents of a node joined."""
    require_dag(graph, "a moral graph")
    return Graph._of(graph.names, _core.moral(graph.native))


def pattern(graph: Graph) -> Graph:
    """Return the skeleton with only the v-structures directed.

    Works on every graph: ``x → c ← y`` is directed where both edges are directed and ``x`` and
    ``y`` are not adjacent. All other edges become undirected. Bidirected edges and edges with
    circles are not directed, so they never make a v-structure here, although
    `Graph.v_structures` lists the colliders they form.
    """
    return Graph._of(graph.names, _core.pattern(graph.native))


def cpdag(graph: Graph) -> Graph:
    """Return the CPDAG of a DAG: edges are directed where all Markov equivalent DAGs agree.

    A graph of directed and undirected edges (a CPDAG, a pattern, a PDAG) gives the CPDAG of its
    consistent `extension`; without one it is refused.
    """
    native = _core.cpdag(graph.native)
    if native is None:
        require_pdag(graph, "a CPDAG")
        raise _no_extension(graph)
    return Graph._of(graph.names, native)


def extension(graph: Graph) -> Graph:
    """Return a DAG with the same skeleton, directed edges and v-structures (Dor and Tarsi 1992).

    Where there is a choice an edge points from the earlier node to the later. A graph without a
    consistent extension is refused with the reason.
    """
    require_pdag(graph, "an extension")
    native, _ = _core.extension(graph.native)
    if native is None:
        raise _no_extension(graph)
    return Graph._of(graph.names, native)


def meek(
    graph: Graph,
    forbidden: Iterable[tuple[str, str]] = (),
    required: Iterable[tuple[str, str]] = (),
) -> Graph:
    """Direct every undirected edge that Meek's rules R1 to R4 compel.

    A directed edge is never reversed: in a graph that has no consistent extension the first
    rule to reach an edge decides, and the result is closed but still has no extension.

    Parameters
    ----------
    graph
        A graph of directed and undirected edges.
    forbidden, required
        Background knowledge as pairs ``(from, to)``. It is added one pair after the other, with
        the rules applied in between; a pair that contradicts the graph and the pairs before it is
        refused, and so is a required edge between nodes that are not adjacent.
    """
    require_pdag(graph, "Meek's rules")
    stated = [("required", a, b) for a, b in required] + [("forbidden", a, b) for a, b in forbidden]
    known = [
        (statement, *_directed(graph, *statement))
        for statement in stated
        if _applies(graph, *statement)
    ]
    closed, contradicting = _core.meek(graph.native, [(a, b) for _, a, b in known])
    if contradicting is None:
        return Graph._of(graph.names, closed)
    (what, start, end), a, b = known[contradicting]
    turned = f"{graph.names[b]} -> {graph.names[a]}"
    raise GraphError(
        f"{what} edge {start} -> {end}: the graph and the knowledge before it compel {turned}"
    )


def interventional_essential_graph(graph: Graph, targets: Iterable[str | Iterable[str]]) -> Graph:
    """Return the essential graph of a DAG under interventions (Hauser and Bühlmann 2012).

    An edge is directed where all DAGs agree that neither observation nor the experiments can
    distinguish from this one.

    Parameters
    ----------
    graph
        A DAG.
    targets
        The sets of nodes that were intervened upon, one set per experiment; an empty set means
        for observation, and no set at all for observation alone. Every node must be left alone in
        one of them, since otherwise its causes cannot be learned.
    """
    require_dag(graph, "an interventional essential graph")
    rows = [graph._rows(target) for target in targets] or [[]]
    for node in set(rows[0]).intersection(*rows[1:]):
        raise GraphError(
            f"node {graph.names[node]} is in every target; each node must be left alone in at "
            "least one of them (an empty target means observation)"
        )
    return Graph._of(graph.names, _core.interventional_essential_graph(graph.native, rows))


def _applies(graph: Graph, what: str, start: str, end: str) -> bool:
    """Whether knowledge applies to an edge; raise if a required edge is not in the skeleton."""
    if graph.marks[graph.position(start), graph.position(end)]:
        return True
    if what == "required":
        raise GraphError(f"required edge {start} -> {end}: {start} and {end} are not adjacent")
    return False


def _directed(graph: Graph, what: str, start: str, end: str) -> tuple[int, int]:
    """Return the direction of an edge implied by knowledge: reversed if forbidden."""
    a, b = graph.position(start), graph.position(end)
    return (a, b) if what == "required" else (b, a)


def _no_extension(graph: Graph) -> GraphError:
    cycle = directed_cycle(graph)
    if cycle:
        return GraphError(f"no DAG extends this graph: {cycle} is a directed cycle")
    _, stuck = _core.extension(graph.native)
    return GraphError(
        "no DAG extends this graph: without a cycle or a new v-structure none of these nodes can "
        f"come last: {listing(graph.nodes_at(stuck))}"
    )

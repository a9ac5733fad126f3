"""Check that a fixed true graph belongs to the fixed model that data are drawn from."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dagathlon.data import LinearSem, Network, list_networks
from dagathlon.data.standard import BUNDLED
from dagathlon.errors import DagathlonError, StudyError, listing
from dagathlon.graphs import Graph, cpdag, moral, skeleton
from dagathlon.study.config.library import FixedFile
from dagathlon.study.config.study_file import Part
from dagathlon.study.engine.fixed import READERS
from dagathlon.study.plan.task import TaskKind
from dagathlon.wording import agreeing, counted

_MOST_SHOWN = 3


def read_fixed(kind: TaskKind, source: FixedFile) -> Any:
    """Read a fixed graph or model; errors mention a file that shadows a bundled network."""
    try:
        return READERS[kind](source.location)
    except DagathlonError as error:
        hint = _shadowed(source)
        if not hint:
            raise
        raise StudyError(f"{error}; {hint}") from None


def check_truth(graph: Part | None, parameters: FixedFile, where: str) -> None:
    """Raise when a true graph is not that of the fixed model that data are drawn from.

    It is the model's DAG, the CPDAG of it, its skeleton or its moral graph.
    """
    if graph is None:
        return
    model = described(parameters)
    if not isinstance(graph, FixedFile):
        raise StudyError(
            f"{where}: graph_id draws graphs at random, and parameters_id is {model}, which has a "
            "graph of its own; give that graph, or parameters that are drawn too"
        )
    if graph.digest == parameters.digest:
        return
    reason = _difference(graph, parameters)
    if reason:
        hint = _shadowed(graph) or _shadowed(parameters)
        raise StudyError(
            f"{where}: the graph of {described(graph)} does not belong to the parameters of "
            f"{model}: {reason}; give the graph that the data are drawn from"
            + (f" ({hint})" if hint else "")
        )


def described(source: FixedFile) -> str:
    """Name what a part of a data entry is read from."""
    return f"the bundled {source.bundled}" if source.bundled else f"the file {source.place}"


def _shadowed(source: FixedFile) -> str:
    """Return a remedy where a file has the name of a bundled network; else empty."""
    stem = Path(source.place).name.partition(".")[0]
    if source.bundled or stem not in {record.name for record in list_networks()}:
        return ""
    return (
        f"the file {source.place} is read rather than the bundled network, which is "
        f'"{BUNDLED}{stem}" in a study'
    )


@functools.cache
def _difference(graph: FixedFile, parameters: FixedFile) -> str:
    """Describe how a graph differs from that of a model; empty where they match."""
    given: Graph = read_fixed(TaskKind.GRAPH, graph)
    model: Network | LinearSem = read_fixed(TaskKind.PARAMETERS, parameters)
    true = model.graph
    odd = sorted(set(given.names) ^ set(true.names))
    if odd:
        nouns = agreeing(len(odd), "the variable", "the variables")
        return f"only one of them has {nouns} {listing(odd)}"
    ordered = given.subgraph(true.names)
    if any(ordered == form for form in _forms(ordered, true)):
        return ""
    parts = [
        f"{counted(len(edges), 'edge')} ({_first(edges)}) {agreeing(len(edges), 'is', 'are')} "
        f"in {where} alone"
        for edges, where in (
            (_alone(ordered, true), "the graph"),
            (_alone(true, ordered), "the parameters"),
        )
        if edges
    ]
    return ", ".join(parts)


def _forms(given: Graph, true: Graph) -> Iterator[Graph]:
    """Yield the graphs of a model's DAG that have the kind of the given graph."""
    yield true
    if given.is_undirected:
        yield from (skeleton(true), moral(true))
    yield cpdag(true)


def _alone(left: Graph, right: Graph) -> list[str]:
    """Return edges of the left graph that the right one lacks or has with other marks."""
    joined = {frozenset((edge.left, edge.right)): str(edge) for edge in right.edges()}
    edges = ((frozenset((edge.left, edge.right)), str(edge)) for edge in left.edges())
    return [edge for pair, edge in edges if joined.get(pair) != edge]


def _first(edges: list[str]) -> str:
    more = ", …" if len(edges) > _MOST_SHOWN else ""
    return ", ".join(edges[:_MOST_SHOWN]) + more

"""What a learned graph says about the data, tested on the data: independences and edges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from dagathlon.data import Dataset
from dagathlon.data.spec import facts_of
from dagathlon.errors import GraphError
from dagathlon.evaluate.ranking.significance import holm
from dagathlon.graphs import Graph, extension, mag_of_pag, separating_set
from dagathlon.learners.independence import (
    DEFAULT_TESTS,
    DELETION,
    IndependenceTest,
    independence_test,
    named_test,
    with_ending,
)
from dagathlon.pulse import beat


class Statement(NamedTuple):
    """Two variables and a conditioning set: independent by the graph, or joined in it."""

    x: str
    y: str
    given: tuple[str, ...]


class Tested(NamedTuple):
    """Statement with its test result on the data.

    Parameters
    ----------
    statement
        What was tested.
    p_value
        Of the test of independence.
    adjusted
        The p-value after Holm's correction for the number of statements.
    """

    statement: Statement
    p_value: float
    adjusted: float


class Audit(NamedTuple):
    """Tests of a graph's statements on data.

    Parameters
    ----------
    test
        Name of the test.
    statements
        Number of independences that the graph implies pair by pair.
    tested
        How many of them were tested and can be answered by the data.
    undefined
        How many of them the data cannot answer.
    rejected
        Those that the data reject, the smallest p-value first.
    edges
        Number of edges that were tested.
    needless
        Edges that the data do not need: given the other parents of the node that the edge points
        to, the test does not tell the two apart from independent ones. The largest p-value first.
    """

    test: str
    statements: int
    tested: int
    undefined: int
    rejected: Sequence[Tested]
    edges: int
    needless: Sequence[Tested]


def implied_independences(graph: Graph) -> list[Statement]:
    """Return one independence per non-adjacent pair; together they imply all others.

    In a DAG, or in a DAG that extends a graph with directed and undirected edges, each node is
    independent of what is no descendant and no parent, given its parents. In an undirected graph
    nodes that are not joined are independent given the neighbours of one of them, in an ancestral
    graph given a set that separates them. For a PAG it is one of its members.
    """
    if graph.kind in ("pag", "mag"):
        return list(_ancestral(mag_of_pag(graph) if graph.kind == "pag" else graph))
    if graph.kind == "undirected":
        return list(_undirected(graph))
    dag = graph if graph.is_dag else extension(graph)
    order = dag.topological_order()
    return [
        Statement(x, y, tuple(sorted(parents)))
        for i, x in enumerate(order)
        for parents in (frozenset(dag.parents(x)),)
        for y in order[:i]
        if y not in parents
    ]


def _undirected(graph: Graph) -> Iterator[Statement]:
    around = {name: graph.adjacencies(name) for name in graph.names}
    for i, x in enumerate(graph.names):
        for y in graph.names[:i]:
            if y not in around[x]:
                fewer = x if len(around[x]) <= len(around[y]) else y
                yield Statement(x, y, tuple(sorted(around[fewer])))


def _ancestral(graph: Graph) -> Iterator[Statement]:
    for i, x in enumerate(graph.names):
        joined = set(graph.adjacencies(x))
        for y in graph.names[:i]:
            given = None if y in joined else separating_set(graph, x, y)
            if given is not None:
                yield Statement(x, y, tuple(sorted(given)))


def edges_as_dependences(graph: Graph) -> list[Statement]:
    """Return the edges as dependences, each given the remaining parents of its head.

    That is the other parents in a DAG, or a DAG that extends the graph, and the other neighbours of
    one end in an undirected graph; in an ancestral graph it is nothing that a test could be given.
    """
    if graph.kind in ("pag", "mag"):
        return []
    if graph.kind == "undirected":
        return [
            Statement(e.left, e.right, _others(graph.adjacencies(e.right), e.left))
            for e in graph.edges()
        ]
    dag = graph if graph.is_dag else extension(graph)
    return [Statement(e.left, e.right, _others(dag.parents(e.right), e.left)) for e in dag.edges()]


def _others(names: Sequence[str], left_out: str) -> tuple[str, ...]:
    return tuple(sorted(name for name in names if name != left_out))


def audit(
    graph: Graph, data: Dataset, *, test: str | None = None, alpha: float = 0.05, most: int = 5000
) -> Audit:
    """Test the statements of a graph on data.

    Parameters
    ----------
    graph
        The graph, over columns of the data.
    data
        The data; of rows with missing values, each test leaves out those that it cannot use, or,
        where it cannot choose, all.
    test
        A test by name; by default the one for the kind of data.
    alpha
        Level. The chance that any true independence is rejected is at most this, by Holm's
        correction; for an edge that is not needed the p-value is above it.
    most
        Largest number of independences to test; of more, these are spread evenly over all.
    """
    if set(graph.names) != set(data.names):
        raise GraphError("the graph is not over the columns of the data")
    name = test or _default(data)
    asked = independence_test(_usable(data, name), name)
    implied = implied_independences(graph)
    chosen = implied
    if len(implied) > most:
        chosen = [implied[i] for i in np.linspace(0, len(implied) - 1, most).astype(int)]
    answered = list(_tested(asked, chosen))
    rejected = [tested for tested in answered if tested.adjusted < alpha]
    edges = list(_tested(asked, edges_as_dependences(graph)))
    needless = [tested for tested in edges if tested.p_value > alpha]
    return Audit(
        name,
        len(implied),
        len(answered),
        len(chosen) - len(answered),
        sorted(rejected, key=lambda tested: tested.p_value),
        len(edges),
        sorted(needless, key=lambda tested: -tested.p_value),
    )


def _usable(data: Dataset, test: str) -> Dataset:
    """Return the rows that a test uses: complete ones, unless it handles missing values itself."""
    asked = named_test(test)
    if data.missing is None or asked.deletes or asked.imputes:
        return data
    return data.take(np.flatnonzero(~data.missing.any(axis=1)))


def _default(data: Dataset) -> str:
    name = DEFAULT_TESTS[facts_of(data).kind or "mixed"]
    deletes = data.has_missing and named_test(name).module.leaves_out_rows
    return with_ending(name, DELETION) if deletes else name


def _tested(asked: IndependenceTest, statements: Sequence[Statement]) -> list[Tested]:
    """Return the statements the data can answer, with p-values after Holm's correction."""
    answered: list[tuple[Statement, float]] = []
    for place, tested in enumerate(statements):
        beat(place, len(statements))
        result = asked.test(tested.x, tested.y, tested.given)
        if result.defined:
            answered.append((tested, result.p_value))
    adjusted = holm([p for _, p in answered])
    return [Tested(tested, p, q) for (tested, p), q in zip(answered, adjusted, strict=True)]

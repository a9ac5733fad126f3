"""`format_problems`: the conformance suite of graph formats."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import cast

from dagathlon.errors import DagathlonError
from dagathlon.graphs import Graph
from dagathlon.graphs.formats import GraphFormat, TextSource
from dagathlon.modules import find
from dagathlon.testing.generators import description_problems

_NAMES = ("a", "b", "c", "d")
_ODD_NAMES = ("x y", 'a"b', "c,d", "é", "1")
GRAPHS = {
    "a DAG": Graph.from_edges(["a -> b", "c -> b", "b -> d"], _NAMES),
    "a graph with an isolated node": Graph.from_edges(["a -> b"], _NAMES),
    "a graph without edges": Graph(_NAMES),
    "a graph of one node": Graph(["a"]),
    "an undirected graph": Graph.from_edges(["a -- b", "b -- c"], _NAMES),
    "a CPDAG": Graph.from_edges(["a -> b", "c -> b", "c -- d"], _NAMES),
    "a PAG": Graph.from_edges(["a o-> b", "c <-> b", "c o-o d"], _NAMES),
    "a DAG with odd names": Graph.from_edges(
        [(_ODD_NAMES[0], "->", _ODD_NAMES[1]), (_ODD_NAMES[2], "->", _ODD_NAMES[3])], _ODD_NAMES
    ),
}


def format_problems(
    name: str, *, seconds: float = 60.0, on_check: Callable[[str], None] = lambda _: None
) -> list[str]:
    """Return what is wrong with a graph format; an empty list when nothing is.

    Graphs of all kinds are written and read back. A graph may be changed by that, or refused, only
    if `GraphFormat.loses` names what is lost.

    Parameters
    ----------
    name
        Its name.
    seconds
        Time limit of writing and reading all graphs.
    on_check
        Called with the name of each check.
    """
    on_check("its description")
    cls = cast(type[GraphFormat], find("format", name))
    problems = list(description_problems(cls))
    wrong = [one for one in cls.suffixes if not one.startswith(".") or one.lower() != one]
    problems += [f"the suffix {one!r} is not a full stop and small letters" for one in wrong]
    begin = time.perf_counter()
    for what, graph in GRAPHS.items():
        on_check(what)
        problems += [f"{what}: {problem}" for problem in _problems(cls(), graph)]
    taken = time.perf_counter() - begin
    if taken > seconds:
        problems.append(f"writing and reading took {taken:.1f} s, more than {seconds:g} s")
    return problems


def _problems(format: GraphFormat, graph: Graph) -> Iterator[str]:
    try:
        lost = format.loses(graph)
        if lost is not None:
            if not lost.strip():
                yield "loses() does not say what is lost"
            return
        written = format.write(graph)
        content = written if isinstance(written, bytes) else written.encode()
        source = TextSource("a file", content)
        read_back = format.read(source)
        if read_back.names and set(read_back.names) != set(graph.names):
            yield f"it is read back with the nodes {', '.join(read_back.names)}"
        elif read_back != graph:
            yield f"it is read back as {'; '.join(map(str, read_back.edges())) or 'no edges'}"
        elif format.read(source, (*graph.names, "one more")).names[-1] != "one more":
            yield "names that are known do not add nodes"
    except DagathlonError as error:
        yield f"{error} (loses() does not say so)"
    except Exception as error:
        yield f"it fails: {type(error).__name__}: {error}"

"""Graphs of the page, and what is read for it run by run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from dagathlon.frame import Cells
from dagathlon.graphs import Graph, cpdag
from dagathlon.graphs.drawing.arrange import arrange
from dagathlon.graphs.drawing.labels import label
from dagathlon.report.results import Results
from dagathlon.wording import counted

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
# Characters of graphs in a report; the runs with the first seeds come first.
BUDGET = 1_500_000
# Nodes and edges of the true graphs that are laid out well; the page puts others on a circle.
_LAID_OUT = 20_000


def packed(graph: Graph) -> str:
    """Encode edges as text: gaps between edge numbers in base 36.

    The number of an edge between nodes i < j of p is ``16 (i p + j) + 4 mark at i + mark at j``.
    """
    pairs, marks = graph.edge_arrays()
    codes = 16 * (pairs @ [len(graph), 1]) + marks @ np.array([4, 1])
    return " ".join(_base36(int(step)) for step in np.diff(codes, prepend=0))


def _classes(graph: Graph) -> list[str | None]:
    """Return the graph that SHD (CPDAG) compares: the CPDAG of a DAG, None for a CPDAG."""
    if graph.is_cpdag:
        return [None]
    return [packed(cpdag(graph))] if graph.is_dag else []


def _base36(number: int) -> str:
    text = ""
    while True:
        number, digit = divmod(number, 36)
        text = _DIGITS[digit] + text
        if not number:
            return text


class GraphBook:
    """Collector of graphs for the page, up to a size budget."""

    def __init__(self) -> None:
        self._left = BUDGET
        self._layout_left = _LAID_OUT
        self._nodes: dict[tuple[str, ...], int] = {}
        self.node_lists: list[list[str]] = []
        self.truths: list[dict[str, Any]] = []
        self.estimates: dict[int, list[Any]] = {}
        self._truth_numbers: dict[Any, int] = {}
        self._refused = 0

    def add(self, run: int, graph: Graph, truth: Graph | None, truth_key: Any) -> None:
        """Add the graph of a run with its truth, if the budget allows."""
        if self._left <= 0:
            self._refused += 1
            return
        true = None if truth is None else self._truth(truth, truth_key)
        text, classes = packed(graph), _classes(graph)
        self._left -= len(text) + sum(map(len, filter(None, classes))) + 16
        self.estimates[run] = [self._names(graph), true, text, *classes]

    @property
    def left_out(self) -> str:
        """Return a clause on graphs that exceeded the budget; empty if there are none."""
        return f"the graphs of {counted(self._refused, 'run')}" if self._refused else ""

    def _names(self, graph: Graph) -> int:
        number = self._nodes.get(graph.names)
        if number is None:
            number = self._nodes[graph.names] = len(self.node_lists)
            self.node_lists.append(list(graph.names))
            self._left -= sum(map(len, graph.names))
        return number

    def _truth(self, truth: Graph, key: Any) -> int:
        number = self._truth_numbers.get(key)
        if number is None:
            number = self._truth_numbers[key] = len(self.truths)
            edges, nodes = packed(truth), self._names(truth)
            # A truth that is no DAG is compared as it is.
            members = packed(cpdag(truth)) if truth.is_dag else None
            self._left -= len(edges) + len(members or "") + 10 * len(truth)
            self.truths.append(
                {"nodes": nodes, "edges": edges, "class": members, "at": self._at(truth)}
            )
        return number

    def _at(self, truth: Graph) -> list[int] | None:
        """Return coordinates of nodes, alternating x and y; None if the layout would take long."""
        self._layout_left -= len(truth) + truth.n_edges
        if self._layout_left < 0:
            return None
        boxes = arrange(truth, [label(name) for name in truth.names]).boxes
        return [round(v) for i in range(len(truth)) for v in (boxes[i].x, boxes[i].y)]

    def to_json(self) -> dict[str, Any]:
        """Return the JSON data for the page."""
        return {"nodes": self.node_lists, "truths": self.truths, "runs": self.estimates}


def by_seed(places: Iterable[int], seeds: Sequence[Any]) -> list[int]:
    """Return run positions with the first seeds first, so that each setting has some graphs."""
    return sorted(places, key=lambda place: (seeds[place], place))


_LOG = 4000
_MOST_LOGS = 300


class Collected(NamedTuple):
    """Facts read from the store once for the whole page.

    Parameters
    ----------
    sizes
        Number of edges by place of the run.
    book
        The graphs that the page can draw.
    """

    sizes: Mapping[int, int]
    book: GraphBook


def collect(results: Results) -> Collected:
    """Read all estimates once."""
    runs = results.runs_of(results.ids)
    place = {run: i for i, run in enumerate(runs)}
    graphs = {place[run]: graph for run, graph in results.estimates(runs)}
    truths: dict[int, Graph | None] = {}
    book = GraphBook()
    for i in by_seed(graphs, [results.case(run).seed for run in runs]):
        case = results.case(runs[i])
        key = -1 if case.graph is None else case.graph
        if key not in truths:
            truths[key] = results.truth(case)
        book.add(i, graphs[i], truths[key], key)
    return Collected({i: graph.n_edges for i, graph in graphs.items()}, book)


def failure_logs(results: Results) -> dict[int, str]:
    """Return the last log lines of failed runs, by position of the run."""
    logs = ((i, results.log(run)) for i, run in enumerate(results.runs_of(results.ids)))
    return dict(islice(((i, log[-_LOG:]) for i, log in logs if log), _MOST_LOGS))


def settings_of(results: Results, names: Mapping[Any, str]) -> dict[str, Cells]:
    """Return all parameters of each setting, with defaults, by its name."""
    settings: dict[str, Cells] = {}
    for (identifier, number), name in names.items():
        entry = results.algorithms[identifier]
        about = {"module": entry.module.name, "implementation": entry.module.implementation}
        settings[name] = about | dict(entry.settings[number].parameters)
    return settings

"""From the store to what the page shows: sizes, graphs, logs of failures."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any, NamedTuple

from dagathlon.frame import Cells
from dagathlon.graphs import Graph
from dagathlon.report.page.graphs import GraphBook, by_seed
from dagathlon.report.results import Results

_LOG = 4000
_MOST_LOGS = 300


class Collected(NamedTuple):
    """What is read from the store once for the whole page.

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
    """The last lines of what failed runs left behind, by place of the run."""
    logs = ((i, results.log(run)) for i, run in enumerate(results.runs_of(results.ids)))
    return dict(islice(((i, log[-_LOG:]) for i, log in logs if log), _MOST_LOGS))


def settings_of(results: Results, names: Mapping[Any, str]) -> dict[str, Cells]:
    """All parameters of each setting, defaults filled in, by its name."""
    found: dict[str, Cells] = {}
    for (identifier, number), name in names.items():
        entry = results.algorithms[identifier]
        about = {"module": entry.module.name, "implementation": entry.module.implementation}
        found[name] = about | dict(entry.settings[number].parameters)
    return found

"""From the store to what the page shows: sizes, graphs, logs of failures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from dagathlon.graphs import Graph
from dagathlon.report.context import Context
from dagathlon.report.page.agreement import Group
from dagathlon.report.page.graphs import GraphBook, by_seed
from dagathlon.report.page.tables import case_names
from dagathlon.report.tables import Combination
from dagathlon.study.plan.plan import Case, Run

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
    groups
        Estimates over the same variables.
    """

    sizes: Mapping[int, int]
    book: GraphBook
    groups: Sequence[Group]


def collect(context: Context) -> Collected:
    """Read all estimates once."""
    runs = context.runs_of(context.setup.algorithm_ids())
    place = {run: i for i, run in enumerate(runs)}
    graphs = {place[run]: graph for run, graph in context.estimates(runs)}
    cases = context.plan.cases
    truths: dict[int, Graph | None] = {}
    book = GraphBook()
    for i in by_seed(graphs, [cases[run.case].seed for run in runs]):
        case = cases[runs[i].case]
        key = -1 if case.graph is None else case.graph
        if key not in truths:
            truths[key] = context.truth(case)
        book.add(i, graphs[i], truths[key], key)
    sizes = {i: graph.n_edges for i, graph in graphs.items()}
    return Collected(sizes, book, _groups(context, runs, graphs))


def _groups(context: Context, runs: Sequence[Run], graphs: Mapping[int, Graph]) -> list[Group]:
    """Data settings whose truth is one and the same for all seeds, or that have none."""
    by_case: dict[Combination, list[int]] = {}
    for i, run in enumerate(runs):
        by_case.setdefault(_combination(context.plan.cases[run.case]), []).append(i)
    names = case_names(list(by_case))
    groups = []
    for which, members in by_case.items():
        numbers = [runs[i].case for i in members]
        cases = [context.plan.cases[number] for number in numbers]
        if len({case.graph for case in cases}) > 1:
            continue
        if cases[0].graph is not None and not context.plan.fixed[numbers[0]]:
            continue
        found: dict[str, list[Graph]] = {}
        for i in members:
            if i in graphs:
                found.setdefault(runs[i].entry, []).append(graphs[i])
        groups.append(Group(names[which], context.truth(cases[0]), found))
    return groups


def _combination(case: Case) -> Combination:
    return Combination(case.graph_label, case.parameters_label, case.data_label)


def failure_logs(context: Context) -> dict[int, str]:
    """The last lines of what failed runs left behind, by place of the run."""
    runs = context.runs_of(context.setup.algorithm_ids())
    logs = ((i, context.log(run)) for i, run in enumerate(runs))
    return dict(islice(((i, log[-_LOG:]) for i, log in logs if log), _MOST_LOGS))


def settings_of(context: Context, names: Mapping[Any, str]) -> dict[str, dict[str, Any]]:
    """All parameters of each setting, defaults filled in, by its name."""
    result: dict[str, dict[str, Any]] = {}
    for (identifier, number), name in names.items():
        entry = context.algorithms[identifier]
        about = {"module": entry.module.name, "implementation": entry.module.implementation}
        result[name] = about | dict(entry.settings[number].parameters)
    return result

"""``graph_estimation``: learned graphs as files and pictures, converted to other kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal

from dagathlon.evaluations.graphs.graph_files import features
from dagathlon.graphs import Graph, cpdag, pattern, skeleton
from dagathlon.graphs.undirected import undirected_form
from dagathlon.report.evaluation import OfLearners
from dagathlon.report.figures.chart import Drawing
from dagathlon.report.results import Results
from dagathlon.study.plan.plan import Case

ORIGINAL = "original"


def _original(graph: Graph) -> Graph:
    return graph


def _cpdag(graph: Graph) -> Graph | None:
    return cpdag(graph) if graph.is_dag else graph if graph.is_cpdag else None


def _pattern(graph: Graph) -> Graph | None:
    has_one = graph.is_undirected or graph.is_dag or graph.is_cpdag
    return pattern(graph) if has_one else None


_CONVERSIONS: Mapping[str, Callable[[Graph], Graph | None]] = {
    ORIGINAL: _original,
    "cpdag": _cpdag,
    "pattern": _pattern,
    "skeleton": skeleton,
    "moral": partial(undirected_form, form="moral"),
    "dependence": partial(undirected_form, form="dependence"),
}


def converted(graph: Graph, to: str) -> Graph | None:
    """Convert a graph to another type; None if it has no such form (a CPDAG of a cyclic graph)."""
    return _CONVERSIONS[to](graph)


_ENDS = {
    "graphs": "png",
    "adjmats": "png",
    "diffplots": "png",
    "csvs": "csv",
    "graphvizcompare": "pdf",
}


@dataclass(frozen=True, kw_only=True)
class GraphEstimation(OfLearners):
    """Draw, convert and write the estimated graphs.

    Parameters
    ----------
    ids
        Algorithms whose graphs are wanted.
    convert_to
        Further graph types beside the original; moral graphs and graphs of unconditional dependence
        are ours.
    graphs, adjmats
        Drawings of the graphs and of their adjacency matrices.
    diffplots, graphvizcompare
        Comparisons with the true graph.
    csvs
        The adjacency matrices as files.
    """

    name = "graph_estimation"
    ids: tuple[str, ...]
    convert_to: (
        tuple[Literal["cpdag", "pattern", "skeleton", "moral", "dependence"], ...] | None
    ) = None
    graphs: bool = False
    adjmats: bool = False
    diffplots: bool = False
    csvs: bool = True
    graphvizcompare: bool = False

    def needs_truth(self) -> bool:
        """Return whether comparisons with the truth are requested."""
        return self.diffplots or self.graphvizcompare

    def files(self, results: Results) -> Iterator[tuple[str, bytes | Drawing]]:
        """Write the requested files for each run and graph type."""
        numbers = self._numbers(results)
        wanted = {name: end for name, end in _ENDS.items() if getattr(self, name)}
        truths: dict[int, Graph | None] = {}
        for run, graph in results.estimates(results.runs_of(self.ids)):
            case, module = results.case(run), results.algorithm(run).module.name
            if run.case not in truths:
                truths = {run.case: results.truth(case)}
            truth = truths[run.case]
            for kind in (ORIGINAL, *(self.convert_to or ())):
                name = f"{module}_{kind}_{numbers[run.entry, run.setting]}"
                folder = f"{_folder(results, case)}/graph_type={kind}"
                places = {
                    feature: f"{folder}/{feature}/{module}/{name}.{end}"
                    for feature, end in wanted.items()
                }
                against = None if truth is None else converted(truth, kind)
                yield from features(converted(graph, kind), against, places)

    def _numbers(self, results: Results) -> dict[tuple[str, int], int]:
        """Number the settings of each module in the order of the study."""
        counted: dict[str, int] = {}
        numbers: dict[tuple[str, int], int] = {}
        for entry in results.algorithms.values():
            if entry.id not in self.ids:
                continue
            for setting in range(len(entry.settings)):
                counted[entry.module.name] = counted.get(entry.module.name, 0) + 1
                numbers[entry.id, setting] = counted[entry.module.name]
        return numbers


def _folder(results: Results, case: Case) -> str:
    """Return Benchpress's folder of a data set, numbered where one id has several."""
    origin = results.origin(case)
    name = (
        f"graph_id={origin.graph_id}_parameters_id={origin.parameters_id}"
        f"_data_id={origin.data_id}_seed={case.seed}"
    )
    if origin.combinations > 1:
        name += f"_setting={origin.number}"
    if origin.several or case.noise != "N":
        name += f"_noise={case.noise}"
    return (f"{name}_{case.steps}" if case.steps else name).replace("/", "_")

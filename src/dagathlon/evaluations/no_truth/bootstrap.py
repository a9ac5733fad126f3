"""What learning again on bootstrap samples of the data gave, setting by setting."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.evaluations.no_truth.consensus import as_class
from dagathlon.frame import grouped
from dagathlon.graphs import Graph, Mark
from dagathlon.report.results import Results
from dagathlon.report.tables.places import Place, place_of
from dagathlon.simulate.resampling import BootstrapSample
from dagathlon.study.plan.plan import Run

Shares: TypeAlias = npt.NDArray[np.float64]
_LABEL = re.compile(rf"{BootstrapSample.name}=all,\d+")


class Copies(NamedTuple):
    """The graphs of one setting on the bootstrap samples of one data set.

    Parameters
    ----------
    names
        The nodes.
    joined, directed
        Share of the graphs that join two nodes, and that direct them from row to column; reversible
        edges of a DAG have no direction.
    sizes
        Number of edges of each graph.
    failed
        On how many samples nothing was learned.
    """

    names: tuple[str, ...]
    joined: Shares
    directed: Shares
    sizes: Sequence[int]
    failed: int


def bootstrapped(results: Results, ids: Iterable[str]) -> dict[Place, Copies]:
    """All learning on bootstrap samples that is in, by setting and data set."""
    labels = {case.transform for case in results.plan.cases}
    runs: list[Run] = []
    for label in sorted(filter(_LABEL.fullmatch, labels)):
        runs += results.further_runs(ids, label)
    asked = Counter(place_of(results, run) for run in runs)
    graphs = grouped(
        (place_of(results, run), as_class(graph)) for run, graph in results.estimates(runs)
    )
    return {
        place: _copies(found, asked[place] - len(found))
        for place, found in graphs.items()
        if len({graph.names for graph in found}) == 1
    }


def _copies(graphs: Sequence[Graph], failed: int) -> Copies:
    marks = np.stack([graph.marks for graph in graphs])
    directed = (marks == Mark.ARROW) & (marks.transpose(0, 2, 1) == Mark.TAIL)
    sizes = [graph.n_edges for graph in graphs]
    joined: Shares = (marks != 0).mean(axis=0)
    return Copies(graphs[0].names, joined, directed.mean(axis=0), sizes, failed)


def pair_probabilities(
    copies: Mapping[Place, Copies], algorithms: Mapping[str, str]
) -> dict[frozenset[str], float]:
    """How often two nodes are joined on bootstrap samples; each algorithm has one vote.

    Parameters
    ----------
    copies
        Those of settings over the same nodes.
    algorithms
        The algorithm of each id.
    """
    names = next((found.names for found in copies.values() if found.names), ())
    groups = grouped(
        (algorithms.get(place.id, place.id), found.joined)
        for place, found in copies.items()
        if found.names == names
    )
    if not groups:
        return {}
    mean = np.mean([np.mean(found, axis=0) for found in groups.values()], axis=0)
    return {
        frozenset((names[i], names[j])): float(mean[i, j])
        for i in range(len(names))
        for j in range(i + 1, len(names))
    }

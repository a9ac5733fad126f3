"""Intersection-validation beside the truth: what is measured on each data set of a study."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.evaluate.ranking.correlations import LEAST_METHODS
from dagathlon.evaluate.ranking.summary import is_number
from dagathlon.evaluations.intersection_validation.runs import Draw, IntervalRuns, interval_runs
from dagathlon.evaluations.intersection_validation.types import Estimates
from dagathlon.evaluations.intersection_validation.validation import (
    Comparison,
    Forecast,
    Learned,
    forecast,
    interval_scores,
    pairwise,
)
from dagathlon.evaluations.predictive.scores import CROSS_ENTROPY, cross_validated
from dagathlon.frame import grouped_by
from dagathlon.graphs import Graph, PartialGraph, pag, partial_hamming_distance
from dagathlon.graphs.languages import Language
from dagathlon.report.results import Results
from dagathlon.report.tables.places import Place, place_of
from dagathlon.report.tables.regimes import named, regimes_of
from dagathlon.report.tables.runs import setting_name
from dagathlon.study.plan.plan import Case

Distances: TypeAlias = Mapping[int, Mapping[str, npt.NDArray[np.float64]]]
"""By number of rows and learner: one for each subsample, NaN where nothing was learned."""
Values: TypeAlias = Mapping[str, Mapping[str, float]]
"""By method of evaluation and learner."""
_NETWORK_FILE = re.compile(r"\.(csv|rds|bif|dsc|net|xdsl)$")


@dataclass(frozen=True)
class Point:
    """A data set as an intersection point.

    Parameters
    ----------
    network
        What its model is called.
    rows, seed
        Number of rows and replicate of the data set.
    forecast
        What the agreement graph promises.
    agreement, truth
        The agreement graph and the true graph, in one language.
    graphs, outputs
        What the learners found on all rows, and the kind of graph that each says it returns.
    values
        What they score by methods that use all rows: ``SHD``, ``CE`` and ``CV``. Of all of them
        less is better: CV is the cross-validated log-likelihood with its sign turned.
    phd, shd
        Distances of what was learned on subsamples, to the agreement graph and to the truth.
    pairs
        Every two learners by what just these two agree on, for each number of rows.
    """

    network: str
    rows: int
    seed: int
    forecast: Forecast
    agreement: PartialGraph
    truth: PartialGraph
    graphs: Mapping[str, Graph]
    outputs: Mapping[str, str]
    values: Values
    phd: Distances
    shd: Distances
    pairs: Sequence[Comparison]


def points(
    results: Results,
    ids: Iterable[str] = (),
    draws: Iterable[Draw] | None = None,
    folds: int = 0,
    compare_pairs: bool = True,
) -> list[Point]:
    """All data sets of a setup on which at least three learners gave a graph.

    Parameters
    ----------
    results
        Those of the setup.
    ids
        The algorithms; none means all of the setup.
    draws
        The subsamples that count; None means all that some evaluation asked for.
    folds
        Number of folds of cross-validation; 0 is none.
    compare_pairs
        Whether every two learners are compared by themselves.
    """
    chosen = tuple(ids) or tuple(results.ids)
    names = network_names(results, results.cases)
    regimes = regimes_of(results, results.cases)
    cases = {case[2:6]: case for case in results.cases}
    fits = _fits(results, chosen, folds)
    found = []
    for runs in interval_runs(results, chosen, draws):
        truth, case = results.truth(runs.case), cases[runs.case[2:6]]
        if truth is not None and len(runs.graphs) >= LEAST_METHODS:
            about = (names[case], regimes[case].rows, case.seed)
            found.append(_point(about, runs, truth, fits.get(case[2:6], {}), compare_pairs))
    return found


def _point(
    about: tuple[str, int, int],
    runs: IntervalRuns,
    truth: Graph,
    fits: Values,
    compare_pairs: bool,
) -> Point:
    parts = runs.by_size()
    learned = Learned.of(runs.graphs, parts, outputs=runs.outputs)
    true = PartialGraph.of(_known(truth, learned.by), learned.by)
    shd = {name: _distance(graph, true) for name, graph in runs.graphs.items()}
    return Point(
        *about,
        forecast=forecast(learned.agreement),
        agreement=learned.agreement,
        truth=true,
        graphs=runs.graphs,
        outputs=runs.outputs,
        values={"SHD": shd, **fits},
        phd=_to_agreement(learned),
        shd=_to_truth(parts, true),
        pairs=pairwise(learned) if compare_pairs else [],
    )


def _known(truth: Graph, by: Language) -> Graph:
    """Learners that all allow for hidden causes can find the PAG of a DAG, and no more of it."""
    return pag(truth) if by == "marks" and truth.is_dag else truth


def _to_agreement(learned: Learned) -> Distances:
    sizes = grouped_by(interval_scores(learned), lambda row: row.size)
    return {
        size: {
            learner: np.array([np.nan if row.phd is None else float(row.phd) for row in own])
            for learner, own in grouped_by(rows, lambda row: row.learner).items()
        }
        for size, rows in sizes.items()
    }


def _to_truth(parts: Estimates, truth: PartialGraph) -> Distances:
    found: dict[int, dict[str, npt.NDArray[np.float64]]] = {}
    for learner, sizes in parts.items():
        for size, graphs in sizes.items():
            distances = np.array([_distance(graph, truth) for graph in graphs])
            found.setdefault(size, {})[learner] = distances
    return found


def _distance(graph: Graph | None, truth: PartialGraph) -> float:
    return float("nan") if graph is None else float(partial_hamming_distance(graph, truth))


def _fits(
    results: Results, ids: Sequence[str], folds: int
) -> dict[tuple[Any, ...], dict[str, dict[str, float]]]:
    """Cross-entropy and cross-validation by data set, of the runs that have them."""
    found: dict[tuple[Any, ...], dict[str, dict[str, float]]] = {}
    places: dict[Place, tuple[tuple[Any, ...], str]] = {}
    runs = results.runs_of(ids)
    for run, row in zip(runs, results.rows_of(runs), strict=True):
        algorithm, data = results.algorithms[run.entry], results.case(run)[2:6]
        learner = setting_name(algorithm, results.values(run))
        places[place_of(results, run)] = (data, learner)
        if is_number(row.get(CROSS_ENTROPY)):
            own = found.setdefault(data, {})
            own.setdefault("CE", {})[learner] = float(row[CROSS_ENTROPY])
    for place, validated in (cross_validated(results, ids, folds) if folds else {}).items():
        if place in places and validated.mean is not None:
            data, learner = places[place]
            found.setdefault(data, {}).setdefault("CV", {})[learner] = -validated.mean
    return found


def network_names(results: Results, cases: Sequence[Case]) -> dict[Case, str]:
    """What the model of each data set is called: all but its number of rows and its seed."""
    origins = {case: results.origin(case) for case in cases}
    graphs = named({c: (stem(origins[c].graph_id), c.graph_label) for c in cases})
    models = named({c: (stem(origins[c].parameters_id), c.parameters_label) for c in cases})
    kinds = named({c: ("", c.data_label) for c in cases}, leave_out="n")
    ids: dict[str, set[str]] = {}
    for case in cases:
        ids.setdefault(kinds[case], set()).add(origins[case].data_id)
    parts = {case: (graphs[case], models[case], kinds[case]) for case in cases}
    names: dict[Case, str] = {}
    for case, (graph, model, kind) in parts.items():
        same = {one for one in parts.values() if one[0] == graph}
        told = [model] if len({one[1] for one in same}) > 1 else []
        if len({one[2] for one in same if one[1] == model}) > 1:
            told.append(min(ids[kind]) if len(ids[kind]) == 1 else kind)
        names[case] = ", ".join([graph or model or kind, *filter(None, told)])
    return names


def stem(identifier: str | None) -> str:
    """Return an id without the ending of a network's file."""
    return _NETWORK_FILE.sub("", identifier or "")

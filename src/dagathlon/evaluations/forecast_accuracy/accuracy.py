"""Accuracy of intersection-validation against the truth, and of its forecasts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.evaluate.ranking.correlations import (
    LEAST_METHODS,
    method_correlations,
    rank_correlations,
)
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
from dagathlon.evaluations.predictive.tables import CROSS_ENTROPY, cross_validated
from dagathlon.frame import Cells, grouped_by
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
    """One data set: intersection-validation of its learners, and their distances to the truth.

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
    """Return a `Point` for each data set of a setup on which at least three learners gave a graph.

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
    result = []
    for runs in interval_runs(results, chosen, draws):
        truth, case = results.truth(runs.case), cases[runs.case[2:6]]
        if truth is not None and len(runs.graphs) >= LEAST_METHODS:
            about = (names[case], regimes[case].rows, case.seed)
            result.append(_point(about, runs, truth, fits.get(case[2:6], {}), compare_pairs))
    return result


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
    """Return the PAG of a DAG where graphs are compared by end marks, else the graph."""
    return pag(truth) if by == "marks" and truth.is_dag else truth


def _to_agreement(learned: Learned) -> Distances:
    sizes = grouped_by(interval_scores(learned), lambda row: row.size)
    return {
        size: {
            learner: np.array([np.nan if row.phd is None else float(row.phd) for row in members])
            for learner, members in grouped_by(rows, lambda row: row.learner).items()
        }
        for size, rows in sizes.items()
    }


def _to_truth(parts: Estimates, truth: PartialGraph) -> Distances:
    result: dict[int, dict[str, npt.NDArray[np.float64]]] = {}
    for learner, sizes in parts.items():
        for size, graphs in sizes.items():
            distances = np.array([_distance(graph, truth) for graph in graphs])
            result.setdefault(size, {})[learner] = distances
    return result


def _distance(graph: Graph | None, truth: PartialGraph) -> float:
    return float("nan") if graph is None else float(partial_hamming_distance(graph, truth))


def _fits(
    results: Results, ids: Sequence[str], folds: int
) -> dict[tuple[Any, ...], dict[str, dict[str, float]]]:
    """Return cross-entropy and cross-validation by data set, for the runs that have them."""
    result: dict[tuple[Any, ...], dict[str, dict[str, float]]] = {}
    places: dict[Place, tuple[tuple[Any, ...], str]] = {}
    runs = results.runs_of(ids)
    for run, row in zip(runs, results.rows_of(runs), strict=True):
        algorithm, data = results.algorithms[run.entry], results.case(run)[2:6]
        learner = setting_name(algorithm, results.values(run))
        places[place_of(results, run)] = (data, learner)
        if is_number(row.get(CROSS_ENTROPY)):
            members = result.setdefault(data, {})
            members.setdefault("CE", {})[learner] = float(row[CROSS_ENTROPY])
    for place, validated in (cross_validated(results, ids, folds) if folds else {}).items():
        if place in places and validated.mean is not None:
            data, learner = places[place]
            result.setdefault(data, {}).setdefault("CV", {})[learner] = -validated.mean
    return result


def network_names(results: Results, cases: Sequence[Case]) -> dict[Case, str]:
    """Name the model of each data set, without its number of rows and its seed."""
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
        same = {item for item in parts.values() if item[0] == graph}
        tokens = [model] if len({item[1] for item in same}) > 1 else []
        if len({item[2] for item in same if item[1] == model}) > 1:
            tokens.append(min(ids[kind]) if len(ids[kind]) == 1 else kind)
        names[case] = ", ".join([graph or model or kind, *filter(None, tokens)])
    return names


def stem(identifier: str | None) -> str:
    """Return an id without the file suffix of a network."""
    return _NETWORK_FILE.sub("", identifier or "")


ALL, ALL_FAMILIES = "all networks", "all families"
MEANS, DATA_SETS = "means over data sets", "data sets"
"""Levels: networks as in the paper, or each data set by itself."""
VERDICTS = ("good", "fair", "not reliable")
HIGH, MIDDLE = 0.9, 0.7
PREDICTORS = ("relative_size", "connected", "separation")
"""Of the agreement graph the paper's two; and how far apart the learners are, in standard errors.
None of them needs the truth."""
_APART = 4


def groups(rows: Sequence[Cells]) -> Iterator[tuple[Cells, list[Cells]]]:
    """Group rows by network and over all networks, within each family of learners and over all.

    Parameters
    ----------
    rows
        With `network`, and `family` where there are several.
    """
    families = list(dict.fromkeys(row["family"] for row in rows if "family" in row))
    for family in families or [""]:
        selected = [row for row in rows if not family or row["family"] == family]
        about: Cells = {"family": family} if family else {}
        networks = list(dict.fromkeys(row["network"] for row in selected))
        for network in networks:
            yield (
                about | {"network": network},
                [row for row in selected if row["network"] == network],
            )
        if len(networks) > 1:
            yield about | {"network": ALL}, selected
    if len(families) > 1:
        yield {"family": ALL_FAMILIES, "network": ALL}, list(rows)


def kept(rows: Sequence[Cells], level: str) -> Iterator[Cells]:
    """Yield the correlations of PHD with SHD by network and forecast verdict.

    Parameters
    ----------
    rows
        With `network`, `verdict`, `pearson`, `spearman`, `same_best`, `loss`, `blind_loss`.
    level
        What a row is of.
    """
    for about, members in groups(rows):
        for verdict in VERDICTS:
            selected = [row for row in members if row["verdict"] == verdict]
            if selected:
                yield {"level": level} | about | {"verdict": verdict} | _shares(selected)


def _shares(rows: Sequence[Cells]) -> Cells:
    known = np.array([row["pearson"] for row in rows if row["pearson"] is not None])
    ranks = [row["spearman"] for row in rows if row["spearman"] is not None]
    best = [row["same_best"] for row in rows if row["same_best"] is not None]
    return {
        "cases": len(rows),
        "undefined": len(rows) - len(known),
        "mean_pearson": _mean(known),
        "median_pearson": float(np.median(known)) if len(known) else None,
        "above_0.9": _mean(known > HIGH),
        "above_0.7": _mean(known > MIDDLE),
        "below_0": _mean(known < 0),
        "mean_spearman": _mean(ranks),
        "same_best": _mean(best),
        "loss": _mean([row["loss"] for row in rows if row["loss"] is not None]),
        "blind_loss": _mean([row["blind_loss"] for row in rows if row["blind_loss"] is not None]),
    }


def _mean(values: Any) -> float | None:
    return float(np.mean(values)) if len(values) else None


def predictors(rows: Sequence[Cells], level: str) -> Iterator[Cells]:
    """Correlate properties of the agreement graph with the correlation of PHD and SHD (figure 8).

    Parameters
    ----------
    rows
        As in `kept`, with the properties.
    level
        What a row is of.
    """
    for about, members in groups(rows):
        for name in PREDICTORS:
            selected = [r for r in members if r["pearson"] is not None and r[name] is not None]
            columns = {
                key: {str(place): float(row[key]) for place, row in enumerate(selected)}
                for key in (name, "pearson")
            }
            result = method_correlations(columns)[0]
            cells = {"property": name, "correlation": result.value, "cases": len(selected)}
            yield {"level": level} | about | cells | {"rank_correlation": _spearman(selected, name)}


def _spearman(rows: Sequence[Cells], name: str) -> float | None:
    if not rows:
        return None
    result = rank_correlations([[row[name], row["pearson"]] for row in rows], ["more", "more"])
    return float(result[0, 1]) if np.isfinite(result[0, 1]) else None


class Rule(NamedTuple):
    """Rule that decides from an agreement graph whether to believe the ranking.

    Parameters
    ----------
    words
        The rule.
    believes
        Whether it believes the ranking of a row.
    """

    words: str
    believes: Callable[[Cells], bool]


RULES = (
    Rule("always", lambda row: True),
    Rule("not 'not reliable'", lambda row: row["verdict"] != "not reliable"),
    Rule("'good' only", lambda row: row["verdict"] == "good"),
    Rule("5 connected pairs or more", lambda row: row["connected"] >= 5),
    Rule("relative size of 0.8 or more", lambda row: row["relative_size"] >= 0.8),
    Rule("relative size above 0.9", lambda row: row["relative_size"] > 0.9),
    Rule(f"learners {_APART} standard errors apart", lambda row: (row["separation"] or 0) > _APART),
)


def rules(rows: Sequence[Cells], level: str) -> Iterator[Cells]:
    """Yield how often each rule believes a ranking, and its precision and recall.

    Of a rule: the share of rankings that it believes, of those the share with a correlation above
    0.9, and of the rankings with such a correlation the share that it believes.
    """
    for about, members in groups(rows):
        selected = [row for row in members if row["pearson"] is not None]
        accurate = sum(row["pearson"] > HIGH for row in selected)
        for rule in RULES:
            believed = [row for row in selected if rule.believes(row)]
            right = sum(row["pearson"] > HIGH for row in believed)
            yield (
                {"level": level}
                | about
                | {
                    "rule": rule.words,
                    "cases": len(selected),
                    "believed": len(believed) / len(selected) if selected else None,
                    "precision": right / len(believed) if believed else None,
                    "recall": right / accurate if accurate else None,
                    "mean_pearson": _mean([row["pearson"] for row in believed]),
                }
            )

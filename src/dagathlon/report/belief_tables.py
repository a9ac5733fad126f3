"""Tables of posteriors: distances, calibration, convergence, agreement between methods."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from dagathlon.evaluate.beliefs import (
    Bin,
    brier_score,
    calibration_error,
    disagreements,
    expected_shd,
    graph_mmd,
    log_score,
    off_diagonal,
    reliability,
)
from dagathlon.graphs import Graph
from dagathlon.posteriors.packed import Bools, Floats
from dagathlon.report.context import Results
from dagathlon.report.page.tables import case_names
from dagathlon.report.posteriors import Belief
from dagathlon.report.tables import Combination

EXACT = "exact_posterior"
# Edges that are less probable, and not true, stand in no table.
LEAST_WRITTEN = 0.005
_MOST_DISPUTED = 10


class Judged(NamedTuple):
    """A posterior with what it can be compared with.

    Parameters
    ----------
    belief
        The posterior.
    case, set_name
        What the kind of data and the data set are called; the latter is empty where there is one.
    truth
        The true DAG, from row to column, if there is one.
    reference
        What the reference says of the same data set, None where there is none or this is it.
    """

    belief: Belief
    case: str
    set_name: str
    truth: Bools | None
    reference: Floats | None


def judged(results: Results, beliefs: Sequence[Belief], reference: str | None) -> list[Judged]:
    """Posteriors with the truth and the reference of their data set."""
    names = case_names(list(dict.fromkeys(one.data for one in beliefs)))
    sets = dict.fromkeys((one.data, one.seed) for one in beliefs)
    exact: dict[tuple[Combination, int], Belief] = {}
    for one in beliefs:
        if one.id == reference:
            exact.setdefault((one.data, one.seed), one)
    truths: dict[tuple[Combination, int], Graph | None] = {}
    found = []
    for one in beliefs:
        place = one.data, one.seed
        if place not in truths:
            truths[place] = results.truth(results.case(one.run))
        other = exact.get(place)
        known = None if other is None or one.id == reference else _fitting(other, one.names)
        title = _set_name(names[one.data], one.seed, sets) if len(sets) > 1 else ""
        found.append(Judged(one, names[one.data], title, _dag(truths[place], one.names), known))
    return found


def _set_name(name: str, seed: int, sets: Iterable[tuple[Combination, int]]) -> str:
    kinds = len({data for data, _ in sets})
    return f"{name}, seed {seed}" if kinds > 1 else f"seed {seed}"


def _fitting(other: Belief, names: tuple[str, ...]) -> Floats | None:
    return other.edges if other.names == names else None


def _dag(truth: Graph | None, names: tuple[str, ...]) -> Bools | None:
    """The true DAG over the variables; None where the truth is no DAG or over other variables."""
    if truth is None or not truth.is_dag or set(truth.names) != set(names):
        return None
    arcs: Bools = truth.subgraph(names).adjacency != 0
    return arcs


def reference_of(results: Results, ids: Iterable[str]) -> str | None:
    """The first algorithm that gives exact posteriors, if there is one."""
    exact = (one for one in ids if results.algorithms[one].module.name == EXACT)
    return next(exact, None)


def method_row(one: Judged) -> dict[str, Any]:
    """What a posterior cost, how far it is from truth and reference, how it was drawn."""
    belief, truth = one.belief, one.truth
    near = one.reference
    return {
        "data": one.case,
        "seed": belief.seed,
        "setting": belief.method,
        "id": belief.id,
        "cpu": belief.cpu,
        "e_shd": None if truth is None else expected_shd(belief.edges, truth),
        "edge_error": None if near is None else float(np.abs(belief.edges - near).max()),
        "graph_mmd": None if near is None else graph_mmd(belief.edges, near),
        "expected edges": float(belief.edges.sum()),
        "draws": belief.draws or None,
        "chains": belief.chains or None,
        "rhat": belief.rhat,
        "ess": belief.ess,
        "apart": None if belief.apart is None else belief.apart[0],
        "apart about": None if belief.apart is None else belief.apart[1],
        "space": belief.space or None,
    }


def edge_rows(one: Judged) -> Iterator[dict[str, Any]]:
    """A row for each edge that is not improbable, or true."""
    belief = one.belief
    wanted = belief.edges >= LEAST_WRITTEN
    if one.truth is not None:
        wanted = wanted | one.truth
    for i, j in np.argwhere(wanted).tolist():
        row: dict[str, Any] = {"data": one.case, "seed": belief.seed, "setting": belief.method}
        row |= {"from": belief.names[i], "to": belief.names[j]}
        row["probability"] = float(belief.edges[i, j])
        row["path"] = None if belief.paths is None else float(belief.paths[i, j])
        if one.truth is not None:
            row["in the truth"] = "yes" if one.truth[i, j] else "no"
        yield row


class Events(NamedTuple):
    """Probabilities of edges or paths, pooled over data sets, and which of them are true."""

    probabilities: Floats
    true: Bools
    sets: int


def pooled(found: Iterable[Judged], of: str) -> Events | None:
    """The edges or paths of all data sets that have a true DAG."""
    pairs = []
    for one in found:
        matrix = one.belief.edges if of == "edges" else one.belief.paths
        if one.truth is not None and matrix is not None:
            true = one.truth if of == "edges" else ancestry(one.truth)
            pairs.append((off_diagonal(matrix), off_diagonal(true)))
    if not pairs or not sum(len(matrix) for matrix, _ in pairs):
        return None
    joined = [np.concatenate(parts) for parts in zip(*pairs, strict=True)]
    return Events(joined[0].astype(np.float64), joined[1].astype(bool), len(pairs))


def ancestry(dag: Bools) -> Bools:
    """From which row directed edges lead to which column."""
    reached = dag.copy()
    for k in range(len(dag)):
        reached |= np.outer(reached[:, k], reached[k])
    return reached


def by_method(found: Iterable[Judged]) -> dict[tuple[str, str], list[Judged]]:
    """Posteriors by id and setting."""
    groups: dict[tuple[str, str], list[Judged]] = {}
    for one in found:
        groups.setdefault((one.belief.id, one.belief.method), []).append(one)
    return groups


def calibration_rows(found: Sequence[Judged], bins: int) -> Iterator[dict[str, Any]]:
    """Reliability of edges and paths by method: of all data, and of each kind where several."""
    cases = list(dict.fromkeys(one.case for one in found))
    for case in ["", *(cases if len(cases) > 1 else ())]:
        chosen = [one for one in found if case in ("", one.case)]
        for (identifier, method), group in by_method(chosen).items():
            for of in ("edges", "paths"):
                events = pooled(group, of)
                for one in [] if events is None else reliability(*events[:2], bins):
                    about = {"of": of, "data": case, "id": identifier, "setting": method}
                    yield about | one._asdict()


def score_rows(found: Sequence[Judged], bins: int) -> Iterator[dict[str, Any]]:
    """Scores of the probabilities of edges and paths of each method, over all data sets."""
    for (identifier, method), group in by_method(found).items():
        for of in ("edges", "paths"):
            events = pooled(group, of)
            if events is not None:
                probabilities, true, sets = events
                error = calibration_error(reliability(probabilities, true, bins))
                yield {
                    "of": of,
                    "id": identifier,
                    "setting": method,
                    "brier": brier_score(probabilities, true),
                    "log_score": log_score(probabilities, true),
                    "ece": error,
                    "data sets": sets,
                    "pairs": len(true),
                }


def overconfident(rows: Iterable[Mapping[str, Any]], setting: str) -> Bin | None:
    """What becomes of the edges that a method holds for nearly certain."""
    sure = [
        Bin(row["predicted"], row["observed"], row["size"])
        for row in rows
        if row["setting"] == setting and row["of"] == "edges" and not row["data"]
        if row["predicted"] >= 0.9
    ]
    return sure[-1] if sure else None


def agreement_rows(found: Sequence[Judged]) -> Iterator[dict[str, Any]]:
    """How far any two methods are apart on a data set, both ways, and where most."""
    for left, right in itertools.product(found, found):
        if left.belief.names != right.belief.names:
            continue
        a, b = left.belief.edges, right.belief.edges
        gaps = off_diagonal(np.abs(a - b))
        edge = next(disagreements(left.belief.names, a, b), ("", 0.0, 0.0))
        yield {
            "data": left.set_name,
            "left": left.belief.method,
            "right": right.belief.method,
            "largest": float(gaps.max(initial=0.0)),
            "mean": float(gaps.mean()) if gaps.size else 0.0,
            "edge": edge[0] or None,
            "left says": edge[1],
            "right says": edge[2],
        }


def disputed(found: Sequence[Judged]) -> list[dict[str, Any]]:
    """The edges of one data set on which the methods differ most."""
    names = found[0].belief.names
    alike = [one for one in found if one.belief.names == names]
    each = np.array([one.belief.edges for one in alike])
    spread = each.max(axis=0) - each.min(axis=0)
    rows = []
    for cell in np.argsort(-np.round(spread, 9), axis=None, kind="stable")[:_MOST_DISPUTED]:
        i, j = divmod(int(cell), len(names))
        if spread[i, j] > 0:
            row: dict[str, Any] = {"edge": f"{names[i]} → {names[j]}", "range": spread[i, j]}
            rows.append(row | {one.belief.method: float(one.belief.edges[i, j]) for one in alike})
    return rows

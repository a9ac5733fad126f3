"""Distances between what is learned on subsamples and what all learners agree on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.errors import GraphError, unknown
from dagathlon.evaluate.ranking.ranks import Better
from dagathlon.evaluations.intersection_validation.types import Bools, Learned, Types, arrowheads
from dagathlon.graphs import Graph, PartialGraph

Floats: TypeAlias = npt.NDArray[np.float64]
Cells: TypeAlias = npt.NDArray[np.float64] | npt.NDArray[np.int64]
Combine: TypeAlias = Literal["min", "mean"]


class IntervalScore(NamedTuple):
    """Distances of one learner's graph on one subsample to the agreement graph.

    Parameters
    ----------
    learner, size, subsample
        The learner, the number of rows, and the number of the subsample from 1.
    phd
        Partial Hamming distance to the agreement graph; None where the run failed.
    weighted_phd
        The same with pairs weighted by their bootstrap confidence; None without weights.
    adjacency_precision, adjacency_recall, adjacency_f1
        Of the adjacencies, on the pairs of the agreement graph alone; None where all agree on none.
    arrowhead_precision, arrowhead_recall, arrowhead_f1
        The same of arrowheads; None where skeletons are compared.
    wrong_effects
        Ordered pairs, of those whose effect all learners agree on, for which the graph says
        something else; None where effects were not compared.
    """

    learner: str
    size: int
    subsample: int
    phd: int | None = None
    weighted_phd: float | None = None
    adjacency_precision: float | None = None
    adjacency_recall: float | None = None
    adjacency_f1: float | None = None
    arrowhead_precision: float | None = None
    arrowhead_recall: float | None = None
    arrowhead_f1: float | None = None
    wrong_effects: int | None = None


DISTANCES: Mapping[str, tuple[str, Better]] = {
    "phd": ("partial Hamming distance", "less"),
    "weighted_phd": ("partial Hamming distance weighted by confidence", "less"),
    "adjacency_precision": ("precision of adjacencies on agreed pairs", "more"),
    "adjacency_recall": ("recall of adjacencies on agreed pairs", "more"),
    "adjacency_f1": ("F1 of adjacencies on agreed pairs", "more"),
    "arrowhead_precision": ("precision of arrowheads on agreed pairs", "more"),
    "arrowhead_recall": ("recall of arrowheads on agreed pairs", "more"),
    "arrowhead_f1": ("F1 of arrowheads on agreed pairs", "more"),
    "wrong_effects": ("wrong effects among those agreed on", "less"),
}
"""Title of each distance in an `IntervalScore`, and whether more or less of it is better."""


def interval_scores(
    learned: Learned,
    weights: Floats | None = None,
    wrong_effects: Mapping[int, Sequence[Sequence[int | None]]] | None = None,
) -> list[IntervalScore]:
    """Return distances of all graphs on subsamples to the agreement graph of all learners.

    Parameters
    ----------
    learned
        What the learners say, on all rows and on the subsamples.
    weights
        The weight of each pair, as `confidence_weights` gives it.
    wrong_effects
        Wrong effects by size, learner and subsample, as `effect_distances` gives them.
    """
    rows = []
    for size, types in learned.parts.items():
        counted = _distances(learned, types, weights)
        effects = None if wrong_effects is None else wrong_effects[size]
        for (k, t), present in np.ndenumerate(learned.there[size]):
            result: dict[str, Any] = {name: _plain(cells[k, t]) for name, cells in counted.items()}
            if effects is not None:
                result["wrong_effects"] = effects[k][t]
            where = learned.learners[k], size, t + 1
            rows.append(IntervalScore(*where, **result) if present else IntervalScore(*where))
    return rows


def _distances(learned: Learned, types: Types, weights: Floats | None) -> dict[str, Cells]:
    """Return each distance by learner and subsample, NaN where it is undefined."""
    inside, agreed = learned.agreed(range(len(learned.learners))), learned.whole[0]
    differing = (types != agreed) & inside
    result: dict[str, Cells] = {"phd": differing.sum(axis=2)}
    if weights is not None:
        i, j = learned.pairs.T
        result["weighted_phd"] = differing @ weights[i, j]
    result |= _precision_recall("adjacency", (types != 0) & inside, (agreed != 0) & inside)
    if learned.by != "skeletons":
        estimated, true = (np.concatenate(arrowheads(some), axis=-1) for some in (types, agreed))
        both = np.concatenate([inside, inside])
        result |= _precision_recall("arrowhead", estimated & both, true & both)
    return result


_RATES = ("precision", "recall", "f1")


def _precision_recall(what: str, estimated: Bools, true: Bools) -> dict[str, Cells]:
    right = (estimated & true).sum(axis=2)
    n_said, n_true = estimated.sum(axis=2), np.full(right.shape, true.sum())
    if not true.any():
        # There is nothing to find: whoever says something would have 0, whoever does not nothing.
        return {f"{what}_{name}": np.full(right.shape, np.nan) for name in _RATES}
    return {
        f"{what}_precision": _ratio(right, n_said),
        f"{what}_recall": _ratio(right, n_true),
        f"{what}_f1": _ratio(2 * right, n_said + n_true),
    }


def _ratio(part: npt.NDArray[np.int64], whole: npt.NDArray[np.int64]) -> Floats:
    return np.where(whole > 0, part / np.maximum(whole, 1), np.nan)


def _plain(value: Any) -> float | int | None:
    """Convert a NumPy number to Python's, NaN to None."""
    result: float | int = value.item()
    return None if math.isnan(result) else result


def confidence_weights(
    learned: Learned, bootstraps: Mapping[str, Sequence[Graph]], combine: Combine = "min"
) -> Floats:
    """Return the learners' confidence in each agreed pair.

    The share of the graphs on bootstrap samples in which the pair has the type that is agreed on:
    the least over learners, or the mean. Pairs that no graph ever joins have weight 1, pairs that
    are not agreed on weight 0.

    Parameters
    ----------
    learned
        What the learners say on all rows.
    bootstraps
        Graphs of the learners on bootstrap samples of all rows; learners without any do not count.
    combine
        ``min`` or ``mean`` over learners.

    Returns
    -------
    array
        Symmetric matrix of weights from 0 to 1, in the order of `learned.names`.
    """
    if combine not in ("min", "mean"):
        raise GraphError(unknown("way to combine confidences", combine, ("min", "mean")))
    agreement = learned.agreement
    shares = [
        _shares(agreement, graphs) for name in learned.learners if (graphs := bootstraps.get(name))
    ]
    if not shares:
        raise GraphError("weights by confidence need graphs on bootstrap samples")
    result = np.min(shares, axis=0) if combine == "min" else np.mean(shares, axis=0)
    return np.where(agreement.inside, result, 0.0)


def _shares(agreement: PartialGraph, graphs: Sequence[Graph]) -> Floats:
    """Return the share of graphs in which each pair has its agreed type."""
    total = np.zeros(agreement.types.shape)
    for graph in graphs:
        total += ~agreement.differing(PartialGraph.of(graph, agreement.by))
    return total / len(graphs)

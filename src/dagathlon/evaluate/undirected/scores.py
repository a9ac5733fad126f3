"""Scores of learners of undirected graphs: curves against the truth, precision matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dagathlon.errors import DagathlonError
from dagathlon.evaluate.metric import Measure, MetricModule, Value
from dagathlon.evaluate.models.precision_losses import (
    LIKELIHOOD,
    LOSSES,
    Normal,
    fitted_normal,
    normal_log_likelihood,
    precision_losses,
    true_covariance,
)
from dagathlon.evaluate.posteriors.scores import without_burn_in
from dagathlon.evaluate.undirected.curves import Curve, path_curve, probability_curve
from dagathlon.graphs import Graph, GraphPath
from dagathlon.graphs.undirected import UndirectedForm
from dagathlon.learners.base import Estimate
from dagathlon.modules import Probability
from dagathlon.posteriors.posterior import Posterior

_AREAS = (
    "Davis and Goadrich 2006, The relationship between precision-recall and ROC curves, ICML",
)


def _area(name: str, title: str, short: str, better: Literal["more", ""] = "more") -> Measure:
    return Measure(name, title, better, short, references=_AREAS if "AU" in short else ())


AREAS = (
    _area("undirected_auroc", "area under the ROC curve, undirected", "AUROC (undirected)"),
    _area("undirected_auprc", "area under precision by recall, undirected", "AUPRC (undirected)"),
    _area("undirected_best_f1", "best F1 of a graph along the path", "best F1"),
    _area("undirected_best_at", "penalty or probability of the graph of best F1", "best F1 at", ""),
    _area("undirected_chosen_f1", "F1 of the chosen graph of the path", "chosen F1"),
)


@dataclass(frozen=True, kw_only=True)
class PathScores(MetricModule):
    """The curve of a run: graphs along its penalties, or over its edge probabilities.

    Parameters
    ----------
    undirected
        The undirected form in which directed graphs are compared: moral graphs (moral) or graphs of
        unconditional dependence (dependence).
    burn_in
        Share of each Markov chain to leave out at its start.
    """

    name = "paths"
    order = 80
    measures = AREAS
    undirected: Literal["moral", "dependence"] = "moral"
    burn_in: Probability = 0.5

    def compute(self, truth: Graph, estimate: Estimate) -> dict[str, Any]:
        """Return one row: areas and points of the curve, or the reason why there are none."""
        row: dict[str, Any] = dict.fromkeys(measure.name for measure in AREAS)
        path = without_burn_in(estimate, self.burn_in) if estimate.path is None else estimate.path
        if path is None:
            return row
        try:
            return row | curve_of(path, truth, self.undirected)
        except DagathlonError as error:
            return row | {"undirected_note": str(error)}


def curve_of(
    path: GraphPath | Posterior, truth: Graph, undirected: UndirectedForm
) -> dict[str, Any]:
    """Return the areas of a curve, its best graph, and its points: value, right and wrong edges.

    The chosen graph of a posterior has all edges above one half.
    """
    if isinstance(path, GraphPath):
        return _curve_row(path_curve(path, truth, undirected), path.chosen) | {"along": "penalty"}
    curve = probability_curve(path, truth, undirected)
    above = np.flatnonzero(curve.values > 0.5)
    row = _curve_row(curve, int(above[-1]) if len(above) else None) | {"along": "probability"}
    # The graph without edges is no point of the curve.
    return row if len(above) else row | {"undirected_chosen_f1": 0.0}


def _curve_row(curve: Curve, chosen: int | None) -> dict[str, Any]:
    best = int(np.argmax(curve.f1))
    points = zip(curve.values.tolist(), curve.tp.tolist(), curve.fp.tolist(), strict=True)
    return {
        "undirected_auroc": _number(curve.auroc),
        "undirected_auprc": _number(curve.auprc),
        "undirected_best_f1": float(curve.f1[best]),
        "undirected_best_at": float(curve.values[best]),
        "undirected_chosen_f1": None if chosen is None else float(curve.f1[chosen]),
        "points": [list(point) for point in points],
        "counts": {"chosen": chosen, "positives": curve.positives, "negatives": curve.negatives},
    }


@dataclass(frozen=True, kw_only=True)
class PrecisionScores(MetricModule):
    """Losses of the precision matrix of a run, and the likelihood of fresh rows.

    Parameters
    ----------
    inputs
        Names of the inputs, in this order, among model, data, test_data and estimate.
    precision
        Which matrix: the learner's own, and where it gives none the one of greatest likelihood with
        the zeros of its graph (own); or the latter for all (fitted).
    scaled
        Whether the data were standardised, so that the true model is scaled alike.
    """

    name = "precision_scores"
    order = 81
    measures = (*LOSSES, LIKELIHOOD)
    inputs: tuple[str, ...] = ("model", "data", "test_data", "estimate")
    precision: Literal["own", "fitted"] = "own"
    scaled: bool = False

    def compute(self, *inputs: Any) -> dict[str, Value]:
        """Return one row, with None for missing values and a note with the reason."""
        given = dict(zip(self.inputs, inputs, strict=True))
        row: dict[str, Value] = dict.fromkeys(measure.name for measure in self.measures)
        try:
            normal = self._normal(given["estimate"], given["data"])
            row["precision_how"] = normal.how
        except DagathlonError as error:
            return row | {"precision_note": str(error)}
        notes: list[str] = []
        for part in (self._losses, self._likelihood):
            try:
                row |= part(normal, given)
            except DagathlonError as error:
                notes.append(str(error))
        return row | ({"precision_note": "; ".join(notes)} if notes else {})

    def _normal(self, estimate: Estimate, data: Any) -> Normal:
        if self.precision == "own" and estimate.precision is not None:
            return Normal(estimate.graph.names, estimate.precision, "own")
        return fitted_normal(estimate.graph, data)

    def _losses(self, normal: Normal, given: dict[str, Any]) -> dict[str, Value]:
        if given.get("model") is None:
            return {}
        true = true_covariance(given["model"], normal.names, self.scaled)
        return {name: _number(value) for name, value in _known(normal, true)}

    def _likelihood(self, normal: Normal, given: dict[str, Any]) -> dict[str, Value]:
        if given.get("test_data") is None:
            return {}
        value = normal_log_likelihood(normal, given["data"], given["test_data"])
        return {LIKELIHOOD.name: _number(value)}


def _known(normal: Normal, true: Any) -> Sequence[tuple[str, float]]:
    return tuple(precision_losses(normal.precision, true).items())


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None

"""Calibration of edge and path probabilities: reliability diagrams and proper scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dagathlon.errors import DataError
from dagathlon.evaluate.posteriors.graphs import (
    MissingInputError,
    RankedEdges,
    ranked_edges,
    reorder_nodes,
)
from dagathlon.graphs import Graph
from dagathlon.posteriors.packed import Bools, Floats, Ints
from dagathlon.posteriors.posterior import Posterior


@dataclass(frozen=True)
class Reliability:
    """Reliability diagram: probabilities in bins of equal width, the last one closed above.

    Parameters
    ----------
    ends
        Ends of the bins: one more than there are bins.
    count
        How many probabilities are in each.
    probability
        Their mean; NaN in an empty bin.
    frequency
        The share of them that came true; NaN in an empty bin.
    """

    ends: Floats
    count: Ints
    probability: Floats
    frequency: Floats

    @property
    def error(self) -> float:
        """Expected calibration error: mean absolute gap between probability and frequency."""
        used = self.count > 0
        gaps = np.abs(self.probability[used] - self.frequency[used])
        return float((self.count[used] * gaps).sum() / self.count.sum())


class Calibration(NamedTuple):
    """Brier score, log loss and calibration error of probabilities; lower is better."""

    brier: float
    log_score: float
    ece: float


def edge_outcomes(posterior: Posterior, truth: Graph) -> RankedEdges:
    """Return, for all ordered pairs, the edge probability and whether the true graph has it.

    Outcomes of many posteriors can be concatenated (`np.concatenate`) for one reliability
    diagram.
    """
    return ranked_edges(posterior, truth)


def path_outcomes(posterior: Posterior, truth: Graph) -> RankedEdges:
    """Return, for all ordered pairs, the path probability and whether the truth has a path."""
    true = reorder_nodes(truth, posterior.names, "the true graph")
    if not true.is_dag:
        raise MissingInputError("paths are compared with those of a true DAG")
    reached = true.adjacency != 0
    for k in range(len(true)):
        reached = reached | np.outer(reached[:, k], reached[k])
    off = ~np.eye(len(true), dtype=bool)
    return RankedEdges(path_probabilities(posterior)[off], reached[off])


def path_probabilities(posterior: Posterior) -> Floats:
    """Return exact path probabilities if they are known, else those of the draws."""
    try:
        return posterior.path_probabilities
    except DataError:
        if not posterior.chains:
            raise MissingInputError("the probabilities of paths were not computed") from None
    return Posterior(posterior.chains).path_probabilities


def reliability(probability: Floats, present: Bools, bins: int = 10) -> Reliability:
    """Return mean probability and observed frequency in bins of equal width.

    Parameters
    ----------
    probability
        Predictions.
    present
        Outcomes.
    bins
        Number of bins.
    """
    check_outcomes(probability, present)
    where = np.minimum((probability * bins).astype(np.int64), bins - 1)
    count = np.bincount(where, minlength=bins)
    with np.errstate(invalid="ignore"):
        mean = np.bincount(where, weights=probability, minlength=bins) / count
        share = np.bincount(where, weights=present, minlength=bins) / count
    return Reliability(np.linspace(0.0, 1.0, bins + 1), count, mean, share)


def calibration(
    probability: Floats, present: Bools, bins: int = 10, least: float = 1e-3
) -> Calibration:
    """Return Brier score, log score and expected calibration error of probabilities.

    Parameters
    ----------
    probability, present, bins
        As in `reliability`.
    least
        For the log score, probabilities are clipped to this distance from 0 and 1: an edge that was
        never drawn may still be true, and would cost infinitely much.
    """
    check_outcomes(probability, present)
    clipped = np.clip(probability, least, 1 - least)
    logs = np.where(present, np.log(clipped), np.log1p(-clipped))
    return Calibration(
        float(np.mean((probability - present) ** 2)),
        float(-logs.mean()),
        reliability(probability, present, bins).error,
    )


def check_outcomes(probability: Floats, present: Bools) -> None:
    """Refuse numbers that are no probabilities, or not one per outcome."""
    if probability.shape != present.shape or not probability.size:
        raise DataError("there is an outcome for each probability, and at least one of them")
    if not np.all((probability >= 0) & (probability <= 1)):
        raise DataError("probabilities are between 0 and 1")

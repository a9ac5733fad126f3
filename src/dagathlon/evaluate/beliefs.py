"""Probabilities of edges against the truth, and against other probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagathlon.posteriors.packed import Bools, Floats

# What a method held for impossible and happened counts as if it had held it for so improbable.
_LEAST = 1e-6


class Bin(NamedTuple):
    """Events of similar probability.

    Parameters
    ----------
    predicted
        Their mean probability.
    observed
        The share that is true.
    size
        Their number.
    """

    predicted: float
    observed: float
    size: int


def off_diagonal(matrix: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
    """The cells of a matrix between two different nodes."""
    return matrix[~np.eye(len(matrix), dtype=bool)]


def reliability(probabilities: Floats, true: Bools, bins: int = 10) -> list[Bin]:
    """How often what is held for so probable is true, in bins of equal width that are not empty.

    Parameters
    ----------
    probabilities
        Of events.
    true
        Which of them are true.
    bins
        Number of bins from 0 to 1.
    """
    place = np.minimum((probabilities * bins).astype(int), bins - 1)
    found = []
    for number in np.unique(place).tolist():
        inside = place == number
        mean, share = float(probabilities[inside].mean()), float(true[inside].mean())
        found.append(Bin(mean, share, int(inside.sum())))
    return found


def calibration_error(found: Sequence[Bin]) -> float:
    """Expected calibration error: the mean gap between predicted and observed, by count."""
    total = sum(one.size for one in found)
    return sum(one.size * abs(one.predicted - one.observed) for one in found) / total


def brier_score(probabilities: Floats, true: Bools) -> float:
    """Mean squared difference between the probability and what is true."""
    return float(np.mean((probabilities - true) ** 2))


def log_score(probabilities: Floats, true: Bools) -> float:
    """Mean of minus the logarithm of the probability of what is true, in nats."""
    of_truth = np.where(true, probabilities, 1 - probabilities)
    return float(-np.log(np.clip(of_truth, _LEAST, 1.0)).mean())


def expected_shd(edges: Floats, truth: Bools) -> float:
    """Expected structural Hamming distance to a DAG; a reversed edge counts once.

    It needs the probabilities of edges alone: each pair is wrong with the probability of whatever
    the truth does not have there.
    """
    right = np.where(truth | truth.T, edges * truth + (edges * truth).T, 1 - edges - edges.T)
    return float(np.triu(1 - right, 1).sum())


def graph_mmd(first: Floats, second: Floats) -> float:
    """Squared maximum mean discrepancy with the kernel 1 - Hamming / m, of m possible edges."""
    m = len(first) * (len(first) - 1)
    return float(2 * np.sum((first - second) ** 2) / m) if m else 0.0


def disagreements(
    names: Sequence[str], first: Floats, second: Floats
) -> Iterator[tuple[str, float, float]]:
    """Edges with their two probabilities, those that differ most first."""
    gap = np.abs(first - second)
    for cell in np.argsort(-gap, axis=None, kind="stable").tolist():
        i, j = divmod(cell, len(names))
        if gap[i, j] > 0:
            yield f"{names[i]} → {names[j]}", float(first[i, j]), float(second[i, j])

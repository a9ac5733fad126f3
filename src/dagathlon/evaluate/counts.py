"""Counts of right and wrong edges on the skeleton and on the pattern of two graphs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dagathlon.graphs import Graph, pattern


class Counts(NamedTuple):
    """True and false positives and negatives over node pairs; halves are possible."""

    tp: float
    fp: float
    fn: float
    tn: float

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; NaN when both graphs are empty."""
        return self.f_beta(1.0)

    @property
    def precision(self) -> float:
        """Right ones among those found; NaN when nothing was found."""
        found = self.tp + self.fp
        return self.tp / found if found else float("nan")

    @property
    def recall(self) -> float:
        """Those found among the true ones; NaN when there are none."""
        true = self.tp + self.fn
        return self.tp / true if true else float("nan")

    def f_beta(self, beta: float) -> float:
        """Weighted harmonic mean: recall weighs `beta` times as much as precision.

        NaN when there is neither anything to find nor anything found.
        """
        square = beta * beta
        total = self.tp + (self.fp + square * self.fn) / (1 + square)
        return self.tp / total if total else float("nan")


def on_shared_nodes(estimate: Graph, truth: Graph) -> tuple[Graph, Graph]:
    """Both graphs over the names they share, in the order of the truth."""
    shared = [name for name in truth.names if name in estimate]
    return estimate.subgraph(shared), truth.subgraph(shared)


def skeleton_counts(estimate: Graph, truth: Graph) -> Counts:
    """Unordered pairs that are joined, whatever the marks. The graphs have the same nodes."""
    learned, true = estimate.marks != 0, truth.marks != 0
    pairs = len(truth) * (len(truth) - 1) // 2
    tp = int(np.count_nonzero(learned & true)) // 2
    fp = int(np.count_nonzero(learned & ~true)) // 2
    fn = int(np.count_nonzero(~learned & true)) // 2
    return Counts(tp, fp, fn, pairs - tp - fp - fn)


def pattern_counts(estimate: Graph, truth: Graph) -> Counts:
    """Pairs of the two patterns; a differing orientation is half a miss and half an extra."""
    skeleton = skeleton_counts(estimate, truth)
    learned, true = pattern(estimate).marks, pattern(truth).marks
    differing = ((learned != true) | (learned.T != true.T)) & (learned != 0) & (true != 0)
    wrong = int(np.count_nonzero(differing)) // 2
    edges = skeleton.tp + skeleton.fn
    fn = skeleton.fn + wrong / 2
    return Counts(edges - fn, skeleton.fp + wrong / 2, fn, skeleton.tn)

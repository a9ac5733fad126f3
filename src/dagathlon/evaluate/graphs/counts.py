"""Counts of true and false edges, on the skeletons and on the patterns of two graphs."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.graphs import Graph, Mark, pattern

Marks: TypeAlias = npt.NDArray[np.uint8]
Bools: TypeAlias = npt.NDArray[np.bool_]


class Counts(NamedTuple):
    """True and false positives and negatives over node pairs; multiples of one half."""

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
        """True positives among the positives; NaN without positives."""
        positives = self.tp + self.fp
        return self.tp / positives if positives else float("nan")

    @property
    def recall(self) -> float:
        """True positives among the true edges; NaN without true edges."""
        true = self.tp + self.fn
        return self.tp / true if true else float("nan")

    def f_beta(self, beta: float) -> float:
        """Return F_beta: recall weighs `beta` times as much as precision.

        NaN when both the truth and the estimate are empty.
        """
        square = beta * beta
        total = self.tp + (self.fp + square * self.fn) / (1 + square)
        return self.tp / total if total else float("nan")


def on_shared_nodes(estimate: Graph, truth: Graph) -> tuple[Graph, Graph]:
    """Return both graphs on their common nodes, in the order of the truth."""
    shared = [name for name in truth.names if name in estimate]
    return estimate.subgraph(shared), truth.subgraph(shared)


class Ends(NamedTuple):
    """Marks at both ends of some node pairs, `Mark.NONE` where a pair is not adjacent."""

    left: Marks
    right: Marks

    @property
    def joined(self) -> Bools:
        """Return a mask of the adjacent pairs."""
        mask: Bools = self.left != Mark.NONE
        return mask

    def same(self, other: Ends) -> Bools:
        """Return a mask of the pairs with the same marks, or no edge, in both."""
        mask: Bools = (self.left == other.left) & (self.right == other.right)
        return mask


def on_joined_pairs(estimate: Graph, truth: Graph) -> tuple[Ends, Ends]:
    """Return the marks, in both graphs, of the pairs adjacent in either; nodes are the same.

    All other pairs are non-adjacent in both: with thousands of nodes nearly all are.
    """
    pairs = estimate.native.joined_pairs(truth.native)
    learned, true = (graph.native.marks_of_pairs(pairs).T for graph in (estimate, truth))
    return Ends(*learned), Ends(*true)


def skeleton_counts(estimate: Graph, truth: Graph) -> Counts:
    """Count adjacent pairs, whatever the marks. The graphs have the same nodes."""
    learned, true = (ends.joined for ends in on_joined_pairs(estimate, truth))
    pairs = len(truth) * (len(truth) - 1) // 2
    tp = int(np.count_nonzero(learned & true))
    fp = int(np.count_nonzero(learned)) - tp
    fn = int(np.count_nonzero(true)) - tp
    return Counts(tp, fp, fn, pairs - tp - fp - fn)


def pattern_counts(estimate: Graph, truth: Graph) -> Counts:
    """Count pairs of the two patterns; a wrong orientation is half missing and half extra."""
    skeleton = skeleton_counts(estimate, truth)
    learned, true = on_joined_pairs(pattern(estimate), pattern(truth))
    wrong = int(np.count_nonzero(learned.joined & true.joined & ~learned.same(true)))
    edges = skeleton.tp + skeleton.fn
    fn = skeleton.fn + wrong / 2
    return Counts(edges - fn, skeleton.fp + wrong / 2, fn, skeleton.tn)

"""Precision and recall of what a graph says: adjacencies, arrowheads, v-structures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.evaluate.counts import Counts, on_shared_nodes, skeleton_counts
from dagathlon.evaluate.metric import Measure, Value, metric_family
from dagathlon.graphs import Graph, Mark

Matrix: TypeAlias = npt.NDArray[np.float32]

# F_β with recall half as important and twice as important as precision.
_BETAS = {"F05": 0.5, "F1": 1.0, "F2": 2.0}


def arrowhead_counts(estimate: Graph, truth: Graph) -> Counts:
    """Arrowheads of the estimate against those of the truth. The graphs have the same nodes.

    An arrowhead on an edge that the truth does not have is a false one. Undirected ends are no
    arrowheads: a CPDAG loses recall against a DAG, never precision.
    """
    learned, true = estimate.marks == Mark.ARROW, truth.marks == Mark.ARROW
    tp = int(np.count_nonzero(learned & true))
    fp, fn = int(np.count_nonzero(learned)) - tp, int(np.count_nonzero(true)) - tp
    p = len(truth)
    return Counts(tp, fp, fn, p * (p - 1) - tp - fp - fn)


def v_structure_counts(estimate: Graph, truth: Graph) -> Counts:
    """V-structures (i *→ k ←* j, i and j not adjacent). The graphs have the same nodes."""
    p = len(truth)
    learned, true = (_Colliders.of(graph) for graph in (estimate, truth))
    tp, n_learned, n_true = (learned & true).number(), learned.number(), true.number()
    triples = p * (p - 1) * (p - 2) // 2
    return Counts(tp, n_learned - tp, n_true - tp, triples - n_learned - n_true + tp)


class _Colliders(NamedTuple):
    """Arrowheads from row to column, and which pairs are apart: both together are v-structures."""

    into: Matrix
    apart: Matrix

    @classmethod
    def of(cls, graph: Graph) -> _Colliders:
        apart = graph.marks == Mark.NONE
        np.fill_diagonal(apart, False)
        return cls((graph.marks == Mark.ARROW).astype(np.float32), apart.astype(np.float32))

    def __and__(self, other: _Colliders) -> _Colliders:
        """A v-structure of two graphs has its arrowheads and its gap in both."""
        return _Colliders(self.into * other.into, self.apart * other.apart)

    def number(self) -> int:
        """Each unordered pair of parents is met twice."""
        return int(np.einsum("ik,ik->", self.apart @ self.into, self.into, dtype=float)) // 2


_SAID = {"adjacency": "adjacencies", "arrowhead": "arrowheads", "v_structure": "v-structures"}
_MEASURED = {
    "precision": "precision",
    "recall": "recall",
    "F05": "F½, precision counting twice as much as recall,",
    "F1": "F1",
    "F2": "F2, recall counting twice as much as precision,",
}


def _columns() -> Iterator[Measure]:
    for said, plural in _SAID.items():
        for measured, words in _MEASURED.items():
            short = "" if measured in ("precision", "recall", "F1") else f"{words[:2]} ({plural})"
            show = measured == "F1" and said != "adjacency"
            yield Measure(f"{said}_{measured}", f"{words} ({plural})", "more", short, show=show)


@metric_family("edges", *_columns(), order=40)
def edge_metrics(estimate: Graph, truth: Graph) -> dict[str, Value]:
    """Precision, recall, F½, F1 and F2 of adjacencies, arrowheads and v-structures."""
    learned, true = on_shared_nodes(estimate, truth)
    counted = {
        "adjacency": skeleton_counts(learned, true),
        "arrowhead": arrowhead_counts(learned, true),
        "v_structure": v_structure_counts(learned, true),
    }
    metrics: dict[str, Value] = {}
    for name, counts in counted.items():
        metrics[f"{name}_precision"] = counts.precision
        metrics[f"{name}_recall"] = counts.recall
        for which, beta in _BETAS.items():
            metrics[f"{name}_{which}"] = counts.f_beta(beta)
    return metrics

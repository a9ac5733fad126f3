"""Bayesys's metrics: half a point for a true edge that is found with other marks.

A true ``A → B`` is a full match for a learned ``A → B`` or ``A o→ B`` and a half match for any
other edge between the two. A true ``A ↔ B`` represents a latent confounder and is matched by any
edge. Every other true edge is matched by the same edge and half matched by a different one.
"""

from __future__ import annotations

from functools import partial
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from dagathlon.errors import GraphError
from dagathlon.evaluate.graphs.counts import Ends, on_joined_pairs, on_shared_nodes
from dagathlon.evaluate.metric import Measure, Value, metric_family
from dagathlon.graphs import Graph, Mark, cpdag, extension, pag

_NOISY_DATA = (
    "Constantinou, Liu, Chobtham, Guo and Kitson 2021, Large-scale empirical validation of "
    "Bayesian network structure learning algorithms with noisy data, International Journal of "
    "Approximate Reasoning 131",
)
_BALANCED = (
    "Constantinou 2019, Evaluating structure learning algorithms with a balanced scoring function, "
    "arXiv 1905.12666",
)


class BayesysCounts(NamedTuple):
    """Counts of node pairs: full and half matches, extra edges, correct non-edges."""

    tp: int
    tp2: int
    fp: int
    tn: int
    edges: int

    @property
    def hits(self) -> float:
        """Full matches and half of the half matches."""
        return self.tp + self.tp2 / 2

    @property
    def fn(self) -> float:
        """Number of true edges minus hits."""
        return self.edges - self.hits

    @property
    def negatives(self) -> int:
        """Number of pairs that are not adjacent in the truth."""
        return self.fp + self.tn

    def precision(self, half_matches: Literal["count", "shrink"] = "count") -> float | None:
        """Return hits as a share of the learned edges; None without a learned edge.

        Half matches ``count`` as whole edges among those learned (Constantinou et al. 2021)
        or ``shrink`` to half an edge (Constantinou 2019).
        """
        learned = (self.tp + self.tp2 if half_matches == "count" else self.hits) + self.fp
        return self.hits / learned if learned else None

    @property
    def recall(self) -> float | None:
        """Hits as a share of the true edges; None when there are none."""
        return self.hits / self.edges if self.edges else None

    def f1(self, half_matches: Literal["count", "shrink"] = "count") -> float | None:
        """Return the harmonic mean of precision and recall; None if one of them is None."""
        precision, recall = self.precision(half_matches), self.recall
        if precision is None or recall is None:
            return None
        total = precision + recall
        return 2 * precision * recall / total if total else 0.0

    @property
    def shd(self) -> float:
        """Number of extra and missing edges; a wrong orientation counts one half."""
        return self.fp + self.fn

    @property
    def ddm(self) -> float | None:
        """DAG dissimilarity metric, at most 1; None when the truth has no edge."""
        return (self.hits - self.fn - self.fp) / self.edges if self.edges else None

    @property
    def bsf(self) -> float:
        """Balanced scoring function: 1 at best, 0 for an empty or complete graph, -1 at worst.

        It is the mean of the scores on the edges and on the non-edges of the truth; where
        the truth has none of one kind, that half adds nothing, and the best score is a
        half.
        """
        score = 0.0
        if self.edges:
            score += (self.hits - self.fn) / self.edges / 2
        if self.negatives:
            score += (self.tn - self.fp) / self.negatives / 2
        return score


def bayesys_counts(estimate: Graph, truth: Graph, *, equivalent: bool = False) -> BayesysCounts:
    """Count node pairs by outcome, over the nodes that both graphs have.

    Parameters
    ----------
    estimate, truth
        Graphs of any kind.
    equivalent
        Whether edge directions that the true equivalence class does not determine cost nothing,
        such as a direction that is open in the classes of both (rule 6 of Constantinou 2019).
    """
    learned, true = on_shared_nodes(estimate, truth)
    learned_ends, wanted = on_joined_pairs(learned, true)
    full = _full_matches(learned_ends, wanted)
    classes = _classes(learned, true) if equivalent else None
    if classes is not None:
        # The classes join the same pairs.
        full |= _full_matches(*on_joined_pairs(*classes))
    both = learned_ends.joined & wanted.joined
    tp = int(np.count_nonzero(both & full))
    half = int(np.count_nonzero(both)) - tp
    edges = int(np.count_nonzero(wanted.joined))
    fp = len(full) - edges
    negatives = len(true) * (len(true) - 1) // 2 - edges
    return BayesysCounts(tp, half, fp, negatives - fp, edges)


def _classes(learned: Graph, true: Graph) -> tuple[Graph, Graph] | None:
    """Return the equivalence classes of two graphs in one form; None where one has none.

    A graph with undirected edges has the class of its DAGs; those with bidirected edges are
    compared by PAGs.
    """
    try:
        dags = [graph if graph.is_dag else extension(graph) for graph in (learned, true)]
        return cpdag(dags[0]), cpdag(dags[1])
    except GraphError:
        pass
    try:
        return pag(learned), pag(true)
    except GraphError:
        return None


def _full_matches(learned: Ends, true: Ends) -> npt.NDArray[np.bool_]:
    """Return a mask of the pairs adjacent in both graphs whose learned edge is a full match."""
    full: npt.NDArray[np.bool_] = learned.same(true)
    full |= (true.left == Mark.ARROW) & (true.right == Mark.ARROW)
    for ends, others in ((true, learned), (Ends(*true[::-1]), Ends(*learned[::-1]))):
        directed = (ends.left == Mark.TAIL) & (ends.right == Mark.ARROW)
        full |= directed & (others.left == Mark.CIRCLE) & (others.right == Mark.ARROW)
    return full


_column = partial(Measure, references=_NOISY_DATA, table="beside")


@metric_family(
    "bayesys",
    _column("bayesys_precision", "precision (Bayesys)", "more"),
    _column("bayesys_recall", "recall (Bayesys)", "more"),
    _column("bayesys_f1", "F1 (Bayesys)", "more"),
    _column(
        "bayesys_shd",
        "structural Hamming distance (Bayesys)",
        "less",
        "SHD (Bayesys)",
        unit="edges",
    ),
    _column("ddm", "DAG dissimilarity metric", "more", "DDM", references=_BALANCED),
    _column(
        "bsf",
        "balanced scoring function",
        "more",
        "BSF",
        references=_BALANCED,
        headline=40,
        control=True,
    ),
    order=20,
)
def bayesys_metrics(estimate: Graph, truth: Graph) -> dict[str, Value]:
    """Return the metrics under their column names."""
    return columns_of(bayesys_counts(estimate, truth))


def columns_of(counts: BayesysCounts) -> dict[str, Value]:
    """Return the metrics of given counts under their column names."""
    return {
        "bayesys_precision": counts.precision(),
        "bayesys_recall": counts.recall,
        "bayesys_f1": counts.f1(),
        "bayesys_shd": counts.shd,
        "ddm": counts.ddm,
        "bsf": counts.bsf,
    }

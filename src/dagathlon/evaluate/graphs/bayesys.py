"""The metrics of Bayesys: half a point for an edge that is found but not as it should be.

A true ``A → B`` is a full match for a learned ``A → B`` or ``A o→ B`` and a half match for any
other edge between the two. A true ``A ↔ B`` stands for a latent confounder and is matched by any
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
    """Node pairs by outcome: full and half matches, extra edges, and pairs rightly not joined."""

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
        """What is missing to all edges of the truth."""
        return self.edges - self.hits

    @property
    def negatives(self) -> int:
        """Pairs that the truth does not join."""
        return self.fp + self.tn

    def precision(self, half_matches: Literal["count", "shrink"] = "count") -> float | None:
        """Hits among the learned edges; None without a learned edge.

        Half matches ``count`` as whole edges among those learned (Constantinou et al. 2021) or
        ``shrink`` to half an edge (Constantinou 2019).
        """
        found = (self.tp + self.tp2 if half_matches == "count" else self.hits) + self.fp
        return self.hits / found if found else None

    @property
    def recall(self) -> float | None:
        """Hits among the edges of the truth; None when it has none."""
        return self.hits / self.edges if self.edges else None

    def f1(self, half_matches: Literal["count", "shrink"] = "count") -> float | None:
        """Harmonic mean of precision and recall, 0 when both are; None when one is missing."""
        precision, recall = self.precision(half_matches), self.recall
        if precision is None or recall is None:
            return None
        total = precision + recall
        return 2 * precision * recall / total if total else 0.0

    @property
    def shd(self) -> float:
        """Extra and missing edges; a wrong orientation costs a half."""
        return self.fp + self.fn

    @property
    def ddm(self) -> float | None:
        """DAG dissimilarity metric, 1 at best; None when the truth has no edge."""
        return (self.hits - self.fn - self.fp) / self.edges if self.edges else None

    @property
    def bsf(self) -> float:
        """Balanced scoring function: 1 at best, 0 for an empty or complete graph, -1 at worst.

        It is the mean of what is won on the edges and on the non-edges of the truth; where the
        truth has none of one kind, that half adds nothing, and the best score is a half.
        """
        score = 0.0
        if self.edges:
            score += (self.hits - self.fn) / self.edges / 2
        if self.negatives:
            score += (self.tn - self.fp) / self.negatives / 2
        return score


def bayesys_counts(estimate: Graph, truth: Graph, *, equivalent: bool = False) -> BayesysCounts:
    """Count node pairs by outcome, over the names that both graphs have.

    Parameters
    ----------
    estimate, truth
        Graphs of any kind.
    equivalent
        Whether what the equivalence class of the truth leaves open costs nothing, such as a
        direction that is open in the classes of both (rule 6 of Constantinou 2019).
    """
    learned, true = on_shared_nodes(estimate, truth)
    found, wanted = on_joined_pairs(learned, true)
    full = _full_matches(found, wanted)
    classes = _classes(learned, true) if equivalent else None
    if classes is not None:
        # The classes join the same pairs.
        full |= _full_matches(*on_joined_pairs(*classes))
    both = found.joined & wanted.joined
    tp = int(np.count_nonzero(both & full))
    half = int(np.count_nonzero(both)) - tp
    edges = int(np.count_nonzero(wanted.joined))
    fp = len(full) - edges
    negatives = len(true) * (len(true) - 1) // 2 - edges
    return BayesysCounts(tp, half, fp, negatives - fp, edges)


def _classes(learned: Graph, true: Graph) -> tuple[Graph, Graph] | None:
    """Return the equivalence classes of two graphs in one form; None where one has none.

    A graph with undirected edges has the class of its DAGs; one with bidirected edges is compared
    by PAGs.
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
    """For each pair that both join, whether the learned edge says what the true one does."""
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
    """The metrics under the names that tables use."""
    return columns_of(bayesys_counts(estimate, truth))


def columns_of(counts: BayesysCounts) -> dict[str, Value]:
    """Return the metrics of some counts under the names that tables use."""
    return {
        "bayesys_precision": counts.precision(),
        "bayesys_recall": counts.recall,
        "bayesys_f1": counts.f1(),
        "bayesys_shd": counts.shd,
        "ddm": counts.ddm,
        "bsf": counts.bsf,
    }

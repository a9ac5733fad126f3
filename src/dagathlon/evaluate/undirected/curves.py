"""Curves of undirected graphs against the truth: along penalties or edge probabilities."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dagathlon.errors import GraphError
from dagathlon.evaluate.posteriors.graphs import MissingInputError, auroc, average_precision
from dagathlon.graphs import Graph, GraphPath, as_undirected
from dagathlon.graphs.undirected import UndirectedForm
from dagathlon.posteriors.marginal_posterior import MarginalPosterior
from dagathlon.posteriors.packed import Bools, Floats, Ints
from dagathlon.posteriors.posterior import Posterior

# Thresholds of probabilities that a curve shows, about; its areas are those of all of them.
_MOST_POINTS = 100


class Curve(NamedTuple):
    """Sequence of graphs, usually with increasing numbers of edges, compared with one truth.

    Parameters
    ----------
    values
        The penalty, or least probability of an edge, of each graph.
    tp, fp
        Right and wrong edges of each.
    positives, negatives
        Edges of the truth, and pairs that it does not join.
    auroc, auprc
        Areas under the two curves; NaN where the truth has no edge, or (ROC) all of them.
    """

    values: Floats
    tp: Ints
    fp: Ints
    positives: int
    negatives: int
    auroc: float
    auprc: float

    @property
    def f1(self) -> Floats:
        """Harmonic mean of precision and recall of each graph; 0 without true positives."""
        total = self.tp + self.fp + self.positives
        return np.asarray(2 * self.tp / np.maximum(total, 1), dtype=np.float64)


def path_curve(path: GraphPath, truth: Graph, undirected: UndirectedForm = "moral") -> Curve:
    """Compare the graphs of a path with the truth, matched by name.

    The areas are those of the graphs as they are, joined by straight lines (ROC) or steps
    (precision against recall); the curves begin at the empty graph and end at the complete one,
    so that a path that stops early is extended as if by chance.

    Parameters
    ----------
    path
        The graphs along the penalties.
    truth
        The true graph over the same nodes: undirected, or one that has an undirected form.
    undirected
        The form of a truth with directed edges.
    """
    present = _joined(truth, path.names, undirected)
    edges = path.pairs
    tp = np.asarray((edges & present).sum(axis=1), dtype=np.int64)
    fp = path.n_edges - tp
    positives, negatives = int(present.sum()), int((~present).sum())
    areas = _areas(tp, fp, positives, negatives)
    return Curve(path.penalties, tp, fp, positives, negatives, *areas)


def probability_curve(
    posterior: Posterior, truth: Graph, undirected: UndirectedForm = "moral"
) -> Curve:
    """Compare the graphs above all thresholds of edge probability with the truth, by name.

    Parameters
    ----------
    posterior
        A distribution over undirected graphs; or over DAGs by draws, of which each is taken in its
        undirected form.
    truth
        The true graph over the same nodes.
    undirected
        The form of graphs with directed edges.
    """
    present = _joined(truth, posterior.names, undirected)
    above = np.triu_indices(len(posterior.names), 1)
    scores = pair_probabilities(posterior, undirected)[above]
    levels = np.unique(scores)[::-1]
    positive, negative = np.sort(scores[present]), np.sort(scores[~present])
    tp = len(positive) - np.searchsorted(positive, levels, side="left")
    fp = len(negative) - np.searchsorted(negative, levels, side="left")
    areas = auroc(scores, present), average_precision(scores, present)
    curve = Curve(levels, tp, fp, len(positive), len(negative), *areas)
    return curve if len(levels) <= _MOST_POINTS else _thinned(curve)


def _thinned(curve: Curve) -> Curve:
    """Thin the points, keeping the best graph and that of all edges above one half."""
    some = np.linspace(0, len(curve.values) - 1, _MOST_POINTS).round().astype(int)
    half = np.flatnonzero(curve.values > 0.5)[-1:]
    chosen = np.unique(np.concatenate([some, half, [np.argmax(curve.f1)]]))
    return curve._replace(values=curve.values[chosen], tp=curve.tp[chosen], fp=curve.fp[chosen])


def pair_probabilities(posterior: Posterior, undirected: UndirectedForm = "moral") -> Floats:
    """Return a matrix of the probabilities that two nodes are adjacent in the undirected form."""
    edges = posterior.edge_probabilities
    if np.allclose(edges, edges.T) and _is_undirected(posterior):
        return edges
    if isinstance(posterior, MarginalPosterior) or not posterior.chains:
        raise MissingInputError("exact marginals of DAGs do not determine their undirected forms")
    matrix = posterior.expect(lambda graph: as_undirected(graph, undirected).adjacency)
    return np.asarray(matrix, dtype=np.float64)


def _is_undirected(posterior: Posterior) -> bool:
    """Whether the edges have no directions, judged by their probabilities."""
    edges = posterior.edge_probabilities
    return bool(np.allclose(edges, posterior.strengths.strength))


def _joined(truth: Graph, names: tuple[str, ...], undirected: UndirectedForm) -> Bools:
    """Return a mask of the true adjacencies, for the pairs above the diagonal."""
    true = as_undirected(truth, undirected)
    if set(true.names) != set(names):
        odd = sorted(set(true.names) ^ set(names))
        raise GraphError(f"the truth is not over the nodes of the estimates: {', '.join(odd[:5])}")
    matrix = true.subgraph(names).adjacency != 0
    return np.asarray(matrix[np.triu_indices(len(names), 1)], dtype=np.bool_)


def _areas(tp: Ints, fp: Ints, positives: int, negatives: int) -> tuple[float, float]:
    """Return the areas under the ROC and the precision-recall curve."""
    if not positives:
        return float("nan"), float("nan")
    points = sorted({(0, 0), (positives, negatives), *zip(tp.tolist(), fp.tolist(), strict=True)})
    right, wrong = (np.array(side, dtype=np.float64) for side in zip(*points, strict=True))
    steps = np.diff(right) / positives
    auprc = float((steps * right[1:] / (right + wrong)[1:]).sum())
    if not negatives:
        return float("nan"), auprc
    order = np.lexsort((right, wrong))
    heights = right[order] / positives
    widths = np.diff(wrong[order]) / negatives
    return float((widths * (heights[1:] + heights[:-1]) / 2).sum()), auprc

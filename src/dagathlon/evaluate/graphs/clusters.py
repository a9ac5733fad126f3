"""Agreement between learned and true clusters of indicators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

from dagathlon.errors import GraphError, listing
from dagathlon.evaluate.metric import Measure, MetricModule, Value
from dagathlon.graphs import Graph
from dagathlon.graphs.measurement import MeasurementModel
from dagathlon.learners.base import Estimate

_RAND = ("Hubert and Arabie 1985, Comparing partitions, Journal of Classification 2",)
_SILVA = (
    "Silva, Scheines, Glymour and Spirtes 2006, Learning the structure of linear latent variable "
    "models, JMLR 7",
)

CLUSTER_MEASURES = (
    Measure("cluster_ari", "adjusted Rand index of clusters", "more", "ARI", references=_RAND),
    Measure("cluster_precision", "pairs joined that belong together", "more", "pair precision"),
    Measure("cluster_recall", "pairs that belong together and are joined", "more", "pair recall"),
    Measure("cluster_f1", "F1 of pairs in the same cluster", "more", "pair F1"),
    Measure(
        "cluster_purity", "clustered variables of their cluster's majority", "more", "purity"
    ),
    Measure("clustered_share", "indicators in some cluster", "more", "clustered"),
    Measure(
        "latent_omission", "true clusters without a learned one", "less", "omitted",
        references=_SILVA,
    ),
    Measure(
        "latent_commission", "learned clusters without a true one", "less", "superfluous",
        references=_SILVA,
    ),
)  # fmt: skip


def compare_clusters(estimate: MeasurementModel, truth: MeasurementModel) -> dict[str, float]:
    """Compare learned with true clusters.

    Parameters
    ----------
    estimate, truth
        Models with the same observed variables. Clusters are groups with the same latent causes;
        a variable that is in none is alone.

    Returns
    -------
    dict
        ``cluster_ari``: adjusted Rand index of both partitions (1 where both are equal).
        ``cluster_precision``, ``cluster_recall``, ``cluster_f1``: of pairs in the same cluster.
        ``cluster_purity``: share of clustered variables that are of the true cluster from which
        most of their learned cluster are. ``clustered_share``: share of the variables in true
        clusters that are in a learned one. ``latent_omission``: share of the true clusters that
        are the majority of no learned one. ``latent_commission``: share of the learned clusters
        that have no majority, or the same one as a larger cluster. Shares of nothing are 1 where
        more is better, else 0.
    """
    if set(estimate.names) != set(truth.names):
        odd = sorted(set(estimate.names) ^ set(truth.names))
        raise GraphError(f"the models have different observed variables: {listing(odd)}")
    learned, true = _labels(estimate), _labels(truth)
    return _by_pairs(learned, true, truth.names) | _by_clusters(estimate, truth, true)


def _labels(model: MeasurementModel) -> dict[str, int]:
    """Return a cluster number per variable; unclustered variables get numbers of their own."""
    numbers = {name: -1 - i for i, name in enumerate(model.names)}
    for number, cluster in enumerate(model.clusters):
        numbers |= dict.fromkeys(cluster, number)
    return numbers


def _by_pairs(
    learned: Mapping[str, int], true: Mapping[str, int], names: Sequence[str]
) -> dict[str, float]:
    both = sum(comb(n, 2) for n in Counter((learned[v], true[v]) for v in names).values())
    joined = sum(comb(n, 2) for n in Counter(learned.values()).values())
    right = sum(comb(n, 2) for n in Counter(true.values()).values())
    pairs = comb(len(names), 2)
    expected = joined * right / pairs if pairs else 0.0
    most = (joined + right) / 2
    precision = both / joined if joined else 1.0
    recall = both / right if right else 1.0
    total = joined + right
    return {
        "cluster_ari": (both - expected) / (most - expected) if most != expected else 1.0,
        "cluster_precision": precision,
        "cluster_recall": recall,
        "cluster_f1": 2 * both / total if total else 1.0,
    }


def _by_clusters(
    estimate: MeasurementModel, truth: MeasurementModel, true: Mapping[str, int]
) -> dict[str, float]:
    clustered = [name for cluster in estimate.clusters for name in cluster]
    stand_for: set[int] = set()
    agreeing = superfluous = 0
    for cluster in sorted(estimate.clusters, key=len, reverse=True):
        counts = Counter(true[name] for name in cluster)
        label, most = counts.most_common(1)[0]
        agreeing += most
        majority = label >= 0 and 2 * most > len(cluster)
        if majority and label not in stand_for:
            stand_for.add(label)
        else:
            superfluous += 1
    belonging = [name for cluster in truth.clusters for name in cluster]
    inside = len(set(clustered) & set(belonging))
    return {
        "cluster_purity": agreeing / len(clustered) if clustered else 1.0,
        "clustered_share": inside / len(belonging) if belonging else 1.0,
        "latent_omission": _share(len(truth.clusters) - len(stand_for), len(truth.clusters)),
        "latent_commission": _share(superfluous, len(estimate.clusters)),
    }


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


@dataclass(frozen=True, kw_only=True)
class ClusterScores(MetricModule):
    """Agreement of a run's measurement model with the true model's."""

    name = "cluster_scores"
    order = 82
    measures = CLUSTER_MEASURES

    def compute(self, model: Any, estimate: Estimate) -> dict[str, Value]:
        """Return one row of values; None without a measurement model or a true one."""
        row: dict[str, Value] = dict.fromkeys(measure.name for measure in self.measures)
        graph = getattr(model, "graph", None)
        if estimate.measurement is None or not isinstance(graph, Graph):
            return row
        observed = estimate.measurement.names
        if any(name not in graph for name in observed):
            return row
        truth = MeasurementModel.from_graph(graph, observed)
        return row | compare_clusters(estimate.measurement, truth)

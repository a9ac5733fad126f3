"""Baselines: metrics of random, empty and complete graphs, which need no learning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from dagathlon.errors import GraphError
from dagathlon.evaluate.graphs.comparison import compare_by, standard_families
from dagathlon.evaluate.metric import MetricModule, Value
from dagathlon.evaluate.ranking.ranks import Better
from dagathlon.evaluate.ranking.summary import is_number
from dagathlon.graphs import Graph

Baselines: TypeAlias = Mapping[tuple[Any, ...], Mapping[str, Mapping[str, float]]]
"""Values of each baseline, by data set and metric."""

EMPTY, COMPLETE, RANDOM = "the empty graph", "the complete graph", "random graphs"
# Nodes up to which the complete graph is a baseline.
_MOST_COMPLETE = 2_000
# One of the trivial graphs is perfect by a rate that forgives missing or forgives wrong edges.
_ONE_SIDED = ("TPR_pattern", "FPRn_pattern")


class Baseline(NamedTuple):
    """A baseline graph, and its mean on some data sets."""

    name: str
    value: float


def random_graphs(truth: Graph, draws: int, seed: int = 0) -> Iterator[Graph]:
    """Yield random graphs with the nodes and the number of edges of the truth.

    They are undirected when the truth is; else DAGs, with directions along a random order.

    Parameters
    ----------
    truth
        Gives names and number of edges.
    draws
        How many graphs.
    seed
        The same seed gives the same graphs.
    """
    if draws < 0:
        raise GraphError(f"the number of random graphs is at least 0, found {draws}")
    p, rng = len(truth), np.random.default_rng(seed)
    rows, columns = np.triu_indices(p, 1)
    for _ in range(draws):
        chosen = rng.permutation(len(rows))[: truth.n_edges]
        matrix = np.zeros((p, p), dtype=np.uint8)
        matrix[rows[chosen], columns[chosen]] = 1
        if truth.is_undirected and truth.n_edges:
            matrix |= matrix.T
        order = rng.permutation(p)
        yield Graph.from_adjacency(truth.names, matrix[np.ix_(order, order)])


def random_baselines(truth: Graph, draws: int = 10, seed: int = 0) -> dict[str, Value]:
    """Return mean metrics of random graphs as dense as the truth, as ``control_<metric>``.

    A learner that is no better than this control has learned nothing.

    Parameters
    ----------
    truth
        The true graph.
    draws
        How many graphs to average over.
    seed
        The same seed gives the same graphs.
    """
    chosen, columns = _baseline_metrics()
    rows = [
        compare_by(chosen, graph, truth, causal=None) for graph in random_graphs(truth, draws, seed)
    ]
    means: dict[str, Value] = {}
    for metric in columns:
        values = [row.get(metric) for row in rows]
        numbers = [float(value) for value in values if isinstance(value, int | float)]
        means[f"control_{metric}"] = float(np.mean(numbers)) if numbers else None
    return means


def _baseline_metrics() -> tuple[list[type[MetricModule]], list[str]]:
    """Return the metric families used for baselines, and the names of their columns."""
    families = standard_families()
    columns = [
        measure.name for family in families for measure in family.measures if measure.control
    ]
    return [measure for measure in families if any(m.control for m in measure.measures)], columns


def trivial_baselines(truth: Graph) -> dict[str, dict[str, float]]:
    """Return exact metrics of the empty and the complete graph, by metric.

    Rates that one of the two makes perfect (true positives, false positives) are left out.
    Beyond 2,000 nodes there is the empty graph alone: the complete one has millions of edges
    there.

    Parameters
    ----------
    truth
        The true graph.
    """
    return {metric: dict(values) for metric, values in _trivial(truth)}


@lru_cache(maxsize=2048)
def _trivial(truth: Graph) -> tuple[tuple[str, tuple[tuple[str, float], ...]], ...]:
    chosen, columns = _baseline_metrics()
    graphs = {EMPTY: Graph(truth.names)}
    if len(truth) <= _MOST_COMPLETE:
        every = 1 - np.eye(len(truth), dtype=np.uint8)
        graphs[COMPLETE] = Graph.from_adjacency(truth.names, every)
    rows = {name: compare_by(chosen, graph, truth, causal=None) for name, graph in graphs.items()}
    values = {
        metric: tuple((name, _number(row.get(metric))) for name, row in rows.items())
        for metric in columns
        if metric not in _ONE_SIDED and all(is_number(row.get(metric)) for row in rows.values())
    }
    return tuple(values.items())


def _number(value: Value) -> float:
    return float(value) if isinstance(value, int | float) else float("nan")


def best_baseline(values: Sequence[Mapping[str, float]], better: Better) -> Baseline | None:
    """Return the baseline with the best mean over data sets; None if there is none.

    Parameters
    ----------
    found
        Values by name of the baseline, one mapping per data set; a baseline counts that all have.
    better
        Whether more or less is better.
    """
    names = set.intersection(*map(set, values)) if values else set()
    ordered = [name for name in (EMPTY, RANDOM, COMPLETE) if name in names]
    means = [Baseline(name, float(np.mean([value[name] for value in values]))) for name in ordered]
    if not means:
        return None
    return max(means, key=lambda value: value.value if better == "more" else -value.value)

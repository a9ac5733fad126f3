"""Curves along penalties and over probabilities: areas by hand, by ranks, and from files."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from dagathlon.cli import main
from dagathlon.errors import GraphError
from dagathlon.evaluate import compare_path
from dagathlon.evaluate.posteriors.graphs import auroc, average_precision
from dagathlon.evaluate.undirected import curves as undirected_curves
from dagathlon.evaluate.undirected.curves import path_curve, probability_curve
from dagathlon.evaluate.undirected.scores import PathScores
from dagathlon.graphs import Graph, GraphPath, moral, write_graph, write_path
from dagathlon.learners.base import Estimate
from dagathlon.posteriors.posterior import Posterior

NAMES = ("a", "b", "c", "d")
TRUTH = Graph.from_edges(["a - b", "b - c"], names=NAMES)


def path_of(*graphs: list[str], chosen: int | None = None) -> GraphPath:
    found = [Graph.from_edges(edges, names=NAMES).adjacency for edges in graphs]
    return GraphPath(NAMES, np.arange(len(graphs), 0, -1), found, chosen=chosen)


def test_areas_by_hand() -> None:
    path = path_of([], ["a - b"], ["a - b", "c - d"], ["a - b", "c - d", "b - c"], chosen=1)
    curve = path_curve(path, TRUTH)
    assert curve.tp.tolist() == [0, 1, 1, 2]
    assert curve.fp.tolist() == [0, 0, 1, 1]
    # (0, 0), (0, ½), (¼, ½), (¼, 1), (1, 1)
    assert curve.auroc == pytest.approx(0.25 * 0.5 + 0.75)
    assert curve.auprc == pytest.approx(0.5 * 1 + 0.5 * 2 / 3)
    row = compare_path(path, TRUTH)
    assert row["undirected_best_f1"] == pytest.approx(2 * 2 / 5)
    assert (row["undirected_best_at"], row["undirected_chosen_f1"]) == (1.0, pytest.approx(2 / 3))


def test_nested_graphs_have_the_areas_of_ranked_pairs() -> None:
    rng = np.random.default_rng(3)
    names = [f"x{i}" for i in range(12)]
    for _ in range(5):
        weights = np.triu(rng.random((12, 12)).round(1), 1)
        weights += weights.T
        truth = Graph.from_adjacency(names, np.triu(rng.random((12, 12)) < weights, 1))
        truth = moral(truth)
        levels = [0.95, 0.75, 0.45, 0.25]
        path = GraphPath(names, levels, [weights > t for t in levels])
        above = np.triu_indices(12, 1)
        present = (truth.adjacency != 0)[above]
        scores = np.array([weights[above] > t for t in levels]).sum(axis=0).astype(float)
        curve = path_curve(path, truth)
        assert curve.auroc == pytest.approx(auroc(scores, present))
        assert curve.auprc == pytest.approx(average_precision(scores, present))


def test_graphs_that_lose_edges_again_count_as_they_are() -> None:
    path = path_of(["c - d"], ["a - b"], ["a - b", "b - c"])
    curve = path_curve(path, TRUTH)
    # The wrong edge comes first and goes again: (0, 0), (0, ½), (0, 1), (¼, 0), (1, 1).
    assert curve.auroc == pytest.approx(0.25 * 0.5 + 0.75 * 0.5)
    assert curve.auprc == pytest.approx(1.0)


def test_truths_without_edges_and_with_all() -> None:
    path = path_of([], ["a - b"])
    assert math.isnan(path_curve(path, Graph(NAMES)).auroc)
    full = Graph.from_adjacency(NAMES, 1 - np.eye(4, dtype=int))
    assert math.isnan(path_curve(path, full).auroc)
    assert path_curve(path, full).auprc == pytest.approx(1.0)
    with pytest.raises(GraphError, match="not over the nodes"):
        path_curve(path, Graph(["a", "b"]))


def test_directed_truth_by_its_moral_graph() -> None:
    path = path_of(["a - c", "b - c", "a - b"])
    collider = Graph.from_edges(["a -> c", "b -> c"], names=NAMES)
    assert path_curve(path, collider).tp.tolist() == [3]
    assert path_curve(path, collider, "dependence").tp.tolist() == [2]


def test_probabilities_of_undirected_graphs_and_of_dags() -> None:
    draws = [["a - b"], ["a - b"], ["a - b", "b - c"], ["c - d"]]
    posterior = Posterior.of([Graph.from_edges(edges, names=NAMES) for edges in draws])
    curve = probability_curve(posterior, TRUTH)
    assert curve.values.tolist() == [0.75, 0.25, 0.0]
    assert curve.tp.tolist() == [1, 2, 2]
    assert curve.fp.tolist() == [0, 1, 4]
    assert curve.auroc == pytest.approx((4 + 3 + 0.5) / 8)
    dags = Posterior.of([Graph.from_edges(["a -> c", "b -> c"], names=NAMES), Graph(NAMES)])
    joined = probability_curve(dags, moral(Graph.from_edges(["a -> c", "b -> c"], names=NAMES)))
    assert (joined.values.tolist(), joined.tp.tolist()) == ([0.5, 0.0], [3, 3])
    row = PathScores().compute(TRUTH, Estimate(Graph(NAMES), posterior=posterior))
    assert (row["along"], row["undirected_chosen_f1"]) == ("probability", pytest.approx(2 / 3))
    assert PathScores().compute(TRUTH, Estimate(TRUTH))["undirected_auroc"] is None


def test_thinned_curves_keep_the_chosen_and_the_best_graph(monkeypatch: Any) -> None:
    monkeypatch.setattr(undirected_curves, "_MOST_POINTS", 2)
    edges = ["a - c", "a - b", "b - c", "b - d", "a - d", "c - d"]
    times = (10, 8, 6, 4, 2, 1)
    draws = [[e for e, n in zip(edges, times, strict=True) if k < n] for k in range(10)]
    posterior = Posterior.of([Graph.from_edges(one, names=NAMES) for one in draws])
    row = compare_path(posterior, TRUTH)
    assert row["undirected_chosen_f1"] == row["undirected_best_f1"] == pytest.approx(0.8)
    assert row["undirected_best_at"] == pytest.approx(0.6)
    assert probability_curve(posterior, TRUTH).values.tolist() == pytest.approx([1, 0.6, 0.1])


def test_a_posterior_without_a_probable_edge_chooses_the_graph_without_edges() -> None:
    draws = [["a - b"], [], ["b - c"], []]
    posterior = Posterior.of([Graph.from_edges(edges, names=NAMES) for edges in draws])
    assert compare_path(posterior, TRUTH)["undirected_chosen_f1"] == 0


def test_the_command_reads_paths(tmp_path, capsys) -> None:  # type: ignore[no-untyped-def]
    path = path_of([], ["a - b"], ["a - b", "c - d"], chosen=1)
    files = [str(tmp_path / name) for name in ("path.npz", "truth.csv")]
    write_path(path, files[0])
    write_graph(TRUTH, files[1])
    assert main(["compare", *files, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == pytest.approx(compare_path(path, TRUTH))

"""Undirected graphs against each other, and graphs of directed edges by an undirected form."""

from __future__ import annotations

import itertools
from typing import cast

import pytest

from dagathlon.cli import main
from dagathlon.errors import GraphError
from dagathlon.evaluate import compare
from dagathlon.evaluate.graphs import cliques as cliques_module
from dagathlon.evaluate.graphs.cliques import maximal_clique_sets
from dagathlon.evaluate.steps import StandardMetrics
from dagathlon.evaluations.graphs.graph_estimation import converted
from dagathlon.evaluations.posterior_comparison.comparison import compared_truth
from dagathlon.graphs import Graph, moral, write_graph
from dagathlon.learners.base import Estimate, Learner
from dagathlon.modules import find
from dagathlon.posteriors.posterior import Posterior

TRUTH = Graph.from_edges(["a - b", "b - c", "a - c", "c - d"], names="abcde")


def test_rates_of_undirected_graphs() -> None:
    learned = Graph.from_edges(["a - b", "b - c", "d - e"], names="abcde")
    row = compare(learned, TRUTH)
    assert row["TPR_pattern"] == row["adjacency_recall"] == 2 / 4
    assert row["FPR_pattern_corrected"] == 1 / 6
    assert row["F1_skel"] == row["F1_pattern"] == pytest.approx(2 * 2 / (3 + 4))
    assert row["SHD"] == row["SHD_pattern"] == 3
    assert "compared_as" not in row


def test_cliques_by_hand_and_by_brute_force() -> None:
    learned = Graph.from_edges(["a - b", "b - c", "d - e"], names="abcde")
    row = compare(learned, TRUTH)
    assert (row["n_cliques"], row["clique_max"], row["clique_mean"]) == (3, 2, 2.0)
    assert (row["clique_recall"], row["clique_precision"]) == (0.0, 0.0)
    same = compare(TRUTH, TRUTH)
    assert (same["n_cliques"], same["clique_max"]) == (3, 3)
    assert (same["clique_recall"], same["clique_precision"]) == (1.0, 1.0)
    cliques = [
        frozenset(nodes)
        for size in range(1, 6)
        for nodes in itertools.combinations("abcde", size)
        if all(
            TRUTH.marks[TRUTH.position(i), TRUTH.position(j)]
            for i, j in itertools.combinations(nodes, 2)
        )
    ]
    largest = {one for one in cliques if not any(one < other for other in cliques)}
    assert maximal_clique_sets(TRUTH) == largest


def test_graphs_without_a_number_of_cliques(monkeypatch: pytest.MonkeyPatch) -> None:
    directed = compare(Graph.from_edges(["a -> b", "c -> b"], names="abcde"), TRUTH)
    assert directed["n_cliques"] is None
    assert directed["clique_recall"] is None
    loop = Graph.from_edges(["a - b", "b - c", "c - d", "d - a"], names="abcde")
    assert compare(loop, TRUTH)["n_cliques"] == 5
    monkeypatch.setattr(cliques_module, "MOST_CLIQUES", 4)
    assert compare(loop, TRUTH)["n_cliques"] is None
    assert compare(TRUTH, loop)["n_cliques"] == 3


def test_directed_graphs_by_their_moral_graphs() -> None:
    dag = Graph.from_edges(["a -> c", "b -> c", "c -> d"], names="abcde")
    assert compare(dag, TRUTH)["SHD"] == 4
    row = compare(dag, TRUTH, undirected="moral")
    assert row["SHD"] == 0
    assert row["compared_as"] == "moral"
    assert compare(TRUTH, dag, undirected="moral")["F1_skel"] == 1.0
    # d depends on a and b through c, where nothing is held fixed.
    row = compare(dag, TRUTH, undirected="dependence")
    assert (row["SHD"], row["compared_as"]) == (3, "dependence")
    found, plain = compare(dag, TRUTH, undirected="moral"), compare(moral(dag), TRUTH)
    # The moral graph is chordal, but no CPDAG is meant.
    for name in ("SHD_cpdag", "parent_AID", "ancestor_AID", "oset_AID"):
        assert found.pop(name) is None
        assert plain.pop(name) == 0
    del found["compared_as"]
    assert found == pytest.approx(plain, nan_ok=True)


def test_graphs_without_an_undirected_form() -> None:
    mixed = Graph.from_edges(["a <-> b"], names="abcde")
    with pytest.raises(GraphError, match="found the edge a <-> b"):
        compare(mixed, TRUTH, undirected="moral")
    row = StandardMetrics(undirected="moral").compute(TRUTH, Estimate(mixed))
    assert row["compared_as"] == "moral"
    assert "found the edge a <-> b" in row["compared_note"]


def test_a_class_without_directed_edges_is_no_undirected_graph() -> None:
    chain = Estimate(Graph.from_edges(["a - b", "b - c"]))
    truth = Graph.from_edges(["a -> b", "b -> c"])
    metrics = StandardMetrics(undirected="dependence")
    assert metrics.asks_for_learner()
    assert metrics.compute(truth, chain)["SHD"] == 1
    for name, wrong in (("ges", 0), ("corr_thresh", 1)):
        learner = cast("type[Learner]", find("algorithm", name))()
        assert metrics.for_learner(learner).compute(truth, chain)["SHD"] == wrong
    assert not StandardMetrics(undirected="moral").asks_for_learner()


def test_graphs_are_drawn_in_these_forms_too() -> None:
    collider = Graph.from_edges(["a -> c", "b -> c"])
    assert converted(collider, "moral") == moral(collider)
    assert converted(collider, "dependence") == Graph.from_edges(["a - c", "b - c"])
    assert converted(Graph.from_edges(["a <-> b"]), "moral") is None


def test_the_command_states_the_choice(tmp_path, capsys) -> None:  # type: ignore[no-untyped-def]
    files = [str(tmp_path / name) for name in ("learned.csv", "truth.csv")]
    write_graph(Graph.from_edges(["a -> c", "b -> c", "c -> d"], names="abcde"), files[0])
    write_graph(TRUTH, files[1])
    assert main(["compare", *files, "--moral"]) == 0
    shown = dict(line.split()[:2] for line in capsys.readouterr().out.splitlines())
    assert (shown["compared_as"], shown["SHD"]) == ("moral", "0")


def test_undirected_posteriors_meet_the_form_that_a_study_states() -> None:
    dag = Graph.from_edges(["a -> c", "b -> c"])
    lines = Posterior.of([Graph.from_edges(["a - c", "b - c"])])
    arrows = Posterior.of([dag])
    assert compared_truth(lines, dag, None) is dag
    assert compared_truth(lines, dag, "moral") == moral(dag)
    assert compared_truth(arrows, dag, "moral") is dag

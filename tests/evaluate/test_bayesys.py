"""Metrics of Bayesys: the table of the paper, each rule by hand, and the published end results."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagathlon import compare
from dagathlon.data import read_data
from dagathlon.evaluate.graphs.bayesys import BayesysCounts, bayesys_counts
from dagathlon.evaluate.steps import StandardMetrics
from dagathlon.graphs import Graph, cpdag, members, read_graph
from dagathlon.learners import Estimate, learn

# TP, TP2, FP, TN, FN, precision, recall, F1, SHD, DDM, BSF of a truth with 10 edges among 45 pairs.
GOLDEN = [
    (8, 2, 20, 15, 1, 0.31, 0.9, 0.46, 21, -1.2, 0.33),
    (4, 1, 20, 15, 5.5, 0.18, 0.45, 0.26, 25.5, -2.1, -0.12),
    (0, 0, 20, 15, 10, 0, 0, 0, 30, -3, -0.57),
    (4, 1, 15, 20, 5.5, 0.23, 0.45, 0.31, 20.5, -1.6, 0.02),
    (4, 1, 10, 25, 5.5, 0.31, 0.45, 0.37, 15.5, -1.1, 0.16),
    (4, 1, 5, 30, 5.5, 0.47, 0.45, 0.46, 10.5, -0.6, 0.31),
    (10, 0, 35, 0, 0, 0.22, 1, 0.36, 35, -2.5, 0),
    (5, 5, 35, 0, 2.5, 0.18, 0.75, 0.29, 37.5, -3, -0.25),
    (0, 0, 0, 35, 10, None, 0, None, 10, -1, 0),
    (0, 0, 35, 0, 10, 0, 0, 0, 45, -4.5, -1),
    (10, 0, 0, 35, 0, 1, 1, 1, 0, 1, 1),
]


@pytest.mark.parametrize("row", GOLDEN)
def test_golden_rows(row: tuple[float, ...]) -> None:
    tp, tp2, fp, tn, fn, precision, recall, f1, shd, ddm, bsf = row
    counts = BayesysCounts(int(tp), int(tp2), int(fp), int(tn), 10)
    assert counts.fn == fn
    assert counts.precision("shrink") == (None if precision is None else _about(precision))
    assert counts.recall == _about(recall)
    assert counts.f1("shrink") == (None if f1 is None else _about(f1))
    assert counts.shd == shd
    assert counts.ddm == _about(ddm)
    assert counts.bsf == _about(bsf)


def _about(printed: float) -> object:
    return pytest.approx(printed, abs=0.0051)


@pytest.mark.parametrize(
    ("true", "learned", "cost"),
    [
        ("A -> B", "A -> B", 0),
        ("A -> B", "A o-> B", 0),
        ("A -> B", "A <-> B", 0.5),
        ("A -> B", "A - B", 0.5),
        ("A -> B", "B -> A", 0.5),
        ("A -> B", "A o-o B", 0.5),
        ("A -> B", "B o-> A", 0.5),
        ("A -> B", None, 1),
        ("A <-> B", "A -> B", 0),
        ("A <-> B", "A o-o B", 0),
        ("A <-> B", None, 1),
        ("A - B", "A -> B", 0.5),
        ("A - B", "A - B", 0),
        (None, "A -> B", 1),
        (None, None, 0),
    ],
)
def test_cost_of_a_pair(true: str | None, learned: str | None, cost: float) -> None:
    def graph(edge: str | None) -> Graph:
        return Graph.from_edges([edge] if edge else [], names=["A", "B", "C"])

    assert bayesys_counts(graph(learned), graph(true)).shd == cost


# Truth, estimate, (TP, TP2, FP, TN, FN), and precision, recall, F1, SHD, DDM, BSF by hand.
LATENT = {
    # A MAG of 5 nodes, 4 edges among 10 pairs. A o-> B and B -> C (for a confounder) are whole
    # matches, C <-> D is half of one, D -> E is missing, A -> E is extra.
    "mag": (
        ["A -> B", "B <-> C", "C -> D", "D -> E"],
        ["A o-> B", "B -> C", "C <-> D", "A -> E"],
        (2, 1, 1, 5, 1.5),
        (2.5 / 4, 2.5 / 4, 0.625, 2.5, 0.0, (1 / 4 + 4 / 6) / 2),
    ),
    # A PAG of 6 nodes, 4 edges among 15 pairs. B o-> D for B -> D and the same C o-> B are whole
    # matches, A -> B for A o-> B and E - F for E o-o F are halves, A -> D is extra.
    "pag": (
        ["A o-> B", "C o-> B", "B -> D", "E o-o F"],
        ["A -> B", "C o-> B", "B o-> D", "E - F", "A -> D"],
        (2, 2, 1, 10, 1.0),
        (3 / 5, 3 / 4, 2 / 3, 2.0, 0.25, (2 / 4 + 9 / 11) / 2),
    ),
    # The DAG of the same skeleton against that PAG: what it orients beyond the class costs a half.
    "dag against pag": (
        ["A o-> B", "C o-> B", "B -> D", "E o-o F"],
        ["A -> B", "C -> B", "B -> D", "E -> F"],
        (1, 3, 0, 11, 1.5),
        (2.5 / 4, 2.5 / 4, 0.625, 1.5, 0.25, (1 / 4 + 1) / 2),
    ),
}


@pytest.mark.parametrize("case", LATENT)
def test_golden_mags_and_pags(case: str) -> None:
    true, learned, expected, metrics = LATENT[case]
    truth = Graph.from_edges(true)
    estimate = Graph.from_edges(learned, names=truth.names)
    assert truth.kind == case.rsplit(maxsplit=1)[-1]
    counts = bayesys_counts(estimate, truth)
    assert (counts.tp, counts.tp2, counts.fp, counts.tn, counts.fn) == expected
    found = compare(estimate, truth)
    names = ("precision", "recall", "f1", "shd")
    columns = [*(f"bayesys_{name}" for name in names), "ddm", "bsf"]
    assert [found[name] for name in columns] == pytest.approx(list(metrics))


def test_open_directions_may_cost_nothing() -> None:
    truth = Graph.from_edges(["A -> B", "B -> C"])
    reverse = Graph.from_edges(["C -> B", "B -> A"])
    assert bayesys_counts(reverse, truth).shd == 1
    assert bayesys_counts(reverse, truth, equivalent=True).shd == 0


def test_truth_without_edges_or_without_gaps() -> None:
    empty, full = Graph("AB"), Graph.from_edges(["A -> B"])
    assert bayesys_counts(empty, empty).bsf == 0.5
    assert bayesys_counts(full, empty).bsf == -0.5
    assert bayesys_counts(full, full).bsf == 0.5
    assert compare(full, empty)["bayesys_recall"] is None
    assert compare(empty, full)["bayesys_precision"] is None
    assert compare(empty, empty)["ddm"] is None


@given(st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12))
def test_a_graph_is_its_own_best_estimate(pairs: set[tuple[int, int]]) -> None:
    arcs = [(f"V{a}", f"V{b}") for a, b in pairs if a < b]
    graph = Graph.from_edges(arcs, names=[f"V{i}" for i in range(6)])
    counts = bayesys_counts(graph, graph)
    assert (counts.shd, counts.tp2, counts.fp) == (0, 0, 0)
    assert counts.bsf == (1 if 0 < counts.edges < 15 else 0.5)


PUBLISHED = [
    ("ALARM", "1k", 0.700, 20.5, 0.675, 0.716, 0.685),
    ("ASIA", "1k", 0.933, 1, 0.875, 1, 0.875),
    ("ASIA", "10k", 1, 0, 1, 1, 1),
]


@pytest.mark.shared
@pytest.mark.parametrize("learner", ["hc", "tabu", "bnlearn_hc", "bnlearn_tabu"])
@pytest.mark.parametrize("row", PUBLISHED)
def test_published_results(shared: Path, learner: str, row: tuple[str | float, ...]) -> None:
    network, size, f1, shd, bsf, precision, recall = row
    data = read_data(shared / f"bayesys/trainingData_{network}_N_{size}.csv")
    truth = read_graph(shared / f"bayesys/DAGtrue_{network}.csv")
    found = compare(learn(data, learner), truth)
    names = ("bayesys_f1", "bayesys_shd", "bsf", "bayesys_precision", "bayesys_recall")
    for name, printed in zip(names, (f1, shd, bsf, precision, recall), strict=True):
        assert found[name] == pytest.approx(float(printed), abs=0.0005), name


@given(st.permutations("ABCD"), st.sets(st.sampled_from([*combinations(range(4), 2)])))
def test_a_learned_graph_of_the_true_class_costs_nothing_by_rule_six(order, pairs) -> None:
    """DAGs and the CPDAG alike (Constantinou 2019, table 4)."""
    truth = Graph.from_edges([f"{order[i]} -> {order[j]}" for i, j in pairs], names="ABCD")
    for learned in (cpdag(truth), *members(cpdag(truth))):
        counts = bayesys_counts(learned, truth, equivalent=True)
        assert (counts.shd, counts.tp) == (0, truth.n_edges)
        found = compare(learned, truth, equivalent=True)
        assert found["bayesys_shd"] == 0
        assert found["open_directions"] == "free"


@pytest.mark.parametrize(
    "edges", [["A <-> B", "B -> C"], ["A -- B", "B -- C"], ["A <- B", "B -> C"]]
)
def test_rule_six_for_the_three_learned_edges_that_it_names(edges: list[str]) -> None:
    """A ↔ B, A − B and A ← B for a true A → B, in a class that leaves its direction open."""
    truth = Graph.from_edges(["A -> B", "B -> C"])
    learned = Graph.from_edges(edges, names="ABC")
    assert bayesys_counts(learned, truth, equivalent=True).shd == 0
    assert bayesys_counts(learned, truth).shd > 0


def test_rule_six_forgives_nothing_that_the_class_decides() -> None:
    collider = Graph.from_edges(["A -> B", "C -> B"], names="ABC")
    chain = Graph.from_edges(["A -> B", "B -> C"], names="ABC")
    assert bayesys_counts(collider, chain, equivalent=True).shd == 0.5
    assert bayesys_counts(cpdag(chain), collider, equivalent=True).shd == 1


def test_rule_six_is_an_option_of_studies_that_leaves_other_keys_alone() -> None:
    assert "equivalent" not in StandardMetrics.of().to_json()
    assert StandardMetrics.of(equivalent=True).to_json()["equivalent"] is True
    truth = Graph.from_edges(["A -> B", "B -> C"])
    row = StandardMetrics.of(equivalent=True).compute(truth, Estimate(cpdag(truth)))
    assert (row["bayesys_shd"], row["bsf"]) == (
        0,
        StandardMetrics.of().compute(truth, Estimate(truth))["bsf"],
    )

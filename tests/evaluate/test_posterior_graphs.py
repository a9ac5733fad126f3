"""Distances of posteriors over graphs: by hand, by enumeration, by invariance."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagathlon import _core
from dagathlon.data import LinearSem
from dagathlon.errors import GraphError
from dagathlon.evaluate import aid, shd, sid
from dagathlon.evaluate.posteriors.calibration import (
    calibration,
    path_outcomes,
    reliability,
)
from dagathlon.evaluate.posteriors.discrepancies import (
    exact_distance,
    exponential_graph_mmd,
    graph_mmd,
)
from dagathlon.evaluate.posteriors.graphs import (
    auroc,
    average_precision,
    edge_auprc,
    edge_auroc,
    edge_error,
    expected_cpdag_shd,
    expected_shd,
    ranked_edges,
)
from dagathlon.evaluate.posteriors.scores import expected_aid, expected_sid
from dagathlon.graphs import Graph, cpdag
from dagathlon.learners.bayesian.exact_posterior import ExactPosterior
from dagathlon.posteriors import MarginalPosterior, Posterior
from dagathlon.posteriors.packed import Packing
from dagathlon.posteriors.parts import from_parts, to_parts


def random_dags(rng: np.random.Generator, count: int, p: int = 4) -> list[Graph]:
    names = "abcdefgh"[:p]
    found = []
    for _ in range(count):
        order = rng.permutation(p)
        arcs = np.triu(rng.random((p, p)) < 0.5, 1)[np.ix_(order, order)]
        found.append(Graph.from_adjacency(names, arcs))
    return found


@pytest.fixture(scope="module")
def drawn() -> tuple[Posterior, Posterior, Graph]:
    """Two weighted posteriors, and a truth."""
    rng = np.random.default_rng(5)
    graphs = random_dags(rng, 25)
    one = Posterior.of(graphs[:12], weights=rng.dirichlet(np.ones(12)))
    other = Posterior.of(graphs[8:24], weights=rng.dirichlet(np.ones(16)))
    return one, other, graphs[24]


@pytest.mark.parametrize(
    ("share", "e_shd", "printed"), [(0.5, 0.5, 2 / 3), (0.75, 0.25, 1), (0.25, 0.75, 2 / 3)]
)
def test_figure_11_of_the_seed(share: float, e_shd: float, printed: float) -> None:
    # a → b is true, b → a the other DAG of its class: shares of 1/2, 3/4 and 1/4 of the truth.
    truth, turned = (Graph.from_edges([pair], names="ab") for pair in (("a", "b"), ("b", "a")))
    posterior = Posterior.of([truth, turned], weights=[share, 1 - share])
    assert expected_shd(posterior, truth) == pytest.approx(e_shd)
    assert expected_cpdag_shd(posterior, truth) == pytest.approx(0, abs=1e-15)
    # The areas that are printed count the diagonal, and lose every tie.
    with_diagonal = ranked_edges(posterior, truth, diagonal=True)
    assert auroc(*with_diagonal, ties=0.0) == pytest.approx(printed)
    ours = {0.5: (0.5, 0.5), 0.75: (1, 1), 0.25: (0, 0.5)}[share]
    assert (edge_auroc(posterior, truth), edge_auprc(posterior, truth)) == ours


def test_expected_distances_are_means_over_draws(
    drawn: tuple[Posterior, Posterior, Graph],
) -> None:
    posterior, _, truth = drawn
    assert expected_shd(posterior, truth) == pytest.approx(
        posterior.expect(lambda graph: shd(graph, truth))
    )
    assert expected_cpdag_shd(posterior, truth) == pytest.approx(
        posterior.expect(lambda graph: shd(graph, truth, "cpdag"))
    )
    assert expected_sid(posterior, truth) == pytest.approx(
        posterior.expect(lambda graph: sid(graph, truth))
    )
    assert expected_aid(posterior, truth) == pytest.approx(
        posterior.expect(lambda graph: aid(graph, truth, "ancestor"))
    )


def test_draws_of_classes_are_compared_with_undirected_edges_too() -> None:
    rng = np.random.default_rng(8)
    graphs = [cpdag(graph) for graph in random_dags(rng, 12)]
    posterior = Posterior.of(graphs[:11], weights=rng.dirichlet(np.ones(11)))
    for distance, variant in ((expected_shd, "marks"), (expected_cpdag_shd, "cpdag")):
        by_draw = posterior.expect(lambda graph, v=variant: shd(graph, graphs[11], v))
        assert distance(posterior, graphs[11]) == pytest.approx(by_draw)


def test_classes_of_many_rows_are_those_of_each() -> None:
    packing = Packing(4, "arcs")
    rng = np.random.default_rng(2)
    graphs = random_dags(rng, 60)
    rows = packing.pack(np.array([graph.adjacency for graph in graphs]))
    found, first_without = _core.cpdag_rows(rows, 4)
    assert first_without == len(graphs)
    for graph, row in zip(graphs, found, strict=True):
        assert packing.graph(graph.names, row) == cpdag(graph)


def test_a_cyclic_draw_is_named() -> None:
    circle = Graph.from_adjacency("abc", np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]]))
    posterior = Posterior.of([circle])
    with pytest.raises(GraphError, match="no CPDAG"):
        expected_cpdag_shd(posterior, Graph.from_edges([("a", "b")], names="abc"))
    with pytest.raises(GraphError, match="cycle"):
        expected_sid(posterior, Graph.from_edges([("a", "b")], names="abc"))


def test_exact_posteriors_need_no_draws() -> None:
    model = LinearSem("abc", [[0, 1, 0], [0, 0, -0.7], [0, 0, 0]])
    data = model.sample(20, np.random.default_rng(1))
    exact = ExactPosterior().posterior(data)
    every = exact.enumerated()
    assert not exact.chains
    assert expected_shd(exact, model.graph) == pytest.approx(
        every.expect(lambda graph: shd(graph, model.graph)), abs=1e-10
    )
    by_class = every.expect(lambda graph: shd(graph, model.graph, "cpdag"))
    assert expected_cpdag_shd(exact, model.graph) == pytest.approx(by_class, abs=1e-10)
    draws = Posterior.of(random_dags(np.random.default_rng(3), 9, 3))
    shares = dict(every.graphs())
    drawn = dict(draws.graphs())
    variation = sum(abs(drawn.get(one, 0) - share) for one, share in shares.items()) / 2
    divergence = sum(q * math.log(q / shares[one]) for one, q in drawn.items())
    kept = from_parts(*to_parts(exact))
    for reference in (exact, kept, every):
        found = exact_distance(draws, reference)
        assert found == pytest.approx((variation, divergence), abs=1e-10)
    assert graph_mmd(exact, every) == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize("variances", ["own", "equal"])
def test_weights_that_were_kept_are_those_of_the_enumeration(variances: Any) -> None:
    model = LinearSem("abc", [[0, 1, 0], [0, 0, -0.7], [0, 0, 0]])
    data = model.sample(20, np.random.default_rng(2))
    exact = ExactPosterior(score="nig", variances=variances, max_parents=1).posterior(data)
    kept = from_parts(*to_parts(exact))
    assert isinstance(kept, MarginalPosterior)
    for graph, share in exact.enumerated().graphs():
        found = kept.log_probabilities(graph.adjacency[None] != 0)
        assert math.exp(found[0]) == pytest.approx(share, abs=1e-10)
    two = Graph.from_edges([("a", "c"), ("b", "c")], names="abc")
    assert kept.log_probabilities(two.adjacency[None] != 0)[0] == -math.inf


def test_areas_by_counting_pairs() -> None:
    rng = np.random.default_rng(4)
    scores, present = rng.integers(0, 4, 30) / 4, rng.random(30) < 0.4
    pairs = itertools.product(scores[present], scores[~present])
    wins = [1.0 if a > b else 0.5 if a == b else 0.0 for a, b in pairs]
    assert auroc(scores, present) == pytest.approx(np.mean(wins))
    precision = [present[scores >= level].mean() for level in scores[present]]
    assert average_precision(scores, present) == pytest.approx(np.mean(precision))
    assert math.isnan(auroc(scores, np.zeros(30, bool)))
    assert math.isnan(average_precision(scores, np.zeros(30, bool)))


def kernel_distance(one: Posterior, other: Posterior, kernel: object) -> float:
    """Sums of a kernel over all pairs of graphs."""

    def mean(left: Posterior, right: Posterior) -> float:
        pairs = itertools.product(left.graphs(), right.graphs())
        return sum(
            v * w * kernel(int((a.adjacency != b.adjacency).sum()))  # type: ignore[operator]
            for (a, v), (b, w) in pairs
        )

    return mean(one, one) - 2 * mean(one, other) + mean(other, other)


def test_graph_discrepancies_are_sums_over_pairs(
    drawn: tuple[Posterior, Posterior, Graph],
) -> None:
    one, other, _ = drawn
    assert graph_mmd(one, other) == pytest.approx(kernel_distance(one, other, lambda h: 1 - h / 12))
    found = exponential_graph_mmd(one, other, scale=2.5)
    by_pairs = kernel_distance(one, other, lambda h: math.exp(-h / 2.5))
    assert found.value == pytest.approx(by_pairs)
    assert exponential_graph_mmd(one, one).value == pytest.approx(0, abs=1e-12)
    assert edge_error(one, other) == np.abs(one.edge_probabilities - other.edge_probabilities).max()


def test_calibration_by_hand() -> None:
    probability = np.array([0.0, 0.05, 0.65, 0.69, 1.0])
    present = np.array([False, True, True, False, True])
    bins = reliability(probability, present, 10)
    assert bins.count.tolist() == [2, 0, 0, 0, 0, 0, 2, 0, 0, 1]
    assert bins.probability[6] == pytest.approx(0.67)
    assert bins.error == pytest.approx((2 * 0.475 + 2 * 0.17 + 0) / 5)
    found = calibration(probability, present, least=0.01)
    assert found.brier == pytest.approx((0.95**2 + 0.35**2 + 0.69**2) / 5)
    logs = [math.log(x) for x in (0.99, 0.05, 0.65, 0.31, 0.99)]
    assert found.log_score == pytest.approx(-sum(logs) / 5)
    assert found.ece == bins.error


def test_paths_of_the_truth() -> None:
    truth = Graph.from_edges([("a", "b"), ("b", "c")], names="abcd")
    probability, present = path_outcomes(Posterior.of([truth]), truth)
    assert np.array_equal(probability, present)
    assert present.sum() == 3


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.permutations(range(4)), st.integers(1, 3), st.integers(0, 1000))
def test_names_order_and_copies_of_draws_do_not_matter(
    order: list[int], copies: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    graphs = random_dags(rng, 6)
    truth, other = graphs[4], Posterior.of(graphs[3:])
    shares = np.array([copies, 1, 1, 1]) / (copies + 3)
    weighted = Posterior.of(graphs[:4], weights=shares)
    names = [graphs[0].names[k] for k in order]
    again = [graph.subgraph(names) for graph in [*graphs[3::-1], *[graphs[0]] * (copies - 1)]]
    repeated = Posterior.of(again)
    for metric in (expected_shd, expected_cpdag_shd, edge_auroc, edge_auprc, expected_sid):
        values = metric(weighted, truth), metric(repeated, truth)
        assert values[0] == pytest.approx(values[1], nan_ok=True)
    for distance in (graph_mmd, edge_error):
        assert distance(weighted, other) == pytest.approx(distance(repeated, other))
    pair = exponential_graph_mmd(weighted, other), exponential_graph_mmd(repeated, other)
    assert pair[0] == pytest.approx(pair[1], abs=1e-12)

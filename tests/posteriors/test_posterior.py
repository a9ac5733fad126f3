"""Posteriors by draws: against sums over all DAGs, by hand, and by laws."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from all_graphs import all_dags, edge_matrix, mean, path_matrix
from hypothesis import given, settings
from hypothesis import strategies as st

from dagathlon.errors import DataError, GraphError
from dagathlon.graphs import Graph, cpdag
from dagathlon.learners import Estimate
from dagathlon.posteriors import Chain, ChainRecorder, Posterior, Sample
from dagathlon.posteriors.convergence import effective_sample_size, potential_scale_reduction

DAGS = {p: all_dags("abcd"[:p]) for p in (1, 2, 3, 4)}


def test_the_oracle_has_all_dags() -> None:
    assert [len(DAGS[p]) for p in (1, 2, 3, 4)] == [1, 3, 25, 543]


@pytest.mark.parametrize("p", [1, 2, 3, 4])
@pytest.mark.parametrize("spread", [0.0, 1.0, 30.0])
def test_all_dags_with_weights(p: int, spread: float) -> None:
    """Everything is a sum over the DAGs; -1000 shows that a constant does not matter."""
    dags = DAGS[p]
    logs = np.random.default_rng(p).normal(size=len(dags)) * spread - 1000
    weights = np.exp(logs - logs.max())
    shares = weights / weights.sum()
    found = Posterior.of(dags, log_weights=logs, dags=True)
    np.testing.assert_allclose(found.edge_probabilities, edge_matrix(dags, weights), atol=1e-13)
    np.testing.assert_allclose(found.path_probabilities, path_matrix(dags, weights), atol=1e-13)
    assert found.expect(lambda g: g.n_edges**2) == pytest.approx(
        mean(dags, weights, lambda g: g.n_edges**2)
    )
    np.testing.assert_allclose(found.expect(lambda g: g.adjacency), found.edge_probabilities)
    colliders = mean(dags, weights, lambda g: bool(g.v_structures()))
    assert found.probability(lambda g: bool(g.v_structures())) == pytest.approx(colliders)
    assert found.entropy == pytest.approx(-(shares * np.log(shares)).sum(), abs=1e-12)
    assert found.effective_size() == pytest.approx(1 / (shares**2).sum())
    assert found.map() == dags[int(np.argmax(logs))]
    assert found.expected_edges == pytest.approx(mean(dags, weights, lambda g: g.n_edges))
    assert dict(found.graphs()) == pytest.approx(dict(zip(dags, shares, strict=True)))
    assert [share for _, share in found.graphs(3)] == pytest.approx(sorted(shares)[::-1][:3])


@pytest.mark.parametrize("seed", range(5))
def test_edges_together(seed: int) -> None:
    dags, rng = DAGS[4], np.random.default_rng(seed)
    weights = rng.dirichlet(np.full(len(dags), 0.1))
    found = Posterior.of(dags, weights=weights)
    both = mean(dags, weights, lambda g: "a" in g.parents("b") and "c" in g.parents("d"))
    assert found.probability([("a", "b"), "c -> d"]) == pytest.approx(both)
    rest = mean(dags, weights, lambda g: "a" in g.parents("b") and "b" not in g.parents("d"))
    assert found.probability([("a", "b")], absent=[("b", "d")]) == pytest.approx(rest)
    assert found.probability(["a - b"]) == 0
    assert found.probability() == pytest.approx(1)
    with pytest.raises(GraphError, match="unknown node 'x'"):
        found.probability([("a", "x")])


def test_estimates_from_probabilities() -> None:
    dags = DAGS[3]
    weights = np.random.default_rng(7).dirichlet(np.full(len(dags), 0.3))
    found, edges = Posterior.of(dags, weights=weights), edge_matrix(dags, weights)
    assert found.median() == Graph.from_adjacency("abc", edges > 0.5)
    assert found.above(0.2) == Graph.from_adjacency("abc", edges > 0.2)
    strength = found.strengths.strength
    np.testing.assert_allclose(strength, edges + edges.T, atol=1e-14)
    joined = strength > 0
    np.testing.assert_allclose(
        (found.strengths.direction * strength)[joined], edges[joined], atol=1e-14
    )
    skeleton = found.consensus(0.3)
    assert (skeleton.marks != 0).tolist() == ((strength > 0.3) & ~np.eye(3, dtype=bool)).tolist()


def test_edges_that_close_a_cycle_with_more_probable_ones_are_left_out() -> None:
    turning = [
        Graph.from_edges(edges, "abc")
        for edges in (["a -> b", "b -> c"], ["b -> c", "c -> a"], ["c -> a", "a -> b"])
    ]
    found = Posterior.of(turning, weights=[0.4, 0.35, 0.25])
    assert not found.median().is_dag
    assert found.above(0.5, acyclic=True) == Graph.from_edges(["a -> b", "b -> c"], "abc")
    assert found.consensus(0.5).is_dag


def test_undirected_edges_of_classes_go_both_ways() -> None:
    classes = [cpdag(dag) for dag in DAGS[3]]
    found = Posterior.of(classes)
    np.testing.assert_allclose(
        found.edge_probabilities, np.mean([g.adjacency for g in classes], axis=0)
    )
    line = mean(classes, np.ones(25), lambda g: "b" in g.neighbours("a"))
    assert found.probability(["a - b"]) == pytest.approx(line)
    arrow = mean(classes, np.ones(25), lambda g: "a" in g.parents("b"))
    assert found.probability(["a -> b"]) == found.probability(["b <- a"]) == pytest.approx(arrow)
    half = (arrow + line / 2) / found.strengths.strength[0, 1]
    assert found.strengths.direction[0, 1] == pytest.approx(half)
    assert found.chains[0].sizes.tolist() == [graph.n_edges for graph in classes]


def test_marks_of_ancestral_graphs_are_kept() -> None:
    graphs = [
        Graph.from_edges(["a o-> b", "b <-> c"], "abc"),
        Graph.from_edges(["a o-> b", "b -> c"], "abc"),
        Graph.from_edges(["a o-o b"], "abc"),
    ]
    found = Posterior.of(graphs, weights=[0.5, 0.2, 0.3])
    assert [graph for graph, _ in found.graphs()] == [graphs[0], graphs[2], graphs[1]]
    assert found.probability(["a o-> b"]) == pytest.approx(0.7)
    assert found.probability(["c <-> b"]) == pytest.approx(0.5)
    assert found.strengths.strength[1, 2] == pytest.approx(0.7)
    assert found.consensus(0.6) == graphs[0]
    # b -> c has a direction, b <-> c goes both ways.
    assert found.edge_probabilities[1, 2] == pytest.approx(0.7)
    assert found.edge_probabilities[2, 1] == pytest.approx(0.5)
    assert found.path_probabilities[1, 2] == pytest.approx(0.2)


def test_undirected_graphs() -> None:
    graphs = [Graph.from_edges(["a - b", "b - c"], "abc"), Graph.from_edges(["a - b"], "abc")]
    found = Posterior.of(graphs)
    assert found.chains[0].form == "undirected"
    assert found.probability(["b - a"]) == 1
    assert found.probability(["b - c"]) == 0.5
    assert found.probability([("b", "c")]) == 0
    assert found.median() == graphs[1]
    assert found.strengths.strength.tolist() == [[0, 1, 0], [1, 0, 0.5], [0, 0.5, 0]]


@pytest.mark.slow
@pytest.mark.parametrize("p", [2, 9, 13, 70])
def test_many_nodes_and_repeated_draws(p: int) -> None:
    """Rows of one to 76 words; more rows than the counters hold at a time are in the benchmark."""
    rng = np.random.default_rng(p)
    names = [f"v{i}" for i in range(p)]
    kinds = [Graph.from_adjacency(names, np.triu(rng.random((p, p)) < 0.3, 1)) for _ in range(4)]
    picked = rng.integers(4, size=101).tolist()
    found = Posterior.of([kinds[k] for k in picked])
    expected = np.mean([kinds[k].adjacency for k in picked], axis=0)
    np.testing.assert_allclose(found.edge_probabilities, expected, rtol=1e-14)
    assert len(found.graphs()) == len({kinds[k] for k in picked})
    reach = np.mean([_reach(kinds[k].adjacency) for k in picked], axis=0)
    np.testing.assert_allclose(found.path_probabilities, reach, rtol=1e-13)


def _reach(arcs: np.ndarray) -> np.ndarray:
    found = arcs.astype(bool)
    for _ in range(len(arcs)):
        found = found | ((found.astype(int) @ found.astype(int)) > 0)
    return found.astype(float)


def test_more_draws_than_the_counters_hold() -> None:
    graphs = [Graph("ab"), Graph.from_edges([("a", "b")], "ab")]
    sample = Sample.of(graphs)
    picked = np.random.default_rng(1).integers(2, size=200_003)
    found = Posterior([sample.at(picked)])
    assert found.edge_probabilities[0, 1] == picked.sum() / 200_003
    assert found.graphs(1)[0][1] == max(picked.mean(), 1 - picked.mean())


def test_paths_around_a_cycle() -> None:
    turning = Graph.from_edges(["a -> b", "b -> c", "c -> a", "c -> d"], "abcd")
    paths = Posterior.of([turning]).path_probabilities
    assert paths.tolist() == [[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1], [0, 0, 0, 0]]


def test_parameters_are_those_of_each_draw() -> None:
    rng = np.random.default_rng(3)
    dags = DAGS[3][:20]
    coefficients = np.array([rng.normal(size=(3, 3)) * dag.adjacency for dag in dags])
    variances = rng.gamma(2.0, size=(20, 3))
    weights = rng.dirichlet(np.ones(20))
    found = Posterior.of(dags, weights=weights, coefficients=coefficients, variances=variances)
    models = list(found.models())
    for k, (model, weight) in enumerate(models):
        np.testing.assert_array_equal(model.weights, coefficients[k])
        np.testing.assert_array_equal(model.variances, variances[k])
        assert weight == pytest.approx(weights[k])
    thin = found.thinned(3)
    assert [m.weights.tolist() for m, _ in thin.models()] == coefficients[::3].tolist()
    assert sum(weight for _, weight in thin.models()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"weights": [0.5, 0.4]}, "sum to 0.9, not to 1; give log_weights"),
        ({"weights": [math.nan, 1.0]}, "that of draw 0 is nan"),
        ({"weights": [1.5, -0.5]}, "that of draw 1 is -0.5"),
        ({"weights": [1.0]}, "2 draws have as many log weights"),
        ({"weights": [0.5, 0.5], "log_weights": [0, 0]}, "not both"),
        ({"log_weights": [0.0, math.nan]}, "log weight of draw 1 is nan"),
        ({"log_weights": [math.inf, 0.0]}, "log weight of draw 0 is inf"),
        ({"score": [1.0]}, "2 draws have as many scores"),
        ({"chain": [0, 2]}, "numbered 0, 1, …, found 0, 2"),
        ({"chain": [0]}, "as many numbers of chains"),
        ({"variances": [[1, 1], [1, 1]]}, "come with coefficients"),
        ({"coefficients": np.ones((2, 2, 2))}, "draw 0 has a coefficient but no arc from a to a"),
        ({"coefficients": np.ones((1, 2, 2))}, "have coefficients of shape"),
    ],
)
def test_wrong_draws_are_refused(given: dict[str, object], message: str) -> None:
    graphs = [Graph.from_edges([("a", "b")]), Graph("ab")]
    with pytest.raises(DataError, match=message):
        Posterior.of(graphs, **given)  # type: ignore[arg-type]


def test_no_draws_and_draws_that_do_not_fit() -> None:
    with pytest.raises(DataError, match="no draws"):
        Posterior.of([])
    with pytest.raises(DataError, match="no draws"):
        Posterior([])
    with pytest.raises(GraphError, match="draw 1 is a graph over other nodes: it has c besides"):
        Posterior.of([Graph("ab"), Graph("ac")])
    cycle = Graph.from_edges(["a -> b", "b -> c", "c -> a"])
    with pytest.raises(GraphError, match="draw 1 of chain 0 is no DAG: it has a cycle"):
        Posterior.of([Graph("abc"), cycle], dags=True)
    with pytest.raises(GraphError, match="is no DAG: it has undirected edges"):
        Posterior.of([Graph.from_edges(["a - b"])], dags=True)
    with pytest.raises(DataError, match="weight of zero"):
        _ = Posterior.of([Graph("ab")], log_weights=[-math.inf]).edge_probabilities


def test_nodes_in_another_order_are_the_same() -> None:
    found = Posterior.of([Graph.from_edges([("a", "b")]), Graph.from_edges([("a", "b")], "ba")])
    assert found.names == ("a", "b")
    assert found.edge_probabilities.tolist() == [[0, 1], [0, 0]]


def random_posterior(seed: int, chains: int = 1, weighted: bool = False) -> Posterior:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(4, 30)) * chains
    graphs = [DAGS[3][k] for k in rng.integers(25, size=count)]
    return Posterior.of(
        graphs,
        score=rng.normal(size=count),
        chain=np.arange(count) % chains,
        log_weights=rng.normal(size=count) if weighted else None,
    )


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000), weighted=st.booleans())
def test_merging_and_taking_apart(seed: int, weighted: bool) -> None:
    whole = random_posterior(seed, 3, weighted)
    alone = [Posterior([chain]) for chain in whole.chains]
    assert Posterior.merge(alone) == whole
    assert len(Posterior.merge([whole, whole]).chains) == 6
    twice = Posterior.merge([whole, whole])
    np.testing.assert_allclose(twice.edge_probabilities, whole.edge_probabilities, atol=1e-12)
    assert sum(map(np.sum, whole.weights)) == pytest.approx(1)


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000), every=st.integers(1, 5), burnin=st.floats(0, 1))
def test_thinning_and_burn_in_of_draws(seed: int, every: int, burnin: float) -> None:
    whole = random_posterior(seed)
    (draws,) = whole.chains
    graphs = [draws.graph_at(k) for k in range(len(draws))]
    (thin,) = whole.thinned(every).chains
    assert [thin.graph_at(k) for k in range(len(thin))] == graphs[::every]
    (late,) = whole.after(burnin).chains
    kept = graphs[min(int(len(graphs) * burnin), len(graphs) - 1) :]
    assert [late.graph_at(k) for k in range(len(late))] == kept


def random_chain(seed: int, directed: bool = True) -> tuple[Chain, list[Graph]]:
    """A chain, and its states one by one."""
    rng = np.random.default_rng(seed)
    recorder, states, index = ChainRecorder("abc", directed), [], 0
    for _ in range(int(rng.integers(1, 12))):
        matrix = rng.random((3, 3)) < 0.4
        np.fill_diagonal(matrix, val=False)
        matrix = matrix if directed else matrix | matrix.T
        recorder.record(index, float(rng.normal()), matrix)
        lasts = int(rng.integers(1, 6))
        states += [Graph.from_adjacency("abc", matrix)] * lasts
        index += lasts
    return recorder.chain(index), states


@pytest.mark.slow
@settings(max_examples=100)
@given(
    seed=st.integers(0, 10_000),
    directed=st.booleans(),
    every=st.integers(1, 6),
    burnin=st.sampled_from([0.0, 0.1, 0.33, 0.5, 0.9]),
)
def test_chains_of_changes_are_their_states(
    seed: int, directed: bool, every: int, burnin: float
) -> None:
    chain, states = random_chain(seed, directed)
    found = Posterior([chain])
    for whole, kept in (
        (found, states),
        (found.thinned(every), states[::every]),
        (found.after(burnin), states[int(len(states) * burnin) :]),
        (found.after(burnin).thinned(every), states[int(len(states) * burnin) :: every]),
    ):
        plain = Posterior.of(kept)
        assert whole.n_draws == len(kept)
        np.testing.assert_allclose(whole.edge_probabilities, plain.edge_probabilities, atol=1e-14)
        np.testing.assert_allclose(whole.path_probabilities, plain.path_probabilities, atol=1e-14)
        assert dict(whole.graphs()) == pytest.approx(dict(plain.graphs()))
        assert whole.entropy == pytest.approx(plain.entropy)


def test_time_has_no_states_to_thin() -> None:
    chain = random_chain(1)[0]
    timed = Chain(
        chain.names,
        chain.directed,
        index=chain.index,
        score=chain.score,
        added=chain.added,
        removed=chain.removed,
        time=chain.index * 0.5,
    )
    np.testing.assert_allclose(
        Posterior([timed]).edge_probabilities, Posterior([chain]).edge_probabilities
    )
    with pytest.raises(DataError, match="no states to thin"):
        Posterior([timed]).thinned(2)


def test_chains_are_told_apart_by_convergence() -> None:
    rng = np.random.default_rng(5)
    few = [DAGS[3][k] for k in rng.integers(3, size=400)]
    many = [DAGS[3][k] for k in rng.integers(15, 25, size=400)]
    number = np.repeat([0, 1], 400)
    apart = Posterior.of(few + many, chain=number, markov=True)
    sizes = np.array([[g.n_edges for g in part] for part in (few, many)], dtype=float)
    assert apart.rhat("size") == potential_scale_reduction(sizes) > 1.5
    assert apart.rhat(lambda g: g.n_edges) == apart.rhat("size")
    assert apart.effective_size("size") == effective_sample_size(sizes) == apart.effective_size()
    mixed = Posterior.of([DAGS[3][k] for k in rng.integers(25, size=800)], chain=number)
    assert mixed.rhat("size") < 1.05
    assert mixed.effective_size() == 800
    with pytest.raises(DataError, match="have no 'score'"):
        apart.rhat()


def test_the_map_of_a_markov_chain_is_its_best_score() -> None:
    graphs = [DAGS[2][k] for k in (0, 0, 1)]
    assert Posterior.of(graphs, score=[1, 2, 3]).map() == DAGS[2][0]
    assert Posterior.of(graphs, score=[1, 2, 3], markov=True).map() == DAGS[2][1]


def test_mixing_what_does_not_mix() -> None:
    plain, weighted = random_posterior(1), random_posterior(1, weighted=True)
    with pytest.raises(DataError, match="draws with weights and draws without"):
        Posterior.merge([plain, weighted])
    with pytest.raises(GraphError, match="chain 1 is over a, b, chain 0 over a, b, c"):
        Posterior.merge([plain, Posterior.of(DAGS[2])])
    with pytest.raises(DataError, match="only posteriors with draws"):
        Posterior.merge([])
    lines = Posterior.of([Graph.from_edges(["a - b"], "abc")])
    both = Posterior.merge([plain, lines])
    share = plain.edge_probabilities[0, 1] * plain.n_draws + 1
    assert both.edge_probabilities[0, 1] == pytest.approx(share / (plain.n_draws + 1))
    chain, _ = random_chain(3, directed=False)
    with pytest.raises(GraphError, match="a chain of undirected graphs"):
        Posterior.merge([plain, Posterior([chain])])
    for wrong in (-0.1, 1.1):
        with pytest.raises(DataError, match="share from 0 to 1"):
            plain.after(wrong)
    with pytest.raises(DataError, match="found 0"):
        plain.thinned(0)


def test_drawing_again_follows_the_weights() -> None:
    found = Posterior.of(DAGS[2], weights=[0.0, 0.25, 0.75])
    drawn = found.sample(4000, seed=1)
    shares = [drawn.count(dag) / 4000 for dag in DAGS[2]]
    # Four standard deviations of a share of one quarter.
    assert shares == pytest.approx([0.0, 0.25, 0.75], abs=4 * math.sqrt(0.25 * 0.75 / 4000))
    assert found.sample(50, seed=1) == found.sample(50, seed=1) != found.sample(50, seed=2)


def test_posteriors_are_pickled_and_compared() -> None:
    found = random_posterior(3, 2, weighted=True)
    assert pickle.loads(pickle.dumps(found)) == found
    assert found != random_posterior(4, 2, weighted=True)
    assert found != "something else"
    with pytest.raises(ValueError, match="read-only"):
        found.edge_probabilities[0, 0] = 1


def test_an_estimate_is_drawn_with_its_probabilities() -> None:
    graph = Graph.from_edges([("a", "b")])
    found = Posterior.of([graph, Graph("ab")], weights=[0.75, 0.25])
    html = Estimate(graph, {"score": -1.23456789, "<note>": "a & b"}, found)._repr_html_()
    assert "stroke-width:3.6" in html  # 0.6 + 4 · 0.75
    assert "score: -1.23457, &lt;note&gt;: a &amp; b" in html
    assert "probability that two nodes are joined" in html
    assert "stroke-width:" not in Estimate(graph)._repr_html_().partition("</style>")[2]


def test_drawings_are_as_thick_as_edges_are_probable() -> None:
    found = Posterior.of(
        [Graph.from_edges(["a -> b", "b -> c"], "abc"), Graph.from_edges(["a -> b"], "abc")],
        weights=[0.25, 0.75],
    )
    html = found._repr_html_()
    assert "stroke-width:4.6" in html  # 0.6 + 4 · 1
    assert "stroke-width:1.6" in html  # 0.6 + 4 · 0.25
    assert "above 0.05" in html
    assert repr(found) == "Posterior(3 nodes, 2 draws, 1.25 edges expected)"

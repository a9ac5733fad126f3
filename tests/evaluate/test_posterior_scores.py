"""One row of all metrics: what is missing is None, what is wrong has a reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dagathlon import compare_posterior
from dagathlon.data import LinearSem
from dagathlon.errors import DataError, GraphError
from dagathlon.evaluate.posteriors.graphs import expected_shd
from dagathlon.evaluate.posteriors.likelihoods import negative_log_likelihood
from dagathlon.evaluate.posteriors.scores import PosteriorScores
from dagathlon.graphs import Graph, cpdag
from dagathlon.learners import Estimate
from dagathlon.learners.bayesian.exact_posterior import ExactPosterior
from dagathlon.posteriors import Posterior, write_posterior
from dagathlon.posteriors.parameters import NormalInverseGamma
from dagathlon.simulate.linear_sem import rescaled

AGREED = [
    "e_shd",
    "e_cpdag_shd",
    "edge_auroc",
    "edge_auprc",
    "nll",
    "i_nll",
    "i_kl",
    "i_mmd",
    "graph_mmd",
    "params_mmd",
    "entropy",
    "entropy_kl",
    "edge_brier",
    "edge_log_score",
    "edge_ece",
    "path_brier",
    "path_log_score",
    "path_ece",
    "edge_error",
    "tv_exact",
    "kl_exact",
    "e_sid",
    "e_aid",
    "effect_error",
    "draws_ess",
    "n_draws",
]
MODEL = LinearSem("abcd", np.diag([1.0, -0.8, 0.6], 1), [1, 0.5, 1, 0.5])
DATA = MODEL.sample(30, np.random.default_rng(1))


def exact_posterior(draws: int) -> Posterior:
    found = ExactPosterior().posterior(DATA)
    return found.with_draws(found.drawn(draws, 3))


@pytest.fixture(scope="module")
def exact() -> Posterior:
    return exact_posterior(60)


def test_every_column_is_declared() -> None:
    declared = {one.name: one for one in PosteriorScores.measures}
    assert set(AGREED) <= set(declared)
    better = {name: declared[name].better for name in AGREED}
    assert {name for name, way in better.items() if way == "more"} == {
        "edge_auroc",
        "edge_auprc",
        "draws_ess",
    }
    assert all(one.title for one in declared.values())


def test_a_row_has_all_that_can_be_known(exact: Posterior) -> None:
    inputs = ("truth", "model", "data", "posterior", "reference")
    step = PosteriorScores(inputs=inputs, draw_parameters="nig")
    estimate = Estimate(exact.map(), posterior=exact)
    row = step.compute(MODEL.graph, MODEL, DATA, estimate, estimate)
    assert [name for name in AGREED if row[name] is None] == []
    assert row["e_shd"] == expected_shd(exact, MODEL.graph)
    assert row["edge_error"] == row["graph_mmd"] == 0
    assert row["entropy"] == pytest.approx(exact.entropy)
    assert row["n_draws"] == 60
    assert row == step.compute(MODEL.graph, MODEL, DATA, estimate, estimate)


def test_graphs_alone_have_no_likelihood(exact: Posterior) -> None:
    row = PosteriorScores(inputs=("truth", "posterior")).compute(MODEL.graph, exact)
    absent = {name for name in AGREED if row[name] is None}
    assert {"nll", "i_nll", "i_kl", "i_mmd", "entropy_kl", "effect_error"} < absent
    assert {"graph_mmd", "params_mmd", "edge_error", "tv_exact", "kl_exact"} < absent
    assert "posterior_note" not in row


def test_marginals_alone_say_what_they_say() -> None:
    marginals = ExactPosterior().posterior(DATA)
    row = compare_posterior(marginals, MODEL.graph, reference=marginals)
    assert row["e_shd"] == pytest.approx(expected_shd(marginals, MODEL.graph))
    assert row["graph_mmd"] == 0
    assert row["e_cpdag_shd"] is not None
    assert [row[name] for name in ("nll", "n_draws", "e_sid")] == [None] * 3
    assert "posterior_note" not in row


def test_no_posterior_is_said() -> None:
    estimate = Estimate(MODEL.graph)
    row = PosteriorScores(inputs=("truth", "posterior")).compute(MODEL.graph, estimate)
    assert row["e_shd"] is None
    assert "no posterior" in str(row["posterior_note"])
    with pytest.raises(DataError, match="list of graphs"):
        compare_posterior(estimate, MODEL.graph)


def test_singular_draws_are_named_and_the_rest_is_there() -> None:
    posterior = Posterior.of(
        [MODEL.graph], coefficients=MODEL.weights[None], variances=[[1, 1, 0, 1]]
    )
    row = compare_posterior(posterior, model=MODEL)
    assert row["nll"] is None
    assert "noise of c has variance 0" in str(row["posterior_note"])
    assert row["e_shd"] == 0


def test_a_list_of_graphs_a_file_and_an_estimate_are_the_same(
    exact: Posterior, tmp_path: Path
) -> None:
    graphs = [graph for graph, _ in exact.graphs(5)]
    posterior = Posterior.of(graphs)
    write_posterior(posterior, tmp_path / "p.npz")
    row = compare_posterior(graphs, MODEL.graph)
    assert row == compare_posterior(tmp_path / "p.npz", MODEL.graph)
    assert row == compare_posterior(Estimate(graphs[0], posterior=posterior), MODEL.graph)
    assert row["edge_brier"] is not None


def test_other_nodes_are_named(exact: Posterior) -> None:
    with pytest.raises(GraphError, match="only the posterior has d, only the true graph e"):
        compare_posterior(exact, Graph.from_edges([("a", "b")], names="abce"))
    with pytest.raises(GraphError, match="the reference are over different nodes"):
        compare_posterior(exact, MODEL.graph, reference=[Graph.from_edges([], names="ab")])


def test_fresh_rows_stand_for_an_unknown_model(exact: Posterior) -> None:
    drawn = Posterior([NormalInverseGamma().draw(exact.chains[0], DATA, np.random.default_rng(1))])
    fresh = MODEL.sample(40, np.random.default_rng(9))
    row = compare_posterior(drawn, MODEL.graph, test_data=fresh)
    assert row["nll"] == pytest.approx(negative_log_likelihood(drawn, fresh))
    assert row["entropy_kl"] is not None
    assert row["i_nll"] is None


def test_a_standardised_model_is_scaled_alike() -> None:
    scaled = rescaled(MODEL, "standardized")
    posterior = Posterior.of(
        [scaled.graph], coefficients=scaled.weights[None], variances=scaled.variances[None]
    )
    row = compare_posterior(posterior, model=MODEL, scaled=True)
    assert row["effect_error"] == pytest.approx(0, abs=1e-12)
    assert row["i_kl"] == pytest.approx(0, abs=1e-9)


def test_only_markov_chains_have_a_burn_in() -> None:
    empty = Graph.from_edges([], names="abcd")
    graphs = [empty] * 10 + [MODEL.graph] * 10
    for markov, expected in ((True, 0), (False, 1.5)):
        posterior = Posterior.of(graphs, markov=markov)
        row = PosteriorScores(burn_in=0.5).compute(MODEL.graph, posterior)
        assert row["e_shd"] == pytest.approx(expected)


def test_drawn_classes_have_no_intervention_distance_but_the_rest() -> None:
    row = compare_posterior([cpdag(MODEL.graph)], MODEL.graph)
    assert row["e_cpdag_shd"] == 0
    assert row["e_sid"] is None


def test_graphs_without_edges_are_dags(exact: Posterior) -> None:
    empty = Graph.from_edges([], names=exact.names)
    row = compare_posterior([empty, empty], model=MODEL, reference=exact)
    assert row["e_shd"] == MODEL.graph.n_edges
    assert row["e_sid"] is not None
    assert row["tv_exact"] is not None


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"draw_parameters": "nigg"}, "unknown draw_parameters 'nigg'.*known: own, nig, wishart"),
        ({"draw_parameters": "nig"}, "given the data learned from: give data"),
        ({"burn_in": 2}, "burn_in is a share from 0 to below 1, found 2"),
    ],
)
def test_what_cannot_be_done_as_asked_is_refused(asked: dict[str, Any], reason: str) -> None:
    with pytest.raises(DataError, match=reason):
        compare_posterior([MODEL.graph], model=MODEL, **asked)


def test_a_single_node_has_distances_of_zero() -> None:
    alone = Graph("a")
    row = compare_posterior([alone], alone)
    assert row["e_shd"] == row["e_cpdag_shd"] == 0

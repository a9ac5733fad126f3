"""What samplers believe of edges: numbers by hand, sentences, and the section of the page."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dagathlon.cli import main
from dagathlon.data import LinearSem, write_data
from dagathlon.evaluations.posterior_comparison import words as belief_words
from dagathlon.evaluations.posterior_comparison.charts import MOST_NODES, edge_graph
from dagathlon.evaluations.posterior_comparison.comparison import (
    Beliefs,
    Whose,
    belief_of,
    verdict_on,
)
from dagathlon.evaluations.posterior_comparison.edge_probabilities import EdgeProbabilities
from dagathlon.evaluations.posterior_comparison.parts import edge_parts, shown_sets
from dagathlon.evaluations.posterior_comparison.tables import (
    Named,
    agreement_rows,
    calibration_rows,
    disputed,
    edge_rows,
    method_row,
    named_beliefs,
    score_rows,
)
from dagathlon.graphs import Graph
from dagathlon.posteriors.marginal_posterior import MarginalPosterior
from dagathlon.posteriors.packed import Floats
from dagathlon.posteriors.posterior import Posterior
from dagathlon.report.results import Results
from dagathlon.report.section import Figure, Picture
from dagathlon.report.tables.runs import Combination
from dagathlon.study.plan.plan import Run
from dagathlon.study.store.store import Store
from dagathlon.workflow import Study
from strategies import read_rows

NAMES = ("a", "b", "c")
TRUE_DAG = Graph.from_edges(["b -> c", "a -> b"], "cab")
TRUTH = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=bool)
FIRST = np.array([[0.0, 0.8, 0.1], [0.2, 0.0, 0.6], [0.0, 0.3, 0.0]])
SECOND = np.array([[0.0, 0.5, 0.1], [0.5, 0.0, 0.6], [0.0, 0.3, 0.0]])
SEM = LinearSem("ABCD", np.diag([0.9, 0.8, 0.7], 1), [1.0, 0.5, 0.5, 0.5])


def exact(edges: Floats, paths: Floats | None = None) -> MarginalPosterior:
    names = NAMES if len(edges) == 3 else tuple(f"x{i}" for i in range(len(edges)))
    best = Graph.from_edges([], names)
    return MarginalPosterior(names, edges, best=best, path_probabilities=paths)


def known(
    method: str, edges: Floats, with_truth: bool = True, seed: int = 1, **fields: Any
) -> Named:
    """A posterior of which the probabilities of edges are known, against truth and reference."""
    run = Run(0, 0, method, 0, 0, 0, 0)
    whose = Whose(method, method, Combination("g", "p", "d"), seed, run)
    posterior = exact(edges, fields.pop("paths", None))
    found = belief_of(whose, posterior, 0.0, 0.5, ())
    verdict = verdict_on(posterior, TRUE_DAG if with_truth else None, fields.pop("near", None))
    return Named(found._replace(verdict=verdict, **fields), "data", f"seed {seed}")


def test_distances_follow_from_the_probabilities_of_edges() -> None:
    row = method_row(known("m", FIRST, near=exact(SECOND)))
    # Pairs are right with probability .8 (a → b), .6 (b → c) and .9 (nothing between a and c).
    assert row["e_shd"] == pytest.approx(0.2 + 0.4 + 0.1)
    assert row["edge_error"] == pytest.approx(0.3)
    assert row["graph_mmd"] == pytest.approx(2 / 6 * (0.3**2 + 0.3**2))
    without = method_row(known("m", FIRST, with_truth=False))
    assert without["e_shd"] is without["edge_error"] is without["graph_mmd"] is None
    listed = {(r["from"], r["to"]): r["in the truth"] for r in edge_rows(known("m", FIRST))}
    assert listed == {
        ("a", "b"): "yes",
        ("a", "c"): "no",
        ("b", "a"): "no",
        ("b", "c"): "yes",
        ("c", "b"): "no",
    }


def test_calibration_is_pooled_over_data_sets() -> None:
    paths = np.array([[0, 0.75, 0.75], [0.25, 0, 0.75], [0.25, 0.25, 0]])
    found = [known("m", FIRST, paths=paths), known("m", SECOND, seed=2)]
    rows = [row for row in calibration_rows(found, 2) if row["of"] == "edges"]
    assert [row["size"] for row in rows] == [7, 5]
    # At least one half: .8 and .6, .5, .5, .6, of which all but b → a are true.
    assert rows[1]["predicted"] == pytest.approx((0.8 + 0.6 + 0.5 + 0.5 + 0.6) / 5)
    assert rows[1]["observed"] == pytest.approx(4 / 5)
    edges, of_paths = score_rows(found, 2)
    squares = [0.04, 0.01, 0.04, 0.16, 0, 0.09, 0.25, 0.01, 0.25, 0.16, 0, 0.09]
    assert edges["brier"] == pytest.approx(np.mean(squares))
    assert (edges["data sets"], of_paths["data sets"]) == (2, 1)
    assert of_paths["brier"] == pytest.approx(0.0625)
    assert of_paths["ece"] == pytest.approx(0.25)
    assert of_paths["log_score"] == pytest.approx(-np.log(0.75))


def test_methods_are_compared_pair_by_pair_and_in_words() -> None:
    found = [known("one", FIRST, False), known("two", SECOND, False)]
    rows = list(agreement_rows(found))
    assert [row["largest"] for row in rows] == pytest.approx([0, 0.3, 0.3, 0])
    assert rows[1]["mean"] == pytest.approx(0.6 / 6)
    assert disputed(found)[0] == {
        "edge": "a → b",
        "range": pytest.approx(0.3),
        "one": 0.8,
        "two": 0.5,
    }
    (words,) = belief_words.agreement(rows)
    assert "one and two differ most, by 0.30 about a → b (0.80 against 0.50)" in words
    alike = list(agreement_rows([known("one", FIRST), known("two", FIRST * 0.999)]))
    assert "agree on every edge" in next(belief_words.agreement(alike))


def test_chains_that_disagree_are_named() -> None:
    chains = [
        known("torn", FIRST, draws=99, chains=4, ess=99.0, rhat=1.4, apart=(0.6, "a → b")),
        known("alone", FIRST, chains=1, rhat=1.2),
        known("short", FIRST, chains=1, rhat=1.0, ess=25.0),
        known("good", FIRST, chains=2, rhat=1.001, ess=900.0, apart=(0.05, "a → b")),
        known("weighed", FIRST, draws=100, chains=1, ess=3.2),
    ]
    said = list(belief_words.convergence([method_row(one) for one in chains]))
    assert "torn: its chains disagree" in said[0]
    assert "differ by 0.60 about a → b; R̂ of the score is 1.40" in said[0]
    assert "the first half of its chain differs" in said[1]
    assert "as much as 25 independent ones" in said[2]
    assert said[3] == "weighed: the weights of its draws leave as much as 3 of them."
    assert said[4] == "No sign that the chains of good have not settled."
    assert len(said) == 5


def test_the_space_that_a_posterior_covers_is_said_where_it_is_not_all() -> None:
    found = [known("all", FIRST, space="all DAGs"), known("some", FIRST, space="DAGs of a kind.")]
    found += [known("noted", FIRST, notes=(f"{k} of 10 rows were left out.",)) for k in (2, 3)]
    said = list(belief_words.coverage(found))
    assert said == ["some covers DAGs of a kind.", "noted says: 2 of 10 rows were left out."]


def test_a_page_draws_some_data_sets_and_says_so() -> None:
    found = [known("m", FIRST, seed=seed) for seed in range(1, 6)]
    shown = shown_sets(found)
    assert list(shown) == ["seed 1", "seed 2", "seed 3"]
    words = belief_words.opening(Beliefs([one.belief for one in found], 5, 9), ["m"], len(shown))
    assert "5 of 9 data sets" in words
    assert "those of 3 of them" in words
    tiles, matrix, picture = edge_parts(shown, 0.2)
    assert isinstance(tiles, Figure)
    assert isinstance(matrix, Figure)
    assert isinstance(picture, Picture)
    assert [name for name, _ in matrix.variants] == [f"m · seed {k}" for k in (1, 2, 3)]
    frames = matrix.variants[0][1]["layer"][-1]["data"]["values"]
    assert frames == [{"from": "a", "to": "b"}, {"from": "b", "to": "c"}]


def test_a_drawing_shows_both_directions_and_what_is_true() -> None:
    edges = np.array([[0, 0.7, 0.3], [0.3, 0, 0.05], [0, 0, 0]])
    drawn = edge_graph(NAMES, edges, TRUTH, 0.2)
    svg = drawn.picture.svg
    assert "a → b: 0.70\na ← b: 0.30\nin the truth" in svg
    assert '<g opacity="0.70">' in svg
    assert '<g opacity="0.30">' in svg
    assert "not in the truth" in svg  # a → c
    assert "in the truth and improbable" in svg  # b → c is drawn all the same
    assert svg.count('class="edge styled"') == 3
    plain = edge_graph(NAMES, edges, None, 0.2).picture
    assert plain.svg.count('class="edge styled"') == 2
    assert [key.words for key in plain.keys] == ["probability ¼", "½", "1"]


def test_of_many_variables_the_edges_that_matter_are_drawn() -> None:
    p = 100
    edges = np.zeros((p, p))
    edges[np.arange(p - 1), np.arange(1, p)] = np.linspace(0.3, 1.0, p - 1)
    drawn = edge_graph([f"x{i}" for i in range(p)], edges, None, 0.2)
    nodes = drawn.picture.svg.count('class="node"')
    assert nodes <= MOST_NODES
    assert drawn.left_out == p - 1 - drawn.picture.svg.count('class="edge styled"')
    assert ">x99<" in drawn.picture.svg
    assert ">x0<" not in drawn.picture.svg


def study(folder: Path, algorithms: dict[str, Any], evaluation: dict[str, Any]) -> Path:
    write_data(SEM.sample(100, np.random.default_rng(1)), folder / "rows.csv")
    truth = Graph.from_edges([("A", "B"), ("B", "C"), ("C", "D")])
    np.savetxt(folder / "dag.csv", truth.adjacency, "%d", ",", header="A,B,C,D", comments="")
    entry = {"graph_id": "dag.csv", "parameters_id": None, "data_id": "rows.csv"}
    setup = {"title": "mine", "data": [entry | {"seed_range": None}], "evaluation": evaluation}
    content = {
        "benchmark_setup": [setup],
        "resources": {"structure_learning_algorithms": algorithms},
    }
    path = folder / "mine.json"
    path.write_text(json.dumps(content), "utf-8")
    return path


SAMPLERS = {
    "exact_posterior": [{"id": "exact", "score": "bge"}],
    "partition_mcmc": [
        {
            "id": "partition",
            "score": "bge",
            "iterations": 4000,
            "mcmc_seed": [1, 2],
            "threshold": [0.4, 0.5],
        }
    ],
    "bootstrap": [{"id": "bootstrap", "learner": "hc[score=bge]", "replicates": 30}],
    "hc": [{"id": "hc", "score": "bge"}],
}


@pytest.mark.slow
def test_the_section_of_a_study(tmp_path: Path) -> None:
    ids = ["exact", "partition", "bootstrap", "hc"]
    asked = {"benchmarks": {"ids": ids}, "edge_probabilities": {"bins": 5}}
    Study.load(study(tmp_path, SAMPLERS, asked)).run(tmp_path / "out", jobs=1)
    folder = tmp_path / "out" / "mine"
    methods = {
        row["setting"]: row for row in read_rows(folder / "edge_probabilities" / "methods.csv")
    }
    # Chains that differ in their seed are one method's; further estimates from them are none.
    assert set(methods) == {"exact", "partition", "bootstrap"}
    assert methods["partition"]["chains"] == "2"
    assert methods["exact"]["edge_error"] == "NA"
    with Store(tmp_path / "out" / "store") as store:
        results = Results.of(folder, store)
        learned = {run.learn: (run.entry, results.learned(run)) for run in results.runs}
    found = {name: list[Posterior]() for name in ids}
    for name, estimate in learned.values():
        if estimate is not None and estimate.posterior is not None:
            found[name].append(estimate.posterior.after(0.5))
    both = Posterior.merge(found["partition"]).edge_probabilities
    gaps = np.abs(both - found["exact"][0].edge_probabilities)
    assert float(methods["partition"]["edge_error"]) == pytest.approx(gaps.max())
    assert float(methods["partition"]["graph_mmd"]) == pytest.approx(2 / 12 * (gaps**2).sum())
    page = (folder / "report.html").read_text("utf-8")
    section = page.partition('<section id="edge-probabilities"')[2].partition("</section>")[0]
    for name in ("edges", "matrix", "traces", "cost", "agreement"):
        assert f'data-figure="belief-{name}"' in section
    assert 'data-figure="reliability"' in section
    assert 'id="picture-belief-graph"' in section


@pytest.mark.slow
def test_it_is_shown_without_being_asked_where_a_learner_has_a_posterior(tmp_path: Path) -> None:
    algorithms = {
        "structure_mcmc": [{"id": "structure", "score": "bge", "chains": 2, "iterations": 2000}],
        "hc": [{"id": "hc", "score": "bge"}],
    }
    for ids, there in (["structure", "hc"], True), (["hc"], False):
        folder = tmp_path / ids[0]
        folder.mkdir()
        path = study(folder, algorithms, {"benchmarks": {"ids": ids}})
        Study.load(path).run(folder / "out", jobs=1, figures="none")
        page = (folder / "out" / "mine" / "report.html").read_text("utf-8")
        assert ('<section id="edge-probabilities"' in page) is there
        assert not (folder / "out" / "mine" / "edge_probabilities").exists()


@pytest.mark.slow
def test_what_comes_before_the_end_of_the_burn_in_does_not_count(tmp_path: Path) -> None:
    sampler = {"id": "structure", "score": "bge", "burnin_frac": 0.25, "iterations": 4000}
    algorithms = {"structure_mcmc": [sampler]}
    path = study(tmp_path, algorithms, {"benchmarks": {"ids": ["structure"]}})
    Study.load(path).run(tmp_path / "out", jobs=1, figures="none")
    folder = tmp_path / "out" / "mine"
    with Store(tmp_path / "out" / "store") as store:
        results = Results.of(folder, store)
        rows = EdgeProbabilities().tables(results)["methods"].rows
        estimate, truth = results.learned(results.runs[0]), results.truth(results.cases[0])
    assert estimate is not None
    assert estimate.posterior is not None
    assert truth is not None
    late = estimate.posterior.after(0.25)
    edges, true = late.edge_probabilities, truth.subgraph(late.names).adjacency
    wrong = 0.0
    for i, j in itertools.combinations(range(4), 2):
        joined = true[i, j] or true[j, i]
        right = edges[i, j] if true[i, j] else edges[j, i]
        wrong += 1 - right if joined else edges[i, j] + edges[j, i]
    assert rows[0]["e_shd"] == pytest.approx(wrong)
    assert rows[0]["rhat"] == pytest.approx(late.rhat())
    assert rows[0]["draws"] == late.n_draws < estimate.posterior.n_draws
    assert rows[0]["cpu"] > 0


@pytest.mark.slow
def test_the_report_on_one_sampler_has_its_posterior(tmp_path: Path) -> None:
    write_data(SEM.sample(100, np.random.default_rng(1)), tmp_path / "rows.csv")
    command = [
        "learn",
        str(tmp_path / "rows.csv"),
        "--with",
        "structure_mcmc[chains=2,iterations=4000]",
    ]
    assert main([*command, "--report", str(tmp_path / "page"), "--copies", "0"]) == 0
    page = (tmp_path / "page" / "report.html").read_text("utf-8")
    assert '<section id="edge-probabilities"' in page
    assert "structure_mcmc gives a distribution over graphs." in page
    rows = read_rows(tmp_path / "page" / "edge_probabilities" / "edges.csv")
    assert {"from", "to", "probability"} <= set(rows[0])


def test_an_edge_without_a_direction_counts_half_each_way() -> None:
    graphs = [Graph.from_edges(["a - b"], NAMES), Graph.from_edges(["a -> b"], NAMES)]
    whose = Whose("m", "m", Combination("g", "p", "d"), 1, Run(0, 0, "m", 0, 0, 0, 0))
    found = belief_of(whose, Posterior.of(graphs), 0.0, None, ())
    assert found.edges.tolist() == [[0, 0.75, 0], [0.25, 0, 0], [0, 0, 0]]
    (words,) = belief_words.undirected([Named(found, "data", ""), known("sure", FIRST)])
    assert words.startswith("Some edges of m have no direction")


def undirected_belief(method: str, shares: dict[str, int], truth: Graph) -> Named:
    """A posterior over undirected graphs of three nodes, against the truth."""
    graphs = [
        Graph.from_edges(edges.split(", "), NAMES) for edges, k in shares.items() for _ in range(k)
    ]
    posterior = Posterior.of(graphs)
    whose = Whose(method, method, Combination("", "", ""), 1, Run(0, 0, method, 0, 0, 0, 0))
    belief = belief_of(whose, posterior, 0.0, None, ())
    return Named(belief._replace(verdict=verdict_on(posterior, truth, None)), "", "")


def test_posteriors_over_undirected_graphs_give_each_edge_once() -> None:
    truth = Graph.from_edges(["a - b", "b - c"], NAMES)
    first = undirected_belief("first", {"a - b, b - c": 3, "a - b": 1}, truth)
    second = undirected_belief("second", {"a - c": 1, "a - b": 1}, truth)
    found = named_beliefs([first.belief, second.belief])
    assert found[0].belief.edges.tolist() == [[0, 1, 0], [0, 0, 0.75], [0, 0, 0]]
    assert found[0].truth is not None
    assert found[0].truth.tolist() == TRUTH.tolist()
    assert found[0].belief.verdict.e_shd == pytest.approx(0.25)
    outcomes = found[1].belief.verdict.outcomes["edges"]
    assert outcomes.probability.tolist() == [0.5, 0.5, 0]
    assert outcomes.present.tolist() == [True, False, True]
    apart = next(row for row in agreement_rows(found) if row["left"] != row["right"])
    assert (apart["edge"], apart["largest"]) == ("b – c", 0.75)
    assert apart["mean"] == pytest.approx((0.5 + 0.5 + 0.75) / 3)
    assert not list(belief_words.undirected(found))
    edges, matrix, graph = edge_parts(shown_sets(found), 0.2)
    assert "→" not in str(edges) + str(graph)
    assert "on both sides of the diagonal" in str(matrix)


def test_beside_directed_ones_undirected_edges_are_half_each_way() -> None:
    truth = Graph.from_edges(["a - b", "b - c"], NAMES)
    one = undirected_belief("first", {"a - b": 1}, truth)
    found = named_beliefs([one.belief, known("second", FIRST).belief])
    assert found[0].belief.edges[:2, :2].tolist() == [[0, 0.5], [0.5, 0]]
    assert found[0].truth is None
    assert list(belief_words.undirected(found))

"""Scores: by hand, by invariance, on singular data, and on data they do not fit."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagathlon.data import Dataset, Variable
from dagathlon.errors import DataError, GraphError
from dagathlon.graphs import Graph, cpdag, members
from dagathlon.learners.score.score_kinds import ScoreParameters, known_scores
from dagathlon.learners.score.scores import native_score, score_graph, scores_for
from strategies import random_dag

NAMES = tuple("ABCDE")
NOT_EQUIVALENT = {"k2", "bds", "bdj", "fnml", "mbde", "nig", "bic-blip", "bic-blip1"}
EQUIVALENT = [
    name
    for name, kind in known_scores().items()
    if "mixed" not in kind.takes and name not in NOT_EQUIVALENT
]


def gaussian(rng: np.random.Generator, n: int = 60) -> Dataset:
    values = rng.normal(size=(n, 5))
    values[:, 1] += values[:, 0]
    values[:, 4] += values[:, 1] - 0.5 * values[:, 2]
    return Dataset([Variable(name) for name in NAMES], values=values)


def discrete(rng: np.random.Generator, n: int = 80) -> Dataset:
    arities = [2, 3, 2, 4, 3]
    codes = np.stack([rng.integers(0, arity, n) for arity in arities], axis=1)
    codes[:, 2] = np.where(rng.random(n) < 0.7, codes[:, 0], codes[:, 2])
    variables = [
        Variable(name, tuple(map(str, range(arity))))
        for name, arity in zip(NAMES, arities, strict=True)
    ]
    return Dataset(variables, codes=codes.astype(np.uint8))


def data_for(score: str, rng: np.random.Generator) -> Dataset:
    if "mixed" in known_scores()[score].takes:
        left, right = discrete(rng, 60), gaussian(rng, 60)
        return Dataset(
            (*left.variables[:2], *right.variables[2:]),
            codes=left.codes[:, :2],
            values=right.values[:, 2:],
        )
    return discrete(rng) if "discrete" in known_scores()[score].takes else gaussian(rng)


def test_two_coins_by_hand() -> None:
    variables = [Variable("A", ("0", "1")), Variable("B", ("0", "1"))]
    data = Dataset(variables, codes=np.array([[0, 0], [0, 0], [0, 1], [1, 1]], dtype=np.uint8))
    graph = Graph.from_edges(["A -> B"])
    likelihood = 3 * math.log(3 / 4) + math.log(1 / 4)
    given_a = 2 * math.log(2 / 3) + math.log(1 / 3)
    assert score_graph(data, graph, "loglik").by_node == pytest.approx(
        {"A": likelihood, "B": given_a}
    )
    assert score_graph(data, graph, "bic").total == pytest.approx(
        likelihood + given_a - 3 * math.log(4) / 2
    )
    # 3! 1!/5! for A; B is 2 of 3 in one row and 0 of 1 in the other.
    assert score_graph(data, graph, "k2").by_node == pytest.approx(
        {"A": math.log(6 / 120), "B": math.log(2 / 24) + math.log(1 / 2)}
    )


def test_regression_by_hand() -> None:
    rng = np.random.default_rng(3)
    data = gaussian(rng)
    y, x = data.values[:, 4], data.values[:, [1, 2]]
    design = np.column_stack([np.ones(len(y)), x])
    residual = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    variance = residual @ residual / (len(y) - 3)
    expected = -0.5 * len(y) * math.log(2 * math.pi * variance) - (len(y) - 3) / 2
    graph = Graph.from_edges(["B -> E", "C -> E"], names=NAMES)
    assert score_graph(data, graph, "loglik-g").by_node["E"] == pytest.approx(expected)
    assert score_graph(data, graph, "loglik-cg").by_node["E"] == pytest.approx(expected)


@pytest.mark.parametrize("score", EQUIVALENT)
def test_equivalent_graphs_have_equal_scores(score: str) -> None:
    rng = np.random.default_rng(7)
    data = data_for(score, rng)
    compared = 0
    for _ in range(8):
        some = itertools.islice(members(cpdag(random_dag(NAMES, rng, 0.5))), 20)
        totals = [score_graph(data, member, score).total for member in some]
        assert totals == pytest.approx([totals[0]] * len(totals), rel=1e-11)
        compared += len(totals) > 1
    assert compared


@pytest.mark.parametrize("score", sorted(NOT_EQUIVALENT - {"mbde", "nig"}))
def test_some_scores_tell_equivalent_graphs_apart(score: str) -> None:
    data = discrete(np.random.default_rng(7), 9)
    there, back = (Graph.from_edges([arc], names=NAMES) for arc in ("D -> B", "B -> D"))
    assert score_graph(data, there, score).total != pytest.approx(
        score_graph(data, back, score).total, rel=1e-6
    )


@pytest.mark.parametrize("score", sorted(known_scores()))
@settings(max_examples=20)
@given(seed=st.integers(0, 10_000))
def test_additions_are_the_scores_of_larger_families(score: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    native = native_score(data_for(score, rng), score, ScoreParameters(prior="vsp"))
    child = int(rng.integers(5))
    others = [i for i in range(5) if i != child]
    parents = sorted(rng.permutation(others)[: rng.integers(4)].tolist())
    found = native.additions(child, parents)
    for x in set(others) - set(parents):
        assert found[x] == pytest.approx(native.local(child, [*parents, x]), rel=1e-10)


@pytest.mark.parametrize("score", sorted(known_scores()))
def test_order_of_rows_and_columns_does_not_matter(score: str) -> None:
    rng = np.random.default_rng(11)
    data = data_for(score, rng)
    graph = random_dag(NAMES, rng, 0.3)
    kinds = {variable.name: variable.is_discrete for variable in data.variables}
    kept = [(e.left, e.right) for e in graph.edges() if kinds[e.left] or not kinds[e.right]]
    graph = Graph.from_edges(kept, names=NAMES)
    expected = score_graph(data, graph, score)
    # Which rows are left out together hangs on their places.
    rows = np.arange(len(data)) if score.startswith("cv-") else rng.permutation(len(data))
    turned = data.take(rows).select(NAMES[::-1])
    assert score_graph(turned, graph, score).by_node == pytest.approx(dict(expected.by_node))


def test_cached_and_batch_values_agree() -> None:
    native = native_score(discrete(np.random.default_rng(2)), "bde", ScoreParameters())
    families = [(0, [1, 2]), (3, []), (0, [2, 1])]
    assert native.batch(families) == [native.local(c, p) for c, p in families]
    with pytest.raises(IndexError, match="out of range"):
        native.local(9, [])
    with pytest.raises(ValueError, match="distinct"):
        native.local(0, [1, 1])


GAUSSIAN = scores_for("continuous")


@pytest.mark.parametrize("score", GAUSSIAN)
def test_singular_data_have_a_finite_score(score: str) -> None:
    rng = np.random.default_rng(5)
    values = rng.normal(size=(40, 5))
    values[:, 1] = values[:, 0]
    values[:, 2] = 3.5
    data = Dataset([Variable(name) for name in NAMES], values=values)
    plain = score_graph(data, Graph.from_edges(["A -> E"], names=NAMES), score).total
    doubled = score_graph(data, Graph.from_edges(["A -> E", "B -> E"], names=NAMES), score).total
    constant = score_graph(data, Graph.from_edges(["C -> E", "A -> E"], names=NAMES), score).total
    copied = score_graph(data, Graph.from_edges(["A -> B", "A -> E"], names=NAMES), score).total
    assert all(map(math.isfinite, (plain, doubled, constant, copied)))
    assert copied > plain  # a copy is explained by its original
    if not score.startswith(("loglik", "cv-")):  # which have no penalty
        assert doubled < plain  # and adds nothing to it
        assert constant < plain


def test_no_degrees_of_freedom_left() -> None:
    values = np.random.default_rng(5).normal(size=(4, 5))
    data = Dataset([Variable(name) for name in NAMES], values=values)
    full = Graph.from_edges([(a, "E") for a in "ABCD"], names=NAMES)
    assert score_graph(data, full, "bic-g").total == -math.inf
    assert math.isfinite(score_graph(data, full, "bge").total)


def test_scores_leave_out_rows_in_which_the_variable_was_set() -> None:
    rng = np.random.default_rng(8)
    observed, forced = discrete(rng, 50), discrete(rng, 30)
    codes = np.vstack([observed.codes, forced.codes])
    regimes = ([set(), {"B"}], np.repeat([0, 1], [50, 30]))
    data = Dataset(observed.variables, codes=codes, regimes=regimes)
    graph = Graph.from_edges(["A -> B", "B -> C"], names=NAMES)
    found = score_graph(data, graph, "mbde", iss=2).by_node
    assert found["B"] == score_graph(observed, graph, "bde", iss=2).by_node["B"]
    assert found["C"] == score_graph(data, graph, "bde", iss=2).by_node["C"]


def test_priors_prefer_what_they_say() -> None:
    data = discrete(np.random.default_rng(1))
    empty, arc = Graph(NAMES), Graph.from_edges(["A -> B"], names=NAMES)

    def effect(graph: Graph, **prior: object) -> float:
        plain = score_graph(data, graph, "bde").total
        return score_graph(data, graph, "bde", **prior).total - plain

    table = (("A", "B", 0.7),)
    assert effect(arc, prior="cs", arc_probabilities=table) == pytest.approx(math.log(2.1))
    assert effect(empty, prior="cs", arc_probabilities=table) == pytest.approx(math.log(0.45))
    assert effect(arc, prior="vsp", beta=0.1) == pytest.approx(math.log(1 / 9))
    assert effect(arc, edge_penalty=2) == pytest.approx(-math.log(2))
    reverse = Graph.from_edges(["B -> A"], names=NAMES)
    assert effect(reverse, prior="cs", arc_probabilities=table) == pytest.approx(math.log(0.45))


CERTAIN = (("A", "B", 0.7), ("B", "A", 0.3))


@pytest.mark.parametrize(
    ("score", "parameters", "message"),
    [
        ("bge", {}, "needs continuous data, and these are discrete; scores for them: aic, bde"),
        ("bicc", {}, "did you mean 'bic'"),
        ("bic", {"iss": 1}, "score bic: unknown parameter 'iss'"),
        ("bde", {"iss": 0}, "iss: found 0"),
        ("bde", {"prior": "vsp", "beta": 1}, "beta: found 1"),
        ("bde", {"prior": "cs", "arc_probabilities": (("A", "X", 0.2),)}, "unknown variable 'X'"),
        ("bde", {"prior": "cs", "arc_probabilities": CERTAIN}, "leave no"),
        ("bde", {"edge_penalty": 0}, "edge_penalty: found 0"),
        ("bdeu", {"structure_prior": 200}, "structure_prior: found 200"),
    ],
)  # fmt: skip
def test_mistakes_are_explained(score: str, parameters: dict[str, object], message: str) -> None:
    data = discrete(np.random.default_rng(1))
    with pytest.raises(DataError, match=message.replace("(", r"\(")):
        score_graph(data, Graph(NAMES), score, **parameters)


def test_data_and_graphs_that_cannot_be_scored() -> None:
    rng = np.random.default_rng(1)
    data = gaussian(rng)
    with pytest.raises(GraphError, match="only in the data: E"):
        score_graph(data, Graph("ABCD"), "bge")
    with pytest.raises(GraphError, match="DAG"):
        score_graph(data, Graph.from_edges(["A - B"], names=NAMES), "bge")
    with pytest.raises(DataError, match="at least 3 rows, found 2"):
        score_graph(data[:2], Graph(NAMES), "bge")
    with pytest.raises(DataError, match="iss_w: found 5"):
        score_graph(data, Graph(NAMES), "bge", iss_w=5)
    values = data.values.copy()
    values[0, 0] = np.nan
    with pytest.raises(DataError, match="no missing values"):
        score_graph(Dataset(data.variables, values=values), Graph(NAMES), "bge")

"""Structural EM: exact expectations, a score that never falls, and better graphs than without."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from dagathlon import Network, compare, learn
from dagathlon._core import ExpectedCounts, expected_counts, incomplete_data
from dagathlon.data import Dataset, LinearSem, Table, Variable, fit
from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.learners.score.expectation import expectation
from dagathlon.learners.score.score_kinds import ScoreParameters
from dagathlon.learners.score.scores import native_score
from dagathlon.learners.score.structural_em import StructuralEm

SEM = LinearSem("ABCD", np.triu(np.full((4, 4), 0.7), 1), [1.0, 0.5, 2.0, 1.0])


def with_gaps(data: Dataset, share: float, seed: int, *, by_first: bool = False) -> Dataset:
    """The data with values missing completely at random, or by the value of the first column."""
    rng = np.random.default_rng(seed)
    gone = rng.random((len(data), len(data.names))) < share
    if by_first:
        first = data.to_matrix()[:, 0]
        gone &= (first >= np.median(first))[:, None]
        gone[:, 0] = False
    if data.is_continuous:
        return Dataset(data.variables, values=np.where(gone, np.nan, data.values))
    return Dataset(data.variables, codes=np.where(gone, data.missing_code, data.codes))


def brute_counts(network: Network, data: Dataset, family: list[str]) -> np.ndarray:
    """Expected counts by a query for each row."""
    sizes = [len(network.distribution(name).levels) for name in family]
    total = np.zeros(sizes)
    for row in range(len(data)):
        codes = {n: int(data.column(n)[row]) for n in data.names}
        known = {n: code for n, code in codes.items() if code != data.missing_code}
        levels = {n: network.distribution(n).levels[code] for n, code in known.items()}
        asked = [n for n in family if n not in known]
        place: tuple[Any, ...] = tuple(known.get(n, slice(None)) for n in family)
        total[place] += network.query(asked, levels).probabilities if asked else 1.0
    return total


def test_expected_counts_are_those_of_queries() -> None:
    network = Network.load("asia")
    data = with_gaps(network.sample(12, 3), 0.4, 4)
    found = expectation(data, network)
    counts = found.statistics.codes
    assert counts is not None
    for family in (["dysp"], ["asia", "smoke", "dysp"], ["tub", "lung", "either"], ["xray", "tub"]):
        *parents, child = (data.index[name] for name in family)
        wanted = brute_counts(network, data, family)
        np.testing.assert_allclose(counts.counts(child, parents), wanted.ravel(), atol=1e-10)
    probability = 0.0
    for row in range(len(data)):
        names = [n for n in data.names if data.column(n)[row] != data.missing_code]
        levels = {n: network.distribution(n).levels[data.column(n)[row]] for n in names}
        rest = next((n for n in data.names if n not in levels), None)
        if rest is not None:
            probability += network.query(rest, levels).log_evidence
        else:
            probability += float(network.row_log_likelihoods(data[row : row + 1])[0])
    assert found.log_likelihood == pytest.approx(probability)


def test_a_missing_value_with_very_many_known_children_has_a_probability() -> None:
    """The product of 700 small numbers is below what a number holds; ratios of it are not."""
    counts = _hub([0.2, 0.3, 0.5])
    assert counts.log_likelihood == pytest.approx(700 * np.log(0.3) + np.log(0.5), rel=1e-9)
    assert counts.counts(0, []) == pytest.approx([0.0, 1.0])
    even = _hub([0.3, 0.2, 0.5])
    assert even.log_likelihood == pytest.approx(700 * np.log(0.3))
    assert even.counts(0, []) == pytest.approx([0.5, 0.5])


def _hub(when_0: list[float]) -> ExpectedCounts:
    """A row in which a variable of two levels is missing and its 700 children are known."""
    codes = np.zeros((1, 701), dtype=np.uint8)
    codes[0, 0] = 255
    data = incomplete_data(codes, [2] + [3] * 700)
    tables = [[0.5, 0.5]] + [[*when_0, 0.3, 0.2, 0.5]] * 700
    return expected_counts(data, [[]] + [[0]] * 700, tables)


def test_families_too_large_to_fit_have_no_score() -> None:
    """Twenty variables missing together: a parent set of them all has more cells than memory."""
    codes = np.random.default_rng(0).integers(0, 3, (30, 20)).astype(np.uint8)
    codes[0] = 255
    data = Dataset([Variable(f"v{k}", tuple("abc")) for k in range(20)], codes=codes)
    expected = expectation(data, fit(data, Graph(data.names)))
    score = expected.statistics.score("loglik", ScoreParameters())
    assert np.isfinite(score.local(0, list(range(1, 5))))
    assert score.local(0, list(range(1, 20))) == -np.inf


def test_many_missing_values_in_one_row_are_still_exact() -> None:
    """A row of a chain with 12 open variables: too many combinations for one table."""
    flip = [[0.9, 0.1], [0.3, 0.7]]
    nodes = {"v0": Table(("0", "1"), (), [0.4, 0.6])}
    for k in range(1, 14):
        nodes[f"v{k}"] = Table(("0", "1"), (f"v{k - 1}",), flip)
    network = Network(nodes)
    codes = np.full((1, 14), 255, dtype=np.uint8)
    codes[0, [0, 13]] = 0, 1
    data = Dataset([Variable(name, ("0", "1")) for name in network.names], codes=codes)
    counts = expectation(data, network).statistics.codes
    assert counts is not None
    wanted = network.query(["v2", "v9", "v10"], {"v0": "0", "v13": "1"}).probabilities
    np.testing.assert_allclose(counts.counts(10, [2, 9]), wanted.ravel(), atol=1e-12)


def test_expected_moments_are_those_of_conditional_normals() -> None:
    data = with_gaps(SEM.sample(30, np.random.default_rng(1)), 0.3, 2)
    network = fit(SEM.sample(200, np.random.default_rng(3)), SEM.graph)
    total, means = np.zeros((4, 4)), np.zeros((30, 4))
    log_likelihood = 0.0
    for row, values in enumerate(data.values):
        known = {n: float(v) for n, v in zip(data.names, values, strict=True) if not np.isnan(v)}
        open_ = [k for k, v in enumerate(values) if np.isnan(v)]
        means[row] = values
        if open_:
            answer = network.query([data.names[k] for k in open_], known)
            means[row, open_] = answer.mean
            total[np.ix_(open_, open_)] += answer.covariance
            log_likelihood += answer.log_evidence
        else:
            log_likelihood += float(network.row_log_likelihoods(data[row : row + 1])[0])
    found = expectation(data, network)
    assert found.log_likelihood == pytest.approx(log_likelihood)
    centred = means - means.mean(axis=0)
    np.testing.assert_allclose(found._mean, means.mean(axis=0))
    np.testing.assert_allclose(found._scatter, centred.T @ centred + total)


@pytest.mark.parametrize("score", ["bic", "bde", "k2", "bdj", "bic-g", "bge", "sem-bic"])
def test_complete_data_have_their_own_scores(score: str) -> None:
    data = Network.load("asia").sample(100, 1)
    if score in ("bic-g", "bge", "sem-bic"):
        data = SEM.sample(100, np.random.default_rng(1))
    found = expectation(data, fit(data, Graph(data.names))).statistics
    names = data.names
    graph = Graph.from_edges([(names[0], names[3]), (names[1], names[3])], names=names)
    own = native_score(data, score, ScoreParameters()).terms(graph.native)
    expected = found.score(score, ScoreParameters()).terms(graph.native)
    np.testing.assert_allclose(expected, own, rtol=1e-10)


@pytest.mark.parametrize("search", ["hc", "tabu"])
def test_without_gaps_it_is_the_search(search: str) -> None:
    for data in (Network.load("asia").sample(300, 1), SEM.sample(200, np.random.default_rng(1))):
        own, plain = learn(data, "structural_em", search=search), learn(data, search)
        assert own.graph == plain.graph
        assert own.stats == plain.stats


@pytest.mark.parametrize("score", ["bic", "bde", "bic-g", "l0-g"])
@pytest.mark.parametrize("begin", ["imputed", "empty"])
def test_the_score_of_what_is_known_never_falls(score: str, begin: Any) -> None:
    complete = Network.load("asia").sample(300, 5)
    if score.endswith("-g"):
        complete = SEM.sample(150, np.random.default_rng(5))
    data = with_gaps(complete, 0.3, 6)
    learner = StructuralEm(score=score, em_steps=2)  # type: ignore[arg-type]
    steps = list(learner.steps(data, np.random.default_rng(0), begin))
    assert all(later.score > earlier.score for earlier, later in pairwise(steps))
    assert len(steps) > (begin == "empty")


def test_the_score_is_the_likelihood_less_the_penalty() -> None:
    data = with_gaps(Network.load("asia").sample(200, 5), 0.2, 6)
    found = learn(data, "structural_em")
    penalty = 0.5 * np.log(200) * fit(data, found.graph).n_parameters
    assert found.stats["score"] == pytest.approx(float(found.stats["log_likelihood"]) - penalty)
    data = with_gaps(SEM.sample(150, np.random.default_rng(5)), 0.2, 6)
    found = learn(data, "structural_em", score="l0-g")
    # pcalg's score leaves out the constant, and counts a variance and the slopes of each node.
    constant = 150 * 4 / 2 * np.log(2 * np.pi)
    penalty = 0.5 * np.log(150) * (4 + found.graph.n_edges)
    expected = float(found.stats["log_likelihood"]) + constant - penalty
    assert found.stats["score"] == pytest.approx(expected)


def test_limits_and_knowledge_are_kept() -> None:
    data = with_gaps(Network.load("asia").sample(300, 1), 0.2, 1)
    constraints = {"forbidden_edges": [["smoke", "lung"], ["lung", "smoke"]]}
    found = learn(data, "structural_em", max_parents=1)
    assert max(len(found.graph.parents(name)) for name in data.names) == 1
    kept = StructuralEm(constraints=constraints)  # type: ignore[arg-type]
    graph = kept.learn(data, np.random.default_rng(0)).graph
    assert not graph.marks[graph.position("smoke"), graph.position("lung")]
    assert graph.n_edges > 3


def test_what_cannot_be_done_is_refused_with_the_remedy() -> None:
    data = with_gaps(Network.load("asia").sample(50, 1), 0.2, 1)
    with pytest.raises(DataError, match=r"hc cannot handle missing values.*structural_em takes"):
        learn(data, "hc")
    with pytest.raises(DataError, match="cannot compute score qnml from expected values"):
        learn(data, "structural_em", score="qnml")
    codes = np.array(data.codes)
    codes[:, 2] = 255
    with pytest.raises(DataError, match="'smoke' has no value at all"):
        learn(Dataset(data.variables, codes=codes), "structural_em")
    both = Dataset(
        [Variable("a", ("0", "1")), Variable("b")],
        codes=np.array([[0], [1], [255]], dtype=np.uint8),
        values=np.array([[0.1], [0.2], [0.3]]),
    )
    with pytest.raises(DataError, match="not mixed; discretise"):
        learn(both, "structural_em")


@pytest.mark.slow
@pytest.mark.parametrize("by_first", [False, True])
def test_it_beats_dropping_rows(by_first: bool) -> None:
    ours, dropped = [], []
    for name, n in (("asia", 500), ("insurance", 1000)):
        network = Network.load(name)
        for seed in range(3):
            data = with_gaps(network.sample(n, 70 + seed), 0.2, seed, by_first=by_first)
            assert data.missing is not None
            complete = data.take(np.flatnonzero(~data.missing.any(axis=1)))
            for found, table, learner in (
                (ours, data, "structural_em"),
                (dropped, complete, "hc"),
            ):
                # Few rows are left, and by its distance an empty graph would do well.
                right = compare(learn(table, learner).graph, network.graph)["F1_skel"]
                found.append(float(right or 0))
    assert np.mean(ours) > np.mean(dropped) + 0.05

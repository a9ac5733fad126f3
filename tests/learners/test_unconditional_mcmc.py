"""The chain over unconditional dependence graphs, against all DAGs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from dag_oracle import all_dags

from dagathlon import learn, read_data
from dagathlon.errors import DagathlonError
from dagathlon.graphs import Graph
from dagathlon.learners.score.scores import score_graph

# At four nodes all graphs but three circles and twelve paths.
NUMBERS_OF_GRAPHS = {2: 2, 3: 8, 4: 49}


def _dependence(parents: np.ndarray) -> np.ndarray:
    """Which pairs share an ancestor; each node is one of its own. Row i: the children of i."""
    p = len(parents)
    reached = np.eye(p, dtype=bool)
    for _ in range(p):
        reached |= reached @ parents
    joined = (reached.T.astype(int) @ reached.astype(int)) > 0
    return joined & ~np.eye(p, dtype=bool)


def _classes(p: int) -> dict[bytes, np.ndarray]:
    """For each unconditional dependence graph of p nodes its DAG with most edges."""
    largest: dict[bytes, np.ndarray] = {}
    for dag in all_dags(p):
        children = np.asarray(dag, dtype=bool)
        key = _dependence(children).tobytes()
        if key not in largest or children.sum() > largest[key].sum():
            largest[key] = children
    return largest


def _data(p: int, kind: str):
    rng = np.random.default_rng(5)
    values = rng.normal(size=(40, p))
    values[:, 1] += 0.5 * values[:, 0]
    values[:, p - 1] += 0.4 * values[:, 0] + 0.5 * values[:, p - 2]
    names = [f"v{i}" for i in range(p)]
    if kind == "discrete":
        return read_data((values > 0).astype(int), names=names, kinds="discrete")
    return read_data(values, names=names)


@pytest.mark.parametrize("p", NUMBERS_OF_GRAPHS)
def test_numbers_of_graphs(p) -> None:
    # All maps of nodes to sets of sources in which each source has a node of its own.
    found = set()
    for k in range(1, p + 1):
        sets = [frozenset(s) for r in range(1, k + 1) for s in itertools.combinations(range(k), r)]
        for given in itertools.product(sets, repeat=p):
            if {s for s in given if len(s) == 1} == {frozenset({j}) for j in range(k)}:
                found.add(tuple(bool(a & b) for a, b in itertools.combinations(given, 2)))
    assert len(found) == len(_classes(p)) == NUMBERS_OF_GRAPHS[p]


def _exact(data, score: str, prior: np.ndarray | None = None) -> dict[bytes, float]:
    names = data.names
    weights = {}
    for key, dag in _classes(len(names)).items():
        graph = Graph.from_pairs(names, np.argwhere(dag))
        sources = int((~dag.any(axis=0)).sum())
        weights[key] = score_graph(data, graph, score).total
        weights[key] += 0.0 if prior is None else np.log(prior[sources - 1])
    logs = np.array(list(weights.values()))
    shares = np.exp(logs - logs.max())
    return dict(zip(weights, shares / shares.sum(), strict=True))


def _distance(posterior, exact: dict[bytes, float]) -> float:
    """Total variation."""
    found = {graph.adjacency.astype(bool).tobytes(): share for graph, share in posterior.graphs()}
    assert set(found) <= set(exact)
    return 0.5 * sum(abs(found.get(key, 0.0) - share) for key, share in exact.items())


CASES = [("continuous", "bge"), ("continuous", "bic-g"), ("discrete", "bde")]


def test_the_posterior_of_four_variables() -> None:
    data = _data(4, "discrete")
    found = learn(data, "unconditional_mcmc", iterations=100_000, stepsave=1)
    assert _distance(found.posterior, _exact(data, "bde")) < 0.04


@pytest.mark.slow
def test_a_prior_of_the_number_of_sources() -> None:
    data = _data(4, "continuous")
    triangle = np.array([1 / 3, 2 / 3, 1, 1 / 2])
    found = learn(
        data, "unconditional_mcmc", iterations=2_000_000, stepsave=1, expected_sources=3, power=0
    )
    flat = {key: triangle[int((~dag.any(axis=0)).sum()) - 1] for key, dag in _classes(4).items()}
    total = sum(flat.values())
    assert _distance(found.posterior, {key: w / total for key, w in flat.items()}) < 0.015


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "score"), CASES)
def test_the_posterior_of_five_variables(kind, score) -> None:
    data = _data(5, kind)
    found = learn(data, "unconditional_mcmc", score=score, iterations=1_000_000, stepsave=1)
    assert _distance(found.posterior, _exact(data, score)) < 0.02


def test_no_family_is_larger_than_allowed() -> None:
    data = _data(4, "continuous")
    found = learn(data, "unconditional_mcmc", max_parents=1, iterations=20_000, stepsave=1)
    allowed = {key for key, dag in _classes(4).items() if dag.sum(axis=0).max() <= 1}
    seen = {graph.adjacency.astype(bool).tobytes() for graph, _ in found.posterior.graphs()}
    assert seen <= allowed
    assert len(seen) > 5


def test_benchpress_saves_every_step_from_the_empty_graph_on() -> None:
    data = _data(4, "continuous")
    found = learn(data, "grues", n_iterations=500)
    chain = found.posterior.chains[0]
    assert chain.end == 501
    assert chain.sizes[0] == 0
    assert len(chain) > 20


def test_benchpress_scores_with_variances_of_maximum_likelihood() -> None:
    data = _data(4, "continuous")
    chain = learn(data, "grues", n_iterations=200).posterior.chains[0]
    values, largest = data.values - data.values.mean(axis=0), _classes(4)
    covariance = values.T @ values / len(values)

    def criterion(children: np.ndarray) -> float:
        total = -np.log(len(values)) / 2 * children.sum()
        for node in range(4):
            own = np.flatnonzero(children[:, node])
            both = [*own, node]
            logs = [np.linalg.slogdet(covariance[np.ix_(s, s)])[1] for s in (both, own)]
            total -= len(values) / 2 * (logs[0] - logs[1])
        return float(total)

    empty = criterion(np.zeros((4, 4), dtype=bool))
    for row in range(len(chain)):
        key = chain.graph_at(row).adjacency.astype(bool).tobytes()
        expected = criterion(largest[key]) - empty
        assert chain.score[row] - chain.score[0] == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize(
    ("wrong", "word"), [({"score": "nig"}, "equivalent"), ({"prior": "fair"}, "equivalent")]
)
def test_what_equivalent_dags_do_not_share_is_refused(wrong, word) -> None:
    with pytest.raises(DagathlonError, match=word):
        learn(_data(4, "continuous"), "unconditional_mcmc", **wrong)

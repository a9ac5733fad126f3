"""GES, FGES and GIES: with an oracle, against the reference, on experiments, under constraints."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagathlon import _core
from dagathlon.data import Dataset, Variable, read_data
from dagathlon.data.regimes import regimes_of_mask
from dagathlon.errors import DataError
from dagathlon.graphs import Graph, cpdag, extension, interventional_essential_graph, read_graph
from dagathlon.graphs.knowledge import Knowledge
from dagathlon.learners import learn
from dagathlon.learners.equivalence_search import Fges, Ges
from dagathlon.learners.scores import score_graph

CHAIN_WEIGHTS = (0.5, 1.5)


def random_model(rng: np.random.Generator, p: int, degree: float) -> tuple[Graph, np.ndarray]:
    """A DAG in random order and its weights, from row to column."""
    order = rng.permutation(p)
    weights = np.zeros((p, p))
    for j in range(p):
        for i in range(j):
            if rng.random() < degree / (p - 1):
                sign = rng.choice([-1, 1])
                weights[order[i], order[j]] = sign * rng.uniform(*CHAIN_WEIGHTS)
    names = [f"V{i}" for i in range(p)]
    return Graph.from_adjacency(names, weights != 0), weights


def exact_sample(rng: np.random.Generator, weights: np.ndarray, n: int) -> np.ndarray:
    """Values whose moments are those of the model to the last digits."""
    p = len(weights)
    raw = rng.normal(size=(n, p))
    raw -= raw.mean(axis=0)
    noise, _ = np.linalg.qr(raw)
    noise = noise - noise.mean(axis=0)
    return noise @ np.linalg.inv(np.eye(p) - weights) * math.sqrt(n)


def oracle(values: np.ndarray) -> _core.Score:
    """A score of exact moments: any dependence outweighs the penalty of an arc."""
    maximum = _core.LikelihoodConvention.maximum
    return _core.gaussian_likelihood([values], [0] * values.shape[1], maximum, 1e-6)


def limits(p: int) -> _core.SearchLimits:
    return _core.SearchLimits(np.zeros((p, p), bool), np.zeros((p, p), bool), p)


def search(
    score: _core.Score, names: tuple[str, ...], targets: list[list[int]], escape: bool = False
) -> Graph:
    insert, remove, turn = (getattr(_core.ClassStep, name) for name in ("insert", "remove", "turn"))
    phases = [insert, remove, turn] if targets else [insert, remove]
    p = len(names)
    start = Graph(names).native
    found = _core.search_classes(score, limits(p), start, phases, bool(targets), False, escape, p, False, targets)
    return Graph(names, found.graph.marks())


def test_an_oracle_finds_the_class_of_500_random_graphs() -> None:
    rng = np.random.default_rng(1)
    for trial in range(500):
        p = int(rng.integers(2, 11))
        truth, weights = random_model(rng, p, degree=float(rng.uniform(0.5, 4)))
        score = oracle(exact_sample(rng, weights, 40))
        assert search(score, truth.names, []) == cpdag(truth), f"graph {trial}"


def test_large_samples_of_experiments_give_the_interventional_class() -> None:
    """GIES is greedy: it may end below the truth (in one of these models), never beside it."""
    rng = np.random.default_rng(2)
    stuck = 0
    for _ in range(25):
        p = int(rng.integers(3, 8))
        truth, weights = random_model(rng, p, degree=2)
        targets = [[], *([int(i)] for i in rng.choice(p, size=2, replace=False))]
        data = experiments(rng, truth, weights, targets)
        sets = [[truth.names[i] for i in target] for target in targets]
        expected = interventional_essential_graph(truth, sets)
        found = learn(data, "gies")
        if found.graph != expected:
            assert float(found.stats["score"]) < score_graph(data, truth, "l0-g").total
            stuck += 1
    assert stuck <= 1


def experiments(
    rng: np.random.Generator, truth: Graph, weights: np.ndarray, targets: list[list[int]]
) -> Dataset:
    n = 20_000
    parts = []
    for target in targets:
        cut = weights.copy()
        cut[:, target] = 0
        noise = rng.normal(size=(n, len(weights)))
        noise[:, target] = 2 + rng.normal(size=(n, len(target)))
        parts.append(noise @ np.linalg.inv(np.eye(len(weights)) - cut))
    sets = [{truth.names[i] for i in target} for target in targets]
    regimes = (sets, np.repeat(np.arange(len(targets)), n))
    return Dataset([Variable(v) for v in truth.names], values=np.vstack(parts), regimes=regimes)


def sample(seed: int, p: int = 6, n: int = 150) -> Dataset:
    rng = np.random.default_rng(seed)
    truth, weights = random_model(rng, p, degree=2.5)
    values = rng.normal(size=(n, p)) @ np.linalg.inv(np.eye(p) - weights)
    return Dataset([Variable(name) for name in truth.names], values=values)


@given(seed=st.integers(0, 1000))
def test_result_is_a_class_with_its_score(seed: int) -> None:
    data = sample(seed)
    found = learn(data, "ges", score="bge")
    assert found.graph == cpdag(extension(found.graph))
    total = score_graph(data, extension(found.graph), "bge").total
    assert found.stats["score"] == pytest.approx(total)
    more = learn(data, "ges", score="bge", phases=["forward", "backward", "turning"], iterate=True)
    assert float(more.stats["score"]) >= total - 1e-8


@given(seed=st.integers(0, 300))
def test_order_of_columns_does_not_matter(seed: int) -> None:
    data = sample(seed)
    turned = data.select(np.random.default_rng(seed).permutation(data.names).tolist())
    assert learn(data, "fges").graph == learn(turned, "fges").graph


@given(seed=st.integers(0, 300))
def test_constraints_are_obeyed(seed: int) -> None:
    data = sample(seed)
    order = np.random.default_rng(seed).permutation(data.names).tolist()
    knowledge = Knowledge(
        forbidden=frozenset((order[j], order[i]) for i in range(3) for j in range(i + 1, 6)),
        required=frozenset({(order[0], order[4])}),
    )
    graph = Fges(constraints=knowledge).learn(data, np.random.default_rng(0)).graph  # type: ignore[arg-type]
    assert knowledge.violations(graph) == []


def test_faithfulness_leaves_out_what_cancels() -> None:
    lost = 0
    for seed in range(40):
        data = sample(seed)
        alone = learn(data, "ges", phases=[]).stats["score"]
        for faithful in (True, False):
            graph = learn(data, "fges", faithfulness=faithful).graph
            for edge in graph.edges():
                pair = Graph.from_edges([(edge.left, edge.right)], names=data.names)
                joined = score_graph(data, pair, "bic-g").total > float(alone)
                assert joined or not faithful
                lost += not joined
    assert lost > 0


def test_degree_is_limited() -> None:
    data = sample(4, p=8)
    rng = np.random.default_rng(0)
    graph = Ges(max_degree=1).learn(data, rng).graph
    assert max(len(graph.adjacencies(name)) for name in graph.names) == 1


def test_gies_needs_experiments() -> None:
    with pytest.raises(DataError, match="needs data with intervention targets"):
        learn(sample(1), "gies")


@pytest.mark.shared
def test_classes_of_pcalg(shared: Path) -> None:
    compared = 0
    for path in sorted((shared / "reference").glob("*/algs/pcalg_ges_lambda*.json")):
        case = json.loads(path.read_text())["args"]
        data = read_data(path.parent.parent / "data.csv")
        penalty = float(case["lambda"].split("*")[0]) * math.log(len(data))
        found = learn(
            data, "ges", score="l0-g", k=penalty, phases=case["phase"], iterate=case["iterate"]
        )
        assert found.graph == read_graph(path.with_suffix(".csv")), path.stem
        compared += 1
    assert compared == 12


@pytest.mark.shared
def test_interventional_classes_and_scores_of_pcalg(shared: Path) -> None:
    folder = shared / "reference/gauss_interv_p10"
    plain = read_data(folder / "data.csv")
    mask = np.loadtxt(folder / "intervened.csv", delimiter=",", skiprows=1).astype(bool)
    regimes = regimes_of_mask(plain.names, mask)
    data = Dataset(plain.variables, values=plain.values, regimes=regimes)
    expected = read_graph(folder / "algs/pcalg_gies.csv")
    assert learn(data, "gies").graph == learn(data, "pcalg_gies").graph == expected
    two = learn(data, "gies", phases=["forward", "backward"], iterate=True).graph
    assert two == read_graph(folder / "algs/pcalg_gies_noturn.csv")
    content = json.loads((folder / "local_scores_GaussL0penIntScore.json").read_text())
    for entry in content["scores"]:
        child = plain.names[entry["node"] - 1]
        arcs = [(plain.names[i - 1], child) for i in np.atleast_1d(entry["parents"]).tolist()]
        graph = Graph.from_edges(arcs, names=plain.names)
        term = score_graph(data, graph, "l0-g", k=content["lambda"]).by_node[child]
        assert term == pytest.approx(entry["local_score"], rel=1e-9)


# Tetrad stops at a lower score in these: the classes differ, ours is the better one.
BETTER = {
    "alarm1000__fges__bdeu-iss1",
    "alarm1000__fges__bdeu-iss10",
    "asia1000__fges__bdeu-iss10",
    "g20__fges__sembic-pd1",
    "g20__fges__sembic-pd2",
}


@pytest.mark.shared
def test_classes_of_tetrad(shared: Path) -> None:
    differing = set()
    for path in sorted((shared / "reference/tetrad").glob("*__fges__*.json")):
        case = json.loads(path.read_text())
        data = read_data(path.parent / case["data"])
        continuous = case["score_name"] == "sem-bic"
        score, scale = ("sem-bic", 1) if continuous else ("disc-bic", 2)
        given = {"penalty_discount": case["params"].get("penaltyDiscount", 1)}
        if case["score_name"] == "bdeu":
            score, scale = "bdeu", 1
            iss = case["params"]["priorEquivalentSampleSize"]
            given = {"iss": iss, "structure_prior": case["params"]["structurePrior"]}
        found = learn(data, "fges", score=score, faithfulness=False, **given)
        if found.graph != read_graph(path.with_suffix(".adj.csv")):
            differing.add(path.stem)
            assert scale * float(found.stats["score"]) > case["score"]
    assert differing == BETTER

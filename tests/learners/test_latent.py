"""RFCI, FCI+, GFCI and the ways of FCI: true separations, references, knowledge, bad input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dagathlon.data import Dataset, Network, Variable, read_data
from dagathlon.errors import DagathlonError, DataError, StudyError
from dagathlon.graphs import Graph, cpdag, latent_projection, pag
from dagathlon.learners import Learner, learn
from dagathlon.learners.constraint.fci import Fci, FciPlus, LatentSearch, Rfci
from dagathlon.learners.constraint.rfci_bsc import RfciBsc
from dagathlon.learners.hybrid.gfci import Gfci
from dagathlon.learners.independence import separation_test
from dagathlon.testing import check_learner

ARROW, TAIL = 2, 3


def confounded(rng: np.random.Generator) -> Graph:
    """The MAG of a random graph with many latent common causes, where a second pass matters."""
    p = int(rng.integers(6, 10))
    names = [f"v{i}" for i in rng.permutation(p)]
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    edges = [pair for pair in pairs if rng.random() < 0.2]
    latent = []
    for a, b in pairs:
        if rng.random() < 0.25:
            latent.append(f"l{len(latent)}")
            edges += [(latent[-1], a), (latent[-1], b)]
    return latent_projection(Graph.from_edges(edges, names=sorted(names) + latent), latent)


def needs_second_pass() -> Graph:
    """A MAG with a pair that only nodes which are neighbours of neither end separate."""
    rng = np.random.default_rng(7)
    while True:
        mag = confounded(rng)
        first = Fci(second_pass="none").learn_with(separation_test(mag)).graph
        if first.n_edges != mag.n_edges:
            return mag


EXACT: dict[str, LatentSearch] = {
    "fci_plus": FciPlus(),
    "conservative": Fci(colliders="conservative"),
    "majority": Fci(colliders="majority"),
    "highest p": Fci(colliders="highest-p"),
    "original order": Fci(stable=False),
    "through ancestors": Fci(second_pass="ancestors"),
    "fci_plus, original order": FciPlus(stable=False),
}


def wrong_pags(learner: LatentSearch, count: int) -> int:
    rng = np.random.default_rng(2)
    mags = [confounded(rng) for _ in range(count)] + [needs_second_pass()]
    return sum(learner.learn_with(separation_test(mag)).graph != pag(mag) for mag in mags)


@pytest.mark.parametrize("learner", EXACT.values(), ids=EXACT.keys())
def test_exact_from_true_separations(learner: LatentSearch) -> None:
    assert wrong_pags(learner, 150) == 0


@pytest.mark.slow
@pytest.mark.parametrize("learner", EXACT.values(), ids=EXACT.keys())
def test_exact_from_true_separations_of_many_graphs(learner: LatentSearch) -> None:
    assert wrong_pags(learner, 1500) == 0


def wrong_claims(found: Graph, truth: Graph) -> int:
    """Arrows at ancestors, and tails at nodes that are none."""
    ancestors = {name: truth.ancestors(name) for name in truth.names}
    wrong = 0
    for i, j in np.argwhere(found.marks > 0):
        is_ancestor = truth.names[j] in ancestors[truth.names[i]]
        wrong += found.marks[i, j] == (ARROW if is_ancestor else TAIL)
    return wrong


def check_rfci_is_sound(count: int) -> None:
    rng = np.random.default_rng(3)
    for mag in [confounded(rng) for _ in range(count)] + [needs_second_pass()]:
        found = Rfci().learn_with(separation_test(mag)).graph
        assert wrong_claims(found, mag) == 0
        assert np.all((found.marks > 0) | (mag.marks == 0))
        first = Fci(second_pass="none").learn_with(separation_test(mag)).graph
        if first.n_edges == mag.n_edges:
            # Nothing is left for a second pass, so the outputs of RFCI and FCI coincide.
            assert found == pag(mag)


def test_rfci_is_never_wrong_about_ancestors() -> None:
    check_rfci_is_sound(400)


@pytest.mark.slow
def test_rfci_is_never_wrong_about_ancestors_of_many_graphs() -> None:
    check_rfci_is_sound(3000)


def test_ancestors_find_what_needs_a_second_pass() -> None:
    mag = needs_second_pass()
    estimates = {
        name: Fci(second_pass=name).learn_with(separation_test(mag))
        for name in ("none", "ancestors", "subsets")
    }
    assert estimates["none"].graph.n_edges > mag.n_edges
    assert estimates["ancestors"].graph == estimates["subsets"].graph == pag(mag)
    assert estimates["ancestors"].stats["ntests"] < estimates["subsets"].stats["ntests"]


def test_fci_plus_makes_fewer_tests() -> None:
    rng = np.random.default_rng(5)
    counts = np.zeros(2, dtype=int)
    for mag in [confounded(rng) for _ in range(30)]:
        for k, learner in enumerate((FciPlus(), Fci())):
            counts[k] += int(learner.learn_with(separation_test(mag)).stats["ntests"])
    assert counts[0] < counts[1]


def test_gfci_without_latent_variables_directs_what_the_cpdag_directs() -> None:
    rng = np.random.default_rng(4)
    for _ in range(100):
        p = int(rng.integers(3, 10))
        adjacency = np.triu(rng.random((p, p)) < 0.3, 1).astype(int)
        dag = Graph.from_adjacency([f"v{i}" for i in range(p)], adjacency)
        found = Gfci().learn_with(separation_test(dag), cpdag(dag)).graph
        assert found == pag(dag)


def test_gfci_refuses_a_limit_it_cannot_keep() -> None:
    with pytest.raises(StudyError, match="set max_degree"):
        Gfci.from_json({"max_parents": 2})


@pytest.mark.parametrize("name", ["gfci", "mmhc", "rsmax2"])
def test_a_test_for_other_data_is_refused(name: str) -> None:
    data = np.random.default_rng(1).normal(size=(30, 3))
    with pytest.raises(DataError, match="needs discrete data, not continuous"):
        learn(data, name, test="mi")
    with pytest.raises(DataError, match="no kind of data suits both"):
        learn(data, name, test="mi", score="bge")


def test_gfci_removes_an_edge_between_effects_of_a_latent_cause() -> None:
    hidden = Graph.from_edges(["a -> b", "l -> b", "l -> c", "d -> c"])
    mag = latent_projection(hidden, ["l"])
    # The best DAG without l has a collider at one of b and c, and an edge for the other.
    scored = Graph.from_edges(["a -> b", "b -> c", "d -> c", "a -> c"])
    found = Gfci().learn_with(separation_test(mag), scored).graph
    assert found.marks[found.position("a"), found.position("c")] == 0
    assert found == pag(mag).subgraph(found.names)


KNOWN = {"required_edges": [["a", "b"]], "forbidden_edges": [["c", "b"], ["a", "c"], ["c", "a"]]}


@pytest.fixture
def known(tmp_path: Path) -> str:
    """A file of background knowledge."""
    file = tmp_path / "known.json"
    file.write_text(json.dumps(KNOWN))
    return str(file)


def chain_data(seed: int = 1) -> Dataset:
    rng = np.random.default_rng(seed)
    a = rng.normal(size=500)
    b = a + rng.normal(size=500)
    c = b + rng.normal(size=500)
    return Dataset([Variable(name) for name in "abc"], values=np.column_stack([a, b, c]))


@pytest.mark.parametrize("name", ["fci", "fci_plus", "rfci", "gfci", "rfci_bsc"])
def test_knowledge_is_obeyed(name: str, known: str) -> None:
    found = learn(chain_data(), name, constraints=known).graph.marks
    assert (found[0, 1], found[1, 0]) == (ARROW, TAIL)
    assert found[1, 2] == ARROW
    assert found[0, 2] == 0


@pytest.mark.parametrize("name", ["fci", "fci_plus", "rfci", "gfci"])
def test_required_edges_stay_and_others_get_no_wrong_marks(name: str, known: str) -> None:
    independent = Dataset(
        [Variable(name) for name in "abc"], values=np.random.default_rng(1).normal(size=(300, 3))
    )
    found = learn(independent, name, alpha=1e-6, constraints=known).graph.marks
    assert (found[0, 1], found[1, 0]) == (ARROW, TAIL)
    assert (found > 0).sum() == 2


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("learner", [Fci, FciPlus, Rfci, Gfci, RfciBsc(graphs=5)])
def test_keeps_to_what_studies_rely_on(learner: Learner | type[Learner]) -> None:
    check_learner(learner)


@pytest.mark.parametrize("parameters", [{"prior": 0.0}, {"prior": 1.0}, {"iss": 0.0}])
def test_impossible_priors_are_refused(parameters: dict[str, Any]) -> None:
    with pytest.raises(DagathlonError, match=next(iter(parameters))):
        learn(chain_data(), "rfci_bsc", **parameters)


@pytest.mark.parametrize("scoring", ["independent", "dependent"])
def test_sampled_graphs_have_weights(scoring: Any) -> None:
    data = Network.load("asia").sample(800, seed=3)
    learner = RfciBsc(scoring=scoring, graphs=30, bootstraps=20)
    estimate = learner.learn(data, np.random.default_rng(1))
    assert estimate.posterior is not None
    graphs, weights = zip(*estimate.posterior.graphs(), strict=True)
    assert len(graphs) == estimate.stats["weighted_graphs"]
    assert sum(weights) == pytest.approx(1)
    assert list(weights) == sorted(weights, reverse=True)
    assert estimate.graph == graphs[0] == estimate.posterior.map()
    assert estimate.stats["posterior"] == weights[0]
    edge = estimate.graph.edges()[0]
    share = sum(w for graph, w in zip(graphs, weights, strict=True) if edge in graph.edges())
    assert estimate.posterior.probability([tuple(edge)]) == pytest.approx(share)


def test_clear_data_have_one_probable_graph() -> None:
    rng = np.random.default_rng(1)
    a, c = rng.integers(2, size=(2, 4000))
    b = (a + c + (rng.random(4000) < 0.1)) % 3
    variables = [Variable(name, tuple("012"[:k])) for name, k in (("a", 2), ("b", 3), ("c", 2))]
    data = Dataset(variables, codes=np.column_stack([a, b, c]).astype(np.uint8))
    posterior = RfciBsc(graphs=20).learn(data, rng).posterior
    assert posterior is not None
    best, weight = posterior.graphs()[0]
    assert weight > 0.9
    assert best == pag(Graph.from_edges(["a -> b", "c -> b"], names=["a", "b", "c"]))


@pytest.mark.shared
@pytest.mark.filterwarnings("ignore:.*one value only")
def test_rfci_equals_pcalg(shared: Path) -> None:
    checked = 0
    for record in sorted((shared / "reference").glob("*/algs/pcalg_rfci_*.json")):
        call = json.loads(record.read_text())
        data = read_data(record.parent.parent / "data.csv")
        test, alpha = call["args"]["indepTest"], call["args"]["alpha"]
        found = learn(data, "rfci", test=test, alpha=alpha).graph
        reference = np.loadtxt(record.with_suffix(".csv"), delimiter=",", skiprows=1, dtype=int)
        assert np.array_equal(found.marks, reference), record
        checked += 1
    assert checked >= 16

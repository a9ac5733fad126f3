"""BOSS-FCI, GRaSP-FCI, *-FCI and LV-Lite: true separations, Tetrad, PAGs, knowledge."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from dagathlon.data import Dataset, Network, Variable
from dagathlon.data.spec import DataFacts
from dagathlon.errors import StudyError
from dagathlon.graphs import Graph, cpdag, latent_projection, pag, separated
from dagathlon.learners import Learner, learn
from dagathlon.learners.constraint.pc import Pc
from dagathlon.learners.hybrid.order_fci import BossFci, GraspFci, LvLite
from dagathlon.learners.hybrid.star_fci import StarFci
from dagathlon.learners.independence import separation_test

TOOL = Path(__file__).parents[2] / "tools" / "tetrad_pags.py"
RECORDED = Path(__file__).with_name("tetrad_pags.json")
LEARNERS: dict[str, Learner] = {
    "boss_fci": BossFci(starts=1, test="zf", keep_arrows=True),
    "grasp_fci": GraspFci(starts=1, test="zf", keep_arrows=True),
    "lv_lite": LvLite(starts=1, test="zf"),
    "pc SEPSETS": Pc(alpha=0.01, test="zf", conflicts="existing"),
    "pc CONSERVATIVE": Pc(
        alpha=0.01,
        test="zf",
        conflicts="existing",
        colliders="conservative",
        open_triples="non-colliders",
    ),
    "pc MAX_P": Pc(alpha=0.01, test="zf", conflicts="existing", colliders="highest-p"),
}


def confounded(rng: np.random.Generator, least: int, most: int) -> Graph:
    """The MAG of a random graph with many latent common causes."""
    p = int(rng.integers(least, most + 1))
    names = [f"v{i}" for i in rng.permutation(p)]
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    edges = [pair for pair in pairs if rng.random() < 0.2]
    latent = []
    for a, b in pairs:
        if rng.random() < 0.25:
            latent.append(f"l{len(latent)}")
            edges += [(latent[-1], a), (latent[-1], b)]
    return latent_projection(Graph.from_edges(edges, names=sorted(names) + latent), latent)


def markov_dag(mag: Graph, rng: np.random.Generator) -> Graph:
    """The sparsest DAG of the separations of a MAG, for an order of its nodes."""
    order = [mag.names[i] for i in rng.permutation(len(mag))]
    edges = [
        (x, y)
        for k, y in enumerate(order)
        for x in order[:k]
        if not separated(mag, x, y, [z for z in order[:k] if z != x])
    ]
    return Graph.from_edges(edges, names=mag.names)


def wrong(learner: Any, count: int, most: int) -> int:
    """How often not the PAG is found from true separations and a DAG that has no other ones."""
    rng = np.random.default_rng(12)
    found = 0
    for _ in range(count):
        mag = confounded(rng, 4, most)
        scored = cpdag(markov_dag(mag, rng))
        found += learner.learn_with(separation_test(mag), scored).graph != pag(mag)
    return found


@pytest.mark.parametrize("learner", [BossFci(), LvLite(), StarFci()], ids=lambda one: one.name)
def test_exact_from_true_separations(learner: Any) -> None:
    assert wrong(learner, 40, 7) == 0


@pytest.mark.slow
@pytest.mark.parametrize(("learner", "count"), [(BossFci(), 0), (LvLite(), 1)])
def test_true_separations_of_many_graphs(learner: Any, count: int) -> None:
    # LV-Lite once comes to a PAG that no single edge can leave so that another PAG remains.
    assert wrong(learner, 400, 9) == count


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("tetrad_pags", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def drawn(tool: ModuleType, seed: int) -> tuple[Dataset, Any]:
    values, edges = tool.draw(seed)
    names = [f"X{i}" for i in range(len(edges))]
    latent = names[values.shape[1] :]
    full = Graph.from_adjacency(names, edges.astype(int))
    truth = pag(latent_projection(full, latent))
    return Dataset([Variable(n) for n in names[: values.shape[1]]], values=values), truth


def compared(tool: ModuleType, name: str, recorded: list[list[str]]) -> dict[str, int]:
    """Equal graphs and skeletons, and marks unlike the truth, ours and theirs."""
    result = {"graphs": 0, "skeletons": 0, "ours": 0, "theirs": 0}
    for seed, rows in enumerate(recorded):
        data, truth = drawn(tool, seed)
        ours = LEARNERS[name].learn(data, np.random.default_rng(1)).graph.marks
        theirs = np.array([list(map(int, row)) for row in rows])
        result["graphs"] += np.array_equal(ours, theirs)
        result["skeletons"] += np.array_equal(ours > 0, theirs > 0)
        result["ours"] += int((ours != truth.marks).sum())
        result["theirs"] += int((theirs != truth.marks).sum())
    return result


@pytest.mark.parametrize("name", LEARNERS)
def test_compared_with_recorded_graphs_of_tetrad(tool: ModuleType, name: str) -> None:
    found = compared(tool, name, json.loads(RECORDED.read_text())[name])
    assert EXPECTED[name].items() <= found.items()


@pytest.mark.slow
def test_compared_with_tetrad_itself(tool: ModuleType, tmp_path: Path) -> None:
    pytest.importorskip("jpype", reason="needs JPype1")
    pytest.importorskip("tetrad_plus", reason="needs tetrad-plus")
    target = tmp_path / "graphs.json"
    subprocess.run([sys.executable, str(TOOL), str(target)], check=True, stdout=subprocess.DEVNULL)
    for name, graphs in json.loads(target.read_text()).items():
        assert EXPECTED[name].items() <= compared(tool, name, graphs).items()


@pytest.mark.parametrize("order", ["boss", "grasp"])
def test_lv_lite_always_gives_a_pag(tool: ModuleType, order: str) -> None:
    for seed in range(6):
        data, _ = drawn(tool, seed)
        rows = Dataset(data.variables, values=data.values[:120])
        found = learn(rows, "lv_lite", order=order, alpha=0.1)
        assert found.graph.is_pag


def test_without_tests_lv_lite_is_the_pag_of_the_dag() -> None:
    data = Network.load("asia").sample(500, seed=3)
    found = learn(data, "lv_lite", tested=False, seed=1)
    scored = learn(data, "boss", seed=1)
    assert found.graph == pag(scored.graph)
    assert found.stats["ntests"] == 0


def test_star_fci_runs_any_learner_of_dags() -> None:
    data = Network.load("asia").sample(500, seed=3)
    found = learn(data, "star_fci", learner="hc[score=bdeu]", seed=1)
    scored = learn(data, "hc", score="bdeu", seed=1)
    again = StarFci().learn_with(
        StarFci().tester().make_test(data, np.random.default_rng(1)), scored.graph
    )
    assert found.graph == again.graph
    with pytest.raises(StudyError, match="corrects a DAG or CPDAG"):
        StarFci.from_json({"learner": "fci"})


def test_an_objection_of_the_test_names_the_learner() -> None:
    gaps = DataFacts("continuous", False, True)
    assert "star_fci[test=" in StarFci().why_unsuitable(gaps)
    assert "rfci" not in StarFci().why_unsuitable(gaps)


KNOWN = {"required_edges": [["a", "b"]], "forbidden_edges": [["c", "b"], ["a", "c"], ["c", "a"]]}


@pytest.mark.parametrize("name", ["boss_fci", "grasp_fci", "lv_lite", "star_fci"])
def test_knowledge_is_obeyed(name: str, tmp_path: Path) -> None:
    file = tmp_path / "known.json"
    file.write_text(json.dumps(KNOWN))
    rng = np.random.default_rng(1)
    a = rng.normal(size=300)
    b = a + rng.normal(size=300)
    values = np.column_stack([a, b, b + rng.normal(size=300)])
    data = Dataset([Variable(name) for name in "abc"], values=values)
    marks = learn(data, name, constraints=str(file)).graph.marks
    assert (marks[0, 1], marks[1, 0], marks[1, 2], marks[0, 2]) == (2, 3, 2, 0)


def test_limits_that_a_pag_has_not_are_refused() -> None:
    with pytest.raises(StudyError, match="set max_order"):
        BossFci.from_json({"max_parents": 2})


# Marks unlike the truth are of PAGs; the differences are for docs/learners-latent.md to tell.
EXPECTED: dict[str, dict[str, int]] = {
    "boss_fci": {"graphs": 8, "skeletons": 9, "ours": 304, "theirs": 302},
    "grasp_fci": {"graphs": 3, "skeletons": 6, "ours": 326, "theirs": 316},
    "lv_lite": {"graphs": 4, "skeletons": 5, "ours": 294, "theirs": 303},
    "pc SEPSETS": {"graphs": 8, "skeletons": 10},
    "pc CONSERVATIVE": {"graphs": 9, "skeletons": 10},
    "pc MAX_P": {"graphs": 7, "skeletons": 10},
}

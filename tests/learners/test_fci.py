"""FCI: with the true graph's separations, against pcalg's results, with knowledge."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dagathlon.data import read_data
from dagathlon.graphs import Graph, latent_projection, pag
from dagathlon.learners import learn
from dagathlon.learners.constraint.fci import Fci, SecondPass
from dagathlon.learners.independence import separation_test


def with_latents(rng: np.random.Generator) -> tuple[Graph, list[str]]:
    """A random DAG of 4 to 15 nodes, and the nodes that are not observed."""
    p = int(rng.integers(4, 16))
    upper = np.triu(rng.random((p, p)) < rng.uniform(1, 3) / p, 1).astype(int)
    order = rng.permutation(p)
    names = [f"v{i}" for i in range(p)]
    latent = [name for name in names if rng.random() < 0.25][: p - 3]
    return Graph.from_adjacency(names, upper[np.ix_(order, order)]), latent


def wrong_pags(count: int, second_pass: SecondPass = "subsets") -> int:
    rng = np.random.default_rng(1)
    wrong = 0
    for _ in range(count):
        mag = latent_projection(*with_latents(rng))
        found = Fci(second_pass=second_pass).learn_with(separation_test(mag)).graph
        wrong += not np.array_equal(found.marks, pag(mag).marks)
    return wrong


def test_exact_from_true_separations() -> None:
    assert wrong_pags(200) == 0


@pytest.mark.slow
@pytest.mark.parametrize("second_pass", ["subsets", "ancestors"])
def test_exact_from_true_separations_of_many_graphs(second_pass: SecondPass) -> None:
    assert wrong_pags(2000, second_pass) == 0


def test_knowledge_is_obeyed() -> None:
    names = ["a", "b", "c"]
    chain = Graph.from_adjacency(names, np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]]))
    knowledge = {"required_edges": [["a", "b"]], "forbidden_edges": [["c", "b"]]}
    found = Fci(constraints=knowledge).learn_with(separation_test(chain)).graph  # type: ignore[arg-type]
    assert found.marks[0, 1] == 2
    assert found.marks[1, 0] == 3
    assert found.marks[1, 2] == 2


@pytest.mark.shared
@pytest.mark.filterwarnings("ignore:.*one value only")
def test_equals_pcalg(shared: Path) -> None:
    checked = 0
    for record in sorted((shared / "reference").glob("*/algs/pcalg_fci_*.json")):
        call = json.loads(record.read_text())
        if call["status"] != "ok":
            continue
        data = read_data(record.parent.parent / "data.csv")
        test, alpha = call["args"]["indepTest"], call["args"]["alpha"]
        found = learn(data, "fci", test=test, alpha=alpha).graph
        reference = np.loadtxt(record.with_suffix(".csv"), delimiter=",", skiprows=1, dtype=int)
        assert np.array_equal(found.marks, reference), record
        checked += 1
    assert checked >= 13

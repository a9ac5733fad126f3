"""Blanket and neighbourhood learners: by hand, against bnlearn's results, by invariance."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dagathlon.benchpress.bnlearn import BnlearnGs, BnlearnMmpc
from dagathlon.data import Dataset, read_data
from dagathlon.learners import learn
from dagathlon.modules import find

BLANKETS = ("gs", "iamb", "fast_iamb", "inter_iamb", "iamb_fdr")
NEIGHBOURS = ("mmpc", "si_hiton_pc", "hpc")

CASES = {
    "alarm_n1000": ("mi", "mi-adf", "x2"),
    "alarm_n60_fulllevels": ("mi", "mi-adf", "x2"),
    "asia_n1000": ("mi", "mi-adf", "x2"),
    "gauss_p20_n640": ("zf",),
    "sachs_cont": ("zf",),
}


def collider_data(n: int = 2000) -> Dataset:
    """x → z ← y, z → w, and v apart."""
    rng = np.random.default_rng(5)
    x, y, v = rng.normal(size=(3, n))
    z = x + y + 0.5 * rng.normal(size=n)
    w = z + rng.normal(size=n)
    return read_data(np.column_stack([x, y, z, w, v]))


def matrix(estimate) -> np.ndarray:
    """1 from row to column where an edge leaves the row, in both directions when undirected."""
    marks = np.asarray(estimate.graph.marks)
    return ((marks == 2) | ((marks == 3) & (marks.T == 3))).astype(int)


@pytest.mark.parametrize("name", BLANKETS)
def test_collider_is_directed(name: str) -> None:
    found = matrix(learn(collider_data(), name, test="zf", alpha=0.001))
    expected = np.zeros((5, 5), dtype=int)
    expected[[0, 1, 2], [2, 2, 3]] = 1
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("name", [*BLANKETS, *NEIGHBOURS])
def test_skeleton(name: str) -> None:
    estimate = learn(collider_data(), name, test="zf", alpha=0.001, undirected=True)
    expected = np.zeros((5, 5), dtype=int)
    expected[[0, 1, 2], [2, 2, 3]] = 1
    assert np.array_equal(matrix(estimate), expected | expected.T)
    assert int(estimate.stats["ntests"]) >= 10


@pytest.mark.parametrize("name", [*BLANKETS, *NEIGHBOURS])
def test_knowledge_is_obeyed(name: str) -> None:
    data = collider_data()
    a, _, c, d, e = data.names
    constraints = {"required_edges": [[e, a]], "forbidden_edges": [[c, d], [d, c]]}
    learner = find("algorithm", name)(
        test="zf", alpha=0.001, constraints=constraints, undirected=False
    )
    found = matrix(learner.learn(data, np.random.default_rng(1)))
    assert (found[4, 0], found[0, 4]) == (1, 0)
    assert found[2, 3] == found[3, 2] == 0


def test_a_spouse_that_may_not_be_a_neighbour_is_none() -> None:
    rng = np.random.default_rng(6)
    x = rng.normal(size=2000)
    y = 0.7 * x + rng.normal(size=2000)
    z = x + y + rng.normal(size=2000)
    data = read_data(np.column_stack([x, y, z, x + rng.normal(size=2000)]))
    a, b = data.names[:2]
    constraints = {"forbidden_edges": [[a, b], [b, a]]}
    found = matrix(
        find("algorithm", "hpc")(
            test="zf", alpha=0.01, constraints=constraints, undirected=True
        ).learn(data, np.random.default_rng(1))
    )
    assert found[0, 1] == found[1, 0] == 0
    assert found[0, 2] == found[1, 2] == 1


@pytest.mark.parametrize("name", [*BLANKETS, *NEIGHBOURS])
def test_no_conditioning_leaves_marginal_dependence(name: str) -> None:
    found = matrix(learn(collider_data(), name, test="zf", alpha=0.001, max_order=0))
    joined = (found | found.T)[:4, :4]
    assert joined[0, 1] == 0
    assert not (found | found.T)[4].any()


@pytest.mark.parametrize("name", [*BLANKETS, *NEIGHBOURS])
def test_names_travel_with_columns(name: str) -> None:
    data = collider_data()
    turned = data.select(data.names[::-1])
    first = learn(data, name, test="zf", alpha=0.001)
    second = learn(turned, name, test="zf", alpha=0.001)
    assert np.array_equal(matrix(first), matrix(second)[::-1, ::-1])


def test_benchpress_names_translate() -> None:
    native = BnlearnGs(alpha=0.01, test="zf", maxsx=3, undirected=True).native()
    assert (native.alpha, native.max_order, native.undirected) == (0.01, 3, True)
    assert not BnlearnMmpc(test="zf").native().undirected


@pytest.mark.shared
@pytest.mark.parametrize("case", CASES)
@pytest.mark.filterwarnings("ignore:.*one value only")
def test_equals_bnlearn(shared: Path, case: str) -> None:
    data = read_data(shared / "reference" / case / "data.csv")
    checked = 0
    for record in sorted((shared / "reference" / case / "algs").glob("bnlearn_*.json")):
        call = json.loads(record.read_text())
        name = call["function"].replace(".", "_")
        if name not in BLANKETS + NEIGHBOURS or call["status"] != "ok":
            continue
        test, alpha = call["args"]["test"], call["args"]["alpha"]
        found = matrix(learn(data, name, test=test, alpha=alpha))
        reference = np.loadtxt(record.with_suffix(".csv"), delimiter=",", skiprows=1, dtype=int)
        assert np.array_equal(found, reference), record.stem
        checked += 1
    assert checked >= 16


# F1 and SHD that the Bayesys study prints for these data (a reversal costs a half).
PUBLISHED = [
    ("ALARM_N_1k", "gs", 0.297, 38.5),
    ("ALARM_N_1k", "inter_iamb", 0.472, 29.0),
    ("ASIA_N_1k", "gs", 0.583, 4.5),
    ("ASIA_N_1k", "inter_iamb", 0.583, 4.5),
    ("ASIA_N_10k", "gs", 0.583, 4.5),
    ("ASIA_N_10k", "inter_iamb", 0.538, 5.5),
]


@pytest.mark.shared
@pytest.mark.parametrize(("sample", "name", "f1", "shd"), PUBLISHED)
def test_published_accuracy(shared: Path, sample: str, name: str, f1: float, shd: float) -> None:
    folder = shared / "bayesys"
    table = np.genfromtxt(folder / f"trainingData_{sample}.csv", delimiter=",", dtype=str)
    columns = {column[0]: column[1:] for column in table.T}
    estimate = learn(pd.DataFrame(columns).astype("category"), name, test="mi", alpha=0.05)
    found = {(edge.left, edge.right): edge.connector for edge in estimate.graph.edges()}
    rows = np.genfromtxt(
        folder / f"DAGtrue_{sample.split('_', maxsplit=1)[0]}.csv", delimiter=",", dtype=str
    )[1:]
    truth = {(row[1], row[3]) for row in rows}
    full = sum(found.get(arc) == "->" for arc in truth)
    joined = sum(arc in found or arc[::-1] in found for arc in truth)
    matches = full + (joined - full) / 2
    precision, recall = matches / len(found), matches / len(truth)
    assert len(found) - joined + len(truth) - matches == shd
    assert round(2 * precision * recall / (precision + recall), 3) == f1

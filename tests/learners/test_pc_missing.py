"""PC with missing values: against plain PC, and on gaps that make an edge out of nothing."""

from __future__ import annotations

import numpy as np
import pytest

from dagathlon import learn
from dagathlon.benchpress.pcalg import Mvpc
from dagathlon.data import Dataset, Variable
from dagathlon.data.spec import facts_of
from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate
from dagathlon.learners.constraint.missing_values import MissingValuePc, missingness_causes
from dagathlon.learners.constraint.pc import Pc
from strategies import continuous

NAMES = ("X", "Y", "W", "V")
TRUTH = Graph.from_edges([("X", "W"), ("Y", "W"), ("W", "V")], names=NAMES)


def learned(learner: Pc, data: Dataset) -> Estimate:
    return learner.learn(data, np.random.default_rng(1))


def binary(codes: np.ndarray, missing: np.ndarray) -> Dataset:
    coded = np.where(missing, 255, codes).astype(np.uint8)
    return Dataset([Variable(name, ("0", "1")) for name in NAMES], codes=coded)


def collider(n: int, seed: int) -> tuple[np.ndarray, np.random.Generator]:
    """X → W ← Y and W → V."""
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(2, n))
    w = x + y + 0.7 * rng.normal(size=n)
    return np.column_stack([x, y, w, 0.8 * w + rng.normal(size=n)]), rng


def with_gaps(n: int, seed: int, mechanism: str) -> Dataset:
    values, rng = collider(n, seed)
    gaps = np.zeros(values.shape, dtype=bool)
    if mechanism == "mcar":
        gaps = rng.random(values.shape) < 0.1
    else:
        gaps[:, 0] = (values[:, 2] > 0) & (rng.random(n) < 0.9)
    if mechanism == "mnar":
        gaps[:, 2] = (values[:, 3] > 0) & (rng.random(n) < 0.6)
    return continuous(np.where(gaps, np.nan, values), NAMES)


def binary_with_gaps(n: int, seed: int, mechanism: str) -> Dataset:
    rng = np.random.default_rng(seed)
    x, y = rng.random((2, n)) < 0.5
    w = rng.random(n) < 0.1 + 0.4 * x + 0.4 * y
    v = rng.random(n) < 0.2 + 0.6 * w
    codes = np.column_stack([x, y, w, v]).astype(int)
    gaps = np.zeros(codes.shape, dtype=bool)
    gaps[:, 0] = w & (rng.random(n) < 0.9)
    if mechanism == "mnar":
        gaps[:, 2] = v & (rng.random(n) < 0.5)
    return binary(codes, gaps)


@pytest.mark.parametrize("correction", ["density-ratio", "permutation", None])
def test_without_gaps_it_is_pc(correction: str | None):
    for seed in range(5):
        data = continuous(collider(200, seed)[0], NAMES)
        expected = learned(Pc(test="gaussCItest", alpha=0.05), data).graph
        assert learned(MissingValuePc(correction=correction), data).graph == expected


@pytest.mark.parametrize("correction", ["density-ratio", "permutation", None])
def test_gaps_at_random_need_no_correction(correction: str | None):
    learner = MissingValuePc(alpha=0.001, correction=correction)
    found = [learned(learner, with_gaps(10_000, seed, "mcar")).graph for seed in range(20)]
    assert sum(graph == TRUTH for graph in found) >= 19


@pytest.mark.parametrize("mechanism", ["mar", "mnar"])
@pytest.mark.parametrize("correction", ["density-ratio", "permutation"])
@pytest.mark.parametrize("simulate", [with_gaps, binary_with_gaps])
def test_correction_removes_the_edge_that_deletion_makes(simulate, mechanism: str, correction: str):
    samples = [simulate(10_000, seed, mechanism) for seed in range(20)]
    plain = MissingValuePc(alpha=0.005, correction=None)
    assert all("Y" in learned(plain, data).graph.adjacencies("X") for data in samples)
    corrected = MissingValuePc(alpha=0.005, correction=correction)
    assert sum(learned(corrected, data).graph == TRUTH for data in samples) >= 18


def test_causes_of_gaps():
    causes = [missingness_causes(with_gaps(5000, s, "mnar"), alpha=0.001) for s in range(10)]
    assert sum(found == {"X": ["W"], "W": ["V"]} for found in causes) >= 9
    assert missingness_causes(continuous(collider(50, 1)[0], NAMES)) == {}


def test_complete_rows_only():
    data = with_gaps(2000, 1, "mcar")
    whole = data.take(np.flatnonzero(~data.missing.any(axis=1)))
    found = learned(MissingValuePc(correction=None, deletion="complete-rows"), data)
    assert found.graph == learned(Pc(test="gaussCItest"), whole).graph


@pytest.mark.parametrize(
    ("test", "correction", "simulate"),
    [("gaussCItest.td", "gaussCItest.drw", with_gaps), ("binCItest.td", None, binary_with_gaps)],
)
def test_under_benchpress_name(test: str, correction: str | None, simulate):
    data = simulate(4000, 3, "mar")
    learner = Mvpc(indepTest=test, corrMethod=correction, alpha=0.01)
    assert learner.problem() == ""
    assert learner.why_unsuitable(facts_of(data)) == ""
    assert ("Y" in learned(learner, data).graph.adjacencies("X")) == (correction is None)


@pytest.mark.parametrize("correction", ["density-ratio", "permutation"])
def test_hopeless_columns_are_survived(correction: str):
    values, rng = collider(60, 1)
    values[rng.random(60) < 0.5, 0] = np.nan
    for broken in (np.full(60, 3.0), values[:, 1], np.where(np.arange(60) == 5, 1.0, np.nan)):
        values[:, 3] = broken
        graph = learned(MissingValuePc(correction=correction), continuous(values, NAMES)).graph
        assert graph.names == NAMES
    values[:, 3] = np.nan
    graph = learned(MissingValuePc(correction=correction), continuous(values, NAMES)).graph
    assert not graph.adjacencies("V")


def test_mistakes_are_named():
    rows = np.array([[1.0, np.nan], [np.nan, 2.0], [1.0, 2.0]])
    with pytest.raises(DataError, match="set deletion to 'test-wise'"):
        learned(MissingValuePc(deletion="complete-rows"), continuous(rows, NAMES))
    assert "corrects the tests" in MissingValuePc(test="cor").problem()
    with pytest.raises(DataError, match="at least 2 rows"):
        learn(continuous(np.array([[1.0, np.nan]]), NAMES), "pc_missing")
    mixed = Dataset(
        [Variable("A"), Variable("B", ("0", "1"))],
        values=np.array([[1.0], [np.nan]]),
        codes=np.array([[0], [1]]),
    )
    with pytest.raises(DataError, match="continuous or in discrete"):
        missingness_causes(mixed)

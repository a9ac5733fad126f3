"""The default test for mixed data: by brute force, its level, and what learners find with it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from dagathlon.data import Dataset, Network, Variable
from dagathlon.evaluate.graphs.counts import skeleton_counts
from dagathlon.graphs import Graph
from dagathlon.learners import learn
from dagathlon.learners.independence import DEFAULT_TESTS, independence_test


def table(*columns: np.ndarray, names: str = "xyzvw") -> Dataset:
    """Whole numbers are levels."""
    codes = [column for column in columns if column.dtype.kind == "i"]
    values = [column for column in columns if column.dtype.kind == "f"]
    variables = [
        Variable(name, tuple(map(str, range(column.max() + 1))))
        if column.dtype.kind == "i"
        else Variable(name)
        for name, column in zip(names, columns, strict=False)
    ]
    return Dataset(
        variables,
        codes=np.column_stack(codes) if codes else None,
        values=np.column_stack(values) if values else None,
    )


def indicators(column: np.ndarray) -> np.ndarray:
    if column.dtype.kind == "f":
        return column[:, None]
    return np.eye(column.max() + 1)[column]


def basis(matrix: np.ndarray) -> np.ndarray:
    """An orthonormal basis of the columns, by singular values."""
    left, sizes, _ = np.linalg.svd(matrix, full_matrices=False)
    return left[:, sizes > 1e-9 * max(1.0, sizes.max(initial=0.0))]


def wilks(x: np.ndarray, y: np.ndarray, given: list[np.ndarray]) -> tuple[float, int]:
    """The statistic from canonical correlations, and its degrees of freedom."""
    n = len(x)
    around = basis(np.column_stack([np.ones(n), *map(indicators, given)]))
    ends = [basis((m := indicators(c)) - around @ (around.T @ m)) for c in (x, y)]
    p, q = (end.shape[1] for end in ends)
    shared = np.linalg.svd(ends[0].T @ ends[1], compute_uv=False) ** 2
    factor = n - around.shape[1] - (p + q + 1) / 2
    return -factor * float(np.log1p(-shared).sum()), p * q


columns = st.lists(st.sampled_from([0, 2, 3, 6]), min_size=2, max_size=5)


@settings(max_examples=60, deadline=None)
@given(kinds=columns, rows=st.integers(40, 90), seed=st.integers(0, 2**32))
def test_the_statistic_is_that_of_canonical_correlations(kinds, rows, seed) -> None:
    rng = np.random.default_rng(seed)
    drawn = [rng.integers(k, size=rows) if k else rng.normal(size=rows) for k in kinds]
    drawn = [column + (k == 0) * 0.5 * drawn[0] if k == 0 else column
             for k, column in zip(kinds, drawn, strict=True)]  # fmt: skip
    data = table(*drawn)
    found = independence_test(data, "wilks-dg").test("x", "y", list(data.names[2:]))
    statistic, df = wilks(drawn[0], drawn[1], drawn[2:])
    assert (found.df, found.defined) == (df, True)
    assert found.statistic == pytest.approx(statistic, rel=1e-7, abs=1e-9)
    assert found.p_value == pytest.approx(chi2.sf(statistic, df), rel=1e-6, abs=1e-12)


@given(seed=st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_rows_with_gaps_are_left_out_of_their_own_tests(seed: int) -> None:
    rng = np.random.default_rng(seed)
    codes = rng.integers(3, size=(80, 2)).astype(np.uint8)
    values = rng.normal(size=(80, 2)) + codes
    gaps = rng.random((80, 4)) < 0.1
    levels = ("a", "b", "c")
    variables = [Variable("x", levels), Variable("y"), Variable("z", levels), Variable("v")]
    complete = ~gaps[:, :3].any(axis=1)  # x, y and z: the third gap belongs to z
    whole = Dataset(variables, codes=codes[complete], values=values[complete])
    codes[gaps[:, [0, 2]]] = 255
    holed = Dataset(variables, codes=codes, values=np.where(gaps[:, [1, 3]], np.nan, values))
    for name in ("wilks-dg", "lr-dg"):
        left = independence_test(holed, f"{name}.td").test("x", "y", "z")
        right = independence_test(whole, name).test("x", "y", "z")
        assert left == pytest.approx(right, rel=1e-9)


def test_the_level_is_right_with_many_levels_and_few_rows() -> None:
    rejected = {"wilks-dg": 0, "lr-dg": 0}
    for seed in range(150):
        rng = np.random.default_rng(seed)
        data = table(rng.integers(10, size=100), rng.integers(10, size=100))
        for name in rejected:
            rejected[name] += independence_test(data, name).test("x", "y").p_value < 0.05
    assert rejected["wilks-dg"] < 0.12 * 150
    assert rejected["lr-dg"] > 0.15 * 150  # why it is not the default


def rare_levels(seed: int) -> tuple[Dataset, Graph]:
    """The arc v → w is strong; some of the ten levels of z, which causes both, have few rows."""
    rng = np.random.default_rng(seed)
    z = np.minimum(rng.geometric(0.35, size=400) - 1, 9)
    x = np.argmax(rng.normal(size=(10, 3))[z] + rng.gumbel(size=(400, 3)), axis=1)
    v = 2 * rng.normal(size=10)[z] + rng.normal(size=400)
    w = 2 * rng.normal(size=10)[z] + 0.8 * v + rng.normal(size=400)
    y = w + rng.normal(size=400)
    truth = [("z", "x"), ("z", "v"), ("z", "w"), ("v", "w"), ("w", "y")]
    return table(x, y, z, v, w), Graph.from_edges(truth, names=tuple("xyzvw"))


def test_no_strong_arc_is_dropped_where_another_test_is_undefined() -> None:
    shares = []
    for seed in range(10):
        data, truth = rare_levels(seed)
        assert independence_test(data).test("v", "w", "z").p_value < 1e-9
        found = learn(data, "pc")
        assert "w" in found.graph.adjacencies("v")
        assert found.stats["undefined_tests"] == 0
        assert not found.notes
        shares.append(skeleton_counts(found.graph, truth).f1)
        old = learn(data, "pc", test="mi-cg")
        assert skeleton_counts(old.graph, truth).f1 < shares[-1]
        assert f"could not answer {old.stats['undefined_tests']} of" in old.notes[0]
        assert "wilks-dg" in old.notes[0]
    assert np.mean(shares) > 0.9


def test_the_sparsest_permutation_of_mixed_data_has_edges() -> None:
    scores = [
        skeleton_counts(learn(data, "gsp", seed=1).graph, truth).f1
        for data, truth in map(rare_levels, range(5))
    ]
    assert np.mean(scores) > 0.85


def test_the_sparsest_permutation_of_discrete_data_has_edges() -> None:
    network = Network.load("sachs")
    found = learn(network.sample(1000, 1), "gsp", seed=1)
    assert skeleton_counts(found.graph, network.graph).f1 > 0.8


@pytest.mark.parametrize("name", ["gs", "iamb", "pcstable", "mmpc", "hpc", "mmhc", "rsmax2"])
def test_names_of_bnlearn_keep_its_test(name: str) -> None:
    ours = {"pcstable": "pc"}.get(name, name)
    data, _ = rare_levels(3)
    undirected = {"undirected": False} if name in ("mmpc", "hpc") else {}
    penalty = {"k": 1.0} if name in ("mmhc", "rsmax2") else {}
    theirs = learn(data, f"bnlearn_{name}")
    assert theirs.graph == learn(data, ours, test="mi-cg", **undirected, **penalty).graph
    assert theirs.graph != learn(data, ours, **undirected, **penalty).graph
    levels = data.select(["x", "z"])
    assert learn(levels, f"bnlearn_{name}").graph == learn(levels, ours, **undirected).graph


def test_the_default_suits_all_kinds() -> None:
    data, _ = rare_levels(0)
    assert independence_test(data).name == DEFAULT_TESTS["mixed"] == "wilks-dg"
    n, r = 400, np.corrcoef(data.values.T)[0, 1]
    found = independence_test(data.select(["y", "v"]), "wilks-dg").test("y", "v")
    assert found.statistic == pytest.approx(-(n - 2.5) * np.log1p(-r * r))

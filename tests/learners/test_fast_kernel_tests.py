"""Random Fourier features and blocks in place of whole kernels: by permutation, by invariance."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from dagathlon.data import Dataset, Variable
from dagathlon.errors import DataError
from dagathlon.learners import learn
from dagathlon.learners.independence import independence_test

FAST = ("rcit", "rcot", "fast-kci")


def curved(rows: int, seed: int) -> np.ndarray:
    """x and y are functions of z, w is apart, and v depends on x and y."""
    rng = np.random.default_rng(seed)
    z, w = rng.normal(size=(2, rows))
    x = np.sin(z) + 0.5 * rng.normal(size=rows)
    y = z**2 + 0.5 * rng.normal(size=rows)
    return np.column_stack([x, y, z, w, x * y + rng.normal(size=rows)])


def asked(values: np.ndarray, name: str, seed: int = 0):
    variables = [Variable(f"V{j}") for j in range(values.shape[1])]
    return independence_test(Dataset(variables, values=values), name, seed=seed)


def test_the_tail_is_that_of_permutations() -> None:
    """Permuted rows are independent and have the same cosines."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=200)
    y = x**2 + rng.normal(size=200)
    p_values = [
        asked(np.column_stack([rng.permutation(x), y]), "rcit").test("V0", "V1").p_value
        for _ in range(250)
    ]
    # Three moments fit the tail, where decisions are made, and the body less well.
    for level in (0.02, 0.05, 0.1, 0.2):
        rejected = np.mean(np.array(p_values) < level)
        assert abs(rejected - level) < 3.5 * np.sqrt(level * (1 - level) / 250)


@pytest.mark.parametrize("given", [[], ["V2"], ["V2", "V3"]])
def test_few_rows_are_one_block(given: list[str]) -> None:
    values = curved(150, 3)
    fast, whole = (asked(values, name).test("V0", "V1", given) for name in ("fast-kci", "kci"))
    assert fast == pytest.approx(whole, rel=1e-9)


@pytest.mark.parametrize("name", FAST)
def test_answers_hang_on_the_seed_and_the_question_alone(name: str) -> None:
    values = curved(230, 5)
    first = asked(values, name, 7)
    question = ("V0", "V1", ["V2", "V3"])
    found = first.test(*question)
    first.test("V0", "V4", ["V2"])
    assert first.test(*question) == found
    assert asked(values, name, 7).test("V1", "V0", ["V3", "V2"]) == found
    assert asked(values, name, 8).test(*question).p_value != found.p_value
    scaled = asked(values * [3, 0.1, 7, 1, 1] + 5, name, 7).test(*question)
    assert scaled.p_value == pytest.approx(found.p_value, rel=1e-6)


@pytest.mark.parametrize("name", FAST)
def test_what_cannot_be_asked(name: str) -> None:
    values = curved(60, 2)
    values[:, 3] = 4
    test = asked(values, name)
    assert not test.test("V0", "V3", ["V2"]).defined
    assert test.test("V0", "V2", ["V3"]).defined
    assert asked(values[:2], name).test("V0", "V1", ["V2"]).p_value <= 1
    values[0, 0] = np.nan
    with pytest.raises(DataError, match="missing values"):
        asked(values, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", FAST)
def test_level_and_power(name: str) -> None:
    answers = []
    for seed in range(200):
        test = asked(curved(400, seed), name, seed)
        questions = (("V0", "V3"), ("V0", "V1", "V2"), ("V2", "V1"), ("V0", "V4", "V2"))
        answers.append([test.test(*question).p_value for question in questions])
    apart, separated, curve, product = np.array(answers).T
    for null in (apart, separated):
        if name == "fast-kci":  # partitions of one sample are taken to agree, so it is cautious
            assert np.mean(null < 0.05) <= 0.05
        else:
            assert stats.kstest(null, "uniform").pvalue > 0.005
    assert np.mean(curve < 0.01) > 0.95
    assert np.mean(product < 0.01) > 0.9


@pytest.mark.slow
def test_decisions_are_those_of_causal_learn() -> None:
    """Other cosines give other p-values: what both reject must agree as often as two seeds do."""
    peer = pytest.importorskip("causallearn.utils.RCIT.RCIT")
    pytest.importorskip("momentchi2")
    ours, other, theirs = [], [], []
    for seed in range(100):
        values = curved(300, seed)
        np.random.seed(seed)  # noqa: NPY002 - the peer draws from it
        p_value, _ = peer.RCIT(approx="hbe").compute_pvalue(*(values[:, [k]] for k in (0, 4, 2)))
        theirs.append(p_value < 0.001)
        question = ("V0", "V4", ["V2"])
        ours.append(asked(values, "rcit", seed).test(*question).p_value < 0.001)
        other.append(asked(values, "rcit", seed + 1000).test(*question).p_value < 0.001)
    between_seeds = np.mean(np.array(ours) != np.array(other))
    assert abs(np.mean(ours) - np.mean(theirs)) < 0.15
    assert np.mean(np.array(ours) != np.array(theirs)) < between_seeds + 0.12


@pytest.mark.parametrize("name", FAST)
def test_pc_finds_what_is_curved(name: str) -> None:
    rng = np.random.default_rng(4)
    a = rng.normal(size=800)
    b = a**2 + 0.5 * rng.normal(size=800)
    values = np.column_stack([a, b, rng.normal(size=800)])
    data = Dataset([Variable(v) for v in "abc"], values=values)
    graph = learn(data, "pc", test=name, alpha=0.01).graph
    assert graph.adjacencies("a") == ("b",)
    assert not graph.adjacencies("c")


def test_ranks_take_monotone_functions_for_the_same() -> None:
    values = curved(120, 6)
    plain = asked(values, "zf-ranks").test("V0", "V1", ["V2"])
    bent = values.copy()
    bent[:, 0], bent[:, 2] = np.exp(bent[:, 0]), bent[:, 2] ** 3
    assert asked(bent, "zf-ranks").test("V0", "V1", ["V2"]) == plain
    scores = stats.norm.ppf(stats.rankdata(values, axis=0) / 121)
    assert asked(scores, "zf").test("V0", "V1", ["V2"]) == pytest.approx(plain, rel=1e-12)
    bent[::7, 1] = np.nan
    assert asked(bent, "zf-ranks.td").test("V0", "V1", ["V2"]).defined

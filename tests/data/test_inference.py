"""Queries against the joint distribution written out, and against known numbers."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from network_examples import mixed

from dagathlon.data import Gaussian, Network, NormalAnswer, Table, TableAnswer
from dagathlon.data.inference.triangulation import clique_tree
from dagathlon.errors import DataError

ASIA = Network.load("asia")


def random_network(seed: int, p: int = 6) -> Network:
    """Nodes of one to three levels, some probabilities zero, at most three parents."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 4, size=p)
    nodes = {}
    for k in range(p):
        parents = [j for j in range(k) if rng.random() < 0.4][-3:]
        cells = rng.random((*(sizes[j] for j in parents), sizes[k]))
        cells[rng.random(cells.shape) < 0.15] = 0
        cells[..., 0] += 0.01
        cells /= cells.sum(axis=-1, keepdims=True)
        levels = tuple(f"l{i}" for i in range(sizes[k]))
        nodes[f"v{k}"] = Table(levels, tuple(f"v{j}" for j in parents), cells)
    return Network(nodes)


def joint_table(network: Network) -> np.ndarray:
    """The probability of every combination of levels, by the definition."""
    names = network.names
    tables = [network.distribution(name) for name in names]
    result = np.zeros([len(table.levels) for table in tables])
    for place in np.ndindex(*result.shape):
        at = dict(zip(names, place, strict=True))
        result[place] = math.prod(
            table.probabilities[tuple(at[n] for n in (*table.parents, name))]
            for name, table in zip(names, tables, strict=True)
        )
    return result


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.data())
def test_answers_are_those_of_the_joint_table(seed: int, draw: st.DataObject) -> None:
    network = random_network(seed)
    full = joint_table(network)
    names = draw.draw(st.permutations(range(len(network))))
    n_targets, n_known = draw.draw(st.integers(1, 3)), draw.draw(st.integers(0, 2))
    targets, known = names[:n_targets], names[n_targets : n_targets + n_known]
    evidence = {k: draw.draw(st.integers(0, full.shape[k] - 1)) for k in known}
    likelihood = np.array([draw.draw(st.integers(1, 5)) for _ in range(full.shape[names[-1]])])
    weights = np.moveaxis(np.moveaxis(full, names[-1], -1) * likelihood, -1, names[-1])
    for k, level in evidence.items():
        weights = weights * (np.arange(full.shape[k]) == level).reshape(
            [-1 if j == k else 1 for j in range(full.ndim)]
        )
    soft = {f"v{names[-1]}": likelihood.astype(float)}
    hard = {f"v{k}": f"l{level}" for k, level in evidence.items()}
    asked = [f"v{k}" for k in targets]
    if not weights.sum():
        with pytest.raises(DataError, match="probability zero"):
            network.query(asked, soft | hard)
        return
    axes = tuple(k for k in range(full.ndim) if k not in targets)
    wanted = np.transpose(weights.sum(axis=axes), np.argsort(np.argsort(targets)))
    answer = network.query(asked, soft | hard)
    np.testing.assert_allclose(answer.probabilities, wanted / wanted.sum(), atol=1e-12)
    assert math.exp(answer.log_evidence) == pytest.approx(weights.sum())
    for k, name in zip(targets, asked, strict=True):
        alone = weights.sum(axis=tuple(j for j in range(full.ndim) if j != k))
        found = network.marginals(soft | hard)[name]
        np.testing.assert_allclose(found.probabilities, alone / alone.sum(), atol=1e-12)
    best = network.most_probable(soft | hard)
    place = tuple(int(best.levels[f"v{k}"][1:]) for k in range(full.ndim))
    assert weights[place] == pytest.approx(weights.max())
    assert best.probability == pytest.approx(weights.max() / weights.sum())


def test_known_numbers_of_asia() -> None:
    """The numbers that Lauritzen and Spiegelhalter's example is printed with."""
    assert ASIA.query("dysp").probabilities[0] == pytest.approx(0.4360, abs=5e-5)
    assert ASIA.query("tub")["yes"] == pytest.approx(0.0104, abs=5e-5)
    assert ASIA.query("lung")["yes"] == pytest.approx(0.055, abs=5e-5)
    assert ASIA.query("bronc", {"dysp": "yes"})["yes"] == pytest.approx(0.8340, abs=5e-5)


def test_joint_targets_in_no_common_clique() -> None:
    answer = ASIA.query(["asia", "bronc"], {"dysp": "yes"})
    assert answer.targets == ("asia", "bronc")
    alone = ASIA.query("asia", {"dysp": "yes"})
    np.testing.assert_allclose(answer.probabilities.sum(axis=1), alone.probabilities)
    assert not np.allclose(
        answer.probabilities,
        np.outer(alone.probabilities, ASIA.query("bronc", {"dysp": "yes"}).probabilities),
        atol=1e-6,
    )


def test_setting_a_variable_is_not_seeing_it() -> None:
    seen = ASIA.query("smoke", {"bronc": "yes"})["yes"]
    done = ASIA.query("smoke", do={"bronc": "yes"})["yes"]
    assert seen == pytest.approx(0.6 * 0.5 / 0.45)
    assert done == pytest.approx(0.5)
    # Adjustment by hand: smoking is the common cause of bronchitis and lung cancer.
    given = ASIA.query("dysp", do={"bronc": "yes"})["yes"]
    by_hand = sum(
        ASIA.query("dysp", {"bronc": "yes", "smoke": level})["yes"] * 0.5 for level in ("yes", "no")
    )
    assert given == pytest.approx(by_hand)


def test_impossible_evidence_has_a_reason() -> None:
    with pytest.raises(DataError, match="lung=yes together with either=no"):
        ASIA.query("asia", {"either": "no", "lung": "yes"})
    with pytest.raises(DataError, match="probability zero under the network: tub=yes"):
        ASIA.intervened({"tub": "no"}).query("asia", {"tub": "yes"})


def test_wrong_questions_are_answered_with_what_is_right() -> None:
    with pytest.raises(DataError, match="did you mean 'bronc'"):
        ASIA.query("brnc")
    with pytest.raises(DataError, match="unknown level 'maybe'; known: yes, no"):
        ASIA.query("bronc", {"dysp": "maybe"})
    with pytest.raises(DataError, match="target, and its value is given"):
        ASIA.query("bronc", {"bronc": "yes"})
    with pytest.raises(DataError, match="set and given as evidence"):
        ASIA.query("bronc", {"dysp": "yes"}, do={"dysp": "yes"})
    with pytest.raises(DataError, match="a likelihood for each of its 2 levels"):
        ASIA.query("bronc", {"dysp": [1, 2, 3]})


def test_tables_that_are_too_large_are_refused() -> None:
    scope = list(range(40))
    with pytest.raises(DataError, match=r"tables of 1\.1e\+12 cells"):
        clique_tree([scope], [2] * 40)


def test_large_networks_agree_with_long_samples() -> None:
    network = Network.load("alarm")
    data = network.sample(20_000, 3)
    for name, answer in network.marginals().items():
        assert isinstance(answer, TableAnswer)
        shares = np.bincount(data.column(name), minlength=answer.probabilities.size) / len(data)
        np.testing.assert_allclose(answer.probabilities, shares, atol=0.02)


def test_gaussian_networks_answer_by_conditional_normals() -> None:
    chain = Network(
        {
            "a": Gaussian((), 1.0, [], 2.0),
            "b": Gaussian(("a",), 0.5, [3.0], 1.0),
            "c": Gaussian(("b",), 0.0, [-1.0], 0.5),
        }
    )
    answer = chain.query("a", {"b": 4.0})
    # Bayes by hand: prior N(1, 4), b given a is N(0.5 + 3a, 1).
    variance = 1 / (1 / 4 + 9)
    assert answer.mean[0] == pytest.approx(variance * (1 / 4 + 3 * 3.5))
    assert answer.covariance[0, 0] == pytest.approx(variance)
    density = -0.5 * (4 - 3.5) ** 2 / 37 - 0.5 * math.log(2 * math.pi * 37)
    assert answer.log_evidence == pytest.approx(density)
    done = chain.query(["a", "c"], do={"b": 4.0})
    assert done.mean.tolist() == pytest.approx([1.0, -4.0])
    assert done.covariance == pytest.approx(np.diag([4.0, 0.25]))
    with pytest.raises(DataError, match="impossible"):
        chain.intervened({"b": 1.0}).query("a", {"b": 2.0})


def test_conditional_gaussian_networks_answer_by_mixtures() -> None:
    network = mixed()
    answer = network.query("sex", {"height": 170.0})
    densities = [
        0.5 * math.exp(-0.5 * ((170 - m) / s) ** 2) / s for m, s in ((165.0, 6.0), (178.0, 7.0))
    ]
    assert answer.probabilities == pytest.approx(np.array(densities) / sum(densities))
    height = network.query("height")
    assert isinstance(height, NormalAnswer)
    assert height.mixture
    assert height.mean[0] == pytest.approx(171.5)
    assert height.covariance[0, 0] == pytest.approx((36 + 49) / 2 + 6.5**2)
    assert set(network.marginals({"score": 1.0})) == set(network.names) - {"score"}


def test_rows_name_all_combinations() -> None:
    answer = ASIA.query(["smoke", "lung"])
    rows = dict(answer.rows())
    assert list(rows) == list(product(("yes", "no"), repeat=2))
    assert rows["yes", "no"] == answer["yes", "no"] == pytest.approx(0.45)
    assert "smoke" in answer._repr_html_()

from __future__ import annotations

import numpy as np
import pytest

from dagathlon.data import LinearSem, MultivariateNormal, Network, read_data, write_data
from dagathlon.data.spec import DataFacts
from dagathlon.errors import DataError
from dagathlon.simulate.interventional import Interventional
from strategies import stream

WEIGHTS = np.array([[0, 0.8, 0.5], [0, 0, -0.7], [0, 0, 0]])
MODEL = LinearSem("ABC", WEIGHTS, [1, 0.5, 2])


def block(data, *targets):
    return data.values[data.regime == data.targets.index(frozenset(targets))]


def close(found, expected, n) -> bool:
    """Means and covariances within five standard errors of a wide bound."""
    return bool(np.allclose(found, expected, atol=5 * 4 / np.sqrt(n)))


def test_a_perfect_intervention_cuts_the_parents() -> None:
    n = 40_000
    generator = Interventional(n=n, n_intervened=n, targets=("B",), mean=3, sd=0.5)
    data = generator.sample(MODEL, stream())
    assert close(np.cov(block(data).T), MODEL.covariance(), n)
    cut = WEIGHTS.copy()
    cut[:, 1] = 0
    changed = LinearSem("ABC", cut, [1, 0.25, 2])
    rows = block(data, "B")
    assert close(np.cov(rows.T), changed.covariance(), n)
    assert close(rows.mean(axis=0), [0, 3, 3 * -0.7], n)


def test_a_soft_intervention_keeps_the_parents() -> None:
    n = 40_000
    generator = Interventional(
        n=0, n_intervened=n, targets=("B",), intervention="soft", shift=1, factor=3
    )
    data = generator.sample(MODEL, stream())
    changed = LinearSem("ABC", WEIGHTS, [1, 0.5 * 9, 2])
    rows = block(data, "B")
    assert len(rows) == len(data) == n
    assert np.allclose(np.cov(rows.T), changed.covariance(), atol=0.25)
    assert close(rows.mean(axis=0), [0, 1, -0.7], n)


def test_discrete_targets() -> None:
    network = Network.load("asia")
    n = 20_000
    perfect = Interventional(n=0, n_intervened=n, targets=("lung",)).sample(network, stream())
    assert abs(perfect.column("lung").mean() - 0.5) < 5 * 0.5 / np.sqrt(n)
    smokers = perfect.column("smoke") == 0
    assert abs(perfect.column("lung")[smokers].mean() - 0.5) < 5 * 0.5 / np.sqrt(smokers.sum())
    soft = Interventional(n=0, n_intervened=n, targets=("lung",), intervention="soft", mixture=0.4)
    found = soft.sample(network, stream())
    table = network.distribution("lung").probabilities
    for level in (0, 1):
        rows = found.column("lung")[found.column("smoke") == level]
        expected = 0.6 * table[level][1] + 0.2
        assert abs(rows.mean() - expected) < 5 * 0.5 / np.sqrt(len(rows))


def test_targets_are_drawn() -> None:
    every = Interventional(n=10, n_intervened=5).sample(MODEL, stream())
    assert set(every.targets) == {frozenset(), *map(frozenset, "ABC")}
    assert len(every) == 10 + 3 * 5
    pairs = Interventional(n=1, n_intervened=1, n_targets=3, target_size=2)
    assert {len(target) for target in pairs.sample(MODEL, stream()).targets} == {0, 2}
    chosen = {
        Interventional(n=1, n_targets=1).sample(MODEL, stream(s)).targets[1] for s in range(40)
    }
    assert len(chosen) == 3


def test_several_targets_in_one_set() -> None:
    generator = Interventional(n=1, n_intervened=2, targets=("A & C", "B"))
    data = generator.sample(MODEL, stream())
    assert data.targets == (frozenset(), frozenset("AC"), frozenset("B"))
    known = DataFacts(kind="continuous")
    assert generator.facts(known).n_rows == len(data)
    assert generator.facts(known).interventions


def test_blocks_do_not_depend_on_the_number_of_rows() -> None:
    small = Interventional(n=10, n_intervened=5).sample(MODEL, stream())
    large = Interventional(n=100, n_intervened=50).sample(MODEL, stream())
    assert np.array_equal(block(small), block(large)[:10])
    assert np.array_equal(block(small, "B"), block(large, "B")[:5])


@pytest.mark.parametrize("model", [MODEL, Network.load("asia")])
def test_files_keep_the_interventions(model, tmp_path) -> None:
    data = Interventional(n=20, n_intervened=4).sample(model, stream())
    write_data(data, tmp_path / "data.csv")
    again = read_data(tmp_path / "data.csv")
    assert again.targets is not None
    assert np.array_equal(again.intervened, data.intervened)
    assert np.array_equal(again.values, data.values)
    assert np.array_equal(again.codes, data.codes)


def test_mistakes() -> None:
    with pytest.raises(DataError, match=r"unknown intervention target 'D'"):
        Interventional(targets=("A & D",)).sample(MODEL, stream())
    with pytest.raises(DataError, match="not 4 different target sets of 1 among 3"):
        Interventional(n_targets=4).sample(MODEL, stream())
    with pytest.raises(DataError, match=r"need a causal model.*MultivariateNormal"):
        Interventional().sample(MultivariateNormal("AB", np.eye(2)), stream())

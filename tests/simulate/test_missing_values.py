from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from dagathlon.data import LinearSem, Network
from dagathlon.errors import DataError, StudyError
from dagathlon.simulate.erdos_renyi import ErdosRenyi
from dagathlon.simulate.linear_sem import RandomLinearSem
from dagathlon.simulate.missing import Missing
from dagathlon.simulate.streams import substreams
from strategies import stream

GRAPH = ErdosRenyi(nodes=12, neighbours=4).sample(np.random.default_rng(5))
MODEL = RandomLinearSem(min=0.3, max=0.9).sample(GRAPH, np.random.default_rng(6))
N = 20_000


def drawn(mechanism: str, seed: int = 1, **values):
    """The data, the complete data, and the causes."""
    generator = Missing(n=N, mechanism=mechanism, n_variables=4, n_colliders=2, **values)
    design, rows, _ = substreams(stream(seed), 3)
    complete = MODEL.sample(N, rows)
    causes = generator.causes(complete.names, MODEL.graph, design)
    return generator.sample(MODEL, stream(seed)), complete, causes


def depends(mask, column) -> bool:
    """Whether missingness differs between quarters of a column, by a chi-square test."""
    quarter = np.searchsorted(np.quantile(column, [0.25, 0.5, 0.75]), column)
    table = [np.bincount(quarter[rows], minlength=4) for rows in (mask, ~mask)]
    return stats.chi2_contingency(table).pvalue < 1e-6


@pytest.mark.parametrize("mechanism", ["mcar", "mar", "mnar", "self"])
def test_what_is_left_is_the_complete_data(mechanism) -> None:
    data, complete, causes = drawn(mechanism)
    here = ~np.isnan(data.values)
    assert np.array_equal(data.values[here], complete.values[here])
    assert set(np.flatnonzero(~here.all(axis=0))) == set(causes)
    assert len(causes) == 4


def test_completely_at_random_depends_on_nothing() -> None:
    for seed in range(5):
        data, complete, causes = drawn("mcar", seed)
        for j in causes:
            mask = np.isnan(data.values[:, j])
            assert 0.1 < mask.mean() < 0.1 + 0.7 * 0.8 + 0.02
            assert not any(depends(mask, complete.values[:, k]) for k in range(12))


def test_at_random_depends_on_observed_causes_only() -> None:
    for seed in range(5):
        data, complete, causes = drawn("mar", seed)
        for j, cause in causes.items():
            assert cause not in causes
            mask = np.isnan(data.values[:, j])
            assert depends(mask, complete.values[:, cause])
            # Given the rows in which the cause is low, nothing else matters.
            low = complete.values[:, cause] < np.quantile(complete.values[:, cause], 0.1)
            assert not any(depends(mask[low], complete.values[low, k]) for k in range(12))


def test_not_at_random_depends_on_causes_that_are_missing_themselves() -> None:
    for seed in range(5):
        data, complete, causes = drawn("mnar", seed)
        for j, cause in causes.items():
            assert cause in causes
            assert cause != j
            assert np.isnan(data.values[:, cause]).any()
            assert depends(np.isnan(data.values[:, j]), complete.values[:, cause])


def test_a_variable_can_hide_itself() -> None:
    data, complete, causes = drawn("self")
    for j, cause in causes.items():
        assert j == cause
        assert depends(np.isnan(data.values[:, j]), complete.values[:, j])


@pytest.mark.parametrize("mechanism", ["mar", "mnar"])
def test_colliders_hide_their_parents(mechanism) -> None:
    for seed in range(10):
        _, _, causes = drawn(mechanism, seed)
        names = MODEL.names
        by_collider = [
            j
            for j, cause in causes.items()
            if names[j] in GRAPH.parents(names[cause]) and len(GRAPH.parents(names[cause])) > 1
        ]
        assert len(by_collider) >= (2 if mechanism == "mar" else 1)


def test_probabilities() -> None:
    data, complete, causes = drawn("mar", p_high=1.0, p_low=0.0)
    for j, cause in causes.items():
        mask = np.isnan(data.values[:, j])
        column = complete.values[:, cause]
        assert column[mask].max() < column[~mask].min()
        assert 0.09 < mask.mean() < 0.71


def test_discrete_data_lose_values_too() -> None:
    data = Missing(n=500, mechanism="mar", n_variables=3).sample(Network.load("alarm"), stream())
    assert data.is_discrete
    assert (data.missing.any(axis=0)).sum() == 3


def test_standardising_leaves_missing_values() -> None:
    data = Missing(n=500, standardized=True).sample(MODEL, stream())
    assert np.allclose(np.nanmean(data.values, axis=0), 0)
    assert np.isnan(data.values).any()


def test_few_variables() -> None:
    pair = LinearSem("ABC", np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]]))
    for seed in range(20):
        generator = Missing(n=50, mechanism="mar", n_variables=2, n_colliders=2)
        assert generator.sample(pair, stream(seed)).missing.any(axis=0).sum() == 2
    with pytest.raises(DataError, match="mar data of 3 variables have at most 2"):
        Missing(n=50, mechanism="mar", n_variables=3).sample(pair, stream())
    with pytest.raises(StudyError, match="use mechanism 'self'"):
        Missing.from_json({"mechanism": "mnar", "n_variables": 1})

"""Frequencies, estimates and trajectories of chains."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagathlon.evaluate.posteriors.chains import (
    autocorrelation,
    estimate_graph,
    score_trajectory,
    size_trajectory,
)
from dagathlon.graphs import Graph
from dagathlon.posteriors.chain import Chain, ChainRecorder
from dagathlon.posteriors.edits import Edits
from dagathlon.posteriors.posterior import Posterior


def chain(**changes: object) -> Chain:
    """a-b from 0 to 30, with b-c from 30 to 80, b-c alone from 80 to 100."""
    values = {
        "index": [0, 30, 80, 100],
        "score": [-3.0, -1.0, -2.0, -2.0],
        "added": Edits.of([[(0, 1)], [(1, 2)], [], []]),
        "removed": Edits.of([[], [], [(0, 1)], []]),
    }
    return Chain("abc", False, **(values | changes))  # type: ignore[arg-type]


def test_frequencies_by_hand():
    # (30 + 50)/100 for a-b, (50 + 20)/100 for b-c.
    expected = np.array([[0, 0.8, 0], [0.8, 0, 0.7], [0, 0.7, 0]])
    np.testing.assert_array_equal(Posterior([chain()]).edge_probabilities, expected)


def test_burn_in_by_hand():
    # b = 50; row 80 adds 80 - 50 = 30 with both edges, row 100 adds 20 with b-c; by 100·(1 - 0.5).
    expected = np.array([[0, 0.6, 0], [0.6, 0, 1.0], [0, 1.0, 0]])
    np.testing.assert_array_equal(Posterior([chain()]).after(0.5).edge_probabilities, expected)


def test_burn_in_that_is_no_whole_number_of_states_gives_no_frequency_above_one():
    # b = int(100 · 0.255) = 25; 75 states are left, though int(100 · 0.745) = 74.
    frequencies = Posterior([chain()]).after(0.255).edge_probabilities
    assert frequencies[0, 1] == 55 / 75
    assert frequencies[1, 2] == 70 / 75


def test_all_burnt_leaves_the_last_state():
    frequencies = Posterior([chain()]).after(1.0).edge_probabilities
    assert frequencies[0, 1] == 0
    assert frequencies[1, 2] == 1


def test_single_state():
    single = Chain(
        "ab",
        True,
        index=[0],
        score=[-1.0],
        added=Edits.of([[(1, 0)]]),
        removed=Edits.of([[]]),
    )
    np.testing.assert_array_equal(Posterior([single]).edge_probabilities, [[0, 0], [1, 0]])
    assert Posterior([single]).after(0.5).above(0.5) == Graph.from_edges(["b -> a"], "ab")
    assert size_trajectory(single).value.tolist() == [1]


def test_states_in_continuous_time_count_by_their_length():
    timed = chain(time=[0.0, 1.0, 2.0, 4.0])
    assert Posterior([timed]).edge_probabilities[0, 1] == 0.5
    assert Posterior([timed]).edge_probabilities[1, 2] == 0.75
    assert Posterior([timed]).after(0.375).edge_probabilities[0, 1] == pytest.approx(0.5 / 2.5)


def test_threshold_is_strict():
    assert Posterior([chain()]).above(0.7) == Graph.from_edges(["a - b"], "abc")
    assert Posterior([chain()]).above(0.69) == Graph.from_edges(["a - b", "b - c"], "abc")


def test_directed_edge_frequent_in_both_directions_is_undirected():
    turning = Chain(
        "ab",
        True,
        index=[0, 5, 10],
        score=[0, 0, 0],
        added=Edits.of([[(0, 1)], [(1, 0)], []]),
        removed=Edits.of([[], [(0, 1)], []]),
    )
    assert Posterior([turning]).above(0.4) == Graph.from_edges(["a - b"], "ab")
    assert Posterior([turning]).above(0.5) == Graph("ab")


def test_map_of_directed_chains_and_start_graphs():
    assert Posterior([chain()]).map() == Graph.from_edges(["a - b", "b - c"], "abc")
    assert Posterior([chain(score=[0.0, -1.0, -2.0, -2.0])]).map() == Graph.from_edges(
        ["a - b"], "abc"
    )
    assert Posterior([chain()]).after(0.8).map() == Graph.from_edges(["b - c"], "abc")
    recorder = ChainRecorder("ab", directed=True)
    recorder.record(0, -1.0, np.array([[False, False], [True, False]]))
    assert Posterior([recorder.chain(3)]).map() == Graph.from_edges(["b -> a"], "ab")


def test_estimate_by_the_fields_of_a_sampler():
    both = Graph.from_edges(["a - b", "b - c"], "abc")
    assert (
        estimate_graph(Posterior([chain()]), mcmc_estimator="map", threshold=0.9, burnin_frac=1.0)
        == both
    )
    last = Graph.from_edges(["b - c"], "abc")
    assert (
        estimate_graph(
            Posterior([chain()]), mcmc_estimator="threshold", threshold=0.6, burnin_frac=0.5
        )
        == last
    )


def test_trajectories_carry_forward():
    short = chain(index=[0, 2, 3, 5])
    assert score_trajectory(short).value.tolist() == [-3, -3, -1, -2, -2]
    assert size_trajectory(short).value.tolist() == [1, 1, 2, 1, 1]
    thin = score_trajectory(short, burnin=0.3, thinning=2)
    assert thin.sample.tolist() == [1, 3]
    assert thin.value.tolist() == [-3, -2]


def as_benchpress(found: Chain, burnin: float) -> np.ndarray:
    """The rule of Benchpress, row by row."""
    p = len(found.names)
    graph, total = np.zeros((p, p)), np.zeros((p, p))
    last = int(found.index[-1])
    burnt = int(last * burnin)
    previous = 0
    for row, index in enumerate(found.index.tolist()):
        if index > burnt:
            total += (index - max(previous, burnt)) * graph
        for which, value in ((found.added, 1), (found.removed, 0)):
            for i, j in which.edges[which.starts[row] : which.starts[row + 1]]:
                graph[i, j] = graph[j, i] = value
        previous = index
    return total / int(last * (1 - burnin))


@given(seed=st.integers(0, 10_000), burnin=st.sampled_from([0.0, 0.25, 0.5, 0.75]))
def test_frequencies_are_those_of_benchpress(seed: int, burnin: float):
    rng = np.random.default_rng(seed)
    recorder = ChainRecorder("abcd", directed=False)
    index = 0
    for _ in range(int(rng.integers(1, 10))):
        recorder.record(index, float(rng.normal()), np.triu(rng.random((4, 4)) < 0.5, 1))
        index += int(rng.integers(1, 10))
    found = recorder.chain(index + (-index) % 4)
    np.testing.assert_allclose(
        Posterior([found]).after(burnin).edge_probabilities,
        as_benchpress(found, burnin),
        rtol=1e-12,
    )


def test_autocorrelation_is_pearsons_of_the_overlapping_parts() -> None:
    series = np.random.default_rng(3).normal(size=40).cumsum()
    found = autocorrelation(series, 5)
    expected = [np.corrcoef(series[:-k], series[k:])[0, 1] for k in range(1, 6)]
    assert found == pytest.approx(expected)


def test_autocorrelation_of_short_and_of_constant_series() -> None:
    assert len(autocorrelation([1.0, 2.0, 3.0, 5.0], 50)) == 2
    assert np.all(np.isnan(autocorrelation([1.0] * 10, 3)))
    assert len(autocorrelation([1.0], 3)) == 0

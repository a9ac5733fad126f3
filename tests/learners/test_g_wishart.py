"""G-Wishart distributions: draws and normalising constants."""

from __future__ import annotations

import math

import numpy as np
import pytest
from g_wishart_oracle import all_graphs, decomposable_constant, mean_precision, names

from dagathlon import _core
from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.learners.undirected.g_wishart_constant import log_constant

RNG = np.random.default_rng(5)


def graph_of(p: int, *edges: tuple[int, int]) -> Graph:
    matrix = np.zeros((p, p), dtype=np.int64)
    for i, j in edges:
        matrix[i, j] = matrix[j, i] = 1
    return Graph.from_adjacency(names(p), matrix)


CYCLE = graph_of(4, (0, 1), (1, 2), (2, 3), (3, 0))


def cycle_constant(b: float, scale: float) -> float:
    """The constant of a cycle of four nodes, by integrating out one after the other."""
    gammas = math.lgamma(b / 2) + 3 * math.lgamma(b / 2 + 1)
    powers = (2 * b + 3) * math.log(2) + 2 * math.log(2 * math.pi) - math.log(b + 1)
    return gammas + powers - 2 * (b + 2) * math.log(scale)


def scale_of(p: int) -> np.ndarray:
    rows = np.random.default_rng(p).normal(size=(3 * p, p))
    return rows.T @ rows / 3 + np.eye(p)


@pytest.mark.parametrize("b", [0.7, 3.0, 12.5])
def test_constants_of_decomposable_graphs_are_exact(b: float) -> None:
    scale = scale_of(4)
    for graph in list(all_graphs(4))[::5]:
        expected = decomposable_constant(graph, b, scale)
        if expected is None:
            continue
        found = log_constant(graph, b, scale)
        assert found.value == pytest.approx(expected, abs=1e-9)
        assert found.error == 0
        assert log_constant(graph, b, scale, method="laplace").value == pytest.approx(found.value)


@pytest.mark.parametrize(("b", "scale"), [(3.0, 1.0), (8.0, 2.5)])
def test_the_constant_of_a_cycle_is_within_its_error(b: float, scale: float) -> None:
    found = log_constant(CYCLE, b, scale * np.eye(4), draws=5000)
    assert 0 < found.error < 0.02
    assert found.value == pytest.approx(cycle_constant(b, scale), abs=4 * found.error)


def test_what_hangs_on_a_clique_is_taken_off_in_closed_form() -> None:
    hanging = graph_of(6, (0, 1), (1, 2), (2, 3), (3, 0), (3, 4), (4, 5))
    found = log_constant(hanging, 3.0, draws=5000)
    pair, node = np.eye(2), np.eye(1)
    edge = decomposable_constant(graph_of(2, (0, 1)), 3.0, pair)
    one = decomposable_constant(graph_of(1), 3.0, node)
    assert edge is not None
    assert one is not None
    expected = cycle_constant(3.0, 1.0) + 2 * (edge - one)
    assert found.value == pytest.approx(expected, abs=4 * found.error)


def test_laplace_and_ratios_come_close() -> None:
    large = log_constant(CYCLE, 103.0, 50 * np.eye(4), method="laplace")
    assert large.value == pytest.approx(cycle_constant(103.0, 50.0), abs=0.05)
    assert math.isnan(large.error)
    bridged = _core.g_wishart_bridged(CYCLE.native, 3.0, 2.0)
    assert bridged == pytest.approx(cycle_constant(3.0, 2.0), abs=0.1)


def test_bad_constants_are_refused() -> None:
    for keys in ({"b": 0.0}, {"scale": np.eye(3)}, {"scale": -np.eye(4)}):
        with pytest.raises(DataError):
            log_constant(CYCLE, **keys)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="above 2"):
        log_constant(CYCLE, 1.5, method="laplace")


def draws_of(graph: Graph, b: float, scale: np.ndarray, number: int) -> np.ndarray:
    return np.array(
        [_core.g_wishart_draw(graph.native, b, scale, 11, stream) for stream in range(number)]
    )


WHEEL = graph_of(6, *((i, (i + 1) % 5) for i in range(5)), *((i, 5) for i in range(3)))


# With many more edges than rejection copes with: Gibbs sampling takes over.
DENSE = graph_of(14, *((i, j) for i in range(14) for j in range(i) if (i * j + i + j) % 2))


@pytest.mark.parametrize("graph", [CYCLE, WHEEL, DENSE])
def test_draws_have_the_zeros_and_a_chi_square_trace(graph: Graph) -> None:
    """tr(K D) is chi-square: only the scale of D enters its moment generating function."""
    p, b, number, scale = len(graph), 3.5, 1500, 2.5
    found = np.array(
        [_core.scaled_g_wishart_draw(graph.native, b, scale, 3, k) for k in range(number)]
    )
    off = (graph.adjacency == 0) & ~np.eye(p, dtype=bool)
    assert np.all(found[:, off] == 0)
    traces, freedom = scale * found.trace(axis1=1, axis2=2), p * b + graph.adjacency.sum()
    assert traces.mean() == pytest.approx(freedom, abs=4 * math.sqrt(2 * freedom / number))
    assert traces.var() == pytest.approx(2 * freedom, rel=0.2)


def test_the_chi_square_trace_and_the_constant_agree_with_the_odds_of_a_chord() -> None:
    """The density of the chord's entry at 0, of a cycle with a chord, is a ratio of constants."""
    chord = graph_of(4, (0, 1), (1, 2), (2, 3), (3, 0), (0, 2))
    draws = [_core.scaled_g_wishart_draw(chord.native, 3.0, 1.0, 5, k) for k in range(1500)]
    densities = []
    for draw in draws:
        inner = np.linalg.inv(np.delete(np.delete(draw, 2, 0), 2, 1))
        u = np.array([0.0, draw[1, 2], draw[3, 2]])
        mean, variance = -(inner[0] @ u) / inner[0, 0], 1 / inner[0, 0]
        densities.append(math.exp(-(mean**2) / variance / 2) / math.sqrt(2 * math.pi * variance))
    error = np.std(densities) / math.sqrt(len(draws))
    expected = math.exp(cycle_constant(3.0, 1.0) - log_constant(chord, 3.0).value)
    assert np.mean(densities) == pytest.approx(expected, abs=4 * error)


def test_the_mean_of_draws_is_known_for_decomposable_graphs() -> None:
    graph = graph_of(5, (0, 1), (1, 2), (0, 2), (2, 3))
    scale, number = scale_of(5), 2000
    found = draws_of(graph, 4.0, scale, number)
    error = found.std(axis=0) / math.sqrt(number)
    assert np.all(np.abs(found.mean(axis=0) - mean_precision(graph, 4.0, scale)) <= 4.5 * error)

"""FASK: directions of skewed variables, cycles of two, knowledge; rules against single pairs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dagathlon.errors import DataError, UnsuitedError
from dagathlon.learners import learn
from dagathlon.learners.constraint.skewness import left_right, standardised
from strategies import continuous


def chain(rows: int = 2000, last: float = -0.8) -> np.ndarray:
    rng = np.random.default_rng(1)
    noise = rng.exponential(size=(rows, 3))
    noise[:, 1] += 0.8 * noise[:, 0]
    noise[:, 2] += last * noise[:, 1]
    return noise


@pytest.mark.parametrize("rule", ["fask1", "fask2", "rskew", "skew"])
@pytest.mark.parametrize("skeleton", ["fas", "boss"])
def test_skewness_tells_directions(rule: str, skeleton: str) -> None:
    # The first rule does not look at the sign of the skewness.
    values = chain(last=0.8 if rule == "fask1" else -0.8)
    found = learn(continuous(values, "X"), "fask", left_right=rule, skeleton=skeleton)
    assert [str(edge) for edge in found.graph.edges()] == ["X0 -> X1", "X1 -> X2"]
    assert found.stats["two_cycles"] == 0


def test_two_cycles_are_found_and_reported() -> None:
    rng = np.random.default_rng(2)
    weights = np.zeros((3, 3))
    weights[0, 1] = weights[1, 0] = 0.5
    weights[1, 2] = 0.6
    values = rng.exponential(size=(4000, 3)) @ np.linalg.inv(np.eye(3) - weights)
    found = learn(continuous(values, "X"), "fask", two_cycle_cutoff=0.05)
    assert "X0 <-> X1" in [str(edge) for edge in found.graph.edges()]
    assert found.stats["two_cycles"] == 1
    assert found.notes == ("2-cycles, drawn as edges with two arrows: X0 and X1",)
    tested = learn(continuous(values, "X"), "fask", two_cycle_cutoff=0.05, two_cycle_alpha=0.01)
    assert tested.graph == found.graph
    assert learn(continuous(chain(200), "X"), "fask", two_cycle_alpha=1e-9).stats["two_cycles"] == 0


def test_knowledge_decides_before_skewness(tmp_path: Path) -> None:
    file = tmp_path / "known.json"
    file.write_text('{"forbidden_edges": [["X0", "X1"]], "required_edges": [["X2", "X0"]]}')
    graph = learn(continuous(chain(), "X"), "fask", constraints=str(file)).graph
    assert {str(edge) for edge in graph.edges()} >= {"X1 -> X0", "X2 -> X0"}


def test_symmetric_variables_are_named() -> None:
    values = np.random.default_rng(3).uniform(size=(500, 2))
    (note,) = learn(continuous(values, "X"), "fask").notes
    assert note == "hardly skewed, so that directions at these are guesses: X0, X1"


def by_hand(x: np.ndarray, y: np.ndarray) -> float:
    def given(rows: np.ndarray) -> float:
        a, b = x[rows], y[rows]
        return float(np.mean(a * b) / np.sqrt(np.mean(a * a) * np.mean(b * b)))

    return given(x > 0) - given(y > 0)


def test_the_rules_of_all_pairs_are_those_of_each() -> None:
    columns = standardised(chain(100))
    all_pairs = left_right(columns, "fask2", 0.0, True)
    for i in range(3):
        for j in range(3):
            sign = -1 if np.corrcoef(columns[:, i], columns[:, j])[0, 1] < 0 else 1
            expected = 0 if i == j else sign * by_hand(columns[:, i], columns[:, j])
            assert all_pairs[i, j] == pytest.approx(expected)
    for rule in ("fask1", "rskew", "skew", "tanh"):
        found = left_right(columns, rule, 0.0, False)  # type: ignore[arg-type]
        np.testing.assert_allclose(found, -found.T, atol=1e-12)


def test_constant_columns_have_no_edges() -> None:
    # The mean of fifty times 0.1 is rounded, and not 0.1.
    values = np.column_stack([chain(50), np.full(50, 0.1)])
    assert np.any(values[:, 3] != values[:, 3].mean())
    assert np.all(standardised(values)[:, 3] == 0)
    for skeleton in ("fas", "none"):
        assert not learn(continuous(values, "X"), "fask", skeleton=skeleton).graph.adjacencies("X3")


def test_one_row_says_nothing() -> None:
    with pytest.raises(DataError, match="at least 2 rows, found 1"):
        learn(continuous(chain()[:1], "X"), "fask", skeleton="none")


@pytest.mark.parametrize("test", [None, "zf.td"])
def test_missing_values_are_refused_with_any_test(test: str | None) -> None:
    values = chain(50)
    values[3, 1] = np.nan
    with pytest.raises(UnsuitedError, match="impute them first or drop the rows"):
        learn(continuous(values, "X"), "fask", test=test)

"""Several threads: the same results for any number of them, and an end when one is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagathlon import _core, learn
from dagathlon.cli import main
from dagathlon.data import Dataset, Variable
from dagathlon.errors import DagathlonError, OutOfTimeError
from dagathlon.learners import Estimate
from dagathlon.modules import modules
from dagathlon.threads import allowed_threads, several_threads

SEVERAL = (2, 3, 7)
SPLITTING = sorted(name for name, cls in modules("algorithm").items() if cls.splits)


def linear(p: int, n: int, seed: int, degree: float = 3) -> Dataset:
    """Rows of a linear model, each variable with a few earlier ones as parents."""
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.random((p, p)) < degree / p, 1) * rng.uniform(0.3, 1, (p, p))
    values = rng.normal(size=(n, p)) @ np.linalg.inv(np.eye(p) - weights)
    return Dataset([Variable(f"V{i}") for i in range(p)], values=values)


def levels(p: int, n: int, seed: int) -> Dataset:
    """The same, cut into three levels."""
    values = np.digitize(linear(p, n, seed).values, [-0.6, 0.6])
    return Dataset([Variable(f"V{i}", ("a", "b", "c")) for i in range(p)], codes=values)


def same(first: Estimate, second: Estimate) -> bool:
    return first.graph == second.graph and first.stats == second.stats


PC: tuple[dict[str, Any], ...] = (
    {},
    {"alpha": 0.3, "conflicts": "first"},
    {"alpha": 0.2, "neighbours": "by-name", "keep_untestable": True},
    {"stable": False},
)


@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 10**6), p=st.integers(2, 16), n=st.integers(5, 60))
@pytest.mark.parametrize("parameters", PC)
def test_pc_finds_the_same_with_any_number_of_threads(seed, p, n, parameters):
    for data in (linear(p, n, seed), levels(p, n, seed)):
        one = learn(data, "pc", **parameters)
        assert all(same(one, learn(data, "pc", threads=k, **parameters)) for k in SEVERAL)


@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 10**6), p=st.integers(2, 14), n=st.integers(20, 100))
@pytest.mark.parametrize("parameters", [{}, {"random": True, "backward": True, "starts": 2}])
def test_boss_finds_the_same_with_any_number_of_threads(seed, p, n, parameters):
    for data in (linear(p, n, seed), levels(p, n, seed)):
        one = learn(data, "boss", **parameters)
        assert all(same(one, learn(data, "boss", threads=k, **parameters)) for k in SEVERAL)


@pytest.mark.parametrize("name", SPLITTING)
def test_every_learner_that_splits_finds_the_same(name):
    data = linear(10, 100, 5)
    one = learn(data, name)
    assert all(same(one, learn(data, name, threads=k)) for k in SEVERAL)


def test_the_first_pass_over_many_columns_is_split_too():
    """More than one strip of columns, and more products than one thread is left alone with."""
    data = linear(300, 400, 1)
    one = learn(data, "pc", alpha=0.01)
    for k in SEVERAL:
        assert same(one, learn(data, "pc", alpha=0.01, threads=k))


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6), p=st.integers(2, 90), n=st.integers(2, 80))
@pytest.mark.parametrize("statistic", ["correlation", "fisher-z", "information"])
def test_correlations_taken_when_asked_for_give_the_same_answers(seed, p, n, statistic):
    values = linear(p, n, seed).values.copy()
    values[:, 0] = 1.0  # what never varies cannot be tested
    usual = _core.gaussian_test(values, statistic, 1.0, False)
    wide = _core.gaussian_test(values, statistic, 1.0, False, 1)
    rng = np.random.default_rng(seed)
    for _ in range(20):
        x, y, *given_too = rng.permutation(p)[: rng.integers(2, min(p, 7) + 1)].tolist()
        assert wide.test(x, y, given_too) == usual.test(x, y, given_too)
        answers = (each.independent(x, y, given_too, 0.1) for each in (usual, wide))
        assert len(set(answers)) == 1


@pytest.mark.parametrize("threads", [1, 3])
def test_a_skeleton_of_very_many_columns_is_the_usual_one(threads):
    values = linear(150, 60, 3).values
    options = _core.SkeletonOptions(0.1, None, True, _core.KnownEdges())
    usual = _core.pc_skeleton(_core.gaussian_test(values, "correlation", 1.0, False), options)
    with several_threads(threads):
        wide = _core.gaussian_test(values, "correlation", 1.0, False, 1)
        found = _core.pc_skeleton(wide, options)
    assert found[1] == usual[1]
    assert np.array_equal(found[0].marks(), usual[0].marks())


def test_threads_are_allowed_for_a_while():
    assert allowed_threads() == 1
    with several_threads(3):
        with several_threads(2):
            assert allowed_threads() == 2
        assert allowed_threads() == 3
    assert allowed_threads() == 1


@pytest.mark.parametrize("wrong", [0, -2, 1.5, "two", None])
def test_a_number_of_threads_that_is_none_is_refused(wrong):
    with pytest.raises(DagathlonError, match="threads"):
        learn(linear(4, 20, 1), "pc", threads=wrong)


def test_a_deadline_ends_all_threads():
    with pytest.raises(OutOfTimeError):
        learn(linear(60, 100, 1), "pc", threads=3, timeout=0)
    with pytest.raises(OutOfTimeError):
        learn(linear(60, 100, 1), "boss", threads=3, timeout=0)


@pytest.mark.parametrize(
    ("name", "given"), [("pc", {"alpha": 0.5}), ("boss", {"score": "bic-g", "k": 1.0})]
)
def test_what_ends_one_thread_ends_all(name, given):
    class EnoughError(Exception):
        pass

    def enough(done: int, total: int) -> None:
        raise EnoughError

    # Either search would take many seconds, and is asked long before.
    data = linear(400, 500, 1)
    with pytest.raises(EnoughError):
        learn(data, name, threads=3, progress=enough, **given)
    assert allowed_threads() == 1


def test_the_command_takes_a_number_of_threads(tmp_path, capsys):
    table = tmp_path / "data.csv"
    data = linear(8, 200, 2)
    rows = [",".join(data.names), *(",".join(map(repr, row)) for row in data.values.tolist())]
    table.write_text("\n".join(rows))
    graphs = []
    for number in ("1", "2"):
        assert main(["learn", str(table), "--with", "pc", "--threads", number]) == 0
        graphs.append(capsys.readouterr().out)
    assert graphs[0] == graphs[1] != ""
    assert main(["learn", str(table), "--with", "pc", "--threads", "0"]) != 0
    assert "--threads is a number of cores, found 0" in capsys.readouterr().err

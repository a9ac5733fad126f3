"""Several threads: the same results for any number of them, and an end when one is asked for."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threaded_runs import SEVERAL, alike, levels, linear, same

from dagathlon import _core, learn
from dagathlon.cli import main
from dagathlon.data import Dataset
from dagathlon.errors import DagathlonError, OutOfTimeError
from dagathlon.modules import modules
from dagathlon.pulse import part, stop_early, watch
from dagathlon.threads import allowed_threads, several_threads, side_by_side
from quick_settings import QUICK

SPLITTING = sorted(name for name, cls in modules("algorithm").items() if cls.splits)


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
    data = for_learner(name)
    quick = QUICK.get(name, {})
    one = learn(data, name, **quick)
    assert all(same(one, learn(data, name, threads=k, **quick)) for k in SEVERAL)


def for_learner(name: str) -> Dataset:
    """Small data of a kind that a learner takes."""
    cls = modules("algorithm")[name]
    data = linear(10, 100, 5) if "continuous" in cls.takes else levels(8, 100, 5)
    if not cls.handles_interventions:
        return data
    regimes = ([(), ("V1",), ("V2",)], np.arange(100) % 3)
    return Dataset(data.variables, values=data.values, regimes=regimes)


# What the defaults do not show: several starts, chains and samples, and sweeps over many columns.
SPLIT: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("hc", 8, {"column_orders": 5, "restart": 2}),
    ("tabu", 8, {"column_orders": 3}),
    ("hc", 120, {}),
    ("hc", 110, {"restart": 2, "perturb": 5}),
    ("ges", 8, {"starts": 5}),
    ("fges", 120, {}),
    ("fges", 120, {"faithfulness": True}),
    ("xges", 105, {"escape": False}),
    ("mmhc", 25, {}),
    ("h2pc", 12, {"column_orders": 2}),
    ("exact_map", 8, {"max_parents": 3}),
    ("exact_map", 8, {"score": "bge"}),
    ("giudici_green", 6, {"chains": 3, "iterations": 200}),
    ("junction_tree_mcmc", 6, {"chains": 3, "iterations": 200}),
    ("parallel_junction_trees", 6, {"chains": 3, "iterations": 200}),
    ("particle_gibbs", 5, {"chains": 3, "iterations": 5, "n_particles": 5}),
    ("mpl_mcmc", 6, {"chains": 3, "iterations": 50}),
    ("unconditional_mcmc", 6, {"chains": 3, "iterations": 100}),
    ("bd_mcmc", 5, {"chains": 3, "iterations": 50}),
    ("rj_mcmc", 5, {"chains": 3, "iterations": 50, "model": "copula"}),
    ("glasso", 12, {"select": "stars", "stars_samples": 7}),
    ("glasso", 12, {"select": "cv", "columns": "centred"}),
    ("glasso", 40, {"penalty": 0.2}),
    ("neighbourhood_lasso", 12, {"select": "cv"}),
    ("tiger", 12, {"select": "stars", "stars_samples": 5}),
    ("clime", 12, {"select": "cv"}),
    ("space", 12, {"select": "cv"}),
    ("mixed_lasso", 8, {"select": "cv"}),
    ("direct_lingam", 20, {}),
)


@pytest.mark.parametrize(("name", "p", "parameters"), SPLIT)
def test_starts_chains_samples_and_sweeps_are_the_same_with_any_number_of_threads(
    name, p, parameters
):
    data = linear(p, 150, 7)
    one = learn(data, name, **parameters)
    assert all(alike(one, learn(data, name, threads=k, **parameters)) for k in SEVERAL)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("exact_map", {"max_parents": 2}),
        ("mmhc", {}),
        ("gs", {"keep_untestable": True, "alpha": 0.5}),
        ("iamb_fdr", {}),
        ("ising_lasso", {"select": "cv"}),
        ("ges", {}),
    ],
)
def test_levels_are_split_as_well(name, parameters):
    data = levels(9, 120, 4)
    one = learn(data, name, **parameters)
    assert all(alike(one, learn(data, name, threads=k, **parameters)) for k in SEVERAL)


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


@pytest.mark.parametrize("wrong", [2**70, 0, -2, 1.5, True, "two", None])
def test_a_number_of_threads_that_is_none_is_refused(wrong):
    with pytest.raises(DagathlonError, match="threads"):
        learn(linear(4, 20, 1), "pc", threads=wrong)


def test_more_threads_than_any_machine_has_are_no_error():
    data = linear(40, 60, 1)
    assert same(learn(data, "pc"), learn(data, "pc", threads=10**9))


_WITHOUT_ROOM = """
import resource, sys
import numpy as np
from dagathlon import _core
from dagathlon.threads import several_threads
values = np.random.default_rng(1).normal(size=(50, 100))
test = _core.gaussian_test(values, "correlation", 1.0, False)
options = _core.SkeletonOptions(0.1, None, True, _core.KnownEdges())
pages = int(open("/proc/self/statm").read().split()[0])
room = pages * resource.getpagesize() + (20 << 20)
resource.setrlimit(resource.RLIMIT_AS, (room, resource.RLIM_INFINITY))
with several_threads(16):
    found = _core.pc_skeleton(test, options)
print(found[1])
"""


@pytest.mark.memory
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_threads_that_the_system_does_not_give_are_done_without():
    """There is room for the stacks of two threads, not of sixteen."""
    command = [sys.executable, "-c", _WITHOUT_ROOM]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    values = np.random.default_rng(1).normal(size=(50, 100))
    test = _core.gaussian_test(values, "correlation", 1.0, False)
    options = _core.SkeletonOptions(0.1, None, True, _core.KnownEdges())
    assert done.stdout.strip() == str(_core.pc_skeleton(test, options)[1]), done.stderr


def test_what_finishes_a_search_after_its_deadline_may_split():
    """The search has its best so far: parts of what is left to do raise nothing any more."""
    values = linear(40, 60, 1).values
    options = _core.SkeletonOptions(0.1, None, True, _core.KnownEdges())
    for threads in (1, 3):
        with several_threads(threads), watch(deadline=time.monotonic()):
            stop_early()
            with part():
                test = _core.gaussian_test(values, "correlation", 1.0, False)
                assert _core.pc_skeleton(test, options)[1]
                assert list(side_by_side(abs, [-1, 2, -3], 3)) == [1, 2, 3]


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

"""Questions that the data cannot answer: counted, told, and not followed without end."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagathlon.data import Dataset, Network, Variable
from dagathlon.learners import learn
from dagathlon.learners.constraint.constraint_based import ConstraintBased
from dagathlon.learners.independence import independence_test
from dagathlon.learners.independence.module import order_of_tables
from dagathlon.modules import modules

OTHERS = ("dual_pc", "gfci", "mmhc", "h2pc", "rsmax2")


def constant_column() -> Dataset:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(60, 4))
    values[:, 1] += values[:, 0]
    values[:, 3] = 7.0
    return Dataset([Variable(name) for name in "abcd"], values=values)


def coins(rows: int, columns: int, seed: int = 0) -> Dataset:
    codes = np.random.default_rng(seed).integers(2, size=(rows, columns))
    return Dataset([Variable(f"V{j}", ("0", "1")) for j in range(columns)], codes=codes)


@pytest.mark.parametrize("name", ["cor", "mi-g-sh", "smc-cor", "zf", "kci", "wilks-dg", "mi-cg"])
def test_undefined_tests_are_counted_whichever_way_they_are_asked(name: str) -> None:
    test = independence_test(constant_column(), name, replicates=5)
    test.test("a", "b")
    assert (test.calls, test.undefined) == (1, 0)
    assert not test.test("a", "d").defined
    assert test.independent("b", "d", "a")
    assert not test.independent("a", "b", alpha=0.5)
    assert (test.calls, test.undefined) == (4, 2)


def test_undefined_tables_are_counted() -> None:
    test = independence_test(coins(3, 3), "g-square")
    assert not test.test("V0", "V1").defined
    assert not test.independent("V0", "V1")  # Tetrad keeps the edge
    assert test.undefined == 2


LEARNERS = sorted(
    name for name, learner in modules("algorithm").items() if issubclass(learner, ConstraintBased)
)


@pytest.mark.parametrize("name", [*LEARNERS, *OTHERS])
def test_every_learner_that_tests_tells_what_stayed_open(name: str) -> None:
    data = constant_column()
    found = learn(data, name)
    asked, undefined = found.stats["ntests"], found.stats["undefined_tests"]
    if name != "gfci":  # its search by score leaves nothing to test here
        assert 0 < undefined < asked
        assert found.notes[0].startswith(f"The data could not answer {undefined} of")
        assert "constant columns" in found.notes[0]
    quiet = learn(data.select(["a", "b", "c"]), name)
    assert quiet.stats["undefined_tests"] == 0
    assert not any("could not answer" in note for note in quiet.notes)


@given(levels=st.lists(st.integers(2, 5), min_size=2, max_size=6), rows=st.integers(2, 500))
def test_the_largest_order_is_that_of_some_table(levels: list[int], rows: int) -> None:
    variables = [Variable(f"V{j}", tuple(map(str, range(k)))) for j, k in enumerate(levels)]
    data = Dataset(variables, codes=np.zeros((rows, len(levels)), dtype=np.uint8))
    sizes = [
        size - 2
        for size in range(2, len(levels) + 1)
        if any(5 * math.prod(some) <= rows for some in itertools.combinations(levels, size))
    ]
    assert order_of_tables(data) == max(sizes, default=0)


def test_alarm_with_few_rows_ends_and_says_why() -> None:
    data = Network.load("alarm").sample(200, 1)
    found = learn(data, "pc", test="g-square")
    assert found.stats["order_bound"] == found.stats["max_order"] == 3
    assert found.stats["ntests"] < 100_000
    assert "count as dependence" in found.notes[0]
    assert "bounded at 3" in found.notes[1]
    assert "max_order" in found.notes[1]
    asked_for = learn(data, "pc", test="g-square", max_order=2)
    assert asked_for.stats["max_order"] == 2
    assert "order_bound" not in asked_for.stats
    assert len(asked_for.notes) == 1


@pytest.mark.parametrize("name", ["gs", "fci", "fci_plus", "rfci", "pc_missing"])
def test_relatives_end_too(name: str) -> None:
    data = Network.load("alarm").sample(200, 2)
    correction = {"correction": None} if name == "pc_missing" else {}
    found = learn(data, name, test="g-square", **correction)
    assert found.stats["order_bound"] == 3
    assert "bounded at 3" in found.notes[1]


@pytest.mark.parametrize("name", ["pc", "fci", "gs"])
@pytest.mark.parametrize("test", ["g-square", "mi"])
def test_the_bound_changes_nothing_where_all_tests_have_answers(name: str, test: str) -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        first = rng.integers(2, size=(300, 1))
        codes = (first + (rng.random((300, 7)) < 0.2)) % 2
        data = Dataset([Variable(f"V{j}", ("0", "1")) for j in range(7)], codes=codes)
        default, unlimited = (learn(data, name, test=test, max_order=k) for k in (None, "inf"))
        assert default.graph == unlimited.graph
        assert default.stats == unlimited.stats


def test_no_limit_can_be_asked_for() -> None:
    data = Network.load("asia").sample(60, 3)
    bounded = learn(data, "pc", test="g-square")
    free = learn(data, "pc", test="g-square", max_order="inf")
    assert bounded.stats["order_bound"] == 1
    assert free.stats["max_order"] > 1
    assert "order_bound" not in free.stats
    assert (
        learn(data, "tetrad_pc", test="g-square-test", datatype="discrete").stats["ntests"]
        > (bounded.stats["ntests"])
    )


def skeleton_by_brute_force(data: Dataset, test: str, stable: bool) -> set[frozenset[str]]:
    """PC's skeleton, with every set of neighbours of either end tried at every level."""
    asked = independence_test(data, test)
    asked.native.undefined_is_independent = False
    now = {a: set(data.names) - {a} for a in data.names}
    for order in range(len(data.names) - 1):
        before = {a: sorted(now[a], key=data.position) for a in data.names}
        for a, b in [(one, other) for one in data.names for other in before[one]]:
            around = before[a] if stable else sorted(now[a], key=data.position)
            sets = itertools.combinations([c for c in around if c != b], order)
            if b in now[a] and any(asked.independent(a, b, given) for given in sets):
                now[a].remove(b)
                now[b].remove(a)
    return {frozenset((a, b)) for a in data.names for b in now[a]}


@pytest.mark.parametrize("stable", [True, False])
def test_pairs_without_answers_are_given_up_at_no_loss(stable: bool) -> None:
    undefined = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        first = rng.random((40, 1)) < 0.8
        codes = (first ^ (rng.random((40, 6)) < rng.uniform(0, 0.3, 6))).astype(np.uint8)
        discrete = Dataset([Variable(f"V{j}", ("0", "1")) for j in range(6)], codes=codes)
        values = rng.normal(size=(7, 6)) + rng.normal(size=(7, 1))
        values[:, 3] = 1.0
        continuous = Dataset([Variable(f"V{j}") for j in range(6)], values=values)
        for data, test in ((discrete, "g-square"), (discrete, "chi-square"), (continuous, "zf")):
            how = {"max_order": "inf", "keep_untestable": True, "stable": stable}
            found = learn(data, "pc", test=test, **how)
            edges = {frozenset((edge.left, edge.right)) for edge in found.graph.edges()}
            assert edges == skeleton_by_brute_force(data, test, stable)
            undefined += found.stats["undefined_tests"]
    assert undefined > 100

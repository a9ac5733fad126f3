"""`IndependenceTest`: independence tests on one data set, by the names of its columns."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from dagathlon import _core
from dagathlon.data import Dataset, read_data
from dagathlon.data.preparing.imputation import DEFAULT_COPIES
from dagathlon.data.spec import facts_of
from dagathlon.errors import DataError, listing, unknown
from dagathlon.graphs import Graph
from dagathlon.graphs.separation import check_separation
from dagathlon.learners.independence.catalogue import (
    DEFAULT_TESTS,
    DELETION,
    NamedTest,
    named_test,
    suitable_tests,
    with_ending,
)
from dagathlon.learners.independence.module import TestModule
from dagathlon.learners.run import make_ready


class TestResult(NamedTuple):
    """Result of one independence test.

    Parameters
    ----------
    statistic
        Value of the statistic.
    df
        Its degrees of freedom; 0 where the test has none.
    p_value
        Probability of such a value, or a more extreme one, under independence.
    defined
        False when the data cannot answer: too few rows, a constant variable, or one that is a
        function of the given ones. Then the p-value is 1.
    """

    statistic: float
    df: float
    p_value: float
    defined: bool


class IndependenceTest:
    """Tests of conditional independence on one data set or one graph.

    Made by `independence_test` and `separation_test`. It counts its calls.
    """

    __test__ = False
    __slots__ = ("_module", "_name", "_names", "_native", "_rows")

    def __init__(
        self,
        names: tuple[str, ...],
        native: _core.IndependenceTest,
        name: str = "",
        module: TestModule | None = None,
    ) -> None:
        self._name = name
        self._module = module
        self._names = names
        self._native = native
        self._rows = {name: j for j, name in enumerate(names)}

    @property
    def name(self) -> str:
        """Name of the test; empty for `separation_test`."""
        return self._name

    @property
    def module(self) -> TestModule | None:
        """The test as a module; None for `separation_test`."""
        return self._module

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables."""
        return self._names

    @property
    def native(self) -> _core.IndependenceTest:
        """The kernel, which numbers the variables as `names` does."""
        return self._native

    @property
    def calls(self) -> int:
        """Number of tests made."""
        return self._native.calls

    @property
    def undefined(self) -> int:
        """Number of tests that the data could not answer."""
        return self._native.undefined

    def test(self, x: str, y: str, given: str | Collection[str] = ()) -> TestResult:
        """Test whether `x` and `y` are independent given other variables."""
        return TestResult(*self._native.test(*self._query(x, y, given)))

    def independent(
        self, x: str, y: str, given: str | Collection[str] = (), *, alpha: float = 0.05
    ) -> bool:
        """Return whether independence is accepted: whether the p-value is at least `alpha`."""
        return self._native.independent(*self._query(x, y, given), alpha)

    def _query(self, x: str, y: str, given: str | Collection[str]) -> tuple[int, int, list[int]]:
        known = [given] if isinstance(given, str) else list(given)
        for name in (x, y, *known):
            if name not in self._rows:
                raise DataError(unknown("variable", name, self._names))
        if len({x, y, *known}) != len(known) + 2:
            raise DataError(f"a test needs different variables, found {listing([x, y, *known])}")
        return self._rows[x], self._rows[y], [self._rows[name] for name in known]


def independence_test(
    data: Any,
    name: str | TestModule | None = None,
    *,
    replicates: int | None = None,
    seed: int = 0,
    completed: Sequence[Dataset] | None = None,
) -> IndependenceTest:
    """Make a test of conditional independence.

    A test that the data cannot answer has the p-value 1: a variable is constant or a linear
    function of the given ones, or the rows are too few for the given variables. Given variables
    that are linear functions of each other count once.

    Parameters
    ----------
    data
        A `Dataset`, or anything `read_data` takes.
    name
        Name of the test, such as ``cor``, ``mi`` or ``kci``, with parameters where it has some
        (``mine[bins=5]``), or the test itself; the error for an unknown name lists the tests. The
        suffix ``.td`` leaves rows with missing values in the variables of a test out of that test;
        with ``.mi`` the test is pooled over imputed copies of the data. By default ``cor``
        (Student's t) for continuous, ``mi`` (G²) for discrete and ``wilks-dg`` (degenerate
        Gaussian) for mixed data.
    replicates
        Number of permutations, for the tests that use them, or of imputed copies of the data.
    seed
        Seed of the permutations and imputations.
    completed
        Completed copies of the data, such as `dagathlon.data.impute` gives, over which a test with
        ``.mi`` pools; by default they are made here.

    Examples
    --------
    >>> from dagathlon import Network
    >>> test = independence_test(Network.load("asia").sample(1000, seed=1), "mi")
    >>> test.independent("tub", "lung")
    True
    >>> test.independent("tub", "lung", given=["either"])
    False
    """
    data = data if isinstance(data, Dataset) else read_data(data)
    kind = facts_of(data).kind or "mixed"
    chosen = DEFAULT_TESTS[kind] if name is None else name
    test = NamedTest(chosen, False, False) if isinstance(chosen, TestModule) else named_test(chosen)
    module = test.module
    chosen = module.name if isinstance(chosen, TestModule) else chosen
    if kind not in module.takes:
        raise DataError(
            f"the test {chosen!r} is for {' or '.join(sorted(module.takes))} data, and these are "
            f"{kind}; tests for {kind} data: {listing(suitable_tests(kind))}"
        )
    make_ready(type(module))
    _check_values(data, chosen, test)
    if test.imputes:
        native = _pooled(module, data, completed, replicates, seed)
    else:
        native = module.make(data, rowwise=test.deletes, replicates=replicates, seed=seed)
    return IndependenceTest(data.names, native, chosen, module)


def _pooled(
    module: TestModule,
    data: Dataset,
    completed: Sequence[Dataset] | None,
    copies: int | None,
    seed: int,
) -> _core.IndependenceTest:
    """Return the test pooled over completed data, or over copies that are made here."""
    if completed is not None:
        return module.pool(completed)
    return module.make_pooled(data, copies=DEFAULT_COPIES if copies is None else copies, seed=seed)


def separation_test(graph: Graph) -> IndependenceTest:
    """Return the oracle test of a true graph: independence is separation in it.

    Parameters
    ----------
    graph
        A graph for which m-separation is defined: a DAG, CPDAG, MAG or undirected graph.
    """
    check_separation(graph)
    return IndependenceTest(graph.names, _core.oracle_test(graph.native))


def _check_values(data: Dataset, name: str, test: NamedTest) -> None:
    if len(data) < 2:
        raise DataError(f"a test of independence needs at least 2 rows, found {len(data)}")
    if not (test.deletes or test.imputes) and data.missing is not None:
        column = data.names[int(np.argmax(data.missing.any(axis=0)))]
        deletion = f"use {with_ending(name, DELETION)!r} to leave out rows per test, or "
        raise DataError(
            f"variable {column!r} has missing values, which the test {name!r} cannot handle; "
            f"{deletion if test.module.leaves_out_rows else ''}impute them first "
            "(dagathlon.data.impute)"
        )
    most = test.module.max_rows
    if most and len(data) > most:
        raise DataError(
            f"the test {name!r} holds matrices of rows by rows and takes at most {most} rows, "
            f"found {len(data)}; take a sample of the rows"
        )

"""`TestModule`, the base class of all tests of conditional independence."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.data.dataset import Dataset
from dagathlon.data.preparing.imputation import stacked_copies
from dagathlon.data.spec import DataKind
from dagathlon.modules import Module
from dagathlon.modules.lineage import FIRST

if TYPE_CHECKING:
    from dagathlon.data import Variable

ROWS_PER_CELL = 5
"""Rows per cell that a contingency table needs on average."""

CONTINUOUS: frozenset[DataKind] = frozenset({"continuous"})
DISCRETE: frozenset[DataKind] = frozenset({"discrete"})
ANY: frozenset[DataKind] = frozenset({"continuous", "discrete", "mixed"})


class Options(NamedTuple):
    """Options with which the native test is built.

    Parameters
    ----------
    rowwise
        Whether rows with missing values in the variables of a test are left out of it.
    replicates
        Number of permutations.
    seed
        Seed of its random numbers.
    """

    rowwise: bool = False
    replicates: int = 0
    seed: int = 0


class StackedCopies(NamedTuple):
    """Imputed copies of a data set, stacked row-wise."""

    data: Dataset
    codes: npt.NDArray[np.uint16]
    values: npt.NDArray[np.float64]
    copies: int


@dataclass(frozen=True, kw_only=True)
class TestModule(Module):
    """Base class of named tests of conditional independence, which learners take as `test`.

    Attributes
    ----------
    takes
        Kinds of data.
    assumes
        Its assumptions, in words of `learners.assumptions` where they fit.
    leaves_out_rows
        Whether it supports test-wise deletion of rows with missing values: its name with ``.td``.
    pools
        Whether it can be pooled over imputed copies of the data: its name with ``.mi``.
    pooled_version
        Version of the pooled form.
    replicates
        Default number of permutations; 0 for tests without.
    draws
        Whether it draws random numbers besides permutations.
    untestable_is_dependent
        Whether a test that the data cannot answer counts as dependence.
    by_cells
        Whether each configuration of the discrete variables has parameters of its own.
    max_rows
        Largest number of rows, for tests whose memory is quadratic in them; 0 for no limit.
    symmetric
        Whether x and y can be exchanged.
    by_columns
        Whether the result depends on the order of the columns, as when it decides which variable is
        regressed.
    one_thread
        Whether it must be called from one thread.
    """

    __test__ = False

    kind = "test"
    takes: ClassVar[frozenset[DataKind]] = frozenset()
    assumes: ClassVar[tuple[str, ...]] = ()
    leaves_out_rows: ClassVar[bool] = False
    pools: ClassVar[bool] = False
    pooled_version: ClassVar[int] = FIRST
    replicates: ClassVar[int] = 0
    draws: ClassVar[bool] = False
    untestable_is_dependent: ClassVar[bool] = False
    by_cells: ClassVar[bool] = False
    max_rows: ClassVar[int] = 0
    symmetric: ClassVar[bool] = True
    by_columns: ClassVar[bool] = False
    one_thread: ClassVar[bool] = False

    @classmethod
    def assumptions(cls, kind: DataKind) -> tuple[str, ...]:
        """Return the assumptions about data of one kind."""
        return cls.assumes

    @classmethod
    def needs_seed(cls) -> bool:
        """Return whether its p-values depend on random numbers."""
        return cls.draws or cls.replicates > 0

    @abstractmethod
    def native(self, data: Dataset, options: Options) -> _core.IndependenceTest:
        """Build the native test on these data."""

    def pooled(self, copies: StackedCopies) -> _core.IndependenceTest:
        """Build the native test that pools over imputed copies, for tests with `pools`."""
        raise NotImplementedError

    def testable_order(self, data: Dataset) -> int:
        """Return the largest number of given variables for which the rows may suffice."""
        discrete = any(variable.is_discrete for variable in data.variables)
        return order_of_tables(data) if self.by_cells and discrete else order_of_columns(data)

    def make(
        self, data: Dataset, *, rowwise: bool, replicates: int | None, seed: int
    ) -> _core.IndependenceTest:
        """Build the native test; with `rowwise`, incomplete rows are dropped for each test."""
        test = self.native(data, Options(rowwise, replicates or self.replicates, seed))
        test.undefined_is_independent = not self.untestable_is_dependent
        return test

    def make_pooled(self, data: Dataset, *, copies: int, seed: int) -> _core.IndependenceTest:
        """Impute the data several times and build the native test that pools over the copies."""
        return self.pooled(StackedCopies(data, *stacked_copies(data, copies, seed=seed), copies))

    def pool(self, completed: Sequence[Dataset]) -> _core.IndependenceTest:
        """Build the native test that pools over copies imputed by the caller."""
        codes = np.concatenate([copy.codes for copy in completed]).astype(np.uint16)
        values = np.concatenate([copy.values for copy in completed])
        return self.pooled(StackedCopies(completed[0], codes, values, len(completed)))


class MonteCarlo:
    """Mixin of tests with 5000 permutations."""

    replicates = 5000


class Sequential:
    """Mixin of tests with 500 permutations."""

    replicates = 500


def order_of_tables(data: Dataset) -> int:
    """Return the largest number of given variables for which some table has enough rows per cell.

    This is the table of the variables with the fewest levels. A continuous variable counts as
    one of two levels.

    Examples
    --------
    >>> from dagathlon.data import Dataset, Variable
    >>> coins = [Variable(name, ("heads", "tails")) for name in "ABCDEF"]
    >>> order_of_tables(Dataset(coins, codes=[[0] * 6] * 200))
    3
    """
    cells, order = 1, -2
    for levels in sorted(_levels(variable) for variable in data.variables):
        cells *= levels
        if cells * ROWS_PER_CELL > len(data):
            break
        order += 1
    return max(order, 0)


def _levels(variable: Variable) -> int:
    return max(variable.arity, 2) if variable.is_discrete else 2


def order_of_columns(data: Dataset) -> int:
    """Return the largest number of given columns that leaves a residual degree of freedom."""
    return max(len(data) - 3, 0)

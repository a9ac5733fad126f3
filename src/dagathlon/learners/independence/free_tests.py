"""Nonparametric independence tests: kernels, random features and nearest neighbours."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.data.dataset import Dataset
from dagathlon.learners.independence.module import ANY, CONTINUOUS, Options, TestModule

# A kernel test needs about five matrices of rows by rows: about a gigabyte.
_KERNEL_ROWS = 5000


class KernelTest(TestModule):
    """Kernel test of conditional independence (KCI), gamma approximation."""

    name = "kci"
    takes = CONTINUOUS
    by_columns = True
    max_rows = _KERNEL_ROWS

    def native(self, data: Dataset, options: Options) -> _core.IndependenceTest:
        """Build the native test."""
        return _core.kernel_test(data.values)


class BlockKernelTest(TestModule):
    """Kernel test of conditional independence in blocks of similar rows."""

    name = "fast-kci"
    takes = CONTINUOUS
    draws = True
    max_rows = 10 * _KERNEL_ROWS

    def native(self, data: Dataset, options: Options) -> _core.IndependenceTest:
        """Build the native test."""
        return _core.block_kernel_test(data.values, options.seed)


class RandomConditionalTest(TestModule):
    """Randomised conditional independence test (RCIT): kernels by random features."""

    name = "rcit"
    takes = CONTINUOUS
    draws = True

    def native(self, data: Dataset, options: Options) -> _core.IndependenceTest:
        """Build the native test, with the features of one variable joined with the given ones."""
        return _core.fourier_test(data.values, True, options.seed)


class RandomCorrelationTest(TestModule):
    """Randomised conditional correlation test (RCoT): kernels by random features."""

    name = "rcot"
    takes = CONTINUOUS
    draws = True

    def native(self, data: Dataset, options: Options) -> _core.IndependenceTest:
        """Build the native test."""
        return _core.fourier_test(data.values, False, options.seed)


class NeighbourTest(TestModule):
    """Conditional mutual information of ranks by nearest neighbours, with local permutations."""

    name = "cmi-knn"
    takes = ANY
    replicates = 200
    max_rows = _KERNEL_ROWS

    def native(self, data: Dataset, options: Options) -> _core.IndependenceTest:
        """Build the native test."""
        return _core.neighbour_test(*places_of_rows(data), options.replicates, options.seed)


def places_of_rows(data: Dataset) -> tuple[npt.NDArray[np.uint16], list[bool]]:
    """Return each column's ranks (level codes if discrete), and whether each column is discrete.

    The rank of a number is the number of smaller ones, so that equal numbers share a rank and
    monotone functions of a column change nothing.
    """
    is_discrete = [variable.is_discrete for variable in data.variables]
    places = np.empty((len(data), len(data.names)), dtype=np.uint16, order="F")
    for j, name in enumerate(data.names):
        column = data.column(name)
        places[:, j] = column if is_discrete[j] else np.searchsorted(np.sort(column), column)
    return places, is_discrete

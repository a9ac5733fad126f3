"""Nonparametric independence tests: kernels, random features and nearest neighbours."""

from __future__ import annotations

from dagathlon import _core
from dagathlon.data.dataset import Dataset
from dagathlon.learners.independence.module import ANY, CONTINUOUS, Options, TestModule
from dagathlon.learners.independence.places import places_of_rows

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

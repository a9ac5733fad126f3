"""Independence tests by joint models of continuous and discrete variables."""

from __future__ import annotations

from typing import ClassVar

from dagathlon import _core
from dagathlon.data.dataset import Dataset
from dagathlon.data.spec import DataKind
from dagathlon.learners.assumptions import conditional_gaussian, degenerate_gaussian
from dagathlon.learners.independence.module import ANY, Options, StackedCopies, TestModule
from dagathlon.learners.indicators import indicator_columns


class DegenerateTest(TestModule):
    """Base class of the degenerate Gaussian tests, which treat level indicators as normal.

    Attributes
    ----------
    bartlett
        Whether the likelihood ratio has Bartlett's correction.
    """

    takes = ANY
    leaves_out_rows = True
    bartlett: ClassVar[bool] = False

    @classmethod
    def assumptions(cls, kind: DataKind) -> tuple[str, ...]:
        """Return the assumption of linear relations among numbers and indicators."""
        return degenerate_gaussian(kind)

    def native(self, data: Dataset, options: Options) -> _core.IndependenceTest:
        """Build the native test on values and indicator columns."""
        columns = indicator_columns(data)
        return _core.degenerate_gaussian_test(*columns, self.bartlett, options.rowwise)


class DegenerateRatio(DegenerateTest):
    """Likelihood ratio test of jointly normal indicators and values."""

    name = "lr-dg"
    pools = True

    def pooled(self, copies: StackedCopies) -> _core.IndependenceTest:
        """Build the native test that pools the likelihood ratio over imputed copies."""
        stacked = Dataset(copies.data.variables, codes=copies.codes, values=copies.values)
        return _core.pooled_degenerate_test(*indicator_columns(stacked), copies.copies)


class WilksLambda(DegenerateTest):
    """Wilks' lambda of jointly normal indicators and values, with Bartlett's correction."""

    name = "wilks-dg"
    bartlett = True


class ConditionalTest(TestModule):
    """Base class of the tests by conditional Gaussian models.

    Attributes
    ----------
    likelihood_ratio
        Whether it is the likelihood ratio of the whole model.
    """

    takes = ANY
    leaves_out_rows = True
    by_cells = True
    likelihood_ratio: ClassVar[bool] = False

    @classmethod
    def assumptions(cls, kind: DataKind) -> tuple[str, ...]:
        """Return the assumption that numbers are Gaussian in each configuration of levels."""
        return conditional_gaussian(kind)

    def native(self, data: Dataset, options: Options) -> _core.IndependenceTest:
        """Build the native test; it leaves out rows with missing values itself."""
        discrete = [variable.is_discrete for variable in data.variables]
        return _core.mixed_test(
            data.codes, list(data.arities), data.values, discrete, self.likelihood_ratio
        )


class ConditionalInformation(ConditionalTest):
    """bnlearn's mutual information of conditional Gaussian models; unbiased variances."""

    name = "mi-cg"
    pools = True
    symmetric = False

    def pooled(self, copies: StackedCopies) -> _core.IndependenceTest:
        """Build the native test that pools the information over imputed copies."""
        data = copies.data
        discrete = [variable.is_discrete for variable in data.variables]
        return _core.pooled_mixed_test(
            copies.codes, list(data.arities), copies.values, discrete, copies.copies
        )


class ConditionalRatio(ConditionalTest):
    """Likelihood ratio of conditional Gaussian models: symmetric, maximum likelihood variances."""

    name = "lr-cg"
    likelihood_ratio = True

"""Tests by contingency tables."""

from __future__ import annotations

from typing import ClassVar

from dagathlon import _core
from dagathlon.data.dataset import Dataset
from dagathlon.learners.independence.module import (
    DISCRETE,
    MonteCarlo,
    Options,
    Sequential,
    StackedCopies,
    TestModule,
)


class DiscreteTest(TestModule):
    """Base of the tests by contingency tables.

    Attributes
    ----------
    statistic
        Name of the statistic in the kernel.
    df
        How degrees of freedom are counted.
    semiparametric
        Whether permutations estimate the degrees of freedom.
    """

    takes = DISCRETE
    leaves_out_rows = True
    by_cells = True
    statistic: ClassVar[str]
    df: ClassVar[str] = "full"
    semiparametric: ClassVar[bool] = False

    def native(self, data: Dataset, options: Options) -> _core.IndependenceTest:
        """Build the kernel; it leaves out rows with missing values itself."""
        arities, statistic = list(data.arities), self.statistic
        if not self.replicates:
            return _core.discrete_test(data.codes, arities, statistic, self.df)
        drawn = options.replicates, options.seed
        return _core.discrete_permutation_test(
            data.codes, arities, statistic, *drawn, self.semiparametric
        )

    def pooled(self, copies: StackedCopies) -> _core.IndependenceTest:
        """Build the kernel that pools G² over imputed copies."""
        return _core.pooled_discrete_test(copies.codes, list(copies.data.arities), copies.copies)


class Information(DiscreteTest):
    """G² (mutual information), chi-square with all degrees of freedom."""

    name = "mi"
    statistic = "g-square"
    pools = True


class InformationOfSeen(DiscreteTest):
    """G² with the degrees of freedom of the levels that occur in each slice."""

    name = "mi-seen"
    statistic = "g-square"
    df = "occupied"


class AdjustedInformation(DiscreteTest):
    """mi-seen that accepts independence with fewer than five rows per cell."""

    name = "mi-adf"
    statistic = "g-square"
    df = "adjusted"


class ShrunkInformation(DiscreteTest):
    """G² of cell probabilities shrunk towards the uniform distribution."""

    name = "mi-sh"
    statistic = "shrunk"


class ChiSquare(DiscreteTest):
    """Pearson's X² with all degrees of freedom."""

    name = "x2"
    statistic = "chi-square"


class ChiSquareOfSeen(DiscreteTest):
    """X² with the degrees of freedom of the levels that occur in each slice."""

    name = "x2-seen"
    statistic = "chi-square"
    df = "occupied"


class AdjustedChiSquare(DiscreteTest):
    """x2-seen that accepts independence with fewer than five rows per cell."""

    name = "x2-adf"
    statistic = "chi-square"
    df = "adjusted"


class JonckheereTerpstra(DiscreteTest):
    """Jonckheere-Terpstra test of ordered levels, normal."""

    name = "jt"
    statistic = "ordered-pairs"


class BinCITest(DiscreteTest):
    """G² that accepts independence with fewer than ten rows per degree of freedom."""

    name = "binCItest"
    statistic = "g-square"
    df = "ten-rows"
    pools = True


# As pcalg's, these take any five given variables for a separating set.
class DisCITest(DiscreteTest):
    """G² as pcalg's disCItest, by which five given variables always separate."""

    name = "disCItest"
    version = 2
    statistic = "g-square"
    df = "ten-rows-to-four"
    pools = True


class DisCITestAdapt(DiscreteTest):
    """disCItest with pcalg's adapted degrees of freedom."""

    name = "disCItest-adapt"
    version = 2
    statistic = "g-square"
    df = "ten-rows-less-empty"


class TetradGSquare(DiscreteTest):
    """G² without rare levels, as Tetrad 7; what cannot be tested is dependent."""

    name = "g-square"
    statistic = "g-square"
    df = "observed"
    untestable_is_dependent = True


class TetradChiSquare(DiscreteTest):
    """X² without rare levels, as Tetrad 7; what cannot be tested is dependent."""

    name = "chi-square"
    statistic = "chi-square"
    df = "observed"
    untestable_is_dependent = True


class MonteCarloInformation(MonteCarlo, DiscreteTest):
    """Share of 5000 permutations that reach G²."""

    name = "mc-mi"
    statistic = "g-square"


class SequentialInformation(Sequential, DiscreteTest):
    """Share of 500 permutations that reach G²."""

    name = "smc-mi"
    statistic = "g-square"


class MonteCarloChiSquare(MonteCarlo, DiscreteTest):
    """Share of 5000 permutations that reach X²."""

    name = "mc-x2"
    statistic = "chi-square"


class SequentialChiSquare(Sequential, DiscreteTest):
    """Share of 500 permutations that reach X²."""

    name = "smc-x2"
    statistic = "chi-square"


class MonteCarloJonckheereTerpstra(MonteCarlo, DiscreteTest):
    """Share of 5000 permutations that reach the Jonckheere-Terpstra statistic."""

    name = "mc-jt"
    statistic = "ordered-pairs"


class SequentialJonckheereTerpstra(Sequential, DiscreteTest):
    """Share of 500 permutations that reach the Jonckheere-Terpstra statistic."""

    name = "smc-jt"
    statistic = "ordered-pairs"


class SemiparametricInformation(DiscreteTest):
    """G² with the mean of 100 permutations as degrees of freedom."""

    name = "sp-mi"
    statistic = "g-square"
    replicates = 100
    semiparametric = True


class SemiparametricChiSquare(DiscreteTest):
    """X² with the mean of 100 permutations as degrees of freedom."""

    name = "sp-x2"
    statistic = "chi-square"
    replicates = 100
    semiparametric = True

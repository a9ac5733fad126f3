"""Independence tests by contingency tables."""

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
    """Base class of the tests by contingency tables.

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
        """Build the native test; it leaves out rows with missing values itself."""
        arities, statistic = list(data.arities), self.statistic
        if not self.replicates:
            return _core.discrete_test(data.codes, arities, statistic, self.df)
        drawn = options.replicates, options.seed
        return _core.discrete_permutation_test(
            data.codes, arities, statistic, *drawn, self.semiparametric
        )

    def pooled(self, copies: StackedCopies) -> _core.IndependenceTest:
        """Build the native test that pools G² over imputed copies."""
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
    """mi-seen, which accepts independence when there are fewer than five rows per cell."""

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
    """X² test with degrees of freedom counted from the levels seen (x2-seen)."""

    name = "x2-adf"
    statistic = "chi-square"
    df = "adjusted"


class JonckheereTerpstra(DiscreteTest):
    """Jonckheere-Terpstra test of ordered levels, normal approximation."""

    name = "jt"
    statistic = "ordered-pairs"


class BinCITest(DiscreteTest):
    """G² that accepts independence when there are fewer than ten rows per degree of freedom."""

    name = "binCItest"
    statistic = "g-square"
    df = "ten-rows"
    pools = True


# As in pcalg, independence is accepted given five or more variables.
class DisCITest(DiscreteTest):
    """G² as in pcalg's disCItest, which accepts independence given five or more variables."""

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
    """G² without rare levels, as in Tetrad 7; untestable questions count as dependence."""

    name = "g-square"
    statistic = "g-square"
    df = "observed"
    untestable_is_dependent = True


class TetradChiSquare(DiscreteTest):
    """X² without rare levels, as in Tetrad 7; untestable questions count as dependence."""

    name = "chi-square"
    statistic = "chi-square"
    df = "observed"
    untestable_is_dependent = True


class MonteCarloInformation(MonteCarlo, DiscreteTest):
    """Permutation test by G² with 5000 permutations."""

    name = "mc-mi"
    statistic = "g-square"


class SequentialInformation(Sequential, DiscreteTest):
    """Permutation test by G² with 500 permutations."""

    name = "smc-mi"
    statistic = "g-square"


class MonteCarloChiSquare(MonteCarlo, DiscreteTest):
    """Permutation test by X² with 5000 permutations."""

    name = "mc-x2"
    statistic = "chi-square"


class SequentialChiSquare(Sequential, DiscreteTest):
    """Permutation test by X² with 500 permutations."""

    name = "smc-x2"
    statistic = "chi-square"


class MonteCarloJonckheereTerpstra(MonteCarlo, DiscreteTest):
    """Permutation test by the Jonckheere-Terpstra statistic with 5000 permutations."""

    name = "mc-jt"
    statistic = "ordered-pairs"


class SequentialJonckheereTerpstra(Sequential, DiscreteTest):
    """Permutation test by the Jonckheere-Terpstra statistic with 500 permutations."""

    name = "smc-jt"
    statistic = "ordered-pairs"


class SemiparametricInformation(DiscreteTest):
    """G² test whose degrees of freedom are the mean of G² over 100 permutations."""

    name = "sp-mi"
    statistic = "g-square"
    replicates = 100
    semiparametric = True


class SemiparametricChiSquare(DiscreteTest):
    """X² test whose degrees of freedom are the mean of X² over 100 permutations."""

    name = "sp-x2"
    statistic = "chi-square"
    replicates = 100
    semiparametric = True

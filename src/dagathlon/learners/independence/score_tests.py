"""Tests by a score: variables are dependent when an edge between them pays."""

from __future__ import annotations

from typing import ClassVar

from dagathlon import _core
from dagathlon.data.dataset import Dataset
from dagathlon.learners.assumptions import GAUSSIAN
from dagathlon.learners.independence.module import CONTINUOUS, DISCRETE, Options, TestModule
from dagathlon.learners.score.score_kinds import ScoreParameters, shared_scores
from dagathlon.learners.score.scores import native_score
from dagathlon.modules import SharedCode

_TETRAD_DEFAULTS = ScoreParameters(iss=10.0, penalty_discount=2.0)


class TestByScore(TestModule):
    """Base of the tests by a score, whatever the level of significance.

    Attributes
    ----------
    score
        Name of the score.
    """

    score: ClassVar[str]

    def native(self, data: Dataset, options: Options) -> _core.IndependenceTest:
        """Build the kernel with Tetrad's parameters of the score."""
        return _core.score_test(native_score(data, self.score, _TETRAD_DEFAULTS))

    def delegates(self) -> tuple[SharedCode, ...]:
        """The score."""
        return shared_scores((self.score,))


class SemBicTest(TestByScore):
    """Dependent when the edge pays by sem-bic with penalty 2."""

    name = "sem-bic"
    takes = CONTINUOUS
    assumes = (GAUSSIAN,)
    score = "sem-bic"


class BdeuTest(TestByScore):
    """Dependent when the edge pays by bdeu with imaginary sample size 10."""

    name = "bdeu"
    takes = DISCRETE
    by_cells = True
    score = "bdeu"


class DiscBicTest(TestByScore):
    """Dependent when the edge pays by disc-bic with penalty 2."""

    name = "disc-bic"
    takes = DISCRETE
    by_cells = True
    score = "disc-bic"

"""Independence tests by a score: dependence means that an edge raises the score."""

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
    """Base class of the tests by a score; the significance level has no effect.

    Attributes
    ----------
    score
        Name of the score.
    """

    score: ClassVar[str]

    def native(self, data: Dataset, options: Options) -> _core.IndependenceTest:
        """Build the native test with Tetrad's parameters of the score."""
        return _core.score_test(native_score(data, self.score, _TETRAD_DEFAULTS))

    def delegates(self) -> tuple[SharedCode, ...]:
        """Return the score as a delegate."""
        return shared_scores((self.score,))


class SemBicTest(TestByScore):
    """Dependence if an edge raises sem-bic with penalty 2."""

    name = "sem-bic"
    takes = CONTINUOUS
    assumes = (GAUSSIAN,)
    score = "sem-bic"


class BdeuTest(TestByScore):
    """Dependence if an edge raises bdeu with imaginary sample size 10."""

    name = "bdeu"
    takes = DISCRETE
    by_cells = True
    score = "bdeu"


class DiscBicTest(TestByScore):
    """Dependence if an edge raises disc-bic with penalty 2."""

    name = "disc-bic"
    takes = DISCRETE
    by_cells = True
    score = "disc-bic"

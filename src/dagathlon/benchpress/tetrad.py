"""Tetrad through causal-cmd 1.10.0."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from dagathlon.benchpress.base import BenchpressLearner
from dagathlon.benchpress.needs import ANY, CONTINUOUS, DATATYPE, DISCRETE, Table
from dagathlon.benchpress.table import add_classes
from dagathlon.benchpress.translation import same
from dagathlon.errors import listing
from dagathlon.learners.base import Output
from dagathlon.learners.constraint.constraint_based import ConstraintBased
from dagathlon.learners.score.score_based import ScoreBased
from dagathlon.modules import NonNegative

DataType: TypeAlias = Literal["continuous", "discrete"]
Score: TypeAlias = Literal[
    "sem-bic-score", "ebic-score", "gic-scores", "poisson-prior-score", "zsbound-score",
    "bdeu-score", "disc-bic-score", "cg-bic-score", "dg-bic-score", "mvp-bic-score",
]  # fmt: skip
Test: TypeAlias = Literal[
    "fisher-z-test", "cci-test", "kci-test", "chi-square-test", "g-square-test", "bdeu-test",
    "disc-bic-test", "prob-test", "cg-lr-test",
]  # fmt: skip

SCORE_RULE: Table = {
    "sem-bic-score": CONTINUOUS,
    "ebic-score": CONTINUOUS,
    "gic-scores": CONTINUOUS,
    "poisson-prior-score": CONTINUOUS,
    "zsbound-score": CONTINUOUS,
    "bdeu-score": DISCRETE,
    "disc-bic-score": DISCRETE,
    "cg-bic-score": ANY,
    "dg-bic-score": ANY,
    "mvp-bic-score": ANY,
}
TEST_RULE: Table = {
    "fisher-z-test": CONTINUOUS,
    "cci-test": CONTINUOUS,
    "kci-test": CONTINUOUS,
    "chi-square-test": DISCRETE,
    "g-square-test": DISCRETE,
    "bdeu-test": DISCRETE,
    "disc-bic-test": DISCRETE,
    "prob-test": DISCRETE,
    "cg-lr-test": ANY,
    None: ANY,
}
_NATIVE_SCORES = {
    "sem-bic-score": "sem-bic",
    "bdeu-score": "bdeu",
    "disc-bic-score": "disc-bic",
    "cg-bic-score": "bic-cg",
}
_RULES: Mapping[str, Table] = {"datatype": DATATYPE, "score": SCORE_RULE}

_TETRAD = "Ramsey et al. 2018, TETRAD: a toolbox for causal discovery, Climate Informatics"
_PC = "Spirtes, Glymour and Scheines 2000, Causation, Prediction, and Search"
_TESTS = {
    "fisher-z-test": "zf",
    "chi-square-test": "chi-square",
    "g-square-test": "g-square",
    "cg-lr-test": "lr-cg",
    "bdeu-test": "bdeu",
    "disc-bic-test": "disc-bic",
    "kci-test": "kci",
}


@dataclass(frozen=True, kw_only=True)
class TetradLearner(BenchpressLearner):
    """A search of Tetrad.

    Parameters
    ----------
    datatype
        Kind of the data.
    """

    gives: ClassVar[Output] = "cpdag"
    takes = frozenset({"continuous", "discrete"})
    honours_constraints = True
    data_rules: ClassVar[Mapping[str, Table]] = {"datatype": DATATYPE}

    datatype: DataType = "continuous"


@dataclass(frozen=True, kw_only=True)
class TetradScoreBased(TetradLearner):
    """A score-based search of Tetrad.

    Parameters
    ----------
    score
        Score to maximise.
    samplePrior
        Prior equivalent sample size of bdeu-score; null is 10.
    """

    runs = ScoreBased
    inherits = same(penaltyDiscount="penalty_discount", semBicStructurePrior="structure_prior")
    data_rules = _RULES

    score: Score = "sem-bic-score"
    penaltyDiscount: NonNegative | None = None
    semBicStructurePrior: NonNegative | None = None
    samplePrior: NonNegative | None = None

    def problem(self) -> str:
        """Return an error for scores that are not implemented; else empty."""
        if self.score not in _NATIVE_SCORES:
            return f"score {self.score!r} is not implemented; there are {listing(_NATIVE_SCORES)}"
        return super().problem()

    def translated(self) -> dict[str, Any]:
        """Return our parameters: our name of the score, Tetrad's default sample size."""
        prior = {} if self.score == "sem-bic-score" else {"structure_prior": 0.0}
        return (
            super().translated()
            | prior
            | {
                "score": _NATIVE_SCORES.get(self.score),
                "iss": 10.0 if self.samplePrior is None else self.samplePrior,
            }
        )


@dataclass(frozen=True, kw_only=True)
class TetradBoss(TetradScoreBased):
    """Best order score search: moves of single variables in an order."""

    name = "tetrad_boss"

    def translated(self) -> dict[str, Any]:
        """Return our parameters; either spelling of the random order is enough."""
        random = self.allowInternalRandomess or self.allowInternalRandomness
        return super().translated() | {"random": random}


@dataclass(frozen=True, kw_only=True)
class TetradConstraintBased(TetradLearner):
    """A constraint-based search of Tetrad.

    Parameters
    ----------
    test
        Independence test.
    """

    runs = ConstraintBased
    data_rules = {"datatype": DATATYPE, "test": TEST_RULE}
    references = (_PC, _TETRAD)

    test: Test = "fisher-z-test"

    def problem(self) -> str:
        """Reject Tetrad tests that are not implemented."""
        if self.test not in _TESTS:
            return f"test {self.test!r} is not available; use {' or '.join(map(repr, _TESTS))}"
        return super().problem()

    def translated(self) -> dict[str, Any]:
        """Return our parameters: our name of the test, no limit on conditioning sets."""
        return super().translated() | {"test": _TESTS[self.test], "max_order": "inf"}


@dataclass(frozen=True, kw_only=True)
class TetradContinuous(TetradLearner):
    """A search of Tetrad for continuous data.

    Parameters
    ----------
    datatype
        Ignored, as in Benchpress: the data are continuous.
    """

    takes = frozenset({"continuous"})
    data_rules = {}


add_classes(__name__)

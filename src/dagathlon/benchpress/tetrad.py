"""Tetrad through causal-cmd 1.10.0."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from dagathlon.benchpress.base import BenchpressLearner
from dagathlon.benchpress.needs import ANY, CONTINUOUS, DATATYPE, DISCRETE, Table
from dagathlon.errors import listing
from dagathlon.learners.base import Learner, Output
from dagathlon.learners.constraint.pc import Pc
from dagathlon.learners.continuous.lingam import IcaLingam
from dagathlon.learners.order.order_search import Boss, Grasp
from dagathlon.learners.score.equivalence_search import Fges
from dagathlon.modules import NonNegative, Probability

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
_TESTS = {
    "fisher-z-test": "zf",
    "chi-square-test": "chi-square",
    "g-square-test": "g-square",
    "cg-lr-test": "lr-cg",
    "bdeu-test": "bdeu",
    "disc-bic-test": "disc-bic",
    "kci-test": "kci",
}


def _missing_test(test: str) -> str:
    if test in _TESTS:
        return ""
    return f"test {test!r} is not available; use {' or '.join(map(repr, _TESTS))}"


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
    penaltyDiscount
        Factor of the penalty of sem-bic-score; null is 2.
    semBicStructurePrior
        Expected number of parents in the structure prior of sem-bic-score; null is 0, no prior.
    samplePrior
        Prior equivalent sample size of bdeu-score; null is 10.
    """

    data_rules = _RULES

    score: Score = "sem-bic-score"
    penaltyDiscount: NonNegative | None = None
    semBicStructurePrior: NonNegative | None = None
    samplePrior: NonNegative | None = None

    def problem(self) -> str:
        """Scores that are not there."""
        if self.score not in _NATIVE_SCORES:
            return f"score {self.score!r} is not implemented; there are {listing(_NATIVE_SCORES)}"
        return super().problem()

    def score_parameters(self) -> dict[str, Any]:
        """The parameters of the score under our names; Tetrad's defaults where null."""
        discount = 2.0 if self.penaltyDiscount is None else self.penaltyDiscount
        prior = self.semBicStructurePrior or 0.0
        return {
            "score": _NATIVE_SCORES[self.score],
            "penalty_discount": discount,
            "structure_prior": prior if self.score == "sem-bic-score" else 0.0,
            "iss": 10.0 if self.samplePrior is None else self.samplePrior,
            "constraints": self.edgeConstraints,
        }


@dataclass(frozen=True, kw_only=True)
class TetradFges(TetradScoreBased):
    """Fast greedy equivalence search.

    Parameters
    ----------
    faithfulnessAssumed
        Whether nodes that are not correlated are never joined.
    """

    name = "tetrad_fges"
    anytime = True
    implementation = "dagathlon (re-implementation of Tetrad fges, causal-cmd 1.10.0)"
    references = ("Ramsey, Glymour, Sanchez-Romero and Glymour 2017, IJDSA 3", _TETRAD)

    faithfulnessAssumed: bool = True

    def native(self) -> Learner:
        """The same search under our name."""
        return Fges(faithfulness=self.faithfulnessAssumed, **self.score_parameters())


@dataclass(frozen=True, kw_only=True)
class TetradBoss(TetradScoreBased):
    """Best order score search: moves of single variables in an order.

    Parameters
    ----------
    useBes
        Whether a backward search of GES follows.
    allowInternalRandomess
        Whether the order of the moves is random (Benchpress's spelling).
    allowInternalRandomness
        The same in the usual spelling; either one is enough.
    faithfulnessAssumed
        Ignored, as in Benchpress.
    """

    name = "tetrad_boss"
    anytime = True
    implementation = "dagathlon (re-implementation of Tetrad boss, causal-cmd 1.10.0)"
    references = ("Andrews, Ramsey, Sanchez Romero, Camchong and Kummerfeld 2023, NeurIPS", _TETRAD)

    useBes: bool = False
    allowInternalRandomess: bool = False
    allowInternalRandomness: bool = False
    faithfulnessAssumed: bool = True

    def native(self) -> Learner:
        """The same search under our name."""
        random = self.allowInternalRandomess or self.allowInternalRandomness
        return Boss(backward=self.useBes, random=random, starts=1, **self.score_parameters())


@dataclass(frozen=True, kw_only=True)
class TetradGrasp(TetradScoreBased):
    """Greedy relaxations of the sparsest permutation.

    Parameters
    ----------
    test
        Ignored: the score decides; null is none.
    faithfulnessAssumed
        Ignored, as in Benchpress.
    """

    name = "tetrad_grasp"
    anytime = True
    data_rules = {**_RULES, "test": TEST_RULE}
    implementation = "dagathlon (re-implementation of Tetrad grasp, causal-cmd 1.10.0)"
    references = ("Lam, Andrews and Ramsey 2022, UAI", _TETRAD)

    test: Test | None = None
    faithfulnessAssumed: bool = True

    def native(self) -> Learner:
        """The same search under our name."""
        return Grasp(**self.score_parameters())


@dataclass(frozen=True, kw_only=True)
class TetradPc(TetradLearner):
    """The PC algorithm.

    Parameters
    ----------
    test
        Independence test.
    alpha
        Significance level of the tests; bdeu-test and disc-bic-test have none.
    """

    name = "tetrad_pc"
    data_rules = {"datatype": DATATYPE, "test": TEST_RULE}
    implementation = "dagathlon (re-implementation of Tetrad pc, causal-cmd 1.10.0)"
    references = ("Spirtes, Glymour and Scheines 2000, Causation, Prediction, and Search", _TETRAD)

    test: Test = "fisher-z-test"
    alpha: Probability = 0.01

    def problem(self) -> str:
        """Some tests are not there yet."""
        return _missing_test(self.test) or super().problem()

    def native(self) -> Pc:
        """Our PC-stable with Tetrad's way of directing colliders."""
        return Pc(
            alpha=self.alpha,
            test=_TESTS[self.test],
            constraints=self.edgeConstraints,
            conflicts="confirmed",
        )


@dataclass(frozen=True, kw_only=True)
class TetradFas(TetradLearner):
    """Fast adjacency search: the skeleton of PC, with a significance level of 0.01.

    Parameters
    ----------
    test
        Independence test.
    """

    name = "tetrad_fas"
    gives = "undirected"
    data_rules = {"datatype": DATATYPE, "test": TEST_RULE}
    implementation = "dagathlon (re-implementation of Tetrad fas, causal-cmd 1.10.0)"
    references = ("Spirtes, Glymour and Scheines 2000, Causation, Prediction, and Search", _TETRAD)

    test: Test = "fisher-z-test"

    def problem(self) -> str:
        """Some tests are not there yet."""
        return _missing_test(self.test) or super().problem()

    def native(self) -> Pc:
        """The skeleton of our PC-stable at causal-cmd's default level."""
        return Pc(
            alpha=0.01,
            test=_TESTS[self.test],
            constraints=self.edgeConstraints,
            skeleton_only=True,
        )


@dataclass(frozen=True, kw_only=True)
class TetradFask(TetradLearner):
    """Fast adjacency skewness: a skeleton, directed by the skewness of the variables.

    Parameters
    ----------
    test
        Independence test of the skeleton.
    score
        Score of the skeleton search.
    semBicStructurePrior
        Expected number of parents in the structure prior of sem-bic-score; null is 0, no prior.
    penaltyDiscount
        Factor of the penalty of sem-bic-score; null is 2.
    """

    name = "tetrad_fask"
    gives = "mixed"
    takes = frozenset({"continuous"})
    data_rules = {"test": TEST_RULE, "score": SCORE_RULE}
    implementation = "dagathlon (re-implementation of Tetrad fask, causal-cmd 1.10.0)"
    unavailable = "not implemented yet: skewness-based directions are to come"
    references = ("Sanchez-Romero et al. 2019, Network Neuroscience 3", _TETRAD)

    test: Test = "fisher-z-test"
    score: Score = "sem-bic-score"
    semBicStructurePrior: NonNegative | None = None
    penaltyDiscount: NonNegative | None = None


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


@dataclass(frozen=True, kw_only=True)
class TetradFofc(TetradContinuous):
    """Find one-factor clusters: groups of variables with one latent cause each."""

    name = "tetrad_fofc"
    implementation = "dagathlon (re-implementation of Tetrad fofc, causal-cmd 1.10.0)"
    unavailable = "not implemented yet: learning of latent clusters is to come"
    references = ("Kummerfeld and Ramsey 2016, KDD", _TETRAD)


@dataclass(frozen=True, kw_only=True)
class TetradFtfc(TetradContinuous):
    """Find two-factor clusters: groups of variables with two latent causes each."""

    name = "tetrad_ftfc"
    implementation = "dagathlon (re-implementation of Tetrad ftfc, causal-cmd 1.10.0)"
    unavailable = "not implemented yet: learning of latent clusters is to come"
    references = ("Kummerfeld, Ramsey, Yang, Spirtes and Scheines 2014, ECML PKDD", _TETRAD)


@dataclass(frozen=True, kw_only=True)
class TetradIcaLingam(TetradContinuous):
    """LiNGAM by independent component analysis: a DAG from non-Gaussian noise."""

    name = "tetrad_ica-lingam"
    gives = "dag"
    implementation = "dagathlon (re-implementation of Tetrad ica-lingam, causal-cmd 1.10.0)"
    references = ("Shimizu, Hoyer, Hyvärinen and Kerminen 2006, JMLR 7", _TETRAD)

    def native(self) -> Learner:
        """Our LiNGAM; how it prunes weights is ours."""
        return IcaLingam(max_iter=2000)

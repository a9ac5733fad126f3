"""Tetrad through causal-cmd 1.10.0."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from dagathlon.benchpress.base import BenchpressLearner
from dagathlon.benchpress.needs import ANY, CONTINUOUS, DATATYPE, DISCRETE, Table
from dagathlon.benchpress.translation import same
from dagathlon.errors import listing
from dagathlon.learners.base import Output
from dagathlon.learners.constraint.constraint_based import ConstraintBased
from dagathlon.learners.constraint.fask import Fask
from dagathlon.learners.constraint.pc import Pc
from dagathlon.learners.continuous.lingam import IcaLingam
from dagathlon.learners.measurement.factor_clusters import Fofc, Ftfc
from dagathlon.learners.order.order_search import Boss, Grasp
from dagathlon.learners.score.equivalence_search import Fges
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
        """Scores that are not there."""
        if self.score not in _NATIVE_SCORES:
            return f"score {self.score!r} is not implemented; there are {listing(_NATIVE_SCORES)}"
        return super().problem()

    def translated(self) -> dict[str, Any]:
        """The score under our name; Tetrad's own sample size where null."""
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
class TetradFges(TetradScoreBased):
    """Fast greedy equivalence search."""

    name = "tetrad_fges"
    runs = Fges
    inherits = same(faithfulnessAssumed="faithfulness")
    anytime = True
    implementation = "dagathlon (re-implementation of Tetrad fges, causal-cmd 1.10.0)"
    references = ("Ramsey, Glymour, Sanchez-Romero and Glymour 2017, IJDSA 3", _TETRAD)

    faithfulnessAssumed: bool = True


@dataclass(frozen=True, kw_only=True)
class TetradBoss(TetradScoreBased):
    """Best order score search: moves of single variables in an order.

    Parameters
    ----------
    allowInternalRandomess
        Whether the order of the moves is random (Benchpress's spelling).
    allowInternalRandomness
        The same in the usual spelling; either one is enough.
    faithfulnessAssumed
        Ignored, as in Benchpress.
    """

    name = "tetrad_boss"
    runs = Boss
    inherits = same(useBes="backward")
    fixed = {"starts": 1}
    anytime = True
    implementation = "dagathlon (re-implementation of Tetrad boss, causal-cmd 1.10.0)"
    references = ("Andrews, Ramsey, Sanchez Romero, Camchong and Kummerfeld 2023, NeurIPS", _TETRAD)

    allowInternalRandomess: bool = False
    allowInternalRandomness: bool = False
    faithfulnessAssumed: bool = True

    def translated(self) -> dict[str, Any]:
        """Either spelling is enough."""
        random = self.allowInternalRandomess or self.allowInternalRandomness
        return super().translated() | {"random": random}


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
    runs = Grasp
    anytime = True
    data_rules = {**_RULES, "test": TEST_RULE}
    implementation = "dagathlon (re-implementation of Tetrad grasp, causal-cmd 1.10.0)"
    references = ("Lam, Andrews and Ramsey 2022, UAI", _TETRAD)

    test: Test | None = None
    faithfulnessAssumed: bool = True


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
        """Some tests are not there yet."""
        if self.test not in _TESTS:
            return f"test {self.test!r} is not available; use {' or '.join(map(repr, _TESTS))}"
        return super().problem()

    def translated(self) -> dict[str, Any]:
        """Our name of the test; Tetrad sets no limit to what it conditions on."""
        return super().translated() | {"test": _TESTS[self.test], "max_order": "inf"}


@dataclass(frozen=True, kw_only=True)
class TetradFas(TetradConstraintBased):
    """Fast adjacency search: the skeleton of PC, with a significance level of 0.01."""

    name = "tetrad_fas"
    runs = Pc
    fixed = {"alpha": 0.01, "skeleton_only": True}
    gives = "undirected"
    implementation = "dagathlon (re-implementation of Tetrad fas, causal-cmd 1.10.0)"


@dataclass(frozen=True, kw_only=True)
class TetradPc(TetradConstraintBased):
    """The PC algorithm.

    Parameters
    ----------
    alpha
        Significance level of the tests; bdeu-test and disc-bic-test have none.
    """

    name = "tetrad_pc"
    runs = Pc
    inherits = same("alpha")
    # Tetrad's way of directing colliders.
    fixed = {"conflicts": "confirmed"}
    implementation = "dagathlon (re-implementation of Tetrad pc, causal-cmd 1.10.0)"

    alpha = 0.01


@dataclass(frozen=True, kw_only=True)
class TetradFask(TetradConstraintBased):
    """Fast adjacency skewness: a skeleton, directed by the skewness of the variables.

    Parameters
    ----------
    datatype
        Ignored, as in Benchpress: the data are continuous.
    test
        Independence test of the skeleton, at level 0.01.
    score
        Ignored: causal-cmd's default finds the skeleton by the test.
    semBicStructurePrior, penaltyDiscount
        Ignored, as the score.
    """

    name = "tetrad_fask"
    runs = Fask
    fixed = {"alpha": 0.01}
    gives = "mixed"
    takes = frozenset({"continuous"})
    data_rules = {"test": TEST_RULE, "score": SCORE_RULE}
    implementation = "dagathlon (re-implementation of Tetrad fask, causal-cmd 1.10.0)"
    references = ("Sanchez-Romero et al. 2019, Network Neuroscience 3", _TETRAD)

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


# Tetrad's statistics, seeds grown one after another, at causal-cmd's level.
_CLUSTERS: Mapping[str, Any] = {"alpha": 0.01, "growth": "sag", "like": "tetrad"}


@dataclass(frozen=True, kw_only=True)
class TetradFofc(TetradContinuous):
    """Find one-factor clusters: groups of variables with one latent cause each."""

    name = "tetrad_fofc"
    runs = Fofc
    fixed = {**_CLUSTERS, "test": "delta"}
    gives = "mag"
    honours_constraints = False
    ignores_constraints = True
    implementation = "dagathlon (re-implementation of Tetrad fofc, causal-cmd 1.10.0)"
    references = ("Kummerfeld and Ramsey 2016, KDD", _TETRAD)


@dataclass(frozen=True, kw_only=True)
class TetradFtfc(TetradContinuous):
    """Find two-factor clusters: groups of variables with two latent causes each."""

    name = "tetrad_ftfc"
    runs = Ftfc
    fixed = _CLUSTERS
    gives = "mag"
    honours_constraints = False
    ignores_constraints = True
    implementation = "dagathlon (re-implementation of Tetrad ftfc, causal-cmd 1.10.0)"
    references = ("Kummerfeld, Ramsey, Yang, Spirtes and Scheines 2014, ECML PKDD", _TETRAD)


@dataclass(frozen=True, kw_only=True)
class TetradIcaLingam(TetradContinuous):
    """LiNGAM by independent component analysis: a DAG from non-Gaussian noise."""

    name = "tetrad_ica-lingam"
    runs = IcaLingam
    honours_constraints = False
    ignores_constraints = True
    # How it prunes weights is ours.
    fixed = {"max_iter": 2000}
    gives = "dag"
    implementation = "dagathlon (re-implementation of Tetrad ica-lingam, causal-cmd 1.10.0)"
    references = ("Shimizu, Hoyer, Hyvärinen and Kerminen 2006, JMLR 7", _TETRAD)

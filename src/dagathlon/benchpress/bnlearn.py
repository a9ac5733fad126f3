"""bnlearn 4.8.3: constraint-based, score-based and hybrid learners."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, cast, get_args

from dagathlon.benchpress.base import BenchpressLearner
from dagathlon.benchpress.needs import ANY, CONTINUOUS, DISCRETE, Table
from dagathlon.benchpress.table import add_classes
from dagathlon.benchpress.translation import same
from dagathlon.data import facts_of
from dagathlon.errors import listing
from dagathlon.learners.base import Learner, Output
from dagathlon.learners.constraint.markov_blankets import (
    BlanketLearner,
)
from dagathlon.learners.hybrid.hybrid import Restrict, TwoStep
from dagathlon.learners.score.score_based import ScoreBased
from dagathlon.learners.score.score_kinds import DefaultScores, known_scores
from dagathlon.modules import Count, Delegate, Module, Natural, NonNegative

if TYPE_CHECKING:
    from dagathlon.data import Dataset

DiscreteTest: TypeAlias = Literal[
    "mi", "mi-adf", "mc-mi", "smc-mi", "sp-mi", "mi-sh", "x2", "x2-adf", "sp-x2",
    "jt", "mc-jt", "smc-jt",
]  # fmt: skip
GaussianTest: TypeAlias = Literal[
    "cor", "zf", "mi-g", "mi-g-sh", "mc-cor", "smc-cor", "mc-zf", "smc-zf", "mc-mi-g", "smc-mi-g",
]  # fmt: skip
Test: TypeAlias = Literal[DiscreteTest, GaussianTest, "mi-cg"]

DiscreteScore: TypeAlias = Literal[
    "bic", "bde", "aic", "loglik", "ebic", "pred-loglik", "bds", "bdj", "mbde", "bdla", "k2",
    "fnml", "qnml", "nal", "pnal",
]  # fmt: skip
GaussianScore: TypeAlias = Literal[
    "bge", "bic-g", "aic-g", "loglik-g", "ebic-g", "pred-loglik-g", "nal-g", "pnal-g",
]  # fmt: skip
MixedScore: TypeAlias = Literal[
    "bic-cg", "aic-cg", "loglik-cg", "ebic-cg", "pred-loglik-cg", "nal-cg", "pnal-cg",
]  # fmt: skip
Score: TypeAlias = Literal[DiscreteScore, GaussianScore, MixedScore]
Prior: TypeAlias = Literal["uniform", "vsp", "marginal", "cs"]

# A conditional-Gaussian test or score is the discrete or the Gaussian one where all variables are
# of one kind, so it suits any data; null leaves the choice to the kind of data.
TEST_RULE: Table = (
    dict.fromkeys(get_args(DiscreteTest), DISCRETE)
    | dict.fromkeys(get_args(GaussianTest), CONTINUOUS)
    | {"mi-cg": ANY, None: ANY}
)
SCORE_RULE: Table = (
    dict.fromkeys(get_args(DiscreteScore), DISCRETE)
    | dict.fromkeys(get_args(GaussianScore), CONTINUOUS)
    | dict.fromkeys(get_args(MixedScore), ANY)
    | {None: ANY}
)


@dataclass(frozen=True, kw_only=True)
class BnlearnLearner(BenchpressLearner):
    """A learner of bnlearn."""

    honours_constraints = True


@dataclass(frozen=True, kw_only=True)
class BnlearnTester(BnlearnLearner):
    """A learner of bnlearn with a test; the default for mixed data is bnlearn's."""

    test: Test | None = None

    def native_for(self, data: Dataset) -> Learner:
        """Return our learner, for mixed data with bnlearn's default test."""
        learner = super().native_for(data)
        return self._with_own_test(learner) if data.is_mixed else learner

    def delegates(self) -> tuple[Delegate, ...]:
        """Return our learner with either default test."""
        learners = [cast(Learner, learner) for learner in super().delegates()]
        # Learners with constraints cannot be hashed.
        changed = [self._with_own_test(learner) for learner in learners]
        return (*learners, *(learner for learner in changed if learner not in learners))

    def _with_own_test(self, learner: Learner) -> Learner:
        return learner if self.test is not None else cast(Any, replace)(learner, test="mi-cg")


@dataclass(frozen=True, kw_only=True)
class BnlearnConstraintBased(BnlearnTester):
    """A constraint-based learner of bnlearn.

    Parameters
    ----------
    test
        Independence test; null is mi, cor or mi-cg as the data are discrete, continuous or mixed.
    maxsx
        Largest number of variables to condition on; null is no limit.
    debug
        Ignored: nothing is printed.
    """

    runs: ClassVar[type[Module]] = BlanketLearner
    inherits = same("alpha", "test", "undirected", B="replicates", maxsx="max_order")
    gives: ClassVar[Output] = "cpdag"
    data_rules = {"test": TEST_RULE}

    test: Test | None = None
    maxsx: Natural | None = None
    debug: bool = False


def _score_problem(translated: Mapping[str, Any]) -> str:
    score = translated["score"]
    if score is not None and score not in known_scores():
        return (
            f"score {score!r} is not implemented; there are "
            f"{listing(name for name in get_args(Score) if name in known_scores())}"
        )
    if translated.get("prior") == "cs":
        return "prior 'cs' needs probabilities of arcs, which a study cannot give; use 'vsp'"
    return ""


# What bnlearn chooses where no score is given.
_DEFAULT_SCORES: DefaultScores = {"continuous": "bic-g", "discrete": "bic", "mixed": "bic-cg"}


@dataclass(frozen=True, kw_only=True)
class BnlearnScored(BnlearnLearner):
    """A learner of bnlearn with a score."""

    score: Score | None = None

    def problem(self) -> str:
        """Return an error for scores and priors that are not available; else empty."""
        return _score_problem(self.translated()) or super().problem()

    def native_for(self, data: Dataset) -> Learner:
        """Return our learner with bnlearn's default score for such data."""
        kind = facts_of(data).kind or "mixed"
        return self._with_score(_DEFAULT_SCORES[kind])

    def delegates(self) -> tuple[Delegate, ...]:
        """Return our learner with each possible default score."""
        scores = _DEFAULT_SCORES.values() if self.score is None else (self.score,)
        return () if self.unavailable else tuple(map(self._with_score, scores))

    def _with_score(self, default: str) -> Learner:
        translated: dict[str, Any] = self.translated()
        return cast(Learner, self.runs(**translated | {"score": translated["score"] or default}))


@dataclass(frozen=True, kw_only=True)
class BnlearnScoreBased(BnlearnScored):
    """A score-based learner of bnlearn.

    Parameters
    ----------
    score
        Score to maximise; null is bic, bic-g or bic-cg as the data are discrete, continuous or
        mixed.
    prior
        Prior over graphs: uniform, variable selection (vsp) or marginal uniform (marginal).
    issmu
        Weight of the prior mean of bge; null is 1, as in bnlearn.
    l
        Ignored: the score bdla, whose number of averaged scores it is, is not there.
    """

    runs = ScoreBased
    inherits = same("score", "iss", "k", "prior", "beta", issmu="iss_mu", issw="iss_w")
    gives = "dag"
    data_rules = {"score": SCORE_RULE}

    score: Score | None = None
    issmu: NonNegative | None = ScoreBased.iss_mu
    prior: Prior = "uniform"
    beta: NonNegative | None = None
    l: Count = 5  # noqa: E741 - Benchpress's name


@dataclass(frozen=True, kw_only=True)
class BnlearnHybrid(BnlearnTester, BnlearnScored):
    """A hybrid learner of bnlearn: a skeleton by tests, then a DAG inside it by a score.

    Parameters
    ----------
    test
        Independence test; null is mi, cor or mi-cg as the data are discrete, continuous or mixed.
    score
        Score to maximise; null is bic, bic-g or bic-cg as the data are discrete, continuous or
        mixed.
    k
        Penalty per parameter of the aic and bic scores; null is 1, as in Benchpress.
    prior
        Prior over graphs: uniform, variable selection (vsp) or marginal uniform (marginal).
    l
        Ignored: the score bdla, whose number of averaged scores it is, is not there.
    """

    runs = TwoStep
    inherits = same(
        "alpha", "test", "score", "iss", "k", "prior", "beta", issmu="iss_mu", issw="iss_w"
    )
    gives = "dag"
    data_rules = {"test": TEST_RULE, "score": SCORE_RULE}

    test: Test | None = None
    score: Score | None = None
    iss: NonNegative | None = None
    issmu: NonNegative | None = None
    prior: Prior | None = "uniform"
    beta: NonNegative | None = None
    l: Count | None = None  # noqa: E741 - Benchpress's name

    def translated(self) -> dict[str, Any]:
        """Return our parameters; a missing penalty is 1, not the score's own default."""
        found = super().translated()
        return found if found["k"] is not None else {**found, "k": 1.0}


@dataclass(frozen=True, kw_only=True)
class BnlearnRsmax2(BnlearnHybrid):
    """General two-step search: any skeleton learner, then any score-based learner."""

    name = "bnlearn_rsmax2"

    def problem(self) -> str:
        """Return an error for skeleton learners that are not available; else empty."""
        if self.restrict not in _SKELETONS:
            return f"restrict {self.restrict!r} is not implemented; there are {listing(_SKELETONS)}"
        return super().problem()

    def translated(self) -> dict[str, Any]:
        """Return our parameters, with our name of the skeleton learner."""
        return super().translated() | {"restrict": _SKELETONS.get(self.restrict)}


_SKELETONS: dict[str, Restrict] = {
    "si.hiton.pc": "si_hiton_pc",
    "mmpc": "mmpc",
    "hpc": "hpc",
    "gs": "gs",
    "iamb": "iamb",
    "fast.iamb": "fast_iamb",
    "inter.iamb": "inter_iamb",
    "iamb.fdr": "iamb_fdr",
}


add_classes(__name__)

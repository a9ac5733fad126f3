"""bnlearn 4.8.3: constraint-based, score-based and hybrid learners."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, cast, get_args

from dagathlon.benchpress.base import BenchpressLearner
from dagathlon.benchpress.needs import ANY, CONTINUOUS, DISCRETE, Table
from dagathlon.benchpress.translation import same
from dagathlon.data import facts_of
from dagathlon.errors import listing
from dagathlon.learners.base import Learner, Output
from dagathlon.learners.constraint.markov_blankets import (
    BlanketLearner,
    FastIamb,
    Gs,
    Iamb,
    IambFdr,
    InterIamb,
)
from dagathlon.learners.constraint.neighbourhoods import Hpc, Mmpc, SiHitonPc
from dagathlon.learners.constraint.pc import Pc
from dagathlon.learners.hybrid.hybrid import H2pc, Mmhc, Restrict, Rsmax2, TwoStep
from dagathlon.learners.score.hill_climbing import HillClimbing, Tabu
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

_BNLEARN = "Scutari 2010, Learning Bayesian networks with the bnlearn R package, JSS 35(3)"


@dataclass(frozen=True, kw_only=True)
class BnlearnLearner(BenchpressLearner):
    """A learner of bnlearn."""

    honours_constraints = True


@dataclass(frozen=True, kw_only=True)
class BnlearnTester(BnlearnLearner):
    """A learner of bnlearn that asks tests: its own for mixed data, unless another is named."""

    test: Test | None = None

    def native_for(self, data: Dataset) -> Learner:
        """Our learner; null is another test there than here for mixed data."""
        learner = super().native_for(data)
        return self._with_own_test(learner) if data.is_mixed else learner

    def delegates(self) -> tuple[Delegate, ...]:
        """Our learner with either test."""
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


@dataclass(frozen=True, kw_only=True)
class BnlearnGs(BnlearnConstraintBased):
    """Grow-Shrink: Markov blankets first, then neighbours and directions."""

    name = "bnlearn_gs"
    runs = Gs
    implementation = "dagathlon (re-implementation of bnlearn 4.8.3 gs)"
    references = (_BNLEARN, "Margaritis 2003, Learning Bayesian network model structure from data")


@dataclass(frozen=True, kw_only=True)
class BnlearnIamb(BnlearnConstraintBased):
    """Incremental association Markov blankets, then neighbours and directions."""

    name = "bnlearn_iamb"
    runs = Iamb
    implementation = "dagathlon (re-implementation of bnlearn 4.8.3 iamb)"
    references = (_BNLEARN, "Tsamardinos, Aliferis and Statnikov 2003, FLAIRS")


@dataclass(frozen=True, kw_only=True)
class BnlearnFastIamb(BnlearnConstraintBased):
    """Incremental association that adds several variables at a time."""

    name = "bnlearn_fastiamb"
    runs = FastIamb
    implementation = "dagathlon (re-implementation of bnlearn 4.8.3 fast.iamb)"
    references = (_BNLEARN, "Yaramakala and Margaritis 2005, ICDM")


@dataclass(frozen=True, kw_only=True)
class BnlearnInterIamb(BnlearnConstraintBased):
    """Incremental association that removes false members after every addition."""

    name = "bnlearn_interiamb"
    runs = InterIamb
    implementation = "dagathlon (re-implementation of bnlearn 4.8.3 inter.iamb)"
    references = (_BNLEARN, "Yaramakala and Margaritis 2005, ICDM")


@dataclass(frozen=True, kw_only=True)
class BnlearnIambFdr(BnlearnConstraintBased):
    """Incremental association with control of the false discovery rate."""

    name = "bnlearn_iambfdr"
    runs = IambFdr
    implementation = "dagathlon (re-implementation of bnlearn 4.8.3 iamb.fdr)"
    references = (_BNLEARN, "Peña 2008, Learning Gaussian graphical models of gene networks")


@dataclass(frozen=True, kw_only=True)
class BnlearnPcStable(BnlearnConstraintBased):
    """PC with a skeleton that does not depend on the order of the variables."""

    name = "bnlearn_pcstable"
    runs = Pc
    inherits = same(undirected="skeleton_only")
    # bnlearn directs the colliders of the surest separations first.
    fixed = {"conflicts": "lowest-p"}
    implementation = "dagathlon (re-implementation of bnlearn 4.8.3 pc.stable)"
    references = (_BNLEARN, "Colombo and Maathuis 2014, JMLR 15")


@dataclass(frozen=True, kw_only=True)
class BnlearnMmpc(BnlearnConstraintBased):
    """Max-min parents and children: an undirected skeleton."""

    name = "bnlearn_mmpc"
    runs = Mmpc
    inherits = same("undirected")
    implementation = "dagathlon (re-implementation of bnlearn 4.8.3 mmpc)"
    references = (_BNLEARN, "Tsamardinos, Brown and Aliferis 2006, Machine Learning 65")

    undirected = False


@dataclass(frozen=True, kw_only=True)
class BnlearnSiHitonPc(BnlearnConstraintBased):
    """Semi-interleaved HITON parents and children: an undirected skeleton."""

    name = "bnlearn_sihitonpc"
    runs = SiHitonPc
    inherits = same("undirected")
    implementation = "dagathlon (re-implementation of bnlearn 4.8.3 si.hiton.pc)"
    references = (_BNLEARN, "Aliferis et al. 2010, JMLR 11")

    undirected = False


@dataclass(frozen=True, kw_only=True)
class BnlearnHpc(BnlearnConstraintBased):
    """Hybrid parents and children: an undirected skeleton."""

    name = "bnlearn_hpc"
    runs = Hpc
    inherits = same("undirected")
    implementation = "dagathlon (re-implementation of bnlearn 4.8.3 hpc)"
    references = (_BNLEARN, "Gasse, Aussem and Elghazel 2014, Expert Systems with Applications 41")

    undirected = False


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
        """Scores that are not there, and a prior that Benchpress cannot describe."""
        return _score_problem(self.translated()) or super().problem()

    def native_for(self, data: Dataset) -> Learner:
        """Our learner with bnlearn's score for such data."""
        kind = facts_of(data).kind or "mixed"
        return self._with_score(_DEFAULT_SCORES[kind])

    def delegates(self) -> tuple[Delegate, ...]:
        """Our learner, with each score that the data may choose."""
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
class BnlearnHc(BnlearnScoreBased):
    """Greedy hill climbing over DAGs, with random restarts."""

    name = "bnlearn_hc"
    anytime = True
    runs = HillClimbing
    inherits = same("restart", "perturb")
    implementation = "dagathlon (re-implementation of bnlearn 4.8.3 hc)"
    references = (_BNLEARN,)


@dataclass(frozen=True, kw_only=True)
class BnlearnTabu(BnlearnScoreBased):
    """Hill climbing that leaves local maxima by a list of forbidden graphs."""

    name = "bnlearn_tabu"
    anytime = True
    runs = Tabu
    implementation = "dagathlon (re-implementation of bnlearn 4.8.3 tabu)"
    references = (_BNLEARN,)


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
        """The penalty is 1 where bnlearn itself would take that of the score."""
        found = super().translated()
        return found if found["k"] is not None else {**found, "k": 1.0}


@dataclass(frozen=True, kw_only=True)
class BnlearnMmhc(BnlearnHybrid):
    """Max-min hill climbing: skeleton by max-min parents and children."""

    name = "bnlearn_mmhc"
    anytime = True
    runs = Mmhc
    implementation = "dagathlon (re-implementation of bnlearn 4.8.3 mmhc)"
    references = (_BNLEARN, "Tsamardinos, Brown and Aliferis 2006, Machine Learning 65")


@dataclass(frozen=True, kw_only=True)
class BnlearnH2pc(BnlearnHybrid):
    """Hybrid HPC: skeleton by hybrid parents and children."""

    name = "bnlearn_h2pc"
    anytime = True
    runs = H2pc
    implementation = "dagathlon (re-implementation of bnlearn 4.8.3 h2pc)"
    references = (_BNLEARN, "Gasse, Aussem and Elghazel 2014, Expert Systems with Applications 41")


@dataclass(frozen=True, kw_only=True)
class BnlearnRsmax2(BnlearnHybrid):
    """General two-step search: any skeleton learner, then any score-based learner."""

    name = "bnlearn_rsmax2"
    anytime = True
    runs = Rsmax2
    inherits = same("restrict", "maximize")
    implementation = "dagathlon (re-implementation of bnlearn 4.8.3 rsmax2)"
    references = (_BNLEARN,)

    restrict: Literal[
        "si.hiton.pc", "mmpc", "hpc", "gs", "iamb", "fast.iamb", "inter.iamb", "iamb.fdr",
        "pc.stable", "chow.liu", "aracne",
    ] = "si.hiton.pc"  # fmt: skip

    def problem(self) -> str:
        """Learners of a skeleton that are not there."""
        if self.restrict not in _SKELETONS:
            return f"restrict {self.restrict!r} is not implemented; there are {listing(_SKELETONS)}"
        return super().problem()

    def translated(self) -> dict[str, Any]:
        """Our names of the learners of a skeleton."""
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

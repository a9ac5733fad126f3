"""bnlearn 4.8.3: constraint-based, score-based and hybrid learners."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias, get_args

from dagathlon.benchpress.base import BenchpressLearner
from dagathlon.benchpress.needs import ANY, CONTINUOUS, DISCRETE, Table
from dagathlon.errors import listing
from dagathlon.learners.base import Learner, Output
from dagathlon.learners.constraint.markov_blankets import FastIamb, Gs, Iamb, IambFdr, InterIamb
from dagathlon.learners.constraint.neighbourhoods import Hpc, Mmpc, SiHitonPc
from dagathlon.learners.constraint.pc import Pc
from dagathlon.learners.hybrid.hybrid import H2pc, Mmhc, Restrict, Rsmax2
from dagathlon.learners.score.hill_climbing import HillClimbing, Tabu
from dagathlon.learners.score.score_kinds import SCORES
from dagathlon.modules import Count, Natural, NonNegative, Probability

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
class BnlearnConstraintBased(BenchpressLearner):
    """A constraint-based learner of bnlearn.

    Parameters
    ----------
    alpha
        Significance level of the independence tests.
    test
        Independence test; null is mi, cor or mi-cg as the data are discrete, continuous or mixed.
    B
        Number of permutations of the Monte Carlo tests; null is 5000 (500 for smc tests).
    maxsx
        Largest number of variables to condition on; null is no limit.
    debug
        Ignored: nothing is printed.
    undirected
        Whether to stop at the skeleton.
    """

    gives: ClassVar[Output] = "cpdag"
    honours_constraints = True
    data_rules = {"test": TEST_RULE}

    alpha: Probability = 0.05
    test: Test | None = None
    B: Natural | None = None
    maxsx: Natural | None = None
    debug: bool = False
    undirected: bool = False

    def _common(self) -> dict[str, Any]:
        """Our names of the shared parameters."""
        return {
            "alpha": self.alpha,
            "test": self.test,
            "replicates": self.B,
            "max_order": self.maxsx,
            "constraints": self.edgeConstraints,
        }


@dataclass(frozen=True, kw_only=True)
class BnlearnGs(BnlearnConstraintBased):
    """Grow-Shrink: Markov blankets first, then neighbours and directions."""

    name = "bnlearn_gs"
    implementation = "dagathlon (re-implementation of bnlearn 4.8.3 gs)"
    references = (_BNLEARN, "Margaritis 2003, Learning Bayesian network model structure from data")

    def native(self) -> Gs:
        """Our Gs with the same parameters."""
        return Gs(undirected=self.undirected, **self._common())


@dataclass(frozen=True, kw_only=True)
class BnlearnIamb(BnlearnConstraintBased):
    """Incremental association Markov blankets, then neighbours and directions."""

    name = "bnlearn_iamb"
    implementation = "dagathlon (re-implementation of bnlearn 4.8.3 iamb)"
    references = (_BNLEARN, "Tsamardinos, Aliferis and Statnikov 2003, FLAIRS")

    def native(self) -> Iamb:
        """Our Iamb with the same parameters."""
        return Iamb(undirected=self.undirected, **self._common())


@dataclass(frozen=True, kw_only=True)
class BnlearnFastIamb(BnlearnConstraintBased):
    """Incremental association that adds several variables at a time."""

    name = "bnlearn_fastiamb"
    implementation = "dagathlon (re-implementation of bnlearn 4.8.3 fast.iamb)"
    references = (_BNLEARN, "Yaramakala and Margaritis 2005, ICDM")

    def native(self) -> FastIamb:
        """Our FastIamb with the same parameters."""
        return FastIamb(undirected=self.undirected, **self._common())


@dataclass(frozen=True, kw_only=True)
class BnlearnInterIamb(BnlearnConstraintBased):
    """Incremental association that removes false members after every addition."""

    name = "bnlearn_interiamb"
    implementation = "dagathlon (re-implementation of bnlearn 4.8.3 inter.iamb)"
    references = (_BNLEARN, "Yaramakala and Margaritis 2005, ICDM")

    def native(self) -> InterIamb:
        """Our InterIamb with the same parameters."""
        return InterIamb(undirected=self.undirected, **self._common())


@dataclass(frozen=True, kw_only=True)
class BnlearnIambFdr(BnlearnConstraintBased):
    """Incremental association with control of the false discovery rate."""

    name = "bnlearn_iambfdr"
    implementation = "dagathlon (re-implementation of bnlearn 4.8.3 iamb.fdr)"
    references = (_BNLEARN, "Peña 2008, Learning Gaussian graphical models of gene networks")

    def native(self) -> IambFdr:
        """Our IambFdr with the same parameters."""
        return IambFdr(undirected=self.undirected, **self._common())


@dataclass(frozen=True, kw_only=True)
class BnlearnPcStable(BnlearnConstraintBased):
    """PC with a skeleton that does not depend on the order of the variables."""

    name = "bnlearn_pcstable"
    implementation = "dagathlon (re-implementation of bnlearn 4.8.3 pc.stable)"
    references = (_BNLEARN, "Colombo and Maathuis 2014, JMLR 15")

    def native(self) -> Pc:
        """Our PC-stable; bnlearn directs the colliders of the surest separations first."""
        return Pc(conflicts="lowest-p", skeleton_only=self.undirected, **self._common())


@dataclass(frozen=True, kw_only=True)
class BnlearnMmpc(BnlearnConstraintBased):
    """Max-min parents and children: an undirected skeleton."""

    name = "bnlearn_mmpc"
    implementation = "dagathlon (re-implementation of bnlearn 4.8.3 mmpc)"
    references = (_BNLEARN, "Tsamardinos, Brown and Aliferis 2006, Machine Learning 65")

    def native(self) -> Mmpc:
        """Our Mmpc with the same parameters."""
        return Mmpc(undirected=self.undirected, **self._common())


@dataclass(frozen=True, kw_only=True)
class BnlearnSiHitonPc(BnlearnConstraintBased):
    """Semi-interleaved HITON parents and children: an undirected skeleton."""

    name = "bnlearn_sihitonpc"
    implementation = "dagathlon (re-implementation of bnlearn 4.8.3 si.hiton.pc)"
    references = (_BNLEARN, "Aliferis et al. 2010, JMLR 11")

    def native(self) -> SiHitonPc:
        """Our SiHitonPc with the same parameters."""
        return SiHitonPc(undirected=self.undirected, **self._common())


@dataclass(frozen=True, kw_only=True)
class BnlearnHpc(BnlearnConstraintBased):
    """Hybrid parents and children: an undirected skeleton."""

    name = "bnlearn_hpc"
    implementation = "dagathlon (re-implementation of bnlearn 4.8.3 hpc)"
    references = (_BNLEARN, "Gasse, Aussem and Elghazel 2014, Expert Systems with Applications 41")

    def native(self) -> Hpc:
        """Our Hpc with the same parameters."""
        return Hpc(undirected=self.undirected, **self._common())


def _score_problem(score: str | None, prior: str | None) -> str:
    if score is not None and score not in SCORES:
        return (
            f"score {score!r} is not implemented; there are "
            f"{listing(name for name in get_args(Score) if name in SCORES)}"
        )
    if prior == "cs":
        return "prior 'cs' needs probabilities of arcs, which a study cannot give; use 'vsp'"
    return ""


@dataclass(frozen=True, kw_only=True)
class BnlearnScoreBased(BenchpressLearner):
    """A score-based learner of bnlearn.

    Parameters
    ----------
    score
        Score to maximise; null is bic, bic-g or bic-cg as the data are discrete, continuous or
        mixed.
    iss
        Imaginary sample size of the discrete Bayesian scores.
    issmu
        Imaginary sample size of the mean in bge.
    issw
        Imaginary sample size of the Wishart prior in bge; null is the number of variables plus 2.
    l
        Number of scores averaged by bdla.
    k
        Penalty per parameter of the aic and bic scores; null is the score's own.
    prior
        Prior over graphs.
    beta
        Parameter of the prior over graphs.
    """

    gives = "dag"
    honours_constraints = True
    data_rules = {"score": SCORE_RULE}

    score: Score | None = None
    iss: NonNegative = 1.0
    issmu: NonNegative = 1.0
    issw: NonNegative | None = None
    l: Count = 5  # noqa: E741 - Benchpress's name
    k: NonNegative | None = None
    prior: Literal["uniform", "vsp", "marginal", "cs"] = "uniform"
    beta: NonNegative | None = None

    def problem(self) -> str:
        """Scores that are not there, and a prior that Benchpress cannot describe."""
        return _score_problem(self.score, self.prior) or super().problem()

    def score_parameters(self) -> dict[str, Any]:
        """The parameters of the score under our names."""
        return {
            "score": self.score,
            "iss": self.iss,
            "iss_mu": self.issmu,
            "iss_w": self.issw,
            "k": self.k,
            "prior": self.prior,
            "beta": self.beta,
            "constraints": self.edgeConstraints,
        }


@dataclass(frozen=True, kw_only=True)
class BnlearnHc(BnlearnScoreBased):
    """Greedy hill climbing over DAGs, with random restarts.

    Parameters
    ----------
    restart
        Number of random restarts.
    perturb
        Number of random changes of the graph at each restart.
    """

    name = "bnlearn_hc"
    implementation = "dagathlon (re-implementation of bnlearn 4.8.3 hc)"
    references = (_BNLEARN,)

    restart: Count = 0
    perturb: Count = 1

    def native(self) -> Learner:
        """The same search under our name."""
        return HillClimbing(restart=self.restart, perturb=self.perturb, **self.score_parameters())


@dataclass(frozen=True, kw_only=True)
class BnlearnTabu(BnlearnScoreBased):
    """Hill climbing that leaves local maxima by a list of forbidden graphs."""

    name = "bnlearn_tabu"
    implementation = "dagathlon (re-implementation of bnlearn 4.8.3 tabu)"
    references = (_BNLEARN,)

    def native(self) -> Learner:
        """The same search under our name."""
        return Tabu(**self.score_parameters())


@dataclass(frozen=True, kw_only=True)
class BnlearnHybrid(BenchpressLearner):
    """A hybrid learner of bnlearn: a skeleton by tests, then a DAG inside it by a score.

    Parameters
    ----------
    alpha
        Significance level of the independence tests.
    test
        Independence test; null is mi, cor or mi-cg as the data are discrete, continuous or mixed.
    score
        Score to maximise; null is bic, bic-g or bic-cg as the data are discrete, continuous or
        mixed.
    iss
        Imaginary sample size of the discrete Bayesian scores; null is 1.
    issmu
        Imaginary sample size of the mean in bge; null is 1.
    issw
        Imaginary sample size of the Wishart prior in bge; null is the number of variables plus 2.
    l
        Number of scores averaged by bdla; null is 5.
    k
        Penalty per parameter of the aic and bic scores; null is 1, as in Benchpress.
    prior
        Prior over graphs; null is uniform.
    beta
        Parameter of the prior over graphs.
    """

    gives = "dag"
    honours_constraints = True
    data_rules = {"test": TEST_RULE, "score": SCORE_RULE}

    alpha: Probability = 0.05
    test: Test | None = None
    score: Score | None = None
    iss: NonNegative | None = None
    issmu: NonNegative | None = None
    issw: NonNegative | None = None
    l: Count | None = None  # noqa: E741 - Benchpress's name
    k: NonNegative | None = None
    prior: Literal["uniform", "vsp", "marginal", "cs"] | None = "uniform"
    beta: NonNegative | None = None

    def problem(self) -> str:
        """Scores that are not there, and a prior that Benchpress cannot describe."""
        return _score_problem(self.score, self.prior) or super().problem()

    def _common(self) -> dict[str, Any]:
        """Our names of the shared parameters."""
        return {
            "alpha": self.alpha,
            "test": self.test,
            "score": self.score,
            "iss": 1.0 if self.iss is None else self.iss,
            "iss_mu": 1.0 if self.issmu is None else self.issmu,
            "iss_w": self.issw,
            "k": 1.0 if self.k is None else self.k,
            "prior": self.prior or "uniform",
            "beta": self.beta,
            "constraints": self.edgeConstraints,
        }


@dataclass(frozen=True, kw_only=True)
class BnlearnMmhc(BnlearnHybrid):
    """Max-min hill climbing: skeleton by max-min parents and children."""

    name = "bnlearn_mmhc"
    implementation = "dagathlon (re-implementation of bnlearn 4.8.3 mmhc)"
    references = (_BNLEARN, "Tsamardinos, Brown and Aliferis 2006, Machine Learning 65")

    def native(self) -> Mmhc:
        """Our Mmhc with the same parameters."""
        return Mmhc(**self._common())


@dataclass(frozen=True, kw_only=True)
class BnlearnH2pc(BnlearnHybrid):
    """Hybrid HPC: skeleton by hybrid parents and children."""

    name = "bnlearn_h2pc"
    implementation = "dagathlon (re-implementation of bnlearn 4.8.3 h2pc)"
    references = (_BNLEARN, "Gasse, Aussem and Elghazel 2014, Expert Systems with Applications 41")

    def native(self) -> H2pc:
        """Our H2pc with the same parameters."""
        return H2pc(**self._common())


@dataclass(frozen=True, kw_only=True)
class BnlearnRsmax2(BnlearnHybrid):
    """General two-step search: any skeleton learner, then any score-based learner.

    Parameters
    ----------
    restrict
        Learner of the skeleton.
    maximize
        Learner of the DAG inside the skeleton.
    """

    name = "bnlearn_rsmax2"
    implementation = "dagathlon (re-implementation of bnlearn 4.8.3 rsmax2)"
    references = (_BNLEARN,)

    restrict: Literal[
        "si.hiton.pc", "mmpc", "hpc", "gs", "iamb", "fast.iamb", "inter.iamb", "iamb.fdr",
        "pc.stable", "chow.liu", "aracne",
    ] = "si.hiton.pc"  # fmt: skip
    maximize: Literal["hc", "tabu"] = "hc"

    def problem(self) -> str:
        """Learners of a skeleton that are not there."""
        if self.restrict not in _SKELETONS:
            return f"restrict {self.restrict!r} is not implemented; there are {listing(_SKELETONS)}"
        return super().problem()

    def native(self) -> Rsmax2:
        """Our Rsmax2 with the same parameters."""
        restrict = _SKELETONS[self.restrict]
        return Rsmax2(restrict=restrict, maximize=self.maximize, **self._common())


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

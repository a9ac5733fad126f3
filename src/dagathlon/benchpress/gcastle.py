"""gCastle 1.0.3: tests, LiNGAM, and continuous optimisation without neural networks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from dagathlon.benchpress.base import BenchpressLearner
from dagathlon.benchpress.needs import BINARY, CONTINUOUS, DISCRETE, NUMBERS
from dagathlon.learners.base import Output
from dagathlon.learners.constraint.pc import Pc
from dagathlon.learners.continuous.anm import AdditiveNoise
from dagathlon.learners.continuous.lingam import DirectLingam, IcaLingam
from dagathlon.learners.continuous.low_rank import NotearsLowRank
from dagathlon.learners.continuous.notears import Notears
from dagathlon.learners.continuous.penalised import Golem
from dagathlon.modules import Count, NonNegative, Probability

_TESTS = {"fisherz": "zf", "gauss": "zf", "g2": "mi", "chi2": "x2", "cat": "x2"}
# Up to so many columns NOTEARS takes gCastle's own steps, which is a matter of seconds.
_FEW_COLUMNS = 30
GCASTLE = "Zhang et al. 2021, gCastle: a Python toolbox for causal discovery, arXiv 2111.15155"


@dataclass(frozen=True, kw_only=True)
class GcastleLearner(BenchpressLearner):
    """A learner of gCastle, which takes continuous data unless it says otherwise."""

    gives: ClassVar[Output] = "dag"
    takes = frozenset({"continuous"})


@dataclass(frozen=True, kw_only=True)
class GcastleNotears(GcastleLearner):
    """NOTEARS: a linear model fitted under a smooth constraint that keeps it acyclic.

    Parameters
    ----------
    lambda1
        Factor of the L1 penalty.
    loss_type
        Loss: least squares (l2), logistic or poisson.
    max_iter
        Largest number of dual ascent steps.
    h_tol
        Stop when the acyclicity constraint is below this.
    rho_max
        Stop when the penalty of the constraint is above this.
    w_threshold
        Weights below this in absolute value are no edges.
    """

    name = "gcastle_notears"
    version = 2
    gives = "mixed"
    uses_blas = True
    takes = frozenset({"continuous", "discrete"})
    data_rules = {"loss_type": {"l2": NUMBERS, "logistic": BINARY, "poisson": DISCRETE}}
    implementation = "dagathlon (re-implementation of gCastle 1.0.3 Notears)"
    references = ("Zheng, Aragam, Ravikumar and Xing 2018, NeurIPS", GCASTLE)

    lambda1: NonNegative = 0.1
    loss_type: Literal["l2", "logistic", "poisson"] = "l2"
    max_iter: Count = 100
    h_tol: NonNegative = 1e-8
    rho_max: NonNegative = 1e16
    w_threshold: NonNegative = 0.3

    def native(self) -> Notears:
        """Our NOTEARS."""
        return Notears(
            lambda1=self.lambda1,
            loss_type=self.loss_type,
            max_iter=self.max_iter,
            h_tol=self.h_tol,
            rho_max=self.rho_max,
            w_threshold=self.w_threshold,
            few_columns=_FEW_COLUMNS,
            cycles="keep",
        )


@dataclass(frozen=True, kw_only=True)
class GcastleNotearsLowRank(GcastleLearner):
    """NOTEARS with a weight matrix of low rank.

    Parameters
    ----------
    rank
        Rank of the weight matrix.
    w_init
        Ignored, as in Benchpress.
    max_iter
        Largest number of dual ascent steps.
    h_tol
        Stop when the acyclicity constraint is below this.
    rho_max
        Stop when the penalty of the constraint is above this.
    w_threshold
        Weights below this in absolute value are no edges.
    """

    name = "gcastle_notears_low_rank"
    version = 2
    gives = "mixed"
    uses_blas = True
    implementation = "dagathlon (re-implementation of gCastle 1.0.3 NotearsLowRank)"
    references = ("Fang et al. 2023, On low-rank directed acyclic graphs, IEEE TNNLS", GCASTLE)

    rank: Count = 15
    w_init: str | None = None
    max_iter: Count = 15
    h_tol: NonNegative = 1e-6
    rho_max: NonNegative = 1e20
    w_threshold: NonNegative = 0.3

    def native(self) -> NotearsLowRank:
        """Our NOTEARS of low rank."""
        return NotearsLowRank(
            rank=max(self.rank, 1),
            max_iter=self.max_iter,
            h_tol=self.h_tol,
            rho_max=self.rho_max,
            w_threshold=self.w_threshold,
            cycles="keep",
        )


@dataclass(frozen=True, kw_only=True)
class GcastleGolem(GcastleLearner):
    """GOLEM: a Gaussian likelihood with soft sparsity and acyclicity penalties.

    Parameters
    ----------
    lambda_1
        Factor of the L1 penalty.
    lambda_2
        Factor of the acyclicity penalty.
    equal_variances
        Whether the noise variances are taken to be equal.
    non_equal_variances
        Ignored, as in gCastle.
    learning_rate
        Step size of Adam.
    num_iter
        Number of steps.
    checkpoint_iter
        Ignored: nothing is printed.
    graph_thres
        Weights below this in absolute value are no edges.
    device_type
        Ignored: the processor does the work.
    device_ids
        Ignored: the processor does the work.
    """

    name = "gcastle_golem"
    implementation = "dagathlon (re-implementation of gCastle 1.0.3 GOLEM)"
    references = ("Ng, Ghassami and Zhang 2020, NeurIPS", GCASTLE)

    lambda_1: NonNegative = 2e-2
    lambda_2: NonNegative = 5.0
    equal_variances: bool = True
    non_equal_variances: bool = True
    learning_rate: NonNegative = 1e-3
    num_iter: Count = 100_000
    checkpoint_iter: Count = 5000
    graph_thres: NonNegative = 0.3
    device_type: Literal["cpu", "gpu"] = "cpu"
    device_ids: Count | str | None = 0

    def native(self) -> Golem:
        """Our GOLEM."""
        return Golem(
            lambda_1=self.lambda_1,
            lambda_2=self.lambda_2,
            equal_variances=self.equal_variances,
            learning_rate=self.learning_rate,
            num_iter=self.num_iter,
            graph_thres=self.graph_thres,
        )


@dataclass(frozen=True, kw_only=True)
class GcastlePc(GcastleLearner):
    """The PC algorithm of gCastle.

    Parameters
    ----------
    variant
        Whether edges are removed at once (original), level by level (stable) or in parallel.
    alpha
        Significance level of the tests.
    ci_test
        Independence test: fisherz for continuous, the others for discrete data.
    """

    name = "gcastle_pc"
    gives = "cpdag"
    takes = frozenset({"continuous", "discrete"})
    data_rules = {
        "ci_test": {
            "fisherz": CONTINUOUS,
            "g2": DISCRETE,
            "chi2": DISCRETE,
            "gauss": CONTINUOUS,
            "cat": DISCRETE,
        }
    }
    implementation = "dagathlon (re-implementation of gCastle 1.0.3 PC)"
    references = ("Spirtes, Glymour and Scheines 2000, Causation, Prediction, and Search", GCASTLE)

    variant: Literal["original", "stable", "parallel"] = "original"
    alpha: Probability = 0.05
    ci_test: Literal["fisherz", "g2", "chi2", "gauss", "cat"] = "fisherz"

    def native(self) -> Pc:
        """Our PC with gCastle's way of directing colliders."""
        return Pc(
            alpha=self.alpha,
            test=_TESTS[self.ci_test],
            stable=self.variant != "original",
            one_sided=self.variant != "parallel",
            conflicts="first",
        )


@dataclass(frozen=True, kw_only=True)
class GcastleAnm(GcastleLearner):
    """Additive noise models: the directions in which the residuals are independent.

    As in gCastle a pair may have both directions, which is an undirected edge here, and there may
    be directed cycles.

    Parameters
    ----------
    alpha
        Significance level of the independence test of the residuals.
    """

    name = "gcastle_anm"
    uses_blas = True
    gives = "mixed"
    implementation = "dagathlon (re-implementation of gCastle 1.0.3 ANMNonlinear)"
    references = ("Hoyer, Janzing, Mooij, Peters and Schölkopf 2008, NeurIPS", GCASTLE)

    alpha: Probability = 0.05

    def native(self) -> AdditiveNoise:
        """Our additive noise models, with every direction that fits."""
        return AdditiveNoise(alpha=self.alpha, undecided="keep")


@dataclass(frozen=True, kw_only=True)
class GcastleDirectLingam(GcastleLearner):
    """DirectLiNGAM: the causal order by repeated regression on the most exogenous variable.

    Parameters
    ----------
    measure
        Measure of independence: pairwise likelihood ratios (pwling) or kernels.
    thresh
        Weights below this in absolute value are no edges.
    """

    name = "gcastle_direct_lingam"
    uses_blas = True
    implementation = "dagathlon (re-implementation of gCastle 1.0.3 DirectLiNGAM)"
    references = ("Shimizu et al. 2011, JMLR 12", GCASTLE)

    measure: Literal["pwling", "kernel"] = "pwling"
    thresh: NonNegative = 0.3

    def native(self) -> DirectLingam:
        """Our DirectLiNGAM, with the weights of the lasso."""
        return DirectLingam(measure=self.measure, thresh=self.thresh, pruning="lasso")


@dataclass(frozen=True, kw_only=True)
class GcastleIcaLingam(GcastleLearner):
    """LiNGAM by independent component analysis.

    Parameters
    ----------
    max_iter
        Largest number of steps of FastICA.
    thresh
        Weights below this in absolute value are no edges.
    random_state
        Ignored, as in Benchpress: the seed of the replicate is used.
    """

    name = "gcastle_ica_lingam"
    uses_blas = True
    implementation = "dagathlon (re-implementation of gCastle 1.0.3 ICALiNGAM)"
    references = ("Shimizu, Hoyer, Hyvärinen and Kerminen 2006, JMLR 7", GCASTLE)

    max_iter: Count = 1000
    thresh: NonNegative = 0.3
    random_state: Count | None = None

    def native(self) -> IcaLingam:
        """Our LiNGAM, with the weights of the lasso."""
        return IcaLingam(max_iter=max(self.max_iter, 1), thresh=self.thresh, pruning="lasso")

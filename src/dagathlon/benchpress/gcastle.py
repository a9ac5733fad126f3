"""gCastle 1.0.3: tests, LiNGAM, and continuous optimisation without neural networks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from dagathlon.benchpress.base import BenchpressLearner
from dagathlon.benchpress.needs import BINARY, CONTINUOUS, DISCRETE, NUMBERS
from dagathlon.benchpress.translation import same
from dagathlon.learners.base import Output
from dagathlon.learners.constraint.pc import Pc
from dagathlon.learners.continuous.anm import AdditiveNoise
from dagathlon.learners.continuous.golem import Golem
from dagathlon.learners.continuous.lingam import DirectLingam, IcaLingam
from dagathlon.learners.continuous.low_rank import NotearsLowRank
from dagathlon.learners.continuous.notears import Notears
from dagathlon.modules import Count

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
    """NOTEARS: a linear model fitted under a smooth constraint that keeps it acyclic."""

    name = "gcastle_notears"
    runs = Notears
    inherits = same("lambda1", "loss_type", "max_iter", "h_tol", "rho_max", "w_threshold")
    fixed = {
        "few_columns": _FEW_COLUMNS,
        "cycles": "keep",
        "standardize": False,
        "discrete": "numbers",
    }
    version = 2
    gives = "mixed"
    uses_blas = True
    takes = frozenset({"continuous", "discrete"})
    data_rules = {"loss_type": {"l2": NUMBERS, "logistic": BINARY, "poisson": DISCRETE}}
    implementation = "dagathlon (re-implementation of gCastle 1.0.3 Notears)"
    references = ("Zheng, Aragam, Ravikumar and Xing 2018, NeurIPS", GCASTLE)


@dataclass(frozen=True, kw_only=True)
class GcastleNotearsLowRank(GcastleLearner):
    """NOTEARS with a weight matrix of low rank.

    Parameters
    ----------
    w_init
        Ignored, as in Benchpress.
    """

    name = "gcastle_notears_low_rank"
    runs = NotearsLowRank
    inherits = same("rank", "max_iter", "h_tol", "rho_max", "w_threshold")
    fixed = {"cycles": "keep", "standardize": False}
    version = 2
    gives = "mixed"
    uses_blas = True
    implementation = "dagathlon (re-implementation of gCastle 1.0.3 NotearsLowRank)"
    references = ("Fang et al. 2023, On low-rank directed acyclic graphs, IEEE TNNLS", GCASTLE)

    rank: Count = 15
    w_init: str | None = None

    def translated(self) -> dict[str, Any]:
        """A rank of 0 is one of 1."""
        return super().translated() | {"rank": max(self.rank, 1)}


@dataclass(frozen=True, kw_only=True)
class GcastleGolem(GcastleLearner):
    """GOLEM: a Gaussian likelihood with soft sparsity and acyclicity penalties.

    Parameters
    ----------
    non_equal_variances
        Ignored, as in gCastle.
    checkpoint_iter
        Ignored: nothing is printed.
    device_type
        Ignored: the processor does the work.
    device_ids
        Ignored: the processor does the work.
    """

    name = "gcastle_golem"
    runs = Golem
    inherits = same(
        "lambda_1", "lambda_2", "equal_variances", "learning_rate", "num_iter", "graph_thres"
    )
    fixed = {"standardize": False}
    implementation = "dagathlon (re-implementation of gCastle 1.0.3 GOLEM)"
    references = ("Ng, Ghassami and Zhang 2020, NeurIPS", GCASTLE)

    non_equal_variances: bool = True
    checkpoint_iter: Count = 5000
    device_type: Literal["cpu", "gpu"] = "cpu"
    device_ids: Count | str | None = 0


@dataclass(frozen=True, kw_only=True)
class GcastlePc(GcastleLearner):
    """The PC algorithm of gCastle.

    Parameters
    ----------
    variant
        Whether edges are removed at once (original), level by level (stable) or in parallel.
    ci_test
        Independence test: fisherz for continuous, the others for discrete data.
    """

    name = "gcastle_pc"
    runs = Pc
    inherits = same("alpha")
    # gCastle's way of directing colliders; it sets no limit to what it conditions on.
    fixed = {"conflicts": "first", "max_order": "inf"}
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
    ci_test: Literal["fisherz", "g2", "chi2", "gauss", "cat"] = "fisherz"

    def translated(self) -> dict[str, Any]:
        """The test, and how edges are removed."""
        return super().translated() | {
            "test": _TESTS[self.ci_test],
            "stable": self.variant != "original",
            "one_sided": self.variant != "parallel",
        }


@dataclass(frozen=True, kw_only=True)
class GcastleAnm(GcastleLearner):
    """Additive noise models: the directions in which the residuals are independent.

    As in gCastle a pair may have both directions, which is an undirected edge here, and there may
    be directed cycles.
    """

    name = "gcastle_anm"
    runs = AdditiveNoise
    inherits = same("alpha")
    fixed = {"undecided": "keep"}
    uses_blas = True
    gives = "mixed"
    implementation = "dagathlon (re-implementation of gCastle 1.0.3 ANMNonlinear)"
    references = ("Hoyer, Janzing, Mooij, Peters and Schölkopf 2008, NeurIPS", GCASTLE)


@dataclass(frozen=True, kw_only=True)
class GcastleDirectLingam(GcastleLearner):
    """DirectLiNGAM: the causal order by repeated regression on the most exogenous variable."""

    name = "gcastle_direct_lingam"
    runs = DirectLingam
    inherits = same("measure", "thresh")
    fixed = {"pruning": "lasso"}
    uses_blas = True
    implementation = "dagathlon (re-implementation of gCastle 1.0.3 DirectLiNGAM)"
    references = ("Shimizu et al. 2011, JMLR 12", GCASTLE)

    thresh = 0.3


@dataclass(frozen=True, kw_only=True)
class GcastleIcaLingam(GcastleLearner):
    """LiNGAM by independent component analysis.

    Parameters
    ----------
    random_state
        Ignored, as in Benchpress: the seed of the replicate is used.
    """

    name = "gcastle_ica_lingam"
    runs = IcaLingam
    inherits = same("max_iter", "thresh")
    fixed = {"pruning": "lasso"}
    uses_blas = True
    implementation = "dagathlon (re-implementation of gCastle 1.0.3 ICALiNGAM)"
    references = ("Shimizu, Hoyer, Hyvärinen and Kerminen 2006, JMLR 7", GCASTLE)

    thresh = 0.3
    max_iter: Count = 1000
    random_state: Count | None = None

    def translated(self) -> dict[str, Any]:
        """No step is one step."""
        return super().translated() | {"max_iter": max(self.max_iter, 1)}

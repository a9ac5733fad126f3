"""Further learners of DAGs and CPDAGs: GOBNILP, rblip, causaldag, causal-learn, pyAgrum."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, cast

from dagathlon.benchpress.base import BenchpressLearner
from dagathlon.benchpress.needs import CONTINUOUS, DISCRETE
from dagathlon.benchpress.translation import same
from dagathlon.learners.base import Learner
from dagathlon.learners.constraint.miic import Miic
from dagathlon.learners.exact.exact_map import ExactMap
from dagathlon.learners.order.asobs import Asobs, ParentSetOrderSearch, WinAsobs
from dagathlon.learners.order.order_search import Grasp
from dagathlon.learners.order.sparsest_permutation import Gsp
from dagathlon.modules import Count, NonNegative, Probability

if TYPE_CHECKING:
    from dagathlon.data import Dataset

# Starts in a row without a better DAG that end the search of rblip before its time is up.
_WINDOW_PATIENCE = 50
_RANDOM_PATIENCE = 5000

# One start of GRaSP is often short of what a lucky start of causal-learn finds; thirty seldom are.
_GRASP_STARTS = 30
_GRASP_VARIABLES = 50


@dataclass(frozen=True, kw_only=True)
class Gobnilp(BenchpressLearner):
    """Exact search for the best DAG with few parents per node, by integer programming.

    Parameters
    ----------
    continuous
        Whether the data are continuous.
    score_type
        Score of continuous data; discrete data have BDeu.
    alpha_omega_minus_nvars
        Degrees of freedom of the Wishart prior in BGe, less the number of variables; null is 2.
    plot
        Ignored, as in Benchpress.
    extra_args
        File with further settings of the solver; null is none.
    """

    name = "gobnilp"
    runs = ExactMap
    inherits = same(
        "prune", "time_limit", "gap_limit", alpha_mu="iss_mu", alpha="iss", palim="max_parents"
    )
    anytime = True
    gives = "dag"
    honours_constraints = True
    data_rules = {"continuous": {True: CONTINUOUS, False: DISCRETE}}
    implementation = "dagathlon (re-implementation of GOBNILP)"
    references = ("Cussens 2011, UAI", "Cussens and Bartlett 2013, UAI")

    continuous: bool = True
    score_type: Literal["BGe", "BDeu", "BIC"] = "BGe"
    alpha_mu: NonNegative | None = None
    alpha_omega_minus_nvars: NonNegative | None = None
    alpha: NonNegative | None = None
    palim: Count = 3
    gap_limit: NonNegative | None = None
    plot: bool = False
    extra_args: str | None = None

    def problem(self) -> str:
        """Settings of another solver mean nothing here."""
        if self.extra_args is not None:
            return "extra_args has settings of SCIP, and the solver here is another; set it to null"
        return super().problem()

    def translated(self) -> dict[str, Any]:
        """The score by the kind of data."""
        kinds = {"BGe": "bge", "BIC": "bic-g", "BDeu": "bdeu"}
        score = kinds[self.score_type] if self.continuous else "bdeu"
        return super().translated() | {"score": score}

    def native_for(self, data: Dataset) -> Learner:
        """Our learner; the degrees of freedom of the prior grow with the number of variables."""
        freedom = self.alpha_omega_minus_nvars
        wishart = None if freedom is None else len(data.names) + freedom
        return cast(ExactMap, replace(self.native(), iss_w=wishart))


@dataclass(frozen=True, kw_only=True)
class RblipAsobs(BenchpressLearner):
    """Acyclic selection: local search over orders with cached parent sets.

    Parameters
    ----------
    timeout
        Most seconds that the search may use. It ends before when it has converged: after 50 starts
        in a row (5000 without window moves) that find no better DAG.
    scorermethod
        How parent sets are explored: independence selection (is) or one after another (sq).
    solvermethod
        Search over orders: with window moves (winasobs), of random orders (asobs) or without
        acyclic selection (obs). The variants in -ent draw first orders by entropy there, and evenly
        here.
    allocated
        Ignored: parent sets are explored up to a number, not up to a time.
    scorefunction
        Score.
    cores
        Ignored: a run has one core.
    verbose_level
        Ignored: nothing is printed.
    """

    name = "rblip_asobs"
    runs = ParentSetOrderSearch
    inherits = same(scorefunction="score", indeg="max_parents", alpha="iss")
    anytime = True
    gives = "dag"
    takes = frozenset({"discrete"})
    timeout_is_limit = False
    implementation = "dagathlon (re-implementation of r.blip 1.1)"
    references = ("Scanagatta, de Campos, Corani and Zaffalon 2015, NeurIPS",)

    timeout: NonNegative = 60.0
    scorermethod: Literal["is", "sq"] = "is"
    solvermethod: Literal["winasobs", "asobs", "asobs-ent", "winasobs-ent", "obs"] = "winasobs"
    indeg: Count = 6
    allocated: Count = 80
    scorefunction: Literal["bdeu", "bic"] = "bdeu"
    cores: Count = 1
    verbose_level: Count = 0

    def native(self) -> ParentSetOrderSearch:
        """The same search under our name."""
        windows = self.solvermethod.startswith("winasobs")
        search: type[ParentSetOrderSearch] = WinAsobs if windows else Asobs
        return search(
            **self.translated(),
            exploration="independence" if self.scorermethod == "is" else "all",
            acyclic_selection=self.solvermethod != "obs",
            patience=_WINDOW_PATIENCE if windows else _RANDOM_PATIENCE,
            seconds=self.timeout,
        )


@dataclass(frozen=True, kw_only=True)
class CausaldagGsp(BenchpressLearner):
    """Greedy sparsest permutation with partial correlation tests.

    Parameters
    ----------
    depth
        Depth of the search for a sparser permutation; 0 is no limit.
    initial_undirected
        How the first permutation is chosen: from the graph of significant partial correlations,
        variables of low degree last; null is at random.
    max_iters
        Largest number of moves; "inf" is no limit.
    verbose, progress_bar, summarize
        Ignored: nothing is printed.
    invert
        Ignored: partial correlations are the same either way.
    """

    name = "causaldag_gsp"
    runs = Gsp
    inherits = same("alpha", nruns="starts", factor="draws", use_lowest="take_sparsest")
    fixed = {"test": "zf"}
    anytime = True
    gives = "dag"
    takes = frozenset({"continuous"})
    implementation = "dagathlon (re-implementation of causaldag 0.1a163 gsp)"
    references = ("Solus, Wang and Uhler 2021, Biometrika 108",)

    nruns: Count = 5
    depth: Count = 4
    factor: Count = 2
    alpha: Probability | None = None
    initial_undirected: Literal["threshold"] | None = "threshold"
    max_iters: Count | Literal["inf"] = "inf"
    verbose: bool = False
    progress_bar: bool = False
    summarize: bool = False
    invert: bool = False

    def translated(self) -> dict[str, Any]:
        """What zero, null and infinity mean."""
        return super().translated() | {
            "starts": max(self.nruns, 1),
            "draws": max(self.factor, 1),
            "depth": self.depth or None,
            "by_degree": self.initial_undirected is not None,
            "max_steps": None if self.max_iters == "inf" else self.max_iters,
        }


@dataclass(frozen=True, kw_only=True)
class CausallearnGrasp(BenchpressLearner):
    """Greedy relaxations of the sparsest permutation, with the BIC of a linear model.

    Parameters
    ----------
    maxP
        Largest number of parents; null is no limit. Causal-learn 0.1.3.4 takes it and makes no use
        of it.
    """

    name = "causallearn_grasp"
    runs = Grasp
    inherits = same(maxP="max_parents")
    # Only its first tuck may be of an uncovered edge.
    fixed = {
        "score": "sem-bic",
        "penalty_discount": 2.0,
        "depth": 3,
        "uncovered_depth": 1,
        "nonsingular_depth": 3,
    }
    anytime = True
    gives = "cpdag"
    takes = frozenset({"continuous"})
    implementation = "dagathlon (re-implementation of causal-learn 0.1.3.4 grasp)"
    references = (
        "Lam, Andrews and Ramsey 2022, UAI",
        "Zheng, Huang, Chen, Ramsey, Gong, Cai, Shimizu, Spirtes and Zhang 2024, JMLR 25",
    )

    maxP: Count | None = None

    def native_for(self, data: Dataset) -> Learner:
        """Our learner; few variables are searched from many orders."""
        few = len(data.names) <= _GRASP_VARIABLES
        return cast(Grasp, replace(self.native(), starts=_GRASP_STARTS if few else None))


@dataclass(frozen=True, kw_only=True)
class Pyagrum(BenchpressLearner):
    """The default learner of pyAgrum 1.14: MIIC, with the description length as complexity.

    Neither parameter changes the graph, in Benchpress as here: the correction is that by
    description length whether it is asked for or not, and pyAgrum's smoothing changed none of 118
    graphs. pyAgrum directs what MIIC leaves open by the order of its tables in memory; here
    the first columns are first, which gives another DAG of the same class. The first row of the
    data, which Benchpress drops, is that of the numbers of levels in its files of discrete data.

    Parameters
    ----------
    useMDLCorrection
        Without effect: mutual information is always corrected by the description length.
    useSmoothingPrior
        Without effect on the graph.
    """

    name = "pyagrum"
    runs = Miic
    fixed = {"complexity": "mdl", "directed": True}
    gives = "dag"
    takes = frozenset({"discrete"})
    implementation = "dagathlon (re-implementation of pyAgrum 1.14.0)"
    references = (
        "Ducamp, Gonzales and Wuillemin 2020, aGrUM/pyAgrum, PGM",
        *Miic.references,
    )

    useMDLCorrection: bool = False
    useSmoothingPrior: bool = False

"""BiDAG 2.1.4: iterative search and MCMC over orders and partitions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, cast

from dagathlon.benchpress.base import BenchpressLearner, BenchpressSampler
from dagathlon.benchpress.needs import BINARY, CONTINUOUS, DISCRETE
from dagathlon.learners.base import Learner
from dagathlon.learners.bayesian.iterative_search import IterativeSearch
from dagathlon.learners.bayesian.order_mcmc import OrderMcmc
from dagathlon.learners.bayesian.partition_mcmc import PartitionMcmc
from dagathlon.learners.score.score_based import ScoreBased
from dagathlon.learners.start_graph import AlgorithmId
from dagathlon.modules import Count, NonNegative, Probability

if TYPE_CHECKING:
    from dagathlon.data import Dataset

_TESTS = {"bge": "gaussCItest", "bde": "binCItest", "bdecat": "disCItest"}
_BIDAG = "Suter, Kuipers, Moffa and Beerenwinkel 2023, Bayesian structure learning with BiDAG, JSS"


@dataclass(frozen=True, kw_only=True)
class BidagScore(BenchpressLearner):
    """The score that all of BiDAG's learners share.

    Parameters
    ----------
    scoretype
        bge for continuous, bde for binary and bdecat for categorical data.
    chi
        Imaginary sample size of bde and bdecat; null is 0.5.
    edgepf
        Factor by which each edge lowers the prior in bde and bdecat; null is 2.
    am
        Imaginary sample size of the mean in bge; null is 1.
    aw
        Degrees of freedom of the Wishart prior in bge; null is the number of variables + am + 1.
    gamma
        Power to which the likelihood is raised.
    """

    honours_constraints = True
    data_rules = {"scoretype": {"bge": CONTINUOUS, "bde": BINARY, "bdecat": DISCRETE}}

    scoretype: Literal["bge", "bde", "bdecat"] = "bge"
    chi: NonNegative | None = None
    edgepf: NonNegative | None = None
    am: NonNegative | None = None
    aw: NonNegative | None = None
    gamma: NonNegative = 1.0

    def native_for(self, data: Dataset) -> Learner:
        """Our learner; the degrees of freedom of the prior grow with the number of variables."""
        learner = self.native()
        if self.scoretype != "bge" or self.aw is not None:
            return learner
        degrees = len(data.names) + self._mean_size() + 1
        return replace(cast(ScoreBased, learner), iss_w=degrees)

    def score_parameters(self) -> dict[str, Any]:
        """The score in our terms."""
        shared: dict[str, Any] = {
            "constraints": self.edgeConstraints,
            "timeout": self.timeout,
        }
        if self.scoretype == "bge":
            return shared | {"score": "bge", "iss_mu": self._mean_size(), "iss_w": self.aw}
        return shared | {
            "score": "bde",
            "iss": 0.5 if self.chi is None else self.chi,
            "edge_penalty": 2.0 if self.edgepf is None else self.edgepf,
        }

    def space_parameters(self) -> dict[str, Any]:
        """The score, its power and PC's test in our terms."""
        return self.score_parameters() | {"power": self.gamma, "test": _TESTS[self.scoretype]}

    def _mean_size(self) -> float:
        return 1.0 if self.am is None else self.am


@dataclass(frozen=True, kw_only=True)
class BidagItsearch(BidagScore):
    """Iterative order search: a search space from PC, grown where that raises the score.

    Parameters
    ----------
    estimate
        What to return: the best DAG (``map``) or the final search space (``endspace``).
    MAP
        Whether to maximise rather than to sample.
    plus1it
        Number of expansions of the search space; null is until none helps.
    posterior
        Posterior probability above which a sampled edge joins the search space (without MAP).
    softlimit
        Largest number of parents in the search space when it grows.
    hardlimit
        Largest number of parents in the search space at the start.
    alpha
        Significance level of PC for the first search space.
    cpdag
        Whether to start from the CPDAG of PC rather than from its skeleton.
    mergetype
        How new edges are merged with the search space.
    """

    name = "bidag_itsearch"
    anytime = True
    gives = "dag"
    implementation = "dagathlon (re-implementation of BiDAG 2.1.4 iterativeMCMC)"
    references = (_BIDAG, "Kuipers, Suter and Moffa 2022, JCGS 31")

    estimate: Literal["map", "endspace"] = "map"
    MAP: bool = True
    plus1it: Count | None = None
    posterior: Probability | None = 0.5
    softlimit: Count = 9
    hardlimit: Count = 12
    alpha: Probability = 0.05
    cpdag: bool = False
    mergetype: Literal["skeleton"] = "skeleton"

    def native(self) -> IterativeSearch:
        """Our iterative search."""
        return IterativeSearch(
            **self.space_parameters(),
            estimate=self.estimate,
            maximise=self.MAP,
            rounds=None if self.plus1it is None else max(self.plus1it, 1),
            posterior=0.5 if self.posterior is None else self.posterior,
            soft_limit=max(self.softlimit, 1),
            hard_limit=max(self.hardlimit, 1),
            alpha=self.alpha,
            directed_space=self.cpdag,
        )


@dataclass(frozen=True, kw_only=True)
class BidagSampler(BidagScore, BenchpressSampler):
    """What the order and partition samplers share.

    Parameters
    ----------
    input_algorithm_id
        Algorithm whose graph is the search space; null is the skeleton that PC finds.
    iterations
        Length of the chain; null is 30000, or 6p²·ln p from 26 variables on.
    stepsave
        Number of steps between two saved ones; null saves 1000 in all.
    """

    gives = "chain"

    input_algorithm_id: AlgorithmId | None = None
    iterations: Count | None = None
    stepsave: Count | None = None

    def chain_parameters(self) -> dict[str, Any]:
        """Length and estimator of the chain in our terms."""
        same = ("iterations", "mcmc_seed", *self.ESTIMATOR_FIELDS)
        return {name: getattr(self, name) for name in same} | {"stepsave": self.stepsave or None}


@dataclass(frozen=True, kw_only=True)
class BidagOrderMcmc(BidagSampler):
    """Markov chain over orders of the variables, with a DAG drawn from each order.

    Parameters
    ----------
    plus1
        Whether each node may have one parent outside the search space.
    MAP
        Whether each order stands for its best DAG rather than for all of its DAGs.
    alpha
        Significance level of PC where it makes the search space; null is 0.05.
    cpdag
        Whether the search space is the CPDAG of PC rather than its skeleton.
    """

    name = "bidag_order_mcmc"
    anytime = True
    implementation = "dagathlon (re-implementation of BiDAG 2.1.4 orderMCMC)"
    references = (_BIDAG, "Friedman and Koller 2003, Machine Learning 50")

    plus1: bool = True
    MAP: bool = True
    alpha: Probability | None = 0.05
    cpdag: bool = False

    def native(self) -> OrderMcmc:
        """Our order sampler."""
        return OrderMcmc(
            **self.space_parameters(),
            **self.chain_parameters(),
            plus_one=self.plus1,
            maximise=self.MAP,
            alpha=0.05 if self.alpha is None else self.alpha,
            directed_space=self.cpdag,
        )


@dataclass(frozen=True, kw_only=True)
class BidagPartitionMcmc(BidagSampler):
    """Markov chain over ordered partitions, which has no bias towards DAGs with many orders.

    Parameters
    ----------
    verbose
        Ignored: nothing is printed.
    """

    name = "bidag_partition_mcmc"
    anytime = True
    implementation = "dagathlon (re-implementation of BiDAG 2.1.4 partitionMCMC)"
    references = (_BIDAG, "Kuipers and Moffa 2017, JASA 112")

    verbose: bool = False

    def native(self) -> PartitionMcmc:
        """Our partition sampler."""
        return PartitionMcmc(**self.space_parameters(), **self.chain_parameters())

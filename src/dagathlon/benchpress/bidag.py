"""BiDAG 2.1.4: iterative search and MCMC over orders and partitions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, cast

from dagathlon.benchpress.base import BenchpressLearner, BenchpressSampler
from dagathlon.benchpress.needs import BINARY, CONTINUOUS, DISCRETE
from dagathlon.benchpress.table import add_classes
from dagathlon.benchpress.translation import same
from dagathlon.learners.base import Learner, Output, Sampler
from dagathlon.learners.bayesian.dag_sampling import DagSampler, squared_log, thousands
from dagathlon.learners.bayesian.iterative_search import IterativeSearch
from dagathlon.learners.bayesian.order_mcmc import search_steps
from dagathlon.learners.bayesian.space_based import PosteriorBased
from dagathlon.learners.score.score_based import ScoreBased
from dagathlon.learners.start_graph import AlgorithmId
from dagathlon.modules import Count, NonNegative

if TYPE_CHECKING:
    from dagathlon.data import Dataset

_TESTS = {"bge": "gaussCItest", "bde": "binCItest", "bdecat": "disCItest"}


@dataclass(frozen=True, kw_only=True)
class BidagScore(BenchpressLearner):
    """The score parameters shared by BiDAG's learners.

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
    """

    runs = PosteriorBased
    inherits = same("timeout", gamma="power")
    honours_constraints = True
    data_rules = {"scoretype": {"bge": CONTINUOUS, "bde": BINARY, "bdecat": DISCRETE}}

    scoretype: Literal["bge", "bde", "bdecat"] = "bge"
    chi: NonNegative | None = None
    edgepf: NonNegative | None = None
    am: NonNegative | None = None
    aw: NonNegative | None = None

    def native_for(self, data: Dataset) -> Learner:
        """Return our learner; prior degrees of freedom grow with the number of variables."""
        learner = cast(ScoreBased, self.native())
        if self.scoretype != "bge" or self.aw is not None:
            return learner
        degrees = len(data.names) + self._mean_size() + 1
        return replace(learner, iss_w=degrees)

    def translated(self) -> dict[str, Any]:
        """Return our score and PC's test; BiDAG ignores interventions."""
        found = super().translated() | {"test": _TESTS[self.scoretype], "interventions": False}
        if self.scoretype == "bge":
            return found | {"score": "bge", "iss_mu": self._mean_size(), "iss_w": self.aw}
        return found | {
            "score": "bde",
            "iss": 0.5 if self.chi is None else self.chi,
            "edge_penalty": 2.0 if self.edgepf is None else self.edgepf,
        }

    def _mean_size(self) -> float:
        return 1.0 if self.am is None else self.am


@dataclass(frozen=True, kw_only=True)
class BidagItsearch(BidagScore):
    """Iterative order search: a search space from PC, grown where that raises the score."""

    name = "bidag_itsearch"

    def output(self) -> Output:
        """Return "mixed" when the final search space is requested, else "dag"."""
        return "mixed" if cast(IterativeSearch, self.native()).estimate == "endspace" else "dag"

    def translated(self) -> dict[str, Any]:
        """Return our parameters; limits below 1 are raised to 1."""
        rounds = None if self.plus1it is None else max(self.plus1it, 1)
        limits = {"soft_limit": max(self.softlimit, 1), "hard_limit": max(self.hardlimit, 1)}
        return super().translated() | {"rounds": rounds} | limits


@dataclass(frozen=True, kw_only=True)
class BidagSampler(BidagScore, BenchpressSampler):
    """The parameters shared by the order and partition samplers.

    Parameters
    ----------
    input_algorithm_id
        Algorithm whose graph is the search space; null is the skeleton that PC finds.
    iterations
        Length of the chain; null is 30000, or 6p²·ln p from 26 variables on.
    """

    runs = DagSampler
    inherits = same("iterations", "stepsave", "mcmc_seed", *Sampler.ESTIMATOR_FIELDS)
    gives = "chain"

    input_algorithm_id: AlgorithmId | None = None
    stepsave: Count | None = None

    def translated(self) -> dict[str, Any]:
        """Return our parameters; stepsave 0 is the default, and the start is saved as well."""
        found = super().translated() | {"stepsave": self.stepsave or None}
        found["alpha"] = 0.05 if found.get("alpha") is None else found["alpha"]
        return found | {"warmup": 0, "mean_edges": False}

    def native_for(self, data: Dataset) -> Learner:
        """Return our learner; the chain's length grows with the number of variables."""
        learner = cast(DagSampler, super().native_for(data))
        if learner.iterations is not None:
            return learner
        return replace(learner, iterations=self.steps(len(data.names)))

    def steps(self, p: int) -> int:
        """Return BiDAG's chain length for p variables."""
        return search_steps(p)


@dataclass(frozen=True, kw_only=True)
class BidagPartitionMcmc(BidagSampler):
    """Markov chain over ordered partitions, which has no bias towards DAGs with many orders."""

    name = "bidag_partition_mcmc"

    def steps(self, p: int) -> int:
        """Return 20p² log p, at least 20000."""
        return max(20_000, thousands(20 * squared_log(p)))


add_classes(__name__)

"""The exact posterior over DAGs as a learner."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.data.facts import DataFacts
from dagathlon.errors import DataError
from dagathlon.learners.background import starting_dag
from dagathlon.learners.base import Estimate, Statistic
from dagathlon.learners.score.interventional import InterventionalScore
from dagathlon.learners.score.score_kinds import MARGINAL
from dagathlon.modules import Count, NonNegative, Probability
from dagathlon.posteriors.dag_posterior import DagPosterior, DagSpace

MOST_VARIABLES = 20


@dataclass(frozen=True, kw_only=True)
class ExactPosterior(InterventionalScore):
    """The posterior over all DAGs of at most 20 variables: no sampling, no approximation.

    The score is a log marginal likelihood (with others the posterior is what that score would
    stand for); all DAGs are equally probable at first unless `prior` says otherwise.

    Parameters
    ----------
    score
        Log weight of a DAG; null is bde, bge or bic-dg as the data are discrete, continuous
        or mixed.
    estimator
        The most probable DAG (map), or all edges above a probability (threshold), less those that
        would close a cycle with more probable ones.
    threshold
        Probability above which the threshold estimator keeps an edge.
    modularity
        Whether each DAG counts once (structure), or once for each order of the variables that it
        is consistent with (order).
    draws
        Number of independent DAGs to draw.
    memory_limit
        Largest memory in GB.
    """

    gives_posterior = True
    name = "exact_posterior"
    version = 2
    gives = "dag"
    references = (
        "Tian and He 2009, UAI",
        "Talvitie, Vuoksenmaa and Koivisto 2020, UAI",
        "Kuipers and Moffa 2017, JASA 112",
    )
    default_scores = MARGINAL
    extends_default = False

    estimator: Literal["map", "threshold"] = "map"
    threshold: Probability = 0.5
    modularity: Literal["structure", "order"] = "structure"
    draws: Count = 0
    memory_limit: NonNegative = 2.0

    def objection(self, data: DataFacts) -> str:
        """Sums over all DAGs are for few variables."""
        if data.n_columns is not None and data.n_columns > MOST_VARIABLES:
            return _too_many(data.n_columns, self.memory_limit)
        return super().objection(data)

    def posterior(self, data: Dataset) -> DagPosterior:
        """The posterior, to be asked for marginals, features and samples."""
        self._require_room(len(data.names))
        starting_dag(None, self.knowledge(data), data.names)  # required edges without a cycle
        most = len(data.names) if self.max_parents is None else self.max_parents
        space = DagSpace(*self.arc_matrices(data), most)
        modularity = getattr(_core.Modularity, self.modularity)
        return DagPosterior(data.names, self.native_score(data), space, modularity)

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Sum over all DAGs, and estimate one."""
        posterior = self.posterior(data)
        seed = int(rng.integers(2**63))
        if self.draws:
            posterior = posterior.with_draws(posterior.drawn(self.draws, seed))
        graph = posterior.map()
        if self.estimator == "threshold":
            graph = posterior.above(self.threshold, acyclic=True)
        return Estimate(graph, _summary(posterior), posterior, self.notes(data))

    def _require_room(self, variables: int) -> None:
        needed = memory_needed(variables) / 1e9
        if variables <= MOST_VARIABLES and needed <= self.memory_limit:
            return
        raise DataError(_too_many(variables, self.memory_limit))


def _too_many(variables: int, memory_limit: float) -> str:
    """That the posterior has no room, and what to do."""
    most = f"at most {MOST_VARIABLES} variables and memory_limit = {memory_limit:g} GB"
    start = f"the exact posterior of {variables} variables needs about"
    remedy = f"{most} are allowed: choose fewer variables, or sample with partition_mcmc"
    if variables > 300:
        return f"{start} more than there is; {remedy}"
    needed, seconds = memory_needed(variables) / 1e9, 3.0**variables / 2e8
    return f"{start} {needed:.3g} GB and {seconds:.3g} s; {remedy}"


def memory_needed(variables: int) -> float:
    """Bytes that the tables over sets of variables take."""
    families = variables * 2.0 ** (variables - 1)
    return families * (8 + 8 + 4 + 8 + 8) + 2.0**variables * 60


def _summary(posterior: DagPosterior) -> dict[str, Statistic]:
    found: dict[str, Statistic] = {
        "log_partition": posterior.log_partition,
        "expected_edges": posterior.expected_edges,
    }
    if not math.isnan(posterior.entropy):
        found["entropy"] = posterior.entropy
    return found

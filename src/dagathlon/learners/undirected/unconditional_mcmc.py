"""MCMC over unconditional dependence graphs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.learners.base import Estimate
from dagathlon.learners.bayesian.dag_sampling import problem_of_temperatures
from dagathlon.learners.score.score_based import ScoreBased
from dagathlon.learners.score.score_kinds import (
    MARGINAL,
    UNEQUAL_PRIORS,
    problem_of_score,
    score_class,
)
from dagathlon.learners.undirected.undirected_sampler import UndirectedSampler
from dagathlon.modules import Natural, NonNegative
from dagathlon.threads import ObjectPool

_SPACE = "all unconditional dependence graphs of DAGs"


@dataclass(frozen=True, kw_only=True)
class UnconditionalMcmc(ScoreBased, UndirectedSampler):
    """A Markov chain over the graphs of marginally dependent pairs of variables.

    Two variables of a DAG are marginally dependent where one causes the other or they have a
    common cause. The graphs of such pairs are those in which each node descends from at least
    one of a number of sources; the chain adds or removes a node as a descendant of a source,
    redistributes the sources of two nodes, merges two sources and splits one. A graph is scored
    by the largest DAG that has it.

    Parameters
    ----------
    score
        Score of that DAG; its exponential is the likelihood of the graph. Null is bge for
        continuous, bde for discrete and bic-dg for mixed data. Equivalent DAGs must have the same
        score.
    max_parents
        Largest number of parents in that DAG; null is no limit.
    constraints
        Must be null: edges of the graph are no causes.
    expected_sources
        Most probable number of sources in a triangular prior on 1, 2, … sources; null makes all
        graphs equally probable.
    power
        Power to which the likelihood is raised: below 1 the chain mixes more easily.
    temperatures
        Temperatures of coupled chains, rising from 1: each samples the posterior to the power of
        1/temperature, and neighbouring chains swap states from time to time. Only the first one is
        saved.
    """

    name = "unconditional_mcmc"
    references = (
        "Deligeorgaki, Markham, Misra and Solus 2023, Combinatorial and algebraic perspectives on "
        "the marginal independence structure of Bayesian networks, Algebraic Statistics 14",
        "Markham, Deligeorgaki, Misra and Solus 2022, A transformational characterization of "
        "unconditionally equivalent Bayesian networks, PGM",
    )
    default_scores = MARGINAL
    extends_default = False
    honours_constraints = False

    expected_sources: Natural | None = None
    power: NonNegative = 1.0
    temperatures: tuple[NonNegative, ...] = (1.0, 1.4, 2.0, 2.8)

    def problem(self) -> str:
        """Return a message for constraints or a score that differs between equivalent DAGs."""
        if self.constraints is not None:
            return "takes no constraints: its edges have no directions"
        known = self.score is not None and not problem_of_score(self.score)
        if known and not score_class(self.score or "").equivalent:
            return f"needs a score that equivalent DAGs share, and {self.score} is none"
        if self.prior in UNEQUAL_PRIORS:
            return f"needs a prior that equivalent DAGs share, and {self.prior} is none"
        return problem_of_temperatures(self.temperatures) or super().problem()

    def default_iterations(self, p: int) -> int:
        """Return the default number of steps: some thousands for each pair, within bounds."""
        return min(max(100_000, 1_000 * p * p), 1_000_000)

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Sample, starting from the empty graph."""
        length = self.length(len(data.names))._replace(temperatures=self.temperatures)
        most = len(data.names) if self.max_parents is None else self.max_parents
        prior = self._log_prior(len(data.names))
        scores = ObjectPool(lambda: self.native_score(data))

        def chain(score: _core.Score, options: _core.ChainOptions) -> _core.UndirectedLog:
            return _core.unconditional_chain(score, self.power, most, prior, options)

        logs = self.chain_runs(scores, chain, length, rng)
        return self.result(logs, data, length, _SPACE)

    def _log_prior(self, p: int) -> list[float]:
        """Return the log prior of 1, …, p sources: triangular around the mode."""
        if self.expected_sources is None:
            return [0.0] * p
        mode, sources = min(self.expected_sources, max(p, 1)), np.arange(1, p + 1)
        weights = np.minimum(sources / mode, (p + 1 - sources) / (p + 1 - mode))
        return [math.log(weight) for weight in weights]

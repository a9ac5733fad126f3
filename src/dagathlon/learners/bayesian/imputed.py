"""Any learner on data with missing values: multiple imputation with pooled graphs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dagathlon.data.preparing.imputation import DEFAULT_COPIES, DEFAULT_SWEEPS, impute
from dagathlon.data.spec import DataFacts
from dagathlon.errors import OutOfTimeError
from dagathlon.graphs import Graph, cpdag
from dagathlon.learners.base import Estimate
from dagathlon.learners.imputation_step import (
    ImputationSettings,
    delegates_to_step,
    problem_of_step,
    resolve_step,
    seed_of,
)
from dagathlon.learners.meta_learner import MetaLearner
from dagathlon.learners.run import Start
from dagathlon.modules import Delegate, Natural, NonNegative, Probability
from dagathlon.posteriors.posterior import Posterior
from dagathlon.pulse import beat, until_deadline

if TYPE_CHECKING:
    import numpy as np

    from dagathlon.data import Dataset


@dataclass(frozen=True, kw_only=True)
class Imputed(MetaLearner):
    """Another learner on several imputed copies of data with missing values, pooled.

    Missing values are imputed several times at random by chained equations (continuous values
    by predictive mean matching, discrete ones by classification trees), the learner learns from
    each copy, and the result has the pairs that are joined in most of the graphs, each with its
    most frequent edge. The graphs, or the chains of a sampler, are the posterior: the frequency
    of an edge shows how much it depends on the imputed values. Values may be missing at random.
    On complete data the learner runs once.

    Parameters
    ----------
    copies
        Number of imputed copies.
    sweeps
        Number of sweeps over the columns with missing values.
    threshold
        Share of the graphs above which a pair that is joined in them is joined in the result.
    classes
        Whether a learned DAG counts as its equivalence class, whose undirected edges count half in
        each direction.
    imputation
        Imputation step to use instead, with its own number of copies, the same for all learners:
        the id of a mice algorithm of the study, or its name with parameters such as
        ``mice[method=rf]``; null is imputation by this learner.
    shared
        Whether the copies depend on the data alone, so that other learners get the same ones; by
        default they depend on the learner's random numbers.
    timeout
        Seconds after which the run is stopped; null for no limit.
    """

    gives_posterior = True
    name = "imputed"
    version = 2
    splits = True
    gives = "chain"
    handles_missing = True
    anytime = True
    references = (
        "Rubin 1987, Multiple imputation for nonresponse in surveys, Wiley",
        "van Buuren and Groothuis-Oudshoorn 2011, Journal of Statistical Software 45(3)",
    )

    copies: Natural = DEFAULT_COPIES
    sweeps: Natural = DEFAULT_SWEEPS
    threshold: Probability = 0.5
    classes: bool = True
    imputation: ImputationSettings | None = None
    shared: bool = False
    timeout: NonNegative | None = None

    def problem(self) -> str:
        """Return a message if imputed is nested or its imputation step is invalid."""
        if isinstance(self.known(), Imputed):
            return "imputed cannot run imputed; name the inner learner"
        problem = problem_of_step(self.imputation)
        return f"imputation: {problem}" if problem else super().problem()

    def delegates(self) -> tuple[Delegate, ...]:
        """Return the learner, and the imputation step."""
        return (*super().delegates(), *delegates_to_step(self.imputation))

    def inner_facts(self, data: DataFacts) -> DataFacts:
        """Return the properties of the imputed data."""
        return replace(data, missing=False)

    def why_unsuitable(self, data: DataFacts) -> str:
        """Return why the learner cannot use the data after imputation; empty if it can."""
        return super().why_unsuitable(self.inner_facts(data))

    def learn(
        self, data: Dataset, rng: np.random.Generator, start: Start | None = None
    ) -> Estimate:
        """Learn from each imputed copy and pool the results."""
        inner = self.inner()
        copies = self._completed(data, rng) if data.has_missing else (data,)
        estimates: list[Estimate] = []
        with until_deadline():
            for estimate in self.run_each(copies, len(copies), rng, start):
                estimates.append(estimate)
                beat(len(estimates), len(copies))
        if not estimates:
            raise OutOfTimeError("the time limit came before the first copy was learned")
        burnin = float(getattr(inner, "burnin_frac", 0.0))
        posterior = self._pooled([self._named(estimate, data) for estimate in estimates], burnin)
        filled = 0 if data.missing is None else int(data.missing.sum())
        stats = {"copies": len(estimates), "imputed_values": filled}
        notes = tuple(dict.fromkeys(note for one in estimates for note in one.notes))
        graph = posterior.consensus(self.threshold)
        return Estimate(graph, stats, posterior, (*self._notes(filled, len(estimates)), *notes))

    def _completed(self, data: Dataset, rng: np.random.Generator) -> tuple[Dataset, ...]:
        drawn = int(rng.integers(2**62))
        if self.imputation is not None:
            return resolve_step(self.imputation).copies(data)
        seed = seed_of(data) if self.shared else drawn
        return impute(data, self.copies, sweeps=self.sweeps, seed=seed)

    @staticmethod
    def _notes(filled: int, copies: int) -> tuple[str, ...]:
        if not filled:
            return ()
        return (
            f"{filled:,} missing values were imputed {copies} times; beside an edge stands in how "
            "many of the copies it was found.",
        )

    @staticmethod
    def _named(estimate: Estimate, data: Dataset) -> Estimate:
        return replace(estimate, graph=estimate.graph.subgraph(data.names))

    def _pooled(self, found: list[Estimate], burnin: float) -> Posterior:
        """Return all chains of a sampler with equal weight, or else one graph per copy."""
        chains = [one.posterior for one in found if isinstance(one.posterior, Posterior)]
        drawn = [one for one in chains if one.chains]
        weighted = any(chain.log_weights is not None for one in drawn for chain in one.chains)
        if len(drawn) == len(found) and not weighted:
            return Posterior.merge(one.after(burnin) for one in drawn)
        return Posterior.of([self._counted(estimate.graph) for estimate in found])

    def _counted(self, graph: Graph) -> Graph:
        return cpdag(graph) if self.classes and graph.is_dag else graph

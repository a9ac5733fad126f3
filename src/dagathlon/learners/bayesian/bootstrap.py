"""Any learner on bootstrap samples: edge strengths, an averaged graph, sampled graphs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from dagathlon.errors import DataError, OutOfTimeError
from dagathlon.graphs import Graph, cpdag
from dagathlon.learners.base import Estimate
from dagathlon.learners.meta_learner import MetaLearner
from dagathlon.modules import Natural, NonNegative, Probability
from dagathlon.posteriors.edge_strength import optimal_threshold
from dagathlon.posteriors.posterior import Posterior
from dagathlon.pulse import beat, until_deadline

if TYPE_CHECKING:
    import numpy as np

    from dagathlon.data import Dataset


@dataclass(frozen=True, kw_only=True)
class Bootstrap(MetaLearner):
    """Another learner on bootstrap samples of the rows, with the averaged graph of the results.

    Besides the averaged graph it returns the learned graphs in the form of a posterior, which
    the evaluations of Markov chains read; they are draws from the distribution of the learner's
    results, not from a posterior distribution.

    Parameters
    ----------
    replicates
        Number of bootstrap samples.
    rows
        Rows in each sample; null is the number of rows of the data.
    threshold
        An edge is kept when its strength is above this; ``optimal`` finds the threshold nearest to
        strengths of 0 and 1.
    classes
        Whether a learned DAG counts as its equivalence class, whose undirected edges count half in
        each direction.
    timeout
        Seconds after which the run is stopped; null for no limit.
    """

    gives_posterior = True
    name = "bootstrap"
    version = 3
    splits = True
    gives = "chain"
    anytime = True
    references = (
        "Friedman, Goldszmidt and Wyner 1999, Data analysis with Bayesian networks, UAI",
        "Scutari and Nagarajan 2013, Artificial Intelligence in Medicine 57",
    )

    replicates: Natural = 200
    rows: Natural | None = None
    threshold: Probability | Literal["optimal"] = "optimal"
    classes: bool = True
    timeout: NonNegative | None = None

    def problem(self) -> str:
        """Return what is wrong with the inner learner; one of PAGs is refused."""
        inner = self.known()
        if isinstance(inner, Bootstrap):
            return "a bootstrap of a bootstrap learns replicates² graphs; name the inner learner"
        if inner is not None and inner.gives in ("mag", "pag"):
            return f"bootstrap averages directed and undirected edges; {inner.name} gives a PAG"
        return super().problem()

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Learn from each sample and average."""
        if not len(data):
            raise DataError("bootstrap needs at least one row of data")
        estimates: list[Estimate] = []
        with until_deadline():
            for estimate in self.run_each(self._samples(data, rng), self.replicates, rng):
                estimates.append(estimate)
                beat(len(estimates), self.replicates)
        if not estimates:
            raise OutOfTimeError("the time limit came before the first sample was learned")
        graphs = [self._counted(estimate.graph.subgraph(data.names)) for estimate in estimates]
        scores = [float(estimate.stats.get("score", 0.0)) for estimate in estimates]
        posterior = Posterior.of(graphs, score=scores)
        threshold = self.threshold
        if threshold == "optimal":
            threshold = optimal_threshold(posterior.strengths.strength)
        stats = {"replicates": len(estimates), "threshold": threshold}
        notes = tuple(f"In the first bootstrap sample: {note}" for note in estimates[0].notes)
        return Estimate(posterior.consensus(threshold), stats, posterior, notes)

    def _samples(self, data: Dataset, rng: np.random.Generator) -> Iterator[Dataset]:
        size = self.rows or len(data)
        for _ in range(self.replicates):
            yield data.take(rng.integers(len(data), size=size))

    def _counted(self, graph: Graph) -> Graph:
        return cpdag(graph) if self.classes and graph.is_dag else graph

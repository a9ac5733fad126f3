"""Benchpress's templates for own modules, as small examples that run.

Each is what a module of that kind needs and no more: a name, parameters, one method.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from dagathlon.benchpress.base import BenchpressParameters
from dagathlon.benchpress.translation import same
from dagathlon.data import Dataset
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate, Learner, Sampler
from dagathlon.modules import Count, Natural, NonNegative, Probability
from dagathlon.posteriors.chain import ChainRecorder
from dagathlon.posteriors.posterior import Posterior
from dagathlon.simulate.base import GraphGenerator, GraphKind
from dagathlon.simulate.g_wishart import GWishart
from dagathlon.simulate.iid import Iid
from dagathlon.simulate.random_graph import numbered


@dataclass(frozen=True, kw_only=True)
class NewGraph(GraphGenerator):
    """Two nodes are joined when one of two uniform random numbers is above the cutoff.

    Parameters
    ----------
    p
        Number of nodes.
    cutoff
        An edge has the probability 1 - cutoff².
    """

    name = "new_graph"

    p: Natural = 5
    cutoff: Probability = 0.8

    @property
    def gives(self) -> GraphKind:
        """An undirected graph."""
        return "undirected"

    def sample(self, rng: np.random.Generator) -> Graph:
        """Draw one graph."""
        return Graph.from_adjacency(
            numbered(self.p), _random_adjacency(self.p, self.cutoff**2, rng)
        )


@dataclass(frozen=True, kw_only=True)
class NewParams(BenchpressParameters):
    """A Gaussian model with a precision matrix from the G-Wishart distribution."""

    name = "new_params"
    runs = GWishart
    inherits = same("b", thresh="tolerance")
    needs: ClassVar[GraphKind] = "undirected"


@dataclass(frozen=True, kw_only=True)
class NewData(Iid):
    """Independent rows from the multivariate normal distribution of the model."""

    name = "new_data"
    takes = frozenset({"continuous"})


@dataclass(frozen=True, kw_only=True)
class NewAlg(Learner):
    """A learner that ignores the data and draws an undirected graph.

    Parameters
    ----------
    cutoff
        An edge has the probability 1 - cutoff.
    timeout
        Time limit in seconds; null is none.
    """

    name = "new_alg"
    gives = "undirected"

    cutoff: Probability = 0.8
    timeout: NonNegative | None = None

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Draw one graph over the names of the data."""
        matrix = _random_adjacency(len(data.names), self.cutoff, rng)
        return Estimate(Graph.from_adjacency(data.names, matrix))


@dataclass(frozen=True, kw_only=True)
class NewMcmcalg(Sampler):
    """A sampler that ignores the data: a chain of independent undirected graphs.

    Parameters
    ----------
    n_iterations
        Number of states.
    cutoff
        An edge has the probability 1 - cutoff.
    timeout
        Time limit in seconds; null is none.
    """

    name = "new_mcmcalg"
    gives = "chain"

    n_iterations: Count = 10_000
    cutoff: Probability = 0.8
    timeout: NonNegative | None = None

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Draw a chain whose scores are normal with mean -1000 and standard deviation 10."""
        recorder = ChainRecorder(data.names, directed=False)
        for i, score in enumerate(rng.normal(-1000.0, 10.0, self.n_iterations).tolist()):
            recorder.record(i, score, _random_adjacency(len(data.names), self.cutoff, rng))
        posterior = Posterior([recorder.chain(self.n_iterations)])
        return Estimate(posterior.map(), {"iterations": self.n_iterations}, posterior)


def _random_adjacency(p: int, cutoff: float, rng: np.random.Generator) -> npt.NDArray[np.bool_]:
    upper = np.triu(rng.random((p, p)) > cutoff, 1)
    return upper | upper.T

"""Samplers of decomposable graphs through junction trees: trilearn and parallelDG."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from dagathlon.benchpress.base import BenchpressSampler
from dagathlon.learners.base import Learner
from dagathlon.learners.undirected.decomposable_score import DecomposableSampler
from dagathlon.learners.undirected.giudici_green import GiudiciGreen
from dagathlon.learners.undirected.junction_tree_mcmc import JunctionTreeMcmc
from dagathlon.learners.undirected.parallel_junction_trees import ParallelJunctionTrees

if TYPE_CHECKING:
    from dagathlon.data import Dataset


@dataclass(frozen=True, kw_only=True)
class TrilearnPgibbs(BenchpressSampler):
    """Particle Gibbs sampling of decomposable graphs through junction trees."""

    name = "trilearn_pgibbs"

    def translated(self) -> dict[str, Any]:
        """Return our parameters; the start is not counted as a step."""
        steps = max(self.M - 1, 0)
        return super().translated() | {
            "n_particles": max(self.n_particles, 2),
            "iterations": steps,
        }

    def problem(self) -> str:
        """Return our sampler's problem, for the prior."""
        return super().problem() or cast(str, self.native().problem())


@dataclass(frozen=True, kw_only=True)
class ParallelDg(BenchpressSampler):
    """Sampling of decomposable graphs with many independent moves at a time.

    The original runs on trees with superfluous cliques and counts a graph as often as there are
    such trees; here each graph counts once.
    """

    name = "paralleldg"

    def translated(self) -> dict[str, Any]:
        """Return our parameters; the start is no step, the edge penalty a probability."""
        found = super().translated() | {"iterations": max(self.M - 1, 0)}
        if self.graph_prior.lower() == "edgepenalty":
            found["edge_probability"] = penalised_edge(self._parameter(0.001))
        return found

    def native_for(self, data: Dataset) -> Learner:
        """Return our sampler with weights by clique size, up to all variables."""
        learner = cast(ParallelJunctionTrees, super().native_for(data))
        kind, sizes = self.graph_prior.lower(), np.arange(1, len(data.names) + 1)
        if kind in ("uniform", "edgepenalty"):
            return learner
        if kind == "jumppenalty":
            return replace(learner, clique_weights=_listed(-self._parameter(0.25) * sizes))
        separators = 4.0 if self.graph_prior_param1 is None else self.graph_prior_param1
        return replace(
            learner,
            clique_weights=_listed(self._parameter(2.0) * (sizes - 1)),
            separator_weights=_listed(separators * sizes),
        )

    def problem(self) -> str:
        """Return our sampler's problem, for the prior."""
        return super().problem() or cast(str, self.native().problem())

    def _parameter(self, default: float) -> float:
        return default if self.graph_prior_param is None else self.graph_prior_param


def _listed(weights: npt.NDArray[np.floating]) -> tuple[float, ...]:
    return tuple(map(float, weights))


@dataclass(frozen=True, kw_only=True)
class AthomasJtsamplers(BenchpressSampler):
    """Sampling of decomposable graphs: single edges, or junction trees."""

    name = "athomas_jtsamplers"

    def native(self) -> DecomposableSampler:
        """Return our sampler, which saves every sample from the empty graph on."""
        values: dict[str, Any] = {
            **self.translated(),
            "iterations": self.num_samples,
            "stepsave": 1,
            "warmup": 0,
            "first_graph": "empty",
            "edge_probability": penalised_edge(self.edge_penalty),
            "max_clique": max(self.size_maxclique, 1),
        }
        if self.sampler == 0:
            return GiudiciGreen(**values)
        return JunctionTreeMcmc(**values, several=self.sampler == 2)


def penalised_edge(penalty: float) -> float:
    """Return the edge probability whose log odds are minus the penalty."""
    # The smallest probability still has finite odds.
    odds = max(math.exp(-penalty), sys.float_info.min)
    return odds / (1 + odds)

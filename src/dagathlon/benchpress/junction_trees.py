"""Samplers of decomposable graphs through junction trees: trilearn and parallelDG."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from dagathlon.benchpress.base import BenchpressSampler
from dagathlon.benchpress.samplers import penalised_edge
from dagathlon.learners.base import Learner
from dagathlon.learners.undirected.parallel_junction_trees import ParallelJunctionTrees

if TYPE_CHECKING:
    from dagathlon.data import Dataset

# Both originals take columns to have mean zero, have the identity as the scale of the prior, and
# keep every state; the start counts as the first one.
_AS_IS = {"scale": 1.0, "zero_mean": True, "stepsave": 1, "warmup": 0}


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

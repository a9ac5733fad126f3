"""Samplers of decomposable graphs through junction trees: trilearn and parallelDG."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
import numpy.typing as npt

from dagathlon.benchpress.base import BenchpressSampler
from dagathlon.benchpress.needs import DATATYPE
from dagathlon.benchpress.samplers import penalised_edge
from dagathlon.benchpress.translation import same
from dagathlon.learners.base import Learner, Sampler
from dagathlon.learners.undirected.parallel_junction_trees import ParallelJunctionTrees
from dagathlon.learners.undirected.particle_gibbs import ParticleGibbs
from dagathlon.modules import Count, NonNegative, Probability

if TYPE_CHECKING:
    from dagathlon.data import Dataset

# Both originals take columns to have mean zero, have the identity as the scale of the prior, and
# keep every state; the start counts as the first one.
_AS_IS = {"scale": 1.0, "zero_mean": True, "stepsave": 1, "warmup": 0}


@dataclass(frozen=True, kw_only=True)
class TrilearnPgibbs(BenchpressSampler):
    """Particle Gibbs sampling of decomposable graphs through junction trees.

    Parameters
    ----------
    datatype
        Kind of the data.
    n_particles
        Number of particles; fewer than 2 are 2.
    M
        Number of states of the chain, the start included.
    alpha, beta
        Ignored, as in Benchpress: 0.5 in the junction tree kernel.
    radii
        Ignored, as in Benchpress: variables come in any order.
    pseudo_obs
        Pseudo-observations of the hyper-Dirichlet prior of discrete data.
    """

    name = "trilearn_pgibbs"
    gives = "chain"
    runs = ParticleGibbs
    inherits = same("pseudo_obs", "mcmc_seed", *Sampler.ESTIMATOR_FIELDS)
    fixed = {**_AS_IS, "delta": 1.0, "proposal": "christmas_tree", "block": None}
    anytime = True
    data_rules = {"datatype": DATATYPE}
    implementation = "dagathlon (re-implementation of trilearn 2.0.5)"
    references = ("Olsson, Pavlenko and Rios 2019, Electronic Journal of Statistics 13",)

    datatype: Literal["continuous", "discrete"] = "continuous"
    n_particles: Count = 50
    M: Count = 1000
    alpha: Probability = 0.5
    beta: Probability = 0.5
    radii: Count = 80

    def translated(self) -> dict[str, Any]:
        """The start is no step."""
        steps = max(self.M - 1, 0)
        return super().translated() | {
            "n_particles": max(self.n_particles, 2),
            "iterations": steps,
        }

    def problem(self) -> str:
        """As our sampler, for the prior."""
        return super().problem() or cast(str, self.native().problem())


@dataclass(frozen=True, kw_only=True)
class ParallelDg(BenchpressSampler):
    """Sampling of decomposable graphs with many independent moves at a time.

    The original runs on trees with superfluous cliques and counts a graph as often as there are
    such trees; here each graph counts once.

    Parameters
    ----------
    datatype
        Kind of the data.
    M
        Number of states of the chain, the start included.
    R
        Number of steps between two randomisations of the junction tree.
    pseudo_obs
        Pseudo-observations of the hyper-Dirichlet prior of discrete data.
    delta
        Degrees of freedom of the hyper-inverse-Wishart prior of continuous data.
    graph_prior
        Prior over graphs: ``uniform``; ``edgepenalty``, with a penalty of each edge; ``mbc``, with
        weights of the sizes of cliques and separators; ``jumppenalty``, with a penalty of each
        member of each clique. Any other name is ``mbc``, as in the original.
    graph_prior_param
        Penalty, or log weight of a member of a clique beyond the first; null is 0.001 of
        ``edgepenalty``, 0.25 of ``jumppenalty`` and 2 of ``mbc``.
    graph_prior_param1
        Log weight, which divides, of a member of a separator by ``mbc``; null is 4.
    parallel
        Ignored, as in Benchpress: several moves are made at a time.
    """

    name = "paralleldg"
    gives = "chain"
    runs = ParallelJunctionTrees
    inherits = same("delta", "pseudo_obs", "mcmc_seed", *Sampler.ESTIMATOR_FIELDS, R="randomise")
    fixed = _AS_IS
    anytime = True
    data_rules = {"datatype": DATATYPE}
    implementation = "dagathlon (re-implementation of parallelDG 0.9.5)"
    references = ("Elmasri 2022, Sub-clustering in decomposable graphs and size-varying trees",)

    datatype: Literal["continuous", "discrete"] = "continuous"
    M: Count = 10_000
    delta = 1.0
    graph_prior: str = "uniform"
    graph_prior_param: NonNegative | None = None
    graph_prior_param1: NonNegative | None = None
    parallel: bool = True

    def translated(self) -> dict[str, Any]:
        """The start is no step; the prior of edges."""
        found = super().translated() | {"iterations": max(self.M - 1, 0)}
        if self.graph_prior.lower() == "edgepenalty":
            found["edge_probability"] = penalised_edge(self._parameter(0.001))
        return found

    def native_for(self, data: Dataset) -> Learner:
        """Our sampler; weights of cliques are by their size, up to all variables."""
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
        """As our sampler, for the prior."""
        return super().problem() or cast(str, self.native().problem())

    def _parameter(self, default: float) -> float:
        return default if self.graph_prior_param is None else self.graph_prior_param


def _listed(weights: npt.NDArray[np.floating]) -> tuple[float, ...]:
    return tuple(map(float, weights))

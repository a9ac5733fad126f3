"""Samplers of undirected graphs: Gaussian and decomposable models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dagathlon.benchpress.base import BenchpressSampler
from dagathlon.benchpress.needs import DATATYPE
from dagathlon.modules import Count, NonNegative, Probability

_DECOMPOSABLE = "not implemented yet: the native samplers of decomposable graphs are to come"


@dataclass(frozen=True, kw_only=True)
class TrilearnPgibbs(BenchpressSampler):
    """Particle Gibbs sampling of decomposable graphs through junction trees.

    Parameters
    ----------
    datatype
        Kind of the data.
    n_particles
        Number of particles.
    M
        Length of the chain.
    alpha, beta
        Ignored, as in Benchpress: 0.5 in the junction tree kernel.
    radii
        Ignored, as in Benchpress.
    pseudo_obs
        Pseudo-observations of the hyper-Dirichlet prior of discrete data.
    """

    name = "trilearn_pgibbs"
    gives = "chain"
    data_rules = {"datatype": DATATYPE}
    implementation = "dagathlon (re-implementation of trilearn 2.0.5)"
    unavailable = _DECOMPOSABLE
    references = ("Olsson, Pavlenko and Rios 2019, Electronic Journal of Statistics 13",)

    datatype: Literal["continuous", "discrete"] = "continuous"
    n_particles: Count = 50
    M: Count = 1000
    alpha: Probability = 0.5
    beta: Probability = 0.5
    radii: Count = 80
    pseudo_obs: NonNegative = 1.0


@dataclass(frozen=True, kw_only=True)
class ParallelDg(BenchpressSampler):
    """Sampling of decomposable graphs with many independent moves at a time.

    Parameters
    ----------
    datatype
        Kind of the data.
    M
        Length of the chain.
    R
        Number of steps between two randomisations of the junction tree.
    pseudo_obs
        Pseudo-observations of the hyper-Dirichlet prior of discrete data.
    delta
        Degrees of freedom of the hyper-inverse-Wishart prior of continuous data.
    graph_prior
        Prior over graphs.
    graph_prior_param, graph_prior_param1
        Parameters of the prior over graphs.
    parallel
        Whether several moves are made at a time.
    """

    name = "paralleldg"
    gives = "chain"
    data_rules = {"datatype": DATATYPE}
    implementation = "dagathlon (re-implementation of parallelDG 0.9.5)"
    unavailable = _DECOMPOSABLE
    references = ("Elmasri 2022, Sub-clustering in decomposable graphs and size-varying trees",)

    datatype: Literal["continuous", "discrete"] = "continuous"
    M: Count = 10_000
    R: Count = 100
    pseudo_obs: NonNegative = 1.0
    delta: NonNegative = 1.0
    graph_prior: str = "uniform"
    graph_prior_param: NonNegative | None = None
    graph_prior_param1: NonNegative | None = None
    parallel: bool = True


@dataclass(frozen=True, kw_only=True)
class AthomasJtsamplers(BenchpressSampler):
    """Sampling of decomposable graphs: single edges, or junction trees.

    Parameters
    ----------
    num_samples
        Length of the chain.
    sampler
        Single edges of the graph (0), single (1) or several edges through a junction tree (2).
    edge_penalty
        Penalty of an edge in the log prior.
    size_maxclique
        Largest size of a clique.
    """

    name = "athomas_jtsamplers"
    gives = "chain"
    takes = frozenset({"continuous"})
    implementation = "dagathlon (re-implementation of the junction tree samplers of A. Thomas)"
    unavailable = _DECOMPOSABLE
    references = ("Giudici and Green 1999, Biometrika 86", "Green and Thomas 2013, Biometrika 100")

    num_samples: Count = 10_000
    sampler: Literal[0, 1, 2] = 1
    edge_penalty: NonNegative = 0.0
    size_maxclique: Count = 10_000

"""Samplers of undirected graphs: Gaussian and decomposable models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dagathlon.benchpress.base import BenchpressSampler
from dagathlon.modules import Count, NonNegative

_DECOMPOSABLE = "not implemented yet: the native samplers of decomposable graphs are to come"


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

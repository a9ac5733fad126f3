"""Random measurement models: latent variables with indicators, and data that hide them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import combinations
from typing import Annotated

import numpy as np

from dagathlon.data import Dataset
from dagathlon.data.spec import DataFacts
from dagathlon.errors import NotApplicableError
from dagathlon.graphs import Graph
from dagathlon.modules import Count, Module, Natural, Probability, Range
from dagathlon.simulate.base import GraphGenerator, check
from dagathlon.simulate.transform import ObservedTruth, Transform

Factors = Annotated[int, Range(1, 2)]


@dataclass(frozen=True, kw_only=True)
class RandomMeasurementModel(GraphGenerator):
    """A DAG of latent variables L1, L2, … and their indicators X1, X2, ….

    Draw data from a linear model on it and hide the latent variables (`hide` with ``L*``).

    Parameters
    ----------
    clusters
        Number of clusters of indicators.
    indicators
        Number of indicators of each cluster.
    factors
        Number of latent variables of each cluster: 1 or 2.
    structure
        Probability of an edge between two latent variables, directed by a random order.
    cross_loadings
        Number of indicators that have a latent variable of another cluster as a further cause.
    observed_edges
        Number of edges between indicators.
    shuffled
        Whether the indicators are numbered at random, instead of cluster by cluster.
    """

    name = "measurement_model"
    references = (
        "Silva, Scheines, Glymour and Spirtes 2006, Learning the structure of linear latent "
        "variable models, JMLR 7",
    )

    clusters: Natural = 3
    indicators: Natural = 4
    factors: Factors = 1
    structure: Probability = 0.5
    cross_loadings: Count = 0
    observed_edges: Count = 0
    shuffled: bool = True

    def problem(self) -> str:
        """Return a message if the impurities exceed the possible pairs; empty otherwise."""
        observed = self.clusters * self.indicators
        if self.cross_loadings and (self.clusters < 2 or self.cross_loadings > observed):
            return f"{self.cross_loadings} cross loadings need as many indicators of two clusters"
        if self.observed_edges > observed * (observed - 1) // 2:
            return f"{observed} indicators have no room for {self.observed_edges} edges"
        return ""

    def sample(self, rng: np.random.Generator) -> Graph:
        """Draw one graph."""
        check(self)
        latents = [f"L{k + 1}" for k in range(self.clusters * self.factors)]
        observed = self.clusters * self.indicators
        places = rng.permutation(observed) if self.shuffled else np.arange(observed)
        edges = self._structure(latents, rng)
        cluster_of = {}
        for at, place in enumerate(places.tolist()):
            cluster = at // self.indicators
            cluster_of[place] = cluster
            for factor in range(self.factors):
                edges.append((latents[cluster * self.factors + factor], f"X{place + 1}"))
        edges += self._cross(latents, cluster_of, rng)
        edges += self._between(observed, rng)
        return Graph.from_edges(edges, [*latents, *(f"X{i + 1}" for i in range(observed))])

    def _structure(self, latents: list[str], rng: np.random.Generator) -> list[tuple[str, str]]:
        order = [latents[k] for k in rng.permutation(len(latents))]
        pairs = list(combinations(order, 2))
        joined = rng.random(len(pairs)) < self.structure
        return [pair for pair, there in zip(pairs, joined, strict=True) if there]

    def _cross(
        self, latents: list[str], cluster_of: dict[int, int], rng: np.random.Generator
    ) -> list[tuple[str, str]]:
        chosen = rng.choice(len(cluster_of), self.cross_loadings, replace=False)
        edges = []
        for place in chosen.tolist():
            cluster = cluster_of[place]
            others = [k for k in range(len(latents)) if k // self.factors != cluster]
            edges.append((latents[others[int(rng.integers(len(others)))]], f"X{place + 1}"))
        return edges

    def _between(self, observed: int, rng: np.random.Generator) -> list[tuple[str, str]]:
        pairs = list(combinations(rng.permutation(observed).tolist(), 2))
        if not pairs:
            return []
        chosen = rng.choice(len(pairs), self.observed_edges, replace=False).tolist()
        return [(f"X{pairs[k][0] + 1}", f"X{pairs[k][1] + 1}") for k in chosen]


@dataclass(frozen=True, kw_only=True)
class Hide(Transform):
    """Hide some of the variables; the truth is projected onto the others (a MAG).

    Parameters
    ----------
    variables
        Names, or patterns of names such as ``L*``.
    """

    name = "hide"
    for_fresh_data = True

    variables: tuple[str, ...] = ("L*",)

    def facts(self, data: DataFacts) -> DataFacts:
        """Return the properties of the data; the number of remaining columns is unknown."""
        mixed = data.kind == "mixed"
        missing = None if data.missing else data.missing
        kind = None if mixed else data.kind
        return replace(data, kind=kind, missing=missing, n_columns=None)

    def apply(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data with the remaining columns alone."""
        hidden = {n for n in data.names if any(fnmatchcase(n, p) for p in self.variables)}
        if not hidden:
            raise NotApplicableError(f"hide: no variable is called {' or '.join(self.variables)}")
        observed = [name for name in data.names if name not in hidden]
        if not observed:
            raise NotApplicableError("hide: all variables would be hidden")
        return data.select(observed)

    def truth_step(self) -> Module:
        """Return the projection of the truth onto the remaining variables."""
        return ObservedTruth()

"""The chains over Gaussian graphical models of the R package BDgraph, approximations included."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.data.spec import DataFacts, DataKind
from dagathlon.graphs import Graph
from dagathlon.learners.assumptions import COPULA, GAUSSIAN
from dagathlon.learners.base import Estimate, Sampler
from dagathlon.learners.bayesian.dag_sampling import RunLength
from dagathlon.learners.undirected.copula import copula_start, observed_levels
from dagathlon.learners.undirected.definite import require_definite
from dagathlon.learners.undirected.undirected_sampler import undirected_chain
from dagathlon.modules import Natural, Probability
from dagathlon.posteriors.chain import Chain
from dagathlon.posteriors.convergence import chain_stats
from dagathlon.posteriors.posterior import Posterior

Algorithm: TypeAlias = Literal["bdmcmc", "rjmcmc", "bd-dmh", "rj-dmh"]
_CONTINUOUS: frozenset[DataKind] = frozenset({"continuous"})


@dataclass(frozen=True, kw_only=True)
class BdgraphMcmc(Sampler):
    """Gaussian graphical models by the chains of BDgraph 2.72, for comparison with it.

    Their limit distribution is close to the posterior but not equal to it: constants of the
    prior are rounded, and graphs with short waiting times are weighted too high. ``bd_mcmc``
    and ``rj_mcmc`` sample the posterior itself. The score of a graph is the logarithm of its
    share of the chain.

    Parameters
    ----------
    method
        Gaussian model of the values as they are, without a mean (``ggm``), or Gaussian copula of
        their ranks (``gcgm``). In a copula, columns whose values differ in more than half of the
        rows keep normal scores; the latent values of the others are drawn.
    algorithm
        Birth-death process in continuous time (``bdmcmc``) or reversible jumps (``rjmcmc``) with a
        formula for the constants of the prior, or with a draw from it (``bd-dmh``, ``rj-dmh``).
    iterations
        Number of iterations. A birth-death iteration changes one edge; with p > 10 variables and
        more than 5000/p iterations the integer part of p/10.
    edge_probability
        Prior probability of each edge.
    b
        Degrees of freedom of the G-Wishart prior; its scale is the identity.
    start
        Graph at the start: without edges, or complete.
    """

    name = "bdgraph_mcmc"
    gives = "chain"
    anytime = True
    handles_missing = True
    assumes = (GAUSSIAN,)
    references = (
        "Mohammadi and Wit 2015, Bayesian Analysis 10",
        "Mohammadi and Wit 2019, BDgraph, JSS 89(3)",
        "Mohammadi, Abegaz, van den Heuvel and Wit 2017, Applied Statistics 66",
    )

    method: Literal["ggm", "gcgm"] = "ggm"
    algorithm: Algorithm = "bdmcmc"
    iterations: Natural = 5000
    edge_probability: Probability = 0.5
    b: Natural = 3
    start: Literal["empty", "full"] = "empty"

    def problem(self) -> str:
        """Return a message if a parameter is outside BDgraph's range; empty otherwise."""
        if self.b < 3:
            return f"b: found {self.b}, expected at least 3"
        if self.edge_probability in (0, 1):
            given = f"found {self.edge_probability:g}"
            return f"edge_probability: {given}, expected a number above 0 and below 1"
        return super().problem()

    def accepted(self) -> frozenset[DataKind]:
        """Return the kinds of data taken; discrete variables need a copula."""
        return _CONTINUOUS if self.method == "ggm" else self.takes

    def assumptions(self, kind: DataKind) -> tuple[str, ...]:
        """Return the assumptions of the Gaussian or the copula model."""
        return self.assumes if self.method == "ggm" else (COPULA,)

    def why_unsuitable(self, data: DataFacts) -> str:
        """Return a message for missing values without a copula; empty otherwise."""
        if data.missing and self.method == "ggm":
            return (
                f"{self.name} with method ggm cannot handle missing values; set method to 'gcgm', "
                "impute them first or drop the rows"
            )
        problem = super().why_unsuitable(data)
        remedy = problem and self.method == "ggm" and data.kind in self.takes
        return f"{problem}; set method to 'gcgm', which takes them" if remedy else problem

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Sample one chain and keep every iteration."""
        p = len(data.names)
        complete = np.ones((p, p), dtype=np.bool_) & ~np.eye(p, dtype=np.bool_)
        start = Graph.from_adjacency(data.names, complete & (self.start == "full"))
        options = RunLength(self.iterations, 1).options(int(rng.integers(2**63)), 0)
        if self.method == "ggm":
            require_definite(self.name, data.values, np.ones(p))
            products = np.ascontiguousarray(data.values.T @ data.values)
            log = _core.bdgraph_chain(start.native, products, len(data), self._rules(p), options)
        else:
            latent = copula_start(data, [_is_continuous(data, name) for name in data.names])
            log = _core.bdgraph_copula_chain(start.native, latent, self._rules(p), options)
        chain = _scored_by_share(undirected_chain(log, data.names))
        stats = {"score": float(chain.score.max()), "iterations": len(log) - 1}
        posterior = Posterior([chain], space="all undirected graphs")
        return Estimate(posterior.map(), {**stats, **chain_stats([chain])}, posterior)

    def _rules(self, p: int) -> _core.BdgraphRules:
        drawn = self.algorithm.endswith("dmh")
        several = p > 10 and self.iterations > 5000 / p
        return _core.BdgraphRules(
            edge_probability=self.edge_probability,
            b=self.b,
            births=self.algorithm.startswith("bd"),
            auxiliary=drawn,
            jumps=p // 10 if several else 1,
            late_times=drawn and self.method == "gcgm",
        )


def _is_continuous(data: Dataset, name: str) -> bool:
    """Return whether BDgraph would treat a column as continuous, by its distinct values.

    More than half of the rows must have distinct values; all missing values count as one value.
    """
    levels = observed_levels(data, name)
    return 2 * len(np.unique(levels)) > len(levels)


def _scored_by_share(chain: Chain) -> Chain:
    """Return the chain with the log share of each graph's waiting time as its score."""
    durations = chain.counts
    _, graph = np.unique(_names_of_graphs(chain), return_inverse=True)
    share = np.bincount(graph.ravel(), weights=durations)[graph.ravel()] / durations.sum()
    # The closing row of a chain may hold a graph with waiting time 0.
    least = np.min(share, where=share > 0, initial=1.0)
    return Chain(
        chain.names,
        chain.directed,
        index=chain.index,
        score=np.log(np.maximum(share, least)),
        added=chain.added,
        removed=chain.removed,
        time=chain.time,
        edge_means=chain.edge_means,
    )


def _names_of_graphs(chain: Chain) -> npt.NDArray[np.uint64]:
    """Return a hash of each row's graph."""
    p = len(chain.names)
    keys = np.random.default_rng(0).integers(2**63, size=p * p, dtype=np.uint64)
    turns = np.zeros(len(chain), dtype=np.uint64)
    for edits in (chain.added, chain.removed):
        edges = edits.edges.astype(np.int64)
        np.bitwise_xor.at(turns, edits.rows, keys[edges[:, 0] * p + edges[:, 1]])
    names: npt.NDArray[np.uint64] = np.bitwise_xor.accumulate(turns)
    return names

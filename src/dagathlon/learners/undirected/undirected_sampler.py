"""Base class of the samplers of undirected graphs: chains and their diagnostics."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.learners.base import Estimate, Sampler, Statistic
from dagathlon.learners.bayesian.dag_sampling import RunLength, chain_of_log
from dagathlon.modules import Count, Natural
from dagathlon.posteriors.chain import Chain
from dagathlon.posteriors.convergence import chain_stats
from dagathlon.posteriors.edge_means import EdgeMeans
from dagathlon.posteriors.posterior import Posterior
from dagathlon.threads import ObjectPool, side_by_side

Target = TypeVar("Target")
Run = TypeVar("Run")
_SAVED_STATES = 1000


@dataclass(frozen=True, kw_only=True)
class UndirectedSampler(Sampler):
    """Base class of the samplers of undirected graphs.

    Parameters
    ----------
    iterations
        Number of steps of a chain; null is a number that grows with the number of variables.
    stepsave
        Number of steps between two states that are saved; null saves 1000 in all. Probabilities of
        edges are means over all steps, saved or not.
    chains
        Number of independent chains.
    warmup
        Number of steps before the first saved state; null is a tenth of the others.
    """

    gives = "chain"
    anytime = True
    reentrant = True
    splits = True

    iterations: Count | None = None
    stepsave: Natural | None = None
    chains: Natural = 1
    warmup: Count | None = None

    def length(self, p: int) -> RunLength:
        """Return the length of the chains for p variables."""
        steps = self.default_iterations(p) if self.iterations is None else self.iterations
        every = self.stepsave or max(steps // _SAVED_STATES, 1)
        warmup = steps // 10 if self.warmup is None else self.warmup
        return RunLength(steps, min(every, max(steps, 1)), warmup)

    def gains_by_threads(self) -> bool:
        """Return whether there are several chains; a single one runs in one thread."""
        return self.chains > 1

    def chain_runs(
        self,
        targets: ObjectPool[Target],
        chain: Callable[[Target, _core.ChainOptions], Run],
        length: RunLength,
        rng: np.random.Generator,
    ) -> list[Run]:
        """Run all chains, in parallel if several threads are allowed.

        Parameters
        ----------
        targets
            The target distributions, one per thread, with their caches.
        chain
            Function that runs one chain.
        length
            Length of each chain.
        rng
            The source of randomness.
        """
        seed = int(rng.integers(2**63))

        def run(number: int) -> Run:
            with targets.borrow() as target:
                return chain(target, length.options(seed, number))

        return list(side_by_side(run, range(self.chains), self.chains))

    @abstractmethod
    def default_iterations(self, p: int) -> int:
        """Return the default number of steps for p variables."""

    def result(
        self,
        logs: Sequence[_core.UndirectedLog],
        data: Dataset,
        length: RunLength,
        space: str = "",
        precision: npt.NDArray[np.float64] | None = None,
    ) -> Estimate:
        """Return the chains, their best graph and convergence diagnostics.

        Parameters
        ----------
        logs
            The native chains. After a deadline the last ones are shorter or empty, and parallel
            ones differ in length; the longest are kept.
        data
            The data.
        length
            Planned length of the chains.
        space
            Description of the graphs that they cover.
        precision
            The mean of the precision matrix over them, for samplers that estimate it.
        """
        saved = max(len(log) for log in logs)
        chains = [undirected_chain(log, data.names) for log in logs if len(log) == saved]
        stats: dict[str, Statistic] = {
            "score": max(float(chain.score.max()) for chain in chains),
            "iterations": length.made(saved),
            **chain_stats(chains),
        }
        posterior = Posterior(chains, space=space)
        return Estimate(posterior.map(), stats, posterior, precision=precision)


def undirected_chain(log: _core.UndirectedLog, names: Sequence[str]) -> Chain:
    """Convert a native chain, closed after its last state."""
    time = np.append(log.times.ravel(), log.end) if log.continuous else None
    return chain_of_log(log, names, _edge_means(log, len(names)), time)


def _edge_means(log: _core.UndirectedLog, p: int) -> EdgeMeans | None:
    lengths = log.edge_lengths.ravel()
    # A deadline between two saved states may leave an interval without any.
    if not p or not lengths.sum() > 0:
        return None
    return EdgeMeans(lengths, log.edge_means.reshape(len(lengths), p, p))

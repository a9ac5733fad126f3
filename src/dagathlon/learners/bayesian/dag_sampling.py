"""Base class of the samplers of DAGs: chains and their diagnostics."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.learners.base import Estimate, Sampler, Statistic
from dagathlon.learners.bayesian.search_space import ArcMatrix, first_order
from dagathlon.learners.bayesian.space_based import PosteriorBased
from dagathlon.modules import Count, Natural, NonNegative
from dagathlon.posteriors.chain import Chain
from dagathlon.posteriors.convergence import chain_stats
from dagathlon.posteriors.edge_means import EdgeMeans
from dagathlon.posteriors.edits import Edits
from dagathlon.posteriors.posterior import Posterior

_SAVED_STATES = 1000
# Measuring the probabilities of all edges costs as much as several steps.
_STEPS_PER_LOOK = 10


class RunLength(NamedTuple):
    """Number of steps of a chain, thinning, warm-up and temperatures.

    The states saved are `stepsave` steps apart, after `warmup` steps. `look` is the number of
    steps between two measurements of the edge probabilities (0 is none), and `temperatures` are
    those of coupled chains.
    """

    iterations: int
    stepsave: int
    warmup: int = 0
    look: int = 0
    temperatures: tuple[float, ...] = (1.0,)

    @property
    def saved(self) -> int:
        """Number of saved states; the first one is the start."""
        return self.iterations // self.stepsave + 1

    def options(self, seed: int, stream: int) -> _core.ChainOptions:
        """Return the options of a native chain of this length, with one of the seed's streams."""
        return _core.ChainOptions(
            iterations=self.iterations,
            stepsave=self.stepsave,
            seed=seed,
            stream=stream,
            warmup=self.warmup,
            look=self.look,
            coldness=[1 / temperature for temperature in self.temperatures],
        )

    def made(self, saved: int) -> int:
        """Return the number of steps after which so many states are saved, fewer at a deadline."""
        return self.iterations if saved == self.saved else (saved - 1) * self.stepsave


@dataclass(frozen=True, kw_only=True)
class DagSampler(PosteriorBased, Sampler):
    """Base class of the samplers of DAGs.

    Parameters
    ----------
    iterations
        Number of steps of a chain; null is a number that grows with the number of variables.
    stepsave
        Number of steps between two states that are saved; null saves 1000 in all.
    chains
        Number of independent chains.
    warmup
        Number of steps before the first saved state; null is a tenth of the others.
    temperatures
        Temperatures of coupled chains, rising from 1: each samples the posterior to the power of
        1/temperature, and neighbouring chains swap states from time to time. Only the first one is
        saved. A single temperature is a chain without coupling.
    mean_edges
        Whether the probabilities of single edges are means over all visited states (over all DAGs
        of a state where these are known), instead of frequencies in the saved DAGs.
    """

    gives = "chain"
    anytime = True

    iterations: Count | None = None
    stepsave: Natural | None = None
    chains: Natural = 1
    warmup: Count | None = None
    temperatures: tuple[NonNegative, ...] = (1.0,)
    mean_edges: bool = True

    def problem(self) -> str:
        """Return a message if the temperatures do not begin with 1 and rise; empty otherwise."""
        return problem_of_temperatures(self.temperatures) or super().problem()

    def length(self, p: int) -> RunLength:
        """Return the length of the chains for p variables."""
        steps = self.default_iterations(p) if self.iterations is None else self.iterations
        every = self.stepsave or max(steps // _SAVED_STATES, 1)
        warmup = (0 if self.is_search() else steps // 10) if self.warmup is None else self.warmup
        look = max(_STEPS_PER_LOOK, p * p // 10) if self.mean_edges and not self.is_search() else 0
        return RunLength(steps, min(every, max(steps, 1)), warmup, look, self.temperatures)

    @abstractmethod
    def default_iterations(self, p: int) -> int:
        """Return the default number of steps for p variables."""

    def is_search(self) -> bool:
        """Return whether the chains only search for the best graph, with no limit distribution."""
        return False

    def result(
        self, logs: Sequence[_core.ChainLog], data: Dataset, length: RunLength, space: str = ""
    ) -> Estimate:
        """Return the chains, their best graph and convergence diagnostics."""
        # Chains run one after the other: a deadline leaves the last ones shorter, or empty.
        saved = max(len(log) for log in logs)
        chains = [closed_chain(log, data.names) for log in logs if len(log) == saved]
        stats = {
            "score": max(float(chain.score.max()) for chain in chains),
            "iterations": length.made(saved),
            **({} if self.is_search() else chain_stats(chains)),
            **_swap_rates(logs),
        }
        posterior = Posterior(chains, space=space)
        return Estimate(posterior.map(), stats, posterior)


def problem_of_temperatures(given: Sequence[float]) -> str:
    """Return why temperatures are invalid for coupled chains; empty if they are valid."""
    if not given or given[0] != 1 or any(np.diff(given) <= 0):
        return f"temperatures: found {list(given)}, expected 1 and then increasing numbers"
    return ""


def thousands(steps: float) -> int:
    """Round down to a multiple of 1000."""
    return math.floor(steps / 1000) * 1000


def squared_log(p: int) -> float:
    """Return p² log p, the growth of chain lengths that the literature recommends."""
    return p * p * math.log(p) if p > 0 else 0.0


def steps_for(p: int) -> int:
    """Return the number of steps of a partition chain, some seconds' work for few variables."""
    if p <= 15:
        return 200_000 if p <= 8 else 500_000 if p <= 12 else 300_000
    return max(100_000, thousands(20 * squared_log(p)))


def starting_orders(required: ArcMatrix, chains: int, rng: np.random.Generator) -> list[list[int]]:
    """Return starting orders: that of the columns for the first chain, random ones after it."""
    p = len(required)
    preferences = [np.arange(p), *(rng.permutation(p) for _ in range(chains - 1))]
    return [first_order(required, order.tolist()) for order in preferences]


def closed_chain(log: _core.ChainLog, names: Sequence[str]) -> Chain:
    """Convert a native chain of DAGs, closed after its last state."""
    return chain_of_log(log, names, _edge_means(log, len(names)))


def chain_of_log(
    log: _core.ChainLog | _core.UndirectedLog,
    names: Sequence[str],
    edge_means: EdgeMeans | None,
    time: npt.NDArray[np.float64] | None = None,
) -> Chain:
    """Convert a native chain of DAGs or undirected graphs, closed after its last state."""
    score = log.score.ravel()
    return Chain(
        names,
        isinstance(log, _core.ChainLog),
        index=np.append(log.index.ravel(), len(log)),
        score=np.append(score, score[-1]),
        added=_edits(log.added, log.added_starts),
        removed=_edits(log.removed, log.removed_starts),
        time=time,
        edge_means=edge_means,
    )


def _edge_means(log: _core.ChainLog, p: int) -> EdgeMeans | None:
    ends = log.edge_ends.ravel()
    if not len(ends) or not p:
        return None
    return EdgeMeans(np.diff(ends, prepend=0), log.edge_means.reshape(len(ends), p, p))


def _swap_rates(logs: Sequence[_core.ChainLog]) -> dict[str, Statistic]:
    """Return the share of accepted swaps between neighbours, for coupled chains."""
    proposed = np.sum([log.swaps_proposed for log in logs], axis=0)
    accepted = np.sum([log.swaps_accepted for log in logs], axis=0)
    return {
        f"swap_rate_{k + 1}": float(accepted[k] / proposed[k])
        for k in range(len(proposed))
        if proposed[k]
    }


def _edits(pairs: np.ndarray, starts: np.ndarray) -> Edits:
    return Edits(pairs.astype(np.int32), np.append(starts.ravel(), len(pairs)).astype(np.int64))

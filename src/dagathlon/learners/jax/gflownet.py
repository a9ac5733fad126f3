"""Base class of learners that sample DAGs with a GFlowNet."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dagathlon.data import Dataset
from dagathlon.data.spec import DataFacts
from dagathlon.learners.base import Estimate, Statistic
from dagathlon.learners.jax.backend import JaxLearner, batches_of, by_size, keys, require_jax
from dagathlon.learners.jax.gflownet_policy import Policy
from dagathlon.learners.jax.gflownet_rewards import closure, compression_depth
from dagathlon.learners.jax.gflownet_states import Reward
from dagathlon.learners.jax.gflownet_training import Training, compiled
from dagathlon.learners.jax.loop import Ended, require_steps, run_until_converged
from dagathlon.modules import Natural, NonNegative, Probability
from dagathlon.posteriors.packed import Bools, Packing
from dagathlon.posteriors.posterior import Posterior
from dagathlon.posteriors.sample import Sample

MOST_VARIABLES = 16
_EVERY = 100


class GflownetResult(NamedTuple):
    """Result of a run: sampled DAGs, from row to column, and statistics."""

    arcs: Bools
    stats: dict[str, Statistic]
    notes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class GflownetLearner(JaxLearner):
    """Base class of learners that train a GFlowNet to sample a posterior over DAGs.

    Parameters
    ----------
    steps
        Largest number of training steps.
    tolerance
        Training ends when the mean loss of about the last 100 steps is below this. The loss is half
        the squared imbalance in nats, or Huber's linear one from 1 on.
    hidden
        Units of each of the two hidden layers of the network.
    walkers
        Number of graphs that are grown in parallel to generate moves for training.
    batch_size
        Number of moves in each training step.
    buffer_size
        Number of moves in the replay buffer.
    learning_rate
        Initial step size of Adam; after a third of `steps` it falls linearly to 0.
    exploration
        Final share of random moves; it starts at one half.
    draws
        Number of independent DAGs to draw.
    timeout
        Seconds after which training ends; null for no limit.
    """

    gives = "dag"
    gives_posterior = True
    anytime = True
    handles_interventions = True

    steps: Natural = 2500
    tolerance: NonNegative = 0.01
    hidden: Natural = 128
    walkers: Natural = 64
    batch_size: Natural = 128
    buffer_size: Natural = 2048
    learning_rate: NonNegative = 0.004
    exploration: Probability = 0.05
    draws: Natural = 1000
    timeout: NonNegative | None = None

    def why_unsuitable(self, data: DataFacts) -> str:
        """Return a message if the table of families would need too much memory."""
        if data.n_columns is not None and data.n_columns > MOST_VARIABLES:
            return (
                f"{self.name} keeps the weights of all families in a table, for at most "
                f"{MOST_VARIABLES} variables; found {data.n_columns}: sample with partition_mcmc"
            )
        return super().why_unsuitable(data)

    def learn_many(
        self, data: Sequence[Dataset], rngs: Sequence[np.random.Generator]
    ) -> list[Estimate]:
        """Learn from each data set with its own random numbers, in one batch."""
        require_jax()
        rewards = [
            self.reward(one) for one in data
        ]  # unsuitable data raise an error before any run
        estimates: dict[int, Estimate] = {}
        for places in by_size(data).values():
            for chosen in batches_of(places):
                mine = [rewards[place] for place in chosen]
                flown = self._flown(mine, [rngs[place] for place in chosen])
                for place, one in zip(chosen, flown, strict=True):
                    estimates[place] = self.estimate(data[place], one, rngs[place])
        return [estimates[place] for place in range(len(data))]

    @abstractmethod
    def reward(self, data: Dataset) -> Reward:
        """Return the log weights of all families as a reward."""

    def estimate(self, data: Dataset, flown: GflownetResult, rng: np.random.Generator) -> Estimate:
        """Return the estimate from a run."""
        return gflownet_estimate(self.sample(data, flown.arcs, rng), flown, self.space())

    def space(self) -> str:
        """Describe the graphs that the posterior covers."""
        return "all DAGs"

    def sample(self, data: Dataset, arcs: Bools, rng: np.random.Generator) -> Sample:
        """Return the sampled DAGs; subclasses may add parameters."""
        return packed(data.names, arcs)

    def _flown(
        self, rewards: list[Reward], rngs: list[np.random.Generator]
    ) -> list[GflownetResult]:
        training = self._training(len(rewards[0].table))
        functions = compiled(training, self.draws)
        leads = np.stack([closure(reward.start) for reward in rewards])
        fixed = (Reward(*(np.stack(parts) for parts in zip(*rewards, strict=True))), leads)
        state = functions.initial(keys(rngs), fixed)
        ended = run_until_converged(
            functions.advance, functions.settled, state, fixed, steps=self.steps, every=_EVERY
        )
        require_steps(ended)
        drawn = np.asarray(functions.draws(ended.state, fixed, keys(rngs)))
        return [self._told(ended, drawn, run) for run in range(len(rewards))]

    def _training(self, p: int) -> Training:
        policy = Policy(p, self.hidden, compression_depth(p))
        return Training(
            policy,
            self.steps,
            self.walkers,
            self.batch_size,
            self.buffer_size,
            self.learning_rate,
            self.exploration,
            self.tolerance,
        )

    def _told(self, ended: Ended, drawn: Any, run: int) -> GflownetResult:
        loss, settled = float(ended.state.loss[run]), bool(ended.settled[run])
        stats: dict[str, Statistic] = {
            "steps": int(ended.steps[run]),
            "loss": loss,
            "settled": settled,
        }
        notes = () if settled else (_unsettled(loss, self.tolerance),)
        return GflownetResult(drawn[run], stats, notes)


def _unsettled(loss: float, tolerance: float) -> str:
    return (
        f"Training ended before the loss was below the tolerance of {tolerance:g} (it is "
        f"{loss:.3g}), so the draws follow the posterior less closely; more steps may help."
    )


def packed(names: tuple[str, ...], arcs: Bools) -> Sample:
    """Pack the adjacency matrices of sampled DAGs."""
    return Sample(names, "arcs", Packing(len(names), "arcs").pack(arcs))


def gflownet_estimate(sample: Sample, flown: GflownetResult, space: str) -> Estimate:
    """Return the most frequent DAG, and the posterior of the draws."""
    posterior = Posterior([sample], space=space)
    stats = flown.stats | {"expected_edges": posterior.expected_edges}
    return Estimate(posterior.map(), stats, posterior, flown.notes)

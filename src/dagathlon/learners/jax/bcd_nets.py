"""BCD Nets: a variational posterior over orders, weights and noise of linear models."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dagathlon.data import Dataset
from dagathlon.errors import DataError
from dagathlon.learners.assumptions import GAUSSIAN, NO_HIDDEN
from dagathlon.learners.base import Estimate, Statistic
from dagathlon.learners.jax.backend import JaxLearner, batches_of, by_size, keys, require_jax
from dagathlon.learners.jax.bcd_bound import ALL_ORDERS, Facts, Family, moments_by_position
from dagathlon.learners.jax.bcd_training import Training, compiled
from dagathlon.learners.jax.loop import Ended, require_steps, run_until_converged
from dagathlon.learners.jax.moments import moments, refuse_degenerate
from dagathlon.modules import Natural, NonNegative
from dagathlon.posteriors.packed import Packing
from dagathlon.posteriors.posterior import Posterior
from dagathlon.posteriors.regressions import checked_values
from dagathlon.posteriors.sample import Sample

_EVERY = 500
_LARGEST = 1e6
# Networks need smaller steps than the separate distributions of orders.
_RATES = {True: 0.03, False: 0.01}


@dataclass(frozen=True, kw_only=True)
class BcdNets(JaxLearner):
    """BCD Nets: a variational posterior over orders, weights and noise of linear models.

    The weights of arcs are a triangular matrix whose rows and columns are permuted. Its entries
    and the log noise variances have independent normal distributions, which are optimised
    together with the probabilities of orders for the evidence lower bound. Weights have a
    horseshoe prior, and the prior of orders is uniform. Models have no intercepts: means are
    zero unless `centre` subtracts them. `graph` is the DAG that was drawn most often.

    Parameters
    ----------
    family
        Variational family: a network from parameters to orders (network), as published, or separate
        parameters for every order (by_order), which reach several modes. By_order is for up to 6
        variables; more have the network.
    steps
        Largest number of training steps.
    patience
        Training ends when the mean bound of 500 steps has not risen by `tolerance` in so many
        blocks of 500 steps.
    tolerance
        Smallest rise of the bound, in nats; see `patience`.
    threshold
        Weights not above this in absolute value are no arcs of the draws.
    edges_per_node
        Expected number of arcs for each node, which sets the scale of the horseshoe.
    equal_variances
        Whether all nodes share one noise variance.
    noise_sd
        Standard deviation of the normal prior of log noise variances, around 0.
    draws_per_step
        Number of draws of weights in each training step; with by_order a sixteenth of that, at
        least one, for each order.
    hidden
        Units of each of the two hidden layers of the network.
    temperature
        Temperature of Gumbel-Sinkhorn with 7 nodes and more; with fewer the bound sums over all
        orders.
    learning_rate
        Initial step size of Adam; after 500 steps it is halved, after 1,000 a third. Null is 0.03
        with by_order, and 0.01 with the network.
    draws
        Number of independent models to draw.
    centre
        Whether the mean of each column is subtracted first.
    timeout
        Seconds after which training ends; null for no limit.
    """

    name = "bcd_nets"
    gives = "dag"
    gives_posterior = True
    anytime = True
    handles_interventions = True
    assumes = (GAUSSIAN, NO_HIDDEN)
    references = ("Cundy, Grover and Ermon 2021, NeurIPS 34",)

    family: Literal["by_order", "network"] = "by_order"
    steps: Natural = 20000
    patience: Natural = 1
    tolerance: NonNegative = 0.5
    threshold: NonNegative = 0.3
    edges_per_node: NonNegative = 1.0
    equal_variances: bool = False
    noise_sd: NonNegative = 3.0
    draws_per_step: Natural = 16
    hidden: Natural = 64
    temperature: NonNegative = 0.2
    learning_rate: NonNegative | None = None
    draws: Natural = 1000
    centre: bool = False
    timeout: NonNegative | None = None

    def problem(self) -> str:
        """Return a message if a scale is not above 0; empty otherwise."""
        for field in ("noise_sd", "temperature", "edges_per_node"):
            if getattr(self, field) == 0:
                return f"{field}: found 0, expected a number above 0"
        return super().problem()

    def learn_many(
        self, data: Sequence[Dataset], rngs: Sequence[np.random.Generator]
    ) -> list[Estimate]:
        """Learn from each data set with its own random numbers, in one batch."""
        require_jax()
        facts = [self._facts(one) for one in data]  # unsuitable data raise an error before any run
        estimates: dict[int, Estimate] = {}
        for p, places in by_size(data).items():
            for chosen in batches_of(places):
                mine = [facts[place] for place in chosen]
                ended, *drawn = self._ended(p, mine, [rngs[place] for place in chosen])
                for run, place in enumerate(chosen):
                    one = (drawn[0][run], drawn[1][run])
                    estimates[place] = self._estimate(
                        data[place].names, one, self._stats(ended, run)
                    )
        return [estimates[place] for place in range(len(data))]

    def _facts(self, data: Dataset) -> Facts:
        checked_values(data)
        refuse_degenerate(data, self.name)
        _refuse_large(data, self.name)
        second = moments(data, centre=self.centre)
        p = len(data.names)
        parts = moments_by_position(*second) if p <= ALL_ORDERS else (second.gram, second.counts)
        scale = horseshoe_scale(p, len(data), self.edges_per_node)
        return Facts(*(np.float32(part) for part in (*parts, scale)))

    def _ended(
        self, p: int, facts: list[Facts], rngs: list[np.random.Generator]
    ) -> tuple[Ended, Any, Any]:
        functions = compiled(self._training(p), self.draws)
        fixed = Facts(*(np.stack(parts) for parts in zip(*facts, strict=True)))
        ended = run_until_converged(
            functions.advance,
            functions.settled,
            functions.initial(keys(rngs)),
            fixed,
            steps=self.steps,
            every=_EVERY,
        )
        require_steps(ended)
        weights, variances = functions.draws(ended.state, keys(rngs))
        return ended, np.asarray(weights, np.float64), np.asarray(variances, np.float64)

    def _training(self, p: int) -> Training:
        family = Family(
            p,
            self.equal_variances,
            self.hidden,
            self.draws_per_step,
            self.noise_sd,
            self.temperature,
        )
        by_order = self._by_order(p)
        rate = _RATES[by_order] if self.learning_rate is None else self.learning_rate
        return Training(family, by_order, rate, self.patience, self.tolerance)

    def _by_order(self, p: int) -> bool:
        """Return whether every order has a variational distribution of its own."""
        return self.family == "by_order" and p <= ALL_ORDERS

    def _stats(self, ended: Ended, run: int) -> dict[str, Statistic]:
        bound = float(ended.state.bound[run])
        return {
            "steps": int(ended.steps[run]),
            # Absent if the time was up before the first step.
            **({"bound": bound} if math.isfinite(bound) else {}),
            "settled": bool(ended.settled[run]),
        }

    def _estimate(
        self, names: tuple[str, ...], drawn: tuple[Any, Any], stats: dict[str, Statistic]
    ) -> Estimate:
        weights, variances = drawn
        arcs = np.abs(weights) > self.threshold
        bits = Packing(len(names), "arcs").pack(arcs)
        sample = Sample(names, "arcs", bits).with_parameters(weights * arcs, variances)
        posterior = Posterior([sample], space="all DAGs")
        notes = () if stats["settled"] else (_UNSETTLED,)
        stats = stats | {"expected_edges": posterior.expected_edges}
        return Estimate(posterior.map(), stats, posterior, notes)


_UNSETTLED = "Training ended while the bound was still rising; more steps may help."


def _refuse_large(data: Dataset, name: str) -> None:
    """Raise an error for columns far too large for the noise prior and single precision."""
    sizes = np.abs(data.values).max(axis=0)
    if sizes.max() > _LARGEST:
        column = data.names[int(np.argmax(sizes))]
        raise DataError(
            f"{name}: column {column} has values up to {sizes.max():.3g}, and at most "
            f"{_LARGEST:.0e} is allowed; divide it by its standard deviation"
        )


def horseshoe_scale(p: int, rows: int, edges_per_node: float) -> float:
    """Return the horseshoe's global scale for an expected number of arcs.

    By Piironen and Vehtari 2017: the odds of an arc over the square root of the number of rows.
    A share of arcs above one half would not be sparse, and counts as one half.
    """
    most = max(p * (p - 1) / 2, 1.0)
    share = min(edges_per_node * p / most, 0.5)
    return max(share / (1 - share), 1e-6) / math.sqrt(max(rows, 1))

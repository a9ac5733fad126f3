"""DiBS: a posterior over graphs by particles of latent vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from dagathlon.data.spec import DataFacts
from dagathlon.learners.assumptions import GAUSSIAN, NO_HIDDEN
from dagathlon.learners.base import Estimate
from dagathlon.learners.jax.backend import JaxLearner, batches_of, by_size, jax, jnp, keys
from dagathlon.learners.jax.dibs_graphs import GraphPrior
from dagathlon.learners.jax.dibs_likelihoods import Bge, Linear, Theta
from dagathlon.learners.jax.dibs_results import Finished, estimate
from dagathlon.learners.jax.dibs_svgd import Plan, State, compiled
from dagathlon.learners.jax.loop import Ended, require_steps, run_until_converged
from dagathlon.learners.jax.moments import moments, refuse_degenerate
from dagathlon.modules import Count, Natural, NonNegative

if TYPE_CHECKING:
    from dagathlon.data import Dataset

_CHECKED_EVERY = 100
_EXACT_SUMS = {"bge": 14, "linear": 10}
_MOST_GIGABYTES = 4


@dataclass(frozen=True, kw_only=True)
class Dibs(JaxLearner):
    """DiBS: particles of latent vectors, moved to the posterior over DAGs by Stein gradients.

    Each particle has two latent vectors for each variable; the probability of an arc increases
    with the inner product of its ends' vectors, and approaches 0 or 1 as the run proceeds,
    while the penalty of cycles grows. Particles with a final cycle are left out, with a note.
    The graph is that of the particle of highest posterior. A single particle converges to a
    mode, without repulsion.

    Expected likelihoods over the parent sets of a node are exact sums where there are few
    variables, instead of estimates from sampled graphs.

    Parameters
    ----------
    likelihood
        Of graphs alone, with all parameters integrated out (bge), or of graphs and parameters of a
        linear Gaussian model, which are then part of the particles (linear).
    particles
        Number of particles.
    steps
        Largest number of steps.
    prior
        Prior of graphs: arcs are independent (er), nodes with many parents are rarer, in-degree d
        having weight (1 + d)^−3 (scale_free), or all DAGs are equally probable (uniform).
    edges_per_node
        Expected number of edges per node under the prior er; a pair of nodes is joined with
        probability 2·edges_per_node/(p − 1), at most .95.
    weighted
        Whether particles are weighted by their unnormalised posterior (DiBS+), equal graphs of bge
        once; otherwise all have the same weight. With linear a few particles then have all the
        weight.
    alpha_linear
        Increase per step of the sharpness of arcs.
    beta_linear
        Increase per step of the penalty of cycles.
    gamma_z, gamma_theta
        Bandwidths of the kernels exp(−distance²/γ) of latent vectors and of parameters.
    latent_dim
        Length of the latent vectors; null is the number of variables.
    latent_std
        Standard deviation of the entries of latent vectors under their prior; null is one over the
        square root of their length.
    step_size
        Step length of RMSprop.
    iss_mu, iss_w
        Imaginary sample sizes of bge, for the mean and the Wishart distribution; null is p + 2.
    edge_std
        Standard deviation of coefficients under the prior, for linear.
    noise_variance
        Variance of the noise, for linear; null learns one for each variable.
    noise_shape, noise_rate
        Inverse gamma prior of the variances that are learned.
    centre
        Whether columns are centred first, for linear; otherwise the model has means of zero. With
        bge means are always free.
    exact_sums
        Largest number of variables for exact sums over all parent sets; null is 14 for bge, whose
        terms are precomputed, and 10 for linear.
    drawn_sets
        Number of parent sets sampled for each node and particle in each step, beyond `exact_sums`
        variables. For bge each costs two determinants.
    patience
        A run ends when for so many steps the averages over particles have not moved: frequencies of
        arcs, coefficients on arcs and log variances, checked every 100 steps.
    tolerance
        Largest movement of each of these averages that counts as none.
    start
        Number of the set of initial particles: other numbers give other particles.
    timeout
        Seconds after which the run is stopped; null for no limit.
    """

    name = "dibs"
    assumes = (GAUSSIAN, NO_HIDDEN)
    gives_posterior = True
    handles_interventions = True
    anytime = True
    references = (
        "Lorch, Rothfuss, Schölkopf and Krause 2021, DiBS: differentiable Bayesian structure "
        "learning, NeurIPS",
        "Liu and Wang 2016, Stein variational gradient descent, NeurIPS",
    )

    likelihood: Literal["bge", "linear"] = "bge"
    particles: Natural = 50
    steps: Natural = 20_000
    prior: GraphPrior = "er"
    edges_per_node: NonNegative = 1.0
    weighted: bool = False
    alpha_linear: NonNegative = 0.02
    beta_linear: NonNegative = 1.0
    gamma_z: NonNegative = 5.0
    gamma_theta: NonNegative = 500.0
    latent_dim: Natural | None = None
    latent_std: NonNegative | None = 0.5
    step_size: NonNegative = 0.005
    iss_mu: NonNegative = 1.0
    iss_w: NonNegative | None = None
    edge_std: NonNegative = 1.0
    noise_variance: NonNegative | None = None
    noise_shape: NonNegative = 4.0
    noise_rate: NonNegative = 0.5
    centre: bool = True
    exact_sums: Count | None = None
    drawn_sets: Natural = 32
    patience: Natural = 1000
    tolerance: NonNegative = 0.05
    start: Count = 1
    timeout: NonNegative | None = None

    def problem(self) -> str:
        """Return a message if a scale is not above 0; empty otherwise."""
        for name in _ABOVE_ZERO:
            if getattr(self, name) == 0:
                return f"{name}: found 0, expected a number above 0"
        return super().problem()

    def why_unsuitable(self, data: DataFacts) -> str:
        """Return a message if arrays over parent sets would need too much memory."""
        p = data.n_columns or 1
        needed = self._bytes(p) / 1e9
        if needed > _MOST_GIGABYTES:
            return (
                f"{self.name} of {p} variables and {self.particles} particles needs about "
                f"{needed:.3g} GB, and {_MOST_GIGABYTES} are allowed: choose fewer of either"
            )
        return super().why_unsuitable(data)

    def _bytes(self, p: int) -> float:
        """Return the bytes of the largest arrays of a run, with their gradients."""
        if p <= self._most_exact():
            return 8.0 * p * 2.0 ** (p - 1) * (self.particles + p * p)
        if self.likelihood == "linear":
            return 8.0 * self.particles * p * p * (p + self.drawn_sets)
        return 8.0 * self.particles * p * p * (2 * self.drawn_sets)

    def _most_exact(self) -> int:
        return _EXACT_SUMS[self.likelihood] if self.exact_sums is None else self.exact_sums

    def learn_many(
        self, data: Sequence[Dataset], rngs: Sequence[np.random.Generator]
    ) -> list[Estimate]:
        """Move the particles of all data sets: in one batch on a GPU, one by one on a CPU."""
        for one in data:
            refuse_degenerate(one, self.name)
        estimates: dict[int, Estimate] = {}
        for places in by_size(data).values():
            for chosen in batches_of(places):
                batch = self._batch([data[i] for i in chosen], [rngs[i] for i in chosen])
                estimates.update(zip(chosen, batch, strict=True))
        return [estimates[place] for place in range(len(data))]

    def _batch(
        self, data: Sequence[Dataset], rngs: Sequence[np.random.Generator]
    ) -> list[Estimate]:
        plan = self.plan(len(data[0].names))
        centre = self.centre or self.likelihood == "bge"
        each = [
            plan.likelihood.fixed(moments(one, centre=centre), not plan.samples) for one in data
        ]
        ended = self._run(plan, each, rngs)
        return [
            estimate(plan, fixed, _finished(ended, run), one.names, weighted=self.weighted)
            for run, (one, fixed) in enumerate(zip(data, each, strict=True))
        ]

    def _run(self, plan: Plan, each: list[Any], rngs: Sequence[np.random.Generator]) -> Ended:
        """Run compiled steps until all runs have converged."""
        start, advance, settled = compiled(plan, together=len(each) > 1)
        fixed = jax.tree_util.tree_map(
            lambda *parts: jnp.asarray(np.stack(parts), "float32"), *each
        )
        state = start(keys(rngs, self.start))
        ended = run_until_converged(
            advance, settled, state, fixed, steps=self.steps, every=_CHECKED_EVERY
        )
        require_steps(ended)
        return ended

    def plan(self, p: int) -> Plan:
        """Return the compile-time constants for p variables."""
        latent_dim = self.latent_dim or max(p, 1)
        return Plan(
            p=p,
            particles=self.particles,
            latent_dim=latent_dim,
            latent_std=self.latent_std or latent_dim**-0.5,
            alpha=self.alpha_linear,
            beta=self.beta_linear,
            gamma_z=self.gamma_z,
            gamma_theta=self.gamma_theta,
            step_size=self.step_size,
            prior=self.prior,
            edges_per_node=self.edges_per_node,
            likelihood=self._likelihood(p),
            samples=0 if p <= self._most_exact() else self.drawn_sets,
            patience=self.patience,
            tolerance=self.tolerance,
        )

    def _likelihood(self, p: int) -> Bge | Linear:
        if self.likelihood == "bge":
            return Bge(self.iss_mu, p + 2.0 if self.iss_w is None else self.iss_w)
        return Linear(self.edge_std, self.noise_variance, self.noise_shape, self.noise_rate)


_ABOVE_ZERO = (
    "edges_per_node",
    "gamma_z",
    "gamma_theta",
    "latent_std",
    "step_size",
    "iss_mu",
    "edge_std",
    "noise_variance",
    "noise_shape",
    "noise_rate",
)


def _finished(ended: Ended, run: int) -> Finished:
    state: State = ended.state
    z = state.z[run].astype(np.float64)
    theta = None
    if state.theta is not None:
        theta = Theta(*(part[run].astype(np.float64) for part in state.theta))
    products = np.einsum("ikm,jkm->ijm", z[0], z[1])
    return Finished(products, theta, int(ended.steps[run]), bool(ended.settled[run]))

"""Likelihoods of DiBS for parent sets of a node.

Arcs of a particle are independent and likelihoods factorise over nodes, so that the expected
likelihood is a product over nodes of sums over the node's parent sets. With few variables these
sums are exact; with many, parent sets of each node are sampled. Either way the sampling error of
one node does not affect the estimate for another, as it does where whole graphs are drawn.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.special import gammaln

from dagathlon.learners.jax.backend import jax, jnp
from dagathlon.learners.jax.dibs_graphs import off_diagonal, parent_sets, transposed
from dagathlon.learners.jax.moments import Floats, Moments


class Likelihood(Protocol):
    """Protocol of a likelihood that is summed over parent sets.

    `fixed` are arrays precomputed from a data set, `theta` the parameters of the particles,
    `logits` the log odds of arcs from row to column, (p, p, m).
    """

    def log_weights(self, fixed: Any, theta: Any, logits: Any) -> Any:
        """Return log(likelihood times odds) of all parent sets, of shape (p, sets, m)."""
        ...

    def log_weights_of(self, fixed: Any, theta: Any, sets: Any, xp: Any) -> Any:
        """Return the log likelihood of parent sets (p, sets, p, m), of shape (p, sets, m)."""
        ...


def log_expected(like: Likelihood, fixed: Any, theta: Any, logits: Any) -> Any:
    """Return the log expected likelihood over graphs with independent arcs, by exact sums."""
    weights = like.log_weights(fixed, theta, logits)
    absent = jax.nn.log_sigmoid(-logits) * off_diagonal(len(logits))
    return jnp.sum(_log_sum(weights), axis=0) + jnp.sum(absent, axis=(0, 1))


def log_expected_drawn(
    like: Likelihood, fixed: Any, theta: Any, logits: Any, *, key: Any, samples: int
) -> Any:
    """Estimate the log expected likelihood from sampled parent sets.

    Its gradient is the score-function estimator: the ratio of probabilities is 1 and makes the
    draws differentiable.
    """
    p, _, m = logits.shape
    off = transposed(off_diagonal(p))[:, None]
    into = transposed(logits)[:, None]  # of each node's parents
    uniform = jax.random.uniform(key, (p, samples, p, m))
    sets = (uniform < jax.nn.sigmoid(into)) * off
    drawn = jnp.sum(jax.nn.log_sigmoid((2 * sets - 1) * into) * off, axis=2)
    ratio = drawn - jax.lax.stop_gradient(drawn)
    weights = like.log_weights_of(fixed, theta, sets, jnp) + ratio
    return jnp.sum(_log_sum(weights), axis=0) - p * math.log(samples)


def _by_node(masks: Any, terms: Any) -> Any:
    """Return, for each node, the sums of the terms in each mask, computed node by node."""
    return jnp.stack([mask @ term for mask, term in zip(masks, terms, strict=True)])


def _log_sum(weights: Any) -> Any:
    """Return the log-sum-exp over the second axis."""
    largest = jax.lax.stop_gradient(jnp.max(weights, axis=1, keepdims=True))
    return jnp.log(jnp.sum(jnp.exp(weights - largest), axis=1)) + largest[:, 0]


class BgeFixed(NamedTuple):
    """Precomputed arrays of BGe: posterior scale matrices, rows per node, and local scores."""

    scale: Any
    counts: Any
    local: Any


class Bge(NamedTuple):
    """The BGe marginal likelihood of Geiger and Heckerman (2002); it has no parameters.

    Parameters
    ----------
    iss_mu, iss_w
        Imaginary sample sizes of the mean and of the Wishart distribution.
    """

    iss_mu: float
    iss_w: float

    def fixed(self, moments: Moments, tabled: bool) -> BgeFixed:
        """Precompute the arrays of one data set; local scores of all parent sets if `tabled`."""
        p = len(moments.gram)
        scale = moments.gram + self._prior_scale(p) * np.eye(p)
        if not tabled:
            return BgeFixed(scale, moments.counts, np.zeros((p, 1)))
        sets = parent_sets(p).astype(np.float64)
        local = self.local(np, scale, moments.counts, np.eye(p), sets)
        # Subtract the common term of all sets, since sums of likelihoods have 32 bits.
        return BgeFixed(scale, moments.counts, local - local.max(axis=1, keepdims=True))

    def _prior_scale(self, p: int) -> float:
        return self.iss_mu * (self.iss_w - p - 1) / (self.iss_mu + 1)

    def local(self, xp: Any, scale: Any, counts: Any, own: Any, sets: Any) -> Any:
        """Return local scores of parent sets, as in Kuipers, Moffa and Heckerman (2014).

        Parameters
        ----------
        xp
            NumPy or JAX's.
        scale, counts
            Posterior scale matrices and numbers of rows of some nodes.
        own
            A row for each node, with a one in its own column.
        sets
            Masks of parents, of shape (nodes, sets, p).
        """
        p = sets.shape[2]
        size, n = sets.sum(axis=2), counts[:, None]
        free = self.iss_w - p + size
        family = sets + own[:, None]
        gamma = gammaln if xp is np else jax.scipy.special.gammaln
        return (
            -n / 2 * math.log(math.pi)
            + 0.5 * xp.log(self.iss_mu / (n + self.iss_mu))
            + gamma((n + free + 1) / 2)
            - gamma((free + 1) / 2)
            + (free + size + 1) / 2 * math.log(self._prior_scale(p))
            + (n + free) / 2 * _log_minors(xp, scale, sets)
            - (n + free + 1) / 2 * _log_minors(xp, scale, family)
        )

    def log_weights(self, fixed: BgeFixed, theta: Any, logits: Any) -> Any:
        """Return the precomputed local scores plus the log odds of all parent sets."""
        return fixed.local[:, :, None] + _by_node(parent_sets(len(logits)), transposed(logits))

    def log_weights_of(self, fixed: BgeFixed, theta: Any, sets: Any, xp: Any) -> Any:
        """Return local scores by determinants, node by node, to save memory."""
        p, drawn, _, m = sets.shape
        rows = xp.moveaxis(sets, 3, 2).reshape(p, 1, drawn * m, p)
        each = (fixed.scale[:, None], fixed.counts[:, None], xp.eye(p)[:, None], rows)
        if xp is np:
            scores = np.stack([self.local(np, *node) for node in zip(*each, strict=True)])
        else:
            scores = jax.lax.map(lambda node: self.local(jnp, *node), each)
        return scores.reshape(p, drawn, m)


def _log_minors(xp: Any, matrices: Any, sets: Any) -> Any:
    """Return log determinants of principal minors, with unit rows and columns outside the set."""
    chosen = matrices[:, None] * sets[..., :, None] * sets[..., None, :]
    others = (1 - sets)[..., None] * xp.eye(sets.shape[-1])
    return xp.linalg.slogdet(chosen + others)[1]


class LinearFixed(NamedTuple):
    """Precomputed arrays of the linear model: second moments and rows of each node."""

    gram: Any
    counts: Any


class Theta(NamedTuple):
    """Parameters of particles: coefficients from row to column, log variances."""

    coefficients: Any
    log_variances: Any


class Linear(NamedTuple):
    """A linear Gaussian model with normal coefficients, evaluated by second moments.

    Parameters
    ----------
    edge_std
        Standard deviation of coefficients under the prior.
    noise_variance
        Variance of the noise where it is given, None where it is learned.
    noise_shape, noise_rate
        The inverse gamma prior of a learned variance.
    """

    edge_std: float
    noise_variance: float | None
    noise_shape: float
    noise_rate: float

    def fixed(self, moments: Moments, tabled: bool) -> LinearFixed:
        """Precompute the arrays of one data set."""
        return LinearFixed(moments.gram, moments.counts)

    def log_variances(self, theta: Theta) -> Any:
        """Return the log variances of the particles, or the given one."""
        if self.noise_variance is None:
            return theta.log_variances
        return 0 * theta.log_variances + math.log(self.noise_variance)

    def log_noise_prior(self, theta: Theta, xp: Any) -> Any:
        """Return the log prior of the log variances, up to a constant."""
        if self.noise_variance is not None:
            return 0.0
        logs = theta.log_variances
        return -xp.sum(self.noise_shape * logs + self.noise_rate * xp.exp(-logs), axis=0)

    def _terms(self, fixed: LinearFixed, theta: Theta, xp: Any) -> tuple[Any, Any]:
        """Return quadratic forms in the mask of a parent set, (p, p, p, m), and the common term.

        Masks are their own squares, so that the diagonal holds the linear terms.
        """
        p, b = len(fixed.gram), xp.swapaxes(theta.coefficients, 0, 1)
        logs = self.log_variances(theta)
        precision = xp.exp(-logs)
        scaled = b * precision[:, None]
        products = -0.5 * fixed.gram[..., None] * scaled[:, :, None] * b[:, None]
        cross = xp.diagonal(fixed.gram, axis1=0, axis2=2).T  # of each node with the others
        prior = -0.5 * (b / self.edge_std) ** 2 - math.log(self.edge_std * math.sqrt(2 * math.pi))
        linear = scaled * cross[..., None] + prior
        counts, own = fixed.counts[:, None], xp.diagonal(cross)[:, None]
        alone = -0.5 * (counts * (logs + math.log(2 * math.pi)) + precision * own)
        return products + linear[:, :, None] * xp.eye(p)[..., None], alone

    def log_weights(self, fixed: LinearFixed, theta: Theta, logits: Any) -> Any:
        """Return the log weights of all parent sets: masks times quadratic forms."""
        p, _, m = logits.shape
        forms, alone = self._terms(fixed, theta, jnp)
        forms = forms + transposed(logits)[:, :, None] * jnp.eye(p)[..., None]
        sets = parent_sets(p)
        pairs = (sets[..., :, None] * sets[..., None, :]).reshape(p, -1, p * p)
        return _by_node(pairs, forms.reshape(p, -1, m)) + alone[:, None]

    def log_weights_of(self, fixed: LinearFixed, theta: Theta, sets: Any, xp: Any) -> Any:
        """Evaluate the quadratic forms of sampled parent sets."""
        forms, alone = self._terms(fixed, theta, xp)
        explained = xp.einsum("jsim,jikm->jskm", sets, forms)
        return xp.sum(explained * sets, axis=2) + alone[:, None]


def log_joint(like: Bge | Linear, fixed: Any, theta: Any, arcs: Floats) -> Floats:
    """Return log likelihoods of graphs plus log priors of their parameters, with 64 bits.

    Parameters
    ----------
    like, fixed, theta
        The likelihood, what it needs of the data, parameters of the particles; all of NumPy.
    arcs
        The graphs, from row to column, of shape (p, p, m).
    """
    log_likelihoods = like.log_weights_of(fixed, theta, np.swapaxes(arcs, 0, 1)[:, None], np)
    noise = like.log_noise_prior(theta, np) if isinstance(like, Linear) else 0.0
    total: Floats = np.sum(log_likelihoods, axis=(0, 1)) + noise
    return total

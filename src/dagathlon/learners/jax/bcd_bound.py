"""The evidence lower bound of BCD Nets, W = Pᵀ L P, with the variational parameters of a run."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dagathlon.learners.jax.backend import jax, jnp
from dagathlon.learners.jax.bcd_permutations import (
    all_orders,
    gumbel_divergence,
    gumbel_sinkhorn,
    log_shares,
)
from dagathlon.learners.jax.perceptron import layers, outputs
from dagathlon.posteriors.packed import Floats

ALL_ORDERS = 6
"""Largest number of nodes for which expectations sum over all orders."""
_LOG_2PI = math.log(2 * math.pi)
_SCALES = 16


class Family(NamedTuple):
    """Compile-time constants: sizes, priors and the relaxation."""

    p: int
    equal_variances: bool
    hidden: int
    samples: int
    noise_sd: float
    temperature: float

    @property
    def arcs(self) -> int:
        """Number of weights of arcs."""
        return self.p * (self.p - 1) // 2

    @property
    def noises(self) -> int:
        """Number of noise variances."""
        return 1 if self.equal_variances else self.p

    @property
    def sums(self) -> bool:
        """Whether expectations over orders are sums over all of them."""
        return self.p <= ALL_ORDERS


class Facts(NamedTuple):
    """Sufficient statistics of a data set.

    Parameters
    ----------
    gram, counts
        Sums of products and number of the observational rows of a node. If the bound sums over all
        orders they are by position: axes are the position of the node, the pair of positions, and
        the order.
    scale
        Scale of the horseshoe.
    """

    gram: Any
    counts: Any
    scale: Any


def moments_by_position(gram: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Return the moments by position for all orders of few nodes."""
    p = len(counts)
    orders = all_orders(p)
    moments = gram[orders[:, :, None, None], orders[:, None, :, None], orders[:, None, None]]
    return moments.reshape(len(orders), p, p * p).transpose(1, 2, 0), counts[orders].T


class Variational(NamedTuple):
    """Variational parameters: normal weights and log variances, and a network for orders."""

    mean: Any
    log_sd: Any
    network: Any


def initial(family: Family, key: Any) -> Variational:
    """Return initial parameters: small weights, noise near 1, nearly uniform orders."""
    first, second = jax.random.split(key)
    size = family.arcs + family.noises
    mean = 0.1 * jax.random.normal(first, (size,))
    sizes = (size, family.hidden, family.hidden, family.p**2)
    return Variational(mean, jnp.full(size, -2.0, jnp.float32), layers(second, sizes))


def draw_values(family: Family, params: Variational, key: Any, count: int) -> Any:
    """Draw weights above the diagonal, row by row, and log variances."""
    noise = jax.random.normal(key, (count, len(params.mean)))
    return params.mean + jnp.exp(params.log_sd) * noise


def model_of(family: Family, values: Any) -> tuple[Any, Any]:
    """Return the weights by position, from row to column, and the log variances."""
    p = family.p
    rows, columns = np.triu_indices(p, 1)
    # A product with zeros and ones: scatters are slow on CPUs.
    cells = np.zeros((family.arcs, p * p), dtype=np.float32)
    cells[np.arange(family.arcs), rows * p + columns] = 1
    weights = (values[..., : family.arcs] @ cells).reshape(*values.shape[:-1], p, p)
    return weights, jnp.broadcast_to(values[..., family.arcs :], (*values.shape[:-1], p))


def _with_scores(family: Family, params: Variational, values: Any) -> tuple[Any, Any, Any]:
    """Return the models of draws, and the scores of nodes at positions."""
    scores = outputs(params.network, values).reshape(len(values), family.p, family.p)
    return *model_of(family, values), scores


def bounds(family: Family, params: Variational, facts: Facts, key: Any) -> Any:
    """Return an unbiased estimate of the evidence lower bound, as an array of one number.

    Expectations over orders are sums for few nodes; for more, one order is drawn for each draw
    of the parameters.
    """
    first, second = jax.random.split(key)
    values = draw_values(family, params, first, family.samples)
    model = _with_scores(family, params, values)
    prior = log_prior(family, values, facts.scale)
    if family.sums:
        expected = _summed(family, model, facts)
    else:
        expected = _sampled(family, model, facts, second)
    entropy = jnp.sum(params.log_sd) + len(params.log_sd) * (1 + _LOG_2PI) / 2
    return (jnp.mean(prior + expected) + entropy)[None]


def log_prior(family: Family, values: Any, scale: Any) -> Any:
    """Return the log prior: horseshoe weights and normal log variances.

    The horseshoe's half-Cauchy mixture of normal distributions is a mean over equally probable
    scales, so that the density is bounded at 0 and sums to 1.
    """
    widths = scale * np.tan((np.arange(_SCALES) + 0.5) / _SCALES * np.pi / 2)
    weights = values[..., : family.arcs, None]
    logs = -0.5 * (weights / widths) ** 2 - jnp.log(widths) - 0.5 * _LOG_2PI
    arcs = jnp.sum(jax.nn.logsumexp(logs, axis=-1) - math.log(_SCALES), axis=-1)
    noises = values[..., family.arcs :] / family.noise_sd
    constant = math.log(family.noise_sd) + 0.5 * _LOG_2PI
    return arcs - jnp.sum(0.5 * noises**2 + constant, axis=-1)


def _summed(family: Family, model: tuple[Any, Any, Any], facts: Facts) -> Any:
    """Return, for each draw, the expected log likelihood minus the KL divergence of the orders."""
    weights, log_variances, scores = model
    orders = all_orders(family.p)
    log_share = log_shares(scores, orders)
    likelihood = log_likelihoods(weights, log_variances, facts)
    return jnp.sum(jnp.exp(log_share) * (likelihood - log_share), axis=-1) - math.lgamma(
        family.p + 1
    )


def log_likelihoods(weights: Any, log_variances: Any, facts: Facts) -> Any:
    """Return the log likelihood of each draw (row) with each order of the nodes (column)."""
    p = weights.shape[1]
    equations = jnp.moveaxis(jnp.eye(p) - weights, 2, 0)
    squares = (equations[:, :, :, None] * equations[:, :, None, :]).reshape(p, len(weights), p * p)
    rest = squares @ facts.gram
    # For the node at each position, by a product with zeros and ones: gathers are slow.
    log_variance = jnp.moveaxis((log_variances @ _nodes(p)).reshape(len(weights), p, -1), 1, 0)
    terms = facts.counts[:, None] * (_LOG_2PI + log_variance) + rest * jnp.exp(-log_variance)
    return -0.5 * jnp.sum(terms, axis=0)


def _nodes(p: int) -> Floats:
    """Return 0/1 indicators of each node (row) at each position of each order (last axis)."""
    orders = all_orders(p)
    indicators = np.equal(np.arange(p)[:, None, None], orders.T[None])
    return indicators.reshape(p, -1).astype(np.float32)


def _sampled(family: Family, model: tuple[Any, Any, Any], facts: Facts, key: Any) -> Any:
    """Return, for each draw, the log likelihood with one drawn order minus the KL divergence."""
    weights, log_variances, scores = model
    keys = jax.random.split(key, len(weights))
    places = jax.vmap(lambda s, k: gumbel_sinkhorn(s, k, family.temperature))(scores, keys)
    equations = jnp.eye(family.p) - jnp.einsum("sai,sab,sbj->sij", places, weights, places)
    rest = jnp.einsum("sij,jik,skj->sj", equations, facts.gram, equations)
    terms = facts.counts * (_LOG_2PI + log_variances) + rest * jnp.exp(-log_variances)
    return -0.5 * jnp.sum(terms, axis=-1) - jax.vmap(gumbel_divergence)(scores)


def posterior_draws(
    family: Family, params: Variational, reached: Any, key: Any, count: int
) -> tuple[Any, Any]:
    """Draw weights of arcs, from row to column, and noise variances."""
    first, second = jax.random.split(key)
    values = draw_values(family, params, first, count)
    weights, log_variances, scores = _with_scores(family, params, values)
    if family.sums:
        orders = jnp.asarray(all_orders(family.p))
        chosen = jax.random.categorical(
            second, log_shares(scores, np.asarray(all_orders(family.p)))
        )
        places = jax.nn.one_hot(orders[chosen], family.p)
    else:
        keys = jax.random.split(second, count)
        draw = jax.vmap(lambda s, k: gumbel_sinkhorn(s, k, family.temperature))
        places = jnp.round(draw(scores, keys))
    return jnp.einsum("sai,sab,sbj->sij", places, weights, places), jnp.exp(log_variances)

"""The evidence lower bound of BCD Nets: W = Pᵀ L P, with all parameters of one run."""

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

ALL_ORDERS = 6
"""So many nodes have few enough orders to sum over all of them."""
_LOG_2PI = math.log(2 * math.pi)
_SCALES = 24


class Family(NamedTuple):
    """All that is compiled in: sizes, priors and the relaxation."""

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
    """A data set: moments and counts of each node's rows, and the scale of the horseshoe."""

    gram: Any
    counts: Any
    scale: Any


class Variational(NamedTuple):
    """A normal distribution over weights and log variances, and a network from them to orders."""

    mean: Any
    log_sd: Any
    network: Any


def initial(family: Family, key: Any) -> Variational:
    """Small weights, noise of about 1, and nearly no preference for an order."""
    first, second = jax.random.split(key)
    size = family.arcs + family.noises
    mean = 0.1 * jax.random.normal(first, (size,))
    sizes = (size, family.hidden, family.hidden, family.p**2)
    return Variational(mean, jnp.full(size, -2.0), layers(second, sizes))


def drawn(family: Family, found: Variational, key: Any, count: int) -> tuple[Any, Any, Any]:
    """Draws of weights by position, of log variances by node, and scores of the orders."""
    noise = jax.random.normal(key, (count, len(found.mean)))
    values = found.mean + jnp.exp(found.log_sd) * noise
    above = np.triu_indices(family.p, 1)
    weights = jnp.zeros((count, family.p, family.p))
    weights = weights.at[:, above[0], above[1]].set(values[:, : family.arcs])
    log_variances = jnp.broadcast_to(values[:, family.arcs :], (count, family.p))
    scores = outputs(found.network, values).reshape(count, family.p, family.p)
    return weights, log_variances, scores


def bound(family: Family, found: Variational, facts: Facts, key: Any) -> Any:
    """An unbiased estimate of the evidence lower bound.

    Expectations over orders are sums for few nodes; for more, one order is drawn for each draw of
    the parameters.
    """
    first, second = jax.random.split(key)
    weights, log_variances, scores = drawn(family, found, first, family.samples)
    prior = log_prior(family, weights, log_variances, facts.scale)
    if family.sums:
        expected = _summed(family, weights, log_variances, scores, facts)
    else:
        expected = _sampled(family, weights, log_variances, scores, facts, second)
    entropy = jnp.sum(found.log_sd) + len(found.log_sd) * (1 + _LOG_2PI) / 2
    return jnp.mean(prior + expected) + entropy


def log_prior(family: Family, weights: Any, log_variances: Any, scale: Any) -> Any:
    """Horseshoe weights and normal log variances.

    The horseshoe's half-Cauchy mixture of normal distributions is a mean over equally probable
    scales, so that the density is bounded at 0 and sums to 1.
    """
    above = np.triu_indices(family.p, 1)
    values = weights[..., above[0], above[1]][..., None]
    widths = scale * np.tan((np.arange(_SCALES) + 0.5) / _SCALES * np.pi / 2)
    logs = -0.5 * (values / widths) ** 2 - jnp.log(widths) - 0.5 * _LOG_2PI
    arcs = jnp.sum(jax.nn.logsumexp(logs, axis=-1) - math.log(_SCALES), axis=-1)
    noises = log_variances[..., : family.noises] / family.noise_sd
    constant = math.log(family.noise_sd) + 0.5 * _LOG_2PI
    return arcs - jnp.sum(0.5 * noises**2 + constant, axis=-1)


def _summed(family: Family, weights: Any, log_variances: Any, scores: Any, facts: Facts) -> Any:
    """Expected log likelihood less the divergence of the orders, for each draw."""
    orders = all_orders(family.p)
    log_share = log_shares(scores, orders)
    likelihood = log_likelihoods(weights, log_variances, facts, orders)
    return jnp.sum(jnp.exp(log_share) * (likelihood - log_share), axis=-1) - math.lgamma(
        family.p + 1
    )


def log_likelihoods(weights: Any, log_variances: Any, facts: Facts, orders: Any) -> Any:
    """Log likelihood of each draw (row) with each order of the nodes (column)."""
    p = orders.shape[1]
    # Moments by position: those of the rows of the node there, between the nodes of all positions.
    placed = facts.gram[orders[:, :, None, None], orders[:, None, :, None], orders[:, None, None]]
    left = jnp.eye(p) - weights
    squares = (left[:, :, None, :] * left[:, None, :, :]).reshape(len(weights), p * p, p)
    rest = jnp.einsum("scb,kbc->skb", squares, placed.reshape(len(orders), p, p * p))
    log_variance = log_variances[:, orders]
    terms = facts.counts[orders] * (_LOG_2PI + log_variance) + rest * jnp.exp(-log_variance)
    return -0.5 * jnp.sum(terms, axis=-1)


def _sampled(
    family: Family, weights: Any, log_variances: Any, scores: Any, facts: Facts, key: Any
) -> Any:
    """Log likelihood with one drawn order less the divergence of the orders, for each draw."""
    keys = jax.random.split(key, len(weights))
    places = jax.vmap(lambda s, k: gumbel_sinkhorn(s, k, family.temperature))(scores, keys)
    left = jnp.eye(family.p) - jnp.einsum("sai,sab,sbj->sij", places, weights, places)
    rest = jnp.einsum("sij,jik,skj->sj", left, facts.gram, left)
    terms = facts.counts * (_LOG_2PI + log_variances) + rest * jnp.exp(-log_variances)
    return -0.5 * jnp.sum(terms, axis=-1) - jax.vmap(gumbel_divergence)(scores)


def posterior_draws(family: Family, found: Variational, key: Any, count: int) -> tuple[Any, Any]:
    """Draws of the weights of arcs, from row to column, and of the noise variances."""
    first, second = jax.random.split(key)
    weights, log_variances, scores = drawn(family, found, first, count)
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

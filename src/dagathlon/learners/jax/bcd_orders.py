"""BCD Nets with a separate normal distribution for every order of few nodes."""

from __future__ import annotations

import math
from typing import Any

from dagathlon.learners.jax.backend import jax, jnp
from dagathlon.learners.jax.bcd_bound import Facts, Family, Variational, log_prior, model_of
from dagathlon.learners.jax.bcd_permutations import all_orders

_LOG_2PI = math.log(2 * math.pi)
# Factor by which each order has fewer draws than the network, since there are many orders.
_FEWER = 16


def initial(family: Family, key: Any) -> Variational:
    """Return initial parameters for every order: small weights, noise near 1."""
    shape = (math.factorial(family.p), family.arcs + family.noises)
    mean = 0.1 * jax.random.normal(key, shape)
    return Variational(mean, jnp.full(shape, -2.0, jnp.float32), [])


def bounds(family: Family, params: Variational, facts: Facts, key: Any) -> Any:
    """Return unbiased estimates of the evidence lower bound given each order."""
    orders, size = params.mean.shape
    draws = max(family.samples // _FEWER, 1)
    noise = jax.random.normal(key, (draws, orders, size))
    values = params.mean + jnp.exp(params.log_sd) * noise
    weights, log_variances = model_of(family, values)
    equations = jnp.eye(family.p) - weights
    squares = equations[..., :, None, :] * equations[..., None, :, :]
    squares = squares.reshape(draws, orders, family.p**2, family.p)
    rest = jnp.sum(squares * jnp.transpose(facts.gram, (2, 1, 0)), axis=2)
    counts = jnp.swapaxes(facts.counts, 0, 1)
    terms = counts * (_LOG_2PI + log_variances) + rest * jnp.exp(-log_variances)
    likelihood = -0.5 * jnp.sum(terms, axis=-1)
    entropy = jnp.sum(params.log_sd, axis=-1) + size * (1 + _LOG_2PI) / 2
    prior = log_prior(family, values, facts.scale)
    return jnp.mean(likelihood + prior, axis=0) + entropy


def posterior_draws(
    family: Family, params: Variational, reached: Any, key: Any, count: int
) -> tuple[Any, Any]:
    """Draw weights of arcs, from row to column, and noise variances.

    Orders are drawn in proportion to the exponentials of their bounds, which maximises the
    total bound.
    """
    first, second = jax.random.split(key)
    chosen = jax.random.categorical(first, reached, shape=(count,))
    noise = jax.random.normal(second, (count, params.mean.shape[1]))
    values = params.mean[chosen] + jnp.exp(params.log_sd[chosen]) * noise
    weights, log_variances = model_of(family, values)
    places = jax.nn.one_hot(jnp.asarray(all_orders(family.p))[chosen], family.p)
    variances = jnp.einsum("sai,sa->si", places, jnp.exp(log_variances))
    return jnp.einsum("sai,sab,sbj->sij", places, weights, places), variances

"""Training of BCD Nets, and the rule that ends it."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from dagathlon.learners.jax.adam import Averages, descended, resting
from dagathlon.learners.jax.backend import jax, jnp
from dagathlon.learners.jax.bcd_bound import (
    Facts,
    Family,
    Variational,
    bound,
    initial,
    posterior_draws,
)


class Training(NamedTuple):
    """All that is compiled in."""

    family: Family
    rate: float
    patience: int
    tolerance: float


class State(NamedTuple):
    """A run: what is varied, and what the rule knows.

    Parameters
    ----------
    found, averages, key
        The variational parameters, the averages of Adam, random numbers.
    total, made
        Sum and number of the bounds since the rule was last asked.
    bound, best, waited
        Mean bound of the last block of steps, the best one so far, and blocks since then.
    """

    found: Variational
    averages: Averages
    key: Any
    total: Any
    made: Any
    bound: Any
    best: Any
    waited: Any


def begun(training: Training, key: Any) -> State:
    """The state before the first step."""
    ours, first = jax.random.split(key)
    found = initial(training.family, first)
    zero, lowest = jnp.zeros(()), jnp.array(-jnp.inf)
    return State(found, resting(found), ours, zero, zero, lowest, lowest, zero)


def step(training: Training, state: State, facts: Facts, number: Any) -> State:
    """Raise the bound by one step of Adam."""
    key, ours = jax.random.split(state.key)
    loss, slopes = jax.value_and_grad(lambda found: -bound(training.family, found, facts, ours))(
        state.found
    )
    found, averages = descended(state.found, slopes, state.averages, number, training.rate)
    return state._replace(
        found=found, averages=averages, key=key, total=state.total - loss, made=state.made + 1
    )


def judged(training: Training, state: State) -> tuple[State, Any]:
    """Whether the mean bound of a block of steps has not risen by the tolerance for long enough."""
    mean = state.total / jnp.maximum(state.made, 1)
    better = mean > state.best + training.tolerance
    waited = jnp.where(better, 0, state.waited + 1)
    none = jnp.zeros_like(state.total)
    after = state._replace(
        total=none,
        made=none,
        bound=mean,
        best=jnp.where(better, mean, state.best),
        waited=waited.astype(state.waited.dtype),
    )
    return after, waited >= training.patience


class Compiled(NamedTuple):
    """The functions of many runs, compiled once for each shape."""

    begun: Any
    advance: Any
    settled: Any
    draws: Any


@cache
def compiled(training: Training, count: int) -> Compiled:
    """The functions for these settings and this number of draws."""

    def one(state: State, facts: Facts, first: Any, last: Any) -> State:
        return jax.lax.fori_loop(
            first, last, lambda number, now: step(training, now, facts, number), state
        )

    def drawn(state: State, key: Any) -> Any:
        return posterior_draws(training.family, state.found, key, count)

    return Compiled(
        jax.jit(jax.vmap(lambda key: begun(training, key))),
        jax.jit(jax.vmap(one, in_axes=(0, 0, None, None)), donate_argnums=0),
        jax.jit(lambda state, facts, number: judged(training, state)),
        jax.jit(jax.vmap(drawn)),
    )

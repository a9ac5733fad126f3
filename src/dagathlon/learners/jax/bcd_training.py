"""Training of BCD Nets, and its convergence rule."""

from __future__ import annotations

from functools import cache, partial
from typing import Any, NamedTuple

from dagathlon.learners.jax import bcd_bound, bcd_orders
from dagathlon.learners.jax.adam import Averages, adam_step, zero_averages
from dagathlon.learners.jax.backend import jax, jnp
from dagathlon.learners.jax.bcd_bound import Facts, Family, Variational
from dagathlon.learners.jax.loop import Compiled, compile_steps

# Steps after which the step size is halved; after twice as many it is a third, and so on.
_SLOWING = 500


class Training(NamedTuple):
    """Compile-time constants of the training."""

    family: Family
    by_order: bool
    rate: float
    patience: int
    tolerance: float


class State(NamedTuple):
    """State of a run: variational parameters, and the record of the convergence rule.

    Parameters
    ----------
    params, averages, key
        The variational parameters, the running means of Adam, a random key.
    total, made
        Sum and number of the bounds since the last convergence check. If orders have separate
        distributions, bounds are those given each order.
    reached, bound, best, waited
        Mean bounds of the last block of steps, the total bound, the best one so far, and blocks
        since then.
    """

    params: Variational
    averages: Averages
    key: Any
    total: Any
    made: Any
    reached: Any
    bound: Any
    best: Any
    waited: Any


def initial(training: Training, key: Any) -> State:
    """Return the state before the first step."""
    ours, first = jax.random.split(key)
    params = _room(training).initial(training.family, first)
    zero, lowest = jnp.zeros(()), jnp.array(-jnp.inf, jnp.float32)
    none = jnp.zeros(len(params.mean) if training.by_order else 1)
    return State(params, zero_averages(params), ours, none, zero, none, lowest, lowest, zero)


def _room(training: Training) -> Any:
    return bcd_orders if training.by_order else bcd_bound


def step(training: Training, state: State, facts: Facts, number: Any) -> State:
    """Raise the bounds by one step of Adam."""
    key, ours = jax.random.split(state.key)

    def loss(params: Variational) -> tuple[Any, Any]:
        bounds = _room(training).bounds(training.family, params, facts, ours)
        return -jnp.sum(bounds), bounds

    gradients, bounds = jax.grad(loss, has_aux=True)(state.params)
    rate = training.rate / (1 + number / _SLOWING)
    params, averages = adam_step(state.params, gradients, state.averages, number, rate)
    return state._replace(
        params=params, averages=averages, key=key, total=state.total + bounds, made=state.made + 1
    )


def check_convergence(training: Training, state: State) -> tuple[State, Any]:
    """Return whether the mean bound of a block of steps has stopped rising (early stopping).

    The prior of the orders is uniform, and the total bound is that of the best probabilities of
    the orders.
    """
    reached = state.total / jnp.maximum(state.made, 1)
    mean = jax.nn.logsumexp(reached) - jnp.log(len(reached))
    better = mean > state.best + training.tolerance
    waited = jnp.where(better, 0, state.waited + 1)
    after = state._replace(
        total=jnp.zeros_like(state.total),
        made=jnp.zeros_like(state.made),
        reached=reached,
        bound=mean,
        best=jnp.where(better, mean, state.best),
        waited=waited.astype(state.waited.dtype),
    )
    return after, waited >= training.patience


@cache
def compiled(training: Training, count: int) -> Compiled:
    """Compile the functions for these settings and this number of draws."""

    def drawn(state: State, key: Any) -> Any:
        return _room(training).posterior_draws(
            training.family, state.params, state.reached, key, count
        )

    return Compiled(
        jax.jit(jax.vmap(lambda key: initial(training, key))),
        compile_steps(partial(step, training)),
        jax.jit(
            lambda state, facts, number: jax.vmap(lambda one: check_convergence(training, one))(
                state
            )
        ),
        jax.jit(jax.vmap(drawn)),
    )

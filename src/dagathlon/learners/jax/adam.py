"""The Adam optimiser."""

from __future__ import annotations

from typing import Any, NamedTuple

from dagathlon.learners.jax.backend import jax, jnp

_FIRST, _SECOND, _TINY = 0.9, 0.999, 1e-8


class Averages(NamedTuple):
    """Running means of gradients and of their squares, each a tree like the parameters."""

    gradients: Any
    squares: Any


def zero_averages(parameters: Any) -> Averages:
    """Return the running means before the first step."""
    zeros = jax.tree_util.tree_map(jnp.zeros_like, parameters)
    return Averages(zeros, zeros)


def adam_step(
    parameters: Any, gradients: Any, averages: Averages, step: Any, rate: Any
) -> tuple[Any, Averages]:
    """Take one Adam step; return the new parameters and running means.

    Parameters
    ----------
    parameters, gradients
        Trees of arrays, and the gradients there.
    averages
        Running means of the previous step.
    step
        Number of the step, from 0 on.
    rate
        Step size.
    """
    each = jax.tree_util.tree_map
    mean = each(lambda m, g: _FIRST * m + (1 - _FIRST) * g, averages.gradients, gradients)
    square = each(lambda v, g: _SECOND * v + (1 - _SECOND) * g * g, averages.squares, gradients)
    age = jnp.asarray(step, jnp.float32) + 1
    one, two = 1 - _FIRST**age, 1 - _SECOND**age

    def moved(x: Any, m: Any, v: Any) -> Any:
        return x - rate * (m / one) / (jnp.sqrt(v / two) + _TINY)

    return each(moved, parameters, mean, square), Averages(mean, square)

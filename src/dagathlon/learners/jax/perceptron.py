"""Multilayer perceptrons."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from dagathlon.learners.jax.backend import jax, jnp

# Small initial outputs, so that training starts near the baseline they are added to.
_LAST = 0.01


def layers(key: Any, sizes: Sequence[int]) -> list[tuple[Any, Any]]:
    """Return layers of the given sizes with random weights and zero intercepts."""
    result = []
    for number, (ins, outs) in enumerate(pairwise(sizes)):
        scale = _LAST if number == len(sizes) - 2 else 1.0
        drawn = jax.random.normal(jax.random.fold_in(key, number), (ins, outs))
        result.append((scale * drawn * jnp.sqrt(2 / ins), jnp.zeros(outs)))
    return result


def outputs(network: Sequence[tuple[Any, Any]], inputs: Any) -> Any:
    """Return the outputs of the network for rows of inputs."""
    values = inputs
    for weights, intercepts in network[:-1]:
        values = jax.nn.leaky_relu(values @ weights + intercepts)
    weights, intercepts = network[-1]
    return values @ weights + intercepts

"""A nonlinear regression of each variable on all others, whose inputs can be counted by norms."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

from dagathlon.learners.jax.backend import jax, jnp


class Perceptrons(NamedTuple):
    """A perceptron for each variable.

    Parameters
    ----------
    first
        Weights of the first layer: (inputs, variables, units).
    intercepts
        Of the first layer: (variables, units).
    layers
        Weights (variables, units before, units) and intercepts (variables, units) of the others.
    """

    first: Any
    intercepts: Any
    layers: tuple[tuple[Any, Any], ...]


def perceptrons(key: Any, p: int, hidden: tuple[int, ...]) -> Perceptrons:
    """Perceptrons that use no input yet; all variables have the same other weights.

    So the columns can come in any order.
    """
    sizes = (*hidden, 1)
    layers = []
    for number, (ins, outs) in enumerate(pairwise(sizes)):
        bound = ins**-0.5
        drawn = jax.random.uniform(
            jax.random.fold_in(key, number), (ins, outs), minval=-bound, maxval=bound
        )
        layers.append((jnp.broadcast_to(drawn, (p, ins, outs)), jnp.zeros((p, outs))))
    units = hidden[0]
    return Perceptrons(jnp.zeros((p, p, units)), jnp.zeros((p, units)), tuple(layers))


def predicted(model: Perceptrons, rows: Any) -> Any:
    """What each perceptron says of its variable: (rows, variables)."""
    p, _, units = model.first.shape
    values = rows @ model.first.reshape(p, -1)
    values = values.reshape(-1, p, units) + model.intercepts
    for weights, intercepts in model.layers:
        values = jnp.einsum("nju,juv->njv", jax.nn.sigmoid(values), weights) + intercepts
    return values[..., 0]


def squares(model: Perceptrons) -> Any:
    """Squared norms of the first weights of each input of each variable: row to column."""
    return jnp.sum(model.first**2, axis=-1)

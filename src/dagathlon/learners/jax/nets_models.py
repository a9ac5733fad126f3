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
        Weights of the first layer: (variables, units, inputs).
    intercepts
        Of the first layer: (variables, units).
    layers
        Weights (variables, units, units before) and intercepts (variables, units) of the others.
    """

    first: Any
    intercepts: Any
    layers: tuple[tuple[Any, Any], ...]


def perceptrons(key: Any, p: int, hidden: tuple[int, ...]) -> Perceptrons:
    """Perceptrons that use no input yet; all variables have the same other weights.

    So the columns can come in any order.
    """
    layers = []
    for number, (ins, outs) in enumerate(pairwise((*hidden, 1))):
        bound = ins**-0.5
        drawn = jax.random.uniform(
            jax.random.fold_in(key, number), (outs, ins), minval=-bound, maxval=bound
        )
        layers.append((jnp.broadcast_to(drawn, (p, outs, ins)), jnp.zeros((p, outs))))
    units = hidden[0]
    return Perceptrons(jnp.zeros((p, units, p)), jnp.zeros((p, units)), tuple(layers))


def predicted(model: Perceptrons, columns: Any) -> Any:
    """What each perceptron says of its variable, of columns of data as rows: (variables, rows)."""
    p, units, _ = model.first.shape
    values = (model.first.reshape(p * units, p) @ columns).reshape(p, units, -1)
    values = values + model.intercepts[:, :, None]
    for weights, intercepts in model.layers:
        values = _layer(jax.nn.sigmoid(values), weights) + intercepts[:, :, None]
    return values[:, 0]


def _layer(values: Any, weights: Any) -> Any:
    if weights.shape[1] == 1:  # a sum, which is made along with what comes before it
        return jnp.sum(values * weights[:, 0, :, None], axis=1, keepdims=True)
    return jnp.einsum("jvu,jun->jvn", weights, values)


def squares(model: Perceptrons) -> Any:
    """Squared norms of the first weights of each input of each variable: from row to column."""
    return jnp.sum(model.first**2, axis=1).T

"""Networks with masked inputs, one for each variable: the models of GraN-DAG and MCSL.

Functions are for a single run. Masks and connectivities are from row to column.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

from dagathlon.learners.jax.backend import jax, jnp


class Facts(NamedTuple):
    """Input arrays of a run.

    Parameters
    ----------
    rows
        The data, an observation in each row.
    allowed
        Ones where an arc is allowed, and zeros on the diagonal.
    """

    rows: Any
    allowed: Any


class Networks(NamedTuple):
    """A network for each variable.

    Parameters
    ----------
    weights
        Of each layer: (variables, units before, units).
    intercepts
        Of each layer: (variables, units).
    """

    weights: tuple[Any, ...]
    intercepts: tuple[Any, ...]


def networks(key: Any, p: int, hidden: tuple[int, ...]) -> Networks:
    """Return networks with random weights, scaled to preserve variance across layers."""
    sizes = (p, *hidden, 1)
    weights = []
    for number, (ins, outs) in enumerate(pairwise(sizes)):
        drawn = jax.random.normal(jax.random.fold_in(key, number), (p, ins, outs))
        weights.append(drawn * (2 / (ins + outs)) ** 0.5)
    intercepts = tuple(jnp.zeros((p, units)) for units in sizes[1:])
    return Networks(tuple(weights), intercepts)


def predicted(model: Networks, mask: Any, rows: Any) -> Any:
    """Return the prediction of each network, (variables, rows); inputs are multiplied by masks."""
    first = _masked(model.weights[0], mask)
    p, _, units = first.shape
    values = rows @ first.transpose(1, 0, 2).reshape(p, -1)  # one product in place of p
    values = values.reshape(-1, p, units).transpose(1, 0, 2) + model.intercepts[0][:, None]
    for weights, intercepts in zip(model.weights[1:], model.intercepts[1:], strict=True):
        values = jax.nn.leaky_relu(values) @ weights + intercepts[:, None]
    return values[..., 0]


def _masked(first: Any, mask: Any) -> Any:
    return first * mask.T[:, :, None]


def squared_errors(model: Networks, mask: Any, rows: Any) -> Any:
    """Return the mean squared residuals of the networks."""
    return jnp.mean((rows.T - predicted(model, mask, rows)) ** 2, axis=1)


def connectivity(model: Networks, mask: Any) -> Any:
    """Return mean products of absolute weights over the paths from each input to the output.

    Where it is 0 the network does not depend on the input: there is no arc.
    """
    products = _masked(jnp.abs(model.weights[0]), mask)
    paths = 1
    for weights in model.weights[1:]:
        products = products @ jnp.abs(weights)
        paths *= weights.shape[1]
    return products[..., 0].T / paths


def mean_gradients(model: Networks, mask: Any, rows: Any) -> Any:
    """Return means over rows of the absolute gradients of each prediction by each input."""

    def of_row(row: Any) -> Any:
        return predicted(model, mask, row[None])[:, 0]

    gradients = jax.vmap(jax.jacrev(of_row))(rows)
    return jnp.mean(jnp.abs(gradients), axis=0).T


def drawn_rows(key: Any, rows: Any, count: int) -> Any:
    """Draw rows with replacement; all rows if there are no more."""
    if count >= len(rows):
        return rows
    return rows[jax.random.randint(key, (count,), 0, len(rows))]


def gumbel_sigmoid(key: Any, logits: Any, temperature: float) -> Any:
    """Draw Gumbel-sigmoid variables, near 0 or 1 at low temperature, differentiable by logits.

    They are above 1/2 with the probability of the logits.
    """
    return jax.nn.sigmoid((logits + jax.random.logistic(key, logits.shape)) / temperature)

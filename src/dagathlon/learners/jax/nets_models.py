"""Nonlinear regressions of each variable on all others, with arcs as norms of input weights."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.learners.jax.backend import jax, jnp

Noise: TypeAlias = Literal["equal", "free"]
# A residual variance of zero has no logarithm.
_LEAST_VARIANCE = 1e-8


class Facts(NamedTuple):
    """Input arrays of a run.

    Parameters
    ----------
    columns
        The data, a variable in each row.
    inputs
        What the regressions take: the columns, or functions of them.
    allowed
        Ones where an arc is allowed, from row to column, and zeros on the diagonal.
    """

    columns: Any
    inputs: Any
    allowed: Any


class Networks(NamedTuple):
    """A network for each variable.

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


@dataclass(frozen=True)
class Regressions:
    """The regression of each variable on all others.

    Parameters
    ----------
    hidden
        Units of each hidden layer; none for a sum of functions of single variables.
    functions
        Number of basis functions of each variable; 0 for the variables themselves.
    lambda1, lambda2
        Factors of the L1 penalty of the first layer, and of half of all squared weights.
    noise
        Whether the noise has one variance in all variables or one for each.
    logarithm
        Whether the loss of equal variances is a likelihood, or else least squares.
    """

    hidden: tuple[int, ...]
    functions: int
    lambda1: float
    lambda2: float
    noise: Noise
    logarithm: bool = False

    def inputs(self, columns: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the columns, or their basis functions, those of one frequency together.

        Sines of odd numbers of quarter waves are a basis of functions on [0, 1] that are 0
        at 0: columns are scaled to it, each from its minimum to its maximum. All functions
        have slope 1 at the minimum, so that weights are in the units of slopes.
        """
        if not self.functions:
            return columns
        least, most = columns.min(axis=1)[:, None], columns.max(axis=1)[:, None]
        width = np.where(most > least, most - least, 1.0)
        scales = 2 / (np.pi * (2 * np.arange(self.functions) + 1))
        part = (columns - least) / width
        return np.concatenate([width * scale * np.sin(part / scale) for scale in scales])

    def initial(self, key: Any, facts: Facts) -> Networks:
        """Return networks that use no input yet; all variables share the other initial weights.

        So the result does not depend on the order of the columns.
        """
        p, ins = len(facts.columns), len(facts.inputs)
        units = self.hidden[0] if self.hidden else 1
        layers = []
        sizes = (*self.hidden, 1) if self.hidden else ()
        for number, (before, after) in enumerate(pairwise(sizes)):
            bound = before**-0.5
            drawn = jax.random.uniform(
                jax.random.fold_in(key, number), (after, before), minval=-bound, maxval=bound
            )
            layers.append((jnp.broadcast_to(drawn, (p, after, before)), jnp.zeros((p, after))))
        return Networks(jnp.zeros((p, units, ins)), jnp.zeros((p, units)), tuple(layers))

    def loss(self, model: Networks, facts: Facts) -> Any:
        """Return the loss with the ridge penalty; the L1 penalty is `sparsity`."""
        used = model._replace(first=model.first * _repeated(facts.allowed, model))
        rest = facts.columns - predicted(used, facts.inputs)
        variances = jnp.mean(rest**2, axis=1)
        if self.noise == "free":
            fit = 0.5 * jnp.sum(jnp.log(variances + _LEAST_VARIANCE))
        elif self.logarithm:
            fit = 0.5 * len(variances) * jnp.log(jnp.sum(variances) + _LEAST_VARIANCE)
        else:
            fit = 0.5 * jnp.sum(variances)
        return fit + 0.5 * self.lambda2 * ridge(model)

    def sparsity(self, model: Networks) -> Networks:
        """Return the L1 penalty factor of each parameter."""
        none = jax.tree_util.tree_map(jnp.zeros_like, model)
        return none._replace(first=none.first + self.lambda1)  # type: ignore[no-any-return]


def predicted(model: Networks, inputs: Any) -> Any:
    """Return the prediction of each network: (variables, rows of data)."""
    p, units, ins = model.first.shape
    values = (model.first.reshape(p * units, ins) @ inputs).reshape(p, units, -1)
    values = values + model.intercepts[:, :, None]
    for weights, intercepts in model.layers:
        values = _layer(jax.nn.sigmoid(values), weights) + intercepts[:, :, None]
    return values[:, 0]


def _layer(values: Any, weights: Any) -> Any:
    if weights.shape[1] == 1:  # a sum, which the compiler fuses with the operations before it
        return jnp.sum(values * weights[:, 0, :, None], axis=1, keepdims=True)
    return jnp.einsum("jvu,jun->jvn", weights, values)


def squares(model: Networks) -> Any:
    """Return squared norms of the first weights of each input in each network: row to column."""
    p = len(model.first)
    return jnp.sum(model.first.reshape(p, -1, p) ** 2, axis=1).T


def ridge(model: Networks) -> Any:
    """Return the sum of all squared weights, without intercepts."""
    return jnp.sum(model.first**2) + sum(jnp.sum(weights**2) for weights, _ in model.layers)


def _repeated(allowed: Any, model: Networks) -> Any:
    """Return the mask of allowed weights of the first layer."""
    p, _, ins = model.first.shape
    return jnp.tile(allowed.T, (1, ins // p))[:, None, :]

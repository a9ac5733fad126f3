"""Nonlinear structural equation models with additive Gaussian noise."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.data import Dataset, Variable
from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.modules import NonNegative
from dagathlon.simulate.base import Model
from dagathlon.simulate.non_gaussian import sigmoid
from dagathlon.simulate.row_generator import RowGenerator
from dagathlon.simulate.streams import substreams

FloatArray: TypeAlias = npt.NDArray[np.float64]
Function: TypeAlias = Literal["mlp", "mim", "gp", "gp-add", "quadratic"]
_Draw: TypeAlias = Callable[[FloatArray, np.random.Generator], FloatArray]

MAX_GAUSSIAN_PROCESS_ROWS = 10_000
_HIDDEN_UNITS = 100
_ROWS_AT_ONCE = 8192
# Added to the variances of a Gaussian process so that its covariance can be factorised.
_JITTER = 1e-8


@dataclass(frozen=True, kw_only=True)
class Nonlinear(RowGenerator):
    """Rows in which a variable is a random nonlinear function of its parents plus Gaussian noise.

    Only the edges of the model count, not its parameters. The functions belong to the random
    stream: all rows have the same.

    Parameters
    ----------
    function
        ``mlp``: a neural network with one layer of 100 sigmoid units; ``mim``: the sum of tanh,
        cos and sin of three random projections; ``gp``: a draw from a Gaussian process with a
        squared-exponential kernel of length 1 on all parents together; ``gp-add``: the sum of one
        such draw for each parent; ``quadratic``: the average of linear terms, squares and products
        of the parents. Weights are of random sign, from 0.5 to 2 in size (quadratic: to 1).
    noise_scale
        Standard deviation of the noise.
    """

    name = "nonlinear"
    takes = frozenset({"continuous"})
    references = (
        "Zheng, Dan, Aragam, Ravikumar and Xing 2020, Learning sparse nonparametric DAGs, AISTATS",
    )

    function: Function = "mlp"
    noise_scale: NonNegative = 1.0

    def problem(self) -> str:
        """Return a message if a Gaussian process would need too large a matrix."""
        if self.function.startswith("gp") and self.n > MAX_GAUSSIAN_PROCESS_ROWS:
            return (
                f"function {self.function!r} with n {self.n}: Gaussian processes are drawn for at "
                f"most {MAX_GAUSSIAN_PROCESS_ROWS} rows; choose fewer or another function"
            )
        return ""

    def sample(self, model: Model, rng: np.random.Generator) -> Dataset:
        """Draw one data set."""
        graph = causal_graph(model, self.name)
        noise_stream, *streams = substreams(rng, 1 + len(graph))
        noise = noise_stream.standard_normal((self.n, len(graph)))
        values = np.asfortranarray(self.noise_scale * noise)
        for j in graph.positions(graph.topological_order()):
            parents = graph.positions(graph.parents(graph.names[j]))
            if parents:
                with np.errstate(over="ignore", invalid="ignore"):
                    values[:, j] += _FUNCTIONS[self.function](values[:, parents], streams[j])
                _check_finite(values[:, j], graph.names[j], self.function)
        return self.finished(Dataset([Variable(name) for name in graph.names], values=values))


def causal_graph(model: Model, generator: str) -> Graph:
    """Return the DAG of a causal model; raise an error for other models."""
    graph = getattr(model, "graph", None)
    if not isinstance(graph, Graph) or not graph.is_dag:
        raise DataError(
            f"{generator} needs a model on a DAG, found {type(model).__name__}, which has none"
        )
    return graph


def _check_finite(column: FloatArray, name: str, function: str) -> None:
    if not np.all(np.isfinite(column)):
        raise DataError(
            f"the values of {name} grew beyond the range of numbers under {function!r} functions; "
            "use a graph with shorter paths or another function"
        )


def _signed(rng: np.random.Generator, high: float, shape: tuple[int, ...]) -> FloatArray:
    """Draw weights of random sign with absolute values from 0.5 to `high`."""
    result: FloatArray = rng.uniform(0.5, high, shape) * rng.choice([-1.0, 1.0], shape)
    return result


def _projected(parents: FloatArray, weights: FloatArray) -> FloatArray:
    """Return weighted sums of the parents, summed by column for reproducible rounding."""
    shape = (len(parents), *weights.shape[1:])
    total = np.zeros(shape)
    for i in range(parents.shape[1]):
        total += parents[:, i].reshape(-1, *(1,) * (len(shape) - 1)) * weights[i]
    return total


def _mlp(parents: FloatArray, rng: np.random.Generator) -> FloatArray:
    inner = _signed(rng, 2.0, (parents.shape[1], _HIDDEN_UNITS))
    outer = _signed(rng, 2.0, (_HIDDEN_UNITS,))
    result = np.empty(len(parents))
    for first in range(0, len(parents), _ROWS_AT_ONCE):
        rows = slice(first, first + _ROWS_AT_ONCE)
        result[rows] = (sigmoid(_projected(parents[rows], inner)) * outer).sum(axis=1)
    return result


def _mim(parents: FloatArray, rng: np.random.Generator) -> FloatArray:
    one, two, three = _signed(rng, 2.0, (3, parents.shape[1]))
    result: FloatArray = (
        np.tanh(_projected(parents, one))
        + np.cos(_projected(parents, two))
        + np.sin(_projected(parents, three))
    )
    return result


def _gp(parents: FloatArray, rng: np.random.Generator) -> FloatArray:
    return _gaussian_process(parents, rng.standard_normal(len(parents)))


def _gp_add(parents: FloatArray, rng: np.random.Generator) -> FloatArray:
    noise = rng.standard_normal(parents.shape)
    total = np.zeros(len(parents))
    for i in range(parents.shape[1]):
        total += _gaussian_process(parents[:, i : i + 1], noise[:, i])
    return total


def _gaussian_process(points: FloatArray, noise: FloatArray) -> FloatArray:
    """Draw a Gaussian process at the points; later points do not change earlier values."""
    distances = np.zeros((len(points), len(points)))
    for column in points.T:
        distances += (column[:, None] - column[None, :]) ** 2
    covariance = np.exp(-0.5 * distances)
    covariance[np.diag_indices(len(points))] += _JITTER
    result: FloatArray = np.linalg.cholesky(covariance) @ noise
    return result


def _quadratic(parents: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return the mean of random quadratic terms, in which every parent occurs."""
    count = parents.shape[1]
    terms: list[tuple[int, ...]] = [(i,) for i in range(count)]
    terms += itertools.combinations_with_replacement(range(count), 2)
    present = np.ones(len(terms), dtype=bool)
    while count > 1:
        present = rng.random(len(terms)) < 0.5
        used = {i for term, here in zip(terms, present, strict=True) if here for i in term}
        if len(used) == count:
            break
    coefficients = _signed(rng, 1.0, (len(terms),))
    total = np.zeros(len(parents))
    for term, here, coefficient in zip(terms, present, coefficients, strict=True):
        if here:
            total += coefficient * parents[:, term].prod(axis=1)
    return total / np.count_nonzero(present)


_FUNCTIONS: dict[Function, _Draw] = {
    "mlp": _mlp,
    "mim": _mim,
    "gp": _gp,
    "gp-add": _gp_add,
    "quadratic": _quadratic,
}

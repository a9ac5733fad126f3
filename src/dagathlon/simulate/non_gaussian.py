"""Linear models with non-Gaussian noise, and logistic models of binary variables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.data import Dataset, LinearSem, Variable
from dagathlon.data.spec import DataFacts
from dagathlon.errors import DataError
from dagathlon.modules import NonNegative
from dagathlon.simulate.base import Model
from dagathlon.simulate.row_generator import RowGenerator

FloatArray: TypeAlias = npt.NDArray[np.float64]
Law: TypeAlias = Literal["gaussian", "exponential", "gumbel", "uniform", "laplace", "logistic"]
_Draw: TypeAlias = Callable[[np.random.Generator, tuple[int, int]], FloatArray]

# Noise distributions at scale 1, in NumPy's parametrisation; uniform is from −1 to 1.
_DRAWS: dict[Law, _Draw] = {
    "gaussian": lambda rng, shape: rng.standard_normal(shape),
    "exponential": lambda rng, shape: rng.standard_exponential(shape),
    "gumbel": lambda rng, shape: rng.gumbel(size=shape),
    "uniform": lambda rng, shape: rng.uniform(-1.0, 1.0, shape),
    "laplace": lambda rng, shape: rng.laplace(size=shape),
    "logistic": lambda rng, shape: rng.logistic(size=shape),
}
_MEANS: dict[Law, float] = {"exponential": 1.0, "gumbel": float(np.euler_gamma)}


@dataclass(frozen=True, kw_only=True)
class NonGaussian(RowGenerator):
    """Rows of a linear structural equation model with a chosen noise distribution.

    The noise of a variable is drawn from the distribution and multiplied by `scale` and by the
    variable's noise standard deviation in the model.

    Parameters
    ----------
    law
        Distribution of the noise; uniform is from −1 to 1.
    scale
        Scale of the noise.
    centred
        Whether noise with a non-zero mean (exponential, gumbel) is shifted to mean 0.
    """

    name = "non_gaussian"
    takes = frozenset({"continuous"})
    references = ("Shimizu, Hoyer, Hyvärinen and Kerminen 2006, JMLR 7",)

    law: Law = "exponential"
    scale: NonNegative = 1.0
    centred: bool = True

    def sample(self, model: Model, rng: np.random.Generator) -> Dataset:
        """Draw one data set."""
        sem = linear_model(model, self.name)
        values = np.asfortranarray(_DRAWS[self.law](rng, (self.n, len(sem.names))))
        if self.centred:
            values -= _MEANS.get(self.law, 0.0)
        values *= self.scale * np.sqrt(sem.variances)
        _core.propagate(sem.weights, values)
        return self.finished(Dataset([Variable(name) for name in sem.names], values=values))


@dataclass(frozen=True, kw_only=True)
class Logistic(RowGenerator):
    """Binary variables, each by a logistic regression on its parents.

    The probability of level 1 is the logistic function of the weighted sum of the parents (as 0
    and 1); one half without parents.
    """

    name = "logistic"
    takes = frozenset({"continuous"})

    def facts(self, model: DataFacts) -> DataFacts:
        """Return the properties of the data, which are binary."""
        return replace(super().facts(model), kind="discrete", binary=True)

    def sample(self, model: Model, rng: np.random.Generator) -> Dataset:
        """Draw one data set."""
        sem = linear_model(model, self.name)
        uniforms = rng.random((self.n, len(sem.names)))
        values = np.zeros((self.n, len(sem.names)), order="F")
        for j in sem.order:
            values[:, j] = uniforms[:, j] < sigmoid(_weighted_parents(sem, values, j))
        variables = [Variable.coded(name, 2) for name in sem.names]
        return self.finished(Dataset(variables, codes=values.astype(np.uint8)))


def linear_model(model: Model, generator: str) -> LinearSem:
    """Return the model if it is a linear SEM; raise an error otherwise."""
    if not isinstance(model, LinearSem):
        raise DataError(
            f"{generator} needs the weights of a linear structural equation model, found "
            f"{type(model).__name__}; use linear_sem or sem_params for the parameters"
        )
    return model


def _weighted_parents(sem: LinearSem, values: FloatArray, j: int) -> FloatArray:
    """Return the weighted sum of the parents of variable j, for each row.

    Parent by parent instead of by a matrix product, whose rounding varies by machine.
    """
    total = np.zeros(len(values))
    for i in np.flatnonzero(sem.weights[:, j]):
        total += sem.weights[i, j] * values[:, i]
    return total


def sigmoid(x: FloatArray) -> FloatArray:
    """Return the logistic function, without overflow."""
    result: FloatArray = 0.5 * (1.0 + np.tanh(0.5 * x))
    return result

"""Base class of the samplers of Gaussian graphical models with a G-Wishart prior."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.data.spec import DataFacts, DataKind
from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.learners.assumptions import COPULA, GAUSSIAN
from dagathlon.learners.base import Estimate, Learner
from dagathlon.learners.undirected.copula import copula_start, guessed_orders
from dagathlon.learners.undirected.definite import require_definite
from dagathlon.learners.undirected.undirected_sampler import UndirectedSampler
from dagathlon.modules import NonNegative, Probability
from dagathlon.threads import ObjectPool

_CONTINUOUS: frozenset[DataKind] = frozenset({"continuous"})


@dataclass(frozen=True, kw_only=True)
class CopulaModel(Learner):
    """Base class of learners of Gaussian graphical models that offer a Gaussian copula too.

    Parameters
    ----------
    model
        The values are Gaussian (``gaussian``), or some monotone function of each column is
        (``copula``). A copula takes continuous, ordinal and mixed data and missing values: of each
        column only the order of its values is used, and the latent Gaussian values are drawn within
        that order (the extended rank likelihood). Levels of a discrete column are ordered as its
        variable lists them. The precision matrix is then that of latent columns of variance 1.
    normal_scores
        Whether the latent values of continuous columns are normal scores of the ranks, instead of
        drawn in every sweep; faster, and accurate with many rows and no missing values, or values
        that are missing completely at random.
    """

    takes: ClassVar[frozenset[DataKind]] = frozenset({"continuous", "discrete", "mixed"})
    handles_missing = True
    assumes = (GAUSSIAN,)

    model: Literal["gaussian", "copula"] = "gaussian"
    normal_scores: bool = False

    def accepted(self) -> frozenset[DataKind]:
        """Return the kinds of data taken; discrete variables need the copula."""
        return _CONTINUOUS if self.model == "gaussian" else self.takes

    def assumptions(self, kind: DataKind) -> tuple[str, ...]:
        """Return the assumptions of the Gaussian or the copula model."""
        return self.assumes if self.model == "gaussian" else (COPULA,)

    def why_unsuitable(self, data: DataFacts) -> str:
        """Return a message for missing values without a copula; empty otherwise."""
        if data.missing and self.model == "gaussian":
            return (
                f"{self.name} cannot handle missing values with the Gaussian model; set model to "
                "'copula', impute them first or drop the rows"
            )
        problem = super().why_unsuitable(data)
        remedy = problem and self.model == "gaussian" and data.kind in self.takes
        return f"{problem}; set model to 'copula', which takes them" if remedy else problem

    def latent(self, data: Dataset) -> _core.CopulaStart:
        """Return the initial latent data of the copula."""
        keeps_scores = [
            self.normal_scores and not variable.is_discrete for variable in data.variables
        ]
        return copula_start(data, keeps_scores)


Matrix: TypeAlias = npt.NDArray[np.float64]

_SWEEPS = 10_000


class Scatter(NamedTuple):
    """Sums of products of scaled columns, with the number of rows and the scales."""

    products: Matrix
    rows: float
    units: Matrix


@dataclass(frozen=True, kw_only=True)
class GWishartSampler(CopulaModel, UndirectedSampler):
    """Base class of samplers of graphs and precision matrices with a G-Wishart prior.

    Parameters
    ----------
    b
        Degrees of freedom of the G-Wishart prior of the precision matrix, above 0; 3 is the usual
        weak prior.
    scale
        Diagonal of its scale matrix, in squared units of the data; null is the variance of each
        column around its mean (around 0 with `zero_mean`), with the number of rows as divisor, so
        that units do not matter; 1 for a constant column and the latent columns of a copula.
    zero_mean
        Whether the columns have mean zero; otherwise means are unknown, with a flat prior. Latent
        columns of a copula always have mean zero.
    edge_probability
        Prior probability of each edge, between 0 and 1; 0.5 makes all graphs equally probable.
    exchange
        Whether every step is exact, at the cost of a second draw of a precision matrix in some of
        them (the exchange algorithm); otherwise the ratio of prior normalising constants of two
        graphs is approximated unless it is known, which is faster and close.
    start
        Whether the chains start with no edges or with all.
    """

    b: NonNegative = 3.0
    scale: NonNegative | None = None
    zero_mean: bool = False
    edge_probability: Probability = 0.2
    exchange: bool = True
    start: Literal["empty", "full"] = "empty"

    def problem(self) -> str:
        """Return a message if the prior is improper or excludes an edge; empty otherwise."""
        for name in ("b", "scale"):
            if getattr(self, name) == 0:
                return f"{name}: found 0, expected a number above 0"
        if self.edge_probability in (0, 1):
            given = f"{self.edge_probability:g}"
            return f"edge_probability: found {given}, expected above 0 and below 1"
        return super().problem()

    def default_iterations(self, p: int) -> int:
        """Return the default number of sweeps, which is the same for any number of variables."""
        return _SWEEPS

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Sample graphs and precision matrices."""
        given = self.scatter(data) if self.model == "gaussian" else self.latent(data)
        length = self.length(len(data.names))
        start = self.first_graph(data.names)

        def chain(
            given: Scatter | _core.CopulaStart, options: _core.ChainOptions
        ) -> _core.GaussianChain:
            return self.chain(start, given, options)

        runs = self.chain_runs(ObjectPool(lambda: given), chain, length, rng)
        # Chains cut short by a deadline have less weight in the mean.
        lengths = [len(run.log) for run in runs]
        precision = np.average([run.precision for run in runs], axis=0, weights=lengths)
        if isinstance(given, Scatter):
            precision /= np.outer(given.units, given.units)
        estimate = self.result([run.log for run in runs], data, length, "all graphs", precision)
        return (
            estimate if self.model == "gaussian" else replace(estimate, notes=guessed_orders(data))
        )

    @abstractmethod
    def chain(
        self, start: Graph, given: Scatter | _core.CopulaStart, options: _core.ChainOptions
    ) -> _core.GaussianChain:
        """Run one chain on the data, or on latent data of a copula."""

    def first_graph(self, names: tuple[str, ...]) -> Graph:
        """Return the graph that the chains start from."""
        if self.start == "empty":
            return Graph(names)
        return Graph.from_adjacency(names, 1 - np.eye(len(names), dtype=np.int64))

    def prior(self) -> _core.GaussianGraphPrior:
        """Return the native prior."""
        return _core.GaussianGraphPrior(
            edge_probability=self.edge_probability,
            b=self.b,
            scale=1.0 if self.scale is None else self.scale,
            exchange=self.exchange,
        )

    def scatter(self, data: Dataset) -> Scatter:
        """Return the sums of products that the native chains take."""
        values = data.values
        if not len(values):
            raise DataError(f"{self.name} needs at least 1 row, found none")
        if not np.isfinite(values).all():
            raise DataError(f"{self.name} takes finite values only")
        centred = values if self.zero_mean else values - values.mean(axis=0)
        units = np.ones(values.shape[1])
        if self.scale is None:
            spread = np.sqrt((centred**2).mean(axis=0))
            # Rounding leaves a tiny variance in a constant column.
            noise = 1e-10 * np.maximum(np.abs(values).max(axis=0), np.finfo(float).tiny)
            units = np.where(spread > noise, spread, 1.0)
        scaled = centred / units
        require_definite(self.name, scaled, np.full(len(units), self.scale or 1.0))
        rows = len(values) - (not self.zero_mean)
        return Scatter(np.ascontiguousarray(scaled.T @ scaled), float(rows), units)

"""The graphical lasso."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from dagathlon import _core
from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate
from dagathlon.learners.continuous.weights import numbers
from dagathlon.learners.undirected import selection
from dagathlon.learners.undirected.inputs import (
    Matrix,
    Moments,
    Vector,
    largest_off_diagonal,
    standardised_as,
)
from dagathlon.learners.undirected.likelihoods import gaussian_log_likelihoods
from dagathlon.learners.undirected.path_precisions import Indices, PathPrecisions
from dagathlon.learners.undirected.penalised import GaussianPenalised, PathFit
from dagathlon.modules import Natural, NonNegative
from dagathlon.pulse import aside, beat

if TYPE_CHECKING:
    from dagathlon.data import Dataset

Columns: TypeAlias = Literal["standardised", "centred", "raw"]
_NO_REFIT = (
    "The precision matrix is the penalised one: without a penalty the data have no estimate on "
    "this graph."
)


@dataclass(frozen=True, kw_only=True)
class GraphicalLasso(GaussianPenalised):
    """Graphical lasso: Gaussian likelihood with an L1 penalty on the precision matrix.

    Minimises tr(SX) - log det X + penalty · Σ|X_ij| over positive definite X, where S is the
    correlation matrix, and joins two variables where X_ij is not zero. The solver takes Newton
    steps over the active entries, in each connected component separately.

    Parameters
    ----------
    columns
        Columns whose mean products S are: standardised ones (S is the correlation matrix, and the
        penalty has no unit), centred ones (covariances), or the columns as they are (raw: means are
        assumed to be zero).
    penalise_diagonal
        Whether the diagonal of X is penalised too.
    threshold
        Absolute value of an entry of X above which it is an edge.
    refit
        Whether the precision matrix of the result is the one of maximum likelihood with the zeros
        of the selected graph; otherwise it is the penalised one, whose entries are shrunk.
    tolerance
        Largest violation of the optimality conditions, in units of the mean variance.
    max_steps
        Largest number of Newton steps for each penalty and component.
    """

    name = "glasso"
    version = 3
    references = (
        "Friedman, Hastie and Tibshirani 2008, Biostatistics 9",
        "Witten, Friedman and Simon 2011, Journal of Computational and Graphical Statistics 20",
        "Hsieh, Sustik, Dhillon and Ravikumar 2014, QUIC, JMLR 15",
    )

    columns: Columns = "standardised"
    penalise_diagonal: bool = False
    threshold: NonNegative = 0.0
    refit: bool = True
    tolerance: NonNegative = 1e-6
    max_steps: Natural = 200

    def problem(self) -> str:
        """Return a message if rank correlations are asked for in units of the data."""
        if self.relation != "pearson" and self.columns != "standardised":
            return f"with relation {self.relation} columns must be standardised"
        return super().problem()

    def largest_of(self, moments: Moments) -> float:
        """Return the smallest penalty with an empty graph: the largest entry off the diagonal."""
        return largest_off_diagonal(moments.correlation)

    def moments(self, data: Dataset) -> Moments:
        """Return the correlations, or mean products of unscaled columns."""
        if self.columns == "standardised":
            return super().moments(data)
        values = numbers(data, self.name)
        products = _mean_products(self._shifted(values, values), np.abs(values).max(axis=0))
        return Moments(products, np.ones(len(products)), len(values))

    def scales(self, data: Dataset) -> Vector:
        """Return the scales of the columns: 1 if they keep their units."""
        standardised = self.columns == "standardised"
        return super().scales(data) if standardised else np.ones(len(data.names))

    def fit_moments(self, moments: Moments, penalties: Vector) -> PathFit:
        """Fit each penalty from the solution of the previous one (warm start)."""
        if penalties[-1] == 0:
            self._check_inverse(moments)
        path = self._path(moments)
        graphs = np.zeros((len(penalties), moments.p, moments.p), dtype=np.bool_)
        precisions, worst = PathPrecisions(moments.p, moments.p), 0.0
        for k, penalty in enumerate(penalties):
            beat(k, len(penalties))
            worst = max(worst, path.solve(float(penalty))[1])
            places, values = path.entries()
            precisions.append_entries(places, values)
            graphs[k].ravel()[places[np.abs(values) > self.threshold]] = True
            np.fill_diagonal(graphs[k], False)
        return PathFit(graphs, precisions, converged=worst <= self._tolerance)

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Fit the path, select a penalty, and refit if `refit` is set."""
        estimate = super().learn(data, rng)
        return self._refitted(data, estimate) if self.refit else estimate

    def ric_penalty(self, data: Dataset, rng: np.random.Generator) -> float:
        """Return the smallest maximum of mean products of columns with rotated columns."""
        if self.columns == "standardised":
            return super().ric_penalty(data, rng)
        values = numbers(data, self.name)
        shifts = selection.shifts(len(data), self.stars_samples, rng)
        return selection.rotation_penalty(self._shifted(values, values), shifts)

    def held_out(self, train: Dataset, test: Dataset, penalties: Vector) -> Vector:
        """Return the held-out log likelihoods of the precision matrices."""
        if self.columns == "standardised":
            return super().held_out(train, test, penalties)
        fit = self.fit_moments(self.moments(train), penalties)
        columns = self._shifted(numbers(train, self.name), numbers(test, self.name))
        return gaussian_log_likelihoods(fit.precisions or (), columns.T @ columns / len(columns))

    def _ratio(self, top: float, data: Dataset) -> float:
        """Return the ratio of the path's ends, always computed from correlations."""
        standardised = self.columns == "standardised"
        return super()._ratio(top if standardised else self.correlations(data).largest(), data)

    @property
    def _tolerance(self) -> float:
        # Rounding keeps the last digits of a gradient from zero.
        return max(self.tolerance, 1e-12)

    def _path(self, moments: Moments) -> _core.GraphicalLassoPath:
        settings = _core.GraphicalLassoSettings(
            penalise_diagonal=self.penalise_diagonal,
            tolerance=self._tolerance,
            max_steps=self.max_steps,
        )
        return _core.GraphicalLassoPath(np.ascontiguousarray(moments.correlation), settings)

    def _shifted(self, values: Matrix, others: Matrix) -> Matrix:
        """Return `others` centred by the means of `values`, in the scale of the fit."""
        if self.columns == "raw":
            return others
        if self.columns == "centred":
            return np.asarray(others - values.mean(axis=0))
        return standardised_as(values, others)

    def _check_inverse(self, moments: Moments) -> None:
        roots = aside(np.linalg.eigvalsh, moments.correlation)
        if roots[0] <= 1e-12 * roots[-1]:
            raise DataError(
                f"{self.name}: without a penalty the precision matrix is the inverse of S, and "
                f"that of {moments.p} columns in {moments.n} rows has none; set a penalty"
            )

    def _refitted(self, data: Dataset, found: Estimate) -> Estimate:
        """Maximise the likelihood on the selected graph.

        With as many neighbours as rows there is no maximum, except for rare graphs.
        """
        if found.precision is None:
            return found
        entries = None
        if _most_neighbours(found.graph) < len(data) - 1:
            entries = self._maximum(data, *_on_graph(found.precision, found.graph))
        if entries is None:
            return replace(found, notes=(*found.notes, _NO_REFIT))
        precisions = PathPrecisions(*found.precision.shape)
        precisions.append_entries(*entries)
        return replace(found, precision=self.in_units(data, precisions[0]))

    def _maximum(
        self, data: Dataset, places: Indices, values: Vector
    ) -> tuple[Indices, Vector] | None:
        """Return the matrix entries of maximum likelihood in the data's units, if any."""
        given = self.moments(data)
        path = self._path(given)
        rows, columns = np.divmod(places, given.p)
        violation = path.refit(places, values * (given.scales[rows] * given.scales[columns]))[1]
        return path.entries() if violation <= self._tolerance else None


def _most_neighbours(graph: Graph) -> int:
    return int(np.count_nonzero(graph.marks, axis=0).max())


def _on_graph(precision: Matrix, graph: Graph) -> tuple[Indices, Vector]:
    """Return the positions and values of a matrix on a graph's edges and on the diagonal."""
    on_graph = graph.marks != 0
    np.fill_diagonal(on_graph, True)
    places = np.flatnonzero(on_graph)
    return places, precision.ravel()[places]


def _mean_products(columns: Matrix, sizes: Vector) -> Matrix:
    """Return the mean products of columns; a zero column has variance 1 and covariances 0."""
    products: Matrix = columns.T @ columns / len(columns)
    empty = np.diag(products) <= (1e-12 * sizes) ** 2
    products[empty] = products[:, empty] = 0.0
    products[empty, empty] = 1.0
    return products

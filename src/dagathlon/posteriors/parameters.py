"""Parameters of linear Gaussian models given DAGs: conjugate posteriors, maximum likelihood."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from dagathlon.data import Dataset
from dagathlon.errors import DataError, listing
from dagathlon.graphs import Graph
from dagathlon.posteriors.packed import Bools, Floats, Ints
from dagathlon.posteriors.regressions import Moments, Regressions, moments_of, regressions
from dagathlon.posteriors.sample import Sample


class _Fit(NamedTuple):
    """Posterior of a node's parameters for each of its distinct parent sets.

    The variance of the noise is inverse gamma with `shape` and `rate`.
    """

    of_draw: Ints
    found: Regressions
    sizes: Ints
    shape: Floats
    rate: Floats


@dataclass(frozen=True)
class _Conjugate(ABC):
    """Conjugate prior of coefficients and noise variances given the DAG."""

    centred: ClassVar[bool]

    def draw(self, sample: Sample, data: Dataset, rng: np.random.Generator) -> Sample:
        """Draw parameters from their posterior given each drawn DAG, and add them to the sample.

        Parameters
        ----------
        sample
            Draws of DAGs; parameters that they have are replaced.
        data
            Continuous data over the same variables. A node's parameters are estimated without rows
            with an intervention on it.
        rng
            The only source of randomness.
        """
        arcs, moments = _read(sample, data, centred=self.centred)
        fits = self._fits(arcs, moments)
        variances = self._variances(fits, moments, rng)
        coefficients = np.zeros(arcs.shape)
        for j, fit in enumerate(fits):
            normal = rng.standard_normal((len(arcs), int(fit.sizes.max())))
            padded = np.zeros((len(arcs), arcs.shape[1]))
            padded[:, : normal.shape[1]] = normal * np.sqrt(variances[:, j, None])
            means = fit.found.coefficients[fit.of_draw]
            coefficients[:, :, j] = means + fit.found.noise(fit.of_draw, padded)
        return sample.with_parameters(coefficients, variances)

    def log_evidence(self, dag: Graph, data: Dataset) -> float:
        """Return the log marginal likelihood of a DAG, with its parameters integrated out."""
        arcs, moments = _read(Sample.of([dag]), data, centred=self.centred)
        return self._evidence(self._fits(arcs, moments), moments)

    def _fits(self, arcs: Bools, moments: Moments) -> list[_Fit]:
        return [self._fit(arcs[:, :, j], moments, j) for j in range(arcs.shape[1])]

    def _fit(self, parents: Bools, moments: Moments, node: int) -> _Fit:
        sets, of_draw = _distinct(parents)
        ridge, own_squares = self._prior_squares(parents.shape[1])
        fits = regressions(moments.at(node), node, sets, ridge=ridge)
        sizes = sets.sum(axis=1)
        shape, rate = self._prior_shape_rate(sizes, parents.shape[1])
        rows = moments.rows[moments.of_node[node]]
        return _Fit(of_draw, fits, sizes, shape + rows / 2, rate + (fits.rest + own_squares) / 2)

    def _variances(self, fits: list[_Fit], moments: Moments, rng: np.random.Generator) -> Floats:
        columns = [
            fit.rate[fit.of_draw] / rng.standard_gamma(fit.shape[fit.of_draw]) for fit in fits
        ]
        return np.column_stack(columns)

    def _evidence(self, fits: list[_Fit], moments: Moments) -> float:
        p, terms = len(fits), []
        for fit, choice in zip(fits, moments.of_node.tolist(), strict=True):
            rows = float(moments.rows[choice])
            ridge, own_squares = self._prior_squares(p)
            shape, rate = self._prior_shape_rate(fit.sizes, p)
            before = _log_inverse_gamma(float(shape[0]), float(rate[0] + own_squares / 2))
            after = _log_inverse_gamma(float(fit.shape[0]), float(fit.rate[0]))
            spread = fit.sizes[0] * math.log(ridge) - fit.found.log_determinants()[0]
            terms.append(before - after + spread / 2 + self._constant(rows))
        return math.fsum(terms)

    def _constant(self, rows: float) -> float:
        return -rows / 2 * math.log(2 * math.pi)

    @abstractmethod
    def _prior_squares(self, p: int) -> tuple[float, float]:
        """Return the prior's additions to the parents' and the node's own sums of squares."""

    @abstractmethod
    def _prior_shape_rate(self, sizes: Ints, p: int) -> tuple[Floats, Floats]:
        """Return shape and rate of the variance's prior, by number of parents."""


@dataclass(frozen=True)
class NormalInverseGamma(_Conjugate):
    """Prior with normal coefficients, inverse-gamma noise variances and means of zero.

    Given its parents a node is normal around a weighted sum of them without an intercept; σ² ~
    IG(shape, rate), and the weights are independent N(0, σ²/precision).

    Parameters
    ----------
    shape, rate
        Of the inverse-gamma distribution of a noise variance, whose mean is rate/(shape - 1).
    precision
        Of the coefficients, in units of the noise.
    equal_variances
        Whether all nodes share one noise variance, estimated from all residuals.
    """

    centred = False
    shape: float = 4.0
    rate: float = 0.5
    precision: float = 1.0
    equal_variances: bool = False

    def __post_init__(self) -> None:
        for name in ("shape", "rate", "precision"):
            _require_above(name, getattr(self, name), 0.0)

    def _prior_squares(self, p: int) -> tuple[float, float]:
        return self.precision, 0.0

    def _prior_shape_rate(self, sizes: Ints, p: int) -> tuple[Floats, Floats]:
        return np.full(len(sizes), self.shape), np.full(len(sizes), self.rate)

    def _variances(self, fits: list[_Fit], moments: Moments, rng: np.random.Generator) -> Floats:
        if not self.equal_variances:
            return super()._variances(fits, moments, rng)
        shape, rate = self._pooled(fits, moments)
        drawn = rate / rng.standard_gamma(shape, size=len(rate))
        return np.tile(drawn[:, None], (1, len(fits)))

    def _evidence(self, fits: list[_Fit], moments: Moments) -> float:
        if not self.equal_variances:
            return super()._evidence(fits, moments)
        shape, rate = self._pooled(fits, moments)
        before = _log_inverse_gamma(self.shape, self.rate)
        spread = math.fsum(
            fit.sizes[0] * math.log(self.precision) - fit.found.log_determinants()[0]
            for fit in fits
        )
        rows = float(moments.rows[moments.of_node].sum())
        return (
            before - _log_inverse_gamma(shape, float(rate[0])) + spread / 2 + self._constant(rows)
        )

    def _pooled(self, fits: list[_Fit], moments: Moments) -> tuple[float, Floats]:
        """Return shape and rate, for each draw, of the posterior of the shared noise variance."""
        rest = np.sum([fit.found.rest[fit.of_draw] for fit in fits], axis=0)
        rows = float(moments.rows[moments.of_node].sum())
        return self.shape + rows / 2, self.rate + rest / 2


@dataclass(frozen=True)
class NormalWishart(_Conjugate):
    """Prior of the BGe score: one Wishart precision matrix for all DAGs, and unknown means.

    The prior mean is that of the data, as in the score; data are centred.

    Parameters
    ----------
    iss_mu
        Imaginary sample size of the mean.
    iss_w
        Imaginary sample size of the Wishart distribution; None is the number of variables plus 2.
    """

    centred = True
    iss_mu: float = 1.0
    iss_w: float | None = None

    def __post_init__(self) -> None:
        _require_above("iss_mu", self.iss_mu, 0.0)

    def _wishart(self, p: int) -> float:
        degrees = p + 2.0 if self.iss_w is None else self.iss_w
        _require_above("iss_w", degrees, p + 1.0)
        return degrees

    def _prior_squares(self, p: int) -> tuple[float, float]:
        square = self.iss_mu * (self._wishart(p) - p - 1) / (self.iss_mu + 1)
        return square, square

    def _prior_shape_rate(self, sizes: Ints, p: int) -> tuple[Floats, Floats]:
        return (self._wishart(p) - p + sizes + 1) / 2, np.zeros(len(sizes))

    def _constant(self, rows: float) -> float:
        mean = math.log(self.iss_mu) - math.log(self.iss_mu + rows)
        return super()._constant(rows) + mean / 2


def likeliest(sample: Sample, data: Dataset, *, centred: bool = True) -> Sample:
    """Return the drawn DAGs with maximum-likelihood parameters.

    Parameters
    ----------
    sample
        Draws of DAGs; parameters that they have are replaced.
    data
        Continuous data over the same variables; rows in which a node was set are left out for it.
    centred
        Whether the models have intercepts, which are then left out of the result: the mean is
        subtracted from the data.

    Notes
    -----
    A noise variance is 0 where the parents explain all rows, as with fewer rows than parents.
    """
    arcs, moments = _read(sample, data, centred=centred)
    coefficients, variances = np.zeros(arcs.shape), np.zeros(arcs.shape[:2])
    for j, name in enumerate(sample.names):
        rows = moments.rows[moments.of_node[j]]
        if not rows:
            raise DataError(f"{name} was set in every row, so its parameters have no likelihood")
        sets, of_draw = _distinct(arcs[:, :, j])
        fits = regressions(moments.at(j), j, sets)
        coefficients[:, :, j] = fits.coefficients[of_draw]
        variances[:, j] = fits.rest[of_draw] / rows
    return sample.with_parameters(coefficients, variances)


def _read(sample: Sample, data: Dataset, *, centred: bool) -> tuple[Bools, Moments]:
    """Return adjacency matrices of the draws, and the data's moments in their node order."""
    sample.require_dags()
    if set(sample.names) != set(data.names):
        missing = [name for name in sample.names if name not in data.index]
        extra = [name for name in data.names if name not in sample.names]
        raise DataError(
            "the draws and the data have different variables: only in the draws: "
            f"{listing(missing)}; only in the data: {listing(extra)}"
        )
    table = data if data.names == sample.names else data.select(sample.names)
    return sample.packing.adjacency(sample.bits), moments_of(table, centred=centred)


def _distinct(parents: Bools) -> tuple[Bools, Ints]:
    """Return the distinct rows, and for each row the number of its distinct row."""
    packed = np.packbits(parents, axis=1)
    _, first, number = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    return parents[first], number.reshape(len(parents))


def _log_inverse_gamma(shape: float, rate: float) -> float:
    """Return the log normalising constant of an inverse-gamma density."""
    return shape * math.log(rate) - math.lgamma(shape)


def _require_above(name: str, value: float, least: float) -> None:
    if not (math.isfinite(value) and value > least):
        raise DataError(f"{name}: found {value:g}, expected a number above {least:g}")

"""Additive models by penalised splines: fits, term tests, and pruning by these tests.

Smoothness is chosen by restricted maximum likelihood, one parameter for each term, with the fixed-
point steps of Wood and Fasiolo (2017, Biometrics 73). Terms are tested as proposed by Wood (2013,
Biometrika 100): by the part of the fitted function that the data determine, as many directions of
it as the term has degrees of freedom.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from dagathlon.learners.nonlinear.splines import (
    Matrix,
    SplineProducts,
    Vector,
    fitting_splines,
    positive_inverse,
)
from dagathlon.pulse import beat

if TYPE_CHECKING:
    from collections.abc import Sequence

Arcs = npt.NDArray[np.bool_]

_MAX_STEPS = 100
_LARGEST = 1e12  # of a smoothing parameter: the term is a straight line long before


@dataclass(frozen=True)
class AdditiveFit:
    """An additive model of one variable.

    Parameters
    ----------
    parents
        The variables of its terms.
    smoothing
        The smoothing parameter of each term.
    coefficients
        Of all columns of the bases, term after term.
    residual_squares
        Sum of squares of the residuals.
    inverse
        Of the penalised products: the covariance of the coefficients, but for the noise variance.
    freedom
        Degrees of freedom of each term.
    """

    parents: tuple[int, ...]
    smoothing: Vector
    coefficients: Vector
    residual_squares: float
    inverse: Matrix
    freedom: Vector


def fit_additive(
    bases: SplineProducts,
    target: int,
    parents: Sequence[int],
    start: Vector | None = None,
    tolerance: float = 1e-3,
) -> AdditiveFit:
    """Fit a variable by smooth functions of others.

    Parameters
    ----------
    bases
        The variables.
    target
        The variable to fit.
    parents
        The variables of the terms, at least one.
    start
        Smoothing parameters to start from, one for each term.
    tolerance
        Smoothing parameters are found when no term's degrees of freedom change by more.
    """
    problem = _Problem(bases, target, list(parents))
    smoothing = np.ones(len(parents)) if start is None else start
    fit = problem.at(smoothing)
    for _ in range(_MAX_STEPS):
        beat()
        smoothing = problem.next_smoothing(fit)
        before, fit = fit, problem.at(smoothing)
        if np.abs(fit.freedom - before.freedom).max() <= tolerance:
            break
    return fit


class _Problem:
    """A penalised regression with variable smoothing parameters."""

    def __init__(self, bases: SplineProducts, target: int, parents: list[int]) -> None:
        positions = bases.positions(parents)
        self.parents = tuple(parents)
        self.products = bases.products[np.ix_(positions, positions)]
        self.with_target = bases.with_targets[positions, target]
        self.squares = float(bases.squares[target])
        self.penalty = bases.penalty[positions]
        lengths = [bases.blocks[j].stop - bases.blocks[j].start for j in parents]
        self.term = np.repeat(np.arange(len(parents)), lengths)
        self.ranks = np.bincount(self.term, self.penalty > 0)
        self.rows = bases.rows

    def at(self, smoothing: Vector) -> AdditiveFit:
        """Return the fit for these smoothing parameters."""
        loads = smoothing[self.term] * self.penalty
        # Columns have length 1, so this jitter keeps the matrix regular.
        inverse = positive_inverse(self.products + np.diag(loads + 1e-10))
        coefficients = inverse @ self.with_target
        explained = 2 * self.with_target - self.products @ coefficients
        rest = max(self.squares - float(coefficients @ explained), 1e-14 * self.squares)
        freedom = np.asarray(np.bincount(self.term, 1 - loads * np.diag(inverse)), dtype=np.float64)
        return AdditiveFit(self.parents, smoothing, coefficients, rest, inverse, freedom)

    def next_smoothing(self, fit: AdditiveFit) -> Vector:
        """Return the next smoothing parameters of the fixed-point iteration."""
        noise = fit.residual_squares / max(self.rows - 1 - fit.freedom.sum(), 1.0)
        used = fit.smoothing * np.bincount(self.term, self.penalty * np.diag(fit.inverse))
        rough = np.bincount(self.term, self.penalty * fit.coefficients**2)
        wanted = noise * np.maximum(self.ranks - used, 0.0)
        straight = rough * _LARGEST <= wanted
        result: Vector = np.where(straight, _LARGEST, wanted / np.where(straight, 1.0, rough))
        return np.maximum(result, 1 / _LARGEST)


@dataclass(frozen=True)
class TermTest:
    """The test of one term of an additive model.

    Parameters
    ----------
    statistic
        F; its reference distribution has the degrees of freedom below.
    freedom, residual_freedom
        Degrees of freedom of the term and of the residuals.
    p_value
        Probability of such a statistic if the term is 0 everywhere.
    """

    statistic: float
    freedom: float
    residual_freedom: float
    p_value: float


def term_tests(bases: SplineProducts, fit: AdditiveFit) -> list[TermTest]:
    """Test each term of an additive model."""
    from scipy.special import fdtrc  # noqa: PLC0415 - SciPy only when asked for

    positions = bases.positions(list(fit.parents))
    products = bases.products[np.ix_(positions, positions)]
    # Degrees of freedom for tests: the trace of 2F - F².
    influence = fit.inverse @ products
    twice = 2 * np.diag(influence) - (influence * influence.T).sum(axis=1)
    residual_freedom = max(bases.rows - 1 - float(fit.freedom.sum()), 1.0)
    noise = fit.residual_squares / residual_freedom
    tests, begin = [], 0
    for parent in fit.parents:
        block = bases.blocks[parent]
        size = block.stop - block.start
        block_of_term = slice(begin, begin + size)
        begin += size
        rank = float(np.clip(twice[block_of_term].sum(), 1.0, size))
        squares = (
            _determined_square(
                fit.inverse[block_of_term, block_of_term], fit.coefficients[block_of_term], rank
            )
            / noise
        )
        statistic = squares / rank
        tests.append(
            TermTest(
                statistic, rank, residual_freedom, float(fdtrc(rank, residual_freedom, statistic))
            )
        )
    return tests


def _determined_square(covariance: Matrix, coefficients: Vector, rank: float) -> float:
    """Return the squared length of the fitted function along its directions of largest variance.

    Each direction is scaled by its standard deviation; the last one counts by the fraction of
    the rank.
    """
    variances, directions = np.linalg.eigh(covariance)
    along = directions.T @ coefficients
    weights = np.clip(rank - np.arange(len(along)), 0.0, 1.0)
    return float(weights @ (along**2 / np.maximum(variances, 1e-300))[::-1])


def additive_pruning(
    values: npt.ArrayLike, candidates: npt.ArrayLike, alpha: float = 0.001, splines: int = 10
) -> Arcs:
    """Keep the candidate parents whose terms in an additive model are significant.

    This is the pruning of CAM, with which SCORE, DAS, NoGAM and others end as well: a variable
    is fitted by smooth functions of all its candidates, and each function is tested against 0
    by an F test.

    Parameters
    ----------
    values
        A row for each observation, a column for each variable.
    candidates
        Arcs to choose from, from row to column.
    alpha
        Significance level of the tests.
    splines
        Functions of the basis of each term; fewer where many candidates meet few rows.

    Returns
    -------
    numpy.ndarray
        The arcs that are left, from row to column.

    References
    ----------
    Bühlmann, Peters and Ernest 2014, CAM: causal additive models, high-dimensional order search
    and penalized regression, Annals of Statistics 42.
    """
    matrix = np.asarray(values, dtype=np.float64)
    arcs = np.array(candidates, dtype=np.bool_)
    most = int(arcs.sum(axis=0).max(initial=0))
    bases = SplineProducts(matrix, fitting_splines(splines, len(matrix), most))
    return pruned(bases, arcs, alpha)


def pruned(bases: SplineProducts, candidates: Arcs, alpha: float) -> Arcs:
    """Run `additive_pruning` with precomputed bases."""
    significant = np.zeros_like(candidates)
    for target in range(bases.size):
        beat(target, bases.size)
        parents = np.flatnonzero(candidates[:, target])
        if len(parents):
            fit = fit_additive(bases, target, parents.tolist(), tolerance=1e-4)
            p_values = [test.p_value for test in term_tests(bases, fit)]
            significant[parents, target] = np.array(p_values) < alpha
    return significant

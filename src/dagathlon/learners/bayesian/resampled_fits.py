"""Maximum likelihood parameters of linear models, each DAG on its own sample of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagathlon.data import Dataset
from dagathlon.posteriors.packed import Floats
from dagathlon.posteriors.regressions import moments_of, regressions
from dagathlon.posteriors.sample import Sample

# Residual share of the variance below which a variable is a function of its parents.
_NO_NOISE = 1e-8


class Fits(NamedTuple):
    """Parameters of linear models, one per DAG.

    Parameters
    ----------
    coefficients
        Weights of the arcs, from row to column, a matrix for each DAG.
    variances
        Variances of the noise, a row for each DAG.
    without_noise
        Number of samples in which the parents of a variable explain all rows.
    """

    coefficients: Floats
    variances: Floats
    without_noise: int


def fit_dags(
    sample: Sample, data: Dataset, rows: Sequence[npt.NDArray[np.int64]], *, centred: bool = True
) -> Fits:
    """Fit each DAG by maximum likelihood on the rows that were drawn for it.

    Rows with an intervention on a node are left out for it. Where the parents explain all rows
    of a sample, the noise variance is the residual variance of the same coefficients on the
    full data, but at least 1e-8 of the variable's variance there. A constant variable has
    variance 0.

    Parameters
    ----------
    sample
        The DAGs, over the names of the data in their order.
    data
        The data.
    rows
        For each DAG the row numbers of its sample, with as many of each target set as in the data.
    centred
        Whether the models have intercepts, which are not returned.
    """
    arcs = sample.packing.adjacency(sample.bits)
    whole = moments_of(data, centred=centred)
    masks = np.zeros(data.values.shape, bool) if data.intervened is None else data.intervened
    counts = np.array([np.bincount(drawn, minlength=len(data)) for drawn in rows], dtype=float)
    coefficients, variances = np.zeros(arcs.shape), np.zeros(arcs.shape[:2])
    empty = np.zeros(len(arcs), dtype=bool)
    known: dict[int, Floats] = {}
    for j, choice in enumerate(whole.of_node.tolist()):
        if choice not in known:
            known[choice] = _moments(data.values, counts * ~masks[:, j], centred=centred)
        fits = regressions(known[choice], j, arcs[:, :, j])
        total = np.maximum(known[choice][:, j, j], _NO_NOISE * whole.at(j)[j, j])
        none = (fits.rest <= _NO_NOISE * total) & (total > 0)
        rest = np.where(none, _residual_squares(fits.coefficients, whole.at(j), j), fits.rest)
        coefficients[:, :, j] = fits.coefficients
        variances[:, j] = rest / max(whole.rows[choice], 1.0)
        empty |= none
    return Fits(coefficients, variances, int(empty.sum()))


def _moments(values: Floats, counts: Floats, *, centred: bool) -> Floats:
    """Return the sums of products of the rows, weighted by how often each was drawn."""
    shifted = values - values.mean(axis=0) if centred else values
    total = np.maximum(counts.sum(axis=1), 1.0)
    means = counts @ shifted / total[:, None]
    sums = np.array([(shifted.T * count) @ shifted for count in counts])
    if not centred:
        return sums
    moments: Floats = sums - total[:, None, None] * means[:, :, None] * means[:, None, :]
    return moments


def _residual_squares(coefficients: Floats, moments: Floats, child: int) -> Floats:
    """Return the residual sum of squares of a variable for each row of coefficients."""
    deviations = -coefficients
    deviations[:, child] += 1.0
    squares = np.einsum("mi,ij,mj->m", deviations, moments, deviations)
    return np.asarray(np.maximum(squares, _NO_NOISE * moments[child, child]), dtype=np.float64)

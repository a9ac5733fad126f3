"""Marginal likelihood of linear models with a common noise variance, in parts by family."""

from __future__ import annotations

import math

import numpy as np

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.posteriors.dag_weights import DagWeights
from dagathlon.posteriors.parameters import NormalInverseGamma
from dagathlon.posteriors.pooled_posterior import other_sets
from dagathlon.posteriors.regressions import moments_of, regressions


def pooled_terms(data: Dataset, model: NormalInverseGamma, prior: _core.Score) -> DagWeights:
    """Return the terms and residual sums of all families, with the graph prior in the terms.

    With σ² ~ IG(α, β) for all nodes together, and M_j the number of rows without an
    intervention on node j, the marginal likelihood is (2π)^(-ΣM/2) β^α/β'^α' Γ(α')/Γ(α) Π_j
    √(det Λ_j/det Λ'_j) with α' = α + ΣM/2 and β' = β + Σ_j (residual sum of squares given the
    parents)/2.

    Parameters
    ----------
    data
        Continuous data; rows with an intervention on a node are left out of its terms.
    model
        The prior of coefficients and variance.
    prior
        The prior over graphs as a score.
    """
    p = len(data.names)
    moments = moments_of(data, centred=False)
    terms, rests = np.empty((p, 2 ** (p - 1))), np.empty((p, 2 ** (p - 1)))
    for j in range(p):
        sets = other_sets(j, p)
        fits = regressions(moments.at(j), j, sets, ridge=model.precision)
        spread = sets.sum(axis=1) * math.log(model.precision) - fits.log_determinants()
        of_graph = prior.batch([(j, np.flatnonzero(row).tolist()) for row in sets])
        terms[j] = spread / 2 + np.array(of_graph)
        rests[j] = fits.rest / 2
    rows = float(moments.rows[moments.of_node].sum())
    shape = model.shape + rows / 2
    terms[0] += (
        model.shape * math.log(model.rate)
        + math.lgamma(shape)
        - math.lgamma(model.shape)
        - rows / 2 * math.log(2 * math.pi)
    )
    return DagWeights(terms, rests, shape, model.rate)

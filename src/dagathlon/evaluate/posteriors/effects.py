"""Intervention effects under a posterior, compared with the truth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dagathlon.data import LinearSem
from dagathlon.errors import GraphError
from dagathlon.evaluate.graphs.causal import Adjustment, coded, count_mistakes
from dagathlon.evaluate.posteriors.graphs import reorder_nodes
from dagathlon.evaluate.posteriors.likelihoods import Drawn, dense_models, total_effects
from dagathlon.graphs import Graph
from dagathlon.posteriors.arrays import distinct_graphs
from dagathlon.posteriors.packed import Floats
from dagathlon.posteriors.posterior import Posterior

MOST_GRAPHS = 64


class AveragedEffects(NamedTuple):
    """Total effects from row to column under Bayesian model averaging: mean and sd."""

    mean: Floats
    deviation: Floats


def averaged_effects(posterior: Drawn) -> AveragedEffects:
    """Return the effect of a unit of do(x) on y, averaged over graphs and parameters.

    Parameters
    ----------
    posterior
        Draws with parameters of linear models.
    """
    models = dense_models(posterior)
    effects = total_effects(models)
    mean = np.tensordot(models.shares, effects, 1)
    squares = np.tensordot(models.shares, (effects - mean) ** 2, 1)
    return AveragedEffects(mean, np.sqrt(squares))


def effect_error(posterior: Drawn, model: LinearSem) -> float:
    """Return the mean absolute error of the averaged effects of do(x) on y over ordered pairs."""
    models = dense_models(posterior)
    true = total_effects(dense_models(model, models.names))[0]
    p = len(models.names)
    gaps = np.abs(averaged_effects(models).mean - true)
    return float(gaps.sum() / max(p * (p - 1), 1))


def expected_aid(
    posterior: Posterior,
    truth: Graph,
    adjustment: Adjustment = "ancestor",
    most: int = MOST_GRAPHS,
) -> float:
    """Return the expected AID of drawn DAGs; with adjustment by parents it is the E-SID.

    Parameters
    ----------
    posterior
        Draws of DAGs.
    truth
        The true DAG.
    adjustment
        The set to adjust for: parents, ancestors, or the optimal set.
    most
        So many distinct graphs are compared; of more, an even sample by their probabilities.
    """
    true = reorder_nodes(truth, posterior.names, "the true graph")
    posterior.require_dags()
    if not true.is_dag:
        raise GraphError("expected intervention distances compare with a true DAG")
    found = distinct_graphs(posterior).drawn(most)
    drawn = found.adjacency().astype(np.int8)
    return float(found.shares @ np.array(count_mistakes(coded(true), drawn, adjustment)))


def expected_sid(posterior: Posterior, truth: Graph, most: int = MOST_GRAPHS) -> float:
    """Return the expected structural intervention distance; see `expected_aid`."""
    return expected_aid(posterior, truth, "parent", most)

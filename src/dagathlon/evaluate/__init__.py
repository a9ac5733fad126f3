"""Metrics, rankings and validation of learned graphs."""

from dagathlon.evaluate.graphs.bayesys import bayesys_counts
from dagathlon.evaluate.graphs.causal import aid, sid
from dagathlon.evaluate.graphs.comparison import compare
from dagathlon.evaluate.graphs.control import random_baselines, random_graphs, trivial_baselines
from dagathlon.evaluate.graphs.counts import Counts
from dagathlon.evaluate.graphs.distance import half_shd, shd
from dagathlon.evaluate.graphs.sortability import order_alignment, r2_sortability, varsortability
from dagathlon.evaluate.graphs.truth import free_parameters, graph_statistics, samples_per_parameter
from dagathlon.evaluate.models.cross_entropy import (
    cross_entropy,
    discrete_cross_entropy,
    gaussian_cross_entropy,
)
from dagathlon.evaluate.models.cross_validation import cross_validate
from dagathlon.evaluate.models.likelihood import (
    cross_validated_log_likelihood,
    fit,
    held_out_log_likelihood,
)
from dagathlon.evaluate.models.precision_losses import precision_losses
from dagathlon.evaluate.posteriors.comparison import compare_posterior
from dagathlon.evaluate.ranking.correlations import method_correlations
from dagathlon.evaluate.undirected.comparison import compare_path, compare_precision
from dagathlon.renamed import renamed

__all__ = [
    "Counts",
    "aid",
    "bayesys_counts",
    "compare",
    "compare_path",
    "compare_posterior",
    "compare_precision",
    "cross_entropy",
    "cross_validate",
    "cross_validated_log_likelihood",
    "discrete_cross_entropy",
    "fit",
    "free_parameters",
    "gaussian_cross_entropy",
    "graph_statistics",
    "half_shd",
    "held_out_log_likelihood",
    "method_correlations",
    "order_alignment",
    "precision_losses",
    "r2_sortability",
    "random_baselines",
    "random_graphs",
    "samples_per_parameter",
    "shd",
    "sid",
    "trivial_baselines",
    "varsortability",
]

_VALIDATION = "dagathlon.evaluations.intersection_validation.validation"
__getattr__ = renamed(
    __name__,
    {
        "IntervalResult": f"{_VALIDATION}:IntervalResult",
        "random_control": f"{__name__}:random_baselines",
        "interval_validation": f"{_VALIDATION}:interval_validation",
    },
)

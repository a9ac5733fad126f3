"""Distributions over graphs: draws, chains, exact marginals, convergence, edge strengths."""

from dagathlon.posteriors.chain import Chain, ChainRecorder
from dagathlon.posteriors.dag_posterior import DagPosterior
from dagathlon.posteriors.files import read_posterior, write_posterior
from dagathlon.posteriors.marginal_posterior import MarginalPosterior
from dagathlon.posteriors.posterior import Posterior
from dagathlon.posteriors.sample import Sample
from dagathlon.posteriors.trajectory import read_trajectory, write_trajectory

__all__ = [
    "Chain",
    "ChainRecorder",
    "DagPosterior",
    "MarginalPosterior",
    "Posterior",
    "Sample",
    "read_posterior",
    "read_trajectory",
    "write_posterior",
    "write_trajectory",
]

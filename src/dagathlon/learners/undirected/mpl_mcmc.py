"""MCMC over undirected graphs by marginal pseudo-likelihood, for many variables."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.data.spec import DataKind
from dagathlon.learners.assumptions import GAUSSIAN
from dagathlon.learners.base import Estimate
from dagathlon.learners.undirected.undirected_sampler import UndirectedSampler
from dagathlon.modules import Natural, NonNegative, Probability
from dagathlon.threads import ObjectPool


@dataclass(frozen=True, kw_only=True)
class MplMcmc(UndirectedSampler):
    """Undirected graphs by marginal pseudo-likelihood, for hundreds of variables.

    The weight of a graph is the product over all variables of the marginal likelihood of the
    variable given its neighbours, so that an edge changes two terms only. For continuous data
    that is the fractional marginal likelihood of a regression, which has no free parameter; for
    discrete data that of a table for each configuration of the neighbours. The chain is a
    birth-death process: its waiting time in a graph is proportional to the posterior, and no
    move is rejected.

    Parameters
    ----------
    iterations
        Length of a chain in sweeps: units of time in which every pair of variables would be
        proposed once on average. Null is 2000 up to 30 variables and 500 beyond.
    edge_probability
        Prior probability of each edge; null expects 2 neighbours of a variable: 2/(p - 1) for p
        variables, and 0.5 for few.
    pseudo_obs
        For discrete data: imaginary observations in each cell of a variable and its neighbours; 0.5
        is Jeffreys' prior.
    max_neighbours
        Largest number of neighbours of a variable. Null is the number of rows minus 2 for
        continuous data, and the binary logarithm of the number of rows for discrete data: if nearly
        every row has its own configuration, a table is no evidence for or against more neighbours.
    """

    name = "mpl_mcmc"
    takes = frozenset({"continuous", "discrete"})
    assumes = (GAUSSIAN,)
    references = (
        "Leppä-aho, Pensar, Roos and Corander 2017, Learning Gaussian graphical models with "
        "fractional marginal pseudo-likelihood, International Journal of Approximate Reasoning 83",
        "Pensar, Nyman, Niiranen and Corander 2017, Marginal pseudo-likelihood learning of "
        "discrete Markov network structures, Bayesian Analysis 12",
        "Dobra and Mohammadi 2018, Loglinear model selection and human mobility, AOAS 12",
    )

    edge_probability: Probability | None = None
    pseudo_obs: NonNegative = 0.5
    max_neighbours: Natural | None = None

    def problem(self) -> str:
        """Return a message if the prior makes edges certain or is improper; empty otherwise."""
        if self.edge_probability in (0, 1):
            given = f"found {self.edge_probability:g}"
            return f"edge_probability: {given}, expected a number above 0 and below 1"
        if not self.pseudo_obs > 0:
            return f"pseudo_obs: found {self.pseudo_obs:g}, expected a number above 0"
        return super().problem()

    def assumptions(self, kind: DataKind) -> tuple[str, ...]:
        """Return the assumptions: none about the form of a dependence for discrete data."""
        return self.assumes if kind == "continuous" else ()

    def default_iterations(self, p: int) -> int:
        """Return the default number of sweeps: 2000 up to 30 variables, 500 beyond."""
        return 2000 if p <= 30 else 500

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Sample, starting from the empty graph."""
        length = self.length(len(data.names))
        log_odds, most = self._log_odds(len(data.names)), self._most_neighbours(data)
        scores = ObjectPool(lambda: self.native_score(data))

        def chain(score: _core.Score, options: _core.ChainOptions) -> _core.UndirectedLog:
            return _core.pseudo_likelihood_chain(score, log_odds, most, options)

        logs = self.chain_runs(scores, chain, length, rng)
        limit = f" with at most {most} neighbours of a node" if most < len(data.names) - 1 else ""
        return self.result(logs, data, length, f"all undirected graphs{limit}")

    def _log_odds(self, p: int) -> float:
        probability = self.edge_probability or min(2 / max(p - 1, 1), 0.5)
        return math.log(probability) - math.log1p(-probability)

    def _most_neighbours(self, data: Dataset) -> int:
        rows, p = len(data), len(data.names)
        default = max(rows - 2, 0) if data.is_continuous else max(rows, 1).bit_length() - 1
        return min(default if self.max_neighbours is None else self.max_neighbours, max(p - 1, 0))

    def native_score(self, data: Dataset) -> _core.Score:
        """Return the native score: the terms of variables given their neighbours."""
        of_child = [0] * len(data.names)
        if data.is_continuous:
            return _core.fractional_score([data.values], of_child)
        cell = _core.Pseudocount.cell
        return _core.dirichlet_score([data.codes], data.arities, of_child, cell, self.pseudo_obs)

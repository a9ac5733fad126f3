"""VBG: a GFlowNet over DAGs with a variational posterior of linear parameters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dagathlon.data import Dataset
from dagathlon.data.spec import DataKind
from dagathlon.learners.assumptions import EQUAL_VARIANCES, GAUSSIAN, NO_HIDDEN
from dagathlon.learners.jax.gflownet import GflownetLearner, packed
from dagathlon.learners.jax.gflownet_rewards import parent_sets, reward_of
from dagathlon.learners.jax.gflownet_states import Reward
from dagathlon.learners.jax.moments import refuse_degenerate
from dagathlon.modules import NonNegative
from dagathlon.posteriors.packed import Bools, Floats
from dagathlon.posteriors.regressions import Moments, moments_of, regressions
from dagathlon.posteriors.sample import Sample
from dagathlon.pulse import beat


@dataclass(frozen=True, kw_only=True)
class Vbg(GflownetLearner):
    """Draws of DAGs with linear parameters, for noise of known variance.

    Nodes are normal around weighted sums of their parents, without intercepts: means are zero
    unless `centre` subtracts them. The variational factor of a node's weights is the normal
    distribution of highest evidence lower bound given its parents, which here is their posterior;
    the bound that rewards a DAG is then its log evidence, and graphs and parameters need not be
    updated in turn. `graph` is the DAG that was drawn most often.

    Parameters
    ----------
    noise_variance
        Variance of the noise of every node.
    weight_variance
        Prior variance of the weights of arcs, around 0.
    arc_odds
        Prior odds of an arc against none, the same for all arcs.
    centre
        Whether the mean of each column is subtracted first.
    """

    name = "vbg"
    takes: ClassVar[frozenset[DataKind]] = frozenset({"continuous"})
    assumes = (GAUSSIAN, EQUAL_VARIANCES, NO_HIDDEN)
    references = (
        "Nishikawa-Toomey, Deleu, Subramanian, Bengio and Charlin 2022, arXiv:2211.02763",
    )

    noise_variance: NonNegative = 0.1
    weight_variance: NonNegative = 1.0
    arc_odds: NonNegative = 1.0
    centre: bool = False

    def problem(self) -> str:
        """Return a message if a variance or the odds are not above 0; empty otherwise."""
        for field in ("noise_variance", "weight_variance", "arc_odds"):
            if getattr(self, field) == 0:
                return f"{field}: found 0, expected a number above 0"
        return super().problem()

    def reward(self, data: Dataset) -> Reward:
        """Return the log evidence of every family as a reward."""
        refuse_degenerate(data, self.name)
        return reward_of(self.table(data), np.zeros((len(data.names),) * 2, dtype=np.bool_))

    def table(self, data: Dataset) -> Floats:
        """Return the log evidence and log arc prior of all families, as in `Reward`."""
        moments = self._moments(data)
        p = len(data.names)
        table = np.empty((p, 2 ** (p - 1)))
        for child in range(p):
            beat(child, p)
            table[child] = self._log_evidence(moments, child)
        return table

    def _log_evidence(self, moments: Moments, child: int) -> Floats:
        sets = parent_sets(len(moments.of_node), child)
        fits = regressions(moments.at(child), child, sets, ridge=self._ridge)
        sizes, rows = sets.sum(axis=1), float(moments.rows[moments.of_node[child]])
        spread = sizes * math.log(self._ridge) - fits.log_determinants()
        constant = -rows / 2 * math.log(2 * math.pi * self.noise_variance)
        prior = sizes * math.log(self.arc_odds)
        evidence: Floats = constant - fits.rest / (2 * self.noise_variance) + spread / 2 + prior
        return evidence

    def sample(self, data: Dataset, arcs: Bools, rng: np.random.Generator) -> Sample:
        """Return the DAGs, each with weights drawn from their posterior given the DAG."""
        moments = self._moments(data)
        weights = np.zeros(arcs.shape)
        for child in range(arcs.shape[1]):
            sets, of_draw = np.unique(arcs[:, :, child], axis=0, return_inverse=True)
            fits = regressions(moments.at(child), child, sets, ridge=self._ridge)
            normal = math.sqrt(self.noise_variance) * rng.standard_normal(arcs.shape[:2])
            of_draw = of_draw.reshape(len(arcs))
            weights[:, :, child] = fits.coefficients[of_draw] + fits.noise(of_draw, normal)
        variances = np.full(arcs.shape[:2], self.noise_variance)
        return packed(data.names, arcs).with_parameters(weights, variances)

    @property
    def _ridge(self) -> float:
        """Return the precision of the weights in units of the noise."""
        return self.noise_variance / self.weight_variance

    def _moments(self, data: Dataset) -> Moments:
        return moments_of(data, centred=self.centre)

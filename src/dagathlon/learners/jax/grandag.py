"""GraN-DAG: networks whose paths from inputs to outputs are kept acyclic."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from dagathlon.data.spec import DataFacts
from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.learners.background import knowledge_of
from dagathlon.learners.continuous.weights import varying
from dagathlon.learners.jax.augmented import Lagrangian
from dagathlon.learners.jax.backend import jax, jnp
from dagathlon.learners.jax.masked_learner import MaskedLearner
from dagathlon.learners.jax.masked_nets import (
    Facts,
    Networks,
    connectivity,
    drawn_rows,
    mean_gradients,
    networks,
    squared_errors,
)
from dagathlon.learners.jax.nets_cycles import walks
from dagathlon.learners.jax.nets_learner import Matrix
from dagathlon.learners.nonlinear.order_based import FEWEST_ROWS
from dagathlon.modules import Natural, NonNegative, Probability

if TYPE_CHECKING:
    from dagathlon.data import Dataset
    from dagathlon.learners.base import Estimate, Statistic

# Smallest noise variance of a standardised variable; deterministic ones would reach 0.
_LEAST_LOG_SCALE = -5.0


class Parameters(NamedTuple):
    """Parameters: the networks, and the noise variances.

    Parameters
    ----------
    model
        The networks.
    log_scales
        Logarithms of the standard deviations of the noise.
    mask
        Ones for the remaining arcs, from row to column; not trained.
    """

    model: Networks
    log_scales: Any
    mask: Any


def negative_log_likelihood(params: Parameters, rows: Any) -> Any:
    """Return the mean Gaussian negative log likelihood of rows, without its constant."""
    squares = squared_errors(params.model, jax.lax.stop_gradient(params.mask), rows)
    scales = jnp.maximum(params.log_scales, _LEAST_LOG_SCALE)
    return jnp.sum(0.5 * squares * jnp.exp(-2 * scales) + scales)


@dataclass(frozen=True, kw_only=True)
class PathProblem(Lagrangian):
    """Gaussian likelihoods of networks without a directed cycle among their paths.

    Parameters
    ----------
    hidden
        Units of the hidden layers.
    batch
        Rows in each step.
    clamp
        Arcs of a connectivity not above this are removed permanently.
    """

    hidden: tuple[int, ...]
    batch: int
    clamp: float

    def initial(self, key: Any, facts: Facts) -> Parameters:
        """Return random networks, and noise as large as a standardised variable."""
        p = facts.rows.shape[1]
        return Parameters(networks(key, p, self.hidden), jnp.zeros(p), facts.allowed)

    def loss(self, params: Parameters, facts: Facts, key: Any) -> Any:
        """Return the negative log likelihood of a batch of rows."""
        return negative_log_likelihood(params, drawn_rows(key, facts.rows, self.batch))

    def constraint(self, params: Parameters, facts: Facts) -> Any:
        """Return the acyclicity constraint by closed walks along the paths of the networks."""
        return walks(connectivity(params.model, jax.lax.stop_gradient(params.mask)))

    def projected(self, before: Parameters, after: Parameters, facts: Facts) -> Parameters:
        """Mask arcs whose path weights are nearly zero."""
        connected = connectivity(after.model, before.mask) > self.clamp
        return after._replace(mask=before.mask * connected)


@cache
def _compiled_gradients() -> Any:
    return jax.jit(mean_gradients)


@dataclass(frozen=True, kw_only=True)
class Grandag(MaskedLearner):
    """GraN-DAG: a network for each variable, kept acyclic by the products of weights along paths.

    Each variable is Gaussian around what its network makes of the others, with a variance of its
    own. An augmented Lagrangian drives the paths of the networks to an acyclic graph. Weights of
    arcs are then means over the data of absolute gradients of the networks. The weakest arc of each
    remaining cycle is removed; arcs without a significant term in an additive model are pruned.
    `weights` of the estimate are the mean gradients, and 0 for pruned arcs.

    Parameters
    ----------
    w_threshold
        Arcs with a mean absolute gradient not above this are removed before the pruning.
    pruning
        Whether arcs must pass a test in an additive model of their effect (additive), as the
        authors prune by CAM, or all above the threshold stay (none). Without it networks have many
        weak arcs, and a threshold of .3 to .4 suits standardised columns.
    alpha
        Significance level of these tests.
    clamp
        Arcs whose mean product of weights along paths is not above this are removed permanently.
    standardize
        Whether columns are standardised to mean 0 and variance 1; otherwise they are only centred.
    """

    name = "grandag"
    references = (
        "Lachapelle, Brouillard, Deleu and Lacoste-Julien 2020, Gradient-based neural DAG "
        "learning, ICLR",
        "Bühlmann, Peters and Ernest 2014, CAM: causal additive models, high-dimensional order "
        "search and penalized regression, Annals of Statistics 42",
    )

    w_threshold: NonNegative = 0.0
    pruning: Literal["additive", "none"] = "additive"
    alpha: Probability = 0.001
    hidden: tuple[Natural, ...] = (10, 10)
    batch_size: Natural = 64
    learning_rate: NonNegative = 0.005
    rho: NonNegative = 0.1
    clamp: NonNegative = 1e-4
    standardize: bool = True

    def why_unsuitable(self, data: DataFacts) -> str:
        """Return a message if there are too few rows for additive models; empty otherwise."""
        rows, columns = data.n_rows, data.n_columns or 0
        if self.pruning == "additive" and rows is not None and 2 <= rows < _fewest(columns):
            return _too_few(rows, columns)
        return super().why_unsuitable(data)

    def problem_of(self, p: int) -> PathProblem:
        """Return the objective for p variables."""
        return PathProblem(
            hidden=self.hidden,
            batch=self.batch_size,
            clamp=self.clamp,
            progress=0.5,
            **self.search(),
        )

    def weights_of(self, params: Parameters, facts: Facts) -> Matrix:
        """Return the mean absolute gradients as weights of arcs."""
        return np.asarray(_compiled_gradients()(params.model, params.mask, facts.rows), np.float64)

    def _estimate(self, data: Dataset, weights: Matrix, stats: dict[str, Statistic]) -> Estimate:
        estimate = super()._estimate(data, weights, stats)
        if self.pruning == "none":
            return estimate
        arcs = self._pruned(data, estimate.graph.adjacency.astype(np.bool_))
        return replace(
            estimate, graph=Graph.from_adjacency(data.names, arcs), weights=weights * arcs
        )

    def _pruned(self, data: Dataset, arcs: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Return the arcs with significant terms, and those that are required."""
        _, required = knowledge_of(self.constraints, data.names).matrices(data.names)
        used = np.flatnonzero(varying(data.values))
        if len(data) < _fewest(len(used)):
            raise DataError(_too_few(len(data), len(used)))
        significant, among = arcs & required, np.ix_(used, used)
        if arcs.any():
            significant[among] |= self.models(data.values[:, used]).pruned(arcs[among], self.alpha)
        return significant


def _fewest(columns: int) -> int:
    return max(FEWEST_ROWS, columns + 2)


def _too_few(rows: int, columns: int) -> str:
    return (
        f"grandag with pruning='additive' needs {_fewest(columns)} rows for {columns} columns, "
        f"found {rows}; use pruning='none'"
    )

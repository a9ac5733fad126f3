"""The exact posterior over DAGs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.data.spec import DataFacts, DataKind
from dagathlon.errors import DataError
from dagathlon.learners.background import starting_dag
from dagathlon.learners.base import Estimate, Statistic
from dagathlon.learners.score.interventional import InterventionalScore
from dagathlon.learners.score.prior_mass import log_prior_mass, prior_score
from dagathlon.learners.score.score_kinds import MARGINAL
from dagathlon.learners.score.scores import prior_terms
from dagathlon.modules import Count, NonNegative, Probability
from dagathlon.posteriors.dag_posterior import DagPosterior
from dagathlon.posteriors.dag_weights import DagWeights
from dagathlon.posteriors.exact_sums import ENUMERABLE, DagSpace, ExactSums
from dagathlon.posteriors.parameters import NormalInverseGamma, NormalWishart
from dagathlon.posteriors.pooled_posterior import PooledPosterior, other_sets
from dagathlon.posteriors.regressions import moments_of, regressions

MOST_VARIABLES = 20
# Scores that are marginal likelihoods of linear models.
_CONJUGATE = ("nig", "bge", "mbge")
_TOO_MANY_TO_LIST = (
    f"variances 'equal' enumerates the DAGs of at most {ENUMERABLE} variables, not {{}}; "
    "choose fewer, or variances 'own' with score nig"
)


@dataclass(frozen=True, kw_only=True)
class ExactPosterior(InterventionalScore):
    """The exact posterior over all DAGs of at most 20 variables: no sampling, no approximation.

    The score is a log marginal likelihood (other scores are treated as if they were one); the
    prior over DAGs is uniform unless `prior` says otherwise. The log evidence in the statistics
    is that of a prior that sums to 1 over the DAGs.

    Parameters
    ----------
    score
        Log weight of a DAG; null is bde, bge or bic-dg as the data are discrete, continuous
        or mixed.
    estimator
        The most probable DAG (map), or all edges above a probability (threshold), except those that
        would close a cycle with more probable ones.
    threshold
        Probability above which the threshold estimator keeps an edge.
    modularity
        Whether each DAG counts once (structure), or once for each order of the variables that it
        is consistent with (order).
    variances
        Whether each node of a linear model has its own noise variance (own), or all share one
        (equal): the model of nig with one σ² for all nodes, in which equivalent DAGs differ. It
        does not factorise over nodes, so that all DAGs are enumerated: at most six variables.
    draws
        Number of independent DAGs to draw.
    draw_parameters
        Whether each draw has coefficients and noise variances, from their posterior given the DAG:
        under the prior of the score (score: that of nig, or for bge of wishart), or a named one.
    memory_limit
        Largest memory in GB.
    """

    gives_posterior = True
    name = "exact_posterior"
    version = 3
    gives = "dag"
    references = (
        "Tian and He 2009, UAI",
        "Talvitie, Vuoksenmaa and Koivisto 2020, UAI",
        "Kuipers and Moffa 2017, JASA 112",
    )
    default_scores = MARGINAL
    extends_default = False

    estimator: Literal["map", "threshold"] = "map"
    threshold: Probability = 0.5
    modularity: Literal["structure", "order"] = "structure"
    variances: Literal["own", "equal"] = "own"
    draws: Count = 0
    draw_parameters: Literal["score", "nig", "wishart"] | None = None
    memory_limit: NonNegative = 2.0

    def problem(self) -> str:
        """Return a message if options exclude each other; empty otherwise."""
        if self.draw_parameters is not None and not self.draws:
            return "draw_parameters needs draws; set draws to their number"
        known = (None, *_CONJUGATE) if self.variances == "own" else (None, "nig")
        if self.variances == "equal" and self.score not in known:
            return f"variances 'equal' is a model with the prior of nig, not of score {self.score}"
        if self.variances == "equal" and self.modularity == "order":
            return "variances 'equal' counts each DAG once: modularity 'structure'"
        if self.draw_parameters == "score" and self.score not in known:
            return f"score {self.score} has no parameters to draw; ask for those of nig or wishart"
        return super().problem()

    def accepted(self) -> frozenset[DataKind]:
        """Return the kinds of data taken; linear models take continuous data alone."""
        linear = self.draw_parameters is not None or self.variances == "equal"
        return super().accepted() & frozenset({"continuous"}) if linear else super().accepted()

    def why_unsuitable(self, data: DataFacts) -> str:
        """Return a message if there are too many variables for sums over all DAGs."""
        if data.n_columns is not None and data.n_columns > MOST_VARIABLES:
            return _too_many(data.n_columns, self.memory_limit)
        if data.n_columns is not None and self._too_many_to_list(data.n_columns):
            return _TOO_MANY_TO_LIST.format(data.n_columns)
        return super().why_unsuitable(data)

    def chosen_score(self, data: Dataset) -> str:
        """Return the name of the score; with one variance for all nodes it is nig."""
        return super().chosen_score(data) if self.variances == "own" else "nig"

    def posterior(self, data: Dataset) -> ExactSums:
        """Return the posterior, from which marginals, features and samples are computed."""
        self._require_room(len(data.names))
        starting_dag(None, self.knowledge(data), data.names)  # required edges without a cycle
        most = len(data.names) if self.max_parents is None else self.max_parents
        space = DagSpace(*self.arc_matrices(data), most)
        modularity = getattr(_core.Modularity, self.modularity)
        seen = self.as_seen(data)
        score = self.native_score(data)  # with one variance for all nodes it refuses invalid data
        prior = prior_terms(data, self.chosen_score(data), self.score_parameters(data))
        mass = partial(log_prior_mass, len(data.names), prior, space, modularity)
        if self.variances == "own":
            own = data.names, score, space, modularity
            return DagPosterior(*own, log_prior=mass, data=seen)
        terms = pooled_terms(seen, self._inverse_gamma(), prior_score(len(data.names), prior))
        return PooledPosterior(data.names, terms, space, log_prior=mass, data=seen)

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Sum over all DAGs, and estimate one graph."""
        posterior = self.posterior(data)
        seed = int(rng.integers(2**63))
        if self.draws:
            drawn = posterior.drawn(self.draws, seed, self._conjugate(data))
            posterior = posterior.with_draws(drawn)
        graph = posterior.map()
        if self.estimator == "threshold":
            graph = posterior.above(self.threshold, acyclic=True)
        return Estimate(graph, _summary(posterior), posterior, self.notes(data))

    def _conjugate(self, data: Dataset) -> NormalInverseGamma | NormalWishart | None:
        """Return the conjugate prior with which the parameters of the draws are sampled."""
        if self.draw_parameters is None:
            return None
        default = "nig" if self.chosen_score(data) == "nig" else "wishart"
        chosen = default if self.draw_parameters == "score" else self.draw_parameters
        return self._inverse_gamma() if chosen == "nig" else NormalWishart(self.iss_mu, self.iss_w)

    def _inverse_gamma(self) -> NormalInverseGamma:
        hyperparameters = self.nig_shape, self.nig_rate, self.nig_precision
        return NormalInverseGamma(*hyperparameters, equal_variances=self.variances == "equal")

    def _too_many_to_list(self, variables: int) -> bool:
        return self.variances == "equal" and variables > ENUMERABLE

    def _require_room(self, variables: int) -> None:
        if self._too_many_to_list(variables):
            raise DataError(_TOO_MANY_TO_LIST.format(variables))
        needed = memory_needed(variables) / 1e9
        if variables <= MOST_VARIABLES and needed <= self.memory_limit:
            return
        raise DataError(_too_many(variables, self.memory_limit))


def _too_many(variables: int, memory_limit: float) -> str:
    """Return the error message for a posterior beyond the memory limit, with remedies."""
    most = f"at most {MOST_VARIABLES} variables and memory_limit = {memory_limit:g} GB"
    start = f"the exact posterior of {variables} variables needs"
    remedy = f"{most} are allowed: choose fewer variables, or sample with partition_mcmc"
    if variables > 300:
        return f"{start} more memory than any machine has; {remedy}"
    needed, seconds = memory_needed(variables) / 1e9, 3.0**variables / 2e8
    return f"{start} about {needed:.3g} GB and {seconds:.3g} s; {remedy}"


def memory_needed(variables: int) -> float:
    """Return the bytes that the tables over sets of variables need."""
    families = variables * 2.0 ** (variables - 1)
    return families * (8 + 8 + 4 + 8 + 8 + 8) + 2.0**variables * 60


def _summary(posterior: ExactSums) -> dict[str, Statistic]:
    stats: dict[str, Statistic] = {
        "log_partition": posterior.log_partition,
        "log_evidence": posterior.log_evidence,
        "expected_edges": posterior.expected_edges,
    }
    if not math.isnan(posterior.entropy):
        stats["entropy"] = posterior.entropy
    return stats


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

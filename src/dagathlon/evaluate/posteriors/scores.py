"""`PosteriorScores`: every metric of a posterior in one row, None where inputs are missing."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from dagathlon.errors import DagathlonError, unknown
from dagathlon.evaluate.metric import MetricModule, Value
from dagathlon.evaluate.posteriors import graphs
from dagathlon.evaluate.posteriors.calibration import calibration, path_outcomes
from dagathlon.evaluate.posteriors.case import Parameters, PosteriorCase
from dagathlon.evaluate.posteriors.discrepancies import (
    exact_distance,
    graph_mmd,
    parameter_mmd,
)
from dagathlon.evaluate.posteriors.effects import effect_error, expected_aid, expected_sid
from dagathlon.evaluate.posteriors.entropy import likelihood_entropy
from dagathlon.evaluate.posteriors.graphs import MissingInputError
from dagathlon.evaluate.posteriors.interventions import interventional_kl, interventional_mmd
from dagathlon.evaluate.posteriors.likelihoods import interventional_nll, negative_log_likelihood
from dagathlon.evaluate.posteriors.measures import MEASURES
from dagathlon.learners.base import Estimate
from dagathlon.modules import Natural, Probability
from dagathlon.posteriors.marginal_posterior import MarginalPosterior
from dagathlon.posteriors.posterior import Posterior

Row: TypeAlias = Mapping[str, Value]
Part: TypeAlias = Callable[[PosteriorCase], Row]
INPUTS = ("truth", "data", "model", "test_data", "posterior", "reference")


def unknown_metric(names: Sequence[str]) -> str:
    """Return the error message for the first unknown metric of posteriors; empty without one."""
    known = [measure.name for measure in MEASURES]
    wrong = (unknown("metric of posteriors", name, known) for name in names if name not in known)
    return next(wrong, "")


@dataclass(frozen=True, kw_only=True)
class PosteriorScores(MetricModule):
    """All metrics of a posterior over graphs.

    Parameters
    ----------
    inputs
        Names of the inputs, in this order, among truth, data, model, test_data, posterior and
        reference.
    draw_parameters
        Parameters of draws that have none: those of the method alone (own), or drawn given each
        DAG from the normal–inverse-gamma (nig) or the normal–Wishart posterior (wishart).
    scaled
        Whether the data were standardised, so that the true model is scaled alike.
    burn_in
        Share of each Markov chain to leave out at its start; other draws are all used.
    draws
        At most so many draws are used where parameters matter; more are thinned evenly.
    """

    name = "posterior_scores"
    order = 70
    measures = MEASURES
    inputs: tuple[str, ...] = ("truth", "posterior")
    draw_parameters: Parameters = "own"
    scaled: bool = False
    burn_in: Probability = 0.5
    draws: Natural = 500

    def compute(self, *inputs: Any) -> dict[str, Value]:
        """Return one row, with None for missing values and notes on errors."""
        given = dict(zip(self.inputs, inputs, strict=True))
        for name in ("posterior", "reference"):
            given[name] = without_burn_in(given.get(name), self.burn_in)
        if given["posterior"] is None:
            nothing: dict[str, Value] = dict.fromkeys(measure.name for measure in MEASURES)
            return nothing | {"posterior_note": "the algorithm returned no posterior"}
        case = PosteriorCase(
            **given, draw_parameters=self.draw_parameters, scaled=self.scaled, draws=self.draws
        )
        return scores(case)


def without_burn_in(given: Estimate | Posterior | None, burn_in: float) -> Posterior | None:
    """Return the posterior of an estimate, without the burn-in of its Markov chains."""
    posterior = given.posterior if isinstance(given, Estimate) else given
    if posterior is None or not any(chain.markov for chain in posterior.chains):
        return posterior
    return posterior.after(burn_in)


def scores(case: PosteriorCase, parts: Sequence[Part] | None = None) -> dict[str, Value]:
    """Return all columns of a case, and a note on errors other than missing inputs."""
    row: dict[str, Value] = dict.fromkeys(measure.name for measure in MEASURES)
    notes: list[str] = []
    for part in PARTS if parts is None else parts:
        try:
            row |= {name: _number(value) for name, value in part(case).items()}
        except MissingInputError:
            continue
        except DagathlonError as error:
            notes.append(str(error))
    return row | ({"posterior_note": "; ".join(dict.fromkeys(notes))} if notes else {})


def _number(value: Value) -> Value:
    """Convert NaN, which marks undefined values, to None."""
    return None if isinstance(value, float) and math.isnan(value) else value


def _distances(case: PosteriorCase) -> Row:
    return {"e_shd": graphs.expected_shd(case.posterior, case.true_graph)}


def _class_distances(case: PosteriorCase) -> Row:
    return {"e_cpdag_shd": graphs.expected_cpdag_shd(case.posterior, case.true_graph)}


def _edges(case: PosteriorCase) -> Row:
    edges = graphs.ranked_edges(case.posterior, case.true_graph)
    areas = {"edge_auroc": graphs.auroc(*edges), "edge_auprc": graphs.average_precision(*edges)}
    return {**areas, **_calibrated("edge", edges)}


def _paths(case: PosteriorCase) -> Row:
    return _calibrated("path", path_outcomes(case.posterior, case.true_graph))


def _calibrated(what: str, outcomes: graphs.RankedEdges) -> Row:
    values = calibration(*outcomes)._asdict()
    return {f"{what}_{name}": value for name, value in values.items()}


def _likelihood(case: PosteriorCase) -> Row:
    return {"nll": negative_log_likelihood(case.models, case.moments)}


def _interventions(case: PosteriorCase) -> Row:
    models, true = case.models, case.true_model
    mmd = interventional_mmd(models, true)
    return {
        "i_nll": interventional_nll(models, true),
        "i_kl": interventional_kl(models, true),
        "i_mmd": mmd.value,
        "i_mmd_bandwidth": mmd.bandwidth,
        "effect_error": effect_error(models, true),
    }


def _entropy(case: PosteriorCase) -> Row:
    return {"entropy_kl": likelihood_entropy(case.models, case.held_out)}


def _graphs_apart(case: PosteriorCase) -> Row:
    pair = case.posterior, case.other
    return {"edge_error": graphs.edge_error(*pair), "graph_mmd": graph_mmd(*pair)}


def _parameters_apart(case: PosteriorCase) -> Row:
    distance = parameter_mmd(case.models, case.reference_models)
    return {"params_mmd": distance.value, "params_mmd_bandwidth": distance.bandwidth}


def _exact(case: PosteriorCase) -> Row:
    if not isinstance(case.other, MarginalPosterior):
        raise MissingInputError("the reference is not exact")
    distance = exact_distance(case.drawn_dags, case.other)
    return {"tv_exact": distance.total_variation, "kl_exact": distance.divergence}


def _causal(case: PosteriorCase) -> Row:
    pair = case.drawn_dags, case.true_graph
    return {"e_sid": expected_sid(*pair), "e_aid": expected_aid(*pair)}


def _sizes(case: PosteriorCase) -> Row:
    posterior = case.posterior
    row: dict[str, Value] = {"entropy": posterior.entropy}
    if posterior.chains:
        row |= {"n_draws": posterior.n_draws, "draws_ess": posterior.effective_size()}
    return row


PARTS: tuple[Part, ...] = (
    _distances,
    _class_distances,
    _edges,
    _paths,
    _likelihood,
    _interventions,
    _entropy,
    _graphs_apart,
    _parameters_apart,
    _exact,
    _causal,
    _sizes,
)

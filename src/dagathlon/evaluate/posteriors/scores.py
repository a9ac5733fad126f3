"""`PosteriorScores`: every metric of a posterior in one row, None where inputs are missing."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from dagathlon.data import LinearSem
from dagathlon.errors import DagathlonError, GraphError, unknown
from dagathlon.evaluate.graphs.causal import Adjustment, coded, count_mistakes
from dagathlon.evaluate.metric import MetricModule, Value
from dagathlon.evaluate.posteriors import graphs
from dagathlon.evaluate.posteriors.calibration import calibration, path_outcomes
from dagathlon.evaluate.posteriors.case import Parameters, PosteriorCase
from dagathlon.evaluate.posteriors.discrepancies import (
    exact_distance,
    graph_mmd,
    parameter_mmd,
)
from dagathlon.evaluate.posteriors.entropy import likelihood_entropy
from dagathlon.evaluate.posteriors.graphs import MissingInputError, reorder_nodes
from dagathlon.evaluate.posteriors.interventions import interventional_kl, interventional_mmd
from dagathlon.evaluate.posteriors.likelihoods import (
    Drawn,
    dense_models,
    interventional_nll,
    negative_log_likelihood,
    total_effects,
)
from dagathlon.evaluate.posteriors.measures import MEASURES
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate
from dagathlon.modules import Natural, Probability
from dagathlon.posteriors.arrays import distinct_graphs
from dagathlon.posteriors.marginal_posterior import MarginalPosterior
from dagathlon.posteriors.packed import Floats
from dagathlon.posteriors.posterior import Posterior

Row: TypeAlias = Mapping[str, Value]
Part: TypeAlias = Callable[[PosteriorCase], Row]
MOST_GRAPHS = 64
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

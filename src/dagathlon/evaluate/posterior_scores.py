"""`PosteriorScores`: every metric of a posterior in one row, None where something is missing."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from dagathlon.errors import DagathlonError
from dagathlon.evaluate import posterior_graphs as graphs
from dagathlon.evaluate.metric import MetricModule, Value
from dagathlon.evaluate.posterior_case import MissingInputError, Parameters, PosteriorCase
from dagathlon.evaluate.posterior_measures import MEASURES
from dagathlon.learners.base import Estimate
from dagathlon.modules import Natural, Probability
from dagathlon.posteriors.posterior import Posterior

Part: TypeAlias = Callable[[PosteriorCase], Mapping[str, Value]]
INPUTS = ("truth", "data", "model", "test_data", "posterior", "reference")


@dataclass(frozen=True, kw_only=True)
class PosteriorScores(MetricModule):
    """All metrics of a posterior over graphs.

    Parameters
    ----------
    inputs
        What is handed over, in this order, among truth, data, model, test_data, posterior and
        reference.
    draw_parameters
        Parameters of draws that have none: only what the method gave (own), or drawn given each
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
    draws: Natural = 1000

    def compute(self, *inputs: Any) -> dict[str, Value]:
        """One row; what cannot be computed is None, and a note says why."""
        given = dict(zip(self.inputs, inputs, strict=True))
        for name in ("posterior", "reference"):
            given[name] = settled(given.get(name), self.burn_in)
        if given["posterior"] is None:
            nothing: dict[str, Value] = dict.fromkeys(one.name for one in MEASURES)
            return nothing | {"posterior_note": "the algorithm returned no posterior"}
        case = PosteriorCase(
            **given, parameters=self.draw_parameters, scaled=self.scaled, draws=self.draws
        )
        return scores(case)


def settled(found: Estimate | Posterior | None, burn_in: float) -> Posterior | None:
    """The posterior of an estimate, without the start of its Markov chains."""
    posterior = found.posterior if isinstance(found, Estimate) else found
    if posterior is None or not any(chain.markov for chain in posterior.chains):
        return posterior
    return posterior.after(burn_in)


def scores(case: PosteriorCase, parts: Sequence[Part] | None = None) -> dict[str, Value]:
    """All columns of a case, and a note where something is wrong rather than missing."""
    row: dict[str, Value] = dict.fromkeys(one.name for one in MEASURES)
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
    """NaN stands for a value that is not defined: none."""
    return None if isinstance(value, float) and math.isnan(value) else value


def _distances(case: PosteriorCase) -> Mapping[str, Value]:
    return {"e_shd": graphs.expected_shd(case.posterior, case.true_graph)}


def _class_distances(case: PosteriorCase) -> Mapping[str, Value]:
    return {"e_cpdag_shd": graphs.expected_cpdag_shd(case.drawn, case.true_graph)}


def _areas(case: PosteriorCase) -> Mapping[str, Value]:
    edges = graphs.ranked_edges(case.posterior, case.true_graph)
    return {"edge_auroc": graphs.auroc(*edges), "edge_auprc": graphs.average_precision(*edges)}


def _edge_error(case: PosteriorCase) -> Mapping[str, Value]:
    return {"edge_error": graphs.edge_error(case.posterior, case.other)}


def _sizes(case: PosteriorCase) -> Mapping[str, Value]:
    posterior = case.posterior
    row: dict[str, Value] = {"entropy": posterior.entropy}
    if posterior.chains:
        row |= {"n_draws": posterior.n_draws, "draws_ess": posterior.effective_size()}
    return row


PARTS: tuple[Part, ...] = (_distances, _class_distances, _areas, _edge_error, _sizes)

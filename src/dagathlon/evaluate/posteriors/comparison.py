"""`compare_posterior`: every metric of a distribution over graphs, in one call."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, get_args

from dagathlon.data import Dataset
from dagathlon.errors import DataError, unknown
from dagathlon.evaluate.metric import Value
from dagathlon.evaluate.posteriors.case import Parameters, PosteriorCase
from dagathlon.evaluate.posteriors.graphs import require_same_nodes
from dagathlon.evaluate.posteriors.scores import scores, without_burn_in
from dagathlon.graphs import Graph, as_graph
from dagathlon.learners.base import Estimate
from dagathlon.posteriors.files import read_posterior
from dagathlon.posteriors.posterior import Posterior


def compare_posterior(
    posterior: Any,
    truth: Any = None,
    *,
    model: Any = None,
    data: Dataset | None = None,
    test_data: Dataset | None = None,
    reference: Any = None,
    draw_parameters: Parameters = "own",
    scaled: bool = False,
    burn_in: float = 0.0,
) -> dict[str, Value]:
    """Score a distribution over graphs against a true graph, a true model or another posterior.

    Parameters
    ----------
    posterior
        A `Posterior`, an `Estimate` that has one, a list of graphs (draws that count the same), or
        the file of a posterior.
    truth
        The true graph, as in `compare`; by default that of the model.
    model
        The true model. A `LinearSem` gives likelihoods, interventional distances and effects of
        draws with parameters, by its exact moments.
    data
        The data that were learned from: needed to draw parameters.
    test_data
        Fresh rows, for likelihoods where the model is not known.
    reference
        The posterior to compare with, as `posterior`; the exact one, if it can be had.
    draw_parameters
        Parameters of draws that have none: only those that are there (``own``), or drawn given each
        DAG from their normal–inverse-gamma (``nig``) or normal–Wishart (``wishart``) posterior.
    scaled
        Whether the data were standardised, so that the model is scaled alike.
    burn_in
        Share of each Markov chain to leave out at its start.

    Returns
    -------
    dict
        Values by column, None where something is missing; ``posterior_note`` says what is wrong
        with the draws, if anything is.
    """
    compared = _posterior(posterior, burn_in)
    other = None if reference is None else _posterior(reference, burn_in)
    _check_parameters(compared, draw_parameters, data)
    true = None if truth is None else _graph(truth)
    _check_nodes(compared, true, model, other)
    case = PosteriorCase(
        compared,
        true,
        model,
        data,
        test_data,
        other,
        draw_parameters=draw_parameters,
        scaled=scaled,
    )
    return scores(case)


def _check_parameters(posterior: Posterior, draw_parameters: str, data: Dataset | None) -> None:
    """Refuse unknown ways to draw parameters, and those that need data that are not given."""
    choices = get_args(Parameters)
    if draw_parameters not in choices:
        raise DataError(unknown("draw_parameters", draw_parameters, choices))
    without = any(chain.parameters is None for chain in posterior.chains)
    if without and draw_parameters != "own" and data is None:
        raise DataError(
            f"draw_parameters={draw_parameters!r} draws them given the data learned from: give data"
        )


def _check_nodes(posterior: Posterior, truth: Any, model: Any, reference: Any) -> None:
    """Refuse a graph, model or posterior with other nodes."""
    others = {"the true graph": truth, "the true model": model, "the reference": reference}
    for what, other in others.items():
        if other is not None and hasattr(other, "names"):
            require_same_nodes(tuple(other.names), posterior.names, what)


def _posterior(given: Any, burn_in: float) -> Posterior:
    if not 0 <= burn_in < 1:
        raise DataError(f"burn_in is a share from 0 to below 1, found {burn_in}")
    if isinstance(given, str | os.PathLike):
        given = read_posterior(given)  # type: ignore[arg-type]
    elif isinstance(given, Sequence):
        given = Posterior.of([as_graph(graph) for graph in given])
    posterior = without_burn_in(given, burn_in) if isinstance(given, Posterior | Estimate) else None
    if posterior is None:
        raise DataError(
            "there is no distribution over graphs: give a Posterior, an estimate of a sampler, a "
            "list of graphs, or the file of a posterior"
        )
    return posterior


def _graph(given: Any) -> Graph:
    return given.graph if isinstance(given, Estimate) else as_graph(given)

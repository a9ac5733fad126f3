"""Queries of a network, dispatched to the discrete or the continuous algorithms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from dagathlon.data.inference import discrete, normal
from dagathlon.data.inference.answer import Assignment, NormalAnswer, TableAnswer
from dagathlon.data.inference.evidence import Evidence, evidence_of, targets_of
from dagathlon.data.models.distributions import Gaussian, Table
from dagathlon.errors import DataError

if TYPE_CHECKING:
    from dagathlon.data.models.network import Network


def query(
    network: Network, targets: str | Iterable[str], evidence: Mapping[str, Any] | None
) -> TableAnswer | NormalAnswer:
    """Return the joint distribution of the targets; see `Network.query`."""
    known = evidence_of(network, evidence)
    names = targets_of(network, targets, known)
    kinds = {isinstance(network.distribution(name), Gaussian) for name in names}
    if len(kinds) > 1:
        raise DataError(
            "a query has discrete or continuous targets, found both; ask for them one by one"
        )
    if kinds == {True}:
        return normal.continuous_answer(network, names, known)
    if known.values:
        return normal.discrete_answer(network, names, known)
    return discrete.joint_distribution(network, names, known)


def marginals(
    network: Network, targets: Iterable[str] | None, evidence: Mapping[str, Any] | None
) -> dict[str, TableAnswer | NormalAnswer]:
    """Return the marginal distribution of each target; see `Network.marginals`."""
    known = evidence_of(network, evidence)
    requested = (
        [name for name in network.names if name not in {*known.levels, *known.values}]
        if targets is None
        else list(targets)
    )
    if not requested:
        return {}
    names = targets_of(network, requested, known)
    tables = [name for name in names if isinstance(network.distribution(name), Table)]
    answers: dict[str, TableAnswer | NormalAnswer] = {}
    if tables and not known.values:
        answers.update(discrete.marginal_distributions(network, tables, known))
    elif tables:
        answers.update((name, normal.discrete_answer(network, [name], known)) for name in tables)
    others = [name for name in names if name not in answers]
    if others:
        answers.update(_one_by_one(normal.continuous_answer(network, others, known)))
    return {name: answers[name] for name in names}


def _one_by_one(answer: NormalAnswer) -> dict[str, NormalAnswer]:
    return {
        name: NormalAnswer(
            (name,),
            answer.mean[k : k + 1],
            answer.covariance[k : k + 1, k : k + 1],
            answer.log_evidence,
            answer.mixture,
        )
        for k, name in enumerate(answer.targets)
    }


def most_probable(
    network: Network, targets: Iterable[str] | None, evidence: Mapping[str, Any] | None
) -> Assignment:
    """Return the most probable levels; see `Network.most_probable`."""
    if network.kind != "discrete":
        raise DataError(
            f"most probable levels are those of a discrete network, this one is {network.kind}; "
            "ask for means instead"
        )
    known: Evidence = evidence_of(network, evidence)
    if targets is None:
        return discrete.most_probable(network, known)
    answer = discrete.joint_distribution(network, targets_of(network, targets, known), known)
    place = np.unravel_index(int(np.argmax(answer.probabilities)), answer.probabilities.shape)
    chosen = zip(answer.targets, answer.levels, map(int, place), strict=True)
    return Assignment(
        {name: levels[k] for name, levels, k in chosen}, float(answer.probabilities[place])
    )

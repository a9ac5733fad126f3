"""Priors over DAGs that are products over arcs and over numbers of parents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.errors import DataError, unknown
from dagathlon.learners.score.score_kinds import ScoreModule, ScoreParameters


class ArcTerms(NamedTuple):
    """Log prior terms that are added to a score.

    A term for each arc, from row to column, or one for all arcs (1×1); one for each node; one
    for each node and number of parents.
    """

    arcs: npt.NDArray[np.float64]
    nodes: list[float]
    sizes: list[float]

    def added_to(self, score: _core.Score) -> _core.Score:
        """Return a score with these terms added."""
        return score.with_prior(self.arcs, self.nodes, self.sizes)


def arc_terms(
    names: Sequence[str], score: ScoreModule, parameters: ScoreParameters, n_rows: int
) -> ArcTerms | None:
    """Return the sum of prior, edge penalty and the arc penalties of ebic and Tetrad, if any.

    A prior over graphs is taken relative to the one in which each pair of nodes is joined one
    way, the other way or not at all with equal probability, as in bnlearn.
    """
    p = len(names)
    if p < 2:
        return None
    nodes = [0.0] * p
    arcs = _prior_of_arcs(names, parameters, nodes)
    terms = ArcTerms(arcs, nodes, _terms_by_size(parameters.prior, p))
    if parameters.edge_penalty != 1.0:
        _add_edge_penalty(terms, score, parameters.edge_penalty)
    if score.penalises_arcs:
        terms.arcs[:] -= 4 * parameters.gamma * math.log(p)
    if parameters.structure_prior > 0:
        _add_structure_prior(terms, score, parameters.structure_prior, n_rows)
    unchanged = not terms.arcs.any() and not any(terms.nodes) and not any(terms.sizes)
    return None if unchanged else terms


def _terms_by_size(prior: str, p: int) -> list[float]:
    """Return the log prior of a node for each number of parents."""
    if prior == "scale_free":
        return [-3 * math.log1p(k) for k in range(p)]
    if prior == "fair":
        return [-math.log(math.comb(p - 1, k)) for k in range(p)]
    return [0.0] * p


def _prior_of_arcs(
    names: Sequence[str], parameters: ScoreParameters, nodes: list[float]
) -> npt.NDArray[np.float64]:
    p = len(names)
    if parameters.prior == "vsp":
        # With two variables the default would give an arc probability 1.
        beta = _probability(parameters.beta, 1 / (p - 1) if p > 2 else 0.5)
        return np.full((1, 1), math.log(beta / (1 - beta)))
    if parameters.prior == "marginal":
        beta = _probability(parameters.beta, 0.5)
        nodes[:] = [term + (p - 1) / 2 * math.log(3 * (1 - beta)) for term in nodes]
        return np.full((1, 1), math.log(beta / (2 * (1 - beta))))
    if parameters.prior == "er":
        share = _pair_probability(parameters.edges_per_node, p)
        nodes[:] = [term + (p - 1) / 2 * math.log1p(-share) for term in nodes]
        return np.full((1, 1), math.log(share / (1 - share)))
    if parameters.prior == "cs":
        return _castelo_siebes(names, parameters, nodes)
    return np.zeros((1, 1))


def _probability(found: float | None, default: float) -> float:
    beta = default if found is None else found
    if not 0 < beta < 1:
        raise DataError(
            f"beta: found {beta:g}, expected a probability between 0 and 1, both excluded"
        )
    return beta


def _pair_probability(edges_per_node: float | None, p: int) -> float:
    """Return the expected edges divided by the number of pairs; null gives at most one half."""
    pairs_per_node = (p - 1) / 2
    expected = min(1.0, pairs_per_node / 2) if edges_per_node is None else edges_per_node
    if not 0 < expected < pairs_per_node:
        raise DataError(
            f"edges_per_node: found {expected:g}, expected a number above 0 and below "
            f"{pairs_per_node:g}, with which all of the {p} variables would be joined"
        )
    return expected / pairs_per_node


def _castelo_siebes(
    names: Sequence[str], parameters: ScoreParameters, nodes: list[float]
) -> npt.NDArray[np.float64]:
    """Return each arc's log odds; with one direction given, the other has half of the rest."""
    p = len(names)
    given = np.full((p, p), np.nan)
    for entry in parameters.arc_probabilities:
        source, target, probability = _read_arc(entry, names)
        given[source, target] = probability
    neither = np.isnan(given) & np.isnan(given.T)
    arcs = np.where(neither, 1 / 3, np.where(np.isnan(given), (1 - given.T) / 2, given))
    absent = 1 - arcs - arcs.T
    if np.any(absent <= 0):
        i, j = np.argwhere(absent <= 0)[0]
        raise DataError(
            f"arc_probabilities: {names[i]} -> {names[j]} and its reverse leave no probability for "
            "no arc"
        )
    np.fill_diagonal(absent, 1 / 3)
    nodes[:] = (np.log(3 * absent).sum(axis=0) / 2).tolist()
    odds: npt.NDArray[np.float64] = np.log(arcs / absent)
    return odds


def _read_arc(entry: Sequence[str | float], names: Sequence[str]) -> tuple[int, int, float]:
    if len(entry) != 3:
        raise DataError(f"arc_probabilities: found {entry!r}, expected [from, to, probability]")
    for name in entry[:2]:
        if name not in names:
            raise DataError(unknown("variable", name, names, "arc_probabilities"))
    source, target = names.index(str(entry[0])), names.index(str(entry[1]))
    probability = float(entry[2])
    if source == target or not 0 < probability < 1:
        raise DataError(
            f"arc_probabilities: found {entry!r}, expected two variables and a probability between "
            "0 and 1, both excluded"
        )
    return source, target, probability


def _add_edge_penalty(terms: ArcTerms, score: ScoreModule, factor: float) -> None:
    if not factor > 0:
        raise DataError(f"edge_penalty: found {factor:g}, expected a number above 0")
    terms.arcs[:] -= math.log(factor)
    if score.penalises_nodes:
        terms.nodes[:] = [term - math.log(factor) for term in terms.nodes]


def _add_structure_prior(terms: ArcTerms, score: ScoreModule, expected: float, n_rows: int) -> None:
    """Add Tetrad's structure prior: a binomial number of parents.

    Its number of trials is that of the variables in sem-bic, which is on twice the scale, and
    that of the rows in bdeu.
    """
    trials = len(terms.nodes) if score.doubled else n_rows - 1
    if not expected < trials:
        raise DataError(
            f"structure_prior: found {expected:g}, expected a number of parents below {trials}"
        )
    share = expected / trials
    scale = 2.0 if score.doubled else 1.0
    terms.arcs[:] += scale * math.log(share / (1 - share))
    terms.nodes[:] = [term + scale * trials * math.log(1 - share) for term in terms.nodes]

"""Sum of an unnormalised prior over all DAGs, which normalises the evidence."""

from __future__ import annotations

import math

import numpy as np

from dagathlon import _core
from dagathlon.learners.score.graph_priors import ArcTerms
from dagathlon.posteriors.exact_sums import DagSpace


def log_prior_mass(
    nodes: int, terms: ArcTerms | None, space: DagSpace, modularity: _core.Modularity
) -> float:
    """Return the logarithm of the sum of the prior over the DAGs of a space.

    Parameters
    ----------
    nodes
        Number of variables.
    terms
        The log prior; None is 0 for all DAGs, so that the sum counts them.
    space
        The DAGs.
    modularity
        Whether each DAG counts once, or once for each of its orders.
    """
    if _symmetric(nodes, terms, space):
        return _by_size(nodes, terms, space.max_parents, modularity)
    limits = _core.SearchLimits(*space)
    return _core.DagPosterior.of_score(
        prior_score(nodes, terms), limits, modularity
    ).log_partition()


def prior_score(nodes: int, terms: ArcTerms | None) -> _core.Score:
    """Return the prior as a score without data."""
    flat = _core.flat_score(nodes)
    return flat if terms is None else terms.added_to(flat)


def _symmetric(nodes: int, terms: ArcTerms | None, space: DagSpace) -> bool:
    """Return whether the prior and the space treat all variables and all arcs alike."""
    pairs = ~np.eye(nodes, dtype=np.bool_)
    if np.any(space.required) or np.any(space.forbidden & pairs):
        return False
    if terms is None or nodes < 2:
        return True
    return len(np.unique(np.broadcast_to(terms.arcs, pairs.shape)[pairs])) == 1


def _by_size(
    nodes: int, terms: ArcTerms | None, max_parents: int, modularity: _core.Modularity
) -> float:
    """Return the log sum for exchangeable variables, by recursion over the number of sinks.

    In exact integers, so that nothing cancels: floating-point numbers are multiples of a power
    of 2.
    """
    families, shift = _as_integers([_families(m, terms, max_parents) for m in range(nodes)])
    constant = 0.0 if terms is None else math.fsum(terms.nodes)
    if modularity == _core.Modularity.order:
        total = math.factorial(nodes) * math.prod(families)
    else:
        totals = [1]
        for n in range(1, nodes + 1):
            totals.append(
                sum(
                    (-1) ** (k + 1) * math.comb(n, k) * families[n - k] ** k * totals[n - k]
                    for k in range(1, n + 1)
                )
            )
        total = totals[nodes]
    # Each term of the sum is a product of as many families as there are nodes.
    return math.log(total) - shift * nodes * math.log(2) + constant


def _families(candidates: int, terms: ArcTerms | None, max_parents: int) -> float:
    """Return the sum of the prior over all parent sets among a number of candidates."""
    sizes = range(min(candidates, max_parents) + 1)
    if terms is None:
        return float(sum(math.comb(candidates, k) for k in sizes))
    arc = float(terms.arcs[0, -1]) if len(terms.nodes) > 1 else 0.0
    return math.fsum(math.comb(candidates, k) * math.exp(k * arc + terms.sizes[k]) for k in sizes)


def _as_integers(values: list[float]) -> tuple[list[int], int]:
    """Scale numbers by a power of 2 to integers; return them and the power."""
    ratios = [value.as_integer_ratio() for value in values]
    largest = max(bottom for _, bottom in ratios)
    return [top * (largest // bottom) for top, bottom in ratios], largest.bit_length() - 1

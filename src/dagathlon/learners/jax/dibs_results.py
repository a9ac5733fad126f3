"""Results of DiBS: DAGs with weights and parameters, an estimate, notes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dagathlon.errors import DataError
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate, Statistic
from dagathlon.learners.jax.dibs_graphs import log_prior
from dagathlon.learners.jax.dibs_likelihoods import Linear, Theta, log_joint
from dagathlon.learners.jax.dibs_svgd import Plan
from dagathlon.learners.jax.moments import Floats
from dagathlon.posteriors.posterior import Posterior
from dagathlon.posteriors.sample import Sample

Arcs = npt.NDArray[np.bool_]


class Finished(NamedTuple):
    """A finished run: latent products (p, p, m), parameters, and how it ended."""

    products: Floats
    theta: Theta | None
    steps: int
    settled: bool


def estimate(
    plan: Plan, fixed: Any, run: Finished, names: Sequence[str], *, weighted: bool
) -> Estimate:
    """Return the posterior of the acyclic particles, and the best of them."""
    if not np.all(np.isfinite(run.products)):
        raise DataError("dibs: numbers overflow; give the columns a common scale, such as 1")
    arcs, theta, notes = _dags(run)
    ones = arcs.astype(np.float64)
    score = log_prior(ones, plan.prior, plan.edges_per_node)
    score = score + log_joint(plan.likelihood, fixed, theta, ones)
    logs = _log_weights(arcs, score, theta) if weighted else None
    graphs = [Graph.from_adjacency(names, matrix) for matrix in np.moveaxis(arcs, 2, 0)]
    coefficients, variances = _parameters(plan, theta, arcs)
    sample = Sample.of(
        graphs,
        names=names,
        score=score,
        log_weights=logs,
        coefficients=coefficients,
        variances=variances,
    )
    posterior = Posterior([sample], space="all DAGs")
    stats: dict[str, Statistic] = {
        "score": float(score.max()),
        "steps": run.steps,
        "settled": run.settled,
        "cyclic_particles": run.products.shape[2] - len(graphs),
        "distinct_graphs": len({matrix.tobytes() for matrix in np.moveaxis(arcs, 2, 0)}),
        "effective_particles": _effective(logs, len(graphs)),
    }
    return Estimate(graphs[int(np.argmax(score))], stats, posterior, notes)


def _dags(run: Finished) -> tuple[Arcs, Theta | None, tuple[str, ...]]:
    """Return the acyclic particles; if there are none, all of them with cycles removed."""
    arcs = run.products > 0
    arcs &= ~np.eye(len(arcs), dtype=np.bool_)[:, :, None]
    acyclic = without_cycles(arcs)
    m, n_acyclic = arcs.shape[2], int(acyclic.sum())
    if n_acyclic == m:
        return arcs, run.theta, ()
    if not n_acyclic:
        cut = np.stack([_cut(run.products[:, :, k]) for k in range(m)], axis=2)
        text = f"All {m} particles had a directed cycle: the weakest arcs of cycles were left out."
        return cut, run.theta, (text,)
    theta = None if run.theta is None else Theta(*(part[..., acyclic] for part in run.theta))
    text = f"{m - n_acyclic} of {m} particles had a directed cycle and were left out."
    return arcs[:, :, acyclic], theta, (text,)


def without_cycles(arcs: Arcs) -> Arcs:
    """Return whether each graph of shape (p, p, m) is acyclic, by repeated removal of roots."""
    remaining = np.ones(arcs.shape[1:], dtype=np.bool_)
    for _ in range(len(arcs)):
        remaining &= np.any(arcs & remaining[:, None], axis=0)
    return np.asarray(~remaining.any(axis=0))


def _cut(products: Floats) -> Arcs:
    """Add arcs from the strongest on, without those that would close a cycle."""
    p = len(products)
    arcs = np.zeros((p, p), dtype=np.bool_)
    reaches = np.eye(p, dtype=np.bool_)
    for cell in np.argsort(-products, axis=None, kind="stable"):
        start, end = divmod(int(cell), p)
        if products[start, end] <= 0:
            break
        if not reaches[end, start]:
            arcs[start, end] = True
            reaches |= reaches[:, [start]] & reaches[[end]]
    return arcs


def _log_weights(arcs: Arcs, score: Floats, theta: Theta | None) -> Floats:
    """Return log weights by the posterior; equal graphs without parameters share one weight."""
    if theta is not None:
        return score
    rows = np.moveaxis(arcs, 2, 0).reshape(arcs.shape[2], -1)
    _, which, counts = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    shared: Floats = score - np.log(counts[which.ravel()])
    return shared


def _effective(logs: Floats | None, particles: int) -> float:
    """Return the effective sample size of weighted particles."""
    if logs is None:
        return float(particles)
    weights = np.exp(logs - logs.max())
    return float(weights.sum() ** 2 / np.sum(weights**2))


def _parameters(plan: Plan, theta: Theta | None, arcs: Arcs) -> tuple[Floats | None, Floats | None]:
    """Return the coefficients and variances of each particle, if there are any."""
    if theta is None or not isinstance(plan.likelihood, Linear):
        return None, None
    coefficients = np.moveaxis(np.where(arcs, theta.coefficients, 0.0), 2, 0)
    return coefficients, np.exp(plan.likelihood.log_variances(theta).T)

"""`Belief`: what a posterior says of edges, how it was drawn, and how far it is from the truth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from dagathlon.evaluate.posteriors.calibration import edge_outcomes, path_outcomes
from dagathlon.evaluate.posteriors.discrepancies import graph_mmd
from dagathlon.evaluate.posteriors.graphs import (
    MissingInputError,
    RankedEdges,
    edge_error,
    expected_shd,
)
from dagathlon.graphs import Graph
from dagathlon.graphs.undirected import UndirectedForm, undirected_form
from dagathlon.posteriors.convergence import repeat_by_state
from dagathlon.posteriors.packed import Bools, Floats
from dagathlon.posteriors.posterior import Posterior
from dagathlon.report.tables.runs import Combination
from dagathlon.study.plan.plan import Run

# Closures of larger graphs, draw by draw, would be most of the time that a page takes.
_MOST_PATHS = 150
_MOST_POINTS = 400


class Whose(NamedTuple):
    """Whose posterior it is.

    Parameters
    ----------
    method, id
        The setting in words, and the id of the algorithm.
    data, seed
        The data set.
    run
        The first of its runs, which others join that differ in the seed of the chain alone.
    """

    method: str
    id: str
    data: Combination
    seed: int
    run: Run


class Trace(NamedTuple):
    """The score along one chain, thinned to what a figure can show, and where the burn-in ends."""

    state: Floats
    score: Floats
    burnin: float


class Verdict(NamedTuple):
    """A posterior against the truth and a reference, as far as there are such.

    Parameters
    ----------
    truth
        The true DAG, from row to column, or the true undirected graph of a posterior over such.
    e_shd
        Expected structural Hamming distance to it.
    edge_error, graph_mmd
        Largest error of an edge's probability, and Graph MMD, both to the reference.
    outcomes
        Probabilities of ``edges`` and of ``paths``, and which of them are there.
    """

    truth: Bools | None = None
    e_shd: float | None = None
    edge_error: float | None = None
    graph_mmd: float | None = None
    outcomes: Mapping[str, RankedEdges] = {}


class Belief(NamedTuple):
    """A method's posterior on one data set.

    Parameters
    ----------
    whose
        The method and the data set.
    names
        The variables.
    edges
        Probability of each edge, from row to column; one without a direction counts half each way.
    undirected
        Whether there are such edges.
    expected_edges
        Their expected number.
    cpu
        Seconds of processor time of all its runs, None where nobody measured them.
    draws, chains
        How many there are after the burn-in; none of exact marginals.
    rhat, ess
        R̂ of the score along Markov chains (of the number of edges where there is no score), and
        the effective number of draws.
    apart
        By how much two chains differ most about an edge, None for one chain.
    space, notes
        Which graphs the posterior covers, and what the learner said.
    traces
        The scores of Markov chains.
    verdict
        The posterior against the truth and the reference.
    directed
        Whether any edge of any graph has a direction.
    mark
        What stands between the names of the two ends of an edge.
    """

    whose: Whose
    names: tuple[str, ...]
    edges: Floats
    undirected: bool
    expected_edges: float
    cpu: float | None
    draws: int
    chains: int
    rhat: float | None
    ess: float | None
    apart: tuple[float, str] | None
    space: str
    notes: tuple[str, ...]
    traces: tuple[Trace, ...]
    verdict: Verdict
    directed: bool
    mark: str = "→"


def belief_of(
    whose: Whose, whole: Posterior, burnin: float, cpu: float | None, notes: Sequence[str]
) -> Belief:
    """What a posterior says after its burn-in, not yet compared with anything.

    Parameters
    ----------
    whose
        The method and the data set.
    whole
        The posterior, with its burn-in.
    burnin
        The share of each chain to leave out.
    cpu, notes
        What it cost, and what the learner said.
    """
    late = whole.after(burnin)
    strengths = late.strengths
    edges: Floats = strengths.strength * strengths.direction
    directed = _has_directions(late)
    return Belief(
        whose,
        late.names,
        edges,
        not np.allclose(edges, late.edge_probabilities, atol=1e-9),
        late.expected_edges,
        cpu,
        late.n_draws,
        len(late.chains),
        *_convergence(late),
        _apart(late, "→" if directed else "–"),
        whole.space,
        tuple(notes),
        tuple(_traces(whole, burnin)),
        Verdict(),
        directed,
    )


def _has_directions(posterior: Posterior) -> bool:
    """Whether an edge is more probable one way than both ways together."""
    edges, joined = posterior.edge_probabilities, posterior.strengths.strength
    return not np.allclose(edges, joined, atol=1e-9)


def in_one_spelling(beliefs: Sequence[Belief]) -> list[Belief]:
    """Posteriors of which all are over undirected graphs give each pair once, the first node first.

    Where others know directions, an edge without one stays half an edge each way, and a true graph
    without directions is none that all could be compared with.
    """
    if not any(one.directed for one in beliefs):
        return [_folded(one) for one in beliefs]
    return [one if one.directed else _without_pairs(one) for one in beliefs]


def _folded(belief: Belief) -> Belief:
    truth = belief.verdict.truth
    pairs = None if truth is None else np.triu(truth | truth.T)
    verdict = belief.verdict._replace(truth=pairs)
    edges = np.triu(belief.edges + belief.edges.T)
    return belief._replace(edges=edges, undirected=False, verdict=verdict, mark="–")


def _without_pairs(belief: Belief) -> Belief:
    truth = belief.verdict.truth
    if truth is None or not np.any(truth & truth.T):
        return belief
    return belief._replace(verdict=belief.verdict._replace(truth=None, e_shd=None, outcomes={}))


def compared_truth(
    late: Posterior, truth: Graph | None, undirected: UndirectedForm | None
) -> Graph | None:
    """The truth in its undirected form, where the study states one and no draw has a direction."""
    if truth is None or undirected is None or _has_directions(late):
        return truth
    return undirected_form(truth, undirected)


def verdict_on(late: Posterior, truth: Graph | None, reference: Posterior | None) -> Verdict:
    """A posterior against a true graph and a reference over the same variables.

    Parameters
    ----------
    late
        The posterior after its burn-in.
    truth
        The true graph; one that is no DAG (for a posterior over undirected graphs: no undirected
        graph either), or over other variables, is as good as none.
    reference
        What it is to come near, None for the reference itself.
    """
    found = Verdict()
    if reference is not None and set(reference.names) == set(late.names):
        distances = edge_error(late, reference), graph_mmd(late, reference)
        found = found._replace(edge_error=distances[0], graph_mmd=distances[1])
    if truth is None or set(truth.names) != set(late.names):
        return found
    if not truth.is_dag:
        return _verdict_on_pairs(found, late, truth)
    arcs: Bools = truth.subgraph(late.names).adjacency != 0
    outcomes = {"edges": edge_outcomes(late, truth)} | _path_outcomes(late, truth)
    return found._replace(truth=arcs, e_shd=expected_shd(late, truth), outcomes=outcomes)


def _verdict_on_pairs(found: Verdict, late: Posterior, truth: Graph) -> Verdict:
    """Against an undirected graph, in which each pair of nodes counts once."""
    if not truth.is_undirected or _has_directions(late):
        return found
    joined: Bools = truth.subgraph(late.names).adjacency != 0
    once = np.triu_indices(len(joined), 1)
    outcomes = {"edges": RankedEdges(late.edge_probabilities[once], joined[once])}
    return found._replace(truth=joined, e_shd=expected_shd(late, truth), outcomes=outcomes)


def _path_outcomes(late: Posterior, truth: Graph) -> dict[str, RankedEdges]:
    if len(late.names) > _MOST_PATHS:
        return {}
    try:
        return {"paths": path_outcomes(late, truth)}
    except MissingInputError:
        return {}


def _convergence(posterior: Posterior) -> tuple[float | None, float | None]:
    """R̂ of Markov chains, and the effective number of draws."""
    if not posterior.chains or posterior.n_draws == 0:
        return None, None
    rhat = None
    if all(chain.markov for chain in posterior.chains):
        scored = all(chain.score is not None for chain in posterior.chains)
        rhat = _number(posterior.rhat("score" if scored else "size"))
    return rhat, _number(posterior.effective_size())


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _apart(posterior: Posterior, mark: str) -> tuple[float, str] | None:
    """The edge about which the chains differ most, and by how much."""
    if len(posterior.chains) < 2:
        return None
    each = np.array([Posterior([chain]).edge_probabilities for chain in posterior.chains])
    spread = each.max(axis=0) - each.min(axis=0)
    i, j = np.unravel_index(int(np.argmax(spread)), spread.shape)
    return float(spread[i, j]), f"{posterior.names[i]} {mark} {posterior.names[j]}"


def _traces(posterior: Posterior, burnin: float) -> Iterator[Trace]:
    for chain in posterior.chains:
        if chain.markov and chain.score is not None:
            score = repeat_by_state(chain, chain.score)
            places = np.linspace(0, len(score) - 1, min(len(score), _MOST_POINTS)).astype(int)
            yield Trace(places.astype(np.float64), score[places], burnin * len(score))

"""Comparison of posteriors that are pooled from the chains of each method."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from dagathlon.evaluate.posteriors.calibration import edge_outcomes, path_outcomes
from dagathlon.evaluate.posteriors.discrepancies import graph_mmd
from dagathlon.evaluate.posteriors.graphs import (
    MissingInputError,
    RankedEdges,
    edge_error,
    expected_shd,
)
from dagathlon.evaluations.chains.trajectories import NOT_VARIED
from dagathlon.graphs import Graph
from dagathlon.graphs.undirected import UndirectedForm, undirected_form
from dagathlon.posteriors.convergence import repeat_by_state
from dagathlon.posteriors.marginal_posterior import MarginalPosterior
from dagathlon.posteriors.packed import Bools, Floats
from dagathlon.posteriors.posterior import Posterior
from dagathlon.report.results import Results
from dagathlon.report.tables.places import combination_of
from dagathlon.report.tables.runs import Combination, setting_name
from dagathlon.study.plan.plan import Run

# So many runs are read for a page; a study of more has fewer data sets of each kind there.
_MOST_RUNS, _MOST_SETS = 400, 20
# Matrices of so many cells in all are kept; beyond them the first data set of each kind.
_MOST_CELLS = 20_000_000
# Parameters, ours and Benchpress's, that make a search of a sampler.
_SEARCHING = ("maximise", "MAP")

_Method: TypeAlias = tuple[str, str]
_Groups: TypeAlias = dict[tuple[Combination, int], dict[_Method, list[Run]]]


class Beliefs(NamedTuple):
    """Posteriors read from a study, and the number of data sets covered.

    Parameters
    ----------
    found
        One for each method and data set, in the order of the runs.
    read, there
        Number of data sets that were read, and that there are.
    searches
        Methods whose chains look for the best graph, and stand for no distribution.
    """

    found: Sequence[Belief]
    read: int
    there: int
    searches: Sequence[str] = ()


class _Loaded(NamedTuple):
    """Chains of a method on a data set, with their burn-in and the learner's notes."""

    run: Run
    posterior: Posterior
    burnin: float
    notes: tuple[str, ...]

    @property
    def late(self) -> Posterior:
        # What was computed of a whole posterior, such as its distinct graphs, stays with it.
        return self.posterior.after(self.burnin) if self.burnin else self.posterior


def posterior_ids(results: Results, ids: Iterable[str]) -> list[str]:
    """Return the algorithms whose first result has a posterior."""
    wanted = list(ids)
    first: dict[str, bool] = {}
    for run in results.runs_of(wanted):
        if run.entry not in first:
            estimate = results.learned(run)
            if estimate is not None:
                first[run.entry] = estimate.posterior is not None
    return [item for item in wanted if first.get(item)]


def beliefs_of(
    results: Results, ids: Sequence[str], reference: str | None = None, most: int | None = None
) -> Beliefs:
    """Read and compare the posteriors on a study's first data sets of each kind.

    Parameters
    ----------
    results
        Those of the setup.
    ids
        Algorithms with posteriors.
    reference
        The algorithm that the others are to come near, if there is one.
    most
        Data sets of each kind; None is 20, or fewer where there are many kinds. Of very many
        variables fewer are read.
    """
    groups, searches = _grouped(results, ids)
    kinds = len({data for data, _ in groups})
    limit = most or max(1, min(_MOST_SETS, _MOST_RUNS // max(1, kinds * len(ids))))
    costs = dict(zip(results.runs_of(ids), results.rows(ids), strict=True))
    taken: dict[Combination, int] = {}
    result: list[Belief] = []
    for (data, seed), methods in groups.items():
        full = sum(posterior.edges.size for posterior in result) > _MOST_CELLS
        if taken.get(data, 0) < (1 if full else limit):
            taken[data] = taken.get(data, 0) + 1
            result += _of_data_set(results, (data, seed), methods, costs, reference)
    return Beliefs(result, sum(taken.values()), len(groups), searches)


def _grouped(results: Results, ids: Sequence[str]) -> tuple[_Groups, list[str]]:
    """Group runs by data set and method, merging runs that differ in the chain's seed alone."""
    groups: _Groups = {}
    searches: dict[str, None] = {}
    for run in _once(results.runs_of(ids)):
        case, name = results.case(run), method_name(results, run)
        if any(_parameters(results, run).get(key) is True for key in _SEARCHING):
            searches[name] = None
            continue
        methods = groups.setdefault((combination_of(case), case.seed), {})
        methods.setdefault((run.entry, name), []).append(run)
    return groups, list(searches)


def _once(runs: Iterable[Run]) -> Iterator[Run]:
    """Drop runs that share a posterior with another and differ in the estimator alone."""
    seen: set[int] = set()
    for run in runs:
        if run.learn not in seen:
            seen.add(run.learn)
            yield run


def method_name(results: Results, run: Run) -> str:
    """Return the id with the varied parameters, but for chain seeds and estimators."""
    algorithm = results.algorithm(run)
    varied = {
        key: value
        for key, value in algorithm.values.items()
        if isinstance(value, list) and key not in NOT_VARIED
    }
    return setting_name(replace(algorithm, values=varied), results.values(run))


def _of_data_set(
    results: Results,
    place: tuple[Combination, int],
    methods: Mapping[_Method, Sequence[Run]],
    rows: Mapping[Run, Mapping[str, Any]],
    reference: str | None,
) -> Iterator[Belief]:
    """Yield the posteriors of all methods on one data set, holding one in memory at a time."""
    near = {key: _loaded(results, runs) for key, runs in methods.items() if key[0] == reference}
    exact = next((item.late for item in near.values() if item is not None), None)
    truth = None
    for (identifier, name), runs in methods.items():
        whole = (identifier, name)
        loaded = near[whole] if whole in near else _loaded(results, runs)
        if loaded is None:
            continue
        truth = truth or results.truth(results.case(loaded.run))
        costs = [rows[run]["cpu"] for run in runs if rows[run]["cpu"] is not None]
        whose = Whose(name, identifier, *place, loaded.run)
        cpu = sum(costs) if costs else None
        belief = belief_of(whose, loaded.posterior, loaded.burnin, cpu, loaded.notes)
        true = compared_truth(loaded.late, truth, results.undirected)
        verdict = verdict_on(loaded.late, true, None if identifier == reference else exact)
        yield belief._replace(verdict=verdict)


def _loaded(results: Results, runs: Sequence[Run]) -> _Loaded | None:
    learned = [(run, results.learned(run)) for run in runs]
    known = [(run, item) for run, item in learned if item is not None]
    posteriors = [item.posterior for _, item in known if item.posterior is not None]
    if not posteriors:
        return None
    burnin = float(_parameters(results, runs[0]).get("burnin_frac") or 0.0)
    notes = dict.fromkeys(note for _, item in known for note in item.notes)
    return _Loaded(known[0][0], _merged(posteriors), burnin, tuple(notes))


def _parameters(results: Results, run: Run) -> Mapping[str, Any]:
    return results.algorithm(run).settings[run.setting].parameters


def _merged(posteriors: Sequence[Posterior]) -> Posterior:
    """Pool the chains of several runs into one posterior; exact marginals are the same in all."""
    exact = any(isinstance(posterior, MarginalPosterior) for posterior in posteriors)
    return posteriors[0] if exact or len(posteriors) == 1 else Posterior.merge(posteriors)


# Closures of larger graphs, draw by draw, would be most of the time that a page takes.
_MOST_PATHS = 150
_MOST_POINTS = 400


class Whose(NamedTuple):
    """Identity of a posterior: method, data set and run.

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
    """Score along one chain, thinned for drawing, and the end of its burn-in."""

    state: Floats
    score: Floats
    burnin: float


class Verdict(NamedTuple):
    """Distances of a posterior to the truth and to a reference; None where absent.

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
    """Summary of a method's posterior on one data set.

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
    """Summarise a posterior after its burn-in, without comparisons.

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
    """Return whether some edge has different probabilities in its two directions."""
    edges, joined = posterior.edge_probabilities, posterior.strengths.strength
    return not np.allclose(edges, joined, atol=1e-9)


def in_one_spelling(beliefs: Sequence[Belief]) -> list[Belief]:
    """List each pair once, first node first, if all posteriors are over undirected graphs.

    Where others know directions, an edge without one stays half an edge each way, and a true graph
    without directions is none that all could be compared with.
    """
    if not any(posterior.directed for posterior in beliefs):
        return [_folded(posterior) for posterior in beliefs]
    return [posterior if posterior.directed else _without_pairs(posterior) for posterior in beliefs]


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
    """Return the truth, in the study's undirected form if no draw has a direction."""
    if truth is None or undirected is None or _has_directions(late):
        return truth
    return undirected_form(truth, undirected)


def verdict_on(late: Posterior, truth: Graph | None, reference: Posterior | None) -> Verdict:
    """Return distances of a posterior to a true graph and to a reference over the same variables.

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
    verdict = Verdict()
    if reference is not None and set(reference.names) == set(late.names):
        distances = edge_error(late, reference), graph_mmd(late, reference)
        verdict = verdict._replace(edge_error=distances[0], graph_mmd=distances[1])
    if truth is None or set(truth.names) != set(late.names):
        return verdict
    if not truth.is_dag:
        return _verdict_on_pairs(verdict, late, truth)
    arcs: Bools = truth.subgraph(late.names).adjacency != 0
    outcomes = {"edges": edge_outcomes(late, truth)} | _path_outcomes(late, truth)
    return verdict._replace(truth=arcs, e_shd=expected_shd(late, truth), outcomes=outcomes)


def _verdict_on_pairs(verdict: Verdict, late: Posterior, truth: Graph) -> Verdict:
    """Return distances to an undirected graph, counting each pair of nodes once."""
    if not truth.is_undirected or _has_directions(late):
        return verdict
    joined: Bools = truth.subgraph(late.names).adjacency != 0
    once = np.triu_indices(len(joined), 1)
    outcomes = {"edges": RankedEdges(late.edge_probabilities[once], joined[once])}
    return verdict._replace(truth=joined, e_shd=expected_shd(late, truth), outcomes=outcomes)


def _path_outcomes(late: Posterior, truth: Graph) -> dict[str, RankedEdges]:
    if len(late.names) > _MOST_PATHS:
        return {}
    try:
        return {"paths": path_outcomes(late, truth)}
    except MissingInputError:
        return {}


def _convergence(posterior: Posterior) -> tuple[float | None, float | None]:
    """Return R̂ of Markov chains, and the effective number of draws."""
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
    """Return the edge whose probability differs most between chains, with the difference."""
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

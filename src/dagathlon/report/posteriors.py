"""Posteriors of a study: what each method believes of the edges of each data set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from dagathlon.errors import DataError
from dagathlon.posteriors.convergence import states
from dagathlon.posteriors.marginal_posterior import MarginalPosterior
from dagathlon.posteriors.packed import Floats
from dagathlon.posteriors.posterior import Posterior
from dagathlon.report.chains import NOT_VARIED
from dagathlon.report.context import Results
from dagathlon.report.places import combination_of
from dagathlon.report.tables import Combination, setting_name
from dagathlon.study.plan.plan import Run

# Closures of larger graphs, draw by draw, would be most of the time that a page takes.
_MOST_PATHS = 150
_MOST_POINTS = 400
# So many runs are read for a page; a study of more has fewer data sets of each kind there.
_MOST_RUNS, _MOST_SETS = 400, 20


# Parameters, ours and Benchpress's, that make a search of a sampler.
_SEARCHING = ("maximise", "MAP")


class Trace(NamedTuple):
    """The score along one chain, thinned to what a figure can show, and where the burn-in ends."""

    state: Floats
    score: Floats
    burnin: float


class Belief(NamedTuple):
    """A method's posterior on one data set.

    Parameters
    ----------
    method, id
        Its setting in words, and the id of the algorithm.
    data, seed
        The data set.
    run
        The first of its runs, which others join that differ in the seed of the chain alone.
    names
        The variables.
    edges
        Probability of each edge, from row to column; one without a direction counts half each way.
    paths
        Probability that directed edges lead from row to column, None where that is not known.
    cpu
        Seconds of processor time of all its runs, None where nobody measured them.
    draws, chains
        How many there are after the burn-in; none of exact marginals.
    rhat, ess
        Of the score along Markov chains (of the number of edges where there is no score), and the
        effective number of draws.
    apart
        By how much two chains differ most about an edge, None for one chain.
    space, notes
        Which graphs the posterior covers, and what the learner said.
    traces
        The scores of Markov chains.
    """

    method: str
    id: str
    data: Combination
    seed: int
    run: Run
    names: tuple[str, ...]
    edges: Floats
    paths: Floats | None
    cpu: float | None
    draws: int
    chains: int
    rhat: float | None
    ess: float | None
    apart: tuple[float, str] | None
    space: str
    notes: tuple[str, ...]
    traces: tuple[Trace, ...]


class Beliefs(NamedTuple):
    """The posteriors that were read, and of how many data sets.

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


def posterior_ids(results: Results, ids: Iterable[str]) -> list[str]:
    """The algorithms whose first result has a posterior."""
    wanted = list(ids)
    first: dict[str, bool] = {}
    for run in results.runs_of(wanted):
        if run.entry not in first:
            estimate = results.learned(run)
            if estimate is not None:
                first[run.entry] = estimate.posterior is not None
    return [one for one in wanted if first.get(one)]


def beliefs_of(results: Results, ids: Sequence[str], most: int | None = None) -> Beliefs:
    """What the posteriors of a study say of its first data sets of each kind.

    Parameters
    ----------
    results
        Those of the setup.
    ids
        Algorithms with posteriors.
    most
        Data sets of each kind; None is 20, or fewer where there are many kinds.
    """
    groups, searches = _grouped(results, ids)
    kinds = len({data for data, _ in groups})
    limit = most or max(1, min(_MOST_SETS, _MOST_RUNS // max(1, kinds * len(ids))))
    costs = dict(zip(results.runs_of(ids), results.rows(ids), strict=True))
    seen: dict[Combination, int] = {}
    found: list[Belief] = []
    for (data, seed), methods in groups.items():
        seen[data] = seen.get(data, 0) + 1
        if seen[data] > limit:
            continue
        for (identifier, name), runs in methods.items():
            cpu = [costs[run]["cpu"] for run in runs if costs[run]["cpu"] is not None]
            about = name, identifier, data, seed
            one = _belief(results, about, runs, sum(cpu) if cpu else None)
            found += [] if one is None else [one]
    read = sum(min(limit, count) for count in seen.values())
    return Beliefs(found, read, len(groups), searches)


_Groups: TypeAlias = dict[tuple[Combination, int], dict[tuple[str, str], list[Run]]]


def _grouped(results: Results, ids: Sequence[str]) -> tuple[_Groups, list[str]]:
    """Runs by data set and method, and searches; runs that only number chains are together."""
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
    """Runs that differ in the estimator alone have one posterior."""
    seen: set[int] = set()
    for run in runs:
        if run.learn not in seen:
            seen.add(run.learn)
            yield run


def method_name(results: Results, run: Run) -> str:
    """The id, and what the study varies: not what only numbers chains or estimates a graph."""
    algorithm = results.algorithm(run)
    varied = {
        key: value
        for key, value in algorithm.values.items()
        if isinstance(value, list) and key not in NOT_VARIED
    }
    return setting_name(replace(algorithm, values=varied), results.values(run))


def _belief(
    results: Results,
    about: tuple[str, str, Combination, int],
    runs: Sequence[Run],
    cpu: float | None,
) -> Belief | None:
    learned = [(run, results.learned(run)) for run in runs]
    known = [(run, one) for run, one in learned if one is not None and one.posterior is not None]
    if not known:
        return None
    burnin = float(_parameters(results, known[0][0]).get("burnin_frac") or 0.0)
    posteriors = [one.posterior for _, one in known if one.posterior is not None]
    whole = posteriors[0] if len(posteriors) == 1 else _merged(posteriors)
    late = whole.after(burnin)
    notes = dict.fromkeys(note for _, one in known for note in one.notes)
    return Belief(
        *about,
        known[0][0],
        late.names,
        _directed(late),
        _paths(late),
        cpu,
        late.n_draws,
        len(late.chains),
        *_convergence(late),
        _apart(late),
        whole.space,
        tuple(notes),
        tuple(_traces(whole, burnin)),
    )


def _parameters(results: Results, run: Run) -> Mapping[str, Any]:
    return results.algorithm(run).settings[run.setting].parameters


def _merged(posteriors: Sequence[Posterior]) -> Posterior:
    """The chains of several runs as one posterior; exact marginals are the same in all."""
    if any(isinstance(one, MarginalPosterior) for one in posteriors):
        return posteriors[0]
    return Posterior.merge(posteriors)


def _directed(posterior: Posterior) -> Floats:
    """Probabilities of edges; one that has no direction counts half each way."""
    strengths = posterior.strengths
    directed: Floats = strengths.strength * strengths.direction
    return directed


def _paths(posterior: Posterior) -> Floats | None:
    if len(posterior.names) > _MOST_PATHS:
        return None
    try:
        return posterior.path_probabilities
    except DataError:
        return None


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


def _apart(posterior: Posterior) -> tuple[float, str] | None:
    """The edge about which the chains differ most, and by how much."""
    if len(posterior.chains) < 2:
        return None
    each = np.array([_directed(Posterior([chain])) for chain in posterior.chains])
    spread = each.max(axis=0) - each.min(axis=0)
    i, j = np.unravel_index(int(np.argmax(spread)), spread.shape)
    return float(spread[i, j]), f"{posterior.names[i]} → {posterior.names[j]}"


def _traces(posterior: Posterior, burnin: float) -> Iterator[Trace]:
    for chain in posterior.chains:
        if chain.markov and chain.score is not None:
            score = states(chain, chain.score)
            places = np.linspace(0, len(score) - 1, min(len(score), _MOST_POINTS)).astype(int)
            yield Trace(places.astype(np.float64), score[places], burnin * len(score))

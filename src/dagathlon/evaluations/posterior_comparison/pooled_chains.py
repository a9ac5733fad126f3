"""Posteriors of a study: what each method believes of the edges of each data set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from dagathlon.evaluations.chains.trajectories import NOT_VARIED
from dagathlon.evaluations.posterior_comparison.comparison import (
    Belief,
    Whose,
    belief_of,
    compared_truth,
    verdict_on,
)
from dagathlon.posteriors.marginal_posterior import MarginalPosterior
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


class _Loaded(NamedTuple):
    """The chains of a method on a data set, with their burn-in and what the learner said."""

    run: Run
    posterior: Posterior
    burnin: float
    notes: tuple[str, ...]

    @property
    def late(self) -> Posterior:
        # What was computed of a whole posterior, such as its distinct graphs, stays with it.
        return self.posterior.after(self.burnin) if self.burnin else self.posterior


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


def beliefs_of(
    results: Results, ids: Sequence[str], reference: str | None = None, most: int | None = None
) -> Beliefs:
    """What the posteriors of a study say of its first data sets of each kind.

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
    found: list[Belief] = []
    for (data, seed), methods in groups.items():
        full = sum(one.edges.size for one in found) > _MOST_CELLS
        if taken.get(data, 0) < (1 if full else limit):
            taken[data] = taken.get(data, 0) + 1
            found += _of_data_set(results, (data, seed), methods, costs, reference)
    return Beliefs(found, sum(taken.values()), len(groups), searches)


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


def _of_data_set(
    results: Results,
    place: tuple[Combination, int],
    methods: Mapping[_Method, Sequence[Run]],
    rows: Mapping[Run, Mapping[str, Any]],
    reference: str | None,
) -> Iterator[Belief]:
    """The posteriors of all methods on one data set, one after another in memory."""
    near = {key: _loaded(results, runs) for key, runs in methods.items() if key[0] == reference}
    exact = next((one.late for one in near.values() if one is not None), None)
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
    known = [(run, one) for run, one in learned if one is not None]
    posteriors = [one.posterior for _, one in known if one.posterior is not None]
    if not posteriors:
        return None
    burnin = float(_parameters(results, runs[0]).get("burnin_frac") or 0.0)
    notes = dict.fromkeys(note for _, one in known for note in one.notes)
    return _Loaded(known[0][0], _merged(posteriors), burnin, tuple(notes))


def _parameters(results: Results, run: Run) -> Mapping[str, Any]:
    return results.algorithm(run).settings[run.setting].parameters


def _merged(posteriors: Sequence[Posterior]) -> Posterior:
    """The chains of several runs as one posterior; exact marginals are the same in all."""
    exact = any(isinstance(one, MarginalPosterior) for one in posteriors)
    return posteriors[0] if exact or len(posteriors) == 1 else Posterior.merge(posteriors)

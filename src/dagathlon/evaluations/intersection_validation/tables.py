"""Intersection-validation of each data set of a study, and the rows of its tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from statistics import fmean, stdev
from typing import NamedTuple, TypeAlias

from dagathlon.errors import DagathlonError
from dagathlon.evaluations.intersection_validation.charts import pair_words
from dagathlon.evaluations.intersection_validation.runs import Draw, IntervalRuns, interval_runs
from dagathlon.evaluations.intersection_validation.validation import (
    IntervalResult,
    Mean,
    interval_validation,
)
from dagathlon.frame import Cells, grouped
from dagathlon.report.page.tables import case_names
from dagathlon.report.results import Results
from dagathlon.report.tables.runs import Combination

Wanted: TypeAlias = Callable[[int | None], Container[Draw]]
"""The subsamples that count, of data with so many rows."""
_FEWEST = 2
_NOBODY = "nobody"


class Validated(NamedTuple):
    """Outcome of intersection-validation on one data set: a result, or the reason there is none.

    Parameters
    ----------
    data, seed
        Labels of the data set, and its seed.
    name
        What the page calls it; empty where there is no other.
    ids
        The algorithm of each learner.
    result
        What was found; None where there is nothing to compare yet, or ever.
    reason
        Why there is nothing.
    numbers
        For each size which subsamples are counted.
    planned
        Whether the study has subsamples of the data.
    missing
        How many of them are still to be learned from.
    """

    data: Combination
    seed: int
    name: str
    ids: Mapping[str, str]
    result: IntervalResult | None
    reason: str
    numbers: Mapping[int, Sequence[int]]
    planned: bool
    missing: int

    @property
    def columns(self) -> Cells:
        """Return the cells that identify the data set in the files."""
        graph, parameters, data = self.data
        return {"graph": graph, "parameters": parameters, "data": data, "seed": self.seed}


def validated(
    results: Results, ids: Sequence[str], wanted: Wanted, *, compare_pairs: bool = True
) -> list[Validated]:
    """Run intersection-validation on all data sets.

    Parameters
    ----------
    results
        Those of the setup.
    ids
        The algorithms; none means all.
    wanted
        The subsamples that count.
    compare_pairs
        Whether every two learners are compared by what just these two agree on.
    """
    data_sets: list[Validated] = []
    for runs in interval_runs(results, ids):
        data = results.data(runs.case)
        rows = None if data is None else len(data)
        data_sets.append(_validated(_chosen(runs, wanted, rows), rows, compare_pairs))
    return _named(data_sets)


def _chosen(runs: IntervalRuns, wanted: Wanted, rows: int | None) -> IntervalRuns:
    """Return runs on requested subsamples, also of plans that did not know the number of rows."""
    chosen = runs.only(wanted(rows))
    if chosen.asked or rows is None:
        return chosen
    planned = runs.only(wanted(None))
    return planned.only({draw for draw in planned.asked if draw[0] < rows})


def _validated(runs: IntervalRuns, rows: int | None, compare_pairs: bool) -> Validated:
    reason, result = _reason(runs, rows), None
    if not reason:
        try:
            result = _result(runs, rows, compare_pairs)
        except DagathlonError as error:  # graphs over other nodes, from a learner that chooses some
            reason = str(error)
    numbers = {size: runs.numbers(size) for size in runs.sizes}
    missing = len(runs.asked) - len(runs.draws)
    place = (runs.data, runs.case.seed, "", runs.ids)
    return Validated(*place, result, reason, numbers, bool(runs.asked), missing)


def _result(runs: IntervalRuns, rows: int | None, compare_pairs: bool) -> IntervalResult:
    copies = {name: graphs for name, graphs in runs.copies.items() if graphs}
    return interval_validation(
        runs.graphs,
        runs.by_size(),
        outputs=runs.outputs,
        algorithms=runs.algorithms,
        bootstraps=copies or None,
        rows=rows,
        compare_pairs=compare_pairs,
        notes=[*_left_out(runs), *_failed(runs)],
    )


def _reason(runs: IntervalRuns, rows: int | None) -> str:
    if not runs.asked:
        few = "the data have" if rows is None else f"{rows:,} rows are"
        return f"{few} too few to take subsamples of; sizes names how many rows these shall have"
    if runs.waiting:
        return f"still to be learned from all rows: {'; '.join(runs.waiting)}"
    if len(runs.graphs) < _FEWEST:
        lost = "; ".join(f"{name}: {why}" for name, why in runs.without.items())
        who = next(iter(runs.graphs), "")
        have = (
            f"only {who} has a graph of all rows" if who else "no learner has a graph of all rows"
        )
        return f"{have} ({lost})" if lost else have
    return ""


def _left_out(runs: IntervalRuns) -> Iterator[str]:
    for name, why in runs.without.items():
        yield f"{name} has no graph of all rows and takes no part: {why.rstrip('.')}."


def _failed(runs: IntervalRuns) -> Iterator[str]:
    """Yield the most frequent reason why learners failed on subsamples."""
    for name, reasons in runs.failures.items():
        counts = Counter(reason for draw, reason in reasons.items() if draw in runs.draws)
        for reason, often in counts.most_common(1):
            mostly = "" if len(counts) == 1 else f"; most often ({often})"
            of = f"{counts.total()} of {len(runs.draws)} subsamples"
            yield f"{name} gave no graph on {of}{mostly}: {reason.rstrip('.')}."


def _named(data_sets: Sequence[Validated]) -> list[Validated]:
    """Shorten names to what distinguishes the data sets."""
    if len(data_sets) < 2:
        return list(data_sets)
    names = case_names(list(dict.fromkeys(data_set.data for data_set in data_sets)))
    several = len({data_set.seed for data_set in data_sets}) > 1
    return [
        data_set._replace(
            name=names[data_set.data] + (f", seed {data_set.seed}" if several else "")
        )
        for data_set in data_sets
    ]


def distance_rows(data_sets: Iterable[Validated]) -> Iterator[Cells]:
    """Yield one row per learner, size and subsample, with all distances."""
    for data_set in data_sets:
        for score in data_set.result.distances if data_set.result else ():
            row = score._asdict()
            row["subsample"] = data_set.numbers[score.size][score.subsample - 1]
            status = {"failed": score.phd is None}
            yield data_set.columns | {"id": data_set.ids[score.learner]} | row | status


def learner_rows(data_sets: Iterable[Validated]) -> Iterator[Cells]:
    """Yield one row per learner and size, and one without size for its overall place."""
    for data_set in data_sets:
        if data_set.result is None:
            continue
        failures = _failures(data_set.result.means)
        for mean in data_set.result.means:
            about = data_set.columns | {"learner": mean.learner, "id": data_set.ids[mean.learner]}
            yield about | mean._asdict()
        for place in data_set.result.ranking:
            about = data_set.columns | {"learner": place.learner, "id": data_set.ids[place.learner]}
            yield about | {
                "failures": failures[place.learner],
                "rank": place.place,
                "mean_rank": place.mean_rank,
            }


def _failures(means: Iterable[Mean]) -> dict[str, int]:
    result: dict[str, int] = {}
    for mean in means:
        result[mean.learner] = result.get(mean.learner, 0) + mean.failures
    return result


def kind_rows(data_sets: Iterable[Validated]) -> Iterator[Cells]:
    """Yield means over seeds by kind of data, learner and size; empty for single seeds."""
    kinds = grouped(
        (data_set.data, data_set) for data_set in data_sets if data_set.result is not None
    )
    for group in kinds.values():
        by_learner = grouped(
            ((mean.size, mean.learner), mean)
            for mean in (
                mean for data_set in group if data_set.result for mean in data_set.result.means
            )
        )
        about = {name: cell for name, cell in group[0].columns.items() if name != "seed"}
        for (size, learner), means in by_learner.items() if len(group) > 1 else ():
            who = {"learner": learner, "id": group[0].ids.get(learner), "size": size}
            yield about | who | _over_seeds(means)


def _over_seeds(means: Sequence[Mean]) -> Cells:
    values = [mean.mean for mean in means if mean.mean is not None]
    ranks = [mean.mean_rank for mean in means if mean.mean_rank is not None]
    return {
        "data_sets": len(values),
        "mean": fmean(values) if values else None,
        "se": stdev(values) / len(values) ** 0.5 if len(values) > 1 else None,
        "mean_rank": fmean(ranks) if ranks else None,
        "failures": sum(mean.failures for mean in means),
    }


def forecast_rows(data_sets: Iterable[Validated]) -> Iterator[Cells]:
    """Yield the forecast of each data set, and those with one learner left out."""
    for data_set in data_sets:
        if data_set.result is None:
            yield data_set.columns | {"without": _NOBODY, "reason": data_set.reason}
            continue
        yield data_set.columns | {"without": _NOBODY} | data_set.result.forecast._asdict()
        for row in data_set.result.sensitivity:
            cells = row._asdict()
            who = "; ".join(cells.pop("learners"))
            cells |= {"n_all": data_set.result.forecast.n_all, "reason": cells.pop("words") or None}
            yield data_set.columns | {"without": who} | cells


def pair_rows(data_sets: Iterable[Validated]) -> Iterator[Cells]:
    """Yield the pairs that some learner joins, with the answers of the learners."""
    for data_set in data_sets:
        for pair in pair_words(data_set.result) if data_set.result else ():
            yield data_set.columns | {
                "left": pair.left,
                "right": pair.right,
                "agreed": pair.agreed,
                "joined_by": pair.joined,
                "who_says_what": " | ".join(pair.who()),
            }


def comparison_rows(data_sets: Iterable[Validated]) -> Iterator[Cells]:
    """Yield comparisons of every two learners by the agreement graph of these two."""
    for data_set in data_sets:
        for row in data_set.result.pairwise if data_set.result else ():
            yield data_set.columns | row._asdict()


def json_rows(data_sets: Iterable[Validated]) -> Iterator[Cells]:
    """Yield the full result of each data set that has one, for JSON."""
    for data_set in data_sets:
        if data_set.result is not None:
            yield data_set.columns | data_set.result.to_dict()

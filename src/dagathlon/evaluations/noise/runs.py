"""From the results of a setup to the runs that the tables of a noise study are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from dagathlon.data import Dataset
from dagathlon.evaluate.ranking.summary import is_number, numbers
from dagathlon.evaluations.forecast_accuracy.accuracy import network_names, stem
from dagathlon.evaluations.noise.grid import CLEAN, FAILURES
from dagathlon.evaluations.noise.tables import NoiseRun
from dagathlon.frame import Cells, Row, Rows, grouped, grouped_by
from dagathlon.graphs import Graph, Mark
from dagathlon.report.results import Results
from dagathlon.report.tables.regimes import method_of, named, rows_of
from dagathlon.study.plan.plan import Case

_NOISE = "noise="
_COLUMNS = {
    "f1": "bayesys_f1",
    "shd": "bayesys_shd",
    "bsf": "bsf",
    "precision": "bayesys_precision",
    "recall": "bayesys_recall",
    "time": "time",
}

_Key: TypeAlias = tuple[str, str, int, int, str]


class Place(NamedTuple):
    """Labels of a data set in the tables of a noise study."""

    network: str
    code: str
    n: int
    seed: int


class _Size(NamedTuple):
    """Free parameters and nodes of a network, where known."""

    n_parameters: int | None
    n_nodes: int | None


def has_noise(results: Results) -> bool:
    """Return whether the study adds noise to some of its data."""
    return any(case.noise != CLEAN for case in results.cases)


def noise_runs(results: Results, ids: Iterable[str] = ()) -> list[NoiseRun]:
    """Return the runs on complete data sets, without skipped ones.

    Runs of a method that differ in their random start alone are one run, with the means of those
    that finished; it counts how many did not, and has failed where all did.

    Parameters
    ----------
    results
        Those of the setup.
    ids
        The algorithms; none means all of the setup.
    """
    chosen = tuple(ids) or tuple(results.ids)
    places = case_places(results)
    sizes = _sizes(results, places)
    result: list[tuple[_Key, Row]] = []
    runs = results.runs_of(chosen)
    pairs = zip(results.rows(chosen), results.further_rows(chosen), strict=True)
    for run, (row, further) in zip(runs, pairs, strict=True):
        case = results.case(run)
        if row["status"] != "skipped" and case[2:6] in results.compared:
            key = (*places[case[2:6]], method_of(results, run).name)
            result.append((key, further | row))
    return [run_of_starts(key, rows, sizes.get(key[0])) for key, rows in grouped(result).items()]


def example_runs(results: Results, ids: Iterable[str] = ()) -> list[Cells]:
    """Return the median run by F1 for each network, code and algorithm, by its number on the page.

    Parameters
    ----------
    results
        Those of the setup.
    ids
        The algorithms; none means all of the setup.
    """
    chosen, places = set(ids) or set(results.ids), case_places(results)
    rows = zip(results.rows(results.ids), results.further_rows(results.ids), strict=True)
    result: list[tuple[tuple[str, str, str], tuple[float, int]]] = []
    for number, (run, row) in enumerate(zip(results.runs_of(results.ids), rows, strict=True)):
        place = places[results.case(run)[2:6]]
        if run.entry in chosen:
            score = _mean([_scored(row[0] | row[1])], _COLUMNS["f1"])
            key = (place.network, place.code, method_of(results, run).name)
            result.append((key, (-1.0 if score is None else score, number)))
    return [
        {"network": network, "code": code, "algorithm": algorithm}
        | {"run": sorted(scored)[len(scored) // 2][1]}
        for (network, code, algorithm), scored in grouped(result).items()
    ]


def charged_limit(results: Results, asked: float | None, runs: Sequence[NoiseRun]) -> float:
    """Return the seconds charged to failed runs: as given, their limit, or the longest time."""
    if asked is not None:
        return asked
    limits = [
        limit
        for item in results.plan.limits
        for limit in (item.time, item.cpu)
        if limit is not None
    ]
    return max(limits or [run.time for run in runs if run.time is not None], default=0.0)


def case_places(results: Results) -> dict[tuple[Any, ...], Place]:
    """Return network, code, rows and seed of each data set, by seed and labels.

    A network is called by its graph alone, where that tells all data sets apart.
    """
    plain = {case: case._replace(data_label=_without_noise(case)) for case in results.cases}
    rows = _rows(results, plain)
    graphs = named({c: (stem(results.origin(c).graph_id), c.graph_label) for c in plain})
    short = {case: Place(graphs[case], case.noise, rows[case], case.seed) for case in plain}
    if len(set(short.values())) == len(short) and all(graphs.values()):
        return {case[2:6]: place for case, place in short.items()}
    full = network_names(results, list(dict.fromkeys(plain.values())))
    return {case[2:6]: short[case]._replace(network=full[item]) for case, item in plain.items()}


def _without_noise(case: Case) -> str:
    return "/".join(t for t in case.data_label.split("/") if not t.startswith(_NOISE))


def _rows(results: Results, plain: Mapping[Case, Case]) -> dict[Case, int]:
    """Return numbers of rows, reading data once for all codes of noise."""
    result: dict[tuple[Any, ...], int] = {}
    for case, item in plain.items():
        if item[2:6] not in result:
            data = results.data(case) if case.steps else None  # a transform may have chosen rows
            result[item[2:6]] = rows_of(results, case) if data is None else data.n_rows
    return {case: result[item[2:6]] for case, item in plain.items()}


def _sizes(results: Results, places: Mapping[tuple[Any, ...], Place]) -> dict[str, _Size]:
    """Return the size of each network, from its smallest clean data set or any true graph."""
    cases = grouped_by(results.cases, lambda case: places[case[2:6]].network)
    result = {}
    for network, mine in cases.items():
        first = min(mine, key=lambda case: (case.noise != CLEAN, places[case[2:6]].n))
        truth = results.truth(first)
        data = results.data(first) if first.noise == CLEAN and truth is not None else None
        count = None if data is None or truth is None else free_parameters(truth, data)
        result[network] = _Size(count, None if truth is None else len(truth))
    return result


def free_parameters(truth: Graph, data: Dataset) -> int | None:
    """Count the free parameters of discrete tables or of linear equations.

    An equation has a coefficient for each parent, an intercept and a variance. None for networks
    of both, and where the truth is no DAG over the variables of the data.
    """
    if not truth.is_dag or set(truth.names) != set(data.names) or data.is_mixed:
        return None
    into = (truth.marks == Mark.ARROW) & (truth.marks.T == Mark.TAIL)
    if not data.is_discrete:
        return int(into.sum()) + 2 * len(truth)
    levels = {variable.name: variable.arity for variable in data.variables}
    arity = np.array([levels[name] for name in truth.names], dtype=object)
    return int(sum((arity[j] - 1) * arity[into[:, j]].prod() for j in range(len(truth))))


def run_of_starts(key: _Key, rows: Rows, size: _Size | None) -> NoiseRun:
    """Merge the joint-table rows of all starts of an algorithm on a data set into one run."""
    network, code, n, seed, algorithm = key
    finished = [_scored(row) for row in rows if row["status"] not in FAILURES]
    about = size or _Size(None, None)
    failure = next((row["status"] for row in rows), None) if not finished else None
    return NoiseRun(
        network,
        code,
        n,
        seed,
        algorithm,
        **{name: _mean(finished, column) for name, column in _COLUMNS.items()},
        n_edges=_sum_of_means(finished, ("TP_skel", "FP_skel")),
        true_edges=next((r["true_n_edges_skel"] for r in finished), None),
        failure=failure,
        n_parameters=about.n_parameters,
        n_nodes=about.n_nodes,
        starts=len(rows),
        failed_starts=len(rows) - len(finished),
    )


def _scored(row: Row) -> Row:
    """Return the scores of a row; F1 and precision of an empty graph are 0."""
    if not is_number(row.get(_COLUMNS["shd"])):
        return row
    columns = (_COLUMNS["f1"], _COLUMNS["precision"])
    return {**row, **{name: row[name] if is_number(row.get(name)) else 0.0 for name in columns}}


def _mean(rows: Rows, column: str) -> float | None:
    values = numbers(rows, column)
    return sum(values) / len(values) if values else None


def _sum_of_means(rows: Rows, columns: Sequence[str]) -> float | None:
    means = [_mean(rows, column) for column in columns]
    return None if None in means else sum(item for item in means if item is not None)

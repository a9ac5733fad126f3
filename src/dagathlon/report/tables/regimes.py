"""Kinds of data by graph, model and number of rows; methods without their random starts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from dagathlon.frame import Cells, Rows, grouped
from dagathlon.report.results import Results
from dagathlon.report.tables.places import combination_of
from dagathlon.report.tables.runs import factor_columns
from dagathlon.study.plan.plan import Case, Run

STARTS = ("start", "mcmc_seed")
"""Parameters that choose the random start of a method."""
_ROWS = "n"


class Regime(NamedTuple):
    """Graph, model and number of rows that a group of data sets shares.

    Parameters
    ----------
    graph, model
        The graph and the parameters of the data entry by their ids, with whatever else varies.
    rows
        Number of rows.
    """

    graph: str
    model: str
    rows: int


class Method(NamedTuple):
    """Algorithm of a run with the parameters that the study varies, and its random start."""

    name: str
    start: str


def method_of(results: Results, run: Run, name: str = "") -> Method:
    """Return the method of a run, under its id or another name."""
    algorithm, values = results.algorithm(run), results.values(run)
    varied = [f"{key} = {values.get(key)}" for key in algorithm.varied if key not in STARTS]
    start = [str(values[key]) for key in STARTS if key in algorithm.varied and key in values]
    return Method(", ".join([name or run.entry, *varied]), ", ".join(start))


def regimes_of(results: Results, cases: Iterable[Case]) -> dict[Case, Regime]:
    """Return the kind of each data set, named by what distinguishes the kinds."""
    distinct = list(dict.fromkeys(cases))
    origins = {case: results.origin(case) for case in distinct}
    graphs = named({c: (origins[c].graph_id or "", c.graph_label) for c in distinct})
    models = named({c: (origins[c].parameters_id or "", c.parameters_label) for c in distinct})
    data = named({c: (origins[c].data_id, c.data_label) for c in distinct}, leave_out=_ROWS)
    several = len(set(data.values())) > 1
    kinds: dict[Case, Regime] = {}
    for case in distinct:
        parts = [models[case], data[case] if several else ""]
        model = ", ".join(part for part in parts if part) or data[case]
        kinds[case] = Regime(graphs[case] or data[case], model, rows_of(results, case))
    return kinds


def labelled_scores(
    results: Results, scored: Sequence[tuple[Run, Mapping[str, Any]]]
) -> list[Cells]:
    """Return scores of runs as rows with columns for kind of data, seed, method and start."""
    regimes = regimes_of(results, (results.case(run) for run, _ in scored))
    rows = []
    for run, score in scored:
        case, method = results.case(run), method_of(results, run)
        about = {**regimes[case]._asdict(), **combination_of(case)._asdict()}
        about |= {"seed": case.seed, "id": run.entry}
        rows.append({**about, "method": method.name, "start": method.start, **score})
    return rows


def named(labels: Mapping[Case, tuple[str, str]], leave_out: str = "") -> dict[Case, str]:
    """Return ids followed by the parameters in which settings of one id differ.

    Parameters
    ----------
    labels
        Id and label of each data set's graph, parameters or data.
    leave_out
        A parameter that names leave out.
    """
    settings = grouped((name, set(label.split("/")[1:])) for name, label in labels.values())
    common = {name: set.intersection(*tokens) for name, tokens in settings.items()}
    names: dict[Case, str] = {}
    for case, (name, label) in labels.items():
        own = [token for token in label.split("/")[1:] if token not in common[name]]
        own = [token for token in own if not token.startswith(f"{leave_out}=")]
        names[case] = ", ".join([name, *own] if name else own)
    return names


def rows_of(results: Results, case: Case) -> int:
    """Return the number of rows of a data set, from its label or its data."""
    for token in case.data_label.split("/"):
        key, _, value = token.partition("=")
        if key == _ROWS and value.isdigit():
            return int(value)
    data = results.data(case)
    return 0 if data is None else data.n_rows


def ordered(rows: Rows, column: str) -> list[Any]:
    """Return the distinct values of a column in order of appearance."""
    return list(dict.fromkeys(row[column] for row in rows))


def case_factors(results: Results, cases: Iterable[Case]) -> dict[Case, Cells]:
    """Return the factor columns of each data set, with its number of rows."""
    return {
        case: factor_columns(combination_of(case)) | {"n": rows_of(results, case)}
        for case in dict.fromkeys(cases)
    }

"""Rows of the table of runs, and their declared columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from dagathlon.evaluate.metric import columns, measures
from dagathlon.frame import Cells, Column, Row, Schema
from dagathlon.study.plan.plan import Case, Run
from dagathlon.study.plan.task import Outcome, Status
from dagathlon.study.records.schema import SavedStudy

MEASURED = ("time", "cpu", "memory")
"""Prefixes of columns of measured values, which differ between any two runs of a study; so do all
columns of a table whose name begins with ``run_time``."""
NOTES = "notes"
"""The column of learners' notes on their results, present where a learner gave one."""
TIME_NOTE = "time_note"
"""The column that says why times are not those of a run alone: learned together with others, or
counted for others."""
# What it was computed on, of learners that can use a graphics card.
WHERE = ("device", "precision")
# How far a result is to be trusted: convergence of a chain, a certificate.
TRUST = ("rhat_score", "ess_score", "rhat_size", "ess_size", "bound", "gap", "proven")

RUNS: Schema = (
    Column("setup", "text", "title of the setup"),
    Column("setting", "text", "learner with the parameters that the study varies"),
    Column("id", "text", "id of the learner in the study"),
    Column("algorithm", "text", "name of the learner"),
    Column("implementation", "text", "package that implements the learner"),
    Column("seed", "whole", "seed of the data set"),
    Column("adjmat", "text", "label of the graph: its module and parameters, or its file"),
    Column("parameters", "text", "label of the parameters: their module and its parameters"),
    Column("data", "text", "label of the data: their module and its parameters, or their file"),
    Column("graph", "text", "module or file of the graph"),
    Column("model", "text", "module or file of the parameters"),
    Column("data_module", "text", "module or file of the data"),
    Column("n", "whole", "number of rows"),
    Column("rows", "whole", "number of rows"),
    Column("method", "text", "learner with the parameters that the study varies, but for starts"),
    Column("start", "text", "random start of the method"),
    Column("noise", "text", "code of the noise; N is none"),
    Column("curve_param", "text", "parameter along the curves of Benchpress's figures"),
    Column("curve_value", "any", "value of that parameter"),
    Column("status", "text", "ok, skipped, timeout, error or memory (limit of memory)"),
    Column("reason", "text", "why the run was skipped or failed"),
    Column("time", "number", "wall time of the learner in seconds"),
    Column("cpu", "number", "processor time of the learner in seconds"),
    Column("memory", "whole", "peak memory of the learner in bytes"),
    Column("ntests", "whole", "number of independence tests"),
    Column(NOTES, "text", "notes of the learner on its result"),
    Column(TIME_NOTE, "text", "why times are not those of a run alone"),
    Column("device", "text", "device of the computation"),
    Column("rhat_score", "number", "potential scale reduction of the scores of chains"),
    Column("ess_score", "number", "effective sample size of the scores of chains"),
    Column("rhat_size", "number", "potential scale reduction of the numbers of edges of chains"),
    Column("ess_size", "number", "effective sample size of the numbers of edges of chains"),
    Column("bound", "number", "bound on the score of any graph"),
    Column("gap", "number", "difference of the bound to the score of the graph"),
    Column("proven", "flag", "whether the graph is proven to be optimal"),
    Column("partial", "flag", "true where runs of the setup are missing"),
)
"""The columns that describe a run; `run_schema` adds its metrics."""


def run_schema() -> Schema:
    """Return the columns of a run with all declared metrics, of graphs and posteriors as well."""
    known = {column.name for column in RUNS}
    metrics = (one for one in measures().values() if one.name not in known)
    return (*RUNS, *(Column(one.name, "any", _meaning(one.title, one.unit)) for one in metrics))


def _meaning(title: str, unit: str) -> str:
    return f"{title} in {unit}" if unit else title


class Remarks(NamedTuple):
    """Statistics and notes that a learner returned beside its graph."""

    stats: Mapping[str, Any] = {}
    notes: Sequence[str] = ()


def run_row(
    study: SavedStudy, run: Run, outcome: Outcome, remarks: Remarks, metrics: Mapping[str, Any]
) -> Cells:
    """Return a row of Benchpress's joint table, with our further columns behind its own.

    Parameters
    ----------
    study, run
        The run and the setup that it is of.
    outcome
        How the run ended.
    remarks
        Statistics and notes of its learner.
    metrics
        Metrics of its graph by name; empty where there are none.
    """
    case, (stats, notes) = study.plan.cases[run.case], remarks
    algorithm = study.algorithms[run.entry]
    values = algorithm.settings[run.setting].values
    ok = outcome.status is Status.OK
    row: Cells = {name: metrics.get(name) for name in columns("benchpress")}
    row |= {"seed": case.seed, "algorithm": algorithm.module.name, **case_labels(case)}
    row |= {"time": outcome.wall if ok else None, "ntests": stats.get("ntests")}
    row |= {"id": algorithm.id, **values, "curve_param": algorithm.curve_parameter}
    value = values.get(algorithm.curve_parameter)
    row["curve_value"] = "+".join(map(str, value)) if isinstance(value, list) else value
    row |= {"status": outcome.status.value, "reason": outcome.reason or None}
    row["implementation"] = algorithm.module.implementation
    row |= {"cpu": outcome.cpu if ok else None, "memory": outcome.memory if ok else None}
    row |= {name: metrics[name] for name in columns("beside") if name in metrics}
    row |= {name: stats[name] for name in (*TRUST, *WHERE) if name in stats}
    if notes:
        row[NOTES] = " ".join(notes)
    if ok and outcome.detail:
        row[TIME_NOTE] = outcome.detail
    return row


def further_row(scores: Iterable[Row]) -> Cells:
    """Return the metrics of a run that Benchpress's joint table does not have.

    Lists and objects are for the evaluation that asked for them, and no cells of a table.
    """
    row: Cells = {}
    joint = columns("benchpress", "beside")
    for metrics in scores:
        plain = {k: v for k, v in metrics.items() if not isinstance(v, list | dict)}
        row |= {
            k: v for k, v in plain.items() if k not in joint and (v is not None or k not in row)
        }
    return row


def case_labels(case: Case) -> Cells:
    """Return the labels of graph, parameters and data by column."""
    labels = (case.graph_label, case.parameters_label, case.data_label)
    return dict(zip(("adjmat", "parameters", "data"), labels, strict=True))

"""``graph_estimation``: every estimated graph as picture, matrix and file, against the truth."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dagathlon.graphs import Graph
from dagathlon.report.context import Context
from dagathlon.report.conversions import ORIGINAL, converted
from dagathlon.report.graph_files import write_features
from dagathlon.study.grammar.evaluation import GraphEstimation
from dagathlon.study.plan.plan import Case

EVALUATION = GraphEstimation

FEATURES = {
    "graphs": "png",
    "adjmats": "png",
    "diffplots": "png",
    "csvs": "csv",
    "graphvizcompare": "pdf",
}


def write(context: Context, evaluations: Sequence[GraphEstimation]) -> None:
    """Write what is asked for, for each run and graph type."""
    for evaluation in evaluations:
        runs = context.runs_of(evaluation.ids)
        numbers = _numbers(context, evaluation)
        types = (ORIGINAL, *(evaluation.convert_to or ()))
        wanted = {name: end for name, end in FEATURES.items() if getattr(evaluation, name)}
        truths: dict[int, Graph | None] = {}
        for run, graph in context.estimates(runs):
            if run.case not in truths:
                truths = {run.case: context.truth(context.plan.cases[run.case])}
            module = context.entry(run).module.name
            for kind in types:
                name = f"{module}_{kind}_{numbers[run.entry, run.setting]}"
                folder = _folder(context, context.plan.cases[run.case]) / f"graph_type={kind}"
                places = {
                    feature: folder / feature / module / f"{name}.{end}"
                    for feature, end in wanted.items()
                }
                truth = truths[run.case]
                write_features(
                    converted(graph, kind),
                    None if truth is None else converted(truth, kind),
                    places,
                )


def _numbers(context: Context, evaluation: GraphEstimation) -> dict[tuple[str, int], int]:
    """Number of each setting among those of its module, in the order of the study."""
    counted: dict[str, int] = {}
    numbers: dict[tuple[str, int], int] = {}
    for entry in context.algorithms.values():
        if entry.id not in evaluation.ids:
            continue
        for setting in range(len(entry.settings)):
            counted[entry.module.name] = counted.get(entry.module.name, 0) + 1
            numbers[entry.id, setting] = counted[entry.module.name]
    return numbers


def _folder(context: Context, case: Case) -> Path:
    """Benchpress's folder of a data set; where one id stands for several, a number is added."""
    origin = context.origin(case)
    entry = origin.entry
    name = (
        f"graph_id={entry.graph_id}_parameters_id={entry.parameters_id}"
        f"_data_id={entry.data_id}_seed={case.seed}"
    ).replace("/", "_")
    if origin.combinations > 1:
        name += f"_setting={origin.number}"
    if len(entry.noises) > 1 or case.noise != "N":
        name += f"_noise={case.noise}"
    return context.folder / "graph_estimation" / name

"""Scores of trivial and random graphs on each data set of a setup."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dagathlon.evaluate.graphs.control import RANDOM, trivial_baselines
from dagathlon.evaluate.ranking.ranks import case_of
from dagathlon.evaluate.ranking.summary import is_number
from dagathlon.frame import Rows
from dagathlon.graphs import Graph
from dagathlon.study.plan.plan import Case

_CONTROL = "control_"
Found = dict[tuple[Any, ...], dict[str, dict[str, float]]]


def baselines_of(truths: Iterable[tuple[Case, Graph]], diagnostics: Rows) -> Found:
    """Return scores of the empty, the complete and random graphs against each truth.

    Parameters
    ----------
    truths
        Data sets with their true graphs.
    diagnostics
        One row per data set, with the mean of random graphs as ``control_<metric>``.

    Returns
    -------
    dict
        By data set (labels of graph, parameters and data, and the seed) and metric: the value of
        each baseline by its name.
    """
    scores: Found = {}
    for case, truth in truths:
        about = (case.graph_label, case.parameters_label, case.data_label, case.seed)
        scores[about] = trivial_baselines(truth)
    for row in diagnostics:
        known = scores.get(case_of(row), {})
        for metric, values in known.items():
            if is_number(row.get(_CONTROL + metric)):
                values[RANDOM] = float(row[_CONTROL + metric])
    return scores

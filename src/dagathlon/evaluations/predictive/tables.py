"""Scores and tables of cross-validated likelihoods."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from dagathlon.evaluate.models.cross_entropy import CrossEntropy
from dagathlon.evaluate.models.cross_validation import CrossValidated, PredictedRows, joined_folds
from dagathlon.evaluate.models.learner_prior import SAMPLE_SIZE
from dagathlon.evaluations.no_truth.scores import paired_difference
from dagathlon.frame import Cells, Rows, grouped
from dagathlon.report.page.tables import case_names
from dagathlon.report.results import Results
from dagathlon.report.tables.places import Place, named_places, place_of
from dagathlon.report.tables.runs import combination, combinations, mean_of
from dagathlon.simulate.iid import Iid
from dagathlon.simulate.resampling import Fold
from dagathlon.simulate.transform import Transform
from dagathlon.study.config.plan_requests import Cases, Input, Learning, RunScore, transform_label
from dagathlon.wording import counted

CROSS_ENTROPY = "cross_entropy"
"""Name of the score of runs, and of its column."""
_PREDICTED = "predicted_rows"


def cross_entropy_score(
    cases: Cases, sample_size: float = SAMPLE_SIZE, *, weak: bool = False
) -> RunScore:
    """Return the request for the cross-entropy of runs, or for one of the scores of a `Learning`.

    Where rows are plain draws from the model it is computed from the model, else from the fresh
    data that all scores share.

    Parameters
    ----------
    cases
        The data sets.
    sample_size
        Imaginary rows where a learner has no prior of its own.
    weak
        Whether it gives way to what another evaluation asks for.
    """
    plain = type(cases.generator) is Iid and not any(step.for_fresh_data for step in cases.steps)
    scaled = plain and bool(getattr(cases.generator, "standardized", False))
    module = CrossEntropy(sample_size=sample_size, scaled=scaled)
    source: Input = "model" if plain else "test_data"
    return RunScore(CROSS_ENTROPY, module, (source, "data", "estimate"), weak)


def fold_learning(
    ids: Iterable[str],
    folds: int = 10,
    sample_size: float = SAMPLE_SIZE,
    before: tuple[Transform, ...] = (),
    n_rows: int | None = None,
) -> Iterator[Learning]:
    """Request learning on all rows but one fold, for every fold, scored on the fold's rows.

    Parameters
    ----------
    ids
        Algorithms.
    folds
        Number of folds.
    sample_size
        Imaginary rows where a learner has no prior of its own.
    before
        Transforms of the data of which the folds are, such as a subsample.
    n_rows
        Number of rows, where it is known.
    """
    inputs: tuple[Input, ...] = ("data", "test_data", "estimate")
    score = RunScore(_PREDICTED, PredictedRows(sample_size=sample_size), inputs)
    # Too few rows for the folds are reason enough to be told once.
    n_planned = 1 if n_rows is not None and n_rows < folds else folds
    for number in range(1, n_planned + 1):
        learned = (*before, Fold(number=number, folds=folds))
        tried = (*before, Fold(number=number, folds=folds, left_out=True))
        yield Learning(learned, tuple(ids), tried=tried, scores=(score,))


def cross_validated(
    results: Results,
    ids: Iterable[str],
    folds: int = 10,
    before: tuple[Transform, ...] = (),
) -> dict[Place, CrossValidated]:
    """Return the available cross-validated log-likelihoods, by setting and data set.

    Parameters
    ----------
    results
        Those of a setup that asked for `fold_learning` with the same folds and transforms.
    ids, folds, before
        As there.
    """
    parts = (Fold(number=number, folds=folds) for number in range(1, folds + 1))
    labels = [transform_label((*before, fold)) for fold in parts]
    runs = [run for label in labels for run in results.further_runs(ids, label)]
    scores = zip(runs, results.scores(_PREDICTED, runs), strict=True)
    result = grouped((place_of(results, run), score) for run, score in scores)
    return {place: joined_folds(scores) for place, scores in result.items() if len(scores) == folds}


VALUE = "cv_log_likelihood"


def predictive_rows(
    results: Results, data_sets: Mapping[Place, CrossValidated], ids: Sequence[str]
) -> list[Cells]:
    """Return one row per data set and setting, the best setting of a data set first.

    Parameters
    ----------
    results
        Those of the setup, for cross-entropies and names.
    data_sets
        Cross-validated log-likelihoods.
    ids
        Algorithms.
    """
    entropies = _entropies(results, ids)
    about = named_places(results, data_sets)
    groups = grouped((place[:2], place) for place in data_sets)
    rows = []
    for places in groups.values():
        ordered = sorted(places, key=lambda item: -_number(data_sets[item].mean))
        best = data_sets[ordered[0]]
        for place in ordered:
            labels = _labels(place) | {"setting": about[place]["setting"]}
            validated = data_sets[place]
            remarks = {"note": validated.note or None, "remark": validated.remark or None}
            rows.append(labels | _compared(validated, best) | entropies.get(place, {}) | remarks)
    return rows


def _number(value: float | None) -> float:
    return -math.inf if value is None else value


def _labels(place: Place) -> Cells:
    graph, parameters, data = place.data
    labels = {"id": place.id, "adjmat": graph, "parameters": parameters, "data": data}
    return labels | {"seed": place.seed}


def _entropies(results: Results, ids: Sequence[str]) -> dict[Place, Cells]:
    runs = results.runs_of(ids)
    scores = results.scores(CROSS_ENTROPY, runs)
    return {
        place_of(results, run): score
        for run, score in zip(runs, scores, strict=True)
        if score is not None
    }


def _compared(validated: CrossValidated, best: CrossValidated) -> Cells:
    """Return the numbers of a setting, with its difference to the best one on the same rows."""
    row: Cells = {"rows": validated.rows, VALUE: validated.mean, "se": validated.error}
    row |= {"to the best": None, "± to the best": None}
    if validated is not best and validated.mean is not None and best.mean is not None:
        row["to the best"] = validated.mean - best.mean
        if len(validated.blocks) == len(best.blocks):
            row["± to the best"] = paired_difference(validated.blocks, best.blocks).error
    return row


def summarised(rows: Rows) -> list[Cells]:
    """Return one row per kind of data and setting, the best setting first.

    Where a kind has several data sets, numbers are means over them and errors are over data sets;
    differences are to the setting whose mean is best, data set by data set. A setting counts if it
    has a number on all of them.

    Parameters
    ----------
    rows
        Those of `predictive_rows`.
    """
    names = case_names(combinations(rows))
    result: list[Cells] = []
    for kind, name in names.items():
        members = [row for row in rows if combination(row) == kind]
        about = {"data": name} if len(names) > 1 else {}
        result += [about | row for row in _of_kind(members)]
    return result


def _of_kind(rows: Rows) -> Iterator[Cells]:
    seeds = sorted({row["seed"] for row in rows})
    if len(seeds) == 1:
        dropped = ("adjmat", "parameters", "data", "seed")
        for row in rows:
            yield {key: value for key, value in row.items() if key not in dropped}
        return
    settings: dict[str, dict[int, Mapping[str, Any]]] = {}
    for row in rows:
        settings.setdefault(row["setting"], {})[row["seed"]] = row
    values = {
        setting: np.array([members[seed][VALUE] for seed in seeds])
        for setting, members in settings.items()
        if all(seed in members and members[seed][VALUE] is not None for seed in seeds)
    }
    order = sorted(values, key=lambda setting: -float(values[setting].mean()))
    for setting in order:
        apart = values[setting] - values[order[0]]
        yield _means(setting, list(settings[setting].values()), values[setting], apart)
    for setting, members in settings.items():
        if setting not in values:
            yield _without(setting, list(members.values()), len(seeds))


def _means(setting: str, rows: Rows, values: Any, apart: Any) -> Cells:
    best = not apart.any()
    row = {"setting": setting, "id": rows[0]["id"], "rows": rows[0]["rows"]}
    row |= {"data sets": len(values), VALUE: float(values.mean()), "se": _error(values)}
    row["to the best"] = None if best else float(apart.mean())
    row["± to the best"] = None if best else _error(apart)
    remark = next((item["remark"] for item in rows if item["remark"]), None)
    return row | {CROSS_ENTROPY: mean_of(rows, CROSS_ENTROPY), "note": None, "remark": remark}


def _without(setting: str, rows: Rows, n: int) -> Cells:
    reasons = [row["note"] for row in rows if row[VALUE] is None]
    missing = n - sum(row[VALUE] is not None for row in rows)
    reason = f": {reasons[0]}" if reasons else ""
    numbers = (VALUE, "se", "to the best", "± to the best", CROSS_ENTROPY, "remark")
    about = {"setting": setting, "id": rows[0]["id"], "rows": None, "data sets": n - missing}
    note = f"on {missing} of {counted(n, 'data set')} there is no number{reason}"
    return about | dict.fromkeys(numbers) | {"note": note}


def _error(values: Any) -> float:
    return float(np.std(values, ddof=1)) / math.sqrt(len(values))

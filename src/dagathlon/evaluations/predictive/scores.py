"""What predictive evaluations ask of the planner, and what their runs gave."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dagathlon.evaluate.models.cross_entropy import CrossEntropy
from dagathlon.evaluate.models.cross_validation import CrossValidated, PredictedRows, joined_folds
from dagathlon.evaluate.models.learner_prior import SAMPLE_SIZE
from dagathlon.frame import grouped
from dagathlon.report.results import Results
from dagathlon.report.tables.places import Place, place_of
from dagathlon.simulate.iid import Iid
from dagathlon.simulate.resampling import Fold
from dagathlon.simulate.transform import Transform
from dagathlon.study.config.plan_requests import Cases, Input, Learning, RunScore, transform_label

CROSS_ENTROPY = "cross_entropy"
"""Name of the score of runs, and of its column."""
_PREDICTED = "predicted_rows"


def cross_entropy_score(
    cases: Cases, sample_size: float = SAMPLE_SIZE, *, weak: bool = False
) -> RunScore:
    """The cross-entropy of runs; for further runs, one of the scores of a `Learning`.

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
    """Learning on all rows but those of a fold, for every fold, scored on the rows of the fold.

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
    told = 1 if n_rows is not None and n_rows < folds else folds
    for number in range(1, told + 1):
        learned = (*before, Fold(number=number, folds=folds))
        tried = (*before, Fold(number=number, folds=folds, left_out=True))
        yield Learning(learned, tuple(ids), tried=tried, scores=(score,))


def cross_validated(
    results: Results,
    ids: Iterable[str],
    folds: int = 10,
    before: tuple[Transform, ...] = (),
) -> dict[Place, CrossValidated]:
    """Cross-validated log-likelihoods as far as they are in, by setting and data set.

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
    found = grouped((place_of(results, run), score) for run, score in scores)
    return {place: joined_folds(scores) for place, scores in found.items() if len(scores) == folds}

"""Cross-validation of learners: graph and parameters are learned without the test rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from dagathlon.data import Dataset, read_data
from dagathlon.errors import DagathlonError, DataError
from dagathlon.evaluate.models.approximate_extension import (
    REMARK,
    approximate_extension,
    why_no_dag,
)
from dagathlon.evaluate.models.learner_prior import SAMPLE_SIZE, LearnerPriorScore
from dagathlon.evaluate.models.likelihood import complete_rows, predicted_rows
from dagathlon.learners.api import learn
from dagathlon.learners.base import Estimate
from dagathlon.learners.spec import LearnerLike, LearnerSpec
from dagathlon.simulate.resampling import Fold

# For more rows in a fold, means of blocks of neighbouring rows are stored.
_MOST_BLOCKS = 200
_NAME = "predicted_rows"


@dataclass(frozen=True, kw_only=True)
class PredictedRows(LearnerPriorScore):
    """Log-likelihoods of left-out rows under the network learned from the other rows."""

    name = _NAME

    def compute(self, training: Dataset, test: Dataset, estimate: Estimate) -> dict[str, Any]:
        """Return mean, spread and block sums over the rows of a fold, or why there are none.

        Parameters
        ----------
        training
            Data that the graph was learned from; the parameters are fitted to the same rows.
        test
            The rows that were left out.
        estimate
            The graph.
        """
        reason = why_no_dag(estimate.graph)
        if reason:
            return {_NAME: {"note": reason}}
        extended = approximate_extension(estimate.graph)
        names = extended.dag.names
        known, left = (complete_rows(data.select(names)) for data in (training, test))
        try:
            if not len(known):
                raise DataError("there is no row without missing values to fit a network to")
            rows = predicted_rows(extended.dag, known, left, self.sample_size)
        except DagathlonError as error:
            return {_NAME: {"note": str(error)}}
        if not np.isfinite(rows).all():
            return {_NAME: {"note": "some rows have no finite log-likelihood"}}
        fold = _summed(rows) | {"sample_size": self.sample_size}
        return {_NAME: fold | ({} if extended.exact else {"remark": REMARK})}


def _summed(rows: Any) -> dict[str, Any]:
    """Return a fold's rows, mean, spread and block means, for standard errors and differences."""
    mean = float(rows.mean()) if len(rows) else 0.0
    blocks = np.array_split(rows, min(len(rows), _MOST_BLOCKS)) if len(rows) else []
    return {
        "rows": len(rows),
        "mean": mean,
        "spread": float(np.sum((rows - mean) ** 2)),
        "blocks": [float(block.mean()) for block in blocks],
    }


class CrossValidated(NamedTuple):
    """Cross-validated log-likelihood of one learner on one data set.

    Parameters
    ----------
    mean
        Mean log-likelihood of a row, in nats; None where some fold has none.
    error
        Its standard error over rows; None for a single row.
    rows
        Number of rows.
    blocks
        Means of blocks of neighbouring rows, fold by fold: the same rows for all learners.
    note
        Why there is no mean.
    remark
        Reservation about the mean.
    """

    mean: float | None
    error: float | None = None
    rows: int = 0
    blocks: tuple[float, ...] = ()
    note: str = ""
    remark: str = ""


def cross_validate(
    data: Any,
    learner: LearnerLike,
    *,
    folds: int = 10,
    sample_size: float = SAMPLE_SIZE,
    seed: int = 1,
    **parameters: Any,
) -> CrossValidated:
    """Return the cross-validated log-likelihood of a learner: learn and fit anew in every fold.

    Parameters
    ----------
    data
        A `Dataset`, or anything `read_data` takes.
    learner
        As `dagathlon.learn` takes it: ``"hc[score=bdeu,iss=10]"``, ``HillClimbing(score="bic")``.
    folds
        Number of random parts of the rows; each is scored by the model of the others.
    sample_size
        Imaginary rows of the prior of each probability table, for learners that score by no such
        prior themselves; 0 is maximum likelihood.
    seed
        Seed of the folds and of the learner's random numbers. With the same seed all learners have
        the same folds.
    **parameters
        The learner's parameters.

    Examples
    --------
    >>> from dagathlon import Network
    >>> data = Network.load("asia").sample(500, seed=1)
    >>> found = cross_validate(data, "hc[score=bdeu]", folds=5)
    >>> found.rows
    500
    """
    table = data if isinstance(data, Dataset) else read_data(data)
    chosen = LearnerSpec.of(learner, parameters).learner()
    score = PredictedRows(sample_size=sample_size).for_learner(chosen)
    results = []
    for number in range(1, folds + 1):
        fold = Fold.from_json({"number": number, "folds": folds})
        training, test = (
            one.apply(table, np.random.Generator(np.random.Philox(key=seed)))
            for one in (fold, replace(fold, left_out=True))
        )
        estimate = learn(training, chosen, seed=seed)
        results.append(score.compute(training, test, estimate))
    return joined_folds(results)


def joined_folds(folds: Sequence[Mapping[str, Any] | None]) -> CrossValidated:
    """Combine the values of all folds.

    Parameters
    ----------
    folds
        Result of `PredictedRows` for each fold; None where learning failed.
    """
    results = [fold[_NAME] for fold in folds if fold is not None]
    if len(results) < len(folds) or not results:
        missing = len(folds) - len(results)
        return CrossValidated(None, note=f"nothing was learned in {missing} of {len(folds)} folds")
    notes = [fold["note"] for fold in results if "note" in fold]
    if notes:
        where = f" (in {len(notes)} of {len(folds)} folds)" if len(notes) < len(folds) else ""
        return CrossValidated(None, note=f"{notes[0]}{where}")
    n = sum(fold["rows"] for fold in results)
    if not n:
        return CrossValidated(None, note="there is no row without missing values")
    mean = sum(fold["rows"] * fold["mean"] for fold in results) / n
    spread = sum(f["spread"] + f["rows"] * (f["mean"] - mean) ** 2 for f in results)
    error = math.sqrt(spread / (n - 1) / n) if n > 1 else None
    blocks = tuple(block for fold in results for block in fold["blocks"])
    remark = next((fold["remark"] for fold in results if "remark" in fold), "")
    return CrossValidated(mean, error, n, blocks, remark=remark)

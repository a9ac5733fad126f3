"""Steps of a plan that need no true graph: rows held out, and what a graph says of the data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dagathlon.data import Dataset
from dagathlon.errors import DagathlonError
from dagathlon.evaluate.models.approximate_extension import (
    REMARK,
    ApproximateExtension,
    approximate_extension,
    why_no_dag,
)
from dagathlon.evaluate.models.likelihood import cross_validated_rows
from dagathlon.evaluations.no_truth.checks import Tested, audit
from dagathlon.frame import Cells
from dagathlon.graphs import Graph, Mark
from dagathlon.learners.base import Estimate
from dagathlon.learners.independence import DEFAULT_TESTS, problem_of_test, shared_tests
from dagathlon.modules import Delegate, Module, Natural, Probability

# Of more rows than this, means of neighbouring rows are kept: enough for a standard error.
MOST_BLOCKS = 1000
_MOST_KEPT = 200


class Difference(NamedTuple):
    """Mean of paired differences, with its standard error; None for a single pair."""

    mean: float
    error: float | None


def paired_difference(left: Sequence[float], right: Sequence[float]) -> Difference:
    """Return the mean of left minus right over pairs."""
    apart = np.subtract(left, right)
    error = float(np.std(apart, ddof=1) / math.sqrt(len(apart))) if len(apart) > 1 else None
    return Difference(float(np.mean(apart)), error)


@dataclass(frozen=True, kw_only=True)
class HeldOutRows(Module):
    """Log-likelihoods of rows under parameters fitted without them, for paired comparisons.

    Parameters
    ----------
    folds
        Number of parts; each is scored with parameters fitted to the others.
    """

    name = "held_out_rows"
    kind = "metric"
    folds: Natural = 10

    def compute(self, data: Dataset, estimate: Estimate | None = None) -> Cells:
        """Return block means over the rows, of the empty graph without an estimate, or an error."""
        graph = Graph(data.names) if estimate is None else estimate.graph
        note = why_no_dag(graph)
        if note:
            return {"held_out_rows": {"note": note}}
        extended = approximate_extension(graph)
        try:
            rows = cross_validated_rows(extended.dag, data, self.folds)
        except DagathlonError as error:
            return {"held_out_rows": {"note": str(error)}}
        if not np.isfinite(rows).all():
            return {"held_out_rows": {"note": "some rows have no finite log-likelihood"}}
        blocks = np.array_split(rows, min(len(rows), MOST_BLOCKS))
        means = [float(block.mean()) for block in blocks]
        result = {"rows": len(rows), "mean": float(rows.mean()), "blocks": means}
        return {"held_out_rows": result | _remark(extended)}


@dataclass(frozen=True, kw_only=True)
class ImpliedIndependences(Module):
    """Tests on the data of the independences that a graph implies, and of its edges.

    Parameters
    ----------
    test
        A test by name; null is the one for the kind of data.
    alpha
        Level of Holm's correction for independences, and of single tests for edges.
    most
        Largest number of independences to test.
    """

    name = "implied_independences"
    kind = "metric"
    test: str | None = None
    alpha: Probability = 0.05
    most: Natural = 5000

    def compute(self, data: Dataset, estimate: Estimate) -> Cells:
        """Return counts and rejected statements, or why there are none."""
        graph, remark = estimate.graph, dict[str, str]()
        if graph.kind == "mixed" and not (graph.marks == Mark.CIRCLE).any():
            extended = approximate_extension(graph)
            graph, remark = extended.dag, _remark(extended)
        try:
            result = audit(graph, data, test=self.test, alpha=self.alpha, most=self.most)
        except DagathlonError as error:
            return {"implied_independences": {"note": str(error)}}
        row = {
            "test": result.test,
            "statements": result.statements,
            "tested": result.tested,
            "undefined": result.undefined,
            "n_rejected": len(result.rejected),
            "rejected": [_plain(item) for item in result.rejected[:_MOST_KEPT]],
            "edges": result.edges,
            "n_needless": len(result.needless),
            "needless": [_plain(item) for item in result.needless[:_MOST_KEPT]],
        }
        return {"implied_independences": row | remark}

    def problem(self) -> str:
        """Return an error unless the named test exists."""
        return "" if self.test is None else problem_of_test(self.test)

    def delegates(self) -> tuple[Delegate, ...]:
        """Return the tests, so that their versions count."""
        return shared_tests(*(DEFAULT_TESTS.values() if self.test is None else (self.test,)))


def _remark(extended: ApproximateExtension) -> dict[str, str]:
    return {} if extended.exact else {"remark": REMARK}


def _plain(tested: Tested) -> list[Any]:
    return [
        tested.statement.x,
        tested.statement.y,
        list(tested.statement.given),
        tested.p_value,
        tested.adjusted,
    ]

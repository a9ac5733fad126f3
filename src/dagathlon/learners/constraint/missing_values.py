"""PC for data whose missingness depends on other variables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from dagathlon import _core
from dagathlon.data import Dataset, Variable
from dagathlon.data.spec import DataFacts, DataKind, facts_of
from dagathlon.errors import DataError
from dagathlon.learners.base import Estimate
from dagathlon.learners.constraint.pc import Pc
from dagathlon.learners.independence import (
    DELETION,
    IndependenceTest,
    independence_test,
    shared_tests,
    with_ending,
)
from dagathlon.modules import Delegate

_MVPC = (
    "Tu, Zhang, Ackermann, Bertilson, Glymour, Kjellström and Zhang 2019, Causal discovery in the "
    "presence of missing data, AISTATS"
)
# Tests of missingness use the rows complete in all given variables, which become few.
_LARGEST_SET_OF_CAUSES = 3
_PCALG_LARGEST = 0.9999999


@dataclass(frozen=True, kw_only=True)
class MissingValuePc(Pc):
    """PC with test-wise deletion that finds the causes of missingness and corrects for them.

    Deletion of rows can create a false edge: between two causes of a variable on which the
    missingness of one of them depends. The causes of the missingness of each variable are found
    by tests of its missingness indicator; edges whose ends have a common neighbour are then
    tested again with a correction. Without missing values it is `pc`.

    A variable must not cause its own missingness, and indicators must not cause each other.

    Parameters
    ----------
    test
        Name of the test; null is gaussCItest for continuous and binCItest for discrete data. With
        a correction these and disCItest.
    correction
        Rows weighted by the inverse probability of being complete (density-ratio), or the causes of
        missingness permuted to their distribution in all rows (permutation; its mean over all
        permutations, so that nothing is random); null is none.
    deletion
        Whether tests before the correction use the rows that are complete in their own variables
        (test-wise) or in all variables (complete-rows).
    """

    name = "pc_missing"
    gives = "cpdag"
    takes: ClassVar[frozenset[DataKind]] = frozenset({"continuous", "discrete"})
    handles_missing = True
    references: ClassVar[tuple[str, ...]] = (_MVPC,)

    correction: Literal["density-ratio", "permutation"] | None = "permutation"
    deletion: Literal["test-wise", "complete-rows"] = "test-wise"

    def problem(self) -> str:
        """Return a message if the test has no correction for missingness; empty otherwise."""
        corrected = (None, *_TESTS.values(), "disCItest")
        if self.correction is not None and self.test not in corrected:
            return (
                f"{self.name} corrects the tests 'gaussCItest' (continuous), 'binCItest' and "
                f"'disCItest' (discrete), not {self.test!r}; set test to null or correction to null"
            )
        if self.skeleton_only and self.correction is not None:
            return "skeleton_only goes with correction null only"
        return super().problem()

    def why_unsuitable(self, data: DataFacts) -> str:
        """Return the empty text: missing values are handled."""
        return super().why_unsuitable(DataFacts(data.kind, data.binary, False, data.interventions))

    def delegates(self) -> tuple[Delegate, ...]:
        """Return the tests, those of the causes of missingness included."""
        return (*super().delegates(), *shared_tests(*_TESTS.values()))

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Learn a CPDAG."""
        used = _complete_rows(data) if self.deletion == "complete-rows" else data
        name = self.test or _TESTS[facts_of(data).kind or "continuous"]
        gaps = used.missing is not None
        plain = replace(self, test=with_ending(name, DELETION) if gaps else name).make_test(
            used, rng
        )
        if data.missing is None or self.correction is None:
            return self.learn_with(plain, rng)
        causes = missingness_causes(data, alpha=self.alpha)
        corrected = _corrected(plain, data, causes, self.correction)
        estimate = self.learn_with(plain, rng, corrected)
        n_causes = sum(len(found) for found in causes.values())
        return replace(estimate, stats={**estimate.stats, "missingness_causes": n_causes})


_TESTS: dict[str, str] = {"continuous": "gaussCItest", "discrete": "binCItest"}


def missingness_causes(data: Dataset, *, alpha: float = 0.05) -> dict[str, list[str]]:
    """Return, for each variable with missing values, the variables on which missingness depends.

    Tests whether the missingness indicator is independent of another variable given others, in
    the rows where these are observed, as PC does for the neighbours of a node. Variables are
    all continuous or all discrete.

    Parameters
    ----------
    data
        Data with missing values.
    alpha
        Significance level of the tests.
    """
    missing = data.missing
    if missing is None:
        return {}
    kind = facts_of(data).kind
    if kind not in _TESTS:
        raise DataError("causes of missing values are found in continuous or in discrete data")
    incomplete = [j for j in range(missing.shape[1]) if missing[:, j].any()]
    test = independence_test(_with_indicators(data, incomplete), _TESTS[kind] + DELETION)
    p = len(data.names)
    causes = {}
    for k, j in enumerate(incomplete):
        others = [i for i in range(p) if i != j]
        rows = _core.direct_neighbours(test.native, p + k, others, alpha, _LARGEST_SET_OF_CAUSES)
        causes[data.names[j]] = [data.names[i] for i in rows]
    return causes


def _with_indicators(data: Dataset, columns: list[int]) -> Dataset:
    missing = data.missing
    assert missing is not None
    indicators = missing[:, columns]
    names = [f"gap {k}" for k in range(len(columns))]
    if data.is_discrete:
        added = [Variable(name, ("0", "1")) for name in names]
        codes = data.codes.astype(np.uint16)
        codes[data.codes == data.missing_code] = np.iinfo(np.uint16).max
        joined = np.column_stack([codes, indicators.astype(np.uint16)])
        return Dataset([*data.variables, *added], codes=joined)
    added = [Variable(name) for name in names]
    values = np.column_stack([data.values, indicators.astype(np.float64)])
    return Dataset([*data.variables, *added], values=values)


def _corrected(
    plain: IndependenceTest, data: Dataset, causes: dict[str, list[str]], correction: str
) -> _core.IndependenceTest:
    rows = [[data.position(cause) for cause in causes.get(name, [])] for name in data.names]
    if data.is_discrete:
        return _core.corrected_discrete_test(
            plain.native, data.codes, list(data.arities), rows, correction
        )
    return _core.corrected_gaussian_test(
        plain.native, data.values, rows, correction, _PCALG_LARGEST
    )


def _complete_rows(data: Dataset) -> Dataset:
    if data.missing is None:
        return data
    rows = np.flatnonzero(~data.missing.any(axis=1))
    if len(rows) < 2:
        raise DataError(
            f"{len(rows)} of {len(data)} rows are complete, and tests need at least 2; set "
            "deletion to 'test-wise'"
        )
    return data.take(rows)

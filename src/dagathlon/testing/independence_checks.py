"""`check_test`: the conformance suite of independence tests."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from dagathlon.data import Dataset
from dagathlon.data.spec import DataKind
from dagathlon.errors import DagathlonError
from dagathlon.learners.independence import (
    DELETION,
    IMPUTATION,
    IndependenceTest,
    TestModule,
    independence_test,
    known_tests,
)
from dagathlon.learners.run import make_ready
from dagathlon.testing.generators import description_problems
from dagathlon.testing.reports import ConformanceError, OnCheck, close
from dagathlon.testing.samples import NAMES, awkward, of_values, ordinary, with_missing

_KINDS: tuple[DataKind, ...] = ("continuous", "discrete", "mixed")
_A, _B, _C, _D, _E = NAMES
_QUESTIONS = ((_A, _B, ()), (_A, _B, (_C,)), (_A, _C, (_B,)), (_A, _E, (_B, _C, _D)))
_ROWS = 300
_SAMPLES, _LEVEL = 100, 0.05
# Of 100 p-values of independent variables more than 15 are below .05 once in 30,000 times.
_MOST_BELOW = 15
_POWER = 0.01


def check_test(test: TestModule | type[TestModule] | str, *, seconds: float = 60.0) -> None:
    """Check that a test of conditional independence can be used by learners.

    Its p-values must be probabilities, the same whenever they are computed, for x and y exchanged,
    and for other orders of rows and columns; small under strong dependence, and about uniform under
    independence. Awkward data must be answered or refused with a `DagathlonError`.

    Parameters
    ----------
    test
        The test, its class (used with its defaults), or its name.
    seconds
        Time limit of a single test on 300 rows.

    Raises
    ------
    ConformanceError
        If there are problems; the message lists all of them.
    """
    ConformanceError.refuse(problems_of_test(test, seconds=seconds))


def problems_of_test(
    test: TestModule | type[TestModule] | str,
    *,
    seconds: float = 60.0,
    on_check: OnCheck = lambda _: None,
) -> list[str]:
    """Return the problems for which `check_test` would raise an error.

    Parameters
    ----------
    test, seconds
        As for `check_test`.
    on_check
        Called with the name of each check.
    """
    on_check("its description")
    module_of_test = known_tests()[test] if isinstance(test, str) else test
    cls = module_of_test if isinstance(module_of_test, type) else type(module_of_test)
    problems = list(description_problems(cls))
    try:
        module = cls.from_json({}) if isinstance(module_of_test, type) else module_of_test
    except DagathlonError as error:
        return [*problems, f"its defaults are not valid: {error}"]
    make_ready(cls)
    if not cls.takes:
        problems.append("it takes no kind of data")
    for kind in _KINDS:
        if kind in cls.takes:
            trial = _Trial(module, kind, seconds, on_check)
            problems += [f"{kind} data: {problem}" for problem in trial.problems()]
    return problems


@dataclass(frozen=True)
class _Trial:
    """The checks on one kind of data."""

    module: TestModule
    kind: DataKind
    seconds: float
    on_check: OnCheck

    def problems(self) -> Iterator[str]:
        checks: dict[str, Callable[[], Iterator[str]]] = {
            "probabilities": self._probabilities,
            "the order of rows and columns": self._orders,
            "independent variables": self._level,
            "strong dependence": self._power,
            "missing values": self._missing,
            "awkward data": self._awkward,
        }
        for what, check in checks.items():
            self.on_check(f"{self.kind} data: {what}")
            try:
                problems = list(check())
            except Exception as error:
                problems = [f"{what}: {type(error).__name__}: {error}"]
            yield from problems
            if problems and what == "probabilities":
                return

    def _on(self, data: Dataset) -> IndependenceTest:
        return independence_test(data, self.module, seed=1)

    def _p_values(self, data: Dataset) -> list[float]:
        test = self._on(data)
        return [test.test(*question).p_value for question in _QUESTIONS]

    def _probabilities(self) -> Iterator[str]:
        data = ordinary(self.kind, _ROWS)
        before, begin = data.fingerprint, time.perf_counter()
        p_values = self._p_values(data)
        taken = (time.perf_counter() - begin) / len(p_values)
        if taken > self.seconds:
            yield f"a question took {taken:.1f} s, more than {self.seconds:g} s"
        if not all(0 <= p <= 1 for p in p_values):
            yield f"its p-values are not between 0 and 1: {p_values}"
        if self._p_values(data) != p_values:
            yield "the same question has another answer the second time"
        copies = np.array(data.codes), np.array(data.values)
        if Dataset(data.variables, *copies).fingerprint != before:
            yield "it changes the data"
        test = self._on(data)
        turned = [test.test(y, x, given[::-1]).p_value for x, y, given in _QUESTIONS]
        if self.module.symmetric and not close(p_values, turned):
            yield "x and y exchanged have another p-value (if so by design: symmetric = False)"

    def _orders(self) -> Iterator[str]:
        if self.module.needs_seed():
            return
        data = ordinary(self.kind, _ROWS)
        p_values = self._p_values(data)
        columns = data.select(tuple(reversed(data.names)))
        if not (self.module.by_columns or close(p_values, self._p_values(columns))):
            yield "another order of the columns changes p-values (if by design: by_columns = True)"
        rows = data.take(np.random.default_rng(5).permutation(len(data)))
        if not close(p_values, self._p_values(rows)):
            yield "another order of the rows changes p-values"

    def _level(self) -> Iterator[str]:
        rng = np.random.default_rng(2024)
        alone, given = [], []
        for _ in range(_SAMPLES):
            test = self._on(of_values(rng.normal(size=(_ROWS, 3)), self.kind, 3))
            alone.append(test.test(_A, _B).p_value)
            given.append(test.test(_A, _B, [_C]).p_value)
        for what, found in (("", alone), (" given another variable", given)):
            below = sum(p < _LEVEL for p in found)
            if below > _MOST_BELOW:
                yield (
                    f"independent variables{what} have a p-value below {_LEVEL:g} in {below} of "
                    f"{_SAMPLES} samples"
                )

    def _power(self) -> Iterator[str]:
        rng = np.random.default_rng(2025)
        values = rng.normal(size=(_ROWS, 3))
        values[:, 1] = values[:, 0] + 0.3 * values[:, 1]
        test = self._on(of_values(values, self.kind, 3))
        for given in ((), (_C,)):
            p_value = test.test(_A, _B, given).p_value
            if p_value > _POWER:
                yield f"strongly dependent variables have the p-value {p_value:g}"

    def _missing(self) -> Iterator[str]:
        data = next(iter(with_missing(self.kind, 3))).data
        made = {}
        if self.module.leaves_out_rows:
            made[DELETION] = self.module.make(data, rowwise=True, replicates=20, seed=1)
        if self.module.pools:
            made[IMPUTATION] = self.module.make_pooled(data, copies=3, seed=1)
        for ending, native in made.items():
            test = IndependenceTest(data.names, native)
            p_values = [test.test(*question).p_value for question in _QUESTIONS]
            if not all(0 <= p <= 1 for p in p_values):
                yield f"with {ending} its p-values are not between 0 and 1: {p_values}"

    def _awkward(self) -> Iterator[str]:
        for sample in awkward(self.kind, 3):
            x, *others = sample.data.names
            try:
                test = self._on(sample.data)
                p_values = [test.test(x, others[0], others[1:k]).p_value for k in (1, 3) if others]
            except (DagathlonError, MemoryError):
                continue
            except Exception as error:
                yield f"{sample.what}: {type(error).__name__}: {error}"
                continue
            if not all(0 <= p <= 1 for p in p_values):
                yield f"{sample.what}: its p-values are not between 0 and 1: {p_values}"

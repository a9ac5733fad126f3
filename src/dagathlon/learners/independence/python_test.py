"""`PythonTest`: tests of conditional independence written in Python."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from dagathlon import _core
from dagathlon.data.dataset import Dataset
from dagathlon.errors import WrongResultError
from dagathlon.learners.independence.module import Options, TestModule


@dataclass(frozen=True, kw_only=True)
class PythonTest(TestModule):
    """Base class of tests of conditional independence with a Python method for p-values.

    Constraint-based and hybrid learners, `independence_test` and studies take it like any other
    test. It is called from one thread.
    """

    leaves_out_rows = True
    one_thread = True

    def begin(self, data: Dataset) -> Any:
        """Precompute, once per data set, the argument `data` of `p_value`."""
        return data

    @abstractmethod
    def p_value(self, data: Any, x: str, y: str, given: tuple[str, ...]) -> float | None:
        """Return the p-value of independence of two variables given others.

        Parameters
        ----------
        data
            What `begin` returned for the data.
        x, y
            Names of the two variables.
        given
            Names of the given ones, in the order of the columns.

        Returns
        -------
        float
            From 0 to 1, or None when the data cannot answer.
        """

    def native(self, data: Dataset, options: Options) -> _core.IndependenceTest:
        """Build a native test that calls `p_value`."""
        asked = self._rowwise(data) if options.rowwise else self._plain(data)
        names = data.names

        def answer(x: int, y: int, given: Sequence[int]) -> float | None:
            question = names[x], names[y], tuple(names[k] for k in sorted(given))
            return self._checked(asked(*question), *question)

        return _core.callback_test(len(names), answer)

    def _plain(self, data: Dataset) -> Callable[..., Any]:
        begun = self.begin(data)
        return lambda x, y, given: self.p_value(begun, x, y, given)

    def _rowwise(self, data: Dataset) -> Callable[..., Any]:
        """Return a callback that tests on the rows complete in the variables of the question."""

        def answer(x: str, y: str, given: tuple[str, ...]) -> Any:
            part = data.select([name for name in data.names if name in (x, y, *given)])
            if part.missing is not None:
                part = part.take(np.flatnonzero(~part.missing.any(axis=1)))
            return self.p_value(self.begin(part), x, y, given) if len(part) > 1 else None

        return answer

    def _checked(self, found: Any, x: str, y: str, given: tuple[str, ...]) -> float | None:
        if found is None:
            return None
        if isinstance(found, Real) and 0 <= float(found) <= 1:
            return float(found)
        question = f"{x!r} and {y!r}" + (f" given {', '.join(map(repr, given))}" if given else "")
        raise WrongResultError(
            f"test {self.name} gave {found!r} for {question}; a p-value is between 0 and 1, or "
            "None where the data cannot answer"
        )

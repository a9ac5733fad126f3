"""Counts of a search's independence tests, and notes on those without an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dagathlon.learners.base import Estimate, Statistic

if TYPE_CHECKING:
    from dagathlon import _core
    from dagathlon.graphs import Graph
    from dagathlon.learners.independence import IndependenceTest

_FEWER_ROWS = "Choose the test wilks-dg, which needs fewer rows, or merge rare levels."
_BETTER_DATA = "Take out constant columns and copies of others, merge rare levels, or add rows."


class TestCounter:
    """Counter of the tests made after its creation.

    Parameters
    ----------
    test
        The test whose calls are counted.
    correction
        A new native test that replaces it late in the search, and is counted too.
    """

    def __init__(
        self, test: IndependenceTest, correction: _core.IndependenceTest | None = None
    ) -> None:
        self._test = test
        self._correction = correction
        self._before = test.calls, test.undefined

    @property
    def tests(self) -> int:
        """Number of tests."""
        more = 0 if self._correction is None else self._correction.calls
        return self._test.calls - self._before[0] + more

    @property
    def undefined(self) -> int:
        """Number of tests that the data could not answer."""
        more = 0 if self._correction is None else self._correction.undefined
        return self._test.undefined - self._before[1] + more

    def estimate(self, graph: Graph, stats: Mapping[str, Statistic] = {}) -> Estimate:
        """Return the search's result with the test counts and notes on undefined tests."""
        counted = {"ntests": self.tests, "undefined_tests": self.undefined}
        bounded = self._test.native.bounded
        bound = {"order_bound": self._test.native.untestable_order} if bounded else {}
        return Estimate(graph, {**counted, **bound, **stats}, notes=self.notes())

    def notes(self) -> tuple[str, ...]:
        """Return notes on tests that were undefined or were not made for lack of rows."""
        native = self._test.native
        notes = []
        if self.undefined:
            notes.append(self._on_undefined(native.undefined_is_independent))
        if native.bounded:
            notes.append(
                f"Given variables were bounded at {native.untestable_order}, because the rows are "
                "too few to test more and edges without an answer stay; set max_order to a "
                "number, or to inf for no limit."
            )
        return tuple(notes)

    def _on_undefined(self, independent: bool) -> str:
        taken, edges = ("independence", "missing") if independent else ("dependence", "too many")
        module = self._test.module
        by_configuration = module is not None and module.by_cells and "mixed" in module.takes
        return (
            f"The data could not answer {self.undefined} of {self.tests} tests, which count as "
            f"{taken}, so that edges may be {edges}. "
            f"{_FEWER_ROWS if by_configuration else _BETTER_DATA}"
        )

"""Factors: tables over some variables, multiplied and summed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from dagathlon.data.models.distributions import FloatArray


@dataclass(frozen=True)
class Factor:
    """A table of numbers that are not negative, one axis for each variable.

    Parameters
    ----------
    variables
        Numbers of the variables, increasing.
    table
        One axis per variable, in their order.
    """

    variables: tuple[int, ...]
    table: FloatArray

    @classmethod
    def of(cls, variables: Sequence[int], table: FloatArray) -> Factor:
        """A factor whose axes stand in any order."""
        order = np.argsort(variables, kind="stable")
        return cls(tuple(int(variables[i]) for i in order), np.transpose(table, order))

    def given(self, known: dict[int, int]) -> Factor:
        """The factor at known levels of some variables, which it has no longer."""
        place = tuple(known.get(variable, slice(None)) for variable in self.variables)
        return Factor(tuple(v for v in self.variables if v not in known), self.table[place])

    def summed_onto(self, variables: Sequence[int]) -> Factor:
        """The sum over all variables but these."""
        return Factor(self._kept(variables), self.table.sum(axis=self._others(variables)))

    def largest_onto(self, variables: Sequence[int]) -> Factor:
        """The largest number over all variables but these."""
        return Factor(self._kept(variables), self.table.max(axis=self._others(variables)))

    def spread(self, variables: Sequence[int]) -> FloatArray:
        """The table with an axis of length 1 for each of `variables` that it lacks."""
        sizes = dict(zip(self.variables, self.table.shape, strict=True))
        return self.table.reshape([sizes.get(variable, 1) for variable in variables])

    def _kept(self, variables: Sequence[int]) -> tuple[int, ...]:
        wanted = set(variables)
        return tuple(variable for variable in self.variables if variable in wanted)

    def _others(self, variables: Sequence[int]) -> tuple[int, ...]:
        wanted = set(variables)
        return tuple(k for k, variable in enumerate(self.variables) if variable not in wanted)


def product(
    factors: Iterable[Factor], variables: Sequence[int], sizes: Sequence[int]
) -> tuple[Factor, float]:
    """The product over `variables`, divided by its largest number, and the log of that number.

    Minus infinity where the product is zero everywhere, which is then what comes back.
    """
    table = np.ones([sizes[variable] for variable in variables])
    scale = 0.0
    for factor in factors:
        table *= factor.spread(variables)
        # A product of hundreds of probabilities would have no place among floating-point numbers.
        largest = float(table.max())
        if largest == 0:
            return Factor(tuple(variables), table), -math.inf
        table /= largest
        scale += math.log(largest)
    return Factor(tuple(variables), table), scale

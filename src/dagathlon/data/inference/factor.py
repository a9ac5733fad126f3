"""Factors: tables over discrete variables, with product and marginalisation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from dagathlon.data.models.distributions import FloatArray


@dataclass(frozen=True)
class Factor:
    """Table of nonnegative numbers with one axis per variable.

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
        """Make a factor from a table whose axes are in any order."""
        order = np.argsort(variables, kind="stable")
        return cls(tuple(int(variables[i]) for i in order), np.transpose(table, order))

    def given(self, known: dict[int, int]) -> Factor:
        """Return the factor at known levels of some variables, whose axes are dropped."""
        place = tuple(known.get(variable, slice(None)) for variable in self.variables)
        return Factor(tuple(v for v in self.variables if v not in known), self.table[place])

    def summed_onto(self, variables: Sequence[int]) -> Factor:
        """Sum over all variables except these."""
        return Factor(self._kept(variables), self.table.sum(axis=self._others(variables)))

    def largest_onto(self, variables: Sequence[int]) -> Factor:
        """Maximise over all variables except these."""
        return Factor(self._kept(variables), self.table.max(axis=self._others(variables)))

    def spread(self, variables: Sequence[int]) -> FloatArray:
        """Return the table with an axis of length 1 for each of `variables` that it lacks."""
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
    """Return the product over `variables`, divided by its maximum, and the log of that maximum.

    The logarithm is minus infinity and the product zero where the product vanishes everywhere.
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

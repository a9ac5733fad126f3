"""`Variable`: the name and the levels of one column."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from dagathlon.errors import DataError

MAX_LEVELS = 65_535
"""Most levels a discrete variable can have: one 16-bit code is reserved for missing values."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A named column: continuous, or discrete with levels.

    Parameters
    ----------
    name
        Not empty.
    levels
        Labels of the levels of a discrete variable, in the order of their codes 0, 1, …;
        ``None`` for a continuous variable.
    ordered
        Whether the order of the levels is meaningful, as in low, medium, high: the variable is
        ordinal. Scores and tests count its levels as they count those of any discrete variable.
    """

    name: str
    levels: tuple[str, ...] | None = None
    ordered: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise DataError(f"a variable's name is a non-empty text, found {self.name!r}")
        if self.levels is None:
            if self.ordered:
                raise DataError(f"variable {self.name!r}: an ordered variable needs levels")
            return
        levels = tuple(self.levels)
        object.__setattr__(self, "levels", levels)
        if not 1 <= len(levels) <= MAX_LEVELS:
            raise DataError(
                f"variable {self.name!r}: found {len(levels)} levels, "
                f"allowed are 1 to {MAX_LEVELS}; a column of distinct values is not discrete"
            )
        if not all(isinstance(level, str) for level in levels):
            odd = next(level for level in levels if not isinstance(level, str))
            raise DataError(f"variable {self.name!r}: a level is a text, found {odd!r}")
        if len(set(levels)) != len(levels):
            raise DataError(
                f"variable {self.name!r}: level {first_repeated(levels)!r} stands twice"
            )

    @classmethod
    def coded(cls, name: str, arity: int) -> Variable:
        """A discrete variable whose levels are called ``0`` to ``arity - 1``."""
        return cls(name, tuple(map(str, range(arity))))

    @property
    def parts(self) -> list[Any]:
        """The variable as a JSON list; `ordered` is included only where it is true."""
        return [self.name, self.levels, True] if self.ordered else [self.name, self.levels]

    @property
    def is_discrete(self) -> bool:
        """Whether the variable has levels."""
        return self.levels is not None

    @property
    def arity(self) -> int:
        """Number of levels of a discrete variable."""
        if self.levels is None:
            raise DataError(f"variable {self.name!r} is continuous: it has no number of levels")
        return len(self.levels)


def first_repeated(words: Iterable[str]) -> str | None:
    """Return the first word that occurs twice, or None."""
    seen: set[str] = set()
    for word in words:
        if word in seen:
            return word
        seen.add(word)
    return None

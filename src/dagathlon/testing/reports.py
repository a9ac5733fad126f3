"""The error of the conformance suites, and the comparison of numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

OnCheck: TypeAlias = Callable[[str], None]


class ConformanceError(AssertionError):
    """Error for a module that fails its conformance suite; the message lists every problem."""

    @classmethod
    def refuse(cls, problems: Sequence[str]) -> None:
        """Raise the error if there are problems."""
        if problems:
            lines = "\n".join(f"- {problem}" for problem in problems)
            raise cls(f"{len(problems)} problems:\n{lines}")


def close(one: float | Sequence[float], other: float | Sequence[float]) -> bool:
    """Return whether numbers are equal up to rounding."""
    return bool(np.allclose(one, other, rtol=1e-6, atol=1e-6))

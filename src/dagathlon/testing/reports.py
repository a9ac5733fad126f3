"""What the checks of modules share: their error, and when numbers are the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

OnCheck: TypeAlias = Callable[[str], None]


class ConformanceError(AssertionError):
    """A module does not do what studies rely on; the message lists every problem."""

    @classmethod
    def refuse(cls, problems: Sequence[str]) -> None:
        """Raise it if there are problems."""
        if problems:
            lines = "\n".join(f"- {problem}" for problem in problems)
            raise cls(f"{len(problems)} problems:\n{lines}")


def close(one: float | Sequence[float], other: float | Sequence[float]) -> bool:
    """Whether numbers are the same but for rounding."""
    return bool(np.allclose(one, other, rtol=1e-6, atol=1e-6))

"""Learners that call SciPy, which brings a linear algebra library of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from dagathlon.learners.base import Learner


@dataclass(frozen=True, kw_only=True)
class ScipyLearner(Learner):
    """A learner that loads SciPy before it runs.

    Only libraries that are loaded can be kept to one thread. Where SciPy came with the first run,
    that run had as many threads as the machine has cores, most of them waiting: 12 seconds of
    processor time in the place of one.
    """

    uses_blas = True

    @classmethod
    def prepare(cls, say: Callable[[str], None] | None = None) -> None:
        """Load what is called."""
        for name in ("linalg", "optimize", "special"):
            import_module(f"scipy.{name}")

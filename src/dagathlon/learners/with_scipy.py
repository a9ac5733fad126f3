"""Base class of learners that call SciPy, which brings its own BLAS library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from dagathlon.learners.base import Learner


@dataclass(frozen=True, kw_only=True)
class ScipyLearner(Learner):
    """Base class of learners that import SciPy before they run.

    Only loaded libraries can be limited to one thread. When the first run imported SciPy, its
    BLAS used as many threads as the machine has cores, most of them busy waiting: 12 seconds of
    processor time instead of one.
    """

    uses_blas = True

    @classmethod
    def prepare(cls, say: Callable[[str], None] | None = None) -> None:
        """Import the parts of SciPy that the learner calls."""
        for name in ("linalg", "optimize", "special"):
            import_module(f"scipy.{name}")

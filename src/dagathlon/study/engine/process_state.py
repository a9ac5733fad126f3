"""State of the process that a module may change for those that run after it."""

from __future__ import annotations

import resource
import threading
from typing import NamedTuple, Self

# As they were before any module could replace them.
_limit, _threads = resource.getrlimit, threading.active_count
_LIMITS = sorted({value for name, value in vars(resource).items() if name.startswith("RLIMIT_")})


class ProcessState(NamedTuple):
    """Limits of the process, and its number of Python threads."""

    limits: tuple[tuple[int, int], ...]
    threads: int

    @classmethod
    def now(cls) -> Self:
        """Return the present state."""
        return cls(tuple(map(_limit, _LIMITS)), _threads())

    def has_changed(self) -> bool:
        """Return whether limits differ now, or threads were left behind."""
        now = self.now()
        return now.limits != self.limits or now.threads > self.threads

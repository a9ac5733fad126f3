"""Whether processes that a test has started have come to their end."""

from __future__ import annotations

import time
from pathlib import Path

_PATIENCE_SECONDS = 60.0


def has_ended(pid: int | str) -> bool:
    """Whether a process that was killed is gone, or only waits to be buried.

    The kernel ends it, and another process buries it, when they have the time.
    """
    end = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < end:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state in "ZX":
            return True
        time.sleep(0.01)
    return False

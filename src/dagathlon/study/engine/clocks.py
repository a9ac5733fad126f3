"""The functions of `time` as they were before any module could replace them."""

from __future__ import annotations

import time

monotonic = time.monotonic
perf_counter = time.perf_counter
process_time = time.process_time

_CLOCKS = ("monotonic", "perf_counter", "process_time", "time")
_NAMES = ("sleep", *_CLOCKS, *(f"{name}_ns" for name in _CLOCKS))
_OURS = {name: getattr(time, name) for name in _NAMES}


def restore_clocks() -> bool:
    """Restore functions of `time` that a module replaced; return whether any was."""
    replaced = [name for name in _NAMES if getattr(time, name, None) is not _OURS[name]]
    for name in replaced:
        setattr(time, name, _OURS[name])
    return bool(replaced)

"""What the topics use of the harness."""

from benchmarks._measure import (
    LIMIT,
    Measure,
    Row,
    Timing,
    alone,
    best_of,
    compare,
    installed,
    pick,
    row,
    stopped,
    timed,
    version,
)
from benchmarks._tables import print_table, readable

__all__ = [
    "LIMIT",
    "Measure",
    "Row",
    "Timing",
    "alone",
    "best_of",
    "compare",
    "installed",
    "pick",
    "print_table",
    "readable",
    "row",
    "stopped",
    "timed",
    "version",
]

"""gues 0.3.0: unconditional dependence graphs."""

from __future__ import annotations

from dagathlon.benchpress.table import add_classes

add_classes(__name__)

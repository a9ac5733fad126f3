"""Traces of the modules, tests and scores that run while a module works."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from dagathlon.modules import Module
from dagathlon.modules.lineage import lineage

_DESCRIBING = frozenset(
    {"delegates", "native", "native_for", "one_thread", "problem", "accepted", "why_unsuitable"}
)
_OUTSIDE_RESULTS = frozenset({"format", "chart"})


@contextmanager
def tracing() -> Iterator[set[tuple[str, str]]]:
    """Collect kinds and names of the modules that run inside, except formats and charts.

    Calls in native code and in other threads are not seen.
    """
    running: set[tuple[str, str]] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            running.update(_running(frame))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield running
    finally:
        sys.setprofile(before)


def undeclared(module: Module, found: set[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the modules that ran and are not in the lineage of the traced module."""
    return sorted(found - {(module.kind, module.name)} - lineage(module).keys())


def _running(frame: FrameType) -> Iterator[tuple[str, str]]:
    code = frame.f_code
    if code.co_varnames[:1] == ("self",) and not _describes(code.co_name):
        module = frame.f_locals.get("self")
        if isinstance(module, Module) and module.name and module.kind not in _OUTSIDE_RESULTS:
            yield module.kind, module.name


def _describes(method: str) -> bool:
    return method in _DESCRIBING or method.startswith("__")

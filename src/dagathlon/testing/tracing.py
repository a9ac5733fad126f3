"""Which other modules run while a module works, tests and scores among them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from dagathlon.modules import Module
from dagathlon.modules.lineage import lineage

_DESCRIBING = frozenset(
    {"delegates", "native", "native_for", "one_thread", "problem", "accepted", "objection"}
)
_OUTSIDE_RESULTS = frozenset({"format", "chart"})


@contextmanager
def tracing() -> Iterator[set[tuple[str, str]]]:
    """Collect the kinds and names of modules whose code runs inside, but for formats and charts.

    Calls in native code are not seen, nor those in other threads.
    """
    found: set[tuple[str, str]] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            found.update(_running(frame))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(before)


def undeclared(module: Module, found: set[tuple[str, str]]) -> list[tuple[str, str]]:
    """What ran and is not in the lineage of the module whose run was traced."""
    return sorted(found - {(module.kind, module.name)} - lineage(module).keys())


def _running(frame: FrameType) -> Iterator[tuple[str, str]]:
    code = frame.f_code
    if code.co_varnames[:1] == ("self",) and not _describes(code.co_name):
        module = frame.f_locals.get("self")
        if isinstance(module, Module) and module.name and module.kind not in _OUTSIDE_RESULTS:
            yield module.kind, module.name


def _describes(method: str) -> bool:
    return method in _DESCRIBING or method.startswith("__")

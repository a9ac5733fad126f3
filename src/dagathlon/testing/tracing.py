"""What runs while a module works: other modules, and the tests and scores that modules share."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from dagathlon.learners.independence.catalogue import TESTS, TestKind
from dagathlon.learners.score.scores import native_score
from dagathlon.modules import Module
from dagathlon.modules.lineage import lineage

_DESCRIBING = frozenset({"delegates", "native", "native_for", "problem", "accepted", "objection"})
_MAKING_TESTS = (TestKind.make.__code__, TestKind.make_pooled.__code__)


@contextmanager
def tracing() -> Iterator[set[tuple[str, str]]]:
    """Collect the kinds and names of modules, tests and scores whose code runs inside.

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
    if code is native_score.__code__:
        yield "score", frame.f_locals["score"]
    elif code in _MAKING_TESTS:
        test = frame.f_locals["self"]
        yield from (("test", name) for name, each in TESTS.items() if each is test)
    elif code.co_varnames[:1] == ("self",) and not _describes(code.co_name):
        module = frame.f_locals.get("self")
        if isinstance(module, Module) and module.name:
            yield module.kind, module.name


def _describes(method: str) -> bool:
    return method in _DESCRIBING or method.startswith("__")

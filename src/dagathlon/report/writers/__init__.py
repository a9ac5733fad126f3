"""Evaluation modules: what Benchpress's `evaluation` section asks for, one file each.

A writer is a file here with `EVALUATION`, the class of the study's request, and `write`, which is
given all requests of that class in a setup. It is found by its place; there is no list to edit.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

from dagathlon.report.context import Context
from dagathlon.study.grammar.evaluation import Evaluation

Writer: TypeAlias = Callable[[Context, Sequence[Any]], None]


def writers() -> Iterator[tuple[type[Evaluation], Writer]]:
    """All writers, with what they answer to."""
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        yield module.EVALUATION, module.write

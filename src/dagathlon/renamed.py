"""Former names of public objects, which work until 1.0 with a deprecation note."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Mapping
from typing import Any


def renamed(package: str, names: Mapping[str, str], *, stacklevel: int = 2) -> Callable[[str], Any]:
    """Return a module's ``__getattr__`` that resolves former names, with a deprecation warning.

    Parameters
    ----------
    package
        Name of the module.
    names
        For each former name ``module:name``, where it is now.
    stacklevel
        Number of frames from the warning up to the code that uses the former name.
    """

    def look_up(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, attribute = names[name].partition(":")
        message = f"{package}.{name} is {module}.{attribute} now; the old name goes with 1.0"
        warnings.warn(message, DeprecationWarning, stacklevel=stacklevel)
        return getattr(importlib.import_module(module), attribute)

    return look_up

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


def keep_former_methods(cls: type, names: Mapping[str, str]) -> None:
    """Keep a class's methods callable, and overrides of them in effect, under former names.

    Call it for the base class and in its ``__init_subclass__``. A subclass that overrides a former
    name only gets its method under the new name too; ``super()`` works across both names.

    Parameters
    ----------
    cls
        The class.
    names
        For each former name the new one.
    """
    for former, name in names.items():
        owner = next(vars(c) for c in cls.__mro__ if name in vars(c) or former in vars(c))
        if name not in owner:
            message = f"{cls.__qualname__}.{former} is {name} now; the old name goes with 1.0"
            warnings.warn(message, DeprecationWarning, stacklevel=3)
            setattr(cls, name, owner[former])
        elif name in vars(cls):
            setattr(cls, former, _deprecated(owner[name], former, name))


def _deprecated(method: Callable[..., Any], former: str, name: str) -> Callable[..., Any]:
    def call(self: Any, *given: Any, **named: Any) -> Any:
        message = f"{type(self).__qualname__}.{former} is {name} now; the old name goes with 1.0"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return method(self, *given, **named)

    return call

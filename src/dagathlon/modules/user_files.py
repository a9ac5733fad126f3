"""Execution of a user's file, with the files beside it, in its own namespace."""

from __future__ import annotations

import builtins
import hashlib
import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from dagathlon.modules.sources import sibling

_FOLDERS: dict[str, Path] = {}


def namespace_of(path: Path) -> str:
    """Return the package name under which a file and the files beside it are imported."""
    digest = hashlib.sha256(str(path).encode()).hexdigest()[:8]
    return f"dagathlon_file_{path.stem.replace('.', '_')}_{digest}"


def run_file(path: Path) -> ModuleType:
    """Execute a file afresh as a Python module.

    Its import statements find files beside it, as for a script; helpers of the same name beside
    two files do not collide.
    """
    namespace = namespace_of(path)
    _forget(namespace)
    package = ModuleType(namespace)
    package.__path__ = [str(path.parent)]
    sys.modules[namespace] = package
    _FOLDERS[namespace] = path.parent
    name = f"{namespace}.{path.stem.replace('.', '_')}"
    spec = importlib.util.spec_from_file_location(name, path, loader=_Loader(name, str(path)))
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    source = importlib.util.module_from_spec(spec)
    sys.modules[name] = source
    try:
        spec.loader.exec_module(source)
    except BaseException:
        _forget(namespace)
        raise
    return source


def _forget(namespace: str) -> None:
    for name in [n for n in sys.modules if n == namespace or n.startswith(f"{namespace}.")]:
        del sys.modules[name]


class _Loader(SourceFileLoader):
    """Import loader that runs current source and looks beside the user's file first."""

    def get_code(self, fullname: str) -> CodeType:
        # No bytecode cache: it is keyed by time and size, which a quick edit may leave unchanged.
        code: CodeType = self.source_to_code(self.get_data(self.path), self.path)
        return code

    def exec_module(self, module: ModuleType) -> None:
        namespace = module.__name__.partition(".")[0]
        module.__dict__["__builtins__"] = {
            **vars(builtins),
            "__import__": _importer(namespace, _FOLDERS[namespace]),
        }
        super().exec_module(module)


class _Finder(MetaPathFinder):
    """Import finder for the namespaces of users' files."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if path is None or fullname.partition(".")[0] not in _FOLDERS:
            return None
        spec = PathFinder.find_spec(fullname, path)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(fullname, spec.loader.path)
        return spec


sys.meta_path.insert(0, _Finder())


def _importer(namespace: str, folder: Path) -> Callable[..., Any]:
    """Return the ``__import__`` function of a namespace."""

    def import_(
        name: str,
        globals: Mapping[str, Any] | None = None,
        locals: Mapping[str, Any] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        top = name.partition(".")[0]
        if level or sibling(top, folder) is None:
            return builtins.__import__(name, globals, locals, fromlist or (), level)
        module = builtins.__import__(f"{namespace}.{name}", globals, locals, fromlist or (), 0)
        return module if fromlist else sys.modules[f"{namespace}.{top}"]

    return import_

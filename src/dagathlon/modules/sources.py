"""The source files of a user's module, and their version."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib.util
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

_OWN = "dagathlon"
_TRIES = 5


def sibling(name: str, folder: Path) -> ModuleSpec | None:
    """Find a module or package by name in a folder, as for a script in that folder.

    Modules beside a script take precedence over installed ones; only a folder without
    ``__init__.py`` is found after them.
    """
    if name == _OWN:
        return None
    spec = PathFinder.find_spec(name, [str(folder)])
    if spec is None or spec.origin is not None:
        return spec
    installed = importlib.util.find_spec(name)
    return spec if installed is None or installed.origin is None else None


def sources(path: Path) -> list[Path]:
    """Return a file, and the files below its folder that it imports, directly or not.

    All import statements count, those inside functions as well, and calls of ``import_module``
    with a literal name.
    """
    importlib.invalidate_caches()
    files = {path: None}
    waiting = [path]
    while waiting:
        file = waiting.pop()
        for name in _imported(file, path.parent):
            for source in _located(name, path.parent):
                if source not in files:
                    files[source] = None
                    waiting.append(source)
    return list(files)


def version_of(files: Sequence[Path]) -> int:
    """Return a hash of the contents of some files, as a number."""
    first, *others = files
    digest = hashlib.sha256(first.read_bytes())
    for file in sorted(others):
        content = hashlib.sha256(file.read_bytes()).digest()
        digest.update(file.relative_to(first.parent).as_posix().encode() + b"\0" + content)
    return int.from_bytes(digest.digest()[:6], "big")


def _imported(file: Path, folder: Path) -> Iterator[str]:
    """Yield full names of a file's imports, seen from the folder; they need not exist there."""
    if file.suffix != ".py":
        return
    try:
        tree = _parsed(file.read_bytes())
    except (SyntaxError, ValueError):
        return  # the error is raised when the file runs
    package = file.relative_to(folder).parts[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join([*start, *filter(None, [node.module])])
            yield base
            yield from (f"{base}.{alias.name}".lstrip(".") for alias in node.names)
        elif isinstance(node, ast.Call):
            yield from _named_by_call(node)


def _parsed(source: bytes) -> ast.AST:
    """Parse source to a syntax tree; retry, since Python 3.11 may fail in several threads."""
    for _ in range(_TRIES):
        with contextlib.suppress(SystemError):
            return ast.parse(source)
    return ast.parse(source)


def _named_by_call(node: ast.Call) -> Iterator[str]:
    called = getattr(node.func, "attr", getattr(node.func, "id", ""))
    if called in ("import_module", "__import__") and node.args:
        name = node.args[0]
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            yield name.value.lstrip(".")


def _located(name: str, folder: Path) -> Iterator[Path]:
    """Yield the files of a module and of its parent packages that exist in the folder."""
    first, *rest = name.split(".")
    spec = sibling(first, folder) if first else None
    for part in [*rest, None]:
        if spec is None:
            return
        if spec.origin is not None:
            yield Path(spec.origin)
        places = spec.submodule_search_locations
        spec = None if part is None or not places else PathFinder.find_spec(part, list(places))

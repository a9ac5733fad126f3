"""Registry of modules: by the index, by entry points and from the user's files."""

from __future__ import annotations

import functools
import importlib
import inspect
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from dagathlon.errors import StudyError, unknown
from dagathlon.modules.index import index, unindexed
from dagathlon.modules.module import Kind, Module
from dagathlon.modules.sources import sources, version_of
from dagathlon.modules.user_files import namespace_of, run_file

ENTRY_POINTS = "dagathlon.modules"
_FIXED = {
    "fixed_adjmat": "graph_id", "fixed_data": "data_id", "fixed_graph": "graph_id",
    "fixed_params": "parameters_id",
}  # fmt: skip
"""Benchpress's words for fixed files, which are not modules: where a study names the file."""
FILES = "DAGATHLON_MODULES"
"""Environment variable with files and folders of modules, separated as in PATH."""


@functools.cache
def modules(kind: Kind) -> Mapping[str, type[Module]]:
    """Return all modules of a kind by name, sorted; each is imported on access."""
    return _Modules(kind)


class _Modules(Mapping[str, type[Module]]):
    """Mapping of the modules of one kind: indexed ones, the user's, those of other packages.

    Former names are accepted and not listed. Entry points of other packages are loaded when a
    name is neither indexed nor the user's, and when names are listed.
    """

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._places = index().modules.get(kind, {})
        self._load_file: dict[str, type[Module]] = {}
        self._former = dict(index().former.get(kind, {}))
        self._complete = False
        for path in _files():
            for module in self._of_kind(_load_file(path)):
                self._add(module, path)

    def __getitem__(self, name: str) -> type[Module]:
        module = self._known(name) or self._known(self._former.get(name, ""))
        if module is None and not self._complete:
            self._load_others()
            return self[name]
        if module is None:
            raise KeyError(name)
        return module

    def __contains__(self, name: object) -> bool:
        if name in self._load_file or name in self._places or name in self._former:
            return True
        self._load_others()
        return name in self._load_file or name in self._former

    def __iter__(self) -> Iterator[str]:
        self._load_others()
        return iter(sorted({*self._places, *self._load_file}))

    def __len__(self) -> int:
        self._load_others()
        return len({*self._places, *self._load_file})

    def _known(self, name: str) -> type[Module] | None:
        if name not in self._load_file and name in self._places:
            source = importlib.import_module(self._places[name])
            for module in self._of_kind(source):
                self._load_file.setdefault(module.name, module)
        return self._load_file.get(name)

    def _load_others(self) -> None:
        """Load modules outside the index: entry points, and files added since it was written."""
        if self._complete:
            return
        self._complete = True
        for source in _others():
            for module in self._of_kind(source):
                self._add(module)

    def _add(self, module: type[Module], path: str = "") -> None:
        known = self._known(module.name)
        if path and known not in (None, module):
            raise StudyError(f"{path}: there is another {self._kind} module named {module.name!r}")
        self._load_file.setdefault(module.name, module)
        self._former |= dict.fromkeys(module.former_names, module.name)

    def _of_kind(self, source: ModuleType) -> Iterator[type[Module]]:
        return (module for module in defined_in(source) if module.kind == self._kind)


def add_files(paths: Iterable[Path | str]) -> None:
    """Register the user's own modules, here and in the workers of an engine.

    The version of such a module is a hash of its file and of the files beside it that it
    imports, or of its folder, so that results of an earlier text are not reused. A file that
    has changed since it was added is loaded again.

    Parameters
    ----------
    paths
        Python files, and folders of external modules, which have a ``module.toml``.
    """
    added = [str(Path(path).resolve()) for path in paths]
    for path in added:
        _load_if_changed(path)  # a file that cannot be loaded must not block all others later
    os.environ[FILES] = os.pathsep.join(dict.fromkeys([*_files(), *added]))
    modules.cache_clear()


def load_users() -> None:
    """Import the user's files and the modules of other packages, with the types they declare."""
    for path in _files():
        _load_file(path)
    _others()


def find(kind: Kind, name: str, where: str = "") -> type[Module]:
    """Return the module of that kind and name; raise a `StudyError` for an unknown one."""
    known = modules(kind)
    if name not in known:
        raise StudyError(unknown_module(f"{kind} module", name, known, where))
    return known[name]


def unknown_module(what: str, name: str, known: Iterable[str], where: str = "") -> str:
    """Return the message for an unknown module, with the nearest name, or how to name a file."""
    if name in _FIXED:
        place = f"{where}: " if where else ""
        return f"{place}{name!r} is not a module: name the file in {_FIXED[name]!r} of a data entry"
    return unknown(what, name, known, where)


@functools.cache
def _others() -> tuple[ModuleType, ...]:
    """Return Python modules outside the index: new ones of the package, entry points of others."""
    return (*map(importlib.import_module, unindexed()), *_entry_points())


def _entry_points() -> Iterator[ModuleType]:
    from importlib.metadata import entry_points  # noqa: PLC0415 - many calls do without

    for entry in entry_points(group=ENTRY_POINTS):
        loaded = entry.load()
        source = loaded if isinstance(loaded, ModuleType) else importlib.import_module(entry.module)
        top = entry.module.partition(".")[0]
        for module in defined_in(source):
            if _is_from(module, top):
                _set_implementation(module, top, entry.dist.name if entry.dist else top)
        yield source


def _files() -> list[str]:
    return [path for path in os.environ.get(FILES, "").split(os.pathsep) if path]


def _load_file(path: str) -> ModuleType:
    """Return a loaded file or folder, reloaded if it has changed."""
    if path not in _LOADED:
        _load_if_changed(path)
    return _LOADED[path].source


class _Loaded(NamedTuple):
    version: int
    source: ModuleType


_LOADED: dict[str, _Loaded] = {}


def _load_if_changed(path: str) -> None:
    """Load a file or folder unless this version of it is loaded."""
    if Path(path).is_dir():
        loaded = _of_folder(path)
        if path not in _LOADED or _LOADED[path].version != loaded.version:
            _LOADED[path] = loaded
        return
    try:
        version = version_of(sources(Path(path)))
    except OSError as error:
        raise StudyError(f"{path}: {type(error).__name__}: {error}") from error
    if path not in _LOADED or _LOADED[path].version != version:
        _LOADED[path] = _Loaded(version, _of_file(Path(path), version))


def _of_folder(path: str) -> _Loaded:
    module = importlib.import_module("dagathlon.external").load_folder(path)
    source = ModuleType(f"dagathlon_folder_{Path(path).name}")
    setattr(source, module.__name__, module)
    return _Loaded(module.version, source)


def _of_file(path: Path, version: int) -> ModuleType:
    try:
        source = run_file(path)
    except Exception as error:
        raise StudyError(f"{path}: {type(error).__name__}: {error}") from error
    defined = [each for each in defined_in(source) if _is_from(each, namespace_of(path))]
    if not defined:
        raise StudyError(
            f"{path}: no module is defined here; a learner is a frozen dataclass derived from "
            "Learner, with a name (dagathlon new learner FILE.py writes one), a metric a function "
            "under @metric(...)"
        )
    for module in defined:
        module.version = version
        _set_implementation(module, namespace_of(path), path.name)
    return source


def _is_from(cls: type, package: str) -> bool:
    return cls.__module__ == package or cls.__module__.startswith(f"{package}.")


def _set_implementation(module: type[Module], package: str, whose: str) -> None:
    """Set the implementation of a module to its package, unless the package declares one."""
    classes = (cls for cls in module.__mro__ if _is_from(cls, package))
    if not any("implementation" in vars(cls) for cls in classes):
        module.implementation = whose


def defined_in(source: ModuleType) -> Iterator[type[Module]]:
    """Yield the modules among the names of a Python module, imported ones included."""
    for found in vars(source).values():
        # A declared function, such as a metric, carries its module with it.
        value = getattr(found, "__dagathlon_module__", found)
        if inspect.isclass(value) and issubclass(value, Module) and value.__dict__.get("name"):
            yield value

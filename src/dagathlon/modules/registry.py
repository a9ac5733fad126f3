"""Finding modules by location, by entry point and in single files; there is no list to edit."""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import inspect
import os
import pkgutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from dagathlon.errors import StudyError, unknown
from dagathlon.modules.module import Kind, Module
from dagathlon.modules.sources import sources, version_of
from dagathlon.modules.user_files import namespace_of, run_file

SEARCHED = (
    "dagathlon.simulate",
    "dagathlon.learners",
    "dagathlon.evaluate",
    "dagathlon.benchpress",
    "dagathlon.external.shipped",
)
EVALUATIONS = "dagathlon.evaluations"
"""Evaluations draw and write; workers, which learn and score, are spared importing them."""
ENTRY_POINTS = "dagathlon.modules"
_FIXED = {
    "fixed_adjmat": "graph_id", "fixed_data": "data_id", "fixed_graph": "graph_id",
    "fixed_params": "parameters_id",
}  # fmt: skip
"""Benchpress's words for files, which are no modules: where a study names the file."""
FILES = "DAGATHLON_MODULES"
"""Environment variable: files and folders of modules, separated like the entries of PATH."""


@functools.cache
def modules(kind: Kind) -> Mapping[str, type[Module]]:
    """All modules of a kind by name, sorted."""
    found: dict[str, type[Module]] = {}
    for source in _sources((EVALUATIONS,) if kind == "evaluation" else SEARCHED):
        for module in _defined_in(source):
            if module.kind == kind:
                found.setdefault(module.name, module)
    for path in _files():
        for module in _defined_in(_loaded(path)):
            if module.kind == kind and found.setdefault(module.name, module) is not module:
                raise StudyError(f"{path}: there is another {kind} module named {module.name!r}")
    return _Modules(found)


class _Modules(dict[str, type[Module]]):
    """Modules by name, sorted; a former name is understood, and not listed."""

    def __init__(self, found: Mapping[str, type[Module]]) -> None:
        super().__init__(sorted(found.items()))
        self._former = {old: name for name in self for old in self[name].former_names}

    def __missing__(self, name: str) -> type[Module]:
        return super().__getitem__(self._former[name])

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in self._former

    def get(self, name: str, default: Any = None) -> Any:
        """The module of that name, present or former, or the default."""
        try:
            return self[name]
        except KeyError:
            return default


def add_files(paths: Iterable[Path | str]) -> None:
    """Make the user's own modules known, here and in the workers of an engine.

    The version of such a module is taken from the content of its file and of the files beside it
    that it imports, or of its folder, so that results of an earlier text are not used again. One
    that has changed since it was added is loaded again.

    Parameters
    ----------
    paths
        Python files, and folders of external modules, which have a ``module.toml``.
    """
    added = [str(Path(path).resolve()) for path in paths]
    for path in added:
        _refresh(path)  # one that cannot be loaded must not stand in the way of all others later
    os.environ[FILES] = os.pathsep.join(dict.fromkeys([*_files(), *added]))
    modules.cache_clear()


def find(kind: Kind, name: str, where: str = "") -> type[Module]:
    """The module of that kind and name; an unknown one is a `StudyError` with the nearest match."""
    known = modules(kind)
    if name not in known:
        raise StudyError(unknown_module(f"{kind} module", name, known, where))
    return known[name]


def unknown_module(what: str, name: str, known: Iterable[str], where: str = "") -> str:
    """Say that there is no such module, with the nearest name, or how a study names a file."""
    if name in _FIXED:
        place = f"{where}: " if where else ""
        return f"{place}{name!r} is no module: a file is named in {_FIXED[name]!r} of a data entry"
    return unknown(what, name, known, where)


def _sources(searched: Iterable[str]) -> Iterator[ModuleType]:
    for package_name in searched:
        package = importlib.import_module(package_name)
        yield package
        for info in pkgutil.walk_packages(getattr(package, "__path__", []), package_name + "."):
            yield importlib.import_module(info.name)
    for entry in importlib.metadata.entry_points(group=ENTRY_POINTS):
        loaded = entry.load()
        source = loaded if isinstance(loaded, ModuleType) else importlib.import_module(entry.module)
        top = entry.module.partition(".")[0]
        for module in _defined_in(source):
            if _is_from(module, top):
                _attribute(module, top, entry.dist.name if entry.dist else top)
        yield source


def _files() -> list[str]:
    return [path for path in os.environ.get(FILES, "").split(os.pathsep) if path]


def _loaded(path: str) -> ModuleType:
    """A file or folder, loaded once and again when it has changed."""
    if path not in _LOADED:
        _refresh(path)
    return _LOADED[path].source


class _Loaded(NamedTuple):
    version: int
    source: ModuleType


_LOADED: dict[str, _Loaded] = {}


def _refresh(path: str) -> None:
    """Load a file or folder unless it is what was loaded before."""
    if Path(path).is_dir():
        found = _of_folder(path)
        if path not in _LOADED or _LOADED[path].version != found.version:
            _LOADED[path] = found
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
    own = [each for each in _defined_in(source) if _is_from(each, namespace_of(path))]
    if not own:
        raise StudyError(
            f"{path}: no module is defined here; a learner is a frozen dataclass derived from "
            "Learner, with a name (dagathlon new learner FILE.py writes one), a metric a function "
            "under @metric(...)"
        )
    for module in own:
        module.version = version
        _attribute(module, namespace_of(path), path.name)
    return source


def _is_from(cls: type, package: str) -> bool:
    return cls.__module__ == package or cls.__module__.startswith(f"{package}.")


def _attribute(module: type[Module], package: str, whose: str) -> None:
    """Say whose code a module is, unless its package does: what it inherits is of others."""
    own = (cls for cls in module.__mro__ if _is_from(cls, package))
    if not any("implementation" in vars(cls) for cls in own):
        module.implementation = whose


def _defined_in(source: ModuleType) -> Iterator[type[Module]]:
    for found in vars(source).values():
        # A declared function, such as a metric, carries its module with it.
        value = getattr(found, "__dagathlon_module__", found)
        if inspect.isclass(value) and issubclass(value, Module) and value.__dict__.get("name"):
            yield value

"""Finding modules by location, by entry point and in single files; there is no list to edit."""

from __future__ import annotations

import functools
import hashlib
import importlib
import importlib.metadata
import importlib.util
import inspect
import os
import pkgutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType

from dagathlon.errors import StudyError, unknown
from dagathlon.modules.module import Kind, Module

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
    return dict(sorted(found.items()))


def add_files(paths: Iterable[Path | str]) -> None:
    """Make the user's own modules known, here and in the workers of an engine.

    The version of such a module is taken from the content of its file or folder, so that results
    of an earlier text are not used again.

    Parameters
    ----------
    paths
        Python files, and folders of external modules, which have a ``module.toml``.
    """
    added = [str(Path(path).resolve()) for path in paths]
    for path in added:
        _loaded(path)  # one that cannot be loaded must not stand in the way of all others later
    os.environ[FILES] = os.pathsep.join(dict.fromkeys([*_files(), *added]))
    modules.cache_clear()


def find(kind: Kind, name: str, where: str = "") -> type[Module]:
    """The module of that kind and name; an unknown one is a `StudyError` with the nearest match."""
    known = modules(kind)
    if name not in known:
        raise StudyError(unknown(f"{kind} module", name, known, where))
    return known[name]


def _sources(searched: Iterable[str]) -> Iterator[ModuleType]:
    for package_name in searched:
        package = importlib.import_module(package_name)
        yield package
        for info in pkgutil.walk_packages(getattr(package, "__path__", []), package_name + "."):
            yield importlib.import_module(info.name)
    for entry in importlib.metadata.entry_points(group=ENTRY_POINTS):
        loaded = entry.load()
        yield loaded if isinstance(loaded, ModuleType) else importlib.import_module(entry.module)


def _files() -> list[str]:
    return [path for path in os.environ.get(FILES, "").split(os.pathsep) if path]


@functools.cache
def _loaded(path: str) -> ModuleType:
    """Load a file or folder once."""
    return _loaded_folder(path) if Path(path).is_dir() else _loaded_file(path)


def _loaded_folder(path: str) -> ModuleType:
    learner = importlib.import_module("dagathlon.external").load_folder(path)
    source = ModuleType(f"dagathlon_folder_{Path(path).name}")
    setattr(source, learner.__name__, learner)
    return source


def _loaded_file(path: str) -> ModuleType:
    """Run a file, under a name by which its classes can be found again."""
    name = f"dagathlon_file_{Path(path).stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise StudyError(f"{path}: not a Python file")
    source = importlib.util.module_from_spec(spec)
    sys.modules[name] = source
    try:
        content = Path(path).read_bytes()
        spec.loader.exec_module(source)
    except Exception as error:
        del sys.modules[name]
        raise StudyError(f"{path}: {type(error).__name__}: {error}") from error
    own = [module for module in _defined_in(source) if module.__module__ == name]
    if not own:
        raise StudyError(
            f"{path}: no module is defined here; a learner is a frozen dataclass derived from "
            "Learner, with a name (dagathlon new learner FILE.py writes one), a metric a function "
            "under @metric(...)"
        )
    version = int.from_bytes(hashlib.sha256(content).digest()[:6], "big")
    for module in own:
        module.version = version
    return source


def _defined_in(source: ModuleType) -> Iterator[type[Module]]:
    for found in vars(source).values():
        # A declared function, such as a metric, carries its module with it.
        value = getattr(found, "__dagathlon_module__", found)
        if inspect.isclass(value) and issubclass(value, Module) and value.__dict__.get("name"):
            yield value

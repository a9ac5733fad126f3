"""Inputs of algorithms besides the data: another algorithm's graph, edge constraints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any, cast

from dagathlon.errors import GraphError, StudyError, unknown
from dagathlon.graphs.knowledge import Knowledge
from dagathlon.learners.background import unknown_names
from dagathlon.learners.base import Learner
from dagathlon.modules import Module, find, modules
from dagathlon.modules.spec import single_values
from dagathlon.study.config.expand import ModuleEntry, Setting
from dagathlon.study.config.json_source import read_json
from dagathlon.study.config.study_file import Config


class Inputs:
    """Resolves references between algorithms and to constraint files."""

    def __init__(self, config: Config) -> None:
        self._algorithms = config.algorithms
        self._library = config.library
        self._constraints: dict[str, Any] = {}

    def of(self, setting: Setting) -> Sequence[ModuleEntry]:
        """Return the algorithms whose graphs a setting reads."""
        return list(self._named(setting, "algorithm"))

    def _named(self, setting: Setting, *kinds: str) -> Iterator[ModuleEntry]:
        """Yield the algorithms that a setting's reference parameters of these kinds name."""
        for name, parameter in type(setting.module).parameters().items():
            reference = parameter.type.reference
            value = getattr(setting.module, parameter.attribute)
            if reference is None or reference.to not in kinds or value is None:
                continue
            # Settings may be written out as well, and are then no algorithm of the study.
            if reference.to == "algorithm" or value in self._algorithms:
                yield self._referenced(value, f"{setting.module.name}.{name}")

    def _referenced(self, name: str, where: str) -> ModuleEntry:
        if name not in self._algorithms:
            raise StudyError(unknown("algorithm id", name, self._algorithms, where))
        entry = self._algorithms[name]
        if len(entry.settings) != 1:
            raise StudyError(
                f"{where}: {name!r} has {len(entry.settings)} settings; an algorithm that another "
                "one names must have exactly one"
            )
        return entry

    def chain(self, name: str) -> list[ModuleEntry]:
        """Return the algorithm and all that it reads from, transitively; raise at a cycle."""
        entries: list[ModuleEntry] = []
        self._follow(name, (), entries)
        return entries

    def _follow(self, name: str, path: tuple[str, ...], entries: list[ModuleEntry]) -> None:
        if name in path:
            cycle = " -> ".join([*path[path.index(name) :], name])
            raise StudyError(f"references between algorithms form a cycle: {cycle}")
        entry = self._algorithms[name]
        if entry not in entries:
            entries.append(entry)
        for setting in entry.settings:
            for other in self._named(setting, "algorithm", "settings"):
                self._follow(other.id, (*path, name), entries)

    def values(self, setting: Setting, where: str) -> dict[str, Any]:
        """Return the parameters that identify a learning task, constraint files by content.

        Fields that only say how a graph is estimated from a chain are no part of it.
        """
        module = cast(Learner, setting.module)
        values = {k: v for k, v in module.to_json().items() if k not in module.ESTIMATOR_FIELDS}
        for name, parameter in type(module).parameters().items():
            reference = parameter.type.reference
            if reference is None or values[name] is None:
                continue
            if reference.to == "constraints":
                values[name] = self._content(values[name], f"{where}.{name}")
            elif reference.to == "settings":
                values[name] = self._settings(values[name], f"{where}.{name}")
            else:
                values[name] = None  # the graph itself is an input of the task
        return values

    def unknown_names(self, setting: Setting, names: Sequence[str], where: str) -> tuple[str, ...]:
        """Return sentences on names in a setting's constraints that are no columns.

        Raises
        ------
        GraphError
            When the learner would refuse the constraints.
        """
        messages: list[str] = []
        for name, parameter in type(setting.module).parameters().items():
            value = getattr(setting.module, parameter.attribute)
            reference = parameter.type.reference
            if value is not None and reference and reference.to == "constraints":
                content = self._content(value, f"{where}.{name}")
                messages += (f"{value}: {words}" for words in unknown_names(content, names))
        return tuple(messages)

    @staticmethod
    def resolved(setting: Setting, values: Mapping[str, Any]) -> Module:
        """Return a setting's module with `values` in place of algorithm ids."""
        resolved = {
            parameter.attribute: values[name]
            for name, parameter in type(setting.module).parameters().items()
            if parameter.type.reference and parameter.type.reference.to == "settings"
        }
        return replace(setting.module, **resolved)

    def _settings(self, text: str, where: str) -> dict[str, Any]:
        """Return module and parameters behind an id, or a text such as ``hc[score=bge]``."""
        if text in self._algorithms:
            setting = self._referenced(text, where).settings[0]
            module = cast(Learner, setting.module)
            parameters = module.to_json() | self.values(setting, where)
        else:
            name, given = single_values(text)
            if name not in modules("algorithm"):
                raise StudyError(unknown("algorithm id", text, self._algorithms, where))
            module = cast(Learner, find("algorithm", name).from_json(given, where))
            parameters = module.to_json()
        return {"module": module.name, "version": module.version, "parameters": parameters}

    def _content(self, name: str, where: str) -> Any:
        if Path(name).stem.casefold() == "none":
            return None  # Benchpress's place-holder for no constraints
        if name not in self._constraints:
            path = self._library.constraints(name, where)
            content = read_json(path) if path.stat().st_size else {}
            if not isinstance(content, dict):
                raise StudyError(f"{path}: a constraint file is a JSON object")
            try:
                _check_constraints(content)
            except GraphError as error:
                raise StudyError(f"{where}: {path}: {error}") from None
            self._constraints[name] = content
        return self._constraints[name]


def _check_constraints(content: Mapping[str, Any]) -> None:
    """Raise when no DAG can satisfy the constraints."""
    knowledge = Knowledge.from_json(content, sorted(_texts(content)))
    parents: dict[str, list[str]] = {}
    for cause, effect in sorted(knowledge.required):
        parents.setdefault(effect, []).append(cause)
    try:
        TopologicalSorter(parents).prepare()
    except CycleError as error:
        cycle = " -> ".join(error.args[1])
        raise GraphError(f"the required edges form a cycle: {cycle}") from None


def _texts(content: Any) -> set[str]:
    """Return all texts in a JSON value except keys: the variables that constraints name."""
    if isinstance(content, str):
        return {content}
    inner = content.values() if isinstance(content, Mapping) else content
    if not isinstance(inner, Iterable):
        return set()
    return {text for part in inner for text in _texts(part)}

"""The sections of a study: modules with parameters, each under an id."""

from __future__ import annotations

from collections.abc import Mapping

from dagathlon.errors import Mistakes
from dagathlon.modules import Kind, Module, find
from dagathlon.study.config.expand import ModuleEntry, read_entry
from dagathlon.study.config.json_source import Node

SECTIONS: Mapping[str, Kind] = {
    "graph": "graph",
    "parameters": "parameters",
    "data": "data",
    "structure_learning_algorithms": "algorithm",
}


def read_sections(node: Node, mistakes: Mistakes) -> dict[str, dict[str, ModuleEntry]]:
    """Return all entries of a study by section and id; faulty ones without settings."""
    result: dict[str, dict[str, ModuleEntry]] = {section: {} for section in SECTIONS}
    mistakes.read(node.only, SECTIONS, "resources")
    for section in SECTIONS:
        mistakes.read(_read_section, node, section, result[section])
    return result


def _read_section(node: Node, section: str, entries: dict[str, ModuleEntry]) -> None:
    """Fill `entries` with those of a section."""
    mistakes = Mistakes()
    found = node.get(section)
    for objects in found.items() if found else ():
        name = objects.where.removeprefix(f"{node.where}.{section}.")
        module = mistakes.read(find, SECTIONS[section], name, f"{node.where}.{section}")
        for item in mistakes.read(lambda objects=objects: list(objects.items())) or ():
            entry = mistakes.read(read_entry, module, item) if module else None
            if entry is None:
                entry = _wrong_entry(module or Module, item)
            if entry.id in entries:
                first = entries[entry.id].where
                mistakes.add(f"{item.where}: the id {entry.id!r} is taken by {first}")
            elif entry.id:
                entries[entry.id] = entry
    mistakes.refuse()


def _wrong_entry(module: type[Module], node: Node) -> ModuleEntry:
    """Return a placeholder for a faulty entry, so that its id is not reported as unknown."""
    given = node.value.get("id") if isinstance(node.value, dict) else None
    return ModuleEntry(given if isinstance(given, str) else "", module, {}, (), node.where)

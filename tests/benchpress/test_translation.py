"""Parameter tables of Benchpress's modules: inherited from ours, but for what is said otherwise."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import pytest

from dagathlon.benchpress.table import rows
from dagathlon.benchpress.translation import Translation, same
from dagathlon.errors import StudyError
from dagathlon.learners.base import Learner
from dagathlon.modules import Module, modules
from dagathlon.modules.module import _descriptions

TRANSLATED = {
    f"{kind}/{name}": cls
    for kind in ("graph", "parameters", "data", "algorithm")
    for name, cls in modules(kind).items()  # type: ignore[arg-type]
    if issubclass(cls, Translation) and hasattr(cls, "runs")
}


def levels(cls: type[Module]) -> list[type[Translation]]:
    return [base for base in cls.__mro__ if issubclass(base, Translation)]


def said_otherwise(cls: type[Module], name: str) -> bool:
    """Whether a class of Benchpress's describes a parameter in its own words."""
    return any(name in _descriptions(inspect.cleandoc(b.__doc__ or "")) for b in levels(cls))


@pytest.mark.parametrize("name", TRANSLATED)
def test_descriptions_and_types_are_those_of_our_module(name: str) -> None:
    cls: Any = TRANSLATED[name]
    ours = cls.runs.parameters()
    declared = {field for base in levels(cls) for field in source_fields(base)}
    tables = [vars(base).get("inherits", {}) for base in reversed(levels(cls))]
    inherited = {key: value for table in tables for key, value in table.items()}
    for parameter in cls.parameters().values():
        original = ours.get(inherited.get(parameter.attribute, ""))
        if original is None:
            continue
        if not said_otherwise(cls, parameter.name):
            assert parameter.description.startswith(original.description.rstrip("."))
        if parameter.attribute not in declared:
            assert parameter.type.text == original.type.text
            assert parameter.type.schema == original.type.schema


def source_fields(cls: type) -> set[str]:
    """Fields that a class or its row declares with a type of its own."""
    row = rows(cls.__module__).get(vars(cls).get("name", ""), {})
    declared = {name for name, found in row.get("parameters", {}).items() if len(found) > 1}
    if "base" in row:
        return declared
    lines = inspect.getsource(cls).splitlines()
    inside = [line for line in lines if line.startswith("    ") and ":" in line]
    return declared | {line.split(":")[0].strip() for line in inside}


@pytest.mark.parametrize("name", TRANSLATED)
def test_nothing_is_repeated_that_could_be_inherited(name: str) -> None:
    """What is declared beside our table has another type, or another name in JSON."""
    for base in levels(TRANSLATED[name]):
        table = vars(base).get("inherits", {})
        if base is Translation or not table:
            continue
        by_field = {parameter.attribute: parameter for parameter in base.parameters().values()}
        for field in source_fields(base) & table.keys():
            parameter, original = by_field[field], base.runs.parameters()[table[field]]
            renamed = parameter.name != field
            assert renamed or parameter.type.text != original.type.text, (base, field)


@dataclass(frozen=True, kw_only=True)
class Ours(Learner):
    """Ours.

    Parameters
    ----------
    level
        How sure.
    steps
        How many.
    way
        Which.
    """

    level: float = 0.5
    steps: int = 10
    way: Literal["up", "down"] = "up"


@dataclass(frozen=True, kw_only=True)
class Group(Translation):
    """Theirs, several of them.

    Parameters
    ----------
    verbose
        Ignored.
    """

    kind = "algorithm"
    runs = Ours
    inherits = same("level", iterations="steps")

    iterations: int | None = None
    verbose: bool = False


@dataclass(frozen=True, kw_only=True)
class Theirs(Group):
    """Theirs.

    Parameters
    ----------
    direction
        Where to.
    """

    name = "theirs"
    inherits = same(direction="way")
    fixed: ClassVar[dict[str, Any]] = {"level": 0.25}

    direction = "down"


def test_fields_come_from_our_module_and_from_what_is_said() -> None:
    found = {p.name: (p.type.text, p.default, p.description) for p in Theirs.parameters().values()}
    assert found == {
        "level": ("a number", 0.5, "How sure."),
        "iterations": ("a whole number or null", None, "How many; null is 10."),
        "verbose": ("true or false", False, "Ignored."),
        "direction": ("one of 'up', 'down'", "down", "Where to."),
    }


def test_values_are_translated() -> None:
    theirs = Theirs.from_json({"iterations": 3, "direction": "up"})
    assert theirs.translated() == {"level": 0.25, "steps": 3, "way": "up"}
    assert Theirs().translated() == {"level": 0.25, "way": "down"}  # null is our default
    assert Group(level=0.75).translated() == {"level": 0.75}  # type: ignore[call-arg]
    with pytest.raises(StudyError, match="direction: found 'left', expected one of 'up', 'down'"):
        Theirs.from_json({"direction": "left"})


def test_what_cannot_run_says_so() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Absent(Theirs):
        """Not there."""

        name = "absent"
        unavailable = "its program is missing"

    assert Absent().delegates() == ()
    with pytest.raises(StudyError, match="absent cannot run here: its program is missing"):
        Absent().native()

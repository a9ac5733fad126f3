"""Base class of modules under Benchpress's names, with parameters inherited from ours."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from dagathlon.benchpress.table import fill, translated_value
from dagathlon.errors import StudyError
from dagathlon.modules import Delegate, Module, Parameter


def same(*names: str, **renamed: str) -> Mapping[str, str]:
    """Return inherited parameters: under the same name, or as ``theirs="ours"``."""
    return {**{name: name for name in names}, **renamed}


@dataclass(frozen=True, kw_only=True)
class Translation(Module):
    """A module under Benchpress's name that runs one of ours.

    Attributes
    ----------
    runs
        Our module; a class for several of Benchpress's may name a base class of theirs.
    inherits
        Parameters of our module that Benchpress has as well, by Benchpress's names. Each becomes a
        field with the type, the default and the description that it has in our module. A field
        that is declared nonetheless has its own type and default, an assigned value is another
        default, and a ``Parameters`` section describes what is meant otherwise.
    fixed
        Values of parameters of our module that Benchpress does not have.
    values
        Rules for parameters of our module that come from others of Benchpress's (`table.py`).
    """

    runs: ClassVar[type[Module]]
    inherits: ClassVar[Mapping[str, str]] = {}
    fixed: ClassVar[Mapping[str, Any]] = {}
    values: ClassVar[Mapping[str, Mapping[str, Any]]] = {}

    if TYPE_CHECKING:  # parameters stand in tables, and no type checker reads those

        def __getattr__(self, name: str) -> Any: ...

    def __init_subclass__(cls) -> None:
        """Read the row of the class and make fields of the inherited parameters."""
        super().__init_subclass__()
        fill(cls)
        inherited = vars(cls).get("inherits", {})
        if not inherited:
            return
        hints = typing.get_type_hints(cls.runs, include_extras=True)
        known = cls.runs.parameters()
        declared = vars(cls).get("__annotations__", {})
        types = {
            name: declared.get(name, hints[known[ours].attribute])
            for name, ours in inherited.items()
        }
        for name, ours in inherited.items():
            setattr(cls, name, _field(vars(cls).get(name, known[ours].default), known[ours]))
        cls.__annotations__ = {**types, **{k: v for k, v in declared.items() if k not in types}}

    def translated(self) -> dict[str, Any]:
        """Return the values of our parameters: inherited, fixed and by rule.

        Null leaves a parameter of ours that knows no null at its default.
        """
        known = self.runs.parameters()
        values: dict[str, Any] = {}
        for cls in reversed(type(self).__mro__):
            for name, ours in vars(cls).get("inherits", {}).items():
                value, parameter = getattr(self, name), known.get(ours)
                if parameter is not None and (value is not None or parameter.type.nullable):
                    values[parameter.attribute] = value
        ruled = {name: translated_value(self, rule) for name, rule in self.values.items()}
        return {**values, **self.fixed, **ruled}

    def native(self) -> Any:
        """Return our module with the same meaning."""
        if self.unavailable:
            raise StudyError(f"{self.name} cannot run here: {self.unavailable}")
        return self.runs(**self.translated())

    def delegates(self) -> tuple[Delegate, ...]:
        """Return our module, or nothing when it is unavailable."""
        return () if self.unavailable else (self.native(),)


def _field(default: Any, ours: Parameter) -> Any:
    """Return a dataclass field with our description."""
    given = default if isinstance(default, dataclasses.Field) else None
    value = default if given is None else given.default
    text = ours.description
    if value is None and not ours.type.nullable:
        text = f"{text.rstrip('.')}; null is {ours.default}."
    metadata = {**(given.metadata if given is not None else {}), "description": text}
    return dataclasses.field(default=value, metadata=metadata)

"""Parameter types: validation, JSON Schema and documentation from a field's annotation."""

from __future__ import annotations

import math
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from dagathlon.errors import StudyError, suggestion
from dagathlon.modules.spec import spelled


@dataclass(frozen=True)
class Range:
    """Inclusive bounds of a number; None is no bound."""

    minimum: float | None = None
    maximum: float | None = None

    def __str__(self) -> str:
        if self.maximum is None:
            return f"at least {self.minimum:g}"
        if self.minimum is None:
            return f"at most {self.maximum:g}"
        return f"between {self.minimum:g} and {self.maximum:g}"

    def holds(self, value: float) -> bool:
        """Return whether a value is within the bounds."""
        low = self.minimum is None or value >= self.minimum
        return low and (self.maximum is None or value <= self.maximum)


Probability = Annotated[float, Range(0, 1)]
NonNegative = Annotated[float, Range(0)]
Count = Annotated[int, Range(0)]
Natural = Annotated[int, Range(1)]


@dataclass(frozen=True)
class Reference:
    """Annotation of a parameter that refers to something elsewhere in a study.

    A file of constraints; an algorithm, whose graph is used; or the settings of an algorithm,
    which the module itself runs.
    """

    to: Literal["constraints", "algorithm", "settings"]


_REFERENCES = {
    "constraints": "a constraint file",
    "algorithm": "the id of an algorithm",
    "settings": "a learner: a name, a text such as 'hc[score=bge]' or the id of an algorithm",
}


@dataclass(frozen=True)
class Names:
    """Annotation of a text that names a test or a score, optionally with parameters in brackets."""

    kind: Literal["test", "score"]


class Mismatch(Exception):  # noqa: N818 - it carries no blame, the caller words the error
    """Error for a value that does not fit a type."""


@dataclass(frozen=True)
class ParameterType:
    """A type as text, as JSON Schema, and as a converter of JSON values."""

    text: str
    schema: dict[str, Any]
    convert: Callable[[Any], Any]
    nullable: bool = False
    reference: Reference | None = None
    is_list: bool = False
    names: str = ""

    def read(self, value: Any, where: str) -> Any:
        """Convert a value; raise a `StudyError` that names the place if it does not fit."""
        try:
            return self.convert(value)
        except Mismatch as mismatch:
            hint = str(mismatch)
            raise StudyError(
                f"{where}: found {_shown(value)}, expected {self.text}{hint}"
            ) from None


def parameter_type(annotation: Any) -> ParameterType:
    """Return the `ParameterType` of an annotation such as ``Probability`` or ``int | None``."""
    origin = typing.get_origin(annotation)
    if origin in (typing.Union, types.UnionType):
        return _union([parameter_type(part) for part in typing.get_args(annotation)])
    if origin is Annotated:
        base, *extras = typing.get_args(annotation)
        return _annotated(parameter_type(base), extras)
    if origin is Literal:
        return _choice(typing.get_args(annotation))
    if origin is tuple:
        return _sequence(parameter_type(typing.get_args(annotation)[0]))
    try:
        return _PLAIN[annotation]
    except KeyError:
        raise TypeError(f"a module parameter cannot be of type {annotation!r}") from None


def _shown(value: Any) -> str:
    text = "null" if value is None else repr(value)
    return text if len(text) <= 60 else text[:57] + "…"


def _bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.casefold() in ("true", "false"):
        return value.casefold() == "true"
    raise Mismatch


_BEYOND = 2.0**63  # larger integers do not fit into native code and plan files


def _int(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise Mismatch
    number = _float(value)
    if not math.isfinite(number) or number != int(number):
        raise Mismatch
    if abs(number) >= _BEYOND:
        raise Mismatch(", less than 2^63")
    return value if isinstance(value, int) else int(number)


def _float(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise Mismatch
    try:
        number = float(value)
    except (ValueError, OverflowError):
        raise Mismatch from None
    if math.isnan(number):
        raise Mismatch
    return number


def _str(value: Any) -> str:
    if not isinstance(value, str):
        raise Mismatch
    return value


def _none(value: Any) -> None:
    if value is not None:
        raise Mismatch


def _or_text(type_: str, pattern: str) -> dict[str, Any]:
    """Return a schema that also accepts the value as text, as in many Benchpress studies."""
    return {"type": [type_, "string"], "pattern": pattern}


_NUMBER = r"^\s*[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?\s*$"
_TRUTH = r"^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$"

_PLAIN: dict[Any, ParameterType] = {
    bool: ParameterType("true or false", _or_text("boolean", _TRUTH), _bool),
    int: ParameterType("a whole number", _or_text("integer", _NUMBER), _int),
    float: ParameterType("a number", _or_text("number", _NUMBER), _float),
    str: ParameterType("a text", {"type": "string"}, _str),
    type(None): ParameterType("null", {"type": "null"}, _none, nullable=True),
}


def _choice(values: Sequence[Any]) -> ParameterType:
    def convert(value: Any) -> Any:
        for choice in values:
            if type(choice) is type(value) and choice == value:
                return choice
        raise Mismatch(suggestion(value, values) if isinstance(value, str) else "")

    words = [repr(value) for value in values]
    text = words[0] if len(words) == 1 else f"one of {', '.join(words)}"
    return ParameterType(text, {"enum": list(values)}, convert)


def _sequence(item: ParameterType) -> ParameterType:
    def convert(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            raise Mismatch
        return tuple(item.convert(part) for part in value)

    schema = {"type": "array", "items": item.schema}
    return ParameterType(f"a list of {item.text}", schema, convert, is_list=True)


def _union(parts: Sequence[ParameterType]) -> ParameterType:
    def convert(value: Any) -> Any:
        hints = []
        for part in parts:
            try:
                return part.convert(value)
            except Mismatch as mismatch:
                hints.append(str(mismatch))
        raise Mismatch(next((hint for hint in hints if hint), ""))

    return ParameterType(
        " or ".join(part.text for part in parts),
        {"anyOf": [part.schema for part in parts]},
        convert,
        any(part.nullable for part in parts),
        next((part.reference for part in parts if part.reference), None),
        any(part.is_list for part in parts),
        next((part.names for part in parts if part.names), ""),
    )


def _annotated(base: ParameterType, extras: Sequence[Any]) -> ParameterType:
    result = base
    for extra in extras:
        if isinstance(extra, Range):
            result = _ranged(result, extra)
        elif isinstance(extra, Reference):
            convert = _settings if extra.to == "settings" else result.convert
            text = _REFERENCES[extra.to]
            result = ParameterType(text, result.schema, convert, result.nullable, extra)
        elif isinstance(extra, Names):
            text = f"the name of a {extra.kind}"
            result = ParameterType(text, result.schema, result.convert, names=extra.kind)
    return result


def _settings(value: Any) -> str:
    """Return settings as text; in Python they may be an instance, a class, or a pair."""
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], Mapping):
        name = value[0] if isinstance(value[0], str) else getattr(value[0], "name", None)
        return spelled(_str(name), value[1])
    if isinstance(value, type):
        return _str(getattr(value, "name", None))
    as_text = getattr(value, "as_text", None)
    return _str(value if as_text is None else as_text())


def _ranged(base: ParameterType, bounds: Range) -> ParameterType:
    def convert(value: Any) -> Any:
        number = base.convert(value)
        if not bounds.holds(number):
            raise Mismatch
        return number

    limits = {"minimum": bounds.minimum, "maximum": bounds.maximum}
    schema = base.schema | {key: value for key, value in limits.items() if value is not None}
    return ParameterType(f"{base.text} {bounds}", schema, convert, base.nullable, base.reference)

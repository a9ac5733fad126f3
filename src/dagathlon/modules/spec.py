"""Modules in the notation of command lines: ``pc[alpha=0.01,0.05]``."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping
from typing import Any

from dagathlon.errors import StudyError

_SPEC = re.compile(r"\s*([\w.\-/]+)\s*(?:\[(.*)\])?\s*", re.S)
_KEY = re.compile(r"\s*([A-Za-z_]\w*)\s*=")


def parse_spec(text: str) -> tuple[str, dict[str, list[Any]]]:
    """Parse a module to its name and, for each parameter, the values given.

    Values are separated by commas; a comma followed by ``key=`` starts the next parameter.
    Brackets group, as in ``bootstrap[learner=hc[score=bic,restart=2]]``. Numbers, true, false
    and null are parsed as such, anything else is text.
    """
    match = _SPEC.fullmatch(text)
    if match is None:
        raise StudyError(f"{text!r} is not a module; write name or name[key=value,…]")
    return match.group(1), parse_values(match.group(2) or "", text)


def parse_values(inside: str, text: str) -> dict[str, list[Any]]:
    """Parse the values of each parameter inside the brackets of a text."""
    values: dict[str, list[Any]] = {}
    key = None
    for part in _parts(inside):
        matched = _KEY.match(part)
        if matched:
            key = matched.group(1)
            if key in values:
                raise StudyError(f"{text!r}: the parameter {key!r} stands twice")
            values[key] = [_value(part[matched.end() :])]
        elif key is None:
            raise StudyError(f"{text!r}: expected key=value, found {part.strip()!r}")
        else:
            values[key].append(_value(part))
    return values


def single_values(text: str) -> tuple[str, dict[str, Any]]:
    """Parse a module with one value for each parameter."""
    name, values = parse_spec(text)
    for key, found in values.items():
        if len(found) != 1:
            raise StudyError(f"{text!r}: {key!r} takes one value, {len(found)} given")
    return name, {key: found[0] for key, found in values.items()}


def spelled(name: str, values: Mapping[str, Any]) -> str:
    """Return the text that `single_values` parses to this name and these parameters."""
    if not values:
        return name
    inside = ",".join(f"{key}={_word(value)}" for key, value in values.items())
    text = f"{name}[{inside}]"
    with contextlib.suppress(StudyError):
        if single_values(text) == (name, dict(values)):
            return text
    raise StudyError(
        f"{name}: {values!r} cannot be written in brackets; name a study's algorithm instead"
    )


def _word(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _parts(text: str) -> list[str]:
    parts, depth = [""], 0
    for sign in text:
        depth += (sign == "[") - (sign == "]")
        if sign == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [part for part in parts if part.strip()]


def _value(text: str) -> Any:
    word = text.strip().strip("'\"")
    if word in ("None", "NULL"):
        return None
    try:
        value = json.loads(word.lower() if word.lower() in ("true", "false", "null") else word)
    except ValueError:
        return word
    return word if isinstance(value, list | dict) else value

"""Parsing of a study's JSON, with typed access that locates mistakes."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dagathlon.errors import Mistakes, StudyError, listing, no_such_file, suggestion
from dagathlon.study.config.examples import hint_for

_MAX_BYTES = 64 * 2**20


def read_json(path: Path) -> Any:
    """Parse a JSON file; raise a `StudyError` with the place of a mistake."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise StudyError(f"{path}: cannot be read (it is not a regular file)")
    try:
        with path.open("rb") as file:  # a device has no size, and may have no end
            raw = file.read(_MAX_BYTES + 1)
    except FileNotFoundError:
        raise StudyError(no_such_file(path) + hint_for(path)) from None
    except OSError as error:
        raise StudyError(f"{path}: cannot be read ({error.strerror or error})") from None
    if not raw.strip():
        raise StudyError(f"{path}: the file is empty")
    if len(raw) > _MAX_BYTES:
        raise StudyError(f"{path}: larger than {_MAX_BYTES // 2**20} MB, this is no study")
    try:
        text = raw.decode("utf-8-sig")
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_unique)
    except UnicodeDecodeError as error:
        raise StudyError(f"{path}: not UTF-8 text (byte {error.start})") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        reason = f"{error.msg}{_comma_hint(error)}"
        raise StudyError(f"{path}: not valid JSON: {reason} ({place})") from None
    except (RecursionError, ValueError) as error:
        raise StudyError(f"{path}: not valid JSON: {error}") from None


def without_comments(value: Any) -> Any:
    """Return the value without keys that begin with an underscore, which are comments."""
    if isinstance(value, dict):
        return {k: without_comments(v) for k, v in value.items() if not k.startswith("_")}
    return [without_comments(item) for item in value] if isinstance(value, list) else value


def _comma_hint(error: json.JSONDecodeError) -> str:
    before, after = error.doc[: error.pos].rstrip(), error.doc[error.pos :].lstrip()
    closes = before.endswith(",") and after.startswith(("]", "}"))
    return "; the comma before it is one too many" if closes else ""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; raise at duplicate keys, which JSON parsers would silently drop."""
    result = dict(pairs)
    if len(result) < len(pairs):
        names = [name for name, _ in pairs if not name.startswith("_")]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"the name {twice!r} occurs twice in one object")
    return result


def _refuse_constant(word: str) -> Any:
    raise ValueError(f"{word} is not a JSON number")


@dataclass(frozen=True)
class Node:
    """A JSON value and its place in the file, such as ``benchmark_setup[0].data[1]``."""

    value: Any
    where: str

    def fail(self, problem: str) -> StudyError:
        """Return an error at this place."""
        return StudyError(f"{self.where}: {problem}")

    def _is(self, types: type | tuple[type, ...], expected: str) -> Any:
        wrong_bool = isinstance(self.value, bool) and types is not bool
        if wrong_bool or not isinstance(self.value, types):
            raise self.fail(f"found {_shown(self.value)}, expected {expected}")
        return self.value

    def text(self) -> str:
        """Return the value as a non-empty text."""
        value: str = self._is(str, "a text")
        if not value:
            raise self.fail("the text is empty")
        return value

    def flag(self) -> bool:
        """Return the value as true or false."""
        value: bool = self._is(bool, "true or false")
        return value

    def whole(self) -> int:
        """Return the value as a whole number."""
        value = self._is((int, float), "a whole number")
        # A whole number may be larger than any floating-point number.
        if isinstance(value, float) and not value.is_integer():
            raise self.fail(f"found {value}, expected a whole number")
        return int(value)

    def number(self) -> float:
        """Return the value as a number."""
        try:
            return float(self._is((int, float), "a number"))
        except OverflowError:
            raise self.fail(f"found {_shown(self.value)}, too large a number") from None

    def object(self) -> dict[str, Any]:
        """Return the value as an object."""
        value: dict[str, Any] = self._is(dict, "an object")
        return value

    def items(self) -> Iterator[Node]:
        """Yield the items of a list or the values of an object, with their places."""
        if isinstance(self.value, dict):
            for key, value in self.value.items():
                yield Node(value, _join(self.where, key))
        else:
            for i, value in enumerate(self._is(list, "a list")):
                yield Node(value, f"{self.where}[{i}]")

    def get(self, key: str) -> Node | None:
        """Return the value of a key; None when it is missing or null."""
        value = self.object().get(key)
        return None if value is None else Node(value, _join(self.where, key))

    def need(self, key: str) -> Node:
        """Return the value of a required key."""
        if key not in self.object():
            raise self.fail(f"{key!r} is missing{suggestion(key, self.value)}")
        return Node(self.value[key], _join(self.where, key))

    def only(self, allowed: Collection[str], what: str) -> None:
        """Raise at keys that are not allowed."""
        mistakes = Mistakes()
        for key in self.object():
            if key not in allowed:
                problem = f"{what} has no key {key!r}{suggestion(key, allowed)}"
                mistakes.add(f"{self.where}: {problem}; allowed: {listing(allowed)}")
        mistakes.refuse()


def _join(where: str, key: str) -> str:
    return f"{where}.{key}" if where else key


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "…"

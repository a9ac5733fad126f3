"""Typed access to TOML tables; errors name the place."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, TypeVar

from dagathlon.errors import StudyError, listing, suggestion

_MISSING: Any = object()
Choice = TypeVar("Choice", bound=str)


class TomlTable:
    """A table of a TOML file, with the path of its keys for errors.

    Parameters
    ----------
    content
        The table.
    path
        The file.
    where
        Name of the table in the file; empty for the whole.
    """

    def __init__(self, content: Any, path: str, where: str = "") -> None:
        if not isinstance(content, dict):
            raise StudyError(f"{path}: {where}: found {content!r}, expected a table")
        self._content = content
        self._path = path
        self._where = where

    def fail(self, key: str, problem: str) -> StudyError:
        """Return an error at a key, for the caller to raise."""
        place = ".".join(part for part in (self._where, key) if part)
        return StudyError(f"{self._path}: {place}: {problem}")

    def has(self, key: str) -> bool:
        """Whether the key is present."""
        return key in self._content

    def only(self, allowed: Collection[str]) -> None:
        """Refuse keys that are not in `allowed`."""
        for key in self._content:
            if key not in allowed:
                hint = suggestion(key, allowed)
                raise self.fail(key, f"there is no such key{hint}; allowed: {listing(allowed)}")

    def value(self, key: str) -> Any:
        """Return the raw value, or None."""
        return self._content.get(key)

    def section(self, key: str) -> TomlTable:
        """Return a nested table; empty if absent."""
        where = f"{self._where}.{key}" if self._where else key
        return TomlTable(self._content.get(key, {}), self._path, where)

    def table(self, key: str) -> list[str]:
        """Return the keys of a nested table."""
        return list(self.section(key)._content)

    def text(self, key: str, default: str | None = None) -> str:
        """Return a nonempty text."""
        value = self._content.get(key, default)
        if not isinstance(value, str) or not value.strip():
            raise self._mismatch(key, "a text")
        return value.strip()

    def flag(self, key: str, default: bool) -> bool:
        """Return a boolean."""
        value = self._content.get(key, default)
        if not isinstance(value, bool):
            raise self._mismatch(key, "true or false")
        return value

    def number(self, key: str) -> float | None:
        """Return a number; None if absent."""
        value = self._content.get(key)
        if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
            return value
        raise self._mismatch(key, "a number")

    def array(self, key: str, default: Sequence[Any] = _MISSING) -> Sequence[Any]:
        """Return a list of any values."""
        value = self._content.get(key, default)
        if not isinstance(value, list | tuple):
            raise self._mismatch(key, "a list")
        return value

    def texts(self, key: str, default: Sequence[str] = _MISSING) -> tuple[str, ...]:
        """Return a list of texts."""
        values = self.array(key, default)
        if not all(isinstance(item, str) for item in values):
            raise self._mismatch(key, "a list of texts")
        return tuple(values)

    def choice(self, key: str, choices: tuple[Choice, ...], default: str | None = None) -> Choice:
        """Return a text that is one of the choices."""
        value = self._content.get(key, default)
        for choice in choices:
            if choice == value:
                return choice
        hint = suggestion(value, choices) if value is not None else ""
        raise self._mismatch(key, f"one of {listing(choices)}{hint}")

    def _mismatch(self, key: str, expected: str) -> StudyError:
        if key not in self._content:
            return self.fail(key, f"is missing, expected {expected}")
        return self.fail(key, f"found {self._content[key]!r}, expected {expected}")

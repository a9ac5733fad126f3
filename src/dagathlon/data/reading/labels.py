"""Columns of labels: inferring their levels, or the numbers that they spell."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from dagathlon.data.reading.arrow_arrays import chunk_numbers, column_numbers, with_indices
from dagathlon.data.reading.column_plan import ColumnPlan
from dagathlon.data.reading.request import Place
from dagathlon.data.variable import MAX_LEVELS, Variable
from dagathlon.errors import DataError, suggestion, unknown

MAX_CODE = 19
"""Largest integer in a column that is taken as discrete."""
MAX_CODES = 10
"""Most distinct integers in a column taken as discrete; more are likely counts."""
SURE_CODES = 5
"""Most distinct integers that are taken as discrete without a warning."""

_MOSTLY = 0.9
_SHOWN = 40
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_WHOLE = re.compile(r"-?\d+", re.ASCII)
FIRST_OF_NUMBER = frozenset("+-.0123456789")
"""Characters with which a number can begin."""
FOREIGN_MINUS = "\u2212\u2010\u2011\u2012\u2013\ufe63\uff0d"
"""Signs that look like a minus sign but are not parsed as one."""
_MINUS = str.maketrans(dict.fromkeys(FOREIGN_MINUS, "-"))
DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?", re.ASCII)
_NOT_FINITE = frozenset(
    sign + word for sign in ("", "+", "-") for word in ("inf", "infinity", "nan")
)


def _with_one_dictionary(column: Any) -> Any:
    """Return the column with one dictionary shared by all its chunks."""
    several = column.num_chunks > 1
    if several and any(chunk.dictionary.null_count for chunk in column.chunks):
        # pyarrow unites no lists in which one of the labels is null.
        column = pa.chunked_array(list(map(_without_null_label, column.chunks)))
    try:
        return column.unify_dictionaries()
    except pa.ArrowInvalid:
        # The labels of each part have numbers of a byte, those of all parts have not.
        wide = [with_indices(chunk, pa.int32()) for chunk in column.chunks]
        return pa.chunked_array(wide).unify_dictionaries()


def _without_null_label(part: Any) -> Any:
    import pyarrow.compute as pc  # noqa: PLC0415 - takes a while, and few need it

    labels = part.dictionary.drop_null()
    places = pc.index_in(part.dictionary, value_set=labels, skip_nulls=True)
    return pa.DictionaryArray.from_arrays(places.take(part.indices), labels)


class Labels:
    """Dictionary-encoded column: its labels and their occurrences.

    Parameters
    ----------
    name
        Name of the column.
    column
        A pyarrow column of dictionary type.
    place
        Turns a row number into words.
    missing
        For columns of text files, the words that mean missing; blanks around labels are taken
        off. ``None`` takes labels as they are.
    """

    def __init__(
        self, name: str, column: Any, place: Place, missing: frozenset[str] | None
    ) -> None:
        self.name, self.place = name, place
        self.column = _with_one_dictionary(column)
        words = [word_of(entry) for entry in self.column.chunk(0).dictionary.to_pylist()]
        if missing is not None:
            words = [None if word is None else word.strip() for word in words]
            words = [None if word in missing else word for word in words]
        self.words = words
        self.from_text = missing is not None

    @property
    def distinct(self) -> set[str]:
        """Distinct labels, without missing ones."""
        return {word for word in self.words if word is not None}

    def plan(self, kind: str | None, levels: Sequence[str] | None) -> ColumnPlan:
        """Plan the column by the requested kind and levels, and by its labels."""
        if levels is not None:
            return self._discrete(tuple(levels))
        distinct = self.distinct
        if not distinct:
            return empty_plan(self.name, self.column, kind)
        if kind == "continuous":
            return self._continuous()
        numbers = self.from_text and kind is None and all(map(is_float, distinct))
        small = numbers and _are_codes(distinct)
        if numbers and not (small and len(distinct) <= MAX_CODES):
            return replace(self._continuous(), guessed=small and len(distinct) < len(self.column))
        if self.from_text and kind is None and not numbers:
            self._check_not_numbers(distinct)
        if len(distinct) > MAX_LEVELS:
            raise DataError(
                f"{self.place(0)}, column {self.name!r}: found {len(distinct)} different labels; "
                f"a discrete column has at most {MAX_LEVELS} levels"
            )
        plan = self._discrete(sorted_labels(distinct))
        return replace(plan, guessed=small and len(distinct) > SURE_CODES)

    def counts(self) -> npt.NDArray[np.intp]:
        """Count how often each entry of `words` occurs."""
        total = np.zeros(len(self.words) + 1, dtype=np.intp)
        for chunk in self.column.chunks:
            indices = chunk_numbers(chunk.indices, len(self.words))
            total += np.bincount(indices, minlength=len(total))
        return total[:-1]

    def first_row(self, wrong: Sequence[bool]) -> int:
        """Return the first row whose entry of `words` is marked as wrong, or −1."""
        marked = np.array([*wrong, False])
        start = 0
        for chunk in self.column.chunks:
            indices = chunk_numbers(chunk.indices, len(self.words))
            hits = marked[indices]
            if hits.any():
                return start + int(np.argmax(hits))
            start += len(chunk)
        return -1

    def _discrete(self, levels: tuple[str, ...]) -> ColumnPlan:
        number = {level: code for code, level in enumerate(levels)}
        self._refuse(
            [word is not None and word not in number for word in self.words],
            lambda word: f"none of the levels that were given{suggestion(word, levels)}",
        )
        codes = [-1 if word is None else number.get(word, -1) for word in self.words]
        return ColumnPlan(Variable(self.name, levels), self.column, np.array([*codes, -1]))

    def _continuous(self) -> ColumnPlan:
        words = [None if word is None else plain_number(word) for word in self.words]
        wrong = [word is not None and not is_float(word) for word in words]
        self._refuse(wrong, lambda word: f"not a number{_comma_hint(word)}")
        numbers = [
            math.nan if word is None or strange else float(word)
            for word, strange in zip(words, wrong, strict=True)
        ]
        return ColumnPlan(Variable(self.name), self.column, np.array([*numbers, math.nan]))

    def _refuse(self, wrong: Sequence[bool], describe: Callable[[str], str]) -> None:
        """Raise `DataError` about the first row whose entry of `words` is wrong, if any."""
        row = self.first_row(wrong) if any(wrong) else -1
        if row >= 0:
            entry = self._found(row)
            raise DataError(
                f"{self.place(row)}, column {self.name!r}: found {shown(entry)}, which is "
                f"{describe(entry)}"
            )

    def _check_not_numbers(self, distinct: set[str]) -> None:
        """Refuse text that is numeric but for a few entries, which are probably errors."""
        if not any(word[0] in FIRST_OF_NUMBER for word in distinct):
            return
        counts = self.counts()
        total = sum(int(n) for n, word in zip(counts, self.words, strict=True) if word is not None)
        for pattern in (_NUMBER, DECIMAL_COMMA):
            fits = [word is None or bool(pattern.fullmatch(word)) for word in self.words]
            occurring = {
                word: int(n)
                for n, word, fit in zip(counts, self.words, fits, strict=True)
                if fit and word is not None
            }
            if _are_measurements(occurring, total, len(distinct)):
                commas = [word in occurring for word in self.words]
                row = self.first_row([not fit for fit in fits] if pattern is _NUMBER else commas)
                raise DataError(self._mostly_numbers(max(row, 0)))

    def _mostly_numbers(self, row: int) -> str:
        entry = self._found(row)
        advice = (
            _comma_hint(entry)
            or _sign_hint(entry)
            or (
                "; if it means missing, say so (`missing` of read_data, --na of the commands), and "
                "if the column is one of labels, give it the kind 'categorical'"
            )
        )
        return (
            f"{self.place(row)}, column {self.name!r}: found {shown(entry)} in a column of "
            f"numbers{advice}"
        )

    def _found(self, row: int) -> str:
        return str(self.column[row].as_py()).strip()


def empty_plan(name: str, column: Any, kind: str | None) -> ColumnPlan:
    """Plan a column without any value: it has no levels."""
    if kind == "discrete":
        raise DataError(
            f"column {name!r}: all values are missing, so its levels are unknown; give them in "
            "`levels`"
        )
    return ColumnPlan(Variable(name), column, np.full(_dictionary_size(column) + 1, np.nan))


def plain_number(word: str) -> str:
    """Return a number in standard notation: no percent sign, an ASCII minus sign."""
    return word.translate(_MINUS).removesuffix("%").rstrip()


def is_number(word: str) -> bool:
    """Whether the word is a finite decimal number."""
    return _NUMBER.fullmatch(word) is not None


def looks_like_data(names: Sequence[str]) -> str:
    """Return the first numeric name if at least half the names are; empty if they are numbered.

    Numbered columns count up, perhaps with some left out.
    """
    numbers = [name for name in names if is_number(name)]
    if not numbers or 2 * len(numbers) < len(names):
        return ""
    counted = all(map(str.isdecimal, names)) and list(names) == sorted(names, key=int)
    return "" if counted else numbers[0]


def is_float(word: str) -> bool:
    """Whether the word is a number, including infinity and NaN."""
    return is_number(word) or word.lower() in _NOT_FINITE


def numbers_of(column: Any) -> npt.NDArray[np.float64]:
    """Return entries as numbers: NaN where missing, infinite where they are not numbers."""
    if pa.types.is_dictionary(column.type) or pa.types.is_string(column.type):
        words = column.cast(pa.string()).to_pylist()
        spelled = [
            np.nan if word is None else float(word) if is_number(word) else np.inf for word in words
        ]
        return np.array(spelled, dtype=np.float64)
    return column_numbers(column.cast(pa.float64(), safe=False))


def shown(entry: Any) -> str:
    """Return an entry for an error message, truncated if long."""
    if entry is None:
        return "nothing"
    if isinstance(entry, str):
        return repr(entry if len(entry) <= _SHOWN else entry[:_SHOWN] + "…")
    return str(word_of(entry))


def word_of(entry: Any) -> str | None:
    """Return a level's label: integer-valued floats are written without a fraction."""
    if entry is None or (isinstance(entry, float) and math.isnan(entry)):
        return None
    if isinstance(entry, float) and entry.is_integer():
        return str(int(entry))
    return str(entry)


def sorted_labels(labels: set[str]) -> tuple[str, ...]:
    """Return labels in code order: numerically if all are numbers, else alphabetically."""
    if all(map(is_number, labels)):
        return tuple(sorted(labels, key=lambda label: (float(label), label)))
    return tuple(sorted(labels))


def _dictionary_size(column: Any) -> int:
    return max((len(chunk.dictionary) for chunk in column.chunks), default=0)


def _are_measurements(occurring: dict[str, int], total: int, distinct: int) -> bool:
    """Whether numbers in a column of text are measurements rather than labels, by their counts."""
    hits = sum(occurring.values())
    if distinct > MAX_CODE + 1:
        return hits >= _MOSTLY * total
    # In a short column: fractions that hardly ever repeat, in at least half of the rows.
    fractions = any(not _WHOLE.fullmatch(word) for word in occurring)
    return fractions and 2 * hits >= total and 2 * len(occurring) > hits


def _are_codes(labels: set[str]) -> bool:
    return all(_WHOLE.fullmatch(label) and 0 <= int(label) <= MAX_CODE for label in labels)


def _comma_hint(word: str) -> str:
    if DECIMAL_COMMA.fullmatch(word):
        return (
            "; this comma is not clearly a decimal sign: write numbers with a decimal point, or "
            "say that the decimal sign is a comma"
        )
    return ""


def _sign_hint(word: str) -> str:
    if is_number(plain_number(word)):
        return "; give the column the kind 'continuous', which takes such signs for what they mean"
    return ""


def with_recoded(
    name: str, column: Any, changes: Mapping[str, str], missing: Iterable[str] | None = None
) -> Any:
    """Return a pyarrow column with labels replaced; an empty new label means a missing value.

    Parameters
    ----------
    name
        Name of the column.
    column
        A column of labels or numbers.
    changes
        New labels by old ones; each old one occurs.
    missing
        For columns of text files, the words that mean a missing value.
    """
    if not changes:
        return column
    if not pt.is_dictionary(column.type):
        column = column.dictionary_encode()
    if not column.num_chunks:
        return column
    column = column.unify_dictionaries()
    labels = [word_of(entry) for entry in column.chunk(0).dictionary.to_pylist()]
    if missing is not None:
        gaps = frozenset(missing)
        labels = [None if label is None else label.strip() for label in labels]
        labels = [None if label in gaps else label for label in labels]
    known = [label for label in labels if label is not None]
    for old in changes:
        if old not in known:
            raise DataError(unknown("value", old, sorted(known), f"column {name!r}"))
    renamed = [None if label is None else changes.get(label, label) or None for label in labels]
    words = pa.array(list(dict.fromkeys(renamed)), pa.string())
    place = {word: number for number, word in enumerate(words.to_pylist())}
    table = pa.array([place[label] for label in renamed], pa.int32())
    chunks = [
        pa.DictionaryArray.from_arrays(table.take(chunk.indices), words) for chunk in column.chunks
    ]
    return pa.chunked_array(chunks)

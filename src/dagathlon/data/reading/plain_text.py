"""Fast path for text files without quotation marks, tokenised by the native core.

A column with few distinct fields is an index for each row and a list of the fields, interpreted
once per list, since wide files share one list among many columns. Measurements are parsed to
numbers at once. Files with quotation marks, rows that do not fit or unusual numbers are left to
pyarrow's reader, which gives the same columns.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from dagathlon import _core
from dagathlon.data.dataset import Dataset
from dagathlon.data.reading.arrow_arrays import number_array, text_array
from dagathlon.data.reading.labels import FIRST_OF_NUMBER, MAX_CODE, MAX_CODES, SURE_CODES, is_float
from dagathlon.data.reading.text_file import TextFile
from dagathlon.data.storage import aligned_empty
from dagathlon.data.variable import Variable

_BOM = b"\xef\xbb\xbf"
_CODES = 256
_GAP = 255
NUMBERS = -1
"""List index that marks a column of measurements."""


class Use(IntEnum):
    """Treatment of a column: skip it, index its distinct fields, or also parse numbers."""

    LEFT_OUT = 0
    FIELDS = 1
    ANY = 2


@dataclass(frozen=True, eq=False)
class PlainText:
    """Columns of a plain text file.

    Attributes
    ----------
    numbers
        The wanted columns, counted from 0.
    list_of_column
        For each of them which of `lists` has its fields, or `NUMBERS`.
    codes
        A row for each column of fields: where in the list the field of each line stands.
    values
        A row for each column of measurements; NaN is missing.
    lists
        Different fields of a column, in the order in which they occur.
    missing
        Fields that mean a missing value.
    """

    numbers: Sequence[int]
    list_of_column: npt.NDArray[np.int32]
    codes: npt.NDArray[np.uint8]
    values: npt.NDArray[np.float64]
    lists: Sequence[Sequence[str]]
    missing: frozenset[str]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.codes.shape[1])

    def columns(self, as_labels: Collection[int]) -> dict[int, Any] | None:
        """Return columns by number as pyarrow's reader would: bytes, labels or numbers; else None.

        Small integers are bytes, except in columns requested `as_labels`. The result is
        None where all fields of a column are missing or it has unusual numbers.
        """
        columns: dict[int, Any] = {}
        codes, values = iter(self.codes), iter(self.values)
        for number, place in zip(self.numbers, self.list_of_column.tolist(), strict=True):
            if place == NUMBERS:
                measured = next(values)
                column = number_array(measured, np.isnan(measured))
            else:
                column = self._column(next(codes), self.lists[place], number in as_labels)
            if column is None:
                return None
            columns[number] = pa.chunked_array([column])
        return columns

    def _column(
        self, codes: npt.NDArray[np.uint8], fields: Sequence[str], as_labels: bool
    ) -> pa.Array | None:
        numbers_of_fields = None if as_labels else byte_table(tuple(fields), self.missing)
        if numbers_of_fields is not None:
            table, gaps = numbers_of_fields
            numbers = np.empty_like(codes)
            _core.recode(codes, table, numbers)
            return number_array(numbers, None if gaps is None else gaps[codes])
        spelled = (field.strip() for field in fields if field not in self.missing)
        if not as_labels and all(map(is_float, spelled)):
            return None
        words = [None if field in self.missing else field for field in fields]
        return pa.DictionaryArray.from_arrays(number_array(codes), text_array(words))


def plain_text(
    text: TextFile, delimiter: str, skipped: int, uses: Sequence[Use], missing: frozenset[str]
) -> PlainText | None:
    """Tokenise a file after its first lines; None if it is not plain or has no rows.

    A single column is not handled, since an empty line may be a missing value there.
    """
    if len(uses) == 1:
        return None
    body = _below(text, skipped)
    if body is None:
        return None
    tokenised = _core.plain_columns(body, delimiter, np.array(uses, np.uint8), sorted(missing))
    if tokenised is None:
        return None
    lists_of_columns, codes, values, lists = tokenised
    if not codes.shape[1]:
        return None
    numbers = [j for j, use in enumerate(uses) if use]
    return PlainText(numbers, lists_of_columns[0], codes, values, lists, missing)


@functools.lru_cache(maxsize=1024)
def byte_table(
    fields: tuple[str, ...], missing: frozenset[str]
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.bool_] | None] | None:
    """Return the integer of each field and a mask of missing ones; None if any is no byte."""
    table = np.zeros(_CODES, np.uint8)
    gaps = np.zeros(_CODES, bool)
    for place, field in enumerate(fields):
        if field in missing:
            gaps[place] = True
        elif not _is_byte(field):
            return None
        else:
            table[place] = int(field)
    if gaps[: len(fields)].all():
        return None
    return table, gaps if gaps.any() else None


def _is_byte(field: str) -> bool:
    plain = field.isascii() and field.isdecimal() and len(field) < 4
    return plain and int(field) < _CODES and str(int(field)) == field


def _below(text: TextFile, lines: int) -> npt.NDArray[np.uint8] | None:
    """Return the bytes after so many lines; None if a line ends in a lone carriage return."""
    content: npt.NDArray[np.uint8] = (
        np.memmap(text.path, np.uint8, mode="r")
        if text.content is None
        else np.frombuffer(text.content, np.uint8)
    )
    start = text.start or (len(_BOM) if bytes(content[: len(_BOM)]) == _BOM else 0)
    raw = content.data
    end = start
    for _ in range(lines):
        end = _line_end(raw, end)
    has_others = b"\r" in bytes(raw[start:end]).replace(b"\r\n", b"\n")
    return None if has_others else content[end:]


def _line_end(raw: memoryview, start: int) -> int:
    """Return the position after the end of the line that begins at `start`."""
    step = 1 << 16
    while start < len(raw):
        at = bytes(raw[start : start + step]).find(b"\n")
        if at >= 0:
            return start + at + 1
        start += step
    return len(raw)


class WholeTable(NamedTuple):
    """A data set, and those of its columns whose kind was a guess."""

    data: Dataset
    guessed: list[Variable]


@dataclass(frozen=True)
class _Meaning:
    """Interpretation of a list of fields: levels with a code for each field, or numbers."""

    levels: tuple[str, ...] | None
    table: npt.NDArray[np.uint8] | npt.NDArray[np.float64]
    guessed: bool = False


def whole_table(
    names: Sequence[str], text: PlainText, may_hold_cardinalities: bool
) -> WholeTable | None:
    """Convert all columns by their content; None if one needs to be planned by itself.

    Each distinct list of fields is interpreted once. With ten thousand columns there are few lists,
    and the cost lies in handling each column.

    `names` are those of the columns that were read. Where the first row may hold cardinalities,
    the result is None too, unless every column is consistent with its own.
    """
    meanings: list[_Meaning | None]
    if may_hold_cardinalities:
        if not _fit_cardinalities(text):
            return None
        text = _below_cardinalities(text)
        meanings = [_codes_below(tuple(fields), text.missing) for fields in text.lists]
    else:
        about = functools.partial(_meaning, missing=text.missing, n_rows=text.n_rows)
        meanings = list(map(about, text.lists))
    known = [meaning for meaning in meanings if meaning is not None]
    return _assembled(names, text, known) if len(known) == len(meanings) else None


def _meaning(fields: Sequence[str], missing: frozenset[str], n_rows: int) -> _Meaning | None:
    """Interpret a list of fields; None where it is not clear-cut."""
    numbers_of_fields = byte_table(tuple(fields), missing)
    present = [field for field in fields if field not in missing]
    if numbers_of_fields is not None:
        small = max(map(int, present)) <= MAX_CODE
        if small and len(present) <= MAX_CODES:
            levels = tuple(sorted(present, key=int))
            return _Meaning(levels, _codes_of(fields, levels), len(present) > SURE_CODES)
        table, gaps = numbers_of_fields
        values = table.astype(np.float64)
        if gaps is not None:
            values[gaps] = np.nan
        return _Meaning(None, values, small and len(present) < n_rows)
    if not present or any(map(_is_ambiguous, present)):
        return None
    levels = tuple(sorted(present))
    return _Meaning(levels, _codes_of(fields, levels))


def _is_ambiguous(field: str) -> bool:
    """Whether a field has blanks around it or may be a number among labels."""
    return field != field.strip() or field[0] in FIRST_OF_NUMBER or is_float(field)


def _codes_of(fields: Sequence[str], levels: Sequence[str]) -> npt.NDArray[np.uint8]:
    number = {level: code for code, level in enumerate(levels)}
    table = np.full(_GAP + 1, _GAP, np.uint8)
    table[: len(fields)] = [number.get(field, _GAP) for field in fields]
    return table


def _fit_cardinalities(text: PlainText) -> bool:
    """Whether all fields are codes below that in the first line, which is the first of each list.

    The first line's field must not occur anywhere else.
    """
    if len(text.codes) < len(text.list_of_column) or text.n_rows < 2:
        return False
    for fields in text.lists:
        if byte_table(tuple(fields), text.missing) is None or fields[0] in text.missing:
            return False
        if not all(int(f) < int(fields[0]) for f in fields[1:] if f not in text.missing):
            return False
    return bool(text.codes[:, 1:].all())


def _below_cardinalities(text: PlainText) -> PlainText:
    codes = np.ascontiguousarray(text.codes[:, 1:])
    values = text.values[:, 1:]
    return PlainText(text.numbers, text.list_of_column, codes, values, text.lists, text.missing)


def _codes_below(fields: tuple[str, ...], missing: frozenset[str]) -> _Meaning:
    """Interpret the fields as codes from 0 to one less than the first field."""
    levels = tuple(map(str, range(int(fields[0]))))
    return _Meaning(levels, _codes_of([f if f not in missing else "" for f in fields], levels))


def _assembled(names: Sequence[str], text: PlainText, meanings: Sequence[_Meaning]) -> WholeTable:
    lists = text.list_of_column
    discrete_lists = np.array([meaning.levels is not None for meaning in meanings] + [False])
    is_discrete = discrete_lists[lists]  # `NUMBERS` is the last
    levels = [*(meaning.levels for meaning in meanings), None]
    guessed_lists = [*(meaning.guessed for meaning in meanings), False]
    variables, guessed = [], []
    for name, place in zip(names, lists.tolist(), strict=True):
        variable = Variable(name, levels[place])
        variables.append(variable)
        if guessed_lists[place]:
            guessed.append(variable)
    from_fields = lists != NUMBERS
    codes = _coded(text.codes[is_discrete[from_fields]], lists[is_discrete], meanings)
    values = aligned_empty(text.n_rows, int((~is_discrete).sum()), np.float64).T
    continuous = lists[~is_discrete]
    measured = continuous == NUMBERS
    values[measured] = text.values
    counted = text.codes[~is_discrete[from_fields]]
    tables = [meanings[number].table for number in continuous[~measured].tolist()]
    for place, table, column in zip(np.flatnonzero(~measured), tables, counted, strict=True):
        values[place] = table[column]
    return WholeTable(Dataset(variables, codes, values.T), guessed)


def _coded(
    codes: npt.NDArray[np.uint8], lists: npt.NDArray[np.int32], meanings: Sequence[_Meaning]
) -> npt.NDArray[np.uint8]:
    to = aligned_empty(codes.shape[1], len(codes), np.uint8)
    tables = [
        meaning.table if meaning.levels is not None else np.zeros(_GAP + 1, np.uint8)
        for meaning in meanings
    ]
    if len(codes):
        _core.recode_columns(codes, np.array(tables, np.uint8), lists.tolist(), to.T)
    return to

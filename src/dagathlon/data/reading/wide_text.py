"""Conversion of plain text files to data sets, all columns at once.

With ten thousand columns the cost lies in handling each of them. Here each distinct list of fields
is interpreted once, and there are few lists. Where the user made a request about columns, or a list
is not clear-cut, the columns are planned one by one instead, with the same result.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.data.dataset import Dataset
from dagathlon.data.reading.labels import FIRST_OF_NUMBER, MAX_CODE, MAX_CODES, SURE_CODES, is_float
from dagathlon.data.reading.plain_text import NUMBERS, PlainText, byte_table
from dagathlon.data.storage import aligned_empty
from dagathlon.data.variable import Variable

_GAP = 255


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
    found = byte_table(tuple(fields), missing)
    present = [field for field in fields if field not in missing]
    if found is not None:
        small = max(map(int, present)) <= MAX_CODE
        if small and len(present) <= MAX_CODES:
            levels = tuple(sorted(present, key=int))
            return _Meaning(levels, _codes_of(fields, levels), len(present) > SURE_CODES)
        table, gaps = found
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

"""Text files as pyarrow tables.

A plain file is read by the native core; any other, and a long one of measurements, by pyarrow's
multi-threaded reader. For that the types of the columns are guessed from the first rows, so that
codes arrive as bytes; where a later row disproves the guess, the file is read again with types that
fit all rows. Only on an error is the file scanned line by line to name the place.
"""

from __future__ import annotations

import itertools
import os
from collections import deque
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.types as pt

from dagathlon.data.reading.header import REFUSED, check_width, read_header, without_header
from dagathlon.data.reading.labels import DECIMAL_COMMA, MAX_CODE, is_float
from dagathlon.data.reading.plain_text import PlainText, Use, plain_text
from dagathlon.data.reading.request import ColumnRequest, TextLayout
from dagathlon.data.reading.text_file import (
    checked,
    open_text,
    sniffed_delimiter,
    without_separator_line,
    without_titles,
)
from dagathlon.data.reading.workbook import is_workbook
from dagathlon.data.variable import MAX_LEVELS
from dagathlon.errors import DataError

_BLOCK = 1 << 20
_LARGEST_BLOCK = (1 << 31) - 1
_ROWS_PER_BLOCK = 16
_THOUSAND = 3
# With more rows of measurements than this, threads read sooner.
_MANY_ROWS = 10_000
# A column with more different values than this among the first rows holds no codes.
_CODES = 20
_MOSTLY = 0.9
# Blanks around a number are taken off by pyarrow.
_HEXADECIMAL = r"^[ \t]*0[xX]"
_LABELS = pa.dictionary(pa.int32(), pa.string())


class TextColumns(NamedTuple):
    """Columns of a text file by name: the variables, and the intervention marks."""

    variables: dict[str, Any]
    indicators: dict[str, Any]


class TextTable:
    """A delimited text file: header, columns, and line numbers of rows.

    Parameters
    ----------
    path, layout
        The file, and how it is laid out.
    missing
        Fields that mean a missing value.
    tolerant
        Whether names are made up where they are missing or repeated, and rows with another number
        of fields left out, which `notes` say then. Places of rows are wrong in such files.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        layout: TextLayout,
        missing: Iterable[str],
        *,
        tolerant: bool = False,
    ) -> None:
        self.layout = layout
        text, signs = checked(open_text(path, layout), layout)
        self.text, separator = without_separator_line(without_titles(text, layout.skip))
        self.has_quotes = signs.quotes > 0
        self.may_have_hexadecimals = signs.may_have_hexadecimals
        given_delimiter = None if is_workbook(self.text.path) else layout.delimiter
        self.delimiter = given_delimiter or separator or sniffed_delimiter(self.text)
        if signs.quotes % 2:
            deque(self.text.records(self.delimiter, strict=True), maxlen=0)
        self.tolerant = tolerant
        self.n_unfit = 0
        if layout.header:
            self.header = read_header(self.text, self.delimiter, tolerant)
        else:
            self.header = without_header(self.text, self.delimiter)
        self.missing = frozenset(missing) | {""}
        self.decimal = "."
        self.unwanted: set[int] = set()

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on what was guessed and what was left out."""
        notes = (*self.text.notes, *self.header.notes)
        if not self.n_unfit:
            return notes
        rows = "1 row has" if self.n_unfit == 1 else f"{self.n_unfit:,} rows have"
        first = str(self._unfit_row()).removeprefix(self.label).lstrip(":, ")
        return (
            *(note for note in notes if not note.startswith(first)),
            f"{rows} another number of fields ({first}): {REFUSED}",
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables."""
        return self.header.names[self.header.labels_rows :]

    @property
    def label(self) -> str:
        """Name of the file."""
        return self.text.label

    def place(self, row: int) -> str:
        """Return the place of a row, counted from 0 below the header, as line number."""
        for number, (line, _) in enumerate(self.text.records(self.delimiter)):
            if number == row + self.layout.header:
                return f"{self.label}, line {line}"
        return f"{self.label}, row {row + 1}"

    @property
    def _lines_above(self) -> int:
        """Number of lines up to and including the header."""
        return max(self.header.line - self.text.skipped, 0)

    def plain(self, request: ColumnRequest) -> PlainText | None:
        """Return the requested columns as tokenised natively; None if the file is not plain."""
        if self.has_quotes or self.header.ends_in_delimiter:
            return None
        self._choose_columns(request)
        if self.decimal != ".":
            return None
        row_size = sum(map(len, self.header.sample[0])) + self.header.width
        if self.text.size > _MANY_ROWS * row_size and pa.float64() in self._guess(request).values():
            return None
        uses = [Use.ANY] * self.header.width
        for j in self._label_types(request):
            uses[j] = Use.FIELDS
        for j in self.unwanted:
            uses[j] = Use.LEFT_OUT
        plain = plain_text(self.text, self.delimiter, self._lines_above, uses, self.missing)
        # A number of levels above 255 would have been taken for a measurement.
        if plain is not None and len(plain.values) and self.first_row_may_hold_cardinalities():
            return None
        return plain

    def columns(self, request: ColumnRequest, plain: PlainText | None = None) -> TextColumns:
        """Return the requested columns, typed; those with a requested kind may come as labels.

        The types are integers, doubles, dictionaries of text, or null where all is missing.
        Columns already tokenised as `plain` are not read again.
        """
        self._choose_columns(request)
        names = [*self.header.names, *self.header.indicators]
        columns = None
        if plain is not None:
            worded = {*request.levels, *request.recode}
            columns = plain.columns(
                {j for j, name in enumerate(self.header.names) if name in worded}
            )
        if columns is None:
            columns = self._by_pyarrow(request)
        if self.header.ends_in_delimiter:
            rest = columns.pop(self.header.width - 1)
            if not self.tolerant:
                self._check_empty(rest)
        split = len(self.header.names)
        return TextColumns(
            {names[j]: column for j, column in columns.items() if j < split},
            {names[j]: column for j, column in columns.items() if j >= split},
        )

    def first_row_may_hold_cardinalities(self) -> bool:
        """Whether the first row can be a cardinality row: all its fields are positive integers."""
        if self.layout.cardinality_row is False:
            return False
        first = map(str.strip, self.header.sample[0])
        return all(_is_code(field, MAX_LEVELS) and int(field) for field in first)

    def may_begin_with_cardinalities(self) -> bool:
        """Whether the columns that are not wanted are consistent with a cardinality row."""
        fields = self._fields()
        for j in self.unwanted:
            first, *rest = fields[j]
            codes = [field for field in rest if field not in self.missing]
            if not _is_code(first, MAX_LEVELS) or not int(first):
                return False
            if not all(_is_code(code, int(first) - 1) for code in codes):
                return False
        return True

    def _choose_columns(self, request: ColumnRequest) -> None:
        """Determine the unwanted columns, and the decimal sign of the others."""
        names = (*self.header.names, *self.header.indicators)
        self.unwanted = {j for j, name in enumerate(names) if not request.wants(name)}
        self.unwanted |= {0} if self.header.labels_rows else set()
        self.decimal = self._decimal_sign({*self._label_types(request), *self.unwanted})

    def _label_types(self, request: ColumnRequest) -> dict[int, Any]:
        """Return the columns that are to be read as labels, with that type."""
        if not request.is_about_kinds:
            return {}
        return {
            j: _LABELS
            for j, name in enumerate(self.header.names)
            if request.kind(name) == "discrete" or name in request.recode
            if j not in self.unwanted
        }

    def _by_pyarrow(self, request: ColumnRequest) -> dict[int, Any]:
        label_types, hexadecimal = self._label_types(request), self._hexadecimal()
        columns = self._read_typed(
            label_types | self._guess(request) | hexadecimal, label_types | hexadecimal
        )
        for number in columns.keys() - label_types.keys():
            columns[number] = self._with_points(columns[number])
        return columns

    def _hexadecimal(self) -> dict[int, Any]:
        """Return the columns with fields such as ``0x1F``, which pyarrow parses as integers."""
        if not self.may_have_hexadecimals:
            return {}
        wanted = (j for j in range(self.header.width) if j not in self.unwanted)
        hexadecimal = self._run_reader(_with_hexadecimals, dict.fromkeys(wanted, pa.string()))
        return dict.fromkeys(map(int, hexadecimal or ()), _LABELS)

    def _fields(self) -> list[list[str]]:
        """Return the fields of the first rows, column by column."""
        return [
            [field.strip() for field in column] for column in zip(*self.header.sample, strict=True)
        ]

    def _sampled(self) -> Iterable[str]:
        return itertools.chain.from_iterable(self.header.sample)

    def _decimal_sign(self, labels: Container[int]) -> str:
        """Return a comma if the first rows are unambiguous, else a point.

        They are ambiguous where commas separate fields, where numbers have points, where a
        column with commas may hold pairs of codes or other labels, and where all commas may
        separate thousands.
        """
        if self.layout.decimal is not None:
            return self.layout.decimal
        if self.delimiter == "," or not any("," in field for field in self._sampled()):
            return "."
        columns = [
            [field for field in column if field not in self.missing]
            for j, column in enumerate(self._fields())
            if j not in labels
        ]
        with_commas = [column for column in columns if any(map(DECIMAL_COMMA.fullmatch, column))]
        points = any("." in field and is_float(field) for column in columns for field in column)
        sure = any(_has_decimals(field) for column in with_commas for field in column)
        return "," if sure and not points and all(map(_are_measured, with_commas)) else "."

    def _is_number(self, field: str) -> bool:
        return is_float(_pointed(field) if self.decimal == "," else field)

    def _with_points(self, column: Any) -> Any:
        """Return labels with the decimal commas of numbers replaced by points."""
        if self.decimal != "," or not pt.is_dictionary(column.type):
            return column
        chunks = [
            pa.DictionaryArray.from_arrays(
                chunk.indices,
                pa.array(map(self._relabelled, chunk.dictionary.to_pylist()), pa.string()),
            )
            for chunk in column.chunks
        ]
        return pa.chunked_array(chunks, column.type)

    def _relabelled(self, word: str) -> str:
        if "." in word and is_float(word.strip()):
            raise DataError(
                f"{self.label}: numbers have decimal commas in the first rows, and {word!r} has a "
                "point; write all numbers with a decimal point"
            )
        return _pointed(word)

    def _guess(self, request: ColumnRequest) -> dict[int, Any]:
        """Guess types from the first rows, for the columns where that is possible."""
        fields = self._fields()
        first_holds_cardinalities = all(_is_code(column[0], MAX_LEVELS) for column in fields)
        greatest = MAX_LEVELS if first_holds_cardinalities else MAX_CODE
        types = {}
        for j, column in enumerate(fields):
            if j in self.unwanted:
                continue
            present = [field for field in column if field not in self.missing]
            name = self.header.names[j] if j < len(self.header.names) else ""
            if name in request.recode:
                kind = _LABELS
            elif request.kind(name) == "continuous" or not present:
                kind = pa.float64() if present else None
            elif all(_is_code(field, greatest) for field in present):
                kind = None if name in request.levels else _code_type(present)
            elif request.kind(name) == "discrete" or not all(map(self._is_number, present)):
                kind = _LABELS
            else:
                kind = pa.float64()
            if kind is not None:
                types[j] = kind
        return types

    def _read_typed(self, types: Mapping[int, Any], asked: Mapping[int, Any]) -> dict[int, Any]:
        """Read the columns with pyarrow in these types; in the `asked` ones if they do not fit."""
        table = self._read(types)
        if table is None:
            table = self._read_all(asked)
        dates = [int(field.name) for field in table.schema if pt.is_temporal(field.type)]
        if dates:
            table = self._read_all({**asked, **dict.fromkeys(dates, _LABELS)})
        return dict(zip(map(int, table.column_names), table.columns, strict=True))

    def _read_all(self, types: Mapping[int, Any]) -> Any:
        table = self._read(types)
        if table is None:
            raise DataError(f"{self.label}: the columns have no common type")
        return table

    def _read(self, types: Mapping[int, Any]) -> Any | None:
        """Read the table; return None when a column does not have its given type."""
        return self._run_reader(pa_csv.read_csv, types)

    def _run_reader(
        self, read: Callable[..., Any], types: Mapping[int, Any], block: int | None = None
    ) -> Any | None:
        """Run a pyarrow reader; return None when a column does not have its given type."""
        if block is None:
            row_size = sum(map(len, self.header.names)) + sum(map(len, self.header.sample[0]))
            block = max(_BLOCK, _ROWS_PER_BLOCK * row_size)
        self.n_unfit = 0

        def pass_over(row: Any) -> str:
            self.n_unfit += 1
            return "skip"

        unfit = pass_over if self.tolerant else None
        try:
            with self.text.open_arrow() as stream:
                return read(
                    stream,
                    read_options=self._read_options(block),
                    parse_options=pa_csv.ParseOptions(
                        delimiter=self.delimiter,
                        newlines_in_values=self.has_quotes,
                        invalid_row_handler=unfit,
                    ),
                    convert_options=self._convert_options(types),
                )
        except pa.ArrowInvalid as error:
            if "conversion error" in str(error):
                return None
            if "straddl" in str(error) and block < self.text.size:
                return self._run_reader(read, types, min(self.text.size + 1, _LARGEST_BLOCK))
            raise self._fault(error) from None
        except (pa.ArrowException, OSError) as error:
            raise DataError(f"{self.label}: cannot be read ({error})") from None

    def _read_options(self, block: int) -> Any:
        """Return read options: column numbers for names, which may repeat; header skipped."""
        return pa_csv.ReadOptions(
            column_names=list(map(str, range(self.header.width))),
            skip_rows_after_names=self._lines_above,
            block_size=block,
        )

    def _convert_options(self, types: Mapping[int, Any]) -> Any:
        """Return conversion options: no text is parsed as boolean, since both values are labels."""
        return pa_csv.ConvertOptions(
            column_types={str(j): kind for j, kind in types.items()},
            include_columns=[str(j) for j in range(self.header.width) if j not in self.unwanted],
            null_values=sorted(self.missing),
            true_values=[],
            false_values=[],
            strings_can_be_null=True,
            decimal_point=self.decimal,
            auto_dict_encode=True,
            auto_dict_max_cardinality=MAX_LEVELS,
        )

    def _fault(self, error: Exception) -> DataError:
        """Return an error for the first row of another width than the header, or the raw reason."""
        wrong = self._unfit_row()
        if wrong is not None:
            return wrong
        reason = " ".join(str(error).split())
        return DataError(f"{self.label}: cannot be read as a table ({reason})")

    def _unfit_row(self) -> DataError | None:
        """Return an error for the first row of another width than the header, if any."""
        for line, fields in self.text.records(self.delimiter):
            try:
                check_width(self.text, line, len(fields), self.header.width)
            except DataError as error:
                return error
        return None

    def _check_empty(self, column: Any) -> None:
        if column.null_count < len(column):
            present = column.is_valid().to_pylist()
            raise DataError(
                f"{self.place(present.index(True))}: there is a value after the last named column"
            )


def _with_hexadecimals(stream: Any, **options: Any) -> set[str]:
    """Return text columns that contain a hexadecimal number, reading batch by batch."""
    import pyarrow.compute as pc  # noqa: PLC0415 - takes a while, and few need it

    hexadecimal: set[str] = set()
    with pa_csv.open_csv(stream, **options) as reader:
        for batch in reader:
            for name in set(batch.schema.names) - hexadecimal:
                if pc.any(pc.match_substring_regex(batch.column(name), _HEXADECIMAL)).as_py():
                    hexadecimal.add(name)
    return hexadecimal


def _has_decimals(field: str) -> bool:
    """Whether the comma in a number must be a decimal sign, not a thousands separator."""
    if not DECIMAL_COMMA.fullmatch(field):
        return False
    whole, _, rest = field.lstrip("+-").partition(",")
    return not whole or whole.startswith("0") or len(whole) > _THOUSAND or len(rest) != _THOUSAND


def _are_measured(fields: Sequence[str]) -> bool:
    """Whether fields are measurements: nearly all numbers, with or without commas, few repeated."""
    numbers = [field for field in fields if is_float(_pointed(field))]
    enough = len(numbers) >= _MOSTLY * len(fields)
    return enough and len(set(numbers)) > min(_CODES, len(numbers) // 2)


def _pointed(field: str) -> str:
    bare = field.strip()
    return bare.replace(",", ".") if DECIMAL_COMMA.fullmatch(bare) else field


def _is_code(field: str, greatest: int) -> bool:
    return field.isdecimal() and len(field) < 9 and int(field) <= greatest


def _code_type(fields: Iterable[str]) -> Any:
    return pa.uint8() if max(map(int, fields)) <= 255 else pa.uint16()

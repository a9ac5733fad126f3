"""Data sets as text files, in Benchpress's format or with labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.csv as pa_csv

from dagathlon.data.reading.request import MISSING
from dagathlon.data.reading.text_file import DELIMITERS
from dagathlon.errors import DataError

if TYPE_CHECKING:
    from dagathlon.data.dataset import Dataset
    from dagathlon.data.variable import Variable


class Sink(Protocol):
    """Protocol of binary output streams."""

    def write(self, content: bytes, /) -> int:
        """Write all of `content`."""
        ...


_SPECIAL = frozenset((*DELIMITERS, '"', "\r", "\n", "\ufeff"))


def write_csv(data: Dataset, sink: Sink, delimiter: str, labels: bool) -> None:
    """Write `data` as text; see `dagathlon.data.write_data`."""
    for variable in data.variables:
        _check_words(variable, labels)
    targets = frozenset().union(*data.targets) if data.targets is not None else frozenset()
    marked = [j for j, name in enumerate(data.names) if name in targets]
    _write_row(sink, delimiter, [*data.names, *(data.names[j] for j in marked)])
    if data.is_discrete and not labels:
        _write_row(sink, delimiter, map(str, [*data.arities, *(2 for _ in marked)]))
    columns = [_field(data, variable, labels) for variable in data.variables]
    if data.intervened is not None:
        columns += [pa.array(data.intervened[:, j].astype(np.uint8)) for j in marked]
    gaps_alone = len(columns) == 1 and columns[0].null_count > 0
    if gaps_alone:
        columns = [_without_empty_lines(columns[0])]
    names = list(map(str, range(len(columns))))
    quoting = "needed" if gaps_alone or (labels and _any_special(data.variables)) else "none"
    options = pa_csv.WriteOptions(include_header=False, delimiter=delimiter, quoting_style=quoting)
    pa_csv.write_csv(pa.Table.from_arrays(columns, names=names), sink, options)


def _check_words(variable: Variable, labels: bool) -> None:
    """Refuse names and labels that would be read back differently."""
    words: Sequence[str] = (variable.name, *(variable.levels or ())) if labels else (variable.name,)
    for number, word in enumerate(words):
        what = "name" if number == 0 else f"level of {variable.name!r}"
        if word != word.strip() or "\0" in word or (number and word in MISSING):
            raise DataError(
                f"the {what} {word!r} would not be read back from a text file as it is; "
                "write Parquet instead"
            )


def _write_row(sink: Sink, delimiter: str, fields: Iterable[str]) -> None:
    try:
        sink.write((delimiter.join(map(_quoted, fields)) + "\n").encode())
    except UnicodeEncodeError as error:
        raise DataError(f"a name cannot be written as UTF-8 text ({error})") from None


def _quoted(field: str) -> str:
    """Quote a field that contains any delimiter the reader knows, not only this file's."""
    if _SPECIAL.isdisjoint(field):
        return field
    return '"' + field.replace('"', '""') + '"'


def _any_special(variables: Iterable[Variable]) -> bool:
    """Whether any label needs quotation marks; pyarrow then quotes all labels."""
    labels = (level for variable in variables for level in variable.levels or ())
    return any(not _SPECIAL.isdisjoint(label) for label in labels)


def _field(data: Dataset, variable: Variable, labels: bool) -> Any:
    column = data.column(variable.name)
    if variable.levels is None:
        return _numbers(column)
    codes = pa.array(column, mask=column == data.missing_code)
    if not labels:
        return codes
    return pa.array(variable.levels, type=pa.string()).take(codes)


def _numbers(column: npt.NDArray[np.float64]) -> Any:
    """Format numbers in full precision, integers as ``1.0`` so that they read as continuous."""
    import pyarrow.compute as pc  # noqa: PLC0415 - takes a while, and few need it

    numbers = pa.array(column, mask=np.isnan(column))
    present = column[~np.isnan(column)]
    if not np.array_equal(present, np.floor(present)):
        return numbers
    return pc.replace_substring_regex(numbers.cast(pa.string()), r"^(-?\d+)$", r"\1.0")


def _without_empty_lines(column: Any) -> Any:
    """Quote the blanks of a single-column file, since an empty line is no row."""
    return column.cast(pa.string()).fill_null("")

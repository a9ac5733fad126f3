"""The header of a text file: names, intervention indicators, and the first rows."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from dagathlon.data.reading.text_file import DELIMITERS, TextFile, TitleLinesError
from dagathlon.errors import DataError

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_SAMPLED_ROWS = 100
_SAMPLED_FIELDS = 20_000
# A header below more lines than this is not looked for, nor in shorter files.
_MOST_TITLES = 30
_FEWEST = 3
UNNAMED = "Unnamed: {}"
"""Name that pandas gives to a column without one."""
REFUSED = "other commands refuse the file"
"""End of a note on what only the inspection of a file tolerates."""
_DROPPED = (
    "the first column has no name and another value in each of the first rows, like the numbers or "
    "names of rows that pandas and R write (the first is {!r}); it was left out"
)
_KEPT = (
    "column 1 has no name and is called {0!r}; it was kept, since its values are neither row "
    "numbers nor row labels. If they only name the rows: --drop {0!r}"
)


@dataclass(frozen=True)
class Header:
    """Parsed header and first rows of a text file.

    Attributes
    ----------
    names
        The variables.
    indicators
        Variables named again on the right of the others: 0/1 columns of interventions.
    width
        Number of fields of each row; one more than names and indicators when every row ends in a
        delimiter.
    line
        Line of the header.
    sample
        The first rows below it.
    labels_rows
        Whether the first column is one without a name that holds numbers or names of the rows;
        its name is empty then.
    notes
        Notes on columns without names.
    """

    names: tuple[str, ...]
    indicators: tuple[str, ...]
    width: int
    line: int
    sample: tuple[tuple[str, ...], ...]
    labels_rows: bool = False
    notes: tuple[str, ...] = ()

    @property
    def ends_in_delimiter(self) -> bool:
        """Whether each row ends in a delimiter with an empty field after it."""
        return self.width > len(self.names) + len(self.indicators)


def read_header(text: TextFile, delimiter: str, tolerant: bool = False) -> Header:
    """Read names and first rows; a missing or repeated name or a lack of rows is a `DataError`.

    If `tolerant`, missing and repeated names are replaced and rows of another width are
    skipped, which `Header.notes` report.
    """
    records = text.records(delimiter)
    line, fields = next(records, (1, []))
    words = [field.strip() for field in fields]
    if not any(words):
        raise DataError(f"{text.label}: no columns; the first line holds the names")
    wanted = min(_SAMPLED_ROWS, 2 + _SAMPLED_FIELDS // len(words))
    sample = list(itertools.islice(records, wanted))
    if not sample:
        raise DataError(f"{text.label}: no rows follow the header")
    try:
        return _header(text, line, words, sample)
    except DataError as error:
        skip = title_lines(text)
        if skip:
            raise TitleLinesError(str(error), skip) from None
        fitting = [(at, row) for at, row in sample if len(row) == len(words)]
        if not tolerant or not fitting:
            raise
        fault = str(error).removeprefix(text.label).lstrip(":, ")
        note = f"{fault}; {REFUSED}"
        trailing = len(words) > 1 and not words[-1]
        named = distinct_names(words[: len(words) - trailing])
        sample_rows = tuple(tuple(row) for _, row in fitting)
        return Header(tuple(named), (), len(words), line, sample_rows, notes=(note,))


def _header(
    text: TextFile, line: int, words: list[str], sample: Sequence[tuple[int, list[str]]]
) -> Header:
    """Make the header from the words of the header line; faults raise `DataError`."""
    rows = [row for _, row in sample]
    if _have_names(rows, len(words)):
        words = ["", *words]
    for at, row in sample:
        check_width(text, at, len(row), len(words))
    trailing = len(words) > 1 and not words[-1]
    named = words[: len(words) - trailing]
    notes: tuple[str, ...] = ()
    labels = not named[0] and _are_row_labels([row[0].strip() for row in rows])
    if labels:
        notes = (_DROPPED.format(rows[0][0].strip()),)
    elif not named[0] and len(named) > 1:
        named[0] = UNNAMED.format(0)
        notes = (_KEPT.format(named[0]),)
    names, indicators = _split_names(text.label, line, named[labels:])
    names = ("", *names) if labels else names
    return Header(names, indicators, len(words), line, tuple(map(tuple, rows)), labels, notes)


def distinct_names(names: Sequence[str]) -> list[str]:
    """Return the names with missing and repeated ones replaced, as pandas does it."""
    taken: dict[str, None] = {}
    for number, name in enumerate(names):
        plain = name or UNNAMED.format(number)
        choices = (f"{plain}.{i}" if i else plain for i in itertools.count())
        taken[next(choice for choice in choices if choice not in taken)] = None
    return list(taken)


def without_header(text: TextFile, delimiter: str) -> Header:
    """Read the first rows of a file without a header; columns are named ``V1``, ``V2``, …."""
    sample = list(itertools.islice(text.records(delimiter), _SAMPLED_ROWS))
    width = len(sample[0][1]) if sample else 0
    if not width:
        raise DataError(f"{text.label}: no rows")
    for at, row in sample:
        check_width(text, at, len(row), width)
    trailing = width > 1 and not any(row[-1].strip() for _, row in sample)
    names = tuple(f"V{number + 1}" for number in range(width - trailing))
    return Header(names, (), width, 0, tuple(tuple(row) for _, row in sample))


def _have_names(rows: Sequence[Sequence[str]], width: int) -> bool:
    """Whether rows have one field more than the header: a row name, as R writes it."""
    if any(len(row) != width + 1 for row in rows) or not any(row[-1].strip() for row in rows):
        return False  # an empty last field is a delimiter too many
    has_number = any(_NUMBER.fullmatch(field.strip()) for field in rows[0][1:])
    return has_number and _are_row_labels([row[0].strip() for row in rows])


def _are_row_labels(labels: Sequence[str]) -> bool:
    """Whether the labels are row labels: distinct, and integers or words but not measurements."""
    if not all(labels) or len(set(labels)) < len(labels):
        return False
    numbers = [float(label) for label in labels if _NUMBER.fullmatch(label)]
    if not numbers or all(label.isdecimal() for label in labels):
        return True
    steps = {after - before for before, after in itertools.pairwise(numbers)}
    return len(numbers) == len(labels) and steps == {1.0} and numbers[0].is_integer()


def title_lines(text: TextFile) -> int:
    """Return the number of title lines above what looks like the header; 0 if none."""
    for delimiter in DELIMITERS:
        records = itertools.islice(text.records(delimiter), _SAMPLED_ROWS)
        line = _line_of_names(list(records))
        if line:
            return line - 1
    return 0


def _line_of_names(records: Sequence[tuple[int, list[str]]]) -> int:
    """Return the line of the first row of names as wide as most rows; 0 if no line is above it."""
    if len(records) < _FEWEST:
        return 0
    ((width, often),) = Counter(len(row) for _, row in records).most_common(1)
    if width < 2 or 2 * often <= len(records):
        return 0
    for number, (line, row) in enumerate(records[:_MOST_TITLES]):
        named = [field.strip() for field in row]
        filled = sum(map(bool, named)) >= len(named) - 1
        if len(row) == width and filled and not any(map(_NUMBER.fullmatch, named)):
            return line if number else 0
    return 0


def check_width(text: TextFile, line: int, found: int, width: int) -> None:
    """Raise `DataError` for a row with fewer or more fields than the header."""
    if found != width:
        fields = "field" if found == 1 else "fields"
        raise DataError(
            f"{text.label}, line {line}: found {found} {fields} where the header has {width}"
        )


def _split_names(
    label: str, line: int, words: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split header names into variables and the repeated names that mark interventions."""
    if "" in words:
        number = words.index("") + 1
        raise DataError(f"{label}, line {line}: column {number} has no name")
    first: dict[str, int] = {}
    for number, word in enumerate(words):
        if word in first:
            break
        first[word] = number
    names, indicators = tuple(first), tuple(words[len(first) :])
    for number, word in enumerate(indicators, start=len(names) + 1):
        if word not in first:
            raise DataError(
                f"{label}, line {line}: {_no_names(words)}the name {indicators[0]!r} stands twice, "
                f"in columns {first[indicators[0]] + 1} and {len(names) + 1}; give each column its "
                "own name (only columns that mark interventions repeat names, and then column "
                f"{number} is an intervention indicator, but {word!r} is no variable)"
            )
        if word in words[len(names) : number - 1]:
            raise DataError(f"{label}, line {line}: the name {word!r} stands more than twice")
    return names, indicators


def _no_names(words: Sequence[str]) -> str:
    """Return a note on a header line that looks like data; empty if it does not."""
    if not all(map(_NUMBER.fullmatch, words)):
        return ""
    return "if this line holds data, say that there is no header; "

"""``dagathlon describe``: how a data file was understood, and flags to change that."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Iterator, Sequence

from dagathlon.cli._data import add_data_arguments, prepares, reading_flags, reading_of
from dagathlon.cli._declaring import Commands, command
from dagathlon.cli._parts import table
from dagathlon.data.inspection import Description, Remark, describe
from dagathlon.data.inspection.description import ColumnFacts
from dagathlon.data.inspection.noise import NoiseFinding
from dagathlon.data.reading.header import REFUSED
from dagathlon.errors import DagathlonError, listing
from dagathlon.wording import counted

_MOST_COLUMNS = 40
_MOST_LEVELS = 4
_NAMED = 8
_WIDTH = 34
# A next command with more than this in one option would be no help.
_MOST_ADVISED = 20

_NOISE = {
    "missing": "missing values",
    "incorrect": "wrong values",
    "merged": "merged states",
    "hidden": "hidden variables",
}
_SILENT = ("none", "cannot be told")
_TELLING = 0.05

# Remarks about columns of which nothing can be learned.
_USELESS = ("constant", "empty")


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = command(
        commands,
        "describe",
        "show how a data file was understood, and which flags change it",
        "dagathlon describe data.csv --na=-999 --kinds 'id=ignore,children=continuous'",
        _run,
    )
    add_data_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print JSON, with every column")


def _run(arguments: argparse.Namespace) -> int:
    wrong = prepares(arguments)
    if wrong:
        raise DagathlonError(
            f"describe shows a file as it is read, before {wrong}; give that to the next command"
        )
    description = describe(arguments.data, reading_of(arguments))
    if arguments.json:
        print(json.dumps(description.to_json(), indent=2, ensure_ascii=False))
        return 0
    for line in _lines(description, reading_flags(arguments)):
        print(line)
    return 0


def _lines(description: Description, flags: Sequence[str]) -> Iterator[str]:
    if len(description.columns) <= _MOST_COLUMNS:
        rows = [_row(column, description.n_rows) for column in description.columns]
        yield table(("column", "kind", "values", "missing"), rows)
    else:
        yield f"{len(description.columns):,} columns; --json lists them all"
    grouped = len(description.columns) > _MOST_COLUMNS
    remarks = list(_grouped(description.remarks) if grouped else _single(description.remarks))
    if remarks:
        yield "\nworth a look, with the flag that changes it:"
        yield from remarks
    yield from _noise(description.noise)
    yield ""
    yield _summary(description)
    useless = {remark.column for remark in description.remarks if remark.what in _USELESS}
    if description.n_rows > 1 and any(column.name not in useless for column in _taken(description)):
        refused = any(REFUSED in remark.text for remark in description.remarks)
        yield f"next: {'mend the file as said above' if refused else _next(description, flags)}"
    else:
        yield "nothing can be learned from these data: there must be two rows that differ"


def _noise(findings: Sequence[NoiseFinding]) -> Iterator[str]:
    """Yield a line for each kind of noise with a finding, and one for the others."""
    shown = [
        finding for finding in findings if finding.verdict not in _SILENT or _is_bounded(finding)
    ]
    if not shown:
        return
    yield "\nnoise that the file may have:"
    others = [finding for finding in findings if finding not in shown]
    nothing = [finding for finding in others if finding.verdict == "none"]
    yield from (f"  {_NOISE[finding.kind]}: {finding.text}" for finding in (*nothing, *shown))
    unknown = listing(_NOISE[finding.kind] for finding in others if finding not in nothing)
    if unknown:
        yield f"  cannot be told from a file: {unknown}"


def _is_bounded(finding: NoiseFinding) -> bool:
    """Whether the bound on a noise rate is low enough to be informative."""
    return finding.at_most is not None and finding.at_most <= _TELLING


def _taken(description: Description) -> Iterator[ColumnFacts]:
    return (column for column in description.columns if column.kind != "left out")


def _row(column: ColumnFacts, n_rows: int) -> tuple[str, str, str, str]:
    missing = f"{column.n_missing:,} ({column.n_missing / n_rows:.0%})" if column.n_missing else ""
    return _cut(column.name), column.kind, _values(column), missing


def _values(column: ColumnFacts) -> str:
    if column.levels is not None:
        named = list(column.levels)
        more = ", …" if len(named) > _MOST_LEVELS else ""
        first = ", ".join(map(_cut, named[:_MOST_LEVELS])) + more
        return f"{len(named):,} levels: {first}" if len(named) > 1 else f"1 level: {first}"
    if column.minimum is None or column.maximum is None:
        return ""
    return f"{column.minimum:.5g} to {column.maximum:.5g}, mean {column.mean:.5g}"


def _single(remarks: Sequence[Remark]) -> Iterator[str]:
    for remark in remarks:
        about = "the file" if remark.column is None else _cut(remark.column)
        flag = f"  {_quoted(remark)}" if remark.option else ""
        yield f"  {about}: {remark.text.rstrip(':')}{flag}"


def _grouped(remarks: Sequence[Remark]) -> Iterator[str]:
    """Yield remarks, the same remark about many columns as one line."""
    kinds: dict[str, list[Remark]] = {}
    for remark in remarks:
        kinds.setdefault(remark.what, []).append(remark)
    for what, same in kinds.items():
        if len(same) == 1 or same[0].column is None:
            yield from _single(same)
            continue
        names = listing(_cut(remark.column or "") for remark in same[:_NAMED])
        more = f", … ({len(same):,} in all)" if len(same) > _NAMED else ""
        flag = f"  e.g. {_quoted(same[0])}" if same[0].option else ""
        yield f"  {what}: {names}{more}{flag}"


def _quoted(remark: Remark) -> str:
    """Return the flag quoted for a shell; a blank reads better than a second equals sign."""
    if remark.value is None:
        return f"--{remark.option}"
    join = "=" if remark.value.startswith("-") else " "
    return f"--{remark.option}{join}{shlex.quote(_protected(remark))}"


def _protected(remark: Remark) -> str:
    """Return a column's name, in quotation marks if it contains a comma."""
    value = remark.value or ""
    if remark.column is None or "," not in remark.column:
        return value
    doubled = remark.column.replace('"', '""')
    return value.replace(remark.column, f'"{doubled}"', 1)


def _summary(description: Description) -> str:
    kinds = listing(f"{count:,} {kind}" for kind, count in description.kinds.items())
    rows = counted(description.n_rows, "row")
    columns = counted(len(description.columns), "column")
    size = f"{description.path}: {rows}, {columns} ({kinds})"
    gaps = description.missing
    if not gaps["columns"]:
        hidden = any(remark.option == "na" and remark.advised for remark in description.remarks)
        return f"{size}; {'no field is empty' if hidden else 'nothing is missing'}"
    most = gaps["most_frequent"]
    together = listing(map(_cut, most["columns"][:_NAMED]))
    more = " …" if len(most["columns"]) > _NAMED else ""
    return (
        f"{size}; complete rows: {gaps['complete_rows']:,}; columns with gaps: "
        f"{gaps['columns']:,}; patterns of gaps: {gaps['patterns']:,}, most often in "
        f"{together}{more} ({most['rows']:,}×); --missing says what becomes of them"
    )


def _next(description: Description, flags: Sequence[str]) -> str:
    """Return the command to run next, with flags that are nearly always right."""
    advised: dict[str, list[str]] = {}
    for remark in description.remarks:
        if remark.advised and remark.option:
            advised.setdefault(remark.option, []).append(_protected(remark))
    words = ["dagathlon", "suggest", description.path, *flags]
    for option, values in advised.items():
        given = list(dict.fromkeys(value for value in values if value))
        if option == "recode":  # each column has a flag of its own
            words += [f"--recode={value}" for value in given[:_MOST_ADVISED]]
            continue
        if len(given) <= _MOST_ADVISED:
            words.append(f"--{option}={','.join(given)}" if given else f"--{option}")
    return shlex.join(words)


def _cut(word: str) -> str:
    return word if len(word) <= _WIDTH else f"{word[: _WIDTH - 1]}…"

"""DSC, Microsoft's belief network format, as bnlearn, GeNIe and MSBNx write it."""

from __future__ import annotations

from dagathlon.data.models.network import Network
from dagathlon.data.networks.declaration import discrete_levels, read_declaration
from dagathlon.data.networks.definition import Draft, build, place
from dagathlon.data.networks.limits import text_of
from dagathlon.data.networks.rows import RowTable
from dagathlon.data.networks.scanner import Scanner, numbers
from dagathlon.errors import DataError, unknown

_MARKS = "(){}[],;|:="
_COMMENT = r"//[^\n]*|/\*.*?(?:\*/|\Z)"


def read(content: bytes) -> Network:
    """Read a DSC file."""
    scan = Scanner(text_of(content), _MARKS, _COMMENT)
    draft = Draft()
    tables: list[RowTable] = []
    while not scan.at_end():
        line = scan.line
        word = scan.next()
        if word == "node":
            read_declaration(scan, draft, "node", "type", _levels)
        elif word == "probability":
            tables.append(_table(scan, line))
        elif word in ("belief", "diagnostic"):
            scan.expect("network")
            if not scan.at_mark("node"):
                scan.next()
        elif word == "network" or scan.quoted:
            continue
        elif word in ("properties", "domain"):
            scan.skip_block()
        else:
            known = ("belief network", "node", "probability", "properties", "domain")
            raise DataError(unknown("statement", word, known, place(line)))
    for table in tables:
        # Rows are addressed by the numbers of the parents' levels.
        counts = [len(draft.levels(parent, table.line) or ()) for parent in table.parents]
        table.finish(draft, [{str(i): i for i in range(count)} for count in counts])
    return build(draft.definitions())


def _levels(scan: Scanner) -> list[str]:
    scan.accept(":")
    return discrete_levels(scan)


def _table(scan: Scanner, line: int) -> RowTable:
    scan.expect("(")
    name = scan.name("a node's name")
    scan.accept("|")
    rows = RowTable(name, scan.names(")"), line)
    scan.expect("{")
    while not scan.accept("}"):
        _row(scan, rows)
    return rows


def _row(scan: Scanner, rows: RowTable) -> None:
    line = scan.line
    if scan.accept("("):
        chosen = scan.names(")")
        scan.expect(":")
        rows.add(line, chosen, numbers(scan.raw_until(";"), line))
    elif scan.accept("default"):
        scan.expect(":")
        rows.default = numbers(scan.raw_until(";"), line)
    elif scan.at_mark("function") or scan.at_mark("leak"):
        raise DataError(f"{place(line, rows.name)}: noisy functions are not read, only tables")
    else:
        rows.add(line, [], numbers(scan.raw_until(";"), line))

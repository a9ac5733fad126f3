"""DSC, Microsoft's belief network format, as bnlearn, GeNIe and MSBNx write it."""

from __future__ import annotations

from dagathlon.data.network import Network
from dagathlon.data.networks.definition import Draft, build, place
from dagathlon.data.networks.limits import text_of
from dagathlon.data.networks.rows import RowTable
from dagathlon.data.networks.scanner import Scanner, numbers
from dagathlon.errors import DataError, unknown

MARKS = "(){}[],;|:="
_COMMENT = r"//[^\n]*|/\*.*?(?:\*/|\Z)"


def read(content: bytes) -> Network:
    """Read a DSC file."""
    scan = Scanner(text_of(content), MARKS, _COMMENT)
    draft = Draft()
    tables: list[RowTable] = []
    while not scan.at_end():
        line = scan.line
        word = scan.next()
        if word == "node":
            _node(scan, draft)
        elif word == "probability":
            tables.append(_table(scan, line))
        elif word in ("belief", "diagnostic"):
            scan.expect("network")
            if not scan.at_mark("node"):
                scan.next()
        elif word == "network" or scan.quoted:
            continue
        elif word in ("properties", "domain"):
            while not scan.at_mark("{"):
                scan.name("a block", ";}")
            scan.skip_block()
        else:
            known = ("belief network", "node", "probability", "properties", "domain")
            raise DataError(unknown("statement", word, known, place(line)))
    for table in tables:
        # Rows are addressed by the numbers of the parents' levels.
        counts = [len(draft.levels(parent, table.line) or ()) for parent in table.parents]
        table.finish(draft, [{str(i): i for i in range(count)} for count in counts])
    return build(draft.definitions())


def _node(scan: Scanner, draft: Draft) -> None:
    line = scan.line
    name = scan.name("a node's name", MARKS)
    levels: list[str] | None = None
    scan.expect("{")
    while not scan.accept("}"):
        if scan.accept("type"):
            levels = _levels(scan)
        elif scan.at_end():
            raise scan.error(f"expected '}}' after node {name!r}")
        else:
            scan.skip_statement()
    if levels is None:
        raise DataError(f"{place(line, name)}: has no type")
    draft.variable(name, levels, line)


def _levels(scan: Scanner) -> list[str]:
    scan.accept(":")
    kind = scan.name("a type", MARKS)
    if kind != "discrete":
        raise scan.error(f"expected type discrete, found {kind!r}")
    scan.expect("[")
    count = scan.name("a number of levels", MARKS)
    scan.expect("]")
    scan.accept("=")
    scan.expect("{")
    levels = _listed(scan, "}")
    scan.accept(";")
    if count != str(len(levels)):
        raise scan.error(f"{count} levels announced, {len(levels)} listed")
    return levels


def _table(scan: Scanner, line: int) -> RowTable:
    scan.expect("(")
    name = scan.name("a node's name", MARKS)
    scan.accept("|")
    rows = RowTable(name, _listed(scan, ")"), line)
    scan.expect("{")
    while not scan.accept("}"):
        _row(scan, rows)
    return rows


def _row(scan: Scanner, rows: RowTable) -> None:
    line = scan.line
    if scan.accept("("):
        chosen = _listed(scan, ")")
        scan.expect(":")
        rows.add(line, chosen, numbers(scan.raw_until(";"), line))
    elif scan.accept("default"):
        scan.expect(":")
        rows.default = numbers(scan.raw_until(";"), line)
    elif scan.at_mark("function") or scan.at_mark("leak"):
        raise DataError(f"{place(line, rows.name)}: noisy functions are not read, only tables")
    else:
        rows.add(line, [], numbers(scan.raw_until(";"), line))


def _listed(scan: Scanner, end: str) -> list[str]:
    words = []
    while not scan.accept(end):
        words.append(scan.name(f"a name or {end!r}", MARKS))
        scan.accept(",")
    return words

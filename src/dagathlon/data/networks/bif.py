"""BIF, the Bayesian interchange format (0.15), as bnlearn's repository and JavaBayes write it."""

from __future__ import annotations

import re

import numpy as np

from dagathlon.data.models.network import Network
from dagathlon.data.networks.declaration import discrete_levels, read_declaration
from dagathlon.data.networks.definition import Definition, Draft, build, definitions_of, place
from dagathlon.data.networks.limits import text_of
from dagathlon.data.networks.rows import RowTable
from dagathlon.data.networks.scanner import Scanner, numbers
from dagathlon.errors import DataError, unknown

_MARKS = "(){}[],;|"
_COMMENT = r"//[^\n]*|/\*.*?(?:\*/|\Z)"
_PLAIN = re.compile(r"(?!.*(?://|/\*))[\w.+\-/<>=:%'!?*]+\Z", re.DOTALL)


def read(content: bytes) -> Network:
    """Read a BIF file."""
    return build(definitions(text_of(content)))


def definitions(text: str) -> list[Definition]:
    """Parse the nodes of a BIF text, with the numbers as printed."""
    scan = Scanner(text, _MARKS, _COMMENT)
    draft = Draft()
    blocks: list[_Block] = []
    while not scan.at_end():
        line = scan.line
        word = scan.next()
        if word == "network":
            scan.skip_block()
        elif word == "variable":
            read_declaration(scan, draft, "variable", "type", discrete_levels)
        elif word == "probability":
            blocks.append(_Block(scan, line))
        else:
            known = ("network", "variable", "probability")
            raise DataError(unknown("statement", word, known, place(line)))
    for block in blocks:
        block.finish(draft)
    return draft.definitions()


class _Block:
    """A probability block: one row per parent configuration, or one ``table`` of all numbers."""

    def __init__(self, scan: Scanner, line: int) -> None:
        scan.expect("(")
        name = scan.name("a variable's name")
        # The oldest files write the parents after the variable without a bar.
        scan.accept("|")
        self._rows = RowTable(name, scan.names(")"), line)
        self._table: list[float] | None = None
        scan.expect("{")
        while not scan.accept("}"):
            self._statement(scan)

    def _statement(self, scan: Scanner) -> None:
        line = scan.line
        if scan.accept("("):
            labels = scan.names(")")
            self._rows.add(line, labels, numbers(scan.raw_until(";"), line))
        elif scan.accept("table"):
            self._table = numbers(scan.raw_until(";"), line)
        elif scan.accept("default"):
            self._rows.default = numbers(scan.raw_until(";"), line)
        elif scan.accept("property"):
            scan.skip_statement()
        elif scan.at_end():
            raise scan.error(f"expected '}}' after the probabilities of {self._rows.name!r}")
        else:
            known = ("(levels of the parents)", "table", "default", "property")
            raise DataError(unknown("entry", scan.peek(), known, place(line, self._rows.name)))

    def finish(self, draft: Draft) -> None:
        """Add the table to the draft, once all variables are declared."""
        name, parents, line = self._rows.name, self._rows.parents, self._rows.line
        shape = draft.configurations(name, parents, line)
        if self._table is None:
            levels = [draft.levels(parent) or () for parent in parents]
            index = [{level: i for i, level in enumerate(labels)} for labels in levels]
            self._rows.finish(draft, index)
            return
        width, size = len(draft.levels(name) or ()), int(np.prod(shape, dtype=np.int64))
        values = np.array(self._table)
        if values.size == size * width:
            # "table" counts through the node's levels slowest and the last parent fastest.
            values = values.reshape(width, size).T
        draft.table(name, parents, values, line)


def write(network: Network) -> bytes:
    """Write a discrete network as BIF, in full precision, with unusual names quoted."""
    if network.kind != "discrete":
        raise DataError(f"BIF holds discrete networks, this one is {network.kind}: write .dagnet")
    nodes = definitions_of(network)
    levels = {node.name: node.levels or () for node in nodes}
    parts = [f"network {quoted(network.about.name or 'unknown')} {{\n}}\n"]
    for node in nodes:
        listed = ", ".join(map(quoted, levels[node.name]))
        count = len(levels[node.name])
        parts.append(
            f"variable {quoted(node.name)} {{\n  type discrete [ {count} ] {{ {listed} }};\n}}\n"
        )
    parts.extend(_written_table(node, levels) for node in nodes)
    try:
        return "".join(parts).encode()
    except UnicodeEncodeError as error:
        raise DataError(f"a name cannot be written as UTF-8: {error}") from None


def quoted(name: str) -> str:
    """Return the name, quoted if it contains punctuation or blanks."""
    if _PLAIN.match(name):
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _written_table(node: Definition, levels: dict[str, tuple[str, ...]]) -> str:
    head = quoted(node.name)
    if not node.parents:
        row = ", ".join(map(repr, node.values[0].tolist()))
        return f"probability ( {head} ) {{\n  table {row};\n}}\n"
    listed = ", ".join(map(quoted, node.parents))
    shape = [len(levels[parent]) for parent in node.parents]
    labels = [list(map(quoted, levels[parent])) for parent in node.parents]
    lines = [f"probability ( {head} | {listed} ) {{"]
    for chosen, row in zip(np.ndindex(*shape), node.values.tolist(), strict=True):
        given = ", ".join(names[i] for names, i in zip(labels, chosen, strict=True))
        lines.append(f"  ({given}) {', '.join(map(repr, row))};")
    return "\n".join([*lines, "}", ""])

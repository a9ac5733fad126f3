"""Hugin's NET format (``.net``): discrete, Gaussian and conditional Gaussian nodes."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from dagathlon.data.models.network import Network
from dagathlon.data.networks.declaration import read_declaration
from dagathlon.data.networks.definition import Draft, at, build, place
from dagathlon.data.networks.limits import text_of
from dagathlon.data.networks.scanner import Scanner, numbers
from dagathlon.errors import DataError, unknown

_MARKS = "(){}[],;|="
_COMMENT = r"%[^\n]*"
_KINDS = ("node", "discrete", "continuous")
_NORMAL = re.compile(r"normal\s*\(([^(),]*),([^(),]*)\)")
_FACTOR = r"((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![^\s*+-])|[^\s*+-]+)"
_TERM = re.compile(rf"\s*([+-]?)\s*{_FACTOR}\s*(?:\*\s*{_FACTOR})?\s*")


@dataclass
class _Potential:
    name: str
    parents: list[str]
    line: int
    data: str | None = None


def read(content: bytes) -> Network:
    """Read a NET file."""
    scan = Scanner(text_of(content), _MARKS, _COMMENT)
    draft = Draft()
    potentials: list[_Potential] = []
    while not scan.at_end():
        line = scan.line
        word = scan.next()
        if word == "net":
            scan.skip_block()
        elif word in _KINDS:
            if word != "node":
                scan.expect("node")
            read_declaration(
                scan, draft, "node", "states", _states, continuous=word == "continuous"
            )
        elif word == "potential":
            potentials.append(_potential(scan, line))
        elif word in ("decision", "utility", "function", "class"):
            raise DataError(f"{place(line)}: {word!r} is not part of a Bayesian network")
        else:
            known = ("net", *_KINDS, "potential")
            raise DataError(unknown("statement", word, known, place(line)))
    for potential in potentials:
        _finish(potential, draft)
    return build(draft.definitions())


def _states(scan: Scanner) -> list[str]:
    scan.expect("=")
    scan.expect("(")
    states = scan.names(")")
    scan.expect(";")
    return states


def _potential(scan: Scanner, line: int) -> _Potential:
    scan.expect("(")
    name = scan.name("a node's name")
    scan.accept("|")
    potential = _Potential(name, scan.names(")"), line)
    scan.expect("{")
    while not scan.accept("}"):
        if scan.accept("data"):
            scan.expect("=")
            potential.data = scan.raw_until(";")
        elif scan.at_mark("model_nodes") or scan.at_mark("model_data"):
            raise scan.error("tables given by expressions are not read, only numbers")
        elif scan.at_end():
            raise scan.error(f"expected '}}' after potential {potential.name!r}")
        else:
            scan.skip_statement()
    return potential


def _finish(potential: _Potential, draft: Draft) -> None:
    """Add the numbers to the draft: the node's own states vary fastest, then the last parent."""
    name, parents, line = potential.name, potential.parents, potential.line
    shape = draft.configurations(name, parents, line)
    levels = draft.levels(name)
    if levels is None:
        continuous = [parent for parent in parents if draft.levels(parent) is None]
        with at(line, name):
            values = _normal_rows(potential.data or "", continuous)
        draft.table(name, parents, values, line)
    elif potential.data is None:
        # The format's default: all cells alike.
        cells = np.full((int(np.prod(shape, dtype=np.int64)), len(levels)), 1 / len(levels))
        draft.table(name, parents, cells, line)
    else:
        flat = potential.data.replace("(", " ").replace(")", " ")
        with at(None, name):
            cells = np.array(numbers(flat, line))
        draft.table(name, parents, cells, line)


def _normal_rows(data: str, continuous: list[str]) -> list[list[float]]:
    """Parse ``normal(mean, variance)`` per discrete configuration, means linear in parents."""
    rows = []
    for match in _NORMAL.finditer(data):
        mean = _linear(match[1], continuous)
        variance = _number(match[2])
        if variance < 0:
            raise DataError(f"a variance is not negative, found {variance:g}")
        rows.append([*mean, float(np.sqrt(variance))])
    if _NORMAL.sub("", data).translate(str.maketrans("", "", "() \t\r\n")) or not rows:
        raise DataError(f"expected normal(mean, variance), found {data.strip()[:60]!r}")
    return rows


def _linear(expression: str, continuous: list[str]) -> list[float]:
    """Parse intercept and coefficients of a sum such as ``1.5 + 2 * A - B``."""
    row = [0.0] * (len(continuous) + 1)
    position = 0
    text = expression.strip()
    while position < len(text):
        match = _TERM.match(text, position)
        if match is None or (position and not match[1]):
            raise DataError(f"expected a linear expression, found {text[:60]!r}")
        position = match.end()
        factor, parent = -1.0 if match[1] == "-" else 1.0, None
        for word in filter(None, (match[2], match[3])):
            if word in continuous:
                parent = word
            else:
                factor *= _number(word)
        row[0 if parent is None else continuous.index(parent) + 1] += factor
    return row


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise DataError(
            f"expected a number or a continuous parent, found {word.strip()[:40]!r}"
        ) from None

"""XDSL, the format of GeNIe and SMILE: chance and deterministic nodes."""

from __future__ import annotations

import numpy as np

from dagathlon.data.models.network import Network
from dagathlon.data.networks.definition import Draft, at, build, place
from dagathlon.data.networks.scanner import numbers
from dagathlon.data.networks.xml_tree import Element, parse_xml
from dagathlon.errors import DataError, unknown


def read(content: bytes) -> Network:
    """Read an XDSL file."""
    root = parse_xml(content)
    if root.tag != "smile":
        raise DataError(f"line {root.line}: expected <smile>, found <{root.tag}>")
    draft = Draft()
    nodes = root.first("nodes").children
    for node in nodes:
        name = node.attribute("id")
        if node.tag not in ("cpt", "deterministic"):
            known = ("cpt", "deterministic")
            raise DataError(unknown("kind of node", node.tag, known, place(node.line, name)))
        draft.variable(name, [state.attribute("id") for state in node.all("state")], node.line)
    for node in nodes:
        _table(node, draft)
    return build(draft.definitions())


def _table(node: Element, draft: Draft) -> None:
    """Read a node's table: parents in order, the node's own states varying fastest."""
    name = node.attribute("id")
    parents = [word for element in node.all("parents") for word in element.text.split()]
    if node.tag == "cpt":
        element = node.first("probabilities")
        with at(None, name):
            values = np.array(numbers(element.text, element.line))
    else:
        values = _certain(node, draft)
    draft.table(name, parents, values, node.line)


def _certain(node: Element, draft: Draft) -> np.ndarray:
    """Return the table of a deterministic node: probability 1 for the state named in each row."""
    name = node.attribute("id")
    levels = draft.levels(name) or ()
    result = node.first("resultingstates")
    index = {level: i for i, level in enumerate(levels)}
    rows = []
    for state in result.text.split():
        if state not in index:
            raise DataError(unknown("state", state, levels, place(result.line, name)))
        rows.append(index[state])
    cells = np.zeros((len(rows), len(levels)))
    cells[np.arange(len(rows)), rows] = 1.0
    return cells

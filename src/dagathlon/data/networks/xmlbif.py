"""XMLBIF (0.3), as Weka, SamIam, GeNIe and pgmpy write it."""

from __future__ import annotations

from dagathlon.data.models.network import Network
from dagathlon.data.networks.definition import Draft, at, build, place
from dagathlon.data.networks.scanner import numbers
from dagathlon.data.networks.xml_tree import Element, parse_xml
from dagathlon.errors import DataError


def read(content: bytes) -> Network:
    """Read an XMLBIF file."""
    root = parse_xml(content)
    if root.tag != "BIF":
        raise DataError(f"line {root.line}: expected <BIF>, found <{root.tag}>")
    network = root.first("NETWORK")
    draft = Draft()
    for element in network.all("VARIABLE"):
        _variable(element, draft)
    for element in network.all("DEFINITION", "PROBABILITY"):
        _table(element, draft)
    return build(draft.definitions())


def _variable(element: Element, draft: Draft) -> None:
    name = element.first("NAME").text
    kind = element.attributes.get("TYPE", "nature")
    if kind != "nature":
        raise DataError(f"{place(element.line, name)}: type {kind!r}, allowed is 'nature'")
    levels = [outcome.text for outcome in element.all("OUTCOME", "VALUE")]
    draft.variable(name, levels, element.line)


def _table(element: Element, draft: Draft) -> None:
    """Read a node's table: parents in order, the node's own outcomes varying fastest."""
    name = element.first("FOR").text
    parents = [given.text for given in element.all("GIVEN")]
    table = element.first("TABLE")
    with at(None, name):
        values = numbers(table.text, table.line)
    draft.table(name, parents, values, element.line)

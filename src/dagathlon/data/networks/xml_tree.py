"""XML tree with line numbers; entities and excessive nesting are refused."""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.parsers import expat

from dagathlon.data.networks.limits import MAX_DEPTH
from dagathlon.errors import DataError


@dataclass
class Element:
    """An XML element."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Text directly inside the element, stripped."""
        return "".join(self.pieces).strip()

    def all(self, *tags: str) -> list[Element]:
        """Return the children with one of these tags, in order."""
        return [child for child in self.children if child.tag in tags]

    def first(self, tag: str) -> Element:
        """Return the first child with this tag; raise if there is none."""
        children = self.all(tag)
        if not children:
            raise DataError(f"line {self.line}: <{self.tag}> has no <{tag}>")
        return children[0]

    def attribute(self, name: str) -> str:
        """Return an attribute's value; raise if it is absent."""
        if name not in self.attributes:
            raise DataError(f"line {self.line}: <{self.tag}> has no attribute {name!r}")
        return self.attributes[name]


def parse_xml(content: bytes) -> Element:
    """Parse XML and return the root element; a DOCTYPE is allowed (for XMLBIF), entities not."""
    tree = _Tree()
    try:
        tree.parser.Parse(content, True)
    except expat.ExpatError as error:
        raise DataError(f"line {error.lineno}: {expat.ErrorString(error.code)}") from None
    except (ValueError, LookupError) as error:
        raise DataError(f"the XML text cannot be decoded: {error}") from None
    return tree.root.children[0]


class _Tree:
    def __init__(self) -> None:
        self.parser = expat.ParserCreate()
        # Defaults that a document type declares would let a small file fill the memory.
        self.parser.specified_attributes = True
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._open
        self.parser.EndElementHandler = self._close
        self.parser.CharacterDataHandler = self._characters
        self.parser.EntityDeclHandler = self._entity
        self.parser.ExternalEntityRefHandler = self._entity
        self.root = Element("", {}, 0)
        self._open_elements = [self.root]

    def _open(self, tag: str, attributes: dict[str, str]) -> None:
        line = self.parser.CurrentLineNumber
        if len(self._open_elements) > MAX_DEPTH:
            raise DataError(f"line {line}: elements nested more than {MAX_DEPTH} deep")
        element = Element(tag, attributes, line)
        self._open_elements[-1].children.append(element)
        self._open_elements.append(element)

    def _close(self, _tag: str) -> None:
        self._open_elements.pop()

    def _characters(self, text: str) -> None:
        self._open_elements[-1].pieces.append(text)

    def _entity(self, *_: object) -> int:
        line = self.parser.CurrentLineNumber
        raise DataError(f"line {line}: entity declarations and external entities are refused")

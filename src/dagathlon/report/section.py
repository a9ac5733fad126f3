"""What an evaluation shows on the page: a heading, and under it words, tables and figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from dagathlon.frame import Rows
from dagathlon.report.charts.parts import Chart

Variant: TypeAlias = tuple[str, Chart]
Tone: TypeAlias = Literal["", "good", "fair", "bad"]
"""How a paragraph stands out: not at all, or with a mark of belief, of caution, of disbelief."""


class Html(str):
    """Text that is HTML; all other text of a section is escaped."""

    __slots__ = ()


class Words(NamedTuple):
    """Paragraph.

    Parameters
    ----------
    text
        What it says.
    heading
        What stands above it, if anything.
    tone
        For what a reader must not miss: how far to believe what follows.
    """

    text: str
    heading: str = ""
    tone: Tone = ""


class Grid(NamedTuple):
    """Table of a page without sorting, searching or saving.

    Parameters
    ----------
    head
        Titles of the columns.
    rows
        Cells: texts, numbers (shown with four digits), None for nothing.
    n_text
        Number of columns, from the left, that are texts.
    folded
        What stands in place of the table until a reader unfolds it; empty for a table in sight.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[Any]]
    n_text: int = 1
    folded: str = ""


class Listing(NamedTuple):
    """Long table that readers can sort, search and save.

    Parameters
    ----------
    name
        What it is a table of; no other listing of the page has the name.
    rows
        Values by column.
    """

    name: str
    rows: Rows


class Figure(NamedTuple):
    """Figure: one chart, or several to select from.

    Parameters
    ----------
    name
        Used in addresses.
    heading
        The question it answers.
    caption
        How to read it.
    variants
        Charts by what they show; the first one is shown first. A chart is a Vega-Lite
        specification with its data.
    """

    name: str
    heading: str
    caption: str
    variants: Sequence[Variant]


class Picture(NamedTuple):
    """Drawing of page width: one, or several to select from.

    Parameters
    ----------
    name
        Used in addresses.
    heading
        The question it answers; empty where the section's heading asks it.
    caption
        How to read it.
    variants
        Drawings by what they show; the first one is shown first. They are HTML (SVG elements), part
        of the page as they are, so that every text in them must be escaped already.
    closed
        Whether all of several drawings are folded, the first one too.
    """

    name: str
    heading: str
    caption: str
    variants: Sequence[tuple[str, str]]
    closed: bool = False


Part: TypeAlias = Words | Grid | Listing | Figure | Picture


class Section(NamedTuple):
    """Section of the page.

    Parameters
    ----------
    name
        Used in addresses.
    heading
        What stands above it and in the navigation.
    parts
        What it shows, in order.
    leading
        Whether it stands before the figures of the page.
    lead
        A sentence or two for the first lines of a page without a truth.
    instead
        Names of figures of the page that are left out, because this section says more.
    opening
        Whether it stands before the verdict: the whole study in one picture.
    """

    name: str
    heading: str
    parts: Sequence[Part]
    leading: bool = False
    lead: str = ""
    instead: tuple[str, ...] = ()
    opening: bool = False

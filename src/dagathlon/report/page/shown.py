"""Sections of evaluations as parts of the page: HTML, charts and tables of its payload."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from dagathlon.report.charts.parts import is_nothing
from dagathlon.report.page.sections import figure_html, text
from dagathlon.report.section import Figure, Grid, Html, Listing, Part, Picture, Section, Words

# Parts of the page itself.
_TAKEN = ("verdict", "filters", "figures", "settings", "runs", "failures", "provenance", "run")


class Shown(NamedTuple):
    """Sections as the page has them.

    Parameters
    ----------
    opening, leading, following
        HTML before the verdict, and before and after the figures of the page.
    figures
        All their figures, in the order of the page.
    listings
        All their long tables.
    """

    opening: str
    leading: str
    following: str
    figures: Sequence[Figure]
    listings: Sequence[Listing]


def shown(sections: Iterable[Section], taken: Collection[str]) -> Shown:
    """Put sections into the page.

    Parameters
    ----------
    sections
        What the evaluations show.
    taken
        Names of figures that the page has already.
    """
    ordered = sorted(sections, key=_place)
    names, figures, listings = set(taken), list[Figure](), list[Listing]()
    pages: tuple[list[str], ...] = ([], [], [])
    for section in ordered:
        parts = [_renamed(part, section.name, names) for part in section.parts if _there(part)]
        if not parts:
            continue
        figures += [part for part in parts if isinstance(part, Figure)]
        listings += [part for part in parts if isinstance(part, Listing)]
        pages[_place(section)].append(_section(section, parts))
    opening, leading, following = map("".join, pages)
    return Shown(opening, leading, following, figures, listings)


def _place(section: Section) -> int:
    return 0 if section.opening else 1 if section.leading else 2


def _there(part: Part) -> bool:
    """Figures that only say why there is none are left out."""
    if not isinstance(part, Figure):
        return True
    return any(not is_nothing(chart) for _, chart in part.variants)


def _renamed(part: Part, section: str, names: set[str]) -> Part:
    """A part with a name that no other has, in characters that addresses can have."""
    if not isinstance(part, Figure | Listing | Picture):
        return part
    name = _address(part.name)
    while name in names:
        name = f"{_address(section)}-{name}"
    names.add(name)
    return part._replace(name=name)


def _address(name: str) -> str:
    return re.sub(r"[^\w-]+", "-", name, flags=re.ASCII).strip("-") or "part"


def _section(section: Section, parts: Sequence[Part]) -> str:
    name, heading = _address(section.name), text(section.heading)
    name = f"evaluation-{name}" if name in _TAKEN else name
    content = "".join(_part(part) for part in parts)
    return (
        f'<section id="{name}" data-nav="{heading}" aria-labelledby="{name}-heading">'
        f'<h2 id="{name}-heading">{heading}</h2>{content}</section>'
    )


def _part(part: Part) -> str:
    if isinstance(part, Figure):
        return figure_html(part)
    if isinstance(part, Picture):
        return _picture(part)
    if isinstance(part, Listing):
        return f'<div class="listing" data-listing="{part.name}"></div>'
    if isinstance(part, Words):
        heading = _heading(part.heading)
        look = f"callout {part.tone}" if part.tone else "muted"
        return heading + (f'<p class="{look}">{text(part.text)}</p>' if part.text else "")
    return _grid(part)


def _heading(words: str) -> str:
    return f"<h3>{text(words)}</h3>" if words else ""


def _picture(picture: Picture) -> str:
    """A drawing that is there without a script; further ones are unfolded one by one."""
    drawn = []
    for place, (name, svg) in enumerate(picture.variants):
        shown = (
            f'<div class="picture" tabindex="0" role="group" aria-label="{text(name)}">{svg}</div>'
        )
        if len(picture.variants) > 1:
            opened = "" if place or picture.closed else " open"
            shown = f"<details{opened}><summary>{text(name)}</summary>{shown}</details>"
        drawn.append(shown)
    return (
        f'<figure id="picture-{picture.name}" class="drawn">{_heading(picture.heading)}'
        f"{''.join(drawn)}<figcaption>{text(picture.caption)}</figcaption></figure>"
    )


def _grid(grid: Grid) -> str:
    """A table whose first columns are texts."""

    def line(cells: Iterable[str], tag: str, more: str = "") -> str:
        kinds = [' class="text"'] * grid.n_text + [""] * len(grid.head)
        made = [f"<{tag}{more}{k}>{cell}</{tag}>" for k, cell in zip(kinds, cells, strict=False)]
        return f"<tr>{''.join(made)}</tr>"

    body = "".join(line(map(_cell, row), "td") for row in grid.rows)
    top = line(map(text, grid.head), "th", ' scope="col"')
    table = (
        '<div class="scroll" tabindex="0"><table>'
        f"<thead>{top}</thead><tbody>{body}</tbody></table></div>"
    )
    if not grid.folded:
        return table
    return f'<details class="folded"><summary>{text(grid.folded)}</summary>{table}</details>'


def _cell(value: Any) -> str:
    if isinstance(value, Html):
        return str(value)
    if value is None:
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else text(value)

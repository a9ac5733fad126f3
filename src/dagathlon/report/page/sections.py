"""Sections of the page as HTML, those of evaluations among them."""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from dagathlon.evaluate.graphs.comparison import COMPARED_AS
from dagathlon.frame import Rows
from dagathlon.report.charts.overview import STATUSES
from dagathlon.report.charts.parts import is_nothing
from dagathlon.report.page.tables import Tables
from dagathlon.report.section import Figure, Grid, Html, Listing, Part, Picture, Section, Words
from dagathlon.wording import agreeing, counted

FORMS = {
    "moral": "Graphs of directed edges, true and learned, are compared by their moral graphs",
    "dependence": "Graphs of directed edges, true and learned, are compared by their graphs of "
    "unconditional dependence",
}


def text(value: object) -> str:
    """Escape text for HTML."""
    return html.escape(str(value))


def what_was_run(tables: Tables) -> str:
    """Return a paragraph on the numbers of algorithms, settings, data sets and runs, and outcomes.

    Skipped runs count apart: nobody ran them.
    """
    rows = [row for row in tables.runs if row["status"] != "skipped"]
    skipped = len(tables.runs) - len(rows)
    if not rows:
        return f'<p class="muted">All {counted(skipped, "run")} were skipped.</p>'
    algorithms = {row["id"] for row in rows}
    settings = {row["setting"] for row in rows}
    cases = {row["case"] for row in rows}
    seeds = {row["seed"] for row in rows}
    parts = [
        counted(len(algorithms), "algorithm"),
        f"in {counted(len(settings), 'setting')}",
        f"on {counted(len(cases), 'kind')} of data with {counted(len(seeds), 'seed')}:",
        f"{counted(len(rows), 'run')}, {_endings(rows)}.",
    ]
    if skipped:
        parts.append(f"{counted(skipped, 'more run')} {agreeing(skipped, 'was', 'were')} skipped.")
    parts += [f"{FORMS[form]}." for form in FORMS if any(_form(row) == form for row in rows)]
    return f'<p class="muted">{text(" ".join(parts))}</p>'


def _form(row: Mapping[str, Any]) -> Any:
    return row.get(COMPARED_AS)


def settings_note(tables: Tables) -> str:
    """Explain the numbers and marks in the table of settings, only marks that occur."""
    parts = ["Means over seeds; the best of each column is bold, on each kind of data by itself."]
    notes = {str(v)[:1] for row in tables.settings for k, v in row.items() if k.endswith("_note")}
    if "▾" in notes:
        parts.append(
            "▾ is worse than the best baseline (the empty, the complete or a random graph)."
        )
    if "(" in notes:
        parts.append("A mean over some of the runs says of how many and does not compete.")
    return text(" ".join(parts))


def _endings(rows: Rows) -> str:
    failed = {status: sum(row["status"] == status for row in rows) for status in STATUSES}
    endings = [f"{n:,} {STATUSES[s][0]}" for s, n in failed.items() if n and s != "ok"]
    if endings:
        return f"of which {', '.join(endings)}"
    return "which finished" if len(rows) == 1 else "all of which finished"


def figure_html(figure: Figure) -> str:
    """Return the HTML container of a figure, filled by the page's script."""
    choice = ""
    if len(figure.variants) > 1:
        options = "".join(
            f'<option value="{i}">{text(name)}</option>'
            for i, (name, _) in enumerate(figure.variants)
        )
        choice = f'<label>show <select class="variant">{options}</select></label>'
    return (
        f'<figure id="figure-{figure.name}" class="chart" data-figure="{figure.name}">'
        f"<h3>{text(figure.heading)}</h3>{choice}"
        '<div class="plot"></div>'
        f"<figcaption>{text(figure.caption)}</figcaption></figure>"
    )


def provenance(facts: Mapping[str, str], study: str) -> str:
    """Return the section on versions, machine, seeds, the study, and how to repeat it."""
    pairs = "".join(
        f"<dt>{text(name)}</dt><dd>{_fact(name, value)}</dd>" for name, value in facts.items()
    )
    return (
        f"<dl>{pairs}</dl><details><summary>The study file</summary>"
        f'<pre tabindex="0">{text(study)}</pre></details>'
    )


def _fact(name: str, value: str) -> str:
    return f"<code>{text(value)}</code>" if "again" in name else text(value)


# Parts of the page itself.
_TAKEN = ("verdict", "filters", "figures", "settings", "runs", "failures", "provenance", "run")


class Shown(NamedTuple):
    """Sections in the form of the page.

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
    """Convert sections to the form of the page: names, HTML, charts and long tables.

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
    """Return a part without placeholder figures."""
    if not isinstance(part, Figure):
        return True
    return any(not is_nothing(chart) for _, chart in part.variants)


def _renamed(part: Part, section: str, names: set[str]) -> Part:
    """Return a part under a unique name with characters valid in addresses."""
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
    """Return HTML of a static drawing; further variants are folded."""
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
    """Return HTML of a table whose first columns are texts."""

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

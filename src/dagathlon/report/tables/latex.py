"""Tables in print: LaTeX and HTML, with the best cells in bold."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from dagathlon.evaluate.metric import measure_of
from dagathlon.evaluate.ranking.summary import is_number
from dagathlon.frame import Row, Rows, grouped
from dagathlon.report.section import Html

# A page of print has room for so many lines; longer tables go on on the next page.
_MOST_LINES = 45
_TINY = 0.01
_SPECIAL = {
    **{char: rf"\{char}" for char in "&%$#_{}"},
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"},
    **{"\u00a0": "~", "±": r"$\pm$", "−": "$-$", "Δ": r"$\Delta$", "×": r"$\times$"},
}
_NOTES = {
    "±": "± is half the width of the 95 % interval.",
    "F": "F: every run failed.",
    "*": "*: of the runs that finished.",
}


@dataclass(frozen=True)
class Layout:
    """Layout of a long table in print: lines, columns, values, parts.

    Parameters
    ----------
    caption
        What the table shows.
    rows
        Columns whose values name the lines.
    values
        Columns of what is shown. A number ``x`` with ``x_low`` and ``x_high`` beside it has half
        the width of that interval in small print.
    columns
        Columns whose values name the columns of the print; each of `values` then has a table of
        its own. None shows `values` side by side.
    split
        A column whose values have tables of their own.
    percent
        Those of `values` that are shares.
    partial
        Those of `values` that are of the runs that finished: a star says that some did not.
    words
        What names and values are called.
    """

    caption: str
    rows: tuple[str, ...]
    values: tuple[str, ...]
    columns: tuple[str, ...] = ()
    split: str = ""
    percent: tuple[str, ...] = ()
    partial: tuple[str, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)

    def word(self, name: object) -> str:
        """Return the printed form of a name."""
        if isinstance(name, int) and not isinstance(name, bool):
            return f"{name:,}".replace("-", "−")
        return self.words.get(str(name), str(name))

    def title(self, name: str) -> str:
        """Return the printed name of a column."""
        return self.words.get(name, name.replace("_", " "))


class Cell(NamedTuple):
    """Printed cell: a value, and its uncertainty in small print."""

    text: str
    small: str = ""


class Printed(NamedTuple):
    """Printed table: heading, heads of columns, lines."""

    heading: str
    head: list[str]
    n_text: int
    lines: list[list[Cell]]


def printed(rows: Rows, layout: Layout) -> list[Printed]:
    """Return the printed tables of a long table."""
    parts = grouped((layout.word(row[layout.split]) if layout.split else "", row) for row in rows)
    made = []
    for heading, members in parts.items():
        if not layout.columns:
            made.append(_listed(heading, members, layout))
            continue
        for value in layout.values:
            several = layout.title(value) if len(layout.values) > 1 else ""
            about = ", ".join(filter(None, [several, heading]))
            made.append(_crossed(about, members, value, layout))
    return [table for table in made if table.lines]


def _listed(heading: str, rows: Rows, layout: Layout) -> Printed:
    shown = [name for name in layout.values if any(row.get(name) is not None for row in rows)]
    head = [layout.title(name) for name in (*layout.rows, *shown)]
    lines = [[*_names(row, layout), *(_cell(row, name, layout) for name in shown)] for row in rows]
    return Printed(heading, head, len(layout.rows), lines)


def _crossed(heading: str, rows: Rows, value: str, layout: Layout) -> Printed:
    lines: dict[tuple[Any, ...], dict[tuple[Any, ...], Row]] = {}
    columns: dict[tuple[Any, ...], None] = {}
    for row in rows:
        column = tuple(row[name] for name in layout.columns)
        columns[column] = None
        lines.setdefault(tuple(row[name] for name in layout.rows), {})[column] = row
    head = [*map(layout.title, layout.rows), *(" ".join(map(layout.word, c)) for c in columns)]
    made = [
        [*_names(next(iter(cells.values())), layout)]
        + [_cell(cells[c], value, layout) if c in cells else Cell("n/a") for c in columns]
        for cells in (lines[key] for key in _grouped(list(lines)))
    ]
    return Printed(heading, head, len(layout.rows), made)


def _grouped(keys: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Sort lines so that equal first names are together, in order of first appearance."""
    places = [
        {name: i for i, name in enumerate(dict.fromkeys(part))} for part in zip(*keys, strict=True)
    ]
    return sorted(
        keys, key=lambda key: [place[one] for place, one in zip(places, key, strict=True)]
    )


def _names(row: Row, layout: Layout) -> Iterator[Cell]:
    yield from (Cell(layout.word(row[name])) for name in layout.rows)


def _cell(row: Row, name: str, layout: Layout) -> Cell:
    value, failures = row.get(name), row.get("failures")
    if value is None:
        return Cell("F" if failures else "–")
    if not is_number(value) or isinstance(value, int):
        return Cell(layout.word(value))
    scale, sign = (100, "\u00a0%") if name in layout.percent else (1, "")
    places = 1 if name in layout.percent else _places(value)
    low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
    half = None if low is None or high is None else (high - low) / 2 * scale
    star = "*" if failures and name in layout.partial else ""
    text = f"{value * scale:,.{places}f}{sign}{star}".replace("-", "−")
    return Cell(text, "" if half is None else f"±{half:,.{places}f}")


def _places(value: float) -> int:
    """Return the number of decimals: two for scores, fewer for large, more for small numbers."""
    size = abs(value)
    if 0 < size < _TINY:
        return min(1 - math.floor(math.log10(size)), 6)
    return 0 if size >= 100 else 1 if size >= 10 else 2


def to_latex(rows: Rows, layout: Layout) -> str:
    """Return the tables in LaTeX, for documents with booktabs and longtable."""
    parts = [r"% \usepackage{booktabs,longtable}"]
    for table in printed(rows, layout):
        caption = latex_text(_caption(table, layout))
        columns = "l" * table.n_text + "r" * (len(table.head) - table.n_text)
        head = " & ".join(map(latex_text, table.head)) + r" \\"
        body = [" & ".join(map(_latex_cell, line)) + r" \\" for line in table.lines]
        parts += (
            _long(columns, caption, head, body)
            if len(body) > _MOST_LINES
            else [
                rf"\begin{{table}}{chr(10)}\centering\footnotesize{chr(10)}\caption{{{caption}}}",
                rf"\begin{{tabular}}{{{columns}}}{chr(10)}\toprule",
                head,
                r"\midrule",
                *body,
                rf"\bottomrule{chr(10)}\end{{tabular}}{chr(10)}\end{{table}}",
            ]
        )
    return "\n".join(parts) + "\n"


def _long(columns: str, caption: str, head: str, body: Sequence[str]) -> list[str]:
    return [
        r"{\footnotesize",
        rf"\begin{{longtable}}{{{columns}}}",
        rf"\caption{{{caption}}}\\",
        rf"\toprule{chr(10)}{head}{chr(10)}\midrule\endfirsthead",
        rf"\toprule{chr(10)}{head}{chr(10)}\midrule\endhead",
        *body,
        rf"\bottomrule{chr(10)}\end{{longtable}}}}",
    ]


def latex_text(text: str) -> str:
    """Escape text for LaTeX."""
    return "".join(_SPECIAL.get(char, char) for char in text)


def _latex_cell(cell: Cell) -> str:
    small = rf" {{\tiny {latex_text(cell.small)}}}" if cell.small else ""
    return latex_text(cell.text) + small


def _caption(table: Printed, layout: Layout) -> str:
    about = f" ({table.heading})" if table.heading else ""
    cells = [cell for line in table.lines for cell in line[table.n_text :]]
    signs = {cell.small[:1] for cell in cells} | {cell.text[-1:] for cell in cells}
    notes = (note for sign, note in _NOTES.items() if sign in signs)
    return " ".join([f"{layout.caption}{about}.", *notes])


_STYLE = (
    ":root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;"
    "max-width:82rem;padding:0 1rem}div{overflow-x:auto;margin-bottom:2.5rem}table{border-collapse:"
    "collapse;font-variant-numeric:tabular-nums}caption{text-align:left;padding-bottom:.6rem;"
    "max-width:50rem}th,td{text-align:right;padding:.25rem .6rem;white-space:nowrap}th{font-weight:"
    "600;border-bottom:1px solid}.text{text-align:left}small{opacity:.65}"
)


def to_html(rows: Rows, layout: Layout) -> str:
    """Return the tables as an HTML page, which word processors read too."""
    body = "".join(f"<div>{_html_table(table, layout)}</div>\n" for table in printed(rows, layout))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
        f'content="width=device-width"><title>{html.escape(layout.caption)}</title>'
        f"<style>{_STYLE}</style></head>\n<body>\n{body}</body></html>\n"
    )


def _html_table(table: Printed, layout: Layout) -> str:
    def line(cells: Sequence[str], tag: str) -> str:
        kinds = [' class="text"'] * table.n_text + [""] * len(cells)
        made = (f"<{tag}{k}>{cell}</{tag}>" for k, cell in zip(kinds, cells, strict=False))
        return f"<tr>{''.join(made)}</tr>"

    caption = f"<caption>{html.escape(_caption(table, layout))}</caption>"
    body = "\n".join(line([_html_cell(cell) for cell in cells], "td") for cells in table.lines)
    head = line([html.escape(name) for name in table.head], "th")
    return f"<table>{caption}<thead>{head}</thead><tbody>\n{body}\n</tbody></table>"


def _html_cell(cell: Cell) -> str:
    small = f" <small>{html.escape(cell.small)}</small>" if cell.small else ""
    return html.escape(cell.text) + small


def best_cells(
    rows: Rows, metrics: Sequence[str], format_as: str = ".4g"
) -> list[list[str | None]]:
    """Return the cells of some metrics for each row, the best of each metric in bold.

    Parameters
    ----------
    rows
        Means by name, all on one kind of data; a standard error as ``<metric>_se`` stands behind. A
        mean of fewer data sets (``<metric>_n``) than others says so and does not compete.
    metrics
        The columns, which say whether more or less is better.
    format_as
        How numbers are written.
    """
    columns = [_column(rows, metric, format_as) for metric in metrics]
    return [list(cells) for cells in zip(*columns, strict=True)] if columns else [[] for _ in rows]


def _column(rows: Rows, metric: str, format_as: str) -> list[str | None]:
    most = max((row.get(f"{metric}_n", 0) for row in rows), default=0)
    best = _best([row for row in rows if row.get(f"{metric}_n", most) == most], metric)
    return [_bold_cell(row, metric, best, format_as, most) for row in rows]


def _best(rows: Rows, metric: str) -> float | None:
    values = [float(row[metric]) for row in rows if row.get(metric) is not None]
    if len(values) < 2:
        return None
    return max(values) if measure_of(metric).better == "more" else min(values)


def _bold_cell(
    row: Mapping[str, Any], metric: str, best: float | None, format_as: str, most: int
) -> str | None:
    value, error = row.get(metric), row.get(f"{metric}_se")
    if value is None:
        return None
    text = f"{value:{format_as}}" if error is None else f"{value:{format_as}} ± {error:{format_as}}"
    n = row.get(f"{metric}_n", most)
    if n != most:
        return f"{text} ({n} of {most})"
    return Html(f"<b>{text}</b>") if value == best else text

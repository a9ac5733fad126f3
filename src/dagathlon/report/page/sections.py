"""The parts of a report that need no script: what was run, places of figures, provenance."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

from dagathlon.evaluate.graphs.comparison import COMPARED_AS
from dagathlon.frame import Rows
from dagathlon.report.charts.failures import STATUSES
from dagathlon.report.page.tables import Tables
from dagathlon.report.section import Figure
from dagathlon.wording import agreeing, counted

FORMS = {
    "moral": "Graphs of directed edges, true and learned, are compared by their moral graphs",
    "dependence": "Graphs of directed edges, true and learned, are compared by their graphs of "
    "unconditional dependence",
}


def text(value: object) -> str:
    """Text that is safe inside HTML."""
    return html.escape(str(value))


def what_was_run(tables: Tables) -> str:
    """One paragraph: how many algorithms, settings, data sets and runs, and how they ended.

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
    """What the numbers and marks of the table of settings mean; marks that are not there, not."""
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
    found = [f"{n:,} {STATUSES[s][0]}" for s, n in failed.items() if n and s != "ok"]
    if found:
        return f"of which {', '.join(found)}"
    return "which finished" if len(rows) == 1 else "all of which finished"


def figure_html(figure: Figure) -> str:
    """The place of a figure; the script draws the chart."""
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
    """Versions, machine, seeds, the study, how to run it again."""
    pairs = "".join(
        f"<dt>{text(name)}</dt><dd>{_fact(name, value)}</dd>" for name, value in facts.items()
    )
    return (
        f"<dl>{pairs}</dl><details><summary>The study file</summary>"
        f'<pre tabindex="0">{text(study)}</pre></details>'
    )


def _fact(name: str, value: str) -> str:
    return f"<code>{text(value)}</code>" if "again" in name else text(value)

"""The report: one self-contained HTML page per setup."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files

from dagathlon.frame import Cells, Frame
from dagathlon.report.figures.charts_io import vega_script
from dagathlon.report.figures.palette import Look
from dagathlon.report.page import sections
from dagathlon.report.page.bounds import charts_of, listing_rows, run_columns, sentence
from dagathlon.report.page.figures import best_first, figures
from dagathlon.report.page.graphs import collect, failure_logs, settings_of
from dagathlon.report.page.provenance import facts, learners, remarks, skipped, study_text
from dagathlon.report.page.sections import Shown, shown
from dagathlon.report.page.tables import Tables, by_data, columns
from dagathlon.report.page.verdict import lead, verdict_tables, verdicts_of
from dagathlon.report.results import Results
from dagathlon.report.section import Figure, Section
from dagathlon.report.words import short_title, words
from dagathlon.wording import counted

_SCRIPTS = ("data.js", "tables.js", "graph.js", "fit.js", "charts.js", "run.js", "report.js")
# Nothing is fetched from anywhere: the browser itself refuses it.
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'"
)


def render(results: Results, parts: Sequence[Section] = ()) -> str:
    """Return the HTML page of one setup."""
    collected = collect(results)
    tables = Tables(results, collected.sizes)
    data_rows = by_data(tables)
    replaced = {name for section in parts for name in section.instead}
    look = Look.of(results.ids)
    general = [item for item in figures(tables, data_rows, look) if item.name not in replaced]
    added = shown(parts, [figure.name for figure in general])
    leads = [section.lead for section in parts if section.lead]
    run_fields, charts = run_columns(tables), charts_of([*general, *added.figures])
    rows = {listing.name: listing_rows(listing) for listing in added.listings}
    payload = {
        "look": {item: look.colour_of(item) for item in look.ids},
        "order": best_first(tables),
        "metrics": {
            m: {"title": short_title(m), "better": words(m).better}
            for m in tables.metrics
            if m in run_fields.what
        },
        "headlines": tables.headlines if tables.has_truth else ["n_edges", "time", "memory"],
        "runs": columns(tables.runs, run_fields.what),
        "settings": columns(tables.settings, list(tables.settings[0]) if tables.settings else []),
        "by_data": columns(data_rows, list(data_rows[0]) if data_rows else []),
        "listings": {k: columns(item.what, Frame(item.what).columns) for k, item in rows.items()},
        "factors": tables.factors,
        "parameters": settings_of(results, _setting_names(results, tables)),
        "logs": failure_logs(results),
        "graphs": collected.book.to_json(),
        "figures": {figure.name: charts.what[figure.name] for figure in _in_order(general, added)},
    }
    kept_parts = (run_fields, *rows.values(), charts)
    left_out = sentence([*(item.left_out for item in kept_parts), collected.book.left_out])
    return _page(results, tables, general, added, payload, left_out=left_out, told=leads)


def _in_order(general: Sequence[Figure], added: Shown) -> list[Figure]:
    """Return all figures in reading order."""
    above = added.opening + added.leading
    first = [f for f in added.figures if f'data-figure="{f.name}"' in above]
    return [*first, *general, *(figure for figure in added.figures if figure not in first)]


def _setting_names(results: Results, tables: Tables) -> dict[tuple[str, int], str]:
    runs = results.runs_of(results.ids)
    pairs = zip(runs, tables.runs, strict=True)
    return {(run.entry, run.setting): row["setting"] for run, row in pairs}


def _page(
    results: Results,
    tables: Tables,
    general: Sequence[Figure],
    added: Shown,
    payload: Cells,
    *,
    left_out: str,
    told: Sequence[str],
) -> str:
    verdicts = verdicts_of(tables)
    values = {
        "title": sections.text(results.setup.title),
        "policy": _POLICY,
        "style": _asset("report.css"),
        "headline": banner(results) + lead(results, tables, verdicts, told),
        "what": sections.what_was_run(tables) if tables.runs else "",
        "verdict": verdict_tables(tables, verdicts),
        "opening": added.opening,
        "leading": added.leading,
        "figures": "".join(sections.figure_html(figure) for figure in general),
        "sections": added.following,
        "settings_note": sections.settings_note(tables),
        "remarks": remarks(tables.runs),
        "left_out": f'<p class="muted">{left_out}</p>' if left_out else "",
        "provenance": sections.provenance(facts(results), study_text(results)) + learners(results),
        "data": _json(payload),
        "vega": _inline(vega_script()),
        "script": _inline("\n".join(_asset(name) for name in _SCRIPTS)),
    }
    page = _asset("report.html")
    head, *rest = page.split("{{")
    parts = [head]
    for piece in rest:
        name, _, after = piece.partition("}}")
        parts += [values[name.strip()], after]
    return "".join(parts)


def banner(results: Results) -> str:
    """Return the notes above the numbers: missing runs, and evaluations not shown."""
    notes = []
    if results.partial:
        data_sets = f"{len(results.compared):,} of {counted(len(results.cases), 'data set')}"
        notes.append(
            f"{results.standing.words()}. Verdict and ranks are of the {data_sets} on which all "
            "runs are in; other tables and figures are of the runs that are in."
        )
    notes += [f"{name} is not shown: {reason}." for name, reason in results.not_shown]
    left_out = skipped(results)
    if len(left_out) == 1:
        notes += left_out
    lines = "".join(f'<p class="banner" role="note">{sections.text(note)}</p>' for note in notes)
    return lines + (_folded(left_out) if len(left_out) > 1 else "")


def _folded(notes: Sequence[str]) -> str:
    """Fold several notes behind one line."""
    items = "".join(f"<li>{sections.text(note)}</li>" for note in notes)
    about = f"Algorithms were skipped on some of the data, for {len(notes)} reasons"
    return f'<details class="banner"><summary>{about}</summary><ul>{items}</ul></details>'


def _asset(name: str) -> str:
    return (files("dagathlon.report") / "assets" / name).read_text("utf-8")


def _json(payload: Cells) -> str:
    """Return JSON for a script element, with ``<`` escaped so that no text can end it."""
    written = json.dumps(payload, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return written.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _inline(script: str) -> str:
    """Escape a script so that it cannot end its element."""
    return script.replace("</script", "<\\/script").replace("<!--", "<\\!--")

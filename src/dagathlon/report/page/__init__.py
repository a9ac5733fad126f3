"""The report: one self-contained HTML page per setup."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from dagathlon.evaluate.verdict import Verdict, verdict
from dagathlon.report.context import Context
from dagathlon.report.page import sections
from dagathlon.report.page.agreement import agreement_figures, agreement_rows
from dagathlon.report.page.by_data import by_data
from dagathlon.report.page.collect import collect, failure_logs, settings_of
from dagathlon.report.page.figures import Figure, detached, figures
from dagathlon.report.page.provenance import facts, study_text
from dagathlon.report.page.rank_section import (
    control_of,
    diagnostics_section,
    rank_figures,
    ranking_section,
    ranks_of,
)
from dagathlon.report.page.tables import Tables, columns
from dagathlon.report.rank_tables import Ranks
from dagathlon.report.render import vega_script
from dagathlon.report.words import short_title, words

_SCRIPTS = ("data.js", "tables.js", "graph.js", "charts.js", "run.js", "report.js")
# Nothing is fetched from anywhere: the browser itself refuses it.
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'"
)


def render(context: Context) -> str:
    """The page of one setup."""
    found = collect(context)
    tables = Tables(context, found.sizes)
    data_rows = by_data(tables)
    shown = figures(tables, data_rows, context.look)
    ranks = ranks_of(context)
    if ranks is not None:
        shown[1:1] = rank_figures(ranks, context)
    agreed = agreement_figures(found.groups)
    edges = agreement_rows(found.groups)
    if not tables.has_truth:
        shown, agreed = [*agreed, *shown], []
    shown += agreed
    payload = {
        "look": {identifier: context.look.colour_of(identifier) for identifier in context.look.ids},
        "metrics": {
            m: {"title": short_title(m), "better": words(m).better} for m in tables.metrics
        },
        "headlines": tables.headlines if tables.has_truth else ["n_edges", "time", "memory"],
        "runs": columns(tables.runs, _run_columns(tables)),
        "settings": columns(tables.settings, list(tables.settings[0]) if tables.settings else []),
        "by_data": columns(data_rows, list(data_rows[0]) if data_rows else []),
        "edges": columns(edges, list(edges[0]) if edges else []),
        "factors": tables.factors,
        "parameters": settings_of(context, _setting_names(context, tables)),
        "logs": failure_logs(context),
        "graphs": found.book.to_json(),
        "figures": {f.name: [detached(chart) for _, chart in f.variants] for f in shown},
    }
    return _page(context, tables, ranks, shown, payload)


def _run_columns(tables: Tables) -> list[str]:
    fixed = ["id", "setting", "case", "seed", "status", "reason", "graph_type"]
    return [*fixed, *(metric for metric in tables.metrics if metric not in fixed)]


def _setting_names(context: Context, tables: Tables) -> dict[tuple[str, int], str]:
    runs = context.runs_of(context.setup.algorithm_ids())
    pairs = zip(runs, tables.runs, strict=True)
    return {(run.entry, run.setting): row["setting"] for run, row in pairs}


def verdicts_of(tables: Tables) -> list[Verdict]:
    """Who is best by each metric of the headlines."""
    if not tables.has_truth:
        return []
    several = len({row["id"] for row in tables.runs}) > 1
    found = []
    for metric in sorted(tables.headlines, key=lambda metric: metric != tables.quality):
        better = words(metric).better
        one = verdict(tables.compared, metric, better) if better and metric != "memory" else None
        # A metric that only one of several algorithms has is no contest.
        if one is not None and not (several and one.second is None):
            found.append(one)
    return found


def _page(
    context: Context,
    tables: Tables,
    ranks: Ranks | None,
    shown: list[Figure],
    payload: dict[str, Any],
) -> str:
    verdicts = verdicts_of(tables)
    values = {
        "title": sections.text(context.setup.title),
        "policy": _POLICY,
        "style": _asset("report.css"),
        "headline": banner(context) + lead(context, tables, verdicts),
        "what": sections.what_was_run(tables) if tables.runs else "",
        "verdict": sections.verdict_table(verdicts),
        "figures": "".join(sections.figure_html(figure) for figure in shown),
        "ranking": _section("ranking", "Ranking", ranking_section(ranks) if ranks else ""),
        "data_sets": _section("data-sets", "Data sets", diagnostics_section(context, tables.runs)),
        "provenance": sections.provenance(facts(context), study_text(context)),
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


def banner(context: Context) -> str:
    """What a reader must know before the numbers: what is missing, and what is not shown."""
    notes = []
    if context.partial:
        data_sets = f"{len(context.compared):,} of {len(context.cases):,} data sets"
        notes.append(
            f"{context.standing.words()}. Verdict and ranks are of the {data_sets} on which all "
            "runs are in; other tables and figures are of the runs that are in."
        )
    notes += [f"{name} is not shown: {reason}." for name, reason in context.not_shown]
    return "".join(f'<p class="banner" role="note">{sections.text(note)}</p>' for note in notes)


def lead(context: Context, tables: Tables, verdicts: list[Verdict]) -> str:
    """The result in a sentence or two."""
    if not context.plan.runs:
        return sections.NOTHING
    if not tables.compared:
        return sections.NOT_YET
    return sections.headline(verdicts, tables.quality, control_of(context, tables.quality))


def _section(name: str, heading: str, content: str) -> str:
    """A part of the page; none without content."""
    if not content:
        return ""
    return (
        f'<section id="{name}" data-nav="{heading}" aria-labelledby="{name}-heading">'
        f'<h2 id="{name}-heading">{heading}</h2>{content}</section>'
    )


def _asset(name: str) -> str:
    return (files("dagathlon.report") / "assets" / name).read_text("utf-8")


def _json(payload: dict[str, Any]) -> str:
    """JSON that no text of a study can end early: inside a script, ``<`` is written as a code."""
    written = json.dumps(payload, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return written.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _inline(script: str) -> str:
    """A script that does not end the element it stands in."""
    return script.replace("</script", "<\\/script").replace("<!--", "<\\!--")

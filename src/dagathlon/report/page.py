"""The report: one self-contained HTML page per setup."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from dagathlon.report.scatter import scatter

Rows: TypeAlias = Sequence[Mapping[str, Any]]

_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #ffffff; --line: #d5d9de;
  --soft: #f3f5f7; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --paper: #14171a; --line: #363c43;
  --soft: #1d2126; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 68rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; margin-bottom: .2rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
.lead { font-size: 1.05rem; } .muted { opacity: .75; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .35rem .6rem; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child, .text { text-align: left; }
tr.best td { font-weight: 650; } thead th { border-bottom: 2px solid var(--ink); }
.scroll { overflow-x: auto; } figure { margin: 1rem 0; } figcaption { opacity: .8; }
code, pre { background: var(--soft); border-radius: 4px; padding: .1rem .3rem; }
pre { padding: .8rem; overflow-x: auto; }
"""


def render(title: str, rows: Rows, summary: Rows, facts: Mapping[str, str]) -> str:
    """The page of one setup.

    Parameters
    ----------
    title
        Title of the setup.
    rows
        The joint table, one row per run.
    summary
        One row per setting over its seeds, as `roc_summary` makes it.
    facts
        Provenance: versions, study file, how to run it again.
    """
    ranked = sorted(summary, key=lambda row: row["SHD_pattern_mean"])
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f"<title>{_text(title)} · Dagathlon</title>",
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<style>{_STYLE}</style></head><body>",
            f"<h1>{_text(title)}</h1>",
            f'<p class="lead">{_verdict(ranked)}</p>',
            f'<p class="muted">{_counted(rows)}</p>',
            "<h2>Scoreboard</h2>",
            '<p class="muted">Means over seeds; sorted by SHD, smaller is better (↓).</p>',
            f'<div class="scroll">{_scoreboard(ranked)}</div>',
            "<h2>True against false positives</h2>",
            _figure(summary),
            "<h2>Provenance</h2>",
            f"<pre>{_text(chr(10).join(f'{key}: {value}' for key, value in facts.items()))}</pre>",
            "</body></html>",
        ]
    )


def _text(value: object) -> str:
    return html.escape(str(value))


def _verdict(ranked: Rows) -> str:
    if not ranked:
        return "No run could be compared with a true graph."
    best = ranked[0]
    where = f"{_text(best['curve_param'])} = {_text(best[best['curve_param']])}"
    return (
        f"<strong>{_text(best['id'])}</strong> ({where}) came closest to the truth: "
        f"SHD {best['SHD_pattern_mean']:.1f} on the pattern, "
        f"{100 * best['TPR_skel_mean']:.0f} % of the true edges found, averaged over "
        f"{best['n_seeds']} data sets."
    )


def _counted(rows: Rows) -> str:
    failed = [row for row in rows if row["status"] != "ok"]
    text = f"{len(rows)} runs of {len({row['id'] for row in rows})} algorithms"
    if not failed:
        return text + ", all of them finished."
    kinds = ", ".join(
        f"{sum(row['status'] == status for row in failed)} {status}"
        for status in sorted({row["status"] for row in failed})
    )
    return f"{text}; {len(failed)} without a result ({kinds})."


def _scoreboard(ranked: Rows) -> str:
    head = ("algorithm", "setting", "SHD pattern ↓", "TPR ↑", "FP/P ↓", "seconds ↓", "seeds")
    lines = ["<table><thead><tr>", *(f'<th scope="col">{name}</th>' for name in head)]
    lines.append("</tr></thead><tbody>")
    for place, row in enumerate(ranked):
        name = row["curve_param"]
        cells = [
            _text(row["id"]),
            _text(f"{name} = {row[name]}"),
            *(_number(row[key]) for key in ("SHD_pattern_mean", "TPR_pattern_mean")),
            _number(row["FPRn_pattern_mean"]),
            _number(row["time_mean"]),
            str(row["n_seeds"]),
        ]
        lines.append('<tr class="best">' if place == 0 else "<tr>")
        lines += [f"<td>{cell}</td>" for cell in cells]
        lines.append("</tr>")
    return "".join([*lines, "</tbody></table>"])


def _number(value: float) -> str:
    return "n/a" if math.isnan(value) else f"{value:.3g}"


def _figure(summary: Rows) -> str:
    series: dict[str, list[tuple[float, float, str]]] = {}
    for row in summary:
        label = f"{row['id']}, {row['curve_param']} = {row[row['curve_param']]}"
        point = (row["FPRn_pattern_median"], row["TPR_pattern_median"], label)
        series.setdefault(str(row["id"]), []).append(point)
    caption = "Medians over seeds on the pattern; the upper left corner is best."
    drawing = scatter(series, "false positives / true edges ↓", "true positives / true edges ↑")
    return f"<figure>{drawing}<figcaption>{caption}</figcaption></figure>"

"""The parts of a report that need no script: what was run, the verdict, provenance."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dagathlon.evaluate.verdict import Contender, Interval, Verdict
from dagathlon.report.charts.failures import STATUSES
from dagathlon.report.page.tables import Tables
from dagathlon.report.section import Figure
from dagathlon.report.words import short_title, words

_PLACES = 6
_MANY_DATA_SETS = 10
NOTHING = (
    '<p class="lead">Nothing was learned: no evaluation of the study names an algorithm in its '
    "<code>ids</code>.</p>"
)
NOT_YET = '<p class="lead">No data set has all its runs yet, so that there is no verdict.</p>'


def text(value: object) -> str:
    """Text that is safe inside HTML."""
    return html.escape(str(value))


def what_was_run(tables: Tables) -> str:
    """One paragraph: how many algorithms, settings, data sets and runs, and how they ended."""
    rows = tables.runs
    algorithms = {row["id"] for row in rows}
    settings = {row["setting"] for row in rows}
    cases = {row["case"] for row in rows}
    seeds = {row["seed"] for row in rows}
    parts = [
        _count(len(algorithms), "algorithm"),
        f"in {_count(len(settings), 'setting')}",
        f"on {_count(len(cases), 'kind')} of data with {_count(len(seeds), 'seed')}:",
        f"{_count(len(rows), 'run')}, {_endings(rows)}.",
    ]
    return f'<p class="muted">{text(" ".join(parts))}</p>'


def _endings(rows: Sequence[Mapping[str, Any]]) -> str:
    failed = {status: sum(row["status"] == status for row in rows) for status in STATUSES}
    found = [f"{n:,} {STATUSES[s][0]}" for s, n in failed.items() if n and s != "ok"]
    return "all of them finished" if not found else f"of which {', '.join(found)}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def headline(verdicts: Sequence[Verdict], quality: str | None, control: float | None = None) -> str:
    """The result in a sentence or two, and what random graphs would score."""
    chosen = next((v for v in verdicts if v.metric == quality), None)
    if chosen is None:
        return (
            '<p class="lead">There is no true graph to compare with. This report shows what the '
            "algorithms found and where they agree.</p>"
        )
    best = chosen.best
    parts = [
        f"<strong>{text(best.setting)}</strong> came closest to the truth: "
        f"{text(words(chosen.metric).title)} {_interval(best.result)}{_meaning(chosen.metric)}."
    ]
    if chosen.second is not None and chosen.gap is not None:
        parts.append(_runner_up(chosen, chosen.second, chosen.gap))
    if control is not None:
        parts.append(f"Random graphs with as many edges as the truth score {_number(control)}.")
    return f'<p class="lead">{" ".join(parts)}</p>'


def _meaning(metric: str) -> str:
    """What a metric counts, for readers who meet it for the first time."""
    if metric.startswith("SHD"):
        return ", which counts the edges to add, to remove or to turn (0 is perfect)"
    return " (1 is perfect)" if metric.startswith("F1") else ""


def _runner_up(chosen: Verdict, second: Contender, gap: Interval) -> str:
    start = f"The next algorithm, <strong>{text(second.setting)}</strong>, is"
    amount = f"{_interval(gap)} behind"
    if not gap.mean:
        return f"{start} as good."
    if chosen.clear is None:
        return f"{start} {amount}; with one data set of a kind there is no telling whether by luck."
    if chosen.clear:
        return f"{start} {amount}: more than chance explains."
    few = f" {chosen.best.n} data sets are few: more seeds would tell." if _few(chosen) else ""
    return f"{start} {amount}: too close to call.{few}"


def _few(chosen: Verdict) -> bool:
    return chosen.best.n < _MANY_DATA_SETS


def _interval(found: Interval) -> str:
    """Mean and half width with as many decimals as the half width deserves."""
    if not found.half_width:
        return _number(found.mean)
    if abs(found.mean) >= 1e5:
        return f"{found.mean:.3g} ± {found.half_width:.2g}"
    places = min(max(1 - math.floor(math.log10(found.half_width)), 0), _PLACES)
    return f"{found.mean:,.{places}f} ± {found.half_width:,.{places}f}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


_BELIEF = {True: "clear", False: "too close to call", None: "one seed: cannot tell"}


def verdict_table(verdicts: Sequence[Verdict]) -> str:
    """Best setting per metric, with uncertainty, and the best of the other algorithms."""
    if not verdicts:
        return ""
    head = ("metric", "best", "mean ± 95 %", "next algorithm", "mean ± 95 %", "gap", "difference")
    lines = [_row(head, "th", 'scope="col"')]
    for one in verdicts:
        second, gap = one.second, one.gap
        cells = [text(short_title(one.metric)), _name(one.best), _interval(one.best.result)]
        cells += ["–"] * 2 if second is None else [_name(second), _interval(second.result)]
        cells.append("–" if gap is None else _interval(gap))
        belief = "only one algorithm" if second is None else _BELIEF[one.clear]
        if gap is not None and not gap.mean:
            belief = "tie"
        kind = "clear" if one.clear else "unclear"
        cells.append(f'<span class="belief {kind}">{belief}</span>')
        lines.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    seeds = verdicts[0].best.n
    note = (
        f"Means over {seeds} data sets, ± the half width of a 95 % interval over seeds. The gap is "
        "the winner against the best setting of any other algorithm, data set by data set. "
        f"The best of {verdicts[0].n_settings} settings is picked on the same data it is judged "
        "by, so its advantage is a little flattered."
    )
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="verdict">'
        '<table class="verdict"><thead>'
        f"{lines[0]}</thead><tbody>{''.join(lines[1:])}</tbody></table></div>"
        f'<p class="muted">{note}</p>'
    )


def _name(contender: Contender) -> str:
    """A setting that, in a narrow cell, breaks between its parameters rather than inside one."""
    return text(contender.setting).replace(" = ", "\u00a0=\u00a0")


def _row(cells: Iterable[str], tag: str, attributes: str) -> str:
    return "<tr>" + "".join(f"<{tag} {attributes}>{text(cell)}</{tag}>" for cell in cells) + "</tr>"


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

"""What a page says of a study beside results: learners, machines, provenance, remarks."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from dagathlon.errors import listing
from dagathlon.frame import Row, Rows, grouped
from dagathlon.report.page.sections import text
from dagathlon.report.results import Results
from dagathlon.study.plan.plan import ALGORITHM
from dagathlon.study.records.causes import omitted, without_copies
from dagathlon.study.records.provenance import installed_version, source_lines
from dagathlon.study.records.runs import NOTES, TIME_NOTE
from dagathlon.study.store.machine import described
from dagathlon.wording import agreeing, counted

_HEADER = ("learner", "takes", "gives", "assumes")


def learners(results: Results) -> str:
    """Return the folded table of learners; empty if nothing was saved about them."""
    used = {algorithm.module.name: algorithm.module for algorithm in results.algorithms.values()}
    rows = [(name, module.abilities) for name, module in used.items() if module.abilities]
    if not rows:
        return ""
    head = "".join(f'<th scope="col">{name}</th>' for name in _HEADER)
    body = "".join(
        f'<tr><th scope="row">{text(name)}</th>'
        + "".join(f"<td>{text(able.get(column, ''))}</td>" for column in _HEADER[1:])
        + "</tr>"
        for name, able in rows
    )
    return (
        "<details><summary>What the learners take, give and assume</summary>"
        '<div class="scroll"><table class="learners">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div></details>"
    )


def skipped(results: Results) -> list[str]:
    """Return sentences on skipped algorithms, one per cause."""
    here = {origin.where for origin in results.plan.origins}
    omitted_runs = [
        omission
        for omission in results.plan.omissions
        if omission.where in here and omission.transform.startswith(f"{ALGORITHM} ")
    ]
    sentences = []
    for cause in omitted(omitted_runs, results.algorithms):
        pairs = [
            (omission.data_label, omission.where)
            for omission in omitted_runs
            if omission.reason in cause.reasons
        ]
        n = len(list(without_copies(dict.fromkeys(pairs))))
        verb = agreeing(len(cause.names), "was", "were")
        sentences.append(
            f"{cause.who} {verb} skipped on {counted(n, 'kind')} of data: {cause.words}."
        )
    return sentences


_NOT_RECORDED = "machines that were not recorded"


def machines(results: Results) -> dict[str, str]:
    """Return sentences on machines; empty if all ran on the one named anyway."""
    made, known = results.made_on, _known(results)
    lines = {described(facts) for host in made for facts in known.get(host, ())}
    if not made or (len(made) == 1 and lines <= {results.provenance.machine}):
        return {}
    named = [_named(host, number, known.get(host, ())) for host, number in sorted(made.items())]
    return {"machines": "; ".join(named)} | _times(sorted(_processors(made, known)))


def _known(results: Results) -> dict[str, list[Row]]:
    return grouped((name, facts) for name, facts in results.store.hosts())


def _named(host: str, number: int, known: Rows) -> str:
    processors = sorted({str(facts.get("processor") or "") for facts in known} - {""})
    about = f" ({' or '.join(processors)})" if processors else ""
    runs = "learning run" if number == 1 else "learning runs"
    return f"{host or _NOT_RECORDED}{about}: {number:,} {runs}"


def _processors(made: Mapping[str, int], known: Mapping[str, Rows]) -> set[str]:
    names = {str(facts.get("processor") or "") for host in made for facts in known.get(host, ())}
    return names - {""}


def _times(processors: Sequence[str]) -> dict[str, str]:
    if len(processors) < 2:
        return {}
    return {
        "times": f"measured on different processors ({listing(processors)}): the time of a run on "
        "one does not compare with that of a run on another"
    }


def facts(results: Results) -> dict[str, str]:
    """Return the facts for judging and repeating the study, by name."""
    name, origin = results.study.name, results.provenance
    out = results.folder.parent.name or "results"
    versions = [f"{package} {number}" for package, number in origin.versions.items()]
    if origin.versions.get("dagathlon", "") != installed_version():
        versions.append(f"this report by dagathlon {installed_version()}")
    again = {
        "run it again": f"dagathlon run {name} --out {out}",
        "write this report again": f"dagathlon report {out}",
    }
    began = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(origin.began))
    return {
        "versions": ", ".join(versions),
        "machine": origin.machine,
        **machines(results),
        "last run": began,
        "study file": name,
        "setup": results.setup.title,
        "seeds": "; ".join(_seeds(results)),
        **_sources(results),
    } | _command(results, again)


def _sources(results: Results) -> dict[str, str]:
    """Return the files and bundled networks that the data come from."""
    lines = source_lines(results.provenance.sources)
    return {"data entries": ". ".join(lines)} if lines else {}


def _command(results: Results, otherwise: dict[str, str]) -> dict[str, str]:
    """Return the command that repeats the study."""
    try:
        made_by = json.loads(results.study.text).get("_command")
    except (ValueError, RecursionError, AttributeError):
        made_by = None
    return {"run it again": made_by} if isinstance(made_by, str) else otherwise


def study_text(results: Results) -> str:
    """Return the study file as indented text."""
    text = results.study.text.decode("utf-8-sig", errors="replace")
    try:
        return json.dumps(json.loads(text), indent=1, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text


def _seeds(results: Results) -> Iterator[str]:
    origins = (results.origin(case) for case in results.cases)
    for origin in {origin.where: origin for origin in origins}.values():
        first, last = origin.seeds
        shown = f"{first}–{last}" if last > first else f"{first}"
        yield f"{origin.data_id}: {shown}"


_OF_RESULTS = (
    "What a learner says of its own results, by the first run that has a note; those of all runs "
    "are in the column <code>notes</code> of the tables."
)
_OF_TIMES = (
    "Runs that did a part of their work together, so that their times say less about a learner "
    "than the sum of them; each says in the column <code>time_note</code> of the tables what its "
    "time is."
)


class _Remark(NamedTuple):
    setting: str
    example: str
    runs: int
    of: int


def remarks(rows: Rows) -> str:
    """Return the section of learners' notes, one line per setting; empty without any."""
    parts = _list(rows, NOTES, _OF_RESULTS) + _list(rows, TIME_NOTE, _OF_TIMES)
    if not parts:
        return ""
    return (
        '<section id="notes" data-nav="Notes" aria-labelledby="notes-heading">'
        f'<h2 id="notes-heading">Notes of the learners</h2>{parts}</section>'
    )


def _list(rows: Rows, column: str, about: str) -> str:
    remarks_by_setting = [
        _remark(setting, runs, column) for setting, runs in _by_setting(rows).items()
    ]
    lines = "".join(_line(remark) for remark in remarks_by_setting if remark.runs)
    return f'<p class="muted">{about}</p><ul class="notes">{lines}</ul>' if lines else ""


def _by_setting(rows: Rows) -> dict[str, list[Row]]:
    return grouped((row["setting"], row) for row in rows)


def _remark(setting: str, rows: Rows, column: str) -> _Remark:
    notes = [row[column] for row in rows if row.get(column)]
    return _Remark(setting, notes[0] if notes else "", len(notes), len(rows))


def _line(remark: _Remark) -> str:
    how_often = f"{remark.runs:,} of {counted(remark.of, 'run')}"
    return f"<li><strong>{text(remark.setting)}</strong> ({how_often}): {text(remark.example)}</li>"

"""Where the numbers come from: versions, machine, seeds, the study, how to run it again."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

from dagathlon.report.page.machines import machines
from dagathlon.report.results import Results
from dagathlon.study.records.provenance import installed_version
from dagathlon.study.records.sources import source_lines


def facts(results: Results) -> dict[str, str]:
    """What a reader needs to judge and to repeat the study, by name."""
    name, found = results.study.name, results.provenance
    out = results.folder.parent.name or "results"
    versions = [f"{package} {number}" for package, number in found.versions.items()]
    if found.versions.get("dagathlon", "") != installed_version():
        versions.append(f"this report by dagathlon {installed_version()}")
    again = {
        "run it again": f"dagathlon run {name} --out {out}",
        "write this report again": f"dagathlon report {out}",
    }
    began = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(found.began))
    return {
        "versions": ", ".join(versions),
        "machine": found.machine,
        **machines(results),
        "last run": began,
        "study file": name,
        "setup": results.setup.title,
        "seeds": "; ".join(_seeds(results)),
        **_sources(results),
    } | _command(results, again)


def _sources(results: Results) -> dict[str, str]:
    """Files and bundled networks that the data come from."""
    lines = source_lines(results.provenance.sources)
    return {"data entries": ". ".join(lines)} if lines else {}


def _command(results: Results, otherwise: dict[str, str]) -> dict[str, str]:
    """How to do it again, where the study was made by a command of another name."""
    try:
        made_by = json.loads(results.study.text).get("_command")
    except (ValueError, RecursionError, AttributeError):
        made_by = None
    return {"run it again": made_by} if isinstance(made_by, str) else otherwise


def study_text(results: Results) -> str:
    """The study file, indented."""
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

"""Where the numbers come from: versions, machine, seeds, the study, how to run it again."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

from dagathlon.report.context import Context
from dagathlon.study.view.provenance import installed_version


def facts(context: Context) -> dict[str, str]:
    """What a reader needs to judge and to repeat the study, by name."""
    name, found = context.study.name, context.provenance
    out = context.folder.parent.name or "results"
    versions = [f"{package} {number}" for package, number in found.versions.items()]
    if found.versions.get("dagathlon", "") != installed_version():
        versions.append(f"this report by dagathlon {installed_version()}")
    began = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(found.began))
    return {
        "versions": ", ".join(versions),
        "machine": found.machine,
        "last run": began,
        "study file": name,
        "setup": context.setup.title,
        "seeds": "; ".join(_seeds(context)),
        "run it again": f"dagathlon run {name} --out {out}",
        "write this report again": f"dagathlon report {out}",
    }


def study_text(context: Context) -> str:
    """The study file, indented."""
    text = context.study.text.decode("utf-8-sig", errors="replace")
    try:
        return json.dumps(json.loads(text), indent=1, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text


def _seeds(context: Context) -> Iterator[str]:
    for entry in context.setup.data:
        if entry.seeds:
            first, last = entry.seeds.start, entry.seeds.stop - 1
            yield (
                f"{entry.data_id}: {first}–{last}" if last > first else f"{entry.data_id}: {first}"
            )

"""The recorded fingerprints: reading, comparing and bringing them up to date."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fingerprints import Fingerprint, alike

FILE = Path(__file__).parent.parent / "fixed_results.json"
UPDATE = "python tools/fingerprints.py --update"
Record = dict[str, Any]


def read() -> dict[str, Record]:
    """What was recorded, by kind and name."""
    content: dict[str, Record] = json.loads(FILE.read_text("utf-8"))
    return content


def write(records: Mapping[str, Record]) -> None:
    """Record, one module in each line, so that a change shows which ones it is about."""
    lines = (
        f"{json.dumps(name)}: {json.dumps(record, ensure_ascii=False, sort_keys=True)}"
        for name, record in sorted(records.items())
    )
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def comparable(old: Record | None, found: Fingerprint) -> Record:
    """A fingerprint as it is recorded, of learners only what the record has.

    A record leaves out what depends on rounding, such as the direction of an edge that all DAGs of
    highest score may choose.
    """
    new = recorded(found)
    if old is not None and isinstance(found.result, dict) and "learned" in found.result:
        kept = old["result"]["learned"]
        learned = {
            label: {k: v for k, v in one.items() if k in kept.get(label, one)}
            for label, one in found.result["learned"].items()
        }
        new["result"] = {"learned": learned}
    return new


def recorded(found: Fingerprint) -> Record:
    """A fingerprint as it is recorded."""
    versions = {"itself": found.version, **found.lineage}
    return {"versions": versions, "result": found.result}


def complaint(name: str, old: Record | None, found: Fingerprint) -> str:
    """What is wrong, and what to do; empty when a fingerprint is the recorded one."""
    new = comparable(old, found)
    if old is None:
        return f"{name} is new and has no fingerprint yet: {UPDATE}"
    same = alike(old["result"], new["result"])
    if old["versions"] != new["versions"]:
        which = "results are the same" if same else "results have changed with it"
        return f"{name} or what runs behind it has another version now ({which}): {UPDATE}"
    if same:
        return ""
    return (
        f"{name} gives other results than it did, and no version was raised: stored results of "
        "users would be mixed with new ones. If the change is meant, raise the version of the "
        "module, test or score whose code changed (all that hand work to it follow), then "
        f"{UPDATE}; if not, undo it. It was {_shown(old['result'])}, and is "
        f"{_shown(new['result'])}"
    )


def may_update(old: Record | None, found: Fingerprint) -> bool:
    """Whether a record may be replaced: not where results changed under the same versions."""
    new = comparable(old, found)
    return old is None or old["versions"] != new["versions"] or alike(old["result"], new["result"])


def _shown(result: Any) -> str:
    text = json.dumps(result, ensure_ascii=False)
    return text if len(text) <= 600 else text[:600] + "…"

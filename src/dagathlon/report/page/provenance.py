"""Where the numbers come from: versions, machine, seeds, the study, how to run it again."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

from dagathlon.report.context import Results

_PACKAGES = ("dagathlon", "numpy", "scipy", "pyarrow", "vl-convert-python")


def facts(results: Results) -> dict[str, str]:
    """What a reader needs to judge and to repeat the study, by name."""
    name = results.study_name
    out = results.folder.parent.name or "results"
    return {
        "versions": ", ".join(_versions()),
        "machine": _machine(),
        "study file": name,
        "setup": results.title,
        "seeds": "; ".join(_seeds(results)),
        "run it again": f"dagathlon run {name} --out {out}",
        "write this report again": f"dagathlon report {out}",
    }


def study_text(results: Results) -> str:
    """The study file, indented."""
    content = json.loads(results.study_text.decode("utf-8-sig"))
    return json.dumps(content, indent=1, ensure_ascii=False)


def _versions() -> Iterator[str]:
    for package in _PACKAGES:
        try:
            yield f"{package} {version(package)}"
        except PackageNotFoundError:
            continue
    yield f"Python {platform.python_version()}"


def _machine() -> str:
    cores = os.cpu_count()
    model = _processor()
    parts = [platform.system(), platform.machine(), model, f"{cores} cores" if cores else ""]
    return ", ".join(part for part in parts if part)


def _processor() -> str:
    """The processor's name, where the system tells it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            named = (line.partition(":")[2].strip() for line in file if line.startswith("model n"))
            return next(named, "")
    except OSError:
        return platform.processor()


def _seeds(results: Results) -> Iterator[str]:
    origins = (results.origin(case) for case in results.cases)
    for origin in {origin.where: origin for origin in origins}.values():
        first, last = origin.seeds
        shown = f"{first}–{last}" if last > first else f"{first}"
        yield f"{origin.data_id}: {shown}"

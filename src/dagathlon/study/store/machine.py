"""The machine that this process runs on, as facts that a store and a report can keep."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

_PACKAGES = ("dagathlon", "numpy", "scipy")


def machine_facts() -> dict[str, Any]:
    """What to know of this machine to judge times and results that it made, as plain JSON."""
    return {
        "system": platform.system(),
        "architecture": platform.machine(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory": _memory(),
        "versions": {"python": platform.python_version()} | dict(versions_of(_PACKAGES)),
    }


def described(facts: Mapping[str, Any]) -> str:
    """The machine in a line; facts that came from elsewhere need not be complete."""
    parts = [str(facts.get(name) or "") for name in ("system", "architecture", "processor")]
    if facts.get("cores"):
        parts.append(f"{facts['cores']} cores")
    return ", ".join(part for part in parts if part)


def read_facts(text: str) -> dict[str, Any]:
    """Facts from JSON; a stranger's store may say anything, of which nothing is used."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def versions_of(packages: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The versions of those packages that are installed."""
    for package in packages:
        try:
            yield package, version(package)
        except PackageNotFoundError:
            continue


def _memory() -> int | None:
    """Bytes of memory, where the system tells it."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return None


def _processor() -> str:
    """The processor's name, where the system tells it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            named = (line.partition(":")[2].strip() for line in file if line.startswith("model n"))
            return next(named, "")
    except OSError:
        return platform.processor()

"""Facts about this machine that stores and reports keep."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import shutil
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

_CONTROL_GROUP = Path("/sys/fs/cgroup")
_PACKAGES = ("dagathlon", "numpy", "scipy")


def machine_facts() -> dict[str, Any]:
    """Return JSON facts of this machine, to judge times and results by."""
    return {
        "system": platform.system(),
        "architecture": platform.machine(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory": memory(),
        "versions": {"python": platform.python_version()} | dict(versions_of(_PACKAGES)),
    }


def described(facts: Mapping[str, Any]) -> str:
    """Describe a machine in one line; facts may be incomplete."""
    parts = [str(facts.get(name) or "") for name in ("system", "architecture", "processor")]
    if facts.get("cores"):
        parts.append(f"{facts['cores']} cores")
    return ", ".join(part for part in parts if part)


def read_facts(text: str) -> dict[str, Any]:
    """Parse facts from JSON; invalid ones are ignored."""
    try:
        facts = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return facts if isinstance(facts, dict) else {}


def versions_of(packages: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield name and version of those packages that are installed."""
    for package in packages:
        try:
            yield package, version(package)
        except PackageNotFoundError:
            continue


def memory(control_group: Path = _CONTROL_GROUP) -> int | None:
    """Return the memory of this machine or of the process's container, in bytes."""
    try:
        whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return None
    with contextlib.suppress(OSError, ValueError):
        return min(whole, int((control_group / "memory.max").read_text("ascii")))
    return whole


def free_disk(folder: str) -> int | None:
    """Return free bytes on the disk of a folder or of its nearest existing parent."""
    place = Path(folder).absolute()
    for one in (place, *place.parents):
        with contextlib.suppress(OSError):
            return shutil.disk_usage(one).free
    return None


def _processor() -> str:
    """Return the processor's name, where the system gives one."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            named = (line.partition(":")[2].strip() for line in file if line.startswith("model n"))
            return next(named, "")
    except OSError:
        return platform.processor()

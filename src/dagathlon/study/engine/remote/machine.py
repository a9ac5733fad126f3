"""What there is on this machine: processor, cores, memory, disk."""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import socket
from pathlib import Path
from typing import Any

_CONTROL_GROUP = Path("/sys/fs/cgroup")


def host_facts(folder: str = "") -> dict[str, Any]:
    """Name, processor, cores and memory of this machine as far as this process may use them.

    Parameters
    ----------
    folder
        Where results would be put aside: its free bytes are among the facts, None without it.
    """
    return {
        "name": socket.gethostname(),
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory": memory(),
        "free_disk": free_disk(folder) if folder else None,
    }


def processor() -> str:
    """The processor's name, where the system tells it."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text("utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def memory(control_group: Path = _CONTROL_GROUP) -> int:
    """Bytes of memory of this machine, or of the container in which this process runs."""
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with contextlib.suppress(OSError, ValueError):
        return min(whole, int((control_group / "memory.max").read_text("ascii")))
    return whole


def free_disk(folder: str) -> int | None:
    """Free bytes on the disk of a folder, or of the first folder above it that is there."""
    place = Path(folder).absolute()
    for one in (place, *place.parents):
        with contextlib.suppress(OSError):
            return shutil.disk_usage(one).free
    return None

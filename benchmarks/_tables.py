"""Rows as a table, on the screen and in benchmarks/results.md."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path
from typing import Any

from benchmarks._measure import Row, Timing

HEAD = """# Speed

Written by `python -m benchmarks`; [README.md](README.md) says how it is measured and how
to read it. A ratio above 1 says how many times faster ours is; `>` marks a peer that was stopped.
Read one digit.
"""
COLUMNS = (
    "what", "ours", "CPU", "memory", "peer", "its time", "its CPU", "its memory",
    "ratio", "ratio of CPU", "results", "note",
)  # fmt: skip


def cells(found: Row) -> list[str]:
    """One row, in the order of `COLUMNS`."""
    ours, peer = found["ours_s"], found["peer_s"]
    return [
        found["what"],
        *_times(ours),
        found["peer"],
        *_times(peer),
        _ratio(ours, peer),
        _cpu_ratio(ours, peer),
        found["result"],
        found["note"],
    ]


def _times(timing: Timing | None) -> list[str]:
    if timing is None:
        return ["", "", ""]
    wall = f"> {readable(timing)}" if timing.stopped else readable(timing)
    if timing.slowest > timing:
        wall += f" – {readable(timing.slowest)}"
    memory = "" if timing.memory is None else _mebibytes(timing.memory)
    return [wall, readable(timing.cpu), memory]


def _mebibytes(size: int) -> str:
    return f"{size / 2**20:.0f} MiB" if size >= 2**20 else "< 1 MiB"


def _ratio(ours: Timing, peer: Timing | None) -> str:
    if peer is None:
        return ""
    best = _figure(float(peer) / float(ours))
    if peer.stopped:
        return f"> {best}"
    low, high = float(peer) / ours.slowest, peer.slowest / float(ours)
    return best if low == high else f"{best} ({_figure(low)} – {_figure(high)})"


def _cpu_ratio(ours: Timing, peer: Timing | None) -> str:
    if peer is None or not peer.cpu or not ours.cpu:
        return ""
    return _figure(peer.cpu / ours.cpu)


def _figure(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 else f"{number:.2g}"


def readable(seconds: float | None) -> str:
    """Seconds in the unit that suits them."""
    if seconds is None:
        return ""
    seconds = float(seconds)
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def print_table(rows: list[Row]) -> None:
    """Show the columns that have something in them."""
    table = [list(COLUMNS), *map(cells, rows)]
    used = [column for column in zip(*table, strict=True) if any(column[1:])]
    widths = [max(map(len, column)) for column in used]
    for line in zip(*used, strict=True):
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)))


def markdown(rows: list[Row]) -> str:
    lines = [COLUMNS, ["---"] * len(COLUMNS), *map(cells, rows)]
    return "\n".join("| " + " | ".join(_escaped(cell) for cell in line) + " |" for line in lines)


def _escaped(cell: str) -> str:
    return " ".join(cell.replace("|", "\\|").split())


def peers(rows: list[Row]) -> str:
    """The peers' versions, and those that are missing."""
    here = {f"{row['peer']} {row['version']}": 0 for row in rows if row["version"]}
    missing = {row["peer"]: 0 for row in rows if row["note"].startswith("not installed")}
    parts = [f"Peers: {', '.join(here)}."] if here else []
    parts += [f"Not installed: {', '.join(missing)}."] if missing else []
    return " ".join(parts)


def machine() -> str:
    """Processor, cores, memory, system and Python."""
    return (
        f"{_processor()}, {os.cpu_count()} cores, {_memory()}, "
        f"{platform.system()}, Python {platform.python_version()}"
    )


def _processor() -> str:
    found = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    return found[1] if found else platform.machine()


def _memory() -> str:
    return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"


def section(topic: str, facts: dict[str, Any], rows: list[Row]) -> str:
    """The topic's part of the file."""
    lines = [f"## {topic}", "", *(f"{name}: {value}.  " for name, value in facts.items())]
    return "\n".join([*lines, peers(rows), "", markdown(rows), ""])


def write(path: Path, topic: str, text: str) -> None:
    """Replace one topic's section and leave the others as they are."""
    old = path.read_text() if path.is_file() else ""
    parts = re.split(r"^## ", old, flags=re.MULTILINE)[1:]
    sections = {part.split("\n", 1)[0]: f"## {part}" for part in parts}
    sections[topic] = text
    ordered = (sections[name].rstrip() + "\n" for name in sorted(sections))
    path.write_text("\n".join([HEAD, *ordered]))

"""``python -m benchmarks [TOPIC …]``: run the benchmarks and write benchmarks/results.md.

Without topics all of them are run, which takes half an hour and more; the file holds what was run.
Peers that are not installed are named as missing; ``pip install -e '.[bench]'`` installs them.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import platform
import sys
from pathlib import Path

from benchmarks.timing import Row, print_table, readable

FOLDER = Path(__file__).parent
HEAD = """# Speed

Written by `python -m benchmarks`. Each row was measured in one run on one machine, ours and the
peer on the same input, the best of several repeats. A ratio above 1 says how many times faster ours
is. The machine is noisy: read one digit.

"""


def topics() -> list[str]:
    found = [info.name for info in pkgutil.iter_modules([str(FOLDER)])]
    return [
        name
        for name in found
        if not name.startswith("_")
        and hasattr(importlib.import_module(f"benchmarks.{name}"), "run")
    ]


def machine() -> str:
    name = platform.machine()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        models = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        name = models[0].split(":", 1)[1].strip() if models else name
    return f"{name}, {os.cpu_count()} cores, Python {platform.python_version()}"


def as_markdown(topic: str, rows: list[Row]) -> str:
    lines = [f"## {topic}", "", "| what | ours | peer | its time | ratio | note |"]
    lines.append("|---|---|---|---|---|---|")
    for found in rows:
        ratio = "" if found.get("ratio") is None else f"{found['ratio']:.3g}"
        peer = readable(found.get("peer_s"))
        cells = [
            found["what"],
            readable(found["ours_s"]),
            found["peer"],
            peer,
            ratio,
            found["note"],
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", ""])


def main() -> None:
    chosen = sys.argv[1:] or topics()
    text = HEAD + f"Machine: {machine()}.\n\n"
    for topic in chosen:
        print(f"\n{topic}")
        rows = importlib.import_module(f"benchmarks.{topic}").run()
        print_table(rows)
        text += as_markdown(topic, rows)
    (FOLDER / "results.md").write_text(text)


if __name__ == "__main__":
    main()

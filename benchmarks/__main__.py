"""``python -m benchmarks [TOPIC …]``: run the benchmarks and write benchmarks/results.md."""

from __future__ import annotations

import argparse
import datetime
import difflib
import importlib
import os
import pkgutil
import sys
import time
from pathlib import Path

FOLDER = Path(__file__).parent


def topics() -> list[str]:
    """Modules of this folder that have a function `run`."""
    found = [info.name for info in pkgutil.iter_modules([str(FOLDER)])]
    return [
        name
        for name in found
        if not name.startswith("_") and "\ndef run(" in (FOLDER / f"{name}.py").read_text()
    ]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("topics", nargs="*", metavar="TOPIC", help=f"one of {', '.join(topics())}")
    parser.add_argument("--quick", action="store_true", help="small sizes, once each, no file")
    parser.add_argument("--output", type=Path, help="the file whose sections are rewritten")
    given = parser.parse_args()
    for topic in given.topics:
        if topic not in topics():
            near = difflib.get_close_matches(topic, topics(), 1)
            parser.error(f"no topic {topic!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
    return given


def run_topic(topic: str, output: Path | None) -> None:
    """Run, print and write one topic."""
    # Imported here, after the variable of --quick is set.
    from benchmarks import _tables

    load, start = os.getloadavg()[0], time.perf_counter()
    print(f"\n{topic}", flush=True)
    rows = importlib.import_module(f"benchmarks.{topic}").run()
    seconds = time.perf_counter() - start
    facts = {
        "Machine": _tables.machine(),
        "Date": f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d %H:%M} UTC, {seconds:.0f} s in all",
        "Load average": f"{load:.1f} at the start, {os.getloadavg()[0]:.1f} at the end",
    }
    _tables.print_table(rows)
    print(_tables.peers(rows), f"{seconds:.0f} s", flush=True)
    if output is not None:
        _tables.write(output, topic, _tables.section(topic, facts, rows))


def main() -> int:
    given = arguments()
    if given.quick:
        os.environ["DAGATHLON_BENCHMARKS_QUICK"] = "1"
    output = given.output or (None if given.quick else FOLDER / "results.md")
    failed = []
    for topic in given.topics or topics():
        try:
            run_topic(topic, output)
        except Exception as error:  # one broken topic does not cost the others
            failed.append(topic)
            print(f"{topic} failed: {type(error).__name__}: {error}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())

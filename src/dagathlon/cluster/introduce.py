"""A machine says who it is: ``python -m dagathlon.cluster.introduce``.

It reads one JSON object, ``{"modules": [[kind, name, version], …], "folder": …}``, from standard
input and prints one line. Users' modules are loaded on the way, and whatever they print goes to
standard error, so that the line stands alone; `answer_of` reads it.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import time
from collections.abc import Sequence
from typing import Any

MARK = "dagathlon-introduces-itself "
"""With what the line begins."""

_WRONG_QUESTION = 2
_MOST_SECONDS = 150


def answer_of(text: str) -> dict[str, Any] | None:
    """The answer in what a process printed; None when there is none that can be read."""
    for line in reversed(text.splitlines()):
        if line.startswith(MARK):
            try:
                found = json.loads(line.removeprefix(MARK))
            except ValueError:
                return None
            return found if isinstance(found, dict) else None
    return None


def answered(question: str) -> dict[str, Any]:
    """The answer to a question; one that cannot be understood is told as an ``error``."""
    # Imported here, after standard output was put aside.
    from dagathlon.cluster.identity import identity, lacking  # noqa: PLC0415
    from dagathlon.study.engine.resources import cards_here  # noqa: PLC0415
    from dagathlon.study.store.machine import free_disk, machine_facts  # noqa: PLC0415

    try:
        asked = json.loads(question or "{}")
        calls = [(str(kind), str(name), int(version)) for kind, name, version in _modules(asked)]
        folder = str(asked.get("folder") or "")
    except (ValueError, TypeError, AttributeError) as error:
        return {"error": f"the question cannot be understood: {error}"}
    return {
        "identity": identity(),
        "lacking": lacking(calls),
        "host": socket.gethostname(),
        "facts": machine_facts(),
        "free_disk": free_disk(folder) if folder else None,
        "cards": cards_here(),
        "clock": time.time(),
    }


def _modules(asked: Any) -> Sequence[Any]:
    found = asked.get("modules", [])
    if not isinstance(found, list):
        raise TypeError(f"modules: expected a list, found {type(found).__name__}")
    return found


def main() -> int:
    """Answer the question on standard input."""
    signal.alarm(_MOST_SECONDS)  # should a module hang, and whoever asked be gone
    sys.stdout.flush()
    ours = os.dup(1)
    os.dup2(2, 1)
    answer = answered(sys.stdin.read())
    sys.stdout.flush()
    with os.fdopen(ours, "w", encoding="utf-8") as stream:
        stream.write(f"\n{MARK}{json.dumps(answer)}\n")
    return _WRONG_QUESTION if "error" in answer else 0


if __name__ == "__main__":
    # Threads that a user's module has begun must not keep the answer waiting.
    code = main()
    sys.stderr.flush()
    os._exit(code)

"""Events as plain data, for a log that programs read."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from dagathlon.study.engine.protocol import Began, Event, Finished, Note, Running, Writing


def event_json(event: Event) -> dict[str, Any]:
    """An event as plain data."""
    match event:
        case Began(to_do, stored):
            return {
                "event": "began",
                "to_do": [[*key, n] for key, n in to_do.items()],
                "stored": [[*key, n] for key, n in stored.items()],
            }
        case Finished(position, task, outcome):
            return {
                "event": "finished",
                "position": position,
                "key": task.key.hex(),
                "kind": task.call.kind.value,
                "module": task.call.module,
                "seed": task.seed,
                "status": outcome.status.value,
                "reason": outcome.reason,
                "wall": outcome.wall,
                "cpu": outcome.cpu,
                "memory": outcome.memory,
                "host": outcome.host,
            }
        case Running():
            return {"event": "running", **asdict(event)}
        case Note(text):
            return {"event": "note", "text": text}
        case Writing():
            return {"event": "writing"}

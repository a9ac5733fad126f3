"""Where a run stands, as it left word in the store, for whoever looks at it from outside.

A store may come from an earlier version, or from anybody: what is missing or odd in it counts as
not known, and no text in it reaches a terminal as anything but text.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from dagathlon.study.engine.protocol import Host
from dagathlon.study.records.display import duration
from dagathlon.wording import counted

_MOST = 2**53
_LONGEST = 300
_MOST_HOSTS = 1000
_DAY = 86_400.0


@dataclass(frozen=True)
class Progress:
    """Last state that a run wrote to the store.

    Parameters
    ----------
    known
        Whether it told anything at all.
    ran, stored, left
        Tasks that ran, came from the store, and are still to be done.
    queued
        Tasks that could begin, had anybody the time.
    workers
        How many tasks run at the same time; None when that is not known.
    seconds
        How long it took, once it has ended.
    interrupted
        Whether it was stopped before the end.
    rate
        Tasks per second, lately.
    expected_end
        When it may end, in seconds since 1970; None when that is not known.
    hosts
        The machines.
    told
        What else there is to know, by name, such as the address of a dashboard.
    """

    known: bool = False
    ran: int = 0
    stored: int = 0
    left: int = 0
    queued: int = 0
    workers: int | None = None
    seconds: float = 0.0
    interrupted: bool = False
    rate: float = 0.0
    expected_end: float | None = None
    hosts: tuple[Host, ...] = ()
    told: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, stored: Any) -> Self:
        """Parse the state from the store; invalid values become defaults."""
        if not isinstance(stored, Mapping) or not stored:
            return cls()
        hosts = _items(stored.get("hosts"))[:_MOST_HOSTS]
        written = stored.get("told")
        return cls(
            known=True,
            ran=_sum(stored.get("ran")),
            stored=_sum(stored.get("stored")),
            left=_count(stored.get("left")),
            queued=_count(stored.get("queued")),
            workers=_count(stored.get("jobs")) or None,
            seconds=_number(stored.get("seconds")) or 0.0,
            interrupted=stored.get("interrupted") is True,
            rate=_number(stored.get("rate")) or 0.0,
            expected_end=_number(stored.get("expected_end")),
            hosts=tuple(_host(host) for host in hosts if isinstance(host, Mapping)),
            told={
                plain(name): plain(value)
                for name, value in (written.items() if isinstance(written, Mapping) else ())
            },
        )

    @property
    def crew(self) -> str:
        """Return the number of workers, and of machines if several."""
        present = [host for host in self.hosts if host.workers]
        if len(present) < 2:
            return f"{'?' if self.workers is None else self.workers} workers"
        workers = sum(host.workers for host in present)
        return f"{counted(workers, 'worker')} on {counted(len(present), 'host')}"

    def seconds_left(self, now: float) -> float | None:
        """Return the expected remaining seconds."""
        return None if self.expected_end is None else max(self.expected_end - now, 0.0)

    def facts(self, now: float) -> str:
        """Return queue, rate and expected end of a run that goes on."""
        parts = [f"{self.queued:,} queued"]
        if self.rate:
            parts.append(f"{self.rate:,.1f} tasks per second")
        remaining = self.seconds_left(now)
        if remaining is not None and self.left:
            parts.append(
                f"expected to end at {_clock(now, remaining)} (in about {duration(remaining)})"
            )
        return ", ".join(parts)

    def host_table(self, alive: bool) -> tuple[tuple[str, ...], list[tuple[str | int, ...]]]:
        """Return header and rows by machine; fewer columns once the run has ended."""
        if alive:
            header: tuple[str, ...] = ("host", "workers", "given", "done", "failed", "remark")
            return header, [
                (host.name, host.workers, host.given, host.done, host.failed, host.remark)
                for host in self.hosts
            ]
        worked = (host for host in self.hosts if host.done)
        rows: list[tuple[str | int, ...]] = [(one.name, one.done, one.failed) for one in worked]
        return ("host", "done", "failed"), rows


def plain(value: Any) -> str:
    """Return text made safe for one terminal line: no control characters, limited length."""
    text = value if isinstance(value, str) else repr(value)
    shown = "".join(sign if sign.isprintable() else " " for sign in text[: _LONGEST + 1])
    return shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "…"


def since(began: Any, now: float) -> str:
    """Format the time since a moment recorded in the store."""
    start = _number(began)
    return "an unknown time" if start is None else duration(max(now - start, 0.0))


def moment(seconds: Any) -> str:
    """Format a time recorded in the store."""
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))
    except (TypeError, ValueError, OverflowError, OSError):
        return "at an unknown time"


def _clock(now: float, remaining: float) -> str:
    form = "%H:%M:%S" if remaining < _DAY / 2 else "%Y-%m-%d %H:%M"
    try:
        return time.strftime(form, time.localtime(now + remaining))
    except (ValueError, OverflowError, OSError):
        return "an unknown time"


def _host(stored: Mapping[Any, Any]) -> Host:
    numbers = {key: _count(stored.get(key)) for key in ("workers", "given", "done", "failed")}
    name, remark = stored.get("name"), stored.get("remark")
    return Host(
        plain(name) if isinstance(name, str) and name else "?",
        remark=plain(remark) if isinstance(remark, str) else "",
        **numbers,
    )


def _sum(value: Any) -> int:
    return sum(_count(row[-1]) for row in _items(value) if isinstance(row, list) and row)


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _count(value: Any) -> int:
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST
    return int(value) if is_count else 0


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and 0 <= value < _MOST else None

"""The machines of a run, in words: who works, and whether one of them fails more than the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp, lgamma

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from dagathlon.study.engine.protocol import Host
from dagathlon.wording import counted

MOST_ROWS = 8
"""So many machines have a row each where there is little room."""

# A difference this unlikely, were it all the same where tasks run, is worth a line.
_UNLIKELY = 0.001


def crew_words(hosts: Sequence[Host], queued: int) -> str:
    """Return a clause on workers by machine and queued tasks; empty for a single machine."""
    present = [host for host in hosts if host.workers]
    if len(hosts) < 2:
        return ""
    workers = sum(host.workers for host in present)
    return f"{counted(workers, 'worker')} on {counted(len(present), 'host')}, {queued:,} queued"


def summed_up(hosts: Sequence[Host]) -> str:
    """Summarise many machines on one line: tasks done, and the one with most failures."""
    done, failed = sum(host.done for host in hosts), sum(host.failed for host in hosts)
    remarks = sum(bool(host.remark) for host in hosts)
    parts = [f"{counted(len(hosts), 'host')}: {done:,} done"]
    if failed:
        worst = max(hosts, key=lambda host: host.failed)
        parts.append(
            f"{failed:,} failed, most on {worst.name} ({worst.failed:,} of {worst.done:,})"
        )
    if remarks:
        parts.append(f"{remarks:,} with a remark (dagathlon status)")
    return ", ".join(parts)


def drawn_hosts(hosts: Sequence[Host]) -> Iterator[RenderableType]:
    """Yield a row per machine, or one line for many; nothing for a single one."""
    if len(hosts) < 2:
        return
    if len(hosts) > MOST_ROWS:
        yield Text(summed_up(hosts))
        return
    table = Table.grid(padding=(0, 1))
    table.add_column()
    for _ in range(4):
        table.add_column(justify="right")
    table.add_column()
    for host in hosts:
        table.add_row(
            Text(host.name),
            counted(host.workers, "worker"),
            Text(f"{host.given:,} given", style="cyan"),
            f"{host.done:,} done",
            Text(f"{host.failed:,} failed" if host.failed else "", style="red"),
            Text(host.remark, style="yellow"),
        )
    yield table


def failures_by_host(hosts: Sequence[Host]) -> list[str]:
    """Return a line per machine on which significantly more tasks fail than on others."""
    return [line for host in hosts for line in _compared(host, hosts)]


def _compared(host: Host, hosts: Sequence[Host]) -> Iterator[str]:
    done, failed = sum(one.done for one in hosts), sum(one.failed for one in hosts)
    others, failed_there = done - host.done, failed - host.failed
    if not host.failed or not others or failed_there * host.done >= host.failed * others:
        return
    if _chance(host.failed, host.done, failed, done) * len(hosts) > _UNLIKELY:
        return
    why = "it may lack something that the tasks need"
    if not failed_there:
        yield (
            f"all {failed:,} failures were on {host.name} ({host.done:,} tasks), "
            f"none among {others:,} elsewhere: {why}"
        )
    else:
        yield (
            f"{host.name}: {host.failed:,} of {host.done:,} tasks failed, elsewhere "
            f"{failed_there:,} of {others:,}: {why}"
        )


def _chance(hits: int, drawn: int, marked: int, all_: int) -> float:
    """Return the hypergeometric probability of at least so many failures on one machine."""
    first = _log_choose(all_, drawn)
    return sum(
        exp(_log_choose(marked, k) + _log_choose(all_ - marked, drawn - k) - first)
        for k in range(hits, min(marked, drawn) + 1)
        if drawn - k <= all_ - marked
    )


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)

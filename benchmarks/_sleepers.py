"""Simulated workers: dask workers in one process whose tasks only sleep.

python -m benchmarks._sleepers ADDRESS WORKERS THREADS SECONDS
"""

from __future__ import annotations

import asyncio
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from dagathlon.cluster import service
from dagathlon.cluster.cache import Cache
from dagathlon.cluster.identity import identity
from dagathlon.cluster.messages import Batch, Reply
from dagathlon.graphs import Graph
from dagathlon.study.engine.messages import Report
from dagathlon.study.store.codec import encode
from dagathlon.study.store.objects import fingerprint

NAP = 0.1
RESULT = encode(Graph.from_edges([], names=["A", "B"]))
DIGEST, SIZE = fingerprint(RESULT)


class SleepingOutpost:
    """Sleeps in place of learning."""

    def __init__(self, folder: Path, *_: Any) -> None:
        self.cache = Cache(folder / "inputs", 0)
        self.is_closed = False

    def carry_out(self, batch: Batch, is_wanted: Callable[[], bool]) -> Reply:
        reports = []
        for item in batch.items:
            begin = time.perf_counter()
            time.sleep(NAP)
            costs = (time.perf_counter() - begin, 0.0, 0, DIGEST, SIZE, b"".join(RESULT))
            reports.append(Report(item.position, "ok", "", "", *costs))
        return Reply(tuple(reports))

    def close(self) -> None:
        self.is_closed = True


def answer(*_: Any) -> dict[str, Any]:
    host, now = socket.gethostname(), time.time()
    return {"host": host, "lacking": {}, "identity": identity(), "facts": {}, "clock": now}


async def work(address: str, workers: int, threads: int, seconds: float) -> None:
    from distributed import Worker

    service.RemoteHost = SleepingOutpost  # type: ignore[misc, assignment]
    service.ask = answer
    with TemporaryDirectory() as folder:
        made = [
            Worker(
                address, nthreads=threads, memory_limit=0, dashboard=False, local_directory=folder
            )
            for _ in range(workers)
        ]
        for worker in made:
            await worker
        await asyncio.wait_for(asyncio.gather(*(w.finished() for w in made)), seconds)


def main() -> None:
    address, workers, threads, seconds = sys.argv[1:]
    asyncio.run(work(address, int(workers), int(threads), float(seconds)))


if __name__ == "__main__":
    main()

"""Figures painted in processes of their own, while tables are written here."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from queue import Queue
from threading import Condition, Thread
from typing import Any, NamedTuple, Self, TypeAlias

from dagathlon.errors import DagathlonError
from dagathlon.report.figures import vega_worker as painter
from dagathlon.report.figures.figure_cache import Drawn, digest_of
from dagathlon.report.files import write_bytes

# Requests that wait while the painters work; more of them would only fill memory.
_WAITING_BYTES = 2**26
# A painter needs about a second to start, as long as these many small figures take.
_WORTH_A_PAINTER = 6

OnFigure: TypeAlias = Callable[[int, int], None]
"""Told how many figures are there, and how many were asked for so far."""


class _Order(NamedTuple):
    request: bytes
    paths: Sequence[Path]


class DrawingProcesses:
    """Pool of processes that render pictures to files; waits for all of them on exit.

    Equal requests are painted once, and what the folder has already is not painted again.

    Parameters
    ----------
    most
        Number of processes; by default as many as there are cores. With one, the figures are
        painted in this process.
    on_figure
        Told of every figure, in one of several threads.
    """

    def __init__(
        self,
        most: int | None = None,
        on_figure: OnFigure = lambda done, asked: None,
    ) -> None:
        self._most = len(os.sched_getaffinity(0)) if most is None else most
        self._drawn = [Drawn()]
        self._on_figure = on_figure
        self._requests: Queue[_Order | None] = Queue()
        self._room = Condition()
        self._bytes = self._asked = self._done = 0
        self._first: dict[str, Sequence[Path]] = {}
        self._copies: list[tuple[Sequence[Path], Sequence[Path]]] = []
        self._threads: list[Thread] = []
        self._errors: list[BaseException] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for _ in self._threads:
            self._requests.put(None)
        for thread in self._threads:
            thread.join()
        if error[0] is None:
            if self._errors:
                raise self._errors[0]
            self._copy()
            for drawn in self._drawn:
                drawn.save()

    def begin(self, folder: Path) -> None:
        """Set the folder of the following requests, which has its own record of figures."""
        self._drawn.append(Drawn(folder))

    def order(self, request: dict[str, Any], paths: Sequence[Path]) -> None:
        """Enqueue a request whose pictures are written to these paths."""
        digest = digest_of(request)
        drawn = self._drawn[-1].has(paths, digest)
        self._drawn[-1].note(paths, digest)
        if drawn:
            return
        first = self._first.setdefault(digest, paths)
        if self._most < 2:
            self._paint_here(request, paths)
        elif first is not paths:
            self._copies.append((first, paths))
        else:
            self._pass_on(_Order(json.dumps(request).encode() + b"\n", paths))

    def _paint_here(self, request: dict[str, Any], paths: Sequence[Path]) -> None:
        for path, picture in zip(paths, painter.pictures(request), strict=True):
            write_bytes(path, picture)

    def _pass_on(self, order: _Order) -> None:
        waiting = self._requests.qsize()
        if len(self._threads) < min(self._most, 1 + waiting // _WORTH_A_PAINTER):
            self._threads.append(Thread(target=self._work, daemon=True))
            self._threads[-1].start()
        with self._room:
            self._room.wait_for(lambda: self._bytes < _WAITING_BYTES)
            self._bytes += len(order.request)
            self._asked += 1
        self._requests.put(order)

    def _copy(self) -> None:
        """Copy pictures that were requested under several names."""
        for sources, targets in self._copies:
            for source, target in zip(sources, targets, strict=True):
                target.parent.mkdir(parents=True, exist_ok=True)
                partial = target.with_name(target.name + ".part")
                shutil.copyfile(source, partial)
                partial.replace(target)

    def _work(self) -> None:
        """Send requests to one process and write its pictures; runs in a thread per process."""
        command = [sys.executable, "-P", painter.__file__]
        try:
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError as error:
            self._errors.append(error)
            while (order := self._requests.get()) is not None:
                self._settle(order)
            return
        # A process that ended early has been reported; its pipe may still object to being closed.
        with contextlib.suppress(BrokenPipeError), process:
            self._serve(process)

    def _serve(self, process: subprocess.Popen[bytes]) -> None:
        while (order := self._requests.get()) is not None:
            try:
                request, paths = order
                for path, picture in zip(paths, _asked(process, request), strict=True):
                    write_bytes(path, picture)
            except (OSError, DagathlonError) as error:
                self._errors.append(error)
            finally:
                self._settle(order)

    def _settle(self, order: _Order) -> None:
        """Mark a request as finished, successful or not."""
        with self._room:
            self._bytes -= len(order.request)
            self._done += 1
            self._room.notify_all()
            self._on_figure(self._done, self._asked)


def _asked(process: subprocess.Popen[bytes], request: bytes) -> list[bytes]:
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(request)
        process.stdin.flush()
    except BrokenPipeError:
        raise DagathlonError("the process that paints figures has ended") from None
    line = process.stdout.readline()
    if not line:
        raise DagathlonError("the process that paints figures has ended")
    head = json.loads(line)
    if "error" in head:
        raise DagathlonError(f"a figure cannot be drawn: {head['error']}")
    return [process.stdout.read(length) for length in head["lengths"]]

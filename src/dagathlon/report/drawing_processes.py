"""Figures painted in processes of their own, while tables are written here."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any, Self

from dagathlon.errors import DagathlonError
from dagathlon.report import painter
from dagathlon.report.files import write_bytes

# Requests that wait while each painter works; more of them would only fill memory.
_WAITING = 16
# A painter needs about a second to start, as long as these many small figures take.
_WORTH_A_PAINTER = 6


class DrawingProcesses:
    """Takes requests for pictures and writes the files; leaving it waits for all of them.

    Parameters
    ----------
    most
        Number of processes; by default as many as there are cores. With one, the figures are
        painted in this process.
    """

    def __init__(self, most: int | None = None) -> None:
        self._most = len(os.sched_getaffinity(0)) if most is None else most
        self._requests: Queue[tuple[bytes, Sequence[Path]] | None] = Queue(_WAITING)
        self._threads: list[Thread] = []
        self._errors: list[BaseException] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for _ in self._threads:
            self._requests.put(None)
        for thread in self._threads:
            thread.join()
        if self._errors and error[0] is None:
            raise self._errors[0]

    def order(self, request: dict[str, Any], paths: Sequence[Path]) -> None:
        """Have the pictures of a request written, one to each path, some time before the end."""
        if self._most < 2:
            for path, picture in zip(paths, painter.pictures(request), strict=True):
                write_bytes(path, picture)
            return
        waiting = self._requests.qsize()
        if len(self._threads) < min(self._most, 1 + waiting // _WORTH_A_PAINTER):
            self._threads.append(Thread(target=self._work, daemon=True))
            self._threads[-1].start()
        self._requests.put((json.dumps(request).encode() + b"\n", paths))

    def _work(self) -> None:
        """One thread for each process: passes requests on and writes what comes back."""
        command = [sys.executable, "-P", painter.__file__]
        try:
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError as error:
            self._errors.append(error)
            while self._requests.get() is not None:
                pass
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

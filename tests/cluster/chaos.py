"""A dask cluster of processes that come to grief on purpose."""

from __future__ import annotations

import contextlib
import os
import random
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from processes import has_ended

PATIENCE = 120.0
DEEDS = ("kill", "disconnect", "freeze")


class Line:
    """A way from a worker to the scheduler that can be cut: a relay on this machine."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._server, selectors.EVENT_READ)
        self._other: dict[socket.socket, socket.socket] = {}
        self._lock = threading.Lock()
        self._over = False
        self._thread = threading.Thread(target=self._relay, daemon=True)
        self._thread.start()

    def cut(self) -> None:
        """End all connections; new ones can be made."""
        with self._lock:
            for end in list(self._other):
                self._drop(end)

    def close(self) -> None:
        self._over = True
        self._thread.join()
        self.cut()
        self._server.close()

    def _drop(self, end: socket.socket) -> None:
        for each in (end, self._other.pop(end, None)):
            if each is not None:
                self._other.pop(each, None)
                with contextlib.suppress(KeyError, ValueError):
                    self._selector.unregister(each)
                each.close()

    def _relay(self) -> None:
        while not self._over:
            for key, _ in self._selector.select(0.1):
                with self._lock:
                    self._serve(key.fileobj)

    def _serve(self, ready: object) -> None:
        assert isinstance(ready, socket.socket)
        if ready is self._server:
            near, _ = ready.accept()
            far = socket.create_connection(("127.0.0.1", self._target))
            self._other[near], self._other[far] = far, near
            for each in (near, far):
                self._selector.register(each, selectors.EVENT_READ)
        elif ready in self._other:
            try:
                data = ready.recv(1 << 20)
                if data:
                    self._other[ready].sendall(data)
            except OSError:
                data = b""
            if not data:
                self._drop(ready)


class Cluster:
    """A scheduler and workers, each a process of its own; leaving the context kills them all."""

    def __init__(self, folder: Path, workers: int) -> None:
        self._folder = folder
        self._workers: dict[int, subprocess.Popen[bytes]] = {}
        self._frozen: dict[int, float] = {}
        self._log = (folder / "dask.log").open("wb")
        self._number = workers
        self.done: list[str] = []

    def __enter__(self) -> Cluster:
        port = _free_port()
        options = ["--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]
        self._scheduler = self._start("distributed.cli.dask_scheduler", *options)
        self.address = f"tcp://127.0.0.1:{port}"
        _wait_for_port(port)
        self.front = Line(port)
        self._lines = [Line(port) for _ in range(self._number)]
        for slot in range(self._number):
            self._hire(slot)
        return self

    def __exit__(self, *_: object) -> None:
        for process in [*self._workers.values(), self._scheduler]:
            with contextlib.suppress(OSError):
                process.send_signal(signal.SIGCONT)
            process.kill()
            process.wait()
        for line in [self.front, *self._lines]:
            line.close()
        self._log.close()

    def _start(self, module: str, *options: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", module, *options],
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            cwd=self._folder,
        )

    def _hire(self, slot: int) -> None:
        place = self._folder / "workers"
        place.mkdir(exist_ok=True)
        self._workers[slot] = self._start(
            "distributed.cli.dask_worker",
            f"tcp://127.0.0.1:{self._lines[slot].port}",
            *("--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0"),
            *("--host", "127.0.0.1", "--local-directory", str(place)),
        )

    def tend(self) -> None:
        """Start workers that have ended again, and thaw those that were frozen long enough."""
        now = time.monotonic()
        for slot, until in list(self._frozen.items()):
            if now >= until:
                self._workers[slot].send_signal(signal.SIGCONT)
                del self._frozen[slot]
        for slot, process in list(self._workers.items()):
            if process.poll() is not None:
                self._frozen.pop(slot, None)
                self._hire(slot)

    def harm(self, rng: random.Random) -> None:
        """Kill, disconnect or freeze a worker, in turns."""
        slot = rng.randrange(self._number)
        deed = DEEDS[len(self.done) % len(DEEDS)]
        if deed == "kill":
            self._workers[slot].kill()
            self._workers[slot].wait()
        elif deed == "disconnect":
            self._lines[slot].cut()
        else:
            self._workers[slot].send_signal(signal.SIGSTOP)
            self._frozen[slot] = time.monotonic() + rng.choice([1.0, 5.0, 30.0])
        self.done.append(deed)


def orphans(folder: Path) -> list[int]:
    """Processes that have a folder among their arguments."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                if str(folder).encode() in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
    return [pid for pid in found if not has_ended(pid)]


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def _wait_for_port(port: int) -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.1)
    raise TimeoutError(f"nobody listens on port {port}")

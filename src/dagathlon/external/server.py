"""`Server`: a program that initialises once and then does one run after another.

It gets the name of a run's folder in a line of standard input, does in that folder what a program
of one run does, and prints ``@dagathlon ended 0``. It is started before any time limit runs.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from dagathlon.errors import UnavailableError
from dagathlon.external.listening import Listener, read_into
from dagathlon.external.program import ProgramExit, kill
from dagathlon.processes.held_folder import HeldFolder
from dagathlon.processes.usage import (
    descendants,
    high_water,
    peak_memory,
    processor_time,
    resident_now,
    server_time,
)
from dagathlon.pulse import beat

_LOOK_MS = 100


class Server:
    """Server process, and the folder that contains the folders of its runs.

    Attributes
    ----------
    owner
        The process that started it; forks must not use it.
    """

    def __init__(self, command: Sequence[str], variables: Mapping[str, str]) -> None:
        self.owner = os.getpid()
        self._held = HeldFolder()
        self._folder = self._held.path
        self._runs = 0
        self._is_ready = False
        try:
            self._process = subprocess.Popen(
                command,
                cwd=self._folder,
                env={**variables, "TMPDIR": str(self._folder)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
        except BaseException:
            self._held.remove()
            raise
        assert self._process.stdout is not None
        os.set_blocking(self._process.stdout.fileno(), False)

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether the server is running and belongs to this process."""
        return self.owner == os.getpid() and self._process.poll() is None

    def wait_ready(self) -> None:
        """Wait until the server has initialised."""
        if self._is_ready:
            return
        with self._killed_on_error():
            listener = self._read_until(lambda found: found.is_ready)
        if not listener.is_ready:
            ended = self._kill_rest(listener)
            last = ended.output.splitlines()[-1] if ended.output else "it printed nothing"
            raise UnavailableError(f"its server {ended.cause()} before it was ready: {last}")
        self._is_ready = True

    @contextlib.contextmanager
    def new_folder(self) -> Iterator[Path]:
        """Make a folder for a run, and remove it afterwards."""
        self._runs += 1
        folder = self._folder / f"run-{self._runs}"
        folder.mkdir()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def run(self, folder: Path) -> ProgramExit:
        """Do the run of a folder; kill the server if this is interrupted."""
        idle, before = resident_now(self.pid), processor_time(self.pid)
        with self._killed_on_error():
            self._ask(folder.name)
            listener = self._read_until(lambda found: found.ended is not None, idle)
        server_time.add(processor_time(self.pid) - before)
        if listener.ended is None:
            return self._kill_rest(listener)
        code, peak = (*listener.ended, 0)[:2]
        peak_memory.see(max(peak - idle, 0))
        return ProgramExit(code, listener.output())

    def _ask(self, name: str) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # its end is noticed in a moment
            self._process.stdin.write(f"{name}\n".encode())
            self._process.stdin.flush()

    def _read_until(self, is_enough: Callable[[Listener], bool], idle: int = 0) -> Listener:
        """Read output until a condition holds or the server ends."""
        assert self._process.stdout is not None
        listener, stream, end = Listener(), self._process.stdout.fileno(), os.pidfd_open(self.pid)
        poll = select.poll()
        poll.register(stream, select.POLLIN)
        poll.register(end, select.POLLIN)
        try:
            while not is_enough(listener):
                beat(*listener.progress)
                ready = dict(poll.poll(_LOOK_MS))
                for pid in descendants(self.pid):
                    peak_memory.see(max(high_water(pid) - idle, 0))
                if stream in ready and not read_into(listener, stream):
                    poll.unregister(stream)
                if end in ready:
                    read_into(listener, stream)
                    listener.close()
                    break
        finally:
            os.close(end)
        return listener

    @contextlib.contextmanager
    def _killed_on_error(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.close()
            raise

    def _kill_rest(self, listener: Listener) -> ProgramExit:
        """Kill the server's remaining processes and return how it ended."""
        self.close()
        return ProgramExit(self._process.returncode, listener.output())

    def close(self) -> None:
        """Kill the server and all its descendants."""
        if self.owner != os.getpid():
            return
        kill(self._process)
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        self._held.remove()

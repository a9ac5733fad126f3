"""Running a program to its end: what it printed last, how it ended, how much memory it took."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from dagathlon.pulse import beat

_TAIL = 8192
_FIRST_LOOK_MS = 2
_LAST_LOOK_MS = 100


CLEARLY = 1.1
"""The kernel counts memory in steps: what is larger by less than this factor may be the same."""


class Ended(NamedTuple):
    """How a program ended.

    Parameters
    ----------
    code
        The exit code, or minus the number of the signal that killed it.
    output
        The last lines of what it printed, to standard output and error alike.
    """

    code: int
    output: str

    def cause(self) -> str:
        """How it ended, in words."""
        if self.code >= 0:
            return f"ended with exit code {self.code}"
        try:
            return f"was killed by {signal.Signals(-self.code).name}"
        except ValueError:
            return f"was killed by signal {-self.code}"


class PeakMemory:
    """The most memory that any program held since the last `reset`, in bytes.

    The kernel's own account of children begins with what their parent held, and never falls; so
    the running program is looked at as well.
    """

    def __init__(self) -> None:
        self.bytes = 0

    def reset(self) -> None:
        """Begin again."""
        self.bytes = 0

    def see(self, amount: int) -> None:
        """Note an amount of memory."""
        self.bytes = max(self.bytes, amount)


peak_memory = PeakMemory()

MEMORY = "DAGATHLON_MEMORY"
"""Environment variable: bytes that a run may take, where somebody enforces that."""


@contextlib.contextmanager
def memory_limit(amount: int) -> Iterator[None]:
    """Tell programs, by their environment, what the run that starts them may take."""
    os.environ[MEMORY] = str(amount)
    try:
        yield
    finally:
        os.environ.pop(MEMORY, None)


def run_program(
    command: Sequence[str],
    folder: Path,
    variables: Mapping[str, str],
    ends_with_input: bool = False,
) -> Ended:
    """Run a program in a folder and wait for its end; it is killed when this is interrupted.

    It stays in the process group of the caller, so that whoever ends the group ends it too.
    """
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={**variables, "TMPDIR": str(folder)},
        stdin=subprocess.PIPE if ends_with_input else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        with contextlib.ExitStack() as stack:
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    stack.enter_context(stream)
            output = _watch(process)
            return Ended(_code(process), output.decode("utf-8", "replace").strip())
    except BaseException:
        _kill(process)
        raise


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a program and all it has started."""
    started = list(descendants(process.pid))
    process.kill()
    for pid in started:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    process.wait()


def descendants(pid: int) -> Iterator[int]:
    """Processes that a process has started, directly or not."""
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return
    for thread in threads:
        try:
            with open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as file:
                children = [int(child) for child in file.read().split()]
        except OSError:
            continue
        for child in children:
            yield child
            yield from descendants(child)


def _watch(process: subprocess.Popen[bytes]) -> bytes:
    """Read what it prints until it ends, and keep an eye on its memory."""
    assert process.stdout is not None
    stream = process.stdout.fileno()
    os.set_blocking(stream, False)
    end = os.pidfd_open(process.pid)
    output = b""
    poll = select.poll()
    poll.register(stream, select.POLLIN)
    poll.register(end, select.POLLIN)
    pause = _FIRST_LOOK_MS
    try:
        while True:
            beat()
            ready = dict(poll.poll(pause))
            pause = min(2 * pause, _LAST_LOOK_MS)
            peak_memory.see(_high_water(process.pid))
            if stream in ready:
                output, is_open = _read(stream, output)
                if not is_open:
                    poll.unregister(stream)
            if end in ready:
                return _read(stream, output)[0]
    finally:
        os.close(end)


def _read(stream: int, output: bytes) -> tuple[bytes, bool]:
    """What has been printed so far, and whether there may be more."""
    with contextlib.suppress(BlockingIOError):
        for _ in range(1024):
            read = os.read(stream, 65536)
            if not read:
                return output, False
            output = (output + read)[-_TAIL:]
    return output, True


def _code(process: subprocess.Popen[bytes]) -> int:
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if usage.ru_maxrss * 1024 > CLEARLY * _high_water("self"):
        peak_memory.see(usage.ru_maxrss * 1024)
    return process.returncode


def _high_water(pid: int | str) -> int:
    """The most memory that a process has held since it became the program it is, in bytes."""
    with contextlib.suppress(OSError, ValueError):
        status = Path(f"/proc/{pid}/status").read_bytes()
        begin = status.index(b"VmHWM:") + 6
        return int(status[begin : status.index(b"kB", begin)]) * 1024
    return 0

"""Running a program to completion: last output, exit code, peak memory."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from dagathlon.external.listening import Listener, read_into
from dagathlon.processes.usage import CLEARLY, descendants, high_water, peak_memory
from dagathlon.pulse import beat

_FIRST_LOOK_MS = 2
_LAST_LOOK_MS = 100


class ProgramExit(NamedTuple):
    """Exit of a program: code, last output and memory.

    Parameters
    ----------
    code
        The exit code, or minus the number of the signal that killed it.
    output
        The last lines of its standard output and error.
    """

    code: int
    output: str

    def cause(self) -> str:
        """Describe the exit in words."""
        if self.code >= 0:
            return f"ended with exit code {self.code}"
        try:
            return f"was killed by {signal.Signals(-self.code).name}"
        except ValueError:
            return f"was killed by signal {-self.code}"


def run_program(
    command: Sequence[str],
    folder: Path,
    variables: Mapping[str, str],
    ends_with_input: bool = False,
) -> ProgramExit:
    """Run a program in a folder to completion; kill it if this is interrupted.

    It stays in the process group of the caller, so that ending the group ends it too.
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
            listener = _watch(process)
            return ProgramExit(_code(process), listener.output())
    except BaseException:
        kill(process)
        process.wait()
        raise


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a program and all its descendants, without waiting for it."""
    started = list(descendants(process.pid))
    process.kill()
    for pid in started:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)


def _watch(process: subprocess.Popen[bytes]) -> Listener:
    """Read a program's output until it ends, sampling its memory."""
    assert process.stdout is not None
    stream = process.stdout.fileno()
    os.set_blocking(stream, False)
    end = os.pidfd_open(process.pid)
    listener = Listener()
    poll = select.poll()
    poll.register(stream, select.POLLIN)
    poll.register(end, select.POLLIN)
    pause = _FIRST_LOOK_MS
    try:
        while True:
            beat(*listener.progress)
            ready = dict(poll.poll(pause))
            pause = min(2 * pause, _LAST_LOOK_MS)
            peak_memory.see(high_water(process.pid))
            if stream in ready and not read_into(listener, stream):
                poll.unregister(stream)
            if end in ready:
                read_into(listener, stream)
                listener.close()
                return listener
    finally:
        os.close(end)


def _code(process: subprocess.Popen[bytes]) -> int:
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if usage.ru_maxrss * 1024 > CLEARLY * high_water("self"):
        peak_memory.see(usage.ru_maxrss * 1024)
    return process.returncode

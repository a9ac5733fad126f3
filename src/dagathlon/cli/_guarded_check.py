"""Conformance checks of a module in a child process, which may crash or hang.

The child is ``python -m dagathlon.cli._guarded_check``; it says on a pipe what it checks next and
what it found, one JSON value in each line. Its parent watches the clock and its memory.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import IO, Any, cast

from dagathlon.cli._checks import CHECKS
from dagathlon.errors import DagathlonError, UnavailableError
from dagathlon.modules import Kind, modules
from dagathlon.processes.usage import descendants
from dagathlon.study.engine.limits import resident
from dagathlon.study.engine.resources import Share
from dagathlon.study.engine.worker import die_with, output_tail

_LOOK_SECONDS = 0.1
# Python, NumPy and all modules are loaded before the first check.
_START_SECONDS = 60.0
_NOTHING_YET = "before its first check"


@dataclass
class _Heard:
    """Messages received from the child process."""

    checking: str = _NOTHING_YET
    since: float = field(default_factory=time.monotonic)
    problems: list[str] | None = None
    unavailable: str = ""

    def take(self, message: Mapping[str, Any]) -> None:
        if "check" in message:
            self.checking, self.since = message["check"], time.monotonic()
        self.unavailable = message.get("unavailable", "")
        self.problems = message.get("problems", self.problems)


def guarded_problems(name: str, seconds: float, memory: int, kind: Kind = "algorithm") -> list[str]:
    """Run `problems_of` in a child process; return its problems, or how the process failed.

    Parameters
    ----------
    name
        The module.
    seconds
        Time limit of each run on small data.
    memory
        Memory limit of the process, in bytes.
    kind
        Kind of the module.
    """
    with tempfile.TemporaryFile() as output:
        reader, writer = os.pipe()
        arguments = [name, str(seconds), str(writer), str(os.getpid()), kind]
        process = subprocess.Popen(
            [sys.executable, "-m", "dagathlon.cli._guarded_check", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=(writer,),
            start_new_session=True,
            env={**os.environ, **Share().variables()},
        )
        os.close(writer)
        try:
            with open(reader, "rb", buffering=0) as messages:
                heard, end = _watched(process, messages, seconds, memory)
            code = process.wait() if not end else 0
        finally:
            _kill(process)
        return _judged(heard, end, code, output_tail(output.fileno()))


def _watched(
    process: subprocess.Popen[bytes], messages: IO[bytes], seconds: float, memory: int
) -> tuple[_Heard, str]:
    """Return the child's messages and why it was killed; empty when it ended normally."""
    heard, rest = _Heard(), b""
    while True:
        if select.select([messages], [], [], _LOOK_SECONDS)[0]:
            read = messages.read(65536)
            if not read:
                return heard, ""
            *lines, rest = (rest + read).split(b"\n")
            for line in lines:
                heard.take(json.loads(line))
        limit = _START_SECONDS + seconds if heard.checking == _NOTHING_YET else seconds
        if time.monotonic() - heard.since > limit:
            return heard, f"it did not end within {seconds:g} s"
        if resident(process.pid) > memory:
            return heard, f"it took more than {memory / 2**20:,.0f} MB of memory"
        if process.poll() is not None and not select.select([messages], [], [], 0)[0]:
            return heard, ""  # a program that it left behind holds the pipe open


def _judged(heard: _Heard, end: str, code: int, output: str) -> list[str]:
    if heard.unavailable:
        raise UnavailableError(heard.unavailable)
    if heard.problems is not None and not end:
        return heard.problems
    last = f"; its last output:\n{output}" if output else ""
    return [f"{heard.checking}: {end or _ended(code)}{last}"]


def _ended(code: int) -> str:
    """Describe the exit code of a process that ended unexpectedly."""
    if code >= 0:
        return f"it ended the program with exit code {code}"
    try:
        return f"it was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"it was killed by signal {-code}"


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and its descendants."""
    if process.poll() is None:
        # It must not go on when what it waits for has ended, nor start anything more.
        with contextlib.suppress(OSError):
            os.kill(process.pid, signal.SIGSTOP)
    for pid in list(descendants(process.pid)):
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def main() -> None:
    """Check a module; arguments: name, seconds, file descriptor, parent, kind."""
    name, seconds, writer, parent = sys.argv[1], float(sys.argv[2]), *map(int, sys.argv[3:5])
    kind = cast(Kind, sys.argv[5])
    die_with(parent)
    faulthandler.enable()
    os.set_inheritable(writer, False)

    modules(kind)  # imports them all, before any clock runs

    def say(**message: Any) -> None:
        os.write(writer, json.dumps(message).encode() + b"\n")

    try:
        problems = CHECKS[kind](name, seconds=seconds, on_check=lambda what: say(check=what))
    except UnavailableError as error:
        say(unavailable=str(error))
    except DagathlonError as error:
        say(problems=[str(error)])
    else:
        say(problems=problems)
    sys.stdout.flush()
    os._exit(0)  # threads that the learner left behind would keep the process alive


if __name__ == "__main__":
    main()

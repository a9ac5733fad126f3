"""The engine's side of one worker process: start, feed, watch and end it."""

from __future__ import annotations

import contextlib
import fcntl
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import IO, NamedTuple

from dagathlon.processes.usage import descendants, tree_time
from dagathlon.study.engine.channel import Inbox, Slot
from dagathlon.study.engine.limits import Limited, resident, taken_by
from dagathlon.study.engine.messages import GarbledError, Message, NewCall, Order, Report, frame
from dagathlon.study.engine.resources import Share
from dagathlon.study.engine.worker import NO_PIPE, output_tail
from dagathlon.study.plan.task import Call, Limits, Task
from dagathlon.study.store.objects import Payload

_PIPE_SIZE = 1 << 20
_MAX_OUTPUT = 16 << 20
# Seconds without any computing after which a worker stands still: with orders that it does not
# read, and at one that it has not begun, for which programs may be installed.
_UNREAD, _UNBEGUN = 60.0, 3600.0
# The same for one that computes, which no task does before it begins or after its end.
_LONGEST = 6 * 3600.0
# Seconds from the end of a dying worker's pipe to its own end.
_DYING = 3.0


class Guardian:
    """A process that kills the workers if the engine dies (`guardian.py`)."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        script = Path(__file__).with_name("guardian.py")
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd="/",
        )

    def watch(self, group: int) -> None:
        """Add a process group to kill if the engine dies."""
        self._tell(f"+{group}\n")

    def forget(self, group: int) -> None:
        """Remove a process group that has ended."""
        self._tell(f"-{group}\n")

    def dismiss(self) -> None:
        """End the guardian."""
        assert self._process.stdin is not None
        with self._lock, contextlib.suppress(OSError):
            self._process.stdin.close()
        self._process.wait()

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        # Others may still end a worker when the guardian is dismissed, and then there is no pipe.
        with self._lock, contextlib.suppress(OSError, ValueError):
            os.write(self._process.stdin.fileno(), line.encode())


class Quiet:
    """Silence of a process: seconds since its last message, and CPU time used meanwhile.

    Parameters
    ----------
    pid
        Process id.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._computed = 0.0
        self._start = time.monotonic()
        self.begin()

    def begin(self) -> None:
        """Restart the count: a message arrived or a task was sent."""
        self._since = time.monotonic()
        self.works()

    def works(self) -> None:
        """Note that a task is running, whose limits are enforced elsewhere."""
        self._idle_since = self._still_since = time.monotonic()

    def age(self) -> float:
        """Seconds since the process was started."""
        return time.monotonic() - self._start

    def elapsed(self) -> float:
        """Seconds since the last message or assignment."""
        return time.monotonic() - self._since

    def lasts(self, seconds: float) -> bool:
        """Whether the process has used no CPU time for `seconds`; stateful, to be polled.

        One that has been at no task for `_LONGEST` seconds counts as such even if it
        computes.
        """
        now = time.monotonic()
        if now - self._idle_since > _LONGEST:
            return True
        if now - self._still_since < seconds:
            return False
        computed = tree_time(self._pid)
        if computed == self._computed:
            return True
        self._computed = computed
        self._still_since = now
        return False


class Assignment(NamedTuple):
    """A task for a worker: position in the plan, inputs, limits, expected time.

    Beside these the calls of others on the same data that share work with it, and how many
    cores it may use that are not the worker's own.
    """

    position: int
    task: Task
    inputs: tuple[Payload, ...]
    limits: Limits
    expected: float
    company: tuple[Call, ...] = ()
    more: int = 0


class WorkerProcess:
    """One worker process.

    Parameters
    ----------
    objects
        The folder of large inputs.
    scratch
        Folder in which it gets a working folder.
    guardian
        Kills it if the engine dies.
    shape
        Number of the shape of its tasks.
    share
        Its cores and cards.
    variables
        Further environment variables.

    Attributes
    ----------
    outstanding
        Tasks sent and not reported: position and expected seconds.
    load
        Sum of those seconds.
    is_up
        Whether it has started and accepts tasks.
    shared_data
        Position of the last data set on which it shares work between learners.
    cores
        Number of cores that its tasks use; 0 without tasks.
    garbled
        Whether its pipe contained bytes that are no message, so that it must end.
    cut_off
        Whether its process lost the pipe that the engine has open (`check_end`).
    """

    def __init__(
        self,
        objects: Path,
        scratch: Path,
        guardian: Guardian,
        shape: int,
        share: Share,
        *,
        variables: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.shape = shape
        self.share = share
        self._guardian = guardian
        self._own_folder = _own_folder(scratch)
        self._output: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - it lives with us
        flags = fcntl.fcntl(self._output, fcntl.F_GETFL)
        fcntl.fcntl(self._output, fcntl.F_SETFL, flags | os.O_APPEND)
        commands, self.write_fd = os.pipe()
        self.read_fd, reports = os.pipe()
        slot = Slot.create()
        self.slot = Slot(slot)
        arguments = [str(fd) for fd in (commands, reports, slot)]
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "dagathlon.study.engine.worker",
                *arguments,
                str(os.getpid()),
                str(objects.resolve()),
            ],
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=self._output,
            pass_fds=(commands, reports, slot),
            start_new_session=True,
            cwd=self._own_folder,
            env={**os.environ, **variables, **share.variables(), "TMPDIR": self._own_folder},
        )
        for fd in (commands, reports, slot):
            os.close(fd)
        guardian.watch(self.pid)
        _unblock(self.read_fd, self.write_fd)
        self._inbox = Inbox(self.read_fd)
        self._outbox = bytearray()
        self._calls: dict[bytes, int] = {}
        self._batch = 0
        self._revoked = 0
        self._taken_back: set[int] = set()
        self._seen = (-1, 0.0)
        self._counted, self._before = -1, 0.0
        self._quiet = Quiet(self.pid)
        self.garbled = self.cut_off = False
        self.outstanding: dict[int, float] = {}
        self.load = 0.0
        self.is_up = False
        self.shared_data: int | None = None
        self.cores = share.threads

    @property
    def pid(self) -> int:
        """Process id, also the id of its process group."""
        return self._process.pid

    @property
    def has_mail(self) -> bool:
        """Whether bytes are still to be written to it."""
        return bool(self._outbox)

    def assign(self, assignments: Sequence[Assignment]) -> None:
        """Send tasks."""
        self._batch += 1
        if not self.outstanding:
            self.cores = 0
            self._quiet.begin()
        for each in assignments:
            number = self._number(each.task.call)
            company = tuple(self._number(call) for call in each.company)
            amounts = (each.limits.time, each.limits.memory, each.limits.cpu)
            inputs = tuple((source.digest, source.size, source.inline) for source in each.inputs)
            fields = (self._batch, each.position, each.task.random_key, number, inputs)
            threads = self.share.threads + each.more
            self._outbox += frame(Order(*fields, *amounts, company, threads))
            self.cores = max(self.cores, threads)
            self.outstanding[each.position] = each.expected
            self.load += each.expected
        self.flush()

    def hold(self, data: int | None) -> None:
        """Record the data set on which it shares work; None for none."""
        if data is not None:
            self.shared_data = data

    def _number(self, call: Call) -> int:
        """Return the worker's number of a call; a new call is sent first."""
        number = self._calls.get(call.digest)
        if number is None:
            number = self._calls[call.digest] = len(self._calls)
            self._outbox += frame(NewCall(number, call))
        return number

    def settle(self, position: int) -> None:
        """Remove a task from its list."""
        if self._seen[0] == position:
            self._seen = (-1, 0.0)
            self._counted = -1
        self._taken_back.discard(position)
        self.load -= self.outstanding.pop(position, 0.0)
        if not self.outstanding:
            self.load = 0.0

    def flush(self) -> None:
        """Write as many bytes as the pipe accepts."""
        with contextlib.suppress(BlockingIOError, BrokenPipeError):
            while self._outbox:
                del self._outbox[: os.write(self.write_fd, self._outbox)]

    def receive(self) -> tuple[list[Message], bool]:
        """Return received messages, and whether the worker's end of the pipe is open.

        Bytes that are no message count as its end.
        """
        is_open = True
        messages: list[Message] = []
        try:
            while is_open:
                is_open = self._inbox.fill()
        except BlockingIOError:
            pass
        try:
            for message in self._inbox.messages():
                messages.append(self._checked(message))
        except GarbledError:
            self.garbled = True
        if messages:
            self._quiet.begin()
        return messages, is_open and not self.garbled

    def _checked(self, message: Message) -> Message:
        """Return a report; impossible times are replaced by our own measurement."""
        if not isinstance(message, Report):
            return message
        if not (0 <= message.wall <= self._quiet.age() and 0 <= message.cpu < math.inf):
            wall = self._quiet.elapsed()
            message = message._replace(wall=wall, cpu=min(wall, tree_time(self.pid)))
        return message._replace(memory=max(message.memory, 0))

    def present(self) -> tuple[int, float]:
        """Return its present task (−1: none) and when its clock started (0: stopped).

        A module can write to this slot. So a task that it was not given is none, and a
        clock neither runs ahead nor starts anew.
        """
        position, start = self.slot.read()
        if position not in self.outstanding and position not in self._taken_back:
            return -1, 0.0
        if start:
            start = min(start, time.monotonic())
            seen, earlier = self._seen
            if seen == position:
                start = min(start, earlier)
            self._seen = (position, start)
            self._quiet.works()
        return position, start

    def computed(self) -> float:
        """CPU seconds of its present task, descendants included."""
        now = tree_time(self.pid)
        if self._counted != self._seen[0]:
            spent = self.slot.spent  # that it cannot be more than now is known without it
            self._counted = self._seen[0]
            self._before = max(min(spent, now), 0.0) if math.isfinite(spent) else now
        return now - self._before

    def stands_still(self) -> bool:
        """Whether it has tasks, runs none of them and has used no CPU time for long."""
        if self.slot.revoked != self._revoked:  # it believes what a module has written there
            return True
        position, start = self.present()
        if start or not (self.outstanding or not self.is_up):
            return False
        return self._quiet.lasts(_UNREAD if position < 0 and self.is_up else _UNBEGUN)

    def check_end(self) -> None:
        """After the end of its pipe, determine whether the process ends, too.

        One that does not, or that found its own end of the pipe closed, was cut off by a module
        that closed or replaced descriptors of others.
        """
        if not self.garbled:
            try:
                self.cut_off = self._process.wait(_DYING) == NO_PIPE
            except subprocess.TimeoutExpired:
                self.cut_off = True

    def has_ended(self) -> bool:
        """Whether the process has ended; descendants may still hold its pipes open."""
        return self._process.poll() is not None

    def take_back(self) -> list[int]:
        """Revoke the tasks behind the present one; return their positions.

        The worker may just be beginning one of them; then it is done twice, with the same
        result.
        """
        present, _ = self.present()
        self.slot.revoked = self._revoked = self._batch
        waiting = [position for position in self.outstanding if position != present]
        for position in waiting:
            self.settle(position)
        self._taken_back.update(waiting)
        return waiting

    def tail(self) -> str:
        """Return the last lines it printed."""
        return output_tail(self._output.fileno())

    def bound_output(self) -> None:
        """Truncate its output file, so that it cannot fill the disk."""
        if os.fstat(self._output.fileno()).st_size > _MAX_OUTPUT:
            os.ftruncate(self._output.fileno(), 0)

    def memory(self) -> int:
        """Memory of the worker and its descendants, in bytes."""
        return resident(self.pid)

    def taken(self, limit: int) -> Limited:
        """Return the memory of its present task, descendants included."""
        return taken_by(self.pid, self.slot.held, limit)

    def kill(self) -> None:
        """Kill it and its descendants."""
        started = list(descendants(self.pid))
        with contextlib.suppress(OSError):
            os.killpg(self.pid, signal.SIGKILL)
        for pid in started:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)

    def wait(self) -> int:
        """Wait for its end; return the exit code, or minus the signal."""
        return self._process.wait()

    def close(self) -> None:
        """Release an ended worker and kill what it left running."""
        self.kill()
        self._guardian.forget(self.pid)
        for fd in (self.read_fd, self.write_fd):
            os.close(fd)
        self._output.close()
        shutil.rmtree(self._own_folder, ignore_errors=True)


def _unblock(read_fd: int, write_fd: int) -> None:
    """Make both ends nonblocking, and the pipe that is read as wide as allowed."""
    os.set_blocking(write_fd, False)
    os.set_blocking(read_fd, False)
    with contextlib.suppress(OSError, AttributeError):
        fcntl.fcntl(read_fd, fcntl.F_SETPIPE_SZ, _PIPE_SIZE)


def _own_folder(scratch: Path) -> str:
    """Make and return a working folder that no other process uses."""
    return tempfile.mkdtemp(dir=scratch.resolve())

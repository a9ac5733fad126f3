"""The worker process: reads tasks from a pipe, runs them in order, sends back reports.

It is started by the engine as ``python -m dagathlon.study.engine.worker``. Standard output and
error are a file that the engine reads only when something goes wrong, so a module may print what it
likes.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import faulthandler
import gc
import itertools
import os
import signal
import sys
from collections import deque
from collections.abc import Sequence
from pathlib import Path

from dagathlon.errors import KilledError
from dagathlon.study.engine.channel import Inbox, Slot
from dagathlon.study.engine.messages import (
    Lost,
    Message,
    NewCall,
    Order,
    Report,
    Unkept,
    Up,
    frame,
)
from dagathlon.study.engine.perform import (
    LostInputError,
    Performed,
    RecentInputs,
    failure,
    gathered,
    no_room,
    perform,
)
from dagathlon.study.engine.private_paths import without_private_paths
from dagathlon.study.plan.task import Call, Limits
from dagathlon.study.store.codec import Bytes
from dagathlon.study.store.objects import INLINE, Objects, Payload, fingerprint, write_pieces

TAIL = 4096
NO_PIPE = 79
"""Exit code of a worker that has come to the end of its pipe."""
# What a task can do to its own process; any other failure to write lies with the disk.
_OF_THE_PROCESS = {errno.EFBIG, errno.EMFILE, errno.ENFILE, errno.ENOMEM}


class Worker:
    """Main loop of a worker process.

    It has no index of a store open, which a module could damage: an order brings small inputs
    with it, and large ones are files that are only read.

    Parameters
    ----------
    commands, reports, slot
        File descriptors.
    objects
        The files of large inputs.
    folder
        Folder in which large results are left for the engine.
    """

    def __init__(
        self, commands: int, reports: int, slot: int, objects: Objects, folder: Path
    ) -> None:
        self._inbox = Inbox(commands)
        self._reports = reports
        self._slot = Slot(slot)
        self._objects = objects
        self._payloads: dict[bytes, Payload] = {}
        self._inputs = RecentInputs(self._stored)
        self._folder = folder
        self._numbers = itertools.count()
        self._calls: dict[int, Call] = {}
        self._orders: deque[Order] = deque()
        self._worn_out = False

    def run(self) -> int:
        """Work until the engine closes the pipe, or this process should be replaced.

        Returns
        -------
        int
            The exit code: `NO_PIPE` at the end of the pipe, which the engine may have open still.
        """
        self._send(Up())
        while not self._worn_out:
            while not self._orders:
                if not self._inbox.fill():
                    return NO_PIPE
                self._sort_mail()
            order = self._orders.popleft()
            if order.batch > self._slot.revoked:
                self._slot.prepare(order.position)
                self._send(self._done(order))
                self._slot.idle()
        return 0

    def _sort_mail(self) -> None:
        for message in self._inbox.messages():
            if isinstance(message, Order):
                self._orders.append(message)
            elif isinstance(message, NewCall):
                self._calls[message.number] = message.call

    def _stored(self, digest: bytes) -> Bytes:
        """Return an encoded input of the present order by its hash."""
        return self._objects.read(self._payloads[digest])

    def _send(self, message: Message) -> None:
        data = memoryview(frame(message))
        while data:
            data = data[os.write(self._reports, data) :]

    def _done(self, order: Order) -> Report | Lost | Unkept:
        forget_output()
        self._payloads = {each[0]: Payload(*each) for each in order.inputs}
        try:
            inputs = gathered([each[0] for each in order.inputs], self._inputs)
        except LostInputError as error:
            return Lost(order.position, error.place, str(error))
        limits = Limits(order.time, order.memory, order.cpu)
        call = self._calls[order.call]
        company = [self._calls[number] for number in order.company]
        task = (call, order.key, inputs, limits, self._slot)
        done = perform(*task, company=company, threads=order.threads)
        self._worn_out |= done.leaves_marks
        if done.stored is None:
            if reason := no_room(call, done.error):
                return Unkept(order.position, reason)
            return self._failed(order, done)
        try:
            return self._delivered(order, done, done.stored)
        except OSError as error:
            if error.errno not in _OF_THE_PROCESS:
                return Unkept(order.position, error.strerror or str(error))
            return self._failed(order, failure(error, limits))

    def _delivered(self, order: Order, done: Performed, pieces: Sequence[Bytes]) -> Report:
        """Return the report of a success; a large result is left in a file, uncopied."""
        result = done.outcome
        costs = (result.wall, result.cpu, result.memory)
        digest, size = fingerprint(pieces)
        content, file = None, ""
        if size <= INLINE:
            content = b"".join(pieces)
        else:
            path = self._folder / f"result-{next(self._numbers)}"
            write_pieces(path, pieces)
            file = str(path)
        fields = (order.position, "ok", "", result.detail)
        return Report(*fields, *costs, digest, size, content, file)

    def _failed(self, order: Order, done: Performed) -> Report:
        self._worn_out |= done.leaves_marks
        result = done.outcome
        detail = result.detail
        if detail:
            flush_output()
            detail = with_output(detail, output_tail(2))
        costs = (result.wall, result.cpu, result.memory)
        fields = (result.status.value, result.reason, detail)
        killed = isinstance(done.error, KilledError)
        return Report(order.position, *fields, *costs, killed=killed)


def with_output(text: str, tail: str) -> str:
    """Return a traceback followed by the last printed lines."""
    return f"{text}\n--- last output ---\n{tail}".strip() if tail else text


def output_tail(fd: int) -> str:
    """Return the last lines printed to the file of standard error."""
    with contextlib.suppress(OSError):
        size = os.fstat(fd).st_size
        data = os.pread(fd, TAIL, max(size - TAIL, 0))
        text = data.decode("utf-8", "replace").replace("\0", "").strip()
        return without_private_paths(text)
    return ""


def forget_output() -> None:
    """Truncate the file of standard output and error for the next task."""
    with contextlib.suppress(OSError):
        if os.fstat(2).st_size:
            os.ftruncate(2, 0)


def flush_output() -> None:
    """Flush Python's output buffers."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()


def die_with(parent: int) -> None:
    """Ask the kernel to kill this process when the engine dies, and first when memory runs out.

    When memory runs out the kernel should choose a worker, never the engine.
    """
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # 1 is PR_SET_PDEATHSIG
    if os.getppid() != parent:
        os._exit(1)
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


def main() -> None:
    """Start a worker: file descriptors, the engine's process, and the folder of large inputs."""
    commands, reports, slot, parent = map(int, sys.argv[1:5])
    objects = Objects(Path(sys.argv[5]))
    die_with(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    faulthandler.enable()
    for fd in (commands, reports, slot):
        os.set_inheritable(fd, False)
    worker = Worker(commands, reports, slot, objects, Path.cwd())
    os.close(slot)
    gc.freeze()
    code = worker.run()
    flush_output()
    os._exit(code)  # threads that a module left behind would keep the process alive


if __name__ == "__main__":
    main()

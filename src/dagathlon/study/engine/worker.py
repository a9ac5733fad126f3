"""The worker process: reads tasks from a pipe, does them one by one, sends back what came of it.

It is started by the engine as ``python -m dagathlon.study.engine.worker``. Standard output and
error are a file that the engine reads only when something goes wrong, so a module may print what
it likes.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import faulthandler
import gc
import os
import signal
import sys
import traceback
from collections import OrderedDict, deque
from pathlib import Path
from typing import Any, NamedTuple

from dagathlon.errors import DagathlonError, UnavailableError
from dagathlon.modules import modules
from dagathlon.study.engine.channel import Inbox, Slot, frame
from dagathlon.study.engine.execute import execute, prepare
from dagathlon.study.engine.limits import Meter, Usage, address_space
from dagathlon.study.plan.task import Call, Status, random_stream
from dagathlon.study.store.codec import CodecError
from dagathlon.study.store.objects import DamagedError, Payload, UnwritableError
from dagathlon.study.store.store import Store

TAIL = 4096
_TRACEBACK = 8192
_REASON = 300
_CACHED = 8
_EXHAUSTED = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EMFILE, errno.ENFILE, errno.ENOMEM}


class Order(NamedTuple):
    """A task as the engine sends it; the call was sent before, under a number."""

    batch: int
    position: int
    key: bytes
    call: int
    inputs: tuple[bytes, ...]
    memory: int | None


class Report(NamedTuple):
    """What came of a task."""

    position: int
    status: str
    reason: str
    detail: str
    usage: Usage
    payload: Payload | None


class Lost(NamedTuple):
    """A task could not begin because the result at `place` among its inputs is not usable."""

    position: int
    place: int
    reason: str


class Unkept(NamedTuple):
    """A task was done and the store has no room for its result."""

    position: int
    reason: str


_NOTHING = Usage(0.0, 0.0, 0)


class Worker:
    """The loop of a worker process."""

    def __init__(self, commands: int, reports: int, slot: int, folder: Path) -> None:
        self._inbox = Inbox(commands)
        self._reports = reports
        self._slot = Slot(slot)
        self._store = Store(folder, readonly=True)
        self._calls: dict[int, Call] = {}
        self._orders: deque[Order] = deque()
        self._inputs: OrderedDict[bytes, Any] = OrderedDict()
        self._meter = Meter()
        self._worn_out = False

    def run(self) -> None:
        """Work until the engine closes the pipe, or until this process is worn out."""
        modules("algorithm")  # imports them all, before any clock runs
        self._send(())
        while not self._worn_out:
            while not self._orders:
                if not self._inbox.fill():
                    return
                self._sort_mail()
            order = self._orders.popleft()
            if order.batch > self._slot.revoked:
                self._slot.prepare(order.position)
                self._send(self._done(order))
                self._slot.idle()

    def _sort_mail(self) -> None:
        for message in self._inbox.messages():
            if isinstance(message, tuple) and len(message) == 2:
                number, call = message
                self._calls[number] = call
            else:
                self._orders.extend(Order(*order) for order in message)

    def _send(self, message: Report | Lost | Unkept | tuple[()]) -> None:
        data = memoryview(frame(tuple(message)))
        while data:
            data = data[os.write(self._reports, data) :]

    def _done(self, order: Order) -> Report | Lost | Unkept:
        forget_output()
        inputs = []
        for index, key in enumerate(order.inputs):
            try:
                inputs.append(self._input(key))
            except KeyError:
                return Lost(order.position, index, "an input is not in the store")
            except DamagedError as error:
                return Lost(order.position, index, str(error))
        return self._attempt(order, inputs)

    def _input(self, key: bytes) -> Any:
        """The result of an earlier task; the last few are kept at hand."""
        if key in self._inputs:
            self._inputs.move_to_end(key)
        else:
            self._inputs[key] = self._store.read(key)
            if len(self._inputs) > _CACHED:
                self._inputs.popitem(last=False)
        return self._inputs[key]

    def _attempt(self, order: Order, inputs: list[Any]) -> Report | Unkept:
        call = self._calls[order.call]
        rng = random_stream(order.key)
        usage = _NOTHING
        try:
            prepare(call)
            self._meter.start()
            self._slot.start_clock()
            try:
                with address_space(order.memory):
                    result = execute(call, rng, inputs)
            finally:
                self._slot.stop_clock()
                usage = self._meter.stop()
            payload = self._store.objects.keep(result)
        except UnwritableError as error:
            return Unkept(order.position, str(error))
        except BaseException as error:
            return self._failed(order, error, usage)
        return Report(order.position, Status.OK.value, "", "", usage, payload)

    def _failed(self, order: Order, error: BaseException, usage: Usage) -> Report:
        status, reason = judged(error, order.memory)
        if status is Status.SKIPPED:
            return Report(order.position, status.value, reason, "", _NOTHING, None)
        self._worn_out = leaves_marks(error)
        written = "".join(traceback.format_exception(error))[-_TRACEBACK:]
        flush_output()
        detail = with_output(written, output_tail(2))
        return Report(order.position, status.value, reason, detail, usage, None)


def judged(error: BaseException, memory: int | None) -> tuple[Status, str]:
    """The status and the one line that an exception amounts to."""
    if isinstance(error, UnavailableError):
        return Status.SKIPPED, str(error)
    if isinstance(error, MemoryError):
        return Status.MEMORY, memory_reason(memory)
    if isinstance(error, SystemExit):
        return Status.ERROR, f"it tried to end the program (exit code {error.code})"
    text = " ".join(str(error).split())
    known = isinstance(error, DagathlonError) and not isinstance(error, CodecError)
    if known and text:
        return Status.ERROR, text[:_REASON]
    return Status.ERROR, f"{type(error).__name__}: {text}"[:_REASON]


def memory_reason(memory: int | None) -> str:
    """The one line of a task that needed more memory than it may have."""
    if memory is None:
        return "there was not enough memory"
    return f"it needed more than {memory / 2**20:,.0f} MB of memory"


def leaves_marks(error: BaseException) -> bool:
    """Whether the process should not be trusted with another task after this."""
    if isinstance(error, OSError):
        return error.errno in _EXHAUSTED
    return not isinstance(error, Exception) or isinstance(error, MemoryError)


def with_output(text: str, tail: str) -> str:
    """A traceback followed by what was printed last."""
    return f"{text}\n--- last output ---\n{tail}".strip() if tail else text


def output_tail(fd: int) -> str:
    """The last lines that were printed to the file of standard error."""
    with contextlib.suppress(OSError):
        size = os.fstat(fd).st_size
        data = os.pread(fd, TAIL, max(size - TAIL, 0))
        return data.decode("utf-8", "replace").replace("\0", "").strip()
    return ""


def forget_output() -> None:
    """Empty the file of standard output and error: from here on it belongs to the next task."""
    with contextlib.suppress(OSError):
        if os.fstat(2).st_size:
            os.ftruncate(2, 0)


def flush_output() -> None:
    """Write out what Python holds back."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()


def die_with(parent: int) -> None:
    """Ask the kernel to kill this process when the engine dies, and be the first to go.

    When memory runs out the kernel should choose a worker, never the engine.
    """
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # 1 is PR_SET_PDEATHSIG
    if os.getppid() != parent:
        os._exit(1)
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


def main() -> None:
    """Take up work: the arguments are file descriptors, the store and the engine's process."""
    commands, reports, slot = map(int, sys.argv[1:4])
    folder, parent = Path(sys.argv[4]), int(sys.argv[5])
    die_with(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    faulthandler.enable()
    for fd in (commands, reports, slot):
        os.set_inheritable(fd, False)
    worker = Worker(commands, reports, slot, folder)
    gc.freeze()
    worker.run()
    flush_output()
    os._exit(0)  # threads that a module left behind would keep the process alive


if __name__ == "__main__":
    main()

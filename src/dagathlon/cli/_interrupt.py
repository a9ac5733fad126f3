"""Ctrl-C and time limits during native code, which delays Python's signal handlers."""

from __future__ import annotations

import contextlib
import math
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from dagathlon.cli._exit_codes import INTERRUPTED, USER_ERROR
from dagathlon.errors import DagathlonError
from dagathlon.learners.run import limit_words
from dagathlon.processes.usage import descendants, tree_time

# So long does Python have to end things in order: programs that it started, folders to remove.
_GRACE_SECONDS = 1.0
# An alarm in no time at all would be no alarm.
_LEAST_SECONDS = 0.001
_LOOK_SECONDS = 0.05


@contextmanager
def interruptible(
    limit: float | None = None, grace: float = 0.0, cpu_limit: float | None = None
) -> Iterator[None]:
    """Context manager that ends the program soon after Ctrl-C or a limit, in native code too.

    Parameters
    ----------
    limit
        Seconds after which the program ends; None for no limit.
    grace
        Additional seconds for work that ends at its limit with a result.
    cpu_limit
        The same in CPU time, descendants included.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are the main thread's
        return
    done = threading.Event()
    wakes, woken = socket.socketpair()
    woken.setblocking(False)
    before = signal.set_wakeup_fd(woken.fileno())
    late = f"stopped at {limit_words(limit, cpu_limit)}; nothing was written"
    watcher = threading.Thread(target=_watch, args=(wakes, done, late), daemon=True)
    watcher.start()
    try:
        with _alarm(
            None if limit is None else limit + grace,
            None if cpu_limit is None else cpu_limit + grace,
            late,
        ):
            yield
    finally:
        done.set()
        signal.set_wakeup_fd(before)
        woken.close()
        watcher.join()
        wakes.close()


@contextmanager
def _alarm(limit: float | None, cpu_limit: float | None, late: str) -> Iterator[None]:
    if limit is None and cpu_limit is None:
        yield
        return

    def give_up(number: int, frame: object) -> None:
        # What an external learner has started; a terminal does the same at Ctrl-C.
        for child in list(descendants(os.getpid())):
            with contextlib.suppress(OSError):
                os.kill(child, signal.SIGKILL)
        raise DagathlonError(late)

    before = signal.signal(signal.SIGALRM, give_up)
    if limit is not None:
        signal.setitimer(signal.ITIMER_REAL, max(limit, _LEAST_SECONDS))
    over = threading.Event()
    end = math.inf if cpu_limit is None else tree_time(os.getpid()) + cpu_limit
    looks = threading.Thread(target=_alarm_at, args=(end, over), daemon=True)
    if cpu_limit is not None:
        looks.start()
    try:
        yield
    finally:
        over.set()
        if cpu_limit is not None:
            looks.join()  # no alarm comes after this
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _alarm_at(end: float, over: threading.Event) -> None:
    """Raise the alarm once this process and its children have used `end` CPU seconds."""
    while not over.wait(_LOOK_SECONDS):
        if tree_time(os.getpid()) >= end:
            os.kill(os.getpid(), signal.SIGALRM)
            return


def _watch(wakes: socket.socket, done: threading.Event, late: str) -> None:
    ends = {signal.SIGINT: ("interrupted", INTERRUPTED), signal.SIGALRM: (late, USER_ERROR)}
    while number := wakes.recv(1):
        text, code = ends.get(signal.Signals(number[0]), ("", 0))
        if text and not done.wait(_GRACE_SECONDS):
            print(f"dagathlon: {text}", file=sys.stderr, flush=True)
            os._exit(code)

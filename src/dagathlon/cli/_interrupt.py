"""Ctrl-C and time limits while native code computes, which Python's own handlers wait for."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from dagathlon.errors import DagathlonError
from dagathlon.external.accounts import descendants

INTERRUPTED = 130
USER_ERROR = 2
# So long does Python have to end things in order: programs that it started, folders to remove.
_GRACE_SECONDS = 1.0
# An alarm in no time at all would be no alarm.
_LEAST_SECONDS = 0.001


@contextmanager
def interruptible(limit: float | None = None, grace: float = 0.0) -> Iterator[None]:
    """End the program soon after Ctrl-C or the limit, even inside a kernel that runs for hours.

    Parameters
    ----------
    limit
        Seconds after which the work is given up; None for no limit.
    grace
        Seconds more for work that ends at the limit by itself, with a result.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are the main thread's
        return
    done = threading.Event()
    wakes, woken = socket.socketpair()
    woken.setblocking(False)
    before = signal.set_wakeup_fd(woken.fileno())
    late = f"stopped at the time limit of {limit or 0:g} s; nothing was written"
    watcher = threading.Thread(target=_watch, args=(wakes, done, late), daemon=True)
    watcher.start()
    try:
        with _alarm(None if limit is None else limit + grace, late):
            yield
    finally:
        done.set()
        signal.set_wakeup_fd(before)
        woken.close()
        watcher.join()
        wakes.close()


@contextmanager
def _alarm(limit: float | None, late: str) -> Iterator[None]:
    if limit is None:
        yield
        return

    def give_up(number: int, frame: object) -> None:
        # What an external learner has started; a terminal does the same at Ctrl-C.
        for child in list(descendants(os.getpid())):
            with contextlib.suppress(OSError):
                os.kill(child, signal.SIGKILL)
        raise DagathlonError(late)

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, max(limit, _LEAST_SECONDS))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _watch(wakes: socket.socket, done: threading.Event, late: str) -> None:
    ends = {signal.SIGINT: ("interrupted", INTERRUPTED), signal.SIGALRM: (late, USER_ERROR)}
    while number := wakes.recv(1):
        text, code = ends.get(signal.Signals(number[0]), ("", 0))
        if text and not done.wait(_GRACE_SECONDS):
            print(f"dagathlon: {text}", file=sys.stderr, flush=True)
            os._exit(code)

"""Ctrl-C while native code computes, which Python's own handler waits for."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPTED = 130
# So long does Python have to end things in order: programs that it started, folders to remove.
_GRACE_SECONDS = 1.0


@contextmanager
def interruptible() -> Iterator[None]:
    """End the program soon after Ctrl-C, even inside a kernel that runs for hours."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are the main thread's
        return
    done = threading.Event()
    wakes, woken = socket.socketpair()
    woken.setblocking(False)
    before = signal.set_wakeup_fd(woken.fileno())
    watcher = threading.Thread(target=_watch, args=(wakes, done), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        signal.set_wakeup_fd(before)
        woken.close()
        watcher.join()
        wakes.close()


def _watch(wakes: socket.socket, done: threading.Event) -> None:
    while number := wakes.recv(1):
        if number[0] == signal.SIGINT and not done.wait(_GRACE_SECONDS):
            print("dagathlon: interrupted", file=sys.stderr, flush=True)
            os._exit(INTERRUPTED)

"""Wrapper that makes a Python script a server: ``python serving.py learn.py``.

It runs with the interpreter of the module's environment and imports nothing but the standard
library. The script is loaded once; for every run its function ``main`` is called in a fork of this
process, in the folder of the run. So every run begins with the same random generators, threads and
settings, whatever the run before did to them, and one that crashes harms no other.
"""

import contextlib
import ctypes
import gc
import importlib.util
import os
import random
import select
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import NoReturn

_DIE_WITH_PARENT, _ADOPT = 1, 36  # PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER


def serve(script: str) -> None:
    """Load the script, and do a run for every line of standard input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process ends this one
    _prctl(_ADOPT, 1)  # orphans of a run are reparented to us, to be killed
    learn = _loaded(script)
    gc.collect()
    gc.freeze()
    _say("ready")
    for folder in _lines():
        _do(learn, folder)


def _loaded(script: str) -> Callable[[], object]:
    sys.argv = [script]
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    spec = importlib.util.spec_from_file_location("dagathlon_module", script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    if not callable(getattr(module, "main", None)):
        raise SystemExit(f"{script} has no function main() to be called for each run")
    main: Callable[[], object] = module.main
    return main


def _do(learn: Callable[[], object], folder: str) -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    numbers = random.getstate()  # which Python would draw anew in a copy
    child = os.fork()
    if not child:
        random.setstate(numbers)
        _run(learn, folder)
    poll, end = select.poll(), os.pidfd_open(child)
    poll.register(end, select.POLLIN)
    poll.register(0, select.POLLHUP)
    ended = [fd for fd, _ in poll.poll()]
    os.close(end)
    if end not in ended:  # the result is no longer wanted
        os.kill(child, signal.SIGKILL)
    _, status, usage = os.wait4(child, 0)
    _end_what_is_left()
    _say(f"ended {os.waitstatus_to_exitcode(status)} {usage.ru_maxrss * 1024}")


def _run(learn: Callable[[], object], folder: str) -> NoReturn:
    """Do a run in the forked child, and exit."""
    code = 1
    try:
        _prctl(_DIE_WITH_PARENT, signal.SIGKILL)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.chdir(folder)
        os.environ["TMPDIR"] = os.getcwd()
        learn()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if code and not isinstance(end.code, int):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _end_what_is_left() -> None:
    """Kill the child processes that a run has started and not waited for."""
    with contextlib.suppress(OSError):
        for _ in range(1000):
            with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
                children = [int(pid) for pid in file.read().split()]
            if not children:
                return
            for pid in children:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


def _lines() -> Iterator[str]:
    """Yield lines of standard input, unbuffered, so that its end is noticed."""
    held = b""
    while True:
        *lines, held = held.split(b"\n")
        yield from (line.decode() for line in lines)
        read = os.read(0, 4096)
        if not read:
            return
        held += read


def _say(text: str) -> None:
    os.write(1, f"\n@dagathlon {text}\n".encode())


def _prctl(option: int, value: int) -> None:
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(option, value)


if __name__ == "__main__":
    serve(sys.argv[1])

"""The servers of this process, one for each environment and command, started on demand.

A study's workers are processes, so that every worker has servers of its own.
"""

from __future__ import annotations

import atexit
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from dagathlon.external.server import Server
from dagathlon.processes.usage import HELPERS
from dagathlon.processes.variables import CARDS, THREAD_VARIABLES

SERVE = str(Path(__file__).with_name("serving.py"))
"""Path of the program that turns a Python script into a server: ``{serve}`` in a command."""
# Each keeps its memory; the least recently used server is closed first.
_MOST = 4


class _Key(NamedTuple):
    """Cache key of a server that several modules can share."""

    version: int
    command: tuple[str, ...]
    share: tuple[str | None, ...]


def server_for(command: Sequence[str], version: int, variables: Mapping[str, str]) -> Server:
    """Return the running server of a command; one that has ended is replaced.

    Parameters
    ----------
    command
        The command line.
    version
        Of the module's folder: a changed script needs another server.
    variables
        Its environment. Other numbers of threads and other cards need another server.
    """
    share = tuple(variables.get(name) for name in (*THREAD_VARIABLES, CARDS))
    key = _Key(version, tuple(command), share)
    server = _servers.pop(key, None)
    if server is not None and not server.is_alive:
        server.close()
        server = None
    if server is None:
        _make_room()
        server = Server(command, variables)
    _servers[key] = server  # the last is the most recent
    server.wait_ready()
    return server


def server_processes() -> list[int]:
    """Return the process ids of this process's running servers."""
    return [server.pid for server in _servers.values() if server.is_alive]


HELPERS.append(server_processes)


@atexit.register
def close_servers() -> None:
    """Close all servers."""
    while _servers:
        _servers.popitem()[1].close()


def _make_room() -> None:
    while len(_servers) >= _MOST:
        _servers.popitem(last=False)[1].close()


_servers: OrderedDict[_Key, Server] = OrderedDict()

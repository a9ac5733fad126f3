"""Functions that the coordinator calls on dask workers.

Each is called by name on the worker, so that code and versions are those installed there. The
worker's own process runs no module: it starts guarded processes, as the local engine does.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dagathlon.cluster.handshake import Answer, ask
from dagathlon.cluster.messages import opened_batch, packed
from dagathlon.cluster.remote_host import RemoteHost
from dagathlon.cluster.user_modules import unpack_user_modules
from dagathlon.errors import DagathlonError
from dagathlon.study.engine.resources import Machine, cards_to_give
from dagathlon.study.store.objects import DamagedError

PIECE = 4 * 2**20
"""Size of the pieces in which large results are transferred, in bytes."""
HANDLER = "dagathlon_piece"
"""Name of the handler by which workers request pieces from each other."""
_PATIENCE = 30.0
_ALIVE = ("executing", "long-running")
_MOST_OVER = 1000
_remotes: dict[tuple[str, str], RemoteHost] = {}
# Runs that have ended: an introduction to one of them may still be under way.
_over: dict[str, None] = {}


class StrangerError(DagathlonError):
    """The worker does not know the run: it was restarted, or has closed the run."""


async def introduce(
    session: str, modules: list[tuple[str, str, int]], user_modules: bytes, dask_worker: Any = None
) -> Answer:
    """Prepare for a run; return the handshake answer: versions, cores, cards, missing modules."""
    for each in [place for place, remote in _remotes.items() if remote.is_closed]:
        _remotes.pop(each, None)
    # A folder of its own: another introduction may be under way, given up by the coordinator.
    folder = Path(tempfile.mkdtemp(prefix="dagathlon-", dir=dask_worker.local_directory))
    try:
        variables = await asyncio.to_thread(unpack_user_modules, user_modules, folder / "modules")
        answer = await asyncio.to_thread(ask, modules, variables, folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    if session in _over:
        shutil.rmtree(folder, ignore_errors=True)
        raise StrangerError("the run was over before this worker was ready for it")
    machine = Machine(dask_worker.state.nthreads, cards_to_give())
    before = _remotes.get((dask_worker.address, session))
    _remotes[dask_worker.address, session] = RemoteHost(folder, machine, variables)
    if before is not None:
        await asyncio.to_thread(before.close)
    dask_worker.handlers[HANDLER] = _give_to_worker(dask_worker.address)
    answer["threads"] = machine.cores
    answer["cards"] = list(machine.cards)
    return answer


def carry_out(session: str, message: bytes) -> bytes:
    """Run a batch; this is the dask task, in a thread of the worker."""
    from distributed import get_worker  # noqa: PLC0415 - an extra

    worker = get_worker()
    remote = _remote(session, worker)
    return packed(remote.carry_out(opened_batch(message), _asks(worker)))


async def take_piece(  # noqa: PLR0917 - called by position from afar
    session: str, digest: bytes, size: int, offset: int, piece: bytes, dask_worker: Any = None
) -> None:
    """Receive a piece of a large input."""
    cache = _remote(session, dask_worker).cache
    await asyncio.to_thread(cache.receive, digest, size, offset, piece)


async def take_from(
    session: str, digest: bytes, size: int, holder: str, dask_worker: Any = None
) -> bool:
    """Fetch a large input from another worker; return False when that fails."""
    cache = _remote(session, dask_worker).cache
    if cache.payload(digest, size) is not None:
        return True
    ask_holder = getattr(dask_worker.rpc(holder), HANDLER)
    for offset in range(0, size, PIECE):
        try:
            piece = await asyncio.wait_for(
                ask_holder(session=session, digest=digest, offset=offset), _PATIENCE
            )
        except Exception:  # whatever is wrong over there, the coordinator has it too
            return False
        if not piece:
            return False
        try:
            await asyncio.to_thread(cache.receive, digest, size, offset, bytes(piece))
        except DamagedError:
            return False
    return cache.payload(digest, size) is not None


async def give_piece(session: str, digest: bytes, offset: int, dask_worker: Any = None) -> bytes:
    """Return a piece of a large result to the coordinator."""
    cache = _remote(session, dask_worker).cache
    return await asyncio.to_thread(cache.piece, digest, offset, PIECE)


async def settle(session: str, digests: list[bytes], dask_worker: Any = None) -> None:
    """Mark large results as fetched."""
    _remote(session, dask_worker).cache.settle(digests)


async def close(session: str, dask_worker: Any = None) -> None:
    """End a run: kill its processes and remove its files."""
    _over[session] = None
    while len(_over) > _MOST_OVER:
        del _over[next(iter(_over))]
    remote = _remotes.pop((dask_worker.address, session), None)
    if remote is not None:
        await asyncio.to_thread(remote.close)


def _remote(session: str, worker: Any) -> RemoteHost:
    remote = _remotes.get((worker.address, session))
    if remote is None or remote.is_closed:
        _remotes.pop((worker.address, session), None)
        raise StrangerError("this worker does not know the run")
    return remote


def _give_to_worker(address: str) -> Callable[..., Any]:
    """Return the handler by which other workers request pieces."""

    async def give(session: str, digest: bytes, offset: int) -> bytes | None:
        remote = _remotes.get((address, session))
        if remote is None:
            return None
        with contextlib.suppress(DamagedError):
            return await asyncio.to_thread(remote.cache.piece, digest, offset, PIECE)
        return None

    return give


def _asks(worker: Any) -> Callable[[], bool]:
    """Return a test whether this thread's dask task is still wanted: dask does not stop it."""
    key = worker.get_current_task()

    def is_wanted() -> bool:
        task = worker.state.tasks.get(key)
        return task is not None and task.state in _ALIVE

    return is_wanted

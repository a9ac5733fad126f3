"""Transfer of large inputs and results between the store and workers, in pieces."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import hashlib
import os
import secrets
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from dagathlon.cluster import service
from dagathlon.cluster.cache import NO_ROOM
from dagathlon.cluster.events import Failed
from dagathlon.cluster.guarded_worker import UnwantedError
from dagathlon.cluster.messages import Reply, SentInput
from dagathlon.errors import DagathlonError
from dagathlon.study.store.objects import INLINE, DamagedError, Objects, Payload, UnwritableError

_AT_ONCE = 4
# dask's own word for a batch that was cancelled, as when its client had to connect again.
ON_THE_WAY = (OSError, TimeoutError, UnwantedError, DamagedError, concurrent.futures.CancelledError)
"""Errors of the connection to a worker that is itself alive."""


class LargeInput(NamedTuple):
    """A large input to deliver first, and the workers that hold it."""

    sent: SentInput
    holders: tuple[str, ...]


class ResultTransfer:
    """Delivers inputs to workers and fetches results; runs in the client's event loop.

    Parameters
    ----------
    session
        Name of the run.
    client
        A `distributed.Client`.
    objects
        The store's files of large results.
    scratch
        A folder on the store's disk for fetched results.
    present
        Addresses of the connected workers.
    """

    def __init__(
        self, session: str, client: Any, objects: Objects, scratch: Path, present: Collection[str]
    ) -> None:
        self._session = session
        self._client = client
        self._objects = objects
        self._scratch = scratch
        self._present = present
        self._delivering: dict[tuple[str, bytes], asyncio.Task[None]] = {}
        self._bounded = asyncio.Semaphore(_AT_ONCE)

    async def run(self, address: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function of `service` on a worker, bypassing its task queue."""
        answer = await self._client.run(function, self._session, *arguments, workers=[address])
        return answer[address]

    async def deliver(self, address: str, large: LargeInput) -> None:
        """Deliver an input to a worker; concurrent requests share one delivery."""
        place = (address, large.sent.digest)
        task = self._delivering.get(place)
        if task is None:
            task = self._delivering[place] = asyncio.ensure_future(self._deliver(address, large))
            task.add_done_callback(lambda done: self._forget(place, done))
        await asyncio.shield(task)

    def give_up(self, address: str | None = None) -> list[asyncio.Task[None]]:
        """Cancel deliveries to a worker, or to all."""
        places = [each for each in self._delivering if address in (None, each[0])]
        stopped = [self._delivering.pop(each) for each in places]
        for task in stopped:
            task.cancel()
        return stopped

    def _forget(self, place: tuple[str, bytes], done: asyncio.Task[None]) -> None:
        if self._delivering.get(place) is done:
            del self._delivering[place]
        if not done.cancelled():
            done.exception()  # those that wait for it get the error, and none may wait

    async def _deliver(self, address: str, large: LargeInput) -> None:
        """Deliver from another worker, which spares this machine's network; else from the store."""
        digest, size, _ = large.sent
        for holder in large.holders:
            if holder in self._present and await self.run(
                address, service.take_from, digest, size, holder
            ):
                return
        async with self._bounded:
            content = memoryview(await asyncio.to_thread(self._read, Payload(digest, size, None)))
            for offset in range(0, size, service.PIECE):
                piece = bytes(content[offset : offset + service.PIECE])
                await self.run(address, service.take_piece, digest, size, offset, piece)

    def _read(self, payload: Payload) -> Any:
        try:
            return self._objects.read(payload)
        except DamagedError as error:
            raise DamagedHereError(payload.digest, str(error)) from error

    async def fetch(self, address: str, reply: Reply) -> dict[bytes, Path]:
        """Fetch the large results of a batch into files on the store's disk."""
        sizes = {
            report.digest: report.size
            for report in reply.reports
            if report.content is None and report.size > INLINE
        }
        files: dict[bytes, Path] = {}
        try:
            for digest, size in sizes.items():
                files[digest] = self._scratch / f"fetched-{secrets.token_hex(8)}"
                async with self._bounded:
                    await self._fetch(address, digest, size, files[digest])
        except BaseException:
            for path in files.values():
                path.unlink(missing_ok=True)
            raise
        if files:
            with contextlib.suppress(*ON_THE_WAY):  # they are here, whatever it hears of it
                await self.run(address, service.settle, list(files))
        return files

    async def _fetch(self, address: str, digest: bytes, size: int, path: Path) -> None:
        found = hashlib.sha256()
        with _here():
            file = path.open("wb", buffering=0)
        with file:
            for offset in range(0, size, service.PIECE):
                piece = await self.run(address, service.give_piece, digest, offset)
                with _here():
                    await asyncio.to_thread(_write, file.fileno(), piece)
                found.update(piece)
        if found.digest() != digest:
            raise DamagedError("a received result does not match its hash")


class HereError(Exception):
    """The store's disk is full."""


class DamagedHereError(DagathlonError):
    """A result is damaged in the store."""

    def __init__(self, digest: bytes, reason: str) -> None:
        super().__init__(reason)
        self.digest = digest


def failure(address: str, number: int, error: Exception) -> Failed:
    """Return the `Failed` event for an error of a batch."""
    if isinstance(error, HereError):
        return Failed(address, number, str(error), full=True, here=True)
    if isinstance(error, DamagedHereError):
        return Failed(address, number, str(error), damaged=error.digest)
    stranger = isinstance(error, service.StrangerError)
    full = isinstance(error, UnwritableError) or getattr(error, "errno", None) in NO_ROOM
    again = isinstance(error, ON_THE_WAY) or type(error).__name__ == "KilledWorker"
    return Failed(address, number, error_text(error), full=full, stranger=stranger, again=again)


def error_text(error: BaseException) -> str:
    """Return an error as one or two lines."""
    text = str(error).strip() or type(error).__name__
    known = isinstance(error, DagathlonError)
    return text if known else f"{type(error).__name__}: {text}"


def _write(fd: int, piece: bytes) -> None:
    remaining = memoryview(piece)
    while remaining:
        remaining = remaining[os.write(fd, remaining) :]


@contextlib.contextmanager
def _here() -> Iterator[None]:
    """Re-raise errors of a full disk as `HereError`, to tell it from a worker's disk."""
    try:
        yield
    except OSError as error:
        if error.errno in NO_ROOM:
            raise HereError(error.strerror or str(error)) from error
        raise

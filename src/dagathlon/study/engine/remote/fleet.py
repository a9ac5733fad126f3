"""The fleet: all workers of a dask cluster, seen from the coordinator.

It lives in a thread with an event loop of its own, where the cluster is opened, workers are looked
after and batches are carried. The engine, in its own thread, sends batches and reads events.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import queue
import secrets
import threading
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, NamedTuple, Self

from dagathlon.errors import DagathlonError
from dagathlon.study.engine.remote import service
from dagathlon.study.engine.remote.clusters import Reached
from dagathlon.study.engine.remote.events import (
    Broken,
    Event,
    Failed,
    Gone,
    Joined,
    Opened,
    Refused,
    Returned,
)
from dagathlon.study.engine.remote.parcels import Batch, Reply, Sent, opened_reply, packed
from dagathlon.study.engine.remote.post import UnwantedError
from dagathlon.study.store.objects import INLINE, DamagedError, Objects, Payload, UnwritableError

_ROUND = 1.0
_WORKERS_PER_SECOND = 500
_SILENT = 20.0
_LOST_SCHEDULER = 30.0
_CONNECT = 15.0
_GOODBYE = 5.0
_AT_ONCE = 4
_LOGGERS = frozenset({"distributed", "dask_jobqueue", "tornado", "asyncio"})
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_ON_THE_WAY = (OSError, TimeoutError, asyncio.CancelledError, UnwantedError, DamagedError)


class Large(NamedTuple):
    """A large input that a worker is to have first, and who has it beside the store."""

    sent: Sent
    holders: tuple[str, ...]


class Beats(NamedTuple):
    """When a worker was heard last by the scheduler, and since when that stands still, here."""

    last_seen: float
    since: float


class Fleet:
    """The workers; use it as a context manager, which closes a cluster that it opened.

    Parameters
    ----------
    reached
        Opens the cluster, or attaches to one.
    modules
        Kind, name and version of the modules that tasks will ask for.
    luggage
        The user's own modules.
    objects
        The large results of the store.
    scratch
        A folder on the store's disk, where fetched results are put.
    """

    def __init__(
        self,
        reached: Callable[[], AbstractAsyncContextManager[Reached]],
        modules: Sequence[tuple[str, str, int]],
        luggage: bytes,
        objects: Objects,
        scratch: Path,
    ) -> None:
        self.session = secrets.token_hex(8)
        self._reached = reached
        self._modules = list(modules)
        self._luggage = luggage
        self._objects = objects
        self._scratch = scratch
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._over: asyncio.Event | None = None
        self._client: Any = None
        self._present: dict[str, Beats] = {}
        self._introducing: dict[str, asyncio.Task[None]] = {}
        self._carrying: dict[str, dict[int, asyncio.Task[None]]] = {}
        self._delivering: dict[tuple[str, bytes], asyncio.Task[None]] = {}
        self._demand: tuple[int, tuple[str, ...]] = (0, ())
        self._thread = threading.Thread(target=self._work, name="dagathlon-fleet", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        loop, over = self._loop, self._over
        if loop is not None and over is not None:
            with contextlib.suppress(RuntimeError):  # it has ended by itself
                loop.call_soon_threadsafe(over.set)
        self._thread.join()

    # For the engine's thread

    def events(self, timeout: float) -> Iterator[Event]:
        """What has happened, waiting so many seconds for the first word."""
        with contextlib.suppress(queue.Empty):
            yield self._events.get(timeout=max(timeout, 0.0))
            while True:
                yield self._events.get_nowait()

    def send(self, address: str, batch: Batch, large: Sequence[Large]) -> None:
        """Have a batch done by a worker; `Returned` or `Failed` follows, unless it is `Gone`."""
        parcel = packed(batch)
        self._call(self._begin, address, batch.number, parcel, large)

    def put(self, event: Event) -> None:
        """Add an event of somebody else, such as the station at home."""
        self._events.put(event)

    def meet_again(self, address: str) -> None:
        """Introduce a worker that has forgotten the run; `Joined` or `Refused` follows."""
        self._call(self._meet, address)

    def demand(self, cores: int, idle: Collection[str]) -> None:
        """Say how many cores could be busy now, and which workers have nothing to do."""
        self._demand = cores, tuple(idle)

    def _call(self, function: Callable[..., None], *arguments: Any) -> None:
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(function, *arguments)

    # In the thread of the fleet

    def _work(self) -> None:
        try:
            with _quiet_dask():
                asyncio.run(self._main())
        except DagathlonError as error:
            self._events.put(Broken(str(error)))
        except Exception as error:  # a cluster can fail to start in any way
            self._events.put(Broken(f"the cluster failed: {_told(error)}"))

    async def _main(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        # What dask leaves unfinished when workers go is not worth a line on the terminal.
        self._loop.set_exception_handler(lambda *_: None)
        async with self._reached() as reached, _connected(reached) as client:
            self._client = client
            dashboard = await _dashboard(client)
            self._events.put(Opened(reached.address, dashboard, reached.expected))
            try:
                await self._go_round(reached)
            finally:
                await self._say_goodbye()

    async def _go_round(self, reached: Reached) -> None:
        """Look after the workers until the engine has done."""
        assert self._over is not None
        heard = time.monotonic()
        while not self._over.is_set():
            try:
                workers = (await self._client.scheduler.identity(n_workers=-1))["workers"]
                heard = time.monotonic()
                self._look_at(workers)
            except (TimeoutError, OSError) as error:
                if time.monotonic() - heard > _LOST_SCHEDULER or self._client.status == "closed":
                    raise DagathlonError(
                        f"{reached.address}: the scheduler does not answer any more "
                        f"({_told(error)}); what was finished is safe, and the same command goes "
                        "on from there when it is back"
                    ) from error
            if reached.want is not None:
                reached.want(*self._demand)
            pause = max(_ROUND, len(self._present) / _WORKERS_PER_SECOND)
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._over.wait(), pause)

    def _look_at(self, workers: Mapping[str, Mapping[str, Any]]) -> None:
        """Compare who is there with who was."""
        now = time.monotonic()
        for address in [each for each in self._present if each not in workers]:
            self._lose(address, "it has left the cluster")
        for address, facts in workers.items():
            if facts.get("status", "running") not in ("running", "paused"):
                continue
            beats = self._present.get(address)
            last_seen = float(facts.get("last_seen", 0.0))
            if beats is None:
                self._present[address] = Beats(last_seen, now)
                self._meet(address)
            elif beats.last_seen != last_seen:
                is_back = now - beats.since > _SILENT
                self._present[address] = Beats(last_seen, now)
                if is_back:
                    self._meet(address)
            elif now - beats.since > _SILENT and address in self._carrying:
                self._give_up(address, f"it has been silent for {_SILENT:.0f} s")

    def _lose(self, address: str, reason: str) -> None:
        self._present.pop(address, None)
        self._give_up(address, reason)

    def _give_up(self, address: str, reason: str) -> None:
        """Expect nothing of a worker any more, and say so."""
        task = self._introducing.pop(address, None)
        if task is not None:
            task.cancel()
        for carried in self._carrying.pop(address, {}).values():
            carried.cancel()
        self._events.put(Gone(address, reason))

    # Meeting workers

    def _meet(self, address: str) -> None:
        before = self._introducing.pop(address, None)
        if before is not None:
            before.cancel()
        self._introducing[address] = asyncio.ensure_future(self._introduce(address))

    async def _introduce(self, address: str) -> None:
        arguments = (self.session, self._modules, self._luggage)
        while address in self._present:
            try:
                answer = await self._run(address, service.introduce, *arguments)
            except Exception as error:  # whatever a stranger's machine may raise
                if _is_cut_off(error):
                    await asyncio.sleep(_ROUND)  # it will answer, or be gone
                    continue
                self._events.put(Refused(address, _told(error)))
            else:
                self._carrying.setdefault(address, {})
                self._events.put(Joined(address, answer))
            break
        if self._introducing.get(address) is asyncio.current_task():
            del self._introducing[address]

    async def _run(self, address: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function of `service` on a worker, past the queue of its tasks."""
        found = await self._client.run(function, *arguments, workers=[address])
        return found[address]

    # Carrying batches

    def _begin(self, address: str, number: int, parcel: bytes, large: Sequence[Large]) -> None:
        carried = self._carrying.get(address)
        if carried is None:
            return  # it is gone; the engine has been told
        carried[number] = asyncio.ensure_future(self._carry(address, number, parcel, large))

    async def _carry(
        self, address: str, number: int, parcel: bytes, large: Sequence[Large]
    ) -> None:
        try:
            for each in large:
                await self._delivered(address, each)
            future = self._client.submit(
                service.carry_out,
                self.session,
                parcel,
                key=f"dagathlon-{self.session}-{number}",
                workers=[address],
                pure=False,
                retries=0,
            )
            try:
                reply = opened_reply(await future)
            finally:
                future.release()
            files = await self._fetched(address, reply)
        except asyncio.CancelledError:
            if asyncio.current_task().cancelling():  # type: ignore[union-attr]
                raise
            self._events.put(Failed(address, number, "a batch was cancelled", again=True))
        except Exception as error:  # whatever a worker, or the way to it, may raise
            self._events.put(_failure(address, number, error))
        else:
            self._events.put(Returned(address, number, reply, files))
        finally:
            self._carrying.get(address, {}).pop(number, None)

    async def _delivered(self, address: str, large: Large) -> None:
        """See to it that a worker has an input; those who want the same wait for one delivery."""
        place = (address, large.sent.digest)
        task = self._delivering.get(place)
        if task is None:
            task = self._delivering[place] = asyncio.ensure_future(self._deliver(address, large))
            task.add_done_callback(lambda _: self._delivering.pop(place, None))
        await asyncio.shield(task)

    async def _deliver(self, address: str, large: Large) -> None:
        """From another worker, which has its own way to the network; otherwise from the store."""
        digest, size, _ = large.sent
        for holder in large.holders:
            if holder in self._present and await self._run(
                address, service.take_from, self.session, digest, size, holder
            ):
                return
        payload = Payload(digest, size, None)
        content = memoryview(await asyncio.to_thread(self._objects.read, payload))
        async with self._bounded:
            for offset in range(0, size, service.PIECE):
                piece = bytes(content[offset : offset + service.PIECE])
                await self._run(
                    address, service.take_piece, self.session, digest, size, offset, piece
                )

    async def _fetched(self, address: str, reply: Reply) -> dict[bytes, Path]:
        """Fetch the large results of a batch, a piece at a time."""
        sizes = {
            report.digest: report.size
            for report in reply.reports
            if report.content is None and report.size > INLINE
        }
        files = {}
        for digest, size in sizes.items():
            path = self._scratch / f"fetched-{secrets.token_hex(8)}"
            async with self._bounded:
                with _here(), path.open("wb") as file:
                    for offset in range(0, size, service.PIECE):
                        arguments = (self.session, digest, offset)
                        file.write(await self._run(address, service.give_piece, *arguments))
            files[digest] = path
        if files:
            await self._run(address, service.settle, self.session, list(files))
        return files

    @property
    def _bounded(self) -> asyncio.Semaphore:
        """So many large results are on their way at once, so that nobody holds them all."""
        if not hasattr(self, "_semaphore"):
            self._semaphore = asyncio.Semaphore(_AT_ONCE)
        return self._semaphore

    async def _say_goodbye(self) -> None:
        """Stop what is under way, and have workers forget the run."""
        running = [
            *self._introducing.values(),
            *self._delivering.values(),
            *(task for tasks in self._carrying.values() for task in tasks.values()),
        ]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        with contextlib.suppress(Exception):  # those who do not hear it will find out
            await asyncio.wait_for(
                self._client.run(
                    service.close, self.session, workers=list(self._present), on_error="ignore"
                ),
                _GOODBYE,
            )


@contextlib.asynccontextmanager
async def _connected(reached: Reached) -> AsyncIterator[Any]:
    from distributed import Client  # noqa: PLC0415 - an extra

    try:
        client = await Client(
            reached.address,
            asynchronous=True,
            security=reached.security,
            set_as_default=False,
            timeout=_CONNECT,
        )
    except (TimeoutError, OSError, ValueError) as error:
        raise DagathlonError(
            f"{reached.address}: no scheduler answers there ({_told(error)}); `dask scheduler` "
            "prints its address when it starts"
        ) from error
    try:
        yield client
    finally:
        with contextlib.suppress(Exception):
            await asyncio.wait_for(client.close(), _GOODBYE)


async def _dashboard(client: Any) -> str:
    """Where a browser sees the scheduler; empty when it shows nothing."""
    found = await client.scheduler.identity(n_workers=0)
    return str(client.dashboard_link or "") if "dashboard" in found["services"] else ""


class _HereError(Exception):
    """The disk of the store has no room."""


@contextlib.contextmanager
def _here() -> Iterator[None]:
    """Tell the disk of the store from those of workers."""
    try:
        yield
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise _HereError(error.strerror or str(error)) from error
        raise


def _failure(address: str, number: int, error: Exception) -> Failed:
    if isinstance(error, _HereError):
        return Failed(address, number, str(error), full=True, here=True)
    stranger = isinstance(error, service.StrangerError)
    full = isinstance(error, UnwritableError) or getattr(error, "errno", None) in _NO_ROOM
    again = isinstance(error, _ON_THE_WAY) or type(error).__name__ == "KilledWorker"
    return Failed(address, number, _told(error), full=full, stranger=stranger, again=again)


def _is_cut_off(error: Exception) -> bool:
    """Whether the way to a worker failed; what its own system refuses has a number."""
    return isinstance(error, OSError) and error.errno is None


def _told(error: BaseException) -> str:
    """What went wrong, on a line or two."""
    text = str(error).strip() or type(error).__name__
    known = isinstance(error, DagathlonError)
    return text if known else f"{type(error).__name__}: {text}"


@contextlib.contextmanager
def _quiet_dask() -> Iterator[None]:
    """Workers that come and go are our business: dask's own log would repeat it at length."""
    known = list(logging.root.manager.loggerDict)
    names = {name for name in known if name.partition(".")[0] in _LOGGERS}
    loggers = [logging.getLogger(name) for name in names.union(_LOGGERS)]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)

"""The coordinator's connection to all workers of a dask cluster.

It lives in a thread with an event loop of its own, where the cluster is opened, workers are polled
and batches are sent. The engine, in its own thread, sends batches and reads events.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import queue
import secrets
import threading
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, NamedTuple, Self

from dagathlon.cluster import service
from dagathlon.cluster.clusters import Connection
from dagathlon.cluster.events import (
    Broken,
    Event,
    Failed,
    Gone,
    Joined,
    Opened,
    Refused,
    Returned,
)
from dagathlon.cluster.messages import Batch, opened_reply, packed
from dagathlon.cluster.result_transfer import (
    ON_THE_WAY,
    LargeInput,
    ResultTransfer,
    error_text,
    failure,
)
from dagathlon.errors import DagathlonError
from dagathlon.study.store.objects import Objects

_ROUND = 1.0
_WORKERS_PER_SECOND = 500
_SILENT = 20.0
_LOST_SCHEDULER = 30.0
_CONNECT = 15.0
_GOODBYE = 5.0
_ANSWER = 10.0
_LOGGERS = frozenset({"distributed", "dask_jobqueue", "tornado", "asyncio"})
_PAUSES = (1.0, 4.0)


class HeartbeatTimes(NamedTuple):
    """Time of a worker's last heartbeat at the scheduler, and when we saw it change."""

    last_seen: float
    since: float


class DaskClient:
    """The workers of a dask cluster; a context manager that closes a cluster it opened.

    Parameters
    ----------
    connect
        Returns a context manager of the connection to a scheduler.
    modules
        Kind, name and version of the modules that tasks need.
    user_modules
        The serialised user modules.
    objects
        The store's files of large results.
    scratch
        A folder on the store's disk for fetched results.
    """

    def __init__(
        self,
        connect: Callable[[], AbstractAsyncContextManager[Connection]],
        modules: Sequence[tuple[str, str, int]],
        user_modules: bytes,
        objects: Objects,
        scratch: Path,
    ) -> None:
        self.session = secrets.token_hex(8)
        self._connect = connect
        self._modules = list(modules)
        self._user_modules = user_modules
        self._objects = objects
        self._scratch = scratch
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._over: asyncio.Event | None = None
        self._is_closing = False
        self._client: Any = None
        self._transfer: Any = None
        self._looked = 0.0
        self._present: dict[str, HeartbeatTimes] = {}
        self._introducing: dict[str, asyncio.Task[None]] = {}
        self._parting: set[asyncio.Task[None]] = set()
        self._carrying: dict[str, dict[int, asyncio.Task[None]]] = {}
        self._demand: tuple[int, tuple[str, ...]] = (0, ())
        self._thread = threading.Thread(target=self._work, name="dagathlon-dask", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_closing = True
        loop, over = self._loop, self._over
        if loop is not None and over is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended already
                loop.call_soon_threadsafe(over.set)
        self._thread.join()

    # For the engine's thread

    def events(self, timeout: float) -> Iterator[Event]:
        """Yield pending events, waiting up to `timeout` seconds for the first."""
        with contextlib.suppress(queue.Empty):
            yield self._events.get(timeout=max(timeout, 0.0))
            while True:
                yield self._events.get_nowait()

    def send(self, address: str, batch: Batch, large: Sequence[LargeInput]) -> None:
        """Send a batch to a worker; `Returned` or `Failed` follows, unless the worker is `Gone`."""
        message = packed(batch)
        self._call(self._begin, address, batch.number, message, large)

    def put(self, event: Event) -> None:
        """Add an event from another thread, such as the local file worker's."""
        self._events.put(event)

    def meet_again(self, address: str) -> None:
        """Repeat the handshake with a worker that forgot the run; `Joined` or `Refused` follows."""
        self._call(self._meet_again, address)

    def demand(self, cores: int, idle: Collection[str]) -> None:
        """Set how many cores could be busy now, and which workers are idle, for the autoscaler."""
        self._demand = cores, tuple(idle)

    def _call(self, function: Callable[..., None], *arguments: Any) -> None:
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(function, *arguments)

    # In the thread of the dask_client

    def _work(self) -> None:
        try:
            with _quiet_dask():
                asyncio.run(self._main())
        except DagathlonError as error:
            self._events.put(Broken(str(error)))
        except BaseException as error:  # a cluster can fail in any way, and the engine waits
            self._events.put(Broken(f"the cluster failed: {error_text(error)}"))

    async def _main(self) -> None:
        self._over = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        if self._is_closing:
            return
        # What dask leaves unfinished when workers go is not worth a line on the terminal.
        self._loop.set_exception_handler(lambda *_: None)
        async with self._connect() as connection, _open_client(connection) as client:
            self._client = client
            told_of = (self._objects, self._scratch, self._present)
            self._transfer = ResultTransfer(self.session, client, *told_of)
            dashboard = await _dashboard(client, connection)
            self._events.put(Opened(connection.address, dashboard, connection.expected))
            try:
                await self._poll_workers(connection)
            finally:
                await self._close_run()

    async def _poll_workers(self, connection: Connection) -> None:
        """Poll the workers until the engine is done."""
        assert self._over is not None
        heard = time.monotonic()
        while not self._over.is_set():
            try:
                if self._client.scheduler is None:  # dask has given the scheduler up
                    raise ConnectionError("the connection is closed")
                asked = self._client.scheduler.identity(n_workers=-1)
                workers = (await asyncio.wait_for(asked, _ANSWER))["workers"]
                heard = time.monotonic()
                self._compare_workers(workers)
            except (TimeoutError, OSError) as error:
                if time.monotonic() - heard > _LOST_SCHEDULER or self._client.status == "closed":
                    raise DagathlonError(
                        f"{connection.address}: the scheduler does not answer any more "
                        f"({error_text(error)}); what was finished is safe, and the same command "
                        "goes on from there when it is back"
                    ) from error
            if connection.want is not None:
                connection.want(*self._demand)
            pause = max(_ROUND, len(self._present) / _WORKERS_PER_SECOND)
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._over.wait(), pause)

    def _compare_workers(self, workers: Mapping[str, Mapping[str, Any]]) -> None:
        """Compare the scheduler's list of workers with the known ones."""
        now = time.monotonic()
        # While the scheduler did not answer, no heartbeat could arrive.
        deaf = max(now - (self._looked or now) - _ANSWER, 0.0)
        self._looked = now
        for address in [each for each in self._present if each not in workers]:
            del self._present[address]
            self._cancel_transfers(address)
            self._parting.add(task := asyncio.ensure_future(self._announce_departure(address)))
            task.add_done_callback(self._parting.discard)
        for address, facts in workers.items():
            if facts.get("status", "running") not in ("running", "paused"):
                continue
            beats = self._present.get(address)
            if beats is not None and deaf:
                beats = self._present[address] = beats._replace(since=beats.since + deaf)
            last_seen = float(facts.get("last_seen", 0.0))
            if beats is None:
                self._present[address] = HeartbeatTimes(last_seen, now)
                self._meet(address)
            elif beats.last_seen != last_seen:
                is_back = now - beats.since > _SILENT and address not in self._carrying
                self._present[address] = HeartbeatTimes(last_seen, now)
                if is_back:
                    self._meet(address)
            elif now - beats.since > _SILENT and address in self._carrying:
                self._cancel_transfers(address)
                reason = f"it has been silent for {_SILENT:.0f} s"
                self._events.put(Gone(address, reason, blameless=True))

    async def _announce_departure(self, address: str) -> None:
        """Announce that a worker has left, and whether it retired in order, as at its wall time."""
        expected = False
        with contextlib.suppress(Exception):  # what cannot be found out is taken for a loss
            events = await asyncio.wait_for(self._client.get_events(address), _GOODBYE)
            expected = any(each.get("expected", False) for _, each in events)
        self._events.put(Gone(address, "it has left the cluster", expected))

    def _cancel_transfers(self, address: str) -> None:
        """Cancel everything that is under way with a worker."""
        task = self._introducing.pop(address, None)
        if task is not None:
            task.cancel()
        for carried in self._carrying.pop(address, {}).values():
            carried.cancel()
        self._transfer.give_up(address)

    # Handshake workers

    def _meet_again(self, address: str) -> None:
        if address in self._present:
            self._meet(address)

    def _meet(self, address: str) -> None:
        before = self._introducing.pop(address, None)
        if before is not None:
            before.cancel()
        self._introducing[address] = asyncio.ensure_future(self._introduce(address))

    async def _introduce(self, address: str) -> None:
        try:
            answer = await self._ask_worker(address)
        except Exception as error:  # whatever a stranger's machine may raise
            self._events.put(Refused(address, error_text(error)))
        else:
            self._carrying.setdefault(address, {})
            self._events.put(Joined(address, answer))
        finally:
            if self._introducing.get(address) is asyncio.current_task():
                del self._introducing[address]

    async def _ask_worker(self, address: str) -> Any:
        """Return a worker's handshake answer, retrying a failed connection once or twice."""
        arguments = (self._modules, self._user_modules)
        for pause in _PAUSES:
            try:
                return await self._transfer.run(address, service.introduce, *arguments)
            except ON_THE_WAY:
                await asyncio.sleep(pause)
        return await self._transfer.run(address, service.introduce, *arguments)

    # Carrying batches

    def _begin(
        self, address: str, number: int, message: bytes, large: Sequence[LargeInput]
    ) -> None:
        carried = self._carrying.get(address)
        if carried is None:
            return  # it is gone; the engine has been told
        carried[number] = asyncio.ensure_future(self._carry(address, number, message, large))

    async def _carry(
        self, address: str, number: int, message: bytes, large: Sequence[LargeInput]
    ) -> None:
        try:
            for each in large:
                await self._transfer.deliver(address, each)
            future = self._client.submit(
                service.carry_out,
                self.session,
                message,
                key=f"dagathlon-{self.session}-{number}",
                workers=[address],
                pure=False,
                retries=0,
            )
            try:
                reply = opened_reply(await future)
            finally:
                future.release()
            files = await self._transfer.fetch(address, reply)
        except asyncio.CancelledError:
            if asyncio.current_task().cancelling():  # type: ignore[union-attr]
                raise
            self._events.put(Failed(address, number, "a batch was cancelled", again=True))
        except Exception as error:  # whatever a worker, or the way to it, may raise
            self._events.put(failure(address, number, error))
        else:
            self._events.put(Returned(address, number, reply, files))
        finally:
            self._carrying.get(address, {}).pop(number, None)

    async def _close_run(self) -> None:
        """Cancel what is under way and close the run on all workers."""
        running = [
            *self._introducing.values(),
            *self._parting,
            *self._transfer.give_up(),
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
async def _open_client(connection: Connection) -> AsyncIterator[Any]:
    import distributed  # noqa: PLC0415 - an extra

    connect: Any = distributed.Client  # untyped, and unknown to mypy where it is not installed
    try:
        client = await connect(
            connection.address,
            asynchronous=True,
            security=connection.security,
            set_as_default=False,
            timeout=_CONNECT,
        )
    except (TimeoutError, OSError, ValueError) as error:
        raise DagathlonError(
            f"{connection.address}: no scheduler answers there ({error_text(error)}); "
            "`dask scheduler` prints its address when it starts"
        ) from error
    try:
        yield client
    finally:
        with contextlib.suppress(Exception):
            await asyncio.wait_for(client.close(), _GOODBYE)


async def _dashboard(client: Any, connection: Connection) -> str:
    """Return the URL of the scheduler's dashboard; empty when there is none."""
    services = (await client.scheduler.identity(n_workers=0))["services"]
    if "dashboard" not in services:
        return ""
    if connection.dashboard_host:
        return f"http://{connection.dashboard_host}:{services['dashboard']}/status"
    return str(client.dashboard_link)


@contextlib.contextmanager
def _quiet_dask() -> Iterator[None]:
    """Silence dask's log of workers that come and go, which we report ourselves."""
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

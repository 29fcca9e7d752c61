"""The open tables of a server, over one store."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from gambeson.server.room import Room
from gambeson.server.settings import Settings
from gambeson.table.keeping import load_table
from gambeson.table.stores import Conflict, SeatRecord, Store, Unreachable

logger = logging.getLogger("gambeson.server")

T = TypeVar("T")


class Rooms:
    """The open tables of a server, over one store."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self.store = store
        self.settings = settings
        self._rooms: OrderedDict[str, asyncio.Task[Room | None]] = OrderedDict()
        self._writer = ThreadPoolExecutor(store.writers, "gambeson-write")
        self._readers = ThreadPoolExecutor(4, "gambeson-read")
        self._stop_listening: Callable[[], None] | None = None
        self._tasks: set[asyncio.Task[Any]] = set()

    async def start(self) -> None:
        """Begin to hear of what others change."""
        loop = asyncio.get_running_loop()

        def heard(id: str, version: int) -> None:
            loop.call_soon_threadsafe(self._heard, id, version)

        self._stop_listening = self.store.listen(heard)
        self._spawn(self._sweep())
        self._spawn(self._beat())

    async def stop(self) -> None:
        """End streams, finish what is being written, keep snapshots, let go of the database."""
        self.end_streams()
        for task in list(self._tasks):
            task.cancel()
        for room in self._ready():
            async with room.lock:
                await self._keep_snapshot(room)
        if self._stop_listening is not None:
            await asyncio.get_running_loop().run_in_executor(self._readers, self._stop_listening)
        self._writer.shutdown(wait=True)
        self._readers.shutdown(wait=True)
        self.store.close()

    def end_streams(self) -> None:
        """Every stream ends, so that the server can."""
        for room in self._ready():
            room.end_streams()

    async def read(self, do: Callable[..., T], *args: Any) -> T:
        """Do something that reads from the store."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, do, *args)

    async def write(self, do: Callable[..., T], *args: Any) -> T:
        """Do something that writes to the store; it is finished even where nobody waits for it any more."""
        return await asyncio.shield(asyncio.get_running_loop().run_in_executor(self._writer, do, *args))

    async def seat(self, id: str, token: str) -> SeatRecord | None:
        """The seat at this table that the hash of a token opens, or None; the same work whether or not there is one."""
        task = self._rooms.get(id)
        if task is not None and task.done() and not task.cancelled() and task.exception() is None:
            room = task.result()
            if room is not None and not room.stale:
                return room.seats.get(token)
        return await self.read(self.store.seat_of, token, id)

    async def room(self, id: str) -> Room | None:
        """The open table of this id, opened where it was not; None: there is none."""
        task = self._rooms.get(id)
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            task = self._rooms[id] = asyncio.create_task(self._open(id))
        self._rooms.move_to_end(id)
        room = await asyncio.shield(task)
        if room is None:
            self._rooms.pop(id, None)
        return room

    async def _open(self, id: str) -> Room | None:
        record = await self.read(self.store.record, id)
        if record is None:
            return None
        seats = await self.read(self.store.seats, id)
        table = await self.read(load_table, self.store, id, record)
        if len(self._rooms) > self.settings.most_open:
            self._close_idle(0.0)
        return Room(self, record, table, seats)

    def _ready(self) -> list[Room]:
        rooms = []
        for task in self._rooms.values():
            if task.done() and not task.cancelled() and task.exception() is None:
                room = task.result()
                if room is not None:
                    rooms.append(room)
        return rooms

    @property
    def readers(self) -> int:
        """How many streams are open in all."""
        return sum(room.readers for room in self._ready())

    def _heard(self, id: str, version: int) -> None:
        for room in self._ready():
            if not id or room.id == id:
                self._spawn(room.heard(version))

    def _spawn(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def keep_snapshot(self, room: Room) -> None:
        """Keep a snapshot of a table, later."""
        self._spawn(self._keep_snapshot(room))

    async def _keep_snapshot(self, room: Room) -> None:
        if not room.table.version or room.stale:
            return
        try:
            await self.write(self.store.keep_snapshot, room.id, room.table.snapshot())
        except (Conflict, Unreachable) as error:
            logger.warning("table %s: no snapshot was kept: %s", room.id, error)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(self.settings.heartbeat)
            for room in self._ready():
                room.beat()

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(60)
            self._close_idle(self.settings.idle)

    def _close_idle(self, seconds: float) -> None:
        """Let tables go that nobody uses, the longest unused first."""
        now = time.monotonic()
        for room in self._ready():
            if seconds == 0.0 and len(self._rooms) <= self.settings.most_open:
                return
            if now - room.used >= seconds and not room.readers and not room.lock.locked():
                self._rooms.pop(room.id, None)

"""Open tables: inputs are worked out in one order, written down together, then answered and told to viewers."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from gambeson.engine.views import Secrets, Sight, Viewer
from gambeson.model.commands import Answer, Command
from gambeson.server.feeds import STILL_HERE, Feed, FeedKind, Subscriber
from gambeson.server.seats import NotYours, viewer_of
from gambeson.server.settings import Settings
from gambeson.table.keeping import lighten, load_table, snapshot_due
from gambeson.table.log import Row
from gambeson.table.rulings import REJECTED, Ruling
from gambeson.table.seeing import ruling_view, sight_of, standing, view
from gambeson.table.stores import Conflict, Entry, SeatRecord, Store, TableRecord, Unreachable
from gambeson.table.table import Table

logger = logging.getLogger("gambeson.server")

T = TypeVar("T")

MOST_TOGETHER = 64
"""Inputs that are written down in one transaction."""

REMEMBERED_KEYS = 1_000
"""Answers to recent inputs that are kept in memory for repeats."""

PATIENCE = (0.05, 0.1, 0.2, 0.4, 0.8, 1.0, 1.0, 1.0)
"""Seconds between tries while the database does not answer."""


class Reply(Struct, frozen=True):
    """What is answered: the status and the JSON document."""

    status: int
    body: bytes


class Input(Struct, frozen=True):
    """Something that a seat gives: how it goes to the table, the sender's id, the version that it was meant for."""

    seat: SeatRecord
    client: str
    give: Callable[[Table, Sight], Ruling]
    expect: int | None
    lang: str

    @property
    def key(self) -> str:
        """The sender's id, which is the seat's own affair."""
        return f"{self.seat.name}\n{self.client}"


class Busy(Exception):
    """The database does not answer."""


class Room:
    """One open table."""

    def __init__(self, rooms: Rooms, record: TableRecord, table: Table, seats: Sequence[SeatRecord]) -> None:
        self.id = record.id
        self.record = record
        self.table = table
        self.seats = {seat.token: seat for seat in seats}
        self.lock = asyncio.Lock()
        self.feeds: dict[tuple[Viewer, str, FeedKind], Feed] = {}
        self.used = time.monotonic()
        self.stale = False
        self._rooms = rooms
        self._queue: deque[tuple[Input, asyncio.Future[Reply]]] = deque()
        self._working: asyncio.Task[None] | None = None
        self._writing = False
        self._owed: list[Feed] = []
        self._keys: OrderedDict[str, Reply] = OrderedDict()

    # --- looking ----------------------------------------------------------------------------------------------

    @property
    def secrets(self) -> Secrets:
        """What is hidden here."""
        return self.record.secrets

    @property
    def readers(self) -> int:
        """How many streams are open."""
        return sum(len(feed.subscribers) for feed in self.feeds.values())

    def sight(self, seat: SeatRecord) -> Sight:
        """What a seat sees."""
        return sight_of(self.table, self.secrets, viewer_of(seat))

    async def look(self, read: Callable[[Table], T]) -> T:
        """Read the table as it is written down."""
        async with self.lock:
            await self._catch_up_if_stale()
            return read(self.table)

    # --- inputs -----------------------------------------------------------------------------------------------

    async def give(self, given: Input) -> Reply:
        """Give an input; the same answer for the same sender's id. Raises Busy where the database stays silent."""
        known = self._keys.get(given.key)
        if known is not None:
            return known
        answer: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._queue.append((given, answer))
        self.used = time.monotonic()
        if self._working is None:
            self._working = asyncio.create_task(self._work())
        return await answer

    async def _work(self) -> None:
        try:
            while self._queue:
                batch = [self._queue.popleft() for _ in range(min(MOST_TOGETHER, len(self._queue)))]
                async with self.lock:
                    await self._apply(batch)
                    self._pay()
        finally:
            self._working = None

    async def _apply(self, batch: list[tuple[Input, asyncio.Future[Reply]]]) -> None:
        """Work a batch out, write it down, answer it. What others wrote first, or already, is taken in before."""
        silent = 0
        while batch:
            try:
                await self._catch_up_if_stale()
                before = self.table.version
                batch = await self._attempt(batch)
                if self.table.version != before:
                    self._published(before)
            except Unreachable as error:
                self.stale = True
                if silent == len(PATIENCE):
                    logger.error("table %s: the database does not answer: %s", self.id, error)
                    _fail(batch, Busy())
                    return
                await asyncio.sleep(PATIENCE[silent])
                silent += 1
            except Exception as error:
                if len(batch) > 1:
                    for one in batch:
                        await self._apply([one])
                    return
                logger.exception("table %s: an input could not be worked out", self.id)
                _fail(batch, error)
                return

    async def _attempt(
        self, batch: list[tuple[Input, asyncio.Future[Reply]]]
    ) -> list[tuple[Input, asyncio.Future[Reply]]]:
        """Try once; gives what must be tried again. Raises Unreachable with the table as it was."""
        mark = self.table.mark()
        self._writing = True
        entries: list[Entry] = []
        replies: list[tuple[Input, asyncio.Future[Reply], Reply, bool]] = []
        try:
            for given, answer in batch:
                reply, rows = self._reply(given, {entry.key for entry in entries})
                replies.append((given, answer, reply, bool(rows)))
                entries += [
                    Entry(row, given.key if at == 0 else "", packed_reply(reply) if at == 0 else b"")
                    for at, row in enumerate(rows)
                ]
            if entries:
                await self._rooms.write(self._rooms.store.append, self.id, mark.version, entries)
        except Conflict:
            self.table.revert(mark)
            self._writing = False
            await self._refresh()
            return await self._without_known(batch)
        except BaseException:
            self.table.revert(mark)
            raise
        finally:
            self._writing = False
        again = []
        for given, answer, reply, kept in replies:
            if not kept and reply.status != 200:
                known = await self._known(given)
                if known is not None:
                    reply, kept = known, True
            if reply.status == AGAIN.status:
                again.append((given, answer))
                continue
            if kept:
                self._keys[given.key] = reply
            if not answer.done():
                answer.set_result(reply)
        while len(self._keys) > REMEMBERED_KEYS:
            self._keys.popitem(last=False)
        return again

    def _reply(self, given: Input, batched: set[str]) -> tuple[Reply, Sequence[Row]]:
        """What an input is answered as the table stands, and the rows that it brings."""
        if given.key in self._keys:
            return self._keys[given.key], ()
        if given.key in batched:
            return AGAIN, ()
        table = self.table
        if given.expect is not None and given.expect != table.version:
            return self._outdated(given), ()
        waiting = table.waiting
        before = table.version
        try:
            ruling = given.give(table, self.sight(given.seat))
        except NotYours:
            return FORBIDDEN, ()
        rows = table.rows[before:]
        answers: tuple[Answer, ...] = waiting.answers if waiting is not None else ()
        answers += tuple(answer for row in rows for answer in row.answers)
        asking: Command | None = waiting.command if waiting is not None else None
        sight = self.sight(given.seat)
        shown = ruling_view(ruling, sight, given.lang, answers, asking)
        pending = standing(table, sight, given.lang)["pending"]
        if ruling.status == REJECTED and not rows:
            refused = {
                "status": REJECTED,
                "rule": shown["rule"],
                "reason": shown["reason"],
                "field": ruling.refusal.field if ruling.refusal is not None and shown["reason"] else "",
                "version": table.version,
                "pending": pending,
            }
            return Reply(422, _encode(refused)), ()
        body = {"version": table.version, "status": ruling.status, "ruling": shown, "pending": pending}
        return Reply(200, _encode(body)), rows

    def _outdated(self, given: Input) -> Reply:
        shown = view(self.table, self.sight(given.seat), given.lang)
        return Reply(
            409,
            _encode(
                {"status_code": 409, "detail": "the table has moved on", "version": shown["version"], "view": shown}
            ),
        )

    async def _known(self, given: Input) -> Reply | None:
        """The first answer to this sender's id, where it was given before this server remembers."""
        kept = await self._rooms.read(self._rooms.store.answer, self.id, given.key)
        return unpacked_reply(kept) if kept is not None else None

    async def _without_known(
        self, batch: list[tuple[Input, asyncio.Future[Reply]]]
    ) -> list[tuple[Input, asyncio.Future[Reply]]]:
        """Answer what was written down already; the rest is left."""
        left = []
        for given, answer in batch:
            known = await self._known(given)
            if known is None:
                left.append((given, answer))
                continue
            self._keys[given.key] = known
            if not answer.done():
                answer.set_result(known)
        return left

    # --- what others do ---------------------------------------------------------------------------------------

    async def heard(self, version: int) -> None:
        """Somebody says that the table has this version now (0: that something about it has changed)."""
        if version and version <= self.table.version:
            return
        async with self.lock:
            try:
                if not version:
                    await self._renew()
                elif version > self.table.version:
                    await self._refresh()
            except Unreachable:
                self.stale = True

    async def _catch_up_if_stale(self) -> None:
        if self.stale:
            await self._renew()

    async def _renew(self) -> None:
        """Take in everything that may have changed elsewhere."""
        await self._refresh()
        store = self._rooms.store
        record = await self._rooms.read(store.record, self.id)
        seats = await self._rooms.read(store.seats, self.id)
        self.stale = False
        if record is not None:
            self.renewed(record, seats)

    async def _refresh(self) -> None:
        """Take in rows that others wrote, and tell viewers."""
        before = self.table.version
        rows = await self._rooms.read(self._rooms.store.rows, self.id, before + 1)
        if rows:
            self.table.follow(rows)
            self._published(before)

    def renewed(self, record: TableRecord, seats: Sequence[SeatRecord]) -> None:
        """Who sits here, and what is hidden, is now so: streams of those who have no seat any more end."""
        hidden = record.secrets != self.record.secrets
        self.record = record
        self.seats = {seat.token: seat for seat in seats}
        for key, feed in list(self.feeds.items()):
            for subscriber in list(feed.subscribers):
                seat = self.seats.get(subscriber.token)
                if seat is None or viewer_of(seat) != feed.viewer:
                    subscriber.end()
            if hidden:
                feed.settled()
                message = feed.whole(self.table, self.secrets, self.record.revision)
                fresh = self._feed(*key)
                fresh.subscribers = feed.subscribers
                self.feeds[key] = fresh
                for subscriber in fresh.subscribers:
                    subscriber.put(message)

    # --- streams ----------------------------------------------------------------------------------------------

    def _feed(self, viewer: Viewer, lang: str, kind: FeedKind) -> Feed:
        return kind(self.table, self.secrets, viewer, lang, self._rooms.settings.interval)

    def _published(self, before: int) -> None:
        """The table has moved on, and it is written down: viewers are told, now and then a snapshot is kept."""
        now = time.monotonic()
        for feed in self.feeds.values():
            if feed.due(now):
                feed.send(self.table, self.secrets, self.record.revision, now)
            else:
                feed.later(now, self._flush)
        if snapshot_due(before, self.table.version):
            self._rooms.keep_snapshot(self)
            lighten(self.table)

    def _flush(self, feed: Feed) -> None:
        """It is time for a feed's gathered changes; while something is being written they go out right after."""
        feed.settled()
        if self._writing:
            self._owed.append(feed)
        else:
            feed.send(self.table, self.secrets, self.record.revision, time.monotonic())

    def _pay(self) -> None:
        """Send what was due while something was being written."""
        owed, self._owed = self._owed, []
        for feed in owed:
            feed.send(self.table, self.secrets, self.record.revision, time.monotonic())

    async def stream(
        self, seat: SeatRecord, lang: str, seen: tuple[int, int] | None, kind: FeedKind = Feed
    ) -> AsyncIterator[bytes]:
        """What a seat may see of each change, from where it was on; `kind` makes its messages."""
        key = (viewer_of(seat), lang, kind)
        subscriber = Subscriber(seat.token)
        async with self.lock:
            await self._catch_up_if_stale()
            feed = self.feeds.get(key)
            if feed is None:
                feed = self.feeds[key] = self._feed(*key)
            feed.send(self.table, self.secrets, self.record.revision, time.monotonic())
            first = feed.since(self.table, self.secrets, self.record.revision, seen)
            feed.subscribers[subscriber] = None
        try:
            yield b"retry: 1000\n\n" + first
            while not subscriber.over:
                await subscriber.wait()
                if subscriber.lost:
                    async with self.lock:
                        subscriber.messages.clear()
                        subscriber.lost = False
                        whole = self.feeds[key].whole(self.table, self.secrets, self.record.revision)
                    yield whole
                elif subscriber.messages:
                    yield subscriber.take()
        finally:
            for feed in self.feeds.values():
                feed.subscribers.pop(subscriber, None)
            if key in self.feeds and not self.feeds[key].subscribers:
                del self.feeds[key]
            self.used = time.monotonic()

    def beat(self) -> None:
        """Every stream that is quiet shows that it lives."""
        for feed in self.feeds.values():
            for subscriber in feed.subscribers:
                if not subscriber.messages:
                    subscriber.put(STILL_HERE)

    def end_streams(self) -> None:
        """Every stream ends."""
        for feed in self.feeds.values():
            for subscriber in feed.subscribers:
                subscriber.end()


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


def _fail(batch: list[tuple[Input, asyncio.Future[Reply]]], error: Exception) -> None:
    for _, answer in batch:
        if not answer.done():
            answer.set_exception(error)


_encode = msgspec.json.Encoder().encode

AGAIN = Reply(0, b"")
"""Stands in for the answer to a repeat of something that is just being written."""

FORBIDDEN = Reply(403, _encode({"status_code": 403, "detail": "this seat may not act for others"}))


def packed_reply(reply: Reply) -> bytes:
    """An answer as it is kept with its row; only what was accepted is kept."""
    return reply.body


def unpacked_reply(kept: bytes) -> Reply:
    """An answer that was kept."""
    return Reply(200, kept)

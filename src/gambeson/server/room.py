"""One open table: inputs are worked out in one order, written down together, then answered and told to viewers."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, Protocol, TypeVar

from gambeson.engine.views import Secrets, Sight, Viewer
from gambeson.server.feeds import STILL_HERE, Feed, FeedKind, Subscriber
from gambeson.server.replies import AGAIN, Input, Reply, packed_reply, unpacked_reply, worked_out
from gambeson.server.seats import viewer_of
from gambeson.server.settings import Settings
from gambeson.table.keeping import lighten, snapshot_due
from gambeson.table.log import Row
from gambeson.table.seeing import sight_of
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


class Busy(Exception):
    """The database does not answer."""


class House(Protocol):
    """What an open table needs of the server that it is open at."""

    store: Store
    settings: Settings

    async def read(self, do: Callable[..., T], *args: Any) -> T:
        """Do something that reads from the store."""
        ...

    async def write(self, do: Callable[..., T], *args: Any) -> T:
        """Do something that writes to the store."""
        ...

    def keep_snapshot(self, room: Room) -> None:
        """Keep a snapshot of a table, later."""
        ...


def seconds_now() -> int:
    """The time, in seconds since 1970."""
    return int(time.time())


class Room:
    """One open table; `seen` is when each seat was here last."""

    def __init__(self, house: House, record: TableRecord, table: Table, seats: Sequence[SeatRecord]) -> None:
        self.id = record.id
        self.record = record
        self.table = table
        table.stamp = seconds_now
        self.seen: dict[str, float] = {}
        self.seats = {seat.token: seat for seat in seats}
        self.lock = asyncio.Lock()
        self.feeds: dict[tuple[Viewer, str, FeedKind], Feed] = {}
        self.used = time.monotonic()
        self.stale = False
        self._house = house
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
                await self._house.write(self._house.store.append, self.id, mark.version, entries)
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
        return worked_out(self.table, self.sight(given.seat), given)

    async def _known(self, given: Input) -> Reply | None:
        """The first answer to this sender's id, where it was given before this server remembers."""
        kept = await self._house.read(self._house.store.answer, self.id, given.key)
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
        store = self._house.store
        record = await self._house.read(store.record, self.id)
        seats = await self._house.read(store.seats, self.id)
        self.stale = False
        if record is not None:
            self.renewed(record, seats)

    async def _refresh(self) -> None:
        """Take in rows that others wrote, and tell viewers."""
        before = self.table.version
        rows = await self._house.read(self._house.store.rows, self.id, before + 1)
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
        return kind(self.table, self.secrets, viewer, lang, self._house.settings.interval)

    def _published(self, before: int) -> None:
        """The table has moved on, and it is written down: viewers are told, now and then a snapshot is kept."""
        now = time.monotonic()
        for feed in self.feeds.values():
            if feed.due(now):
                feed.send(self.table, self.secrets, self.record.revision, now)
            else:
                feed.later(now, self._flush)
        if snapshot_due(before, self.table.version):
            self._house.keep_snapshot(self)
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
            self.seen[seat.name] = time.time()
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


def _fail(batch: list[tuple[Input, asyncio.Future[Reply]]], error: Exception) -> None:
    for _, answer in batch:
        if not answer.done():
            answer.set_exception(error)

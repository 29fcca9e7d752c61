"""Streams of changes: each change is rendered once for all who see the same, sent at once or gathered for a moment."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any

import msgspec

from gambeson.engine.views import Secrets, Sight, Viewer
from gambeson.model.events import EntityAdded, EntityRemoved
from gambeson.table.seeing import entities_view, log_view, sight_of, standing, view
from gambeson.table.table import Table

MOST_WAITING = 64
"""Messages that may wait for a slow reader; past that it is sent the whole view again."""

FARTHEST_BACK = 500
"""Rows that a stream catches up with; past that it is sent the whole view."""


class Subscriber:
    """One reader of a stream."""

    __slots__ = ("_reader", "lost", "messages", "over", "token")

    def __init__(self, token: str) -> None:
        self.token = token
        self.messages: deque[bytes] = deque()
        self.lost = False
        self.over = False
        self._reader: asyncio.Future[None] | None = None

    def put(self, message: bytes) -> None:
        """A message for this reader."""
        if len(self.messages) >= MOST_WAITING:
            self.messages.clear()
            self.lost = True
        if not self.lost:
            self.messages.append(message)
        self._wake()

    def end(self) -> None:
        """Nothing more comes."""
        self.over = True
        self._wake()

    def _wake(self) -> None:
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)

    async def wait(self) -> None:
        """Until something is there."""
        if not self.messages and not self.lost and not self.over:
            self._reader = asyncio.get_running_loop().create_future()
            await self._reader

    def take(self) -> bytes:
        """Everything that waits."""
        taken = b"".join(self.messages)
        self.messages.clear()
        return taken


STILL_HERE = b": still here\n\n"
"""What is sent now and then, so that nobody on the way takes a quiet stream for a dead one."""


class Feed:
    """What one kind of viewer (role, entities, language) is sent of a table."""

    def __init__(self, table: Table, secrets: Secrets, viewer: Viewer, lang: str, interval: float) -> None:
        self.viewer = viewer
        self.lang = lang
        self.subscribers: dict[Subscriber, None] = {}
        self._interval = interval
        self._last = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._version = table.version
        self._shown: dict[str, Any] = {}
        self._remember(table, self._sight(table, secrets))

    def _sight(self, table: Table, secrets: Secrets) -> Sight:
        return sight_of(table, secrets, self.viewer)

    def _remember(self, table: Table, sight: Sight) -> None:
        self._version = table.version
        self._shown = entities_view(table, sight)

    def due(self, now: float) -> bool:
        """Whether a change may be sent at once: nothing was for a while, and nothing is being gathered."""
        return self._timer is None and now - self._last >= self._interval

    def later(self, now: float, flush: Callable[[Feed], None]) -> None:
        """Have what is gathered flushed when it is time."""
        if self._timer is None:
            wait = max(0.0, self._last + self._interval - now)
            self._timer = asyncio.get_running_loop().call_later(wait, flush, self)

    def settled(self) -> None:
        """Nothing is being gathered any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def send(self, table: Table, secrets: Secrets, revision: int, now: float) -> None:
        """Send every reader what has changed since the last time."""
        if not self.subscribers or self._version == table.version:
            return
        message = event("change", table.version, revision, self._change(table, self._sight(table, secrets)))
        self._last = now
        for subscriber in self.subscribers:
            subscriber.put(message)

    def _change(self, table: Table, sight: Sight) -> dict[str, Any]:
        """What has changed: entities that look different, and the new rows of the log."""
        before, rows = self._shown, table.rows[self._version :]
        self._remember(table, sight)
        now = self._shown
        entities = {id: shown for id, shown in now["entities"].items() if before["entities"].get(id) != shown}
        return {
            "version": table.version,
            "entities": entities,
            "gone": [id for id in before["entities"] if id not in now["entities"]],
            "clock": now["clock"],
            **standing(table, sight, self.lang),
            "log": log_view(table, rows, sight),
        }

    def whole(self, table: Table, secrets: Secrets, revision: int) -> bytes:
        """The whole view as a message."""
        return event("view", table.version, revision, view(table, self._sight(table, secrets), self.lang))

    def since(self, table: Table, secrets: Secrets, revision: int, seen: tuple[int, int] | None) -> bytes:
        """What a reader that comes needs first; `seen` is where it was (version, revision), None: nowhere."""
        now = (table.version, revision)
        if seen == now:
            return b""
        if seen is None or seen[1] != revision or not 0 <= table.version - seen[0] <= FARTHEST_BACK:
            return self.whole(table, secrets, revision)
        sight = self._sight(table, secrets)
        change = {
            "version": table.version,
            "gone": [],
            **entities_view(table, sight),
            **standing(table, sight, self.lang),
            "log": log_view(table, table.rows[seen[0] :], sight),
        }
        change["gone"] = list(dict.fromkeys(_left(table, seen[0], sight)))
        return event("change", table.version, revision, change)


FeedKind = Callable[[Table, Secrets, Viewer, str, float], Feed]
"""Makes the feed of a viewer: of a table, what is hidden, who looks, the language, seconds between messages."""


def _left(table: Table, since: int, sight: Sight) -> list[str]:
    gone = []
    for row in table.rows[since:]:
        for fact in sight.events((*row.events, *row.completed)):
            if isinstance(fact, EntityRemoved) and fact.entity not in table.state.entities:
                gone.append(fact.entity)
        if row.undoes:
            for fact in sight.events(table.rows[row.undoes - 1].events):
                if isinstance(fact, EntityAdded) and fact.entity.id not in table.state.entities:
                    gone.append(fact.entity.id)
    return gone


_encode = msgspec.json.Encoder().encode


def event(name: str, version: int, revision: int, data: Any) -> bytes:
    """A server-sent event."""
    return b"id: %s\nevent: %s\ndata: %s\n\n" % (place(version, revision).encode(), name.encode(), _encode(data))


def place(version: int, revision: int) -> str:
    """Where a stream is: the version, and how often what is hidden has changed, where it has."""
    return f"{version}.{revision}" if revision else str(version)


def read_place(written: str | None) -> tuple[int, int] | None:
    """The place that a reader says it has come to, or None."""
    if not written:
        return None
    version, _, revision = written.partition(".")
    if not (version.isascii() and version.isdigit() and len(version) < 16):
        return None
    if revision and not (revision.isascii() and revision.isdigit() and len(revision) < 16):
        return None
    return int(version), int(revision or 0)

"""What an input is answered: done, waiting, refused or too late, as the seat that gave it may read it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
from msgspec import Struct

from gambeson.engine.views import Sight
from gambeson.model.commands import Answer, Command
from gambeson.server.seats import NotYours
from gambeson.table.log import Row
from gambeson.table.rulings import REJECTED, Ruling
from gambeson.table.seeing import ruling_view, standing, view
from gambeson.table.stores import SeatRecord
from gambeson.table.table import Table


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


def worked_out(table: Table, sight: Sight, given: Input) -> tuple[Reply, Sequence[Row]]:
    """What an input is answered as the table stands, and the rows that it brings."""
    if given.expect is not None and given.expect != table.version:
        return _outdated(table, sight, given), ()
    waiting = table.waiting
    before = table.version
    try:
        ruling = given.give(table, sight)
    except NotYours:
        return FORBIDDEN, ()
    rows = table.rows[before:]
    answers: tuple[Answer, ...] = waiting.answers if waiting is not None else ()
    answers += tuple(answer for row in rows for answer in row.answers)
    asking: Command | None = waiting.command if waiting is not None else None
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


def _outdated(table: Table, sight: Sight, given: Input) -> Reply:
    shown = view(table, sight, given.lang)
    moved = {"status_code": 409, "detail": "the table has moved on", "version": shown["version"], "view": shown}
    return Reply(409, _encode(moved))

"""Inputs from pages go the same way as those of programs: one at a time, once for each client id."""

from __future__ import annotations

import secrets
from typing import Any

import msgspec

from gambeson.server.inputs import Give
from gambeson.server.replies import Input
from gambeson.server.room import Room
from gambeson.server.seats import good_name
from gambeson.table.stores import SeatRecord


class Outcome(msgspec.Struct, frozen=True):
    """What was answered: the status, and why not where it was refused."""

    status: int
    body: dict[str, Any]

    @property
    def done(self) -> bool:
        """Whether it was accepted."""
        return self.status == 200

    @property
    def paused(self) -> bool:
        """Whether somebody must decide or roll."""
        return bool(self.body.get("pending"))

    @property
    def reason(self) -> str:
        """Why not, in words, "" where nobody says."""
        return str(self.body.get("reason") or "")

    @property
    def rule(self) -> str:
        """The rule that says no."""
        return str(self.body.get("rule") or "")


def new_client() -> str:
    """An id for one input, so that it counts once however often it is sent."""
    return secrets.token_urlsafe(12)


def client_of(given: Any) -> str:
    """The id that a form carries, or a new one."""
    id = str(given or "")
    return id if good_name(id) else new_client()


async def given(room: Room, seat: SeatRecord, give: Give, client: str, lang: str) -> Outcome:
    """Give it, and what was answered."""
    reply = await room.give(Input(seat, client, give, None, lang))
    return Outcome(reply.status, msgspec.json.decode(reply.body, type=dict[str, Any]))

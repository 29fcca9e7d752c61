"""Inputs from pages go the same way as those of programs: one at a time, once for each client id."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

import msgspec

from gambeson.engine.views import Sight
from gambeson.model.commands import Command
from gambeson.server.api import answer
from gambeson.server.rooms import Input, Room
from gambeson.server.seats import acting, good_name, undoing
from gambeson.table.rulings import REJECTED, Ruling
from gambeson.table.stores import SeatRecord
from gambeson.table.table import Table

Give = Callable[[Table, Sight], Ruling]


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


def commanding(seat: SeatRecord, command: Command, client: str, rolls: tuple[int, ...] = ()) -> Give:
    """Gives a command for a seat."""

    def give(table: Table, sight: Sight) -> Ruling:
        fields = command.fields
        by = acting(seat, command.name, fields, "", sight.state(table.state).entities)
        meant = Command(command.name, fields, by)
        stranger = sight.stranger(table.state, meant)
        if stranger is not None:
            return Ruling(table.pack, REJECTED, table.state, table.state, meant, refusal=stranger)
        return table.submit(meant, rolls=rolls, client=client)

    return give


def answering(seat: SeatRecord, key: str, name: str, value: Any, client: str) -> Give:
    """Answers an open question for a seat: `answer` with an option, `roll` with dice."""

    def give(table: Table, sight: Sight) -> Ruling:
        return answer(table, sight, seat, key, name, value, client)

    return give


def undo(seat: SeatRecord, client: str) -> Give:
    """Takes back the last command for a seat."""

    def give(table: Table, _: Sight) -> Ruling:
        able = [id for id in seat.entities if table.undo_refusal(id) is None]
        return table.undo(by=undoing(seat, able), client=client)

    return give


async def given(room: Room, seat: SeatRecord, give: Give, client: str, lang: str) -> Outcome:
    """Give it, and what was answered."""
    reply = await room.give(Input(seat, client, give, None, lang))
    return Outcome(reply.status, msgspec.json.decode(reply.body, type=dict[str, Any]))

"""What every screen needs: who asks, its words, the frame around it, and how forms are answered."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from litestar import Request, Response
from litestar.exceptions import NotFoundException, PermissionDeniedException
from litestar.response import Redirect
from msgspec import Struct

from gambeson.engine.views import PLAYER, SCREEN, Sight
from gambeson.model.values import REFEREE
from gambeson.server.access import room_of
from gambeson.server.forms import Id
from gambeson.server.page.asking import Asker, may_act, may_strike
from gambeson.server.page.drawing import Words, answered, drawn, words
from gambeson.server.page.dyes import name as game_name
from gambeson.server.page.giving import Outcome, new_client
from gambeson.server.page.looks import Looks, looks_of
from gambeson.server.page.telling import rule_text
from gambeson.server.room import Room
from gambeson.table.stores import SeatRecord
from gambeson.table.table import Table

AnyRequest = Request[Any, Any, Any]

SCRIPTED = "x-gambeson"
"""The header by which the page's own script says that it sends a form."""


class Visit(Struct, frozen=True):
    """One request at a table: the room, the seat, and how its person likes to see."""

    room: Room
    seat: SeatRecord
    looks: Looks
    scripted: bool

    @property
    def id(self) -> str:
        """The table's id."""
        return self.room.id

    @property
    def t(self) -> Words:
        """What is said here."""
        return words(self.room.table.pack.folder, self.looks.lang)

    @property
    def referee(self) -> bool:
        """Whether the referee asks."""
        return self.seat.role == REFEREE

    @property
    def title(self) -> str:
        """What the table is called."""
        return self.room.record.title or game_name(self.room.table.pack.folder, self.looks.lang)[0]

    def sight(self) -> Sight:
        """What the seat sees."""
        return self.room.sight(self.seat)

    def here(self, path: str = "") -> str:
        """An address at this table."""
        return f"/t/{self.id}/{path}" if path else f"/t/{self.id}"

    def page(self, template: str, table: Table, status: int = 200, **values: Any) -> Response[str]:
        """A whole screen."""
        html = drawn(template, self.t, self.looks, **{**self.frame(table), **values})
        return answered(html, status)

    def frame(self, table: Table) -> dict[str, Any]:
        """What the frame around every screen shows."""
        sight = self.sight()
        return {
            "id": self.id,
            "title": self.title,
            "seat": self.seat.name if self.seat.role == PLAYER else "",
            "role": self.seat.role,
            "referee": self.referee,
            "screen": self.seat.role == SCREEN,
            "version": table.version,
            "asks": Asker(table, sight, self.t).asks(),
            "may_act": may_act(sight),
            "may_strike": may_strike(table, sight),
            "client": new_client(),
            "now": int(time.time() * 1000),
            "refused": None,
        }


async def visit(request: AnyRequest, id: Id, kind: str = "look") -> Visit:
    """Who asks at a table. Raises NotFoundException."""
    room, seat = await room_of(request, id, kind)
    return Visit(room, seat, looks_of(request), SCRIPTED in request.headers)


def must_act(who: Visit) -> None:
    """Raises PermissionDeniedException for seats that only look."""
    if not may_act(who.sight()):
        raise PermissionDeniedException("this seat only looks")


async def form(request: AnyRequest) -> dict[str, Any]:
    """A filled-in form: each name with its value, or the list of its values."""
    given = await request.form()
    found: dict[str, Any] = {}
    for name, value in given.multi_items():
        if name in found:
            before = found[name]
            found[name] = [*before, value] if isinstance(before, list) else [before, value]
        else:
            found[name] = value
    return found


class Refused(Struct, frozen=True):
    """Why something was not done."""

    reason: str
    rule: Any = None


def refused_of(who: Visit, outcome: Outcome) -> Refused:
    """Why an input was refused."""
    if outcome.status == 403:
        return Refused(who.t("refused.seat"))
    reason = outcome.reason or who.t("refused.unknown")
    return Refused(reason, rule_text(who.room.table.pack, outcome.rule, who.looks.lang) if outcome.rule else None)


def went(who: Visit, to: str) -> Response[Any]:
    """It is done: where to go on."""
    if who.scripted:
        return Response("", status_code=200, headers={"X-Go": to}, media_type="text/plain")
    return Redirect(to, status_code=303)


def said_no(who: Visit, refused: Refused, blocked: bool = False) -> Response[str]:
    """It is refused: the script of the page shows this in place; `blocked`: with the way to what is open."""
    asking = blocked and bool(Asker(who.room.table, who.sight(), who.t).asks())
    return answered(drawn("part/refused.html", who.t, who.looks, refused=refused, id=who.id, asking=asking), 422)


async def after(who: Visit, path: str = "") -> str:
    """Where an input leads: to what this seat may decide now, else back to the table (or this path of it)."""

    def mine(table: Table) -> bool:
        return any(ask.mine or ask.theirs for ask in Asker(table, who.sight(), who.t).asks())

    return who.here("ask") if await who.room.look(mine) else who.here(path)


def lost(request: AnyRequest, error: NotFoundException) -> Response[str]:
    """404 for people."""
    looks = looks_of(request)
    return answered(drawn("lost.html", words(None, looks.lang), looks, text="lost"), 404)


def denied(request: AnyRequest, error: PermissionDeniedException) -> Response[str]:
    """403 for people."""
    looks = looks_of(request)
    return answered(drawn("lost.html", words(None, looks.lang), looks, text="denied"), 403)


def values_of(given: Mapping[str, Any], name: str) -> list[str]:
    """All values of a name."""
    value = given.get(name, [])
    return [value] if isinstance(value, str) else [str(one) for one in value]

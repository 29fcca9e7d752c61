"""Who sits here: links as QR codes, seats set up and taken away, and what is hidden."""

from __future__ import annotations

import time
from typing import Any

from litestar import Request, Response, get, post
from litestar.exceptions import NotFoundException
from markupsafe import Markup
from msgspec import Struct

from gambeson.engine.views import PLAYER, SCREEN, Secrets
from gambeson.model.values import REFEREE
from gambeson.server.access import only_referee
from gambeson.server.forms import Id
from gambeson.server.page.qr import drawn as qr
from gambeson.server.page.serving import AnyRequest, Refused, Visit, form, said_no, values_of, visit
from gambeson.server.page.strike import Chip
from gambeson.server.rooms import Rooms
from gambeson.server.seats import good_name, issued
from gambeson.table.table import Table

LOOPBACK = ("localhost", "127.0.0.1", "::1", "[::1]")


class Seated(Struct, frozen=True):
    """One seat."""

    name: str
    shown: str
    plays: str
    here: bool
    ago: str
    role: str


class Link(Struct, frozen=True):
    """A new link, told once."""

    shown: str
    address: str
    code: Markup


def base_of(request: Request[Any, Any, Any]) -> str:
    """Where this server is reached from other devices."""
    host = request.headers.get("host", "")
    name, colon, port = host.rpartition(":") if ":" in host and not host.endswith("]") else (host, "", "")
    others = [known for known in request.app.state.rooms.settings.hosts if known not in LOOPBACK]
    if name in LOOPBACK and others:
        host = f"{others[-1]}{colon}{port}"
    return f"{request.url.scheme}://{host}"


@get("/t/{id:str}/seats", include_in_schema=False)
async def seats(request: AnyRequest, id: Id) -> Response[str]:
    """The seats of the table."""
    who = await visit(request, id)
    if not who.referee:
        return await who.room.look(lambda table: _own_seat(who, table))
    return await _seats(who, None)


def _own_seat(who: Visit, table: Table) -> Response[str]:
    plays, called = _plays(who, table, who.seat.entities), _called(who, table, who.seat.name)
    return who.page("seat.html", table, plays=plays, called=called)


def _called(who: Visit, table: Table, name: str) -> str:
    """The name of a seat; one that is called like an entity's id has that entity's name."""
    return who.t.person(table.state.entities.get(name), name)


def _plays(who: Visit, table: Table, ids: tuple[str, ...]) -> str:
    return ", ".join(_called(who, table, id) for id in ids)


async def _seats(who: Visit, link: Link | None, refused: Refused | None = None) -> Response[str]:
    def read(table: Table) -> Response[str]:
        here = {subscriber.token for feed in who.room.feeds.values() for subscriber in feed.subscribers}
        kept = {REFEREE: who.t("referee"), SCREEN: who.t("seats.wall")}
        shown = []
        for seat in who.room.seats.values():
            name = kept.get(seat.name) or _called(who, table, seat.name)
            plays = _plays(who, table, seat.entities) if seat.role == PLAYER else who.t(f"seats.role.{seat.role}")
            shown.append(Seated(seat.name, name, plays, seat.token in here, _ago(who, seat.name), seat.role))
        shown.sort(key=lambda seat: (seat.role == SCREEN, seat.role == REFEREE))
        secrets = who.room.secrets
        people = [
            (Chip(id, who.t.person(entity, id), id, id in secrets.numbers), id in secrets.entities)
            for id, entity in table.state.entities.items()
        ]
        status = 422 if refused else 200
        return who.page("seats.html", table, status, seats=shown, link=link, people=people, refused=refused)

    return await who.room.look(read)


def _ago(who: Visit, name: str) -> str:
    """When somebody was here last, in words."""
    then = who.room.seen.get(name)
    if then is None:
        return who.t("seats.away")
    minutes = max(0, int(time.time() - then)) // 60
    if minutes < 1:
        return who.t("seats.just_now")
    return who.t("seats.ago", n=minutes) if minutes < 60 else who.t("seats.hours_ago", n=minutes // 60)


@post("/t/{id:str}/seats", status_code=200, include_in_schema=False)
async def change(request: AnyRequest, id: Id) -> Response[Any]:
    """A seat is set up, gets a new link, or is taken away."""
    who = await visit(request, id, "command")
    only_referee(who.seat)
    given = await form(request)
    rooms: Rooms = request.app.state.rooms
    name = str(given.get("name", "")).strip()
    if not good_name(name):
        return await _no(who, Refused(who.t("seats.bad_name")))
    if given.get("how") == "revoke":
        if name == REFEREE or not await rooms.write(rooms.store.remove_seat, id, name):
            raise NotFoundException
        await who.room.heard(0)
        return await _seats(who, None)
    old = next((seat for seat in who.room.seats.values() if seat.name == name), None)
    own = name in (REFEREE, SCREEN)
    entities = () if own else tuple(values_of(given, "entity")) or (old.entities if old is not None else ())
    if name == REFEREE:
        return await _no(who, Refused(who.t("seats.bad_name")))
    record, token = issued(id, name, entities)
    await rooms.write(rooms.store.put_seat, record)
    await who.room.heard(0)
    address = f"{base_of(request)}/join/{token}"
    shown = who.t("seats.wall") if name == SCREEN else _called(who, who.room.table, name)
    return await _seats(who, Link(shown, address, qr(address, who.t("seats.code", name=shown))))


async def _no(who: Visit, refused: Refused) -> Response[str]:
    return said_no(who, refused) if who.scripted else await _seats(who, None, refused)


@post("/t/{id:str}/hide", status_code=200, include_in_schema=False)
async def hide(request: AnyRequest, id: Id) -> Response[Any]:
    """The referee hides numbers, or whole entities, from everybody whose they are not."""
    who = await visit(request, id, "command")
    only_referee(who.seat)
    given = await form(request)
    rooms: Rooms = request.app.state.rooms
    old = who.room.secrets
    numbers = {one: old.numbers.get(one, ()) for one in values_of(given, "numbers")}
    hidden = Secrets(tuple(values_of(given, "whole")), numbers, old.rolls)
    await rooms.write(rooms.store.set_secrets, id, hidden)
    await who.room.heard(0)
    return await _seats(who, None)


SEATING = (seats, change, hide)

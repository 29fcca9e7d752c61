"""Who asks: the token of a request, the seat that it opens, the table that it is at."""

from __future__ import annotations

import time
from typing import Any

from litestar import Request
from litestar.exceptions import NotFoundException, PermissionDeniedException

from gambeson.model.values import REFEREE
from gambeson.server.guard import Limiter
from gambeson.server.room import Room
from gambeson.server.rooms import Rooms
from gambeson.server.seats import hashed
from gambeson.table.stores import SeatRecord

AnyRequest = Request[Any, Any, Any]


def token_of(request: AnyRequest, id: str) -> str:
    """The token that a request shows for a table, or nothing."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return token.strip()
    return request.cookies.get(cookie_name(id), "")


def cookie_name(id: str) -> str:
    """The cookie that holds the token of a table's seat."""
    return f"gambeson-{id}"


def lang_of(request: AnyRequest) -> str:
    """The language that a request asks for."""
    asked = request.query_params.get("lang", "") or request.headers.get("accept-language", "")
    return "ru" if asked.strip().lower().startswith("ru") else "en"


async def seat_of(request: AnyRequest, id: str, kind: str) -> SeatRecord:
    """The seat that asks. Raises NotFoundException for a missing, wrong, old or other table's token, all alike."""
    rooms: Rooms = request.app.state.rooms
    limiter: Limiter = request.app.state.limiter
    settings = rooms.settings
    token = hashed(token_of(request, id))
    seat = await rooms.seat(id, token) if len(id) <= 64 and id.isascii() else None
    if seat is None:
        limiter.take("stranger", address_of(request), settings.strangers)
        raise NotFoundException("there is no such table, or the token does not open it")
    rates = {"command": settings.commands, "odds": settings.odds}
    limiter.take(kind, token, rates.get(kind, settings.looks))
    return seat


def address_of(request: AnyRequest) -> str:
    """Where a request comes from."""
    return request.client.host if request.client is not None else ""


async def room_of(request: AnyRequest, id: str, kind: str = "look") -> tuple[Room, SeatRecord]:
    """The open table and the seat that asks."""
    seat = await seat_of(request, id, kind)
    room = await request.app.state.rooms.room(id)
    if room is None:
        raise NotFoundException("there is no such table, or the token does not open it")
    room.seen[seat.name] = time.time()
    return room, seat


def only_referee(seat: SeatRecord) -> None:
    """Raises PermissionDeniedException for any other seat."""
    if seat.role != REFEREE:
        raise PermissionDeniedException("only the referee may do this")

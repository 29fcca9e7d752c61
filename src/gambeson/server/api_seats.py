"""The API of seats: who sits at a table, and what is hidden from whom."""

from __future__ import annotations

from litestar import delete, get, post, put
from litestar.exceptions import HTTPException, NotFoundException
from litestar.params import FromPath, JSONBody

from gambeson.engine.views import PLAYER, Secrets
from gambeson.model.values import REFEREE
from gambeson.server.access import AnyRequest, only_referee, room_of
from gambeson.server.forms import INPUT, Id, NewSeat, Seat, Token
from gambeson.server.rooms import Rooms
from gambeson.server.seats import good_name, issued


@get("/api/tables/{id:str}/seats", responses=INPUT, tags=["seats"])
async def list_seats(request: AnyRequest, id: Id) -> list[Seat]:
    """The seats of the table."""
    room, seat = await room_of(request, id)
    only_referee(seat)
    return [Seat(seat.name, seat.role, seat.entities) for seat in room.seats.values()]


@post("/api/tables/{id:str}/seats", status_code=201, responses=INPUT, tags=["seats"])
async def set_seat(request: AnyRequest, id: Id, data: JSONBody[NewSeat]) -> Token:
    """Set up a seat, or give one a new token; the old token opens nothing any more."""
    room, seat = await room_of(request, id)
    only_referee(seat)
    if not good_name(data.name):
        raise HTTPException(status_code=400, detail="name: 1 to 100 printable characters")
    record, token = issued(id, data.name, data.entities)
    if record.role != PLAYER and data.entities:
        raise HTTPException(status_code=400, detail=f"{data.name} has no entities")
    rooms: Rooms = request.app.state.rooms
    await rooms.write(rooms.store.put_seat, record)
    await room.heard(0)
    return Token(token)


@delete("/api/tables/{id:str}/seats/{name:str}", status_code=204, responses=INPUT, tags=["seats"])
async def revoke_seat(request: AnyRequest, id: Id, name: FromPath[str]) -> None:
    """Take a seat away; its token opens nothing any more."""
    room, seat = await room_of(request, id)
    only_referee(seat)
    if name == REFEREE:
        raise HTTPException(status_code=400, detail="the referee's seat stays; give it a new token instead")
    rooms: Rooms = request.app.state.rooms
    if not good_name(name) or not await rooms.write(rooms.store.remove_seat, id, name):
        raise NotFoundException("there is no such seat")
    await room.heard(0)


@get("/api/tables/{id:str}/secrets", responses=INPUT, tags=["seats"])
async def see_secrets(request: AnyRequest, id: Id) -> Secrets:
    """What is hidden at this table."""
    room, seat = await room_of(request, id)
    only_referee(seat)
    return room.secrets


@put("/api/tables/{id:str}/secrets", status_code=200, responses=INPUT, tags=["seats"])
async def set_secrets(request: AnyRequest, id: Id, data: JSONBody[Secrets]) -> Secrets:
    """Say what is hidden: entities, numbers of pools (`{ENTITY: [LAYER, ...]}`, none named: all), dice of rollers."""
    room, seat = await room_of(request, id)
    only_referee(seat)
    for layers in data.numbers.values():
        for layer in layers:
            if layer not in room.table.pack.layers:
                allowed = ", ".join(room.table.pack.layers)
                raise HTTPException(status_code=400, detail=f"numbers: the layers are {allowed}")
    rooms: Rooms = request.app.state.rooms
    await rooms.write(rooms.store.set_secrets, id, data)
    await room.heard(0)
    return room.secrets


SEAT_HANDLERS = (list_seats, set_seat, revoke_seat, see_secrets, set_secrets)

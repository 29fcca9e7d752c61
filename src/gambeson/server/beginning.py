"""Tables begin: from a game, a scenario, or a table that was exported."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import msgspec
from litestar.exceptions import HTTPException
from msgspec import Struct
from msgspec.structs import replace

from gambeson.engine.views import SCREEN
from gambeson.games import texts
from gambeson.games.documents import Document, read_text
from gambeson.games.folders import known
from gambeson.model.errors import Fault, Unusable, dotted
from gambeson.model.messages import message
from gambeson.model.values import REFEREE, State
from gambeson.server.rooms import Rooms
from gambeson.server.seats import first_seats, good_name, printable
from gambeson.table.keeping import keep_whole, new_record
from gambeson.table.saving import decode
from gambeson.table.stores import Store, new_id
from gambeson.table.table import Table
from gambeson.testing.running import play

LARGEST_SCENARIO = 60_000


class Begun(Struct, frozen=True):
    """A table that has begun: its tokens by seat."""

    id: str
    version: int
    tokens: dict[str, str]


async def begun(
    rooms: Rooms,
    game: str,
    title: str,
    scenario: Mapping[str, Any] | str | None,
    seats: Mapping[str, tuple[str, ...]] | None,
) -> Begun:
    """Begin a table. Raises Unusable, or HTTPException where a name is bad."""
    if not printable(title):
        raise HTTPException(status_code=400, detail="title: printable characters")
    return await rooms.write(begin_table, rooms.store, game, title, scenario, seats)


def begin_table(
    store: Store,
    game: str,
    title: str = "",
    scenario: Mapping[str, Any] | str | None = None,
    seats: Mapping[str, tuple[str, ...]] | None = None,
) -> Begun:
    """Begin a table in a store: its scenario's entities are seated, its steps played. Raises Unusable."""
    if scenario is None:
        table = Table(_game(game))
    else:
        table, said = _played(scenario, game)
        title = title or said
    id = new_id()
    players = seats if seats is not None else seats_of(table.state)
    if not all(good_name(name) and name not in (REFEREE, SCREEN) for name in players):
        raise HTTPException(status_code=400, detail="seats: names of 1 to 100 printable characters, not the referee's")
    issued = first_seats(id, players)
    rows = tuple(replace(row, at=int(time.time())) for row in table.rows)
    store.create(new_record(id, table, title[:200]), [seat for seat, _ in issued], rows)
    return Begun(id, table.version, {seat.name: token for seat, token in issued})


def _game(name: str) -> str:
    """A game that the server has. Raises Unusable."""
    if name not in known():
        raise Unusable((Fault(("game",), message("fault.field.not_among", got=name, meant="", allowed=known())),))
    return name


def _played(scenario: Mapping[str, Any] | str, game: str) -> tuple[Table, str]:
    document = _document(scenario)
    data = document.data
    named = data.get("game") if isinstance(data, dict) else None
    if not isinstance(named, str) or (game and named != game):
        raise Unusable((Fault(("game",), message("fault.field.not_among", got=str(named), meant="", allowed=known())),))
    _game(named)
    played = play(document)
    if played.table is None or played.scenario is None:
        raise Unusable((Fault(("expect_fault",), message("fault.scenario.expect_fault")),))
    title = played.scenario.title
    return played.table, title if printable(title) else ""


def _document(scenario: Mapping[str, Any] | str) -> Document:
    if isinstance(scenario, str):
        return read_text(scenario)
    return read_text(msgspec.json.encode(scenario), "scenario.json")


def seats_of(state: State) -> dict[str, tuple[str, ...]]:
    """The players' seats of a table where nobody says: one for each player or controller, else for each entity."""
    seats: dict[str, tuple[str, ...]] = {}
    for id, entity in state.entities.items():
        owner = entity.facts.get("player") or entity.facts.get("controller") or id
        if isinstance(owner, str) and owner not in (REFEREE, SCREEN) and good_name(owner):
            seats[owner] = (*seats.get(owner, ()), id)
    return seats


async def imported(rooms: Rooms, document: bytes) -> Begun:
    """Begin a table from one that was exported. Raises Unusable."""
    return await rooms.write(import_table, rooms.store, document)


def import_table(store: Store, document: bytes) -> Begun:
    """Keep a table that was exported, under a new id with new tokens. Raises Unusable."""
    saved = decode(document)
    _game(saved.game)
    id = new_id()
    players = {name: ids for name, ids in saved.seats.items() if good_name(name) and name not in (REFEREE, SCREEN)}
    issued = first_seats(id, players)
    title = saved.title[:200] if printable(saved.title) else ""
    saved = msgspec.structs.replace(saved, title=title)
    table = keep_whole(store, id, saved, [seat for seat, _ in issued])
    return Begun(id, table.version, {seat.name: token for seat, token in issued})


def faults_said(unusable: Unusable, lang: str) -> list[str]:
    """What is wrong with a document, in words."""
    said = texts(None, lang)
    lines = []
    for fault in unusable.faults[:20]:
        where = dotted(fault.path)
        try:
            what = said.say(fault.message)
        except (KeyError, LookupError):
            what = fault.message.id
        lines.append(f"{where}: {what}" if where else what)
    return lines

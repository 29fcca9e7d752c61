"""The HTTP API: what each request asks of a table, and how it is answered."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

import msgspec
from litestar import Response, get, post
from litestar.exceptions import HTTPException
from litestar.params import JSONBody, QueryParameter
from litestar.response import Stream

from gambeson import __version__
from gambeson.engine.odds import Odds
from gambeson.engine.views import Sight
from gambeson.games import texts
from gambeson.model.commands import Command
from gambeson.model.outcomes import Refusal
from gambeson.model.values import REFEREE, frozen
from gambeson.server.access import AnyRequest, address_of, lang_of, only_referee, room_of
from gambeson.server.api_seats import SEAT_HANDLERS
from gambeson.server.beginning import Begun, begun, imported
from gambeson.server.feeds import read_place
from gambeson.server.forms import (
    CHANCES,
    INPUT,
    REFUSALS,
    Answered,
    Asked,
    Given,
    Health,
    Id,
    Lang,
    NewTable,
    Opened,
    Tokens,
    Tried,
    said,
)
from gambeson.server.guard import TooFast
from gambeson.server.inputs import answer, answering, checked_command, commanding, good_client, meaning, undo
from gambeson.server.replies import Input, Reply
from gambeson.server.room import Room
from gambeson.server.rooms import Rooms
from gambeson.table.foreseen import Foreseeing, foreseen_view, of_command, of_waiting
from gambeson.table.keeping import saved_whole
from gambeson.table.rulings import REJECTED, Ruling
from gambeson.table.saving import Saved
from gambeson.table.scenarios import scenario_text
from gambeson.table.seeing import LOG_SHOWN, preview_view, view
from gambeson.table.stores import Unreachable
from gambeson.table.table import Table

MOST_LOG = 1_000


def replied(reply: Reply) -> Response[bytes]:
    """An answer that is rendered already."""
    return Response(reply.body, status_code=reply.status, media_type="application/json")


# --- tables ---------------------------------------------------------------------------------------------------


@post("/api/tables", status_code=201, responses=REFUSALS, tags=["tables"])
async def begin_table(request: AnyRequest, data: JSONBody[NewTable]) -> Opened:
    """Begin a table."""
    rooms: Rooms = request.app.state.rooms
    request.app.state.limiter.take("stranger", address_of(request), rooms.settings.strangers)
    return opened(await begun(rooms, data.game, data.title, data.scenario, data.seats))


@post("/api/tables/import", status_code=201, responses={**REFUSALS, 413: said("too large")}, tags=["tables"])
async def import_table(request: AnyRequest, data: JSONBody[dict[str, Any]]) -> Opened:
    """Begin a table from one that was exported."""
    rooms: Rooms = request.app.state.rooms
    request.app.state.limiter.take("stranger", address_of(request), rooms.settings.strangers)
    return opened(await imported(rooms, await request.body()))


def opened(table: Begun) -> Opened:
    """A table that has begun, with its tokens."""
    players = {name: token for name, token in table.tokens.items() if name not in (REFEREE, "screen")}
    return Opened(table.id, table.version, Tokens(table.tokens[REFEREE], table.tokens["screen"], players))


@get("/api/tables/{id:str}", responses=REFUSALS, tags=["tables"])
async def look(
    request: AnyRequest,
    id: Id,
    lang: Lang = "",
    log: Annotated[int, QueryParameter(ge=0, le=MOST_LOG, description="rows of the log to show")] = LOG_SHOWN,
) -> Response[bytes]:
    """The table as this seat sees it."""
    room, seat = await room_of(request, id)

    def read(table: Table) -> bytes:
        rows = table.rows[max(0, table.version - log) :]
        return _encode(view(table, room.sight(seat), lang_of(request), rows))

    return replied(Reply(200, await room.look(read)))


@get("/api/tables/{id:str}/export", responses={**REFUSALS, 403: said("not the referee")}, tags=["tables"])
async def export_table(
    request: AnyRequest,
    id: Id,
    form: Annotated[str, QueryParameter(name="as", required=False, description="`scenario`: a scenario file")] = "",
) -> Response[bytes]:
    """The whole table as one document, or as a scenario file that plays it again."""
    _, seat = await room_of(request, id)
    only_referee(seat)
    if form not in ("", "table", "scenario"):
        raise HTTPException(status_code=400, detail="`as` is table or scenario")
    rooms: Rooms = request.app.state.rooms
    whole = await rooms.read(saved_whole, rooms.store, id)
    if form == "scenario":
        text = await rooms.read(scenario_text, msgspec.json.decode(whole, type=Saved))
        return Response(text.encode(), media_type="application/yaml; charset=utf-8")
    return Response(whole, media_type="application/json")


# --- inputs ---------------------------------------------------------------------------------------------------


@post("/api/tables/{id:str}/commands", status_code=200, responses=INPUT, tags=["play"])
async def give_command(request: AnyRequest, id: Id, data: JSONBody[Given], lang: Lang = "") -> Response[bytes]:
    """Give a command. A repeated `client_id` is answered with the first answer and changes nothing."""
    room, seat = await room_of(request, id, "command")
    name, fields, by = checked_command(data.command)
    good_client(data.client_id)
    if name in ("answer", "roll"):
        give = answering(seat, "", name, fields, data.client_id)
    elif name == "undo":
        give = undo(seat, data.client_id)
    else:
        give = commanding(seat, Command(name, frozen(fields)), data.client_id, by, data.answers, data.rolls)
    return await taken(room, Input(seat, data.client_id, give, data.expect_version, lang_of(request)))


@post("/api/tables/{id:str}/answers", status_code=200, responses=INPUT, tags=["play"])
async def give_answer(request: AnyRequest, id: Id, data: JSONBody[Answered], lang: Lang = "") -> Response[bytes]:
    """Answer an open decision: with an option, or with dice."""
    room, seat = await room_of(request, id, "command")
    good_client(data.client_id)
    if (data.option is None) == (data.rolls is None):
        raise HTTPException(status_code=400, detail="an answer has either `option` or `rolls`")
    name, value = ("answer", data.option) if data.rolls is None else ("roll", data.rolls)

    def give(table: Table, sight: Sight) -> Ruling:
        return answer(table, sight, seat, data.decision, name, value, data.client_id)

    return await taken(room, Input(seat, data.client_id, give, None, lang_of(request)))


async def taken(room: Room, given: Input) -> Response[bytes]:
    """The answer to an input."""
    return replied(await room.give(given))


@post("/api/tables/{id:str}/preview", status_code=200, responses=INPUT, tags=["play"])
async def try_command(request: AnyRequest, id: Id, data: JSONBody[Tried], lang: Lang = "") -> Response[bytes]:
    """What a command would do, as far as this seat can know; nothing is committed."""
    room, seat = await room_of(request, id)
    command, by = tried(data.command, "preview")

    def read(table: Table) -> Reply:
        sight = room.sight(seat)
        meant = meaning(table, sight, seat, command, by)
        shown = preview_view(table, sight, meant, data.answers, data.rolls, lang_of(request))
        return Reply(422 if shown["status"] == REJECTED else 200, _encode(shown))

    return replied(await room.look(read))


def tried(written: dict[str, Any], what: str) -> tuple[Command, str]:
    """A command to look ahead at, and who acts. Raises HTTPException."""
    name, fields, by = checked_command(written)
    if name in ("answer", "roll", "undo"):
        raise HTTPException(status_code=400, detail=f"{name} has no {what}")
    return Command(name, frozen(fields)), by


@post("/api/tables/{id:str}/odds", status_code=200, responses={200: CHANCES, **INPUT}, tags=["play"])
async def ask_odds(request: AnyRequest, id: Id, data: JSONBody[Asked], lang: Lang = "") -> Response[bytes]:
    """The exact chances of a command, or of the one that waits, as far as this seat can know; nothing is committed.

    They are counted on what the seat sees. Answers and dice that are given count as they are, other open choices as
    suggested. 422 where the command is refused, rests on something hidden, or may end in too many ways.
    """
    room, seat = await room_of(request, id, "odds")
    command = by = None
    if data.command is not None:
        command, by = tried(data.command, "odds")

    def read(table: Table) -> tuple[int, Foreseeing | Refusal]:
        sight = room.sight(seat)
        if command is None:
            return table.version, of_waiting(table, sight)
        meant = meaning(table, sight, seat, command, by or "")
        return table.version, of_command(table, sight, meant, data.answers, data.rolls)

    version, asked = await room.look(read)
    pack, lang = room.table.pack, lang_of(request)
    found = Odds((), asked) if isinstance(asked, Refusal) else await request.app.state.counting.of(asked)
    if found.refusal is not None:
        reason = texts(pack.folder, lang).say(found.refusal.reason)
        refused = {"status": REJECTED, "rule": found.refusal.rule or None, "reason": reason, "version": version}
        return replied(Reply(422, _encode(refused)))
    return replied(Reply(200, _encode({"version": version, **foreseen_view(found, pack, lang)})))


@get("/api/tables/{id:str}/events", responses=REFUSALS, tags=["play"])
async def follow(request: AnyRequest, id: Id, lang: Lang = "") -> Stream:
    """Each change, as this seat may see it, as server-sent events: first a `view`, then a `change` each time.

    The id of an event is the version; with `Last-Event-ID` a stream goes on from there.
    """
    room, seat = await room_of(request, id)
    rooms: Rooms = request.app.state.rooms
    if rooms.readers >= rooms.settings.most_streams:
        raise TooFast(5.0)
    seen = read_place(request.headers.get("last-event-id") or request.query_params.get("since"))
    stream: AsyncIterator[bytes] = room.stream(seat, lang_of(request), seen)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return Stream(stream, media_type="text/event-stream", headers=headers)


@get("/health", tags=["server"])
async def health(request: AnyRequest) -> Response[Health]:
    """Whether the server and its database answer."""
    rooms: Rooms = request.app.state.rooms
    try:
        await rooms.read(rooms.store.version, "")
    except Unreachable:
        return Response(Health(False, __version__), status_code=503)
    return Response(Health(True, __version__))


_encode = msgspec.json.Encoder().encode

HANDLERS = (
    begin_table,
    import_table,
    look,
    export_table,
    give_command,
    give_answer,
    try_command,
    ask_odds,
    follow,
    *SEAT_HANDLERS,
    health,
)

"""The HTTP API: what each request asks of a table, and how it is answered."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

import msgspec
from litestar import Request, Response, delete, get, post, put
from litestar.exceptions import HTTPException, NotFoundException, PermissionDeniedException
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import Parameter
from litestar.response import Stream
from msgspec import Meta, Struct

from gambeson import __version__
from gambeson.engine.views import PLAYER, Secrets, Sight
from gambeson.model.commands import Command
from gambeson.model.errors import Unusable
from gambeson.model.messages import message
from gambeson.model.outcomes import Refusal
from gambeson.model.questions import Question
from gambeson.model.values import REFEREE, frozen
from gambeson.server.beginning import Begun, begun, imported
from gambeson.server.feeds import read_place
from gambeson.server.guard import Limiter, TooFast
from gambeson.server.rooms import Busy, Input, Reply, Room, Rooms
from gambeson.server.seats import NotYours, acting, command_of, good_name, hashed, issued, undoing
from gambeson.table.keeping import saved_whole
from gambeson.table.rulings import REJECTED, Ruling
from gambeson.table.saving import Saved
from gambeson.table.scenarios import scenario_text
from gambeson.table.seeing import LOG_SHOWN, open_questions, preview_view, view
from gambeson.table.stores import SeatRecord, Unreachable
from gambeson.table.table import Table

AnyRequest = Request[Any, Any, Any]

MOST_LOG = 1_000

Name = Annotated[str, Meta(min_length=1, max_length=100)]
ClientId = Annotated[str, Meta(min_length=1, max_length=100, description="the sender's own id of this input")]
Lang = Annotated[str, Parameter(query="lang", required=False, description="en or ru; else by Accept-Language")]
CommandForm = Annotated[
    dict[str, Any], Meta(min_length=1, max_length=2, description="`{NAME: {FIELDS}}`, perhaps with `by`: who acts")
]
Answers = Annotated[tuple[str, ...], Meta(max_length=1000, description="option ids, in the order of asking")]
Rolls = Annotated[tuple[int, ...], Meta(max_length=10_000, description="faces of dice, in the order of asking")]


class NewTable(Struct, frozen=True, forbid_unknown_fields=True):
    """A table to begin: a game, or a scenario whose entities are seated and whose steps are played."""

    game: Annotated[str, Meta(max_length=100)] = ""
    title: Annotated[str, Meta(max_length=200)] = ""
    scenario: dict[str, Any] | Annotated[str, Meta(max_length=60_000)] | None = None
    seats: Annotated[dict[str, tuple[str, ...]], Meta(max_length=100)] | None = None


class NewSeat(Struct, frozen=True, forbid_unknown_fields=True):
    """A seat to set up, or to give a new token; `referee` and `screen` name those seats."""

    name: Name
    entities: Annotated[tuple[str, ...], Meta(max_length=1000)] = ()


class Given(Struct, frozen=True, forbid_unknown_fields=True):
    """A command, with answers and dice that are known already."""

    command: CommandForm
    client_id: ClientId
    answers: Answers = ()
    rolls: Rolls = ()
    expect_version: Annotated[int, Meta(ge=0, le=2**53)] | None = None


class Tried(Struct, frozen=True, forbid_unknown_fields=True):
    """A command to look ahead at."""

    command: CommandForm
    answers: Answers = ()
    rolls: Rolls = ()


class Answered(Struct, frozen=True, forbid_unknown_fields=True):
    """An answer to an open decision: the id of an option, or the faces of the dice."""

    decision: Annotated[str, Meta(max_length=2000)]
    client_id: ClientId
    option: Annotated[str, Meta(max_length=2000)] | None = None
    rolls: Rolls | None = None


class Fault(Struct, frozen=True):
    """Why a request was not served."""

    status_code: int
    detail: str


class Tokens(Struct, frozen=True):
    """What opens the seats of a table. They are told once; only their hashes are kept."""

    referee: str
    screen: str
    seats: dict[str, str]


class Opened(Struct, frozen=True):
    """A table that has begun."""

    id: str
    version: int
    tokens: Tokens


class Token(Struct, frozen=True):
    """What opens a seat."""

    token: str


class Seat(Struct, frozen=True):
    """A seat at a table."""

    name: str
    role: str
    entities: tuple[str, ...]


class Health(Struct, frozen=True):
    """Whether the server serves."""

    ok: bool
    version: str


def _said(description: str) -> ResponseSpec:
    return ResponseSpec(Fault, description=description, generate_examples=False)


REFUSALS = {
    400: _said("the request is malformed"),
    404: _said("no such table, or a token that does not open it"),
    429: _said("too fast; see Retry-After"),
}
INPUT = {
    **REFUSALS,
    403: _said("the seat may not act for others"),
    409: ResponseSpec(
        dict[str, Any], description="the table has moved on; with the current view", generate_examples=False
    ),
    422: ResponseSpec(
        dict[str, Any], description="refused by a rule, with `rule` and `reason`", generate_examples=False
    ),
    503: _said("the database does not answer"),
}


# --- who asks -------------------------------------------------------------------------------------------------


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
    limiter.take(kind, token, settings.commands if kind == "command" else settings.looks)
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
    return room, seat


def only_referee(seat: SeatRecord) -> None:
    """Raises PermissionDeniedException for any other seat."""
    if seat.role != REFEREE:
        raise PermissionDeniedException("only the referee may do this")


def replied(reply: Reply) -> Response[bytes]:
    """An answer that is rendered already."""
    return Response(reply.body, status_code=reply.status, media_type="application/json")


# --- tables ---------------------------------------------------------------------------------------------------


@post("/api/tables", status_code=201, responses=REFUSALS, tags=["tables"])
async def begin_table(request: AnyRequest, data: NewTable) -> Opened:
    """Begin a table."""
    rooms: Rooms = request.app.state.rooms
    request.app.state.limiter.take("stranger", address_of(request), rooms.settings.strangers)
    return opened(await begun(rooms, data.game, data.title, data.scenario, data.seats))


@post("/api/tables/import", status_code=201, responses={**REFUSALS, 413: _said("too large")}, tags=["tables"])
async def import_table(request: AnyRequest, data: dict[str, Any]) -> Opened:
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
    id: str,
    lang: Lang = "",
    log: Annotated[int, Parameter(ge=0, le=MOST_LOG, description="rows of the log to show")] = LOG_SHOWN,
) -> Response[bytes]:
    """The table as this seat sees it."""
    room, seat = await room_of(request, id)

    def read(table: Table) -> bytes:
        rows = table.rows[max(0, table.version - log) :]
        return _encode(view(table, room.sight(seat), lang_of(request), rows))

    return replied(Reply(200, await room.look(read)))


@get("/api/tables/{id:str}/export", responses={**REFUSALS, 403: _said("not the referee")}, tags=["tables"])
async def export_table(
    request: AnyRequest,
    id: str,
    form: Annotated[str, Parameter(query="as", required=False, description="`scenario`: a scenario file")] = "",
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
async def give_command(request: AnyRequest, id: str, data: Given, lang: Lang = "") -> Response[bytes]:
    """Give a command. A repeated `client_id` is answered with the first answer and changes nothing."""
    room, seat = await room_of(request, id, "command")
    name, fields, by = checked_command(data.command)
    good_client(data.client_id)

    def give(table: Table, sight: Sight) -> Ruling:
        if name in ("answer", "roll"):
            questions = open_questions(table, sight)
            return answer(table, sight, seat, questions[0].key if questions else "", name, fields, data.client_id)
        if name == "undo":
            able = [id for id in seat.entities if table.undo_refusal(id) is None]
            return table.undo(by=undoing(seat, able), client=data.client_id)
        command = Command(name, frozen(fields), acting(seat, name, fields, by, sight.state(table.state).entities))
        stranger = sight.stranger(table.state, command)
        if stranger is not None:
            return Ruling(table.pack, REJECTED, table.state, table.state, command, refusal=stranger)
        return table.submit(command, answers=data.answers, rolls=data.rolls, client=data.client_id)

    return await taken(room, Input(seat, data.client_id, give, data.expect_version, lang_of(request)))


@post("/api/tables/{id:str}/answers", status_code=200, responses=INPUT, tags=["play"])
async def give_answer(request: AnyRequest, id: str, data: Answered, lang: Lang = "") -> Response[bytes]:
    """Answer an open decision: with an option, or with dice."""
    room, seat = await room_of(request, id, "command")
    good_client(data.client_id)
    if (data.option is None) == (data.rolls is None):
        raise HTTPException(status_code=400, detail="an answer has either `option` or `rolls`")
    name, value = ("answer", data.option) if data.rolls is None else ("roll", data.rolls)

    def give(table: Table, sight: Sight) -> Ruling:
        return answer(table, sight, seat, data.decision, name, value, data.client_id)

    return await taken(room, Input(seat, data.client_id, give, None, lang_of(request)))


def answer(table: Table, sight: Sight, seat: SeatRecord, key: str, name: str, value: Any, client: str) -> Ruling:
    """Answer a question that the seat knows of; one that it does not know of is not there for it. Raises NotYours."""
    questions = open_questions(table, sight)
    question = next((question for question in questions if question.key == key), None)
    if question is None:
        return no_question(table, questions, name, value)
    if seat.role != REFEREE and question.decider not in seat.entities:
        raise NotYours
    by = REFEREE if seat.role == REFEREE else question.decider
    if name == "roll":
        return table.roll(value, by=by, decision=key, client=client)
    return table.answer(value, by=by, decision=key, client=client)


def no_question(table: Table, questions: tuple[Question, ...], name: str, value: Any) -> Ruling:
    """The refusal of an answer to what is not asked, as far as the seat knows."""
    reason = message("refusal.answer.stale") if questions else message("refusal.answer.nothing_open")
    rule = questions[0].rule if questions else table.pack.open_rules.get("none", "")
    command = Command(name, {"answer": frozen(value)})
    refusal = Refusal(rule, reason, "decision")
    return Ruling(table.pack, REJECTED, table.state, table.state, command, questions=questions, refusal=refusal)


def checked_command(written: dict[str, Any]) -> tuple[str, Any, str]:
    """The parts of a command. Raises HTTPException."""
    try:
        name, fields, by = command_of(written)
    except ValueError as error:
        raise HTTPException(status_code=400, detail=str(error)) from None
    if name == "roll":
        if not isinstance(fields, list) or not all(type(face) is int for face in fields):
            raise HTTPException(status_code=400, detail="a roll is a list of faces")
        return name, tuple(fields), by
    return name, fields, by


def good_client(id: str) -> None:
    """Raises HTTPException for a client id with control characters."""
    if not good_name(id):
        raise HTTPException(status_code=400, detail="client_id: 1 to 100 printable characters")


async def taken(room: Room, given: Input) -> Response[bytes]:
    """The answer to an input."""
    return replied(await room.give(given))


@post("/api/tables/{id:str}/preview", status_code=200, responses=INPUT, tags=["play"])
async def try_command(request: AnyRequest, id: str, data: Tried, lang: Lang = "") -> Response[bytes]:
    """What a command would do, as far as this seat can know; nothing is committed."""
    room, seat = await room_of(request, id)
    name, fields, by = checked_command(data.command)
    if name in ("answer", "roll", "undo"):
        raise HTTPException(status_code=400, detail=f"{name} has no preview")

    def read(table: Table) -> Reply:
        sight = room.sight(seat)
        actor = acting(seat, name, fields, by, sight.state(table.state).entities)
        shown = preview_view(
            table, sight, Command(name, frozen(fields), actor), data.answers, data.rolls, lang_of(request)
        )
        return Reply(422 if shown["status"] == REJECTED else 200, _encode(shown))

    return replied(await room.look(read))


@get("/api/tables/{id:str}/events", responses=REFUSALS, tags=["play"])
async def follow(request: AnyRequest, id: str, lang: Lang = "") -> Stream:
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


# --- seats and secrets ----------------------------------------------------------------------------------------


@get("/api/tables/{id:str}/seats", responses=INPUT, tags=["seats"])
async def list_seats(request: AnyRequest, id: str) -> list[Seat]:
    """The seats of the table."""
    room, seat = await room_of(request, id)
    only_referee(seat)
    return [Seat(seat.name, seat.role, seat.entities) for seat in room.seats.values()]


@post("/api/tables/{id:str}/seats", status_code=201, responses=INPUT, tags=["seats"])
async def set_seat(request: AnyRequest, id: str, data: NewSeat) -> Token:
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
async def revoke_seat(request: AnyRequest, id: str, name: str) -> None:
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
async def see_secrets(request: AnyRequest, id: str) -> Secrets:
    """What is hidden at this table."""
    room, seat = await room_of(request, id)
    only_referee(seat)
    return room.secrets


@put("/api/tables/{id:str}/secrets", status_code=200, responses=INPUT, tags=["seats"])
async def set_secrets(request: AnyRequest, id: str, data: Secrets) -> Secrets:
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
    follow,
    list_seats,
    set_seat,
    revoke_seat,
    see_secrets,
    set_secrets,
    health,
)


# --- what goes wrong ------------------------------------------------------------------------------------------


def _told(status: int, detail: str, headers: dict[str, str] | None = None) -> Response[Any]:
    return Response({"status_code": status, "detail": detail}, status_code=status, headers=headers)


def too_fast(_: AnyRequest, error: TooFast) -> Response[Any]:
    """429 with Retry-After."""
    return _told(429, "too fast", {"Retry-After": str(max(1, round(error.wait + 0.5)))})


def busy(_: AnyRequest, __: Exception) -> Response[Any]:
    """503 with Retry-After."""
    return _told(503, "the database does not answer", {"Retry-After": "1"})


def not_yours(_: AnyRequest, __: NotYours) -> Response[Any]:
    """403."""
    return _told(403, "this seat may not act for others")


def unusable(request: AnyRequest, error: Unusable) -> Response[Any]:
    """400 with everything that is wrong with a document."""
    from gambeson.server.beginning import faults_said

    faults = faults_said(error, lang_of(request))
    return Response({"status_code": 400, "detail": faults[0], "faults": faults}, status_code=400)


def malformed(_: AnyRequest, __: Exception) -> Response[Any]:
    """400 for a body that is nested too deep or can't be said again."""
    return _told(400, "the request can't be read")


HANDLED: dict[Any, Any] = {
    TooFast: too_fast,
    Busy: busy,
    Unreachable: busy,
    NotYours: not_yours,
    Unusable: unusable,
    RecursionError: malformed,
    UnicodeError: malformed,
}

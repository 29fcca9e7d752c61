"""The screens of a table that one looks at: table, wall, log, rulings, rules."""

from __future__ import annotations

from collections.abc import AsyncIterator

from litestar import Response, get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from litestar.response import Stream

from gambeson.engine.views import SCREEN
from gambeson.games.loading import variant_texts
from gambeson.language.stages.call import CallStage
from gambeson.server.feeds import read_place
from gambeson.server.forms import Id
from gambeson.server.guard import TooFast
from gambeson.server.page.live import Scene, kind
from gambeson.server.page.serving import AnyRequest, Visit, visit
from gambeson.server.page.telling import Teller, rule_text
from gambeson.table.seeing import may_undo
from gambeson.table.table import Table

LOG_ROWS = 40
WALL_ROWS = 4


async def show(request: AnyRequest, id: Id) -> Response[str]:
    """The table as this seat sees it; on the wall's seat the wall."""
    who = await visit(request, id)
    if who.seat.role == SCREEN:
        return await who.room.look(lambda table: _wall(who, table))
    return await who.room.look(lambda table: _table(who, table))


def _table(who: Visit, table: Table) -> Response[str]:
    scene = Scene(table, who.sight(), who.id, who.looks.lang)
    return who.page("table.html", table, **scene.values())


def _wall(who: Visit, table: Table) -> Response[str]:
    scene = Scene(table, who.sight(), who.id, who.looks.lang)
    values = scene.values()
    rulings = [one for one in Teller(table, who.sight(), who.t).log(12) if one.outcome or one.shouts][:WALL_ROWS]
    clocks = sorted(
        (card for card in scene.cards if card.clock is not None), key=lambda card: card.clock.left if card.clock else 0
    )
    return who.page("wall.html", table, rulings=rulings, clock=clocks[0] if clocks else None, **values)


@get("/t/{id:str}/wall", include_in_schema=False)
async def wall(request: AnyRequest, id: Id) -> Response[str]:
    """The wall, as this seat would see it."""
    who = await visit(request, id)
    return await who.room.look(lambda table: _wall(who, table))


@get("/t/{id:str}/live", include_in_schema=False)
async def live(request: AnyRequest, id: Id) -> Stream:
    """What changes on the table's screen, as parts of it."""
    who = await visit(request, id)
    rooms = request.app.state.rooms
    if rooms.readers >= rooms.settings.most_streams:
        raise TooFast(5.0)
    seen = read_place(request.headers.get("last-event-id") or request.query_params.get("since"))
    stream: AsyncIterator[bytes] = who.room.stream(who.seat, who.looks.lang, seen, kind(id))
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return Stream(stream, media_type="text/event-stream", headers=headers)


@get("/t/{id:str}/log", include_in_schema=False)
async def log(request: AnyRequest, id: Id) -> Response[str]:
    """What happened, newest first."""
    who = await visit(request, id)

    def read(table: Table) -> Response[str]:
        rows = Teller(table, who.sight(), who.t).log(LOG_ROWS)
        able = may_undo(table, who.sight())
        standing = next((row.version for row in rows if not row.undoes and not row.undone_by), 0)
        return who.page("log.html", table, rows=rows, undo=standing if able else 0)

    return await who.room.look(read)


@get("/t/{id:str}/why/{row:int}", include_in_schema=False)
async def why(request: AnyRequest, id: Id, row: FromPath[int]) -> Response[str]:
    """One ruling, step by step."""
    who = await visit(request, id)

    def read(table: Table) -> Response[str]:
        one = Teller(table, who.sight(), who.t).one(row)
        if one is None:
            raise NotFoundException
        shouting = any(isinstance(stage, CallStage) for stage in table.pack.procedure)
        return who.page("why.html", table, told=one, shouting=shouting or bool(one.shouts))

    return await who.room.look(read)


@get("/t/{id:str}/rule/{rule:str}", include_in_schema=False)
async def rule(request: AnyRequest, id: Id, rule: FromPath[str]) -> Response[str]:
    """One rule: its text, its source, its readings."""
    who = await visit(request, id)
    pack = who.room.table.pack
    text = rule_text(pack, rule, who.looks.lang)
    if text is None:
        raise NotFoundException
    said = variant_texts(pack.folder, who.looks.lang)
    readings = []
    for name in pack.rules[rule].variants:
        told = said.get(name, {})
        chosen = pack.readings.get(name, "")
        meaning = told.get("readings", {}).get(chosen, chosen) if isinstance(told, dict) else chosen
        asks = told.get("question", told.get("asks", name)) if isinstance(told, dict) else name
        readings.append((str(asks), str(meaning)))
    return who.page("rule.html", who.room.table, rule=text, readings=readings)


SCREENS = (wall, live, log, why, rule)

"""The screens of a table that one looks at: table, wall, log, rulings, rules, chances."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from litestar import Response, get
from litestar.exceptions import NotFoundException
from litestar.response import Stream

from gambeson.engine.odds import odds
from gambeson.engine.views import SCREEN
from gambeson.games.loading import variant_texts
from gambeson.language.dice import NotEnumerable
from gambeson.language.stages.call import CallStage
from gambeson.server.feeds import read_place
from gambeson.server.guard import TooFast
from gambeson.server.page.live import Scene, kind
from gambeson.server.page.serving import AnyRequest, Visit, visit
from gambeson.server.page.telling import Teller, rule_text
from gambeson.table.seeing import may_undo
from gambeson.table.table import Table

LOG_ROWS = 40
WALL_ROWS = 4
LIKELIEST = 6


async def show(request: AnyRequest, id: str) -> Response[str]:
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
async def wall(request: AnyRequest, id: str) -> Response[str]:
    """The wall, as this seat would see it."""
    who = await visit(request, id)
    return await who.room.look(lambda table: _wall(who, table))


@get("/t/{id:str}/live", include_in_schema=False)
async def live(request: AnyRequest, id: str) -> Stream:
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
async def log(request: AnyRequest, id: str) -> Response[str]:
    """What happened, newest first."""
    who = await visit(request, id)

    def read(table: Table) -> Response[str]:
        rows = Teller(table, who.sight(), who.t).log(LOG_ROWS)
        able = may_undo(table, who.sight())
        standing = next((row.version for row in rows if not row.undoes and not row.undone_by), 0)
        return who.page("log.html", table, rows=rows, undo=standing if able else 0)

    return await who.room.look(read)


@get("/t/{id:str}/why/{row:int}", include_in_schema=False)
async def why(request: AnyRequest, id: str, row: int) -> Response[str]:
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
async def rule(request: AnyRequest, id: str, rule: str) -> Response[str]:
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


@get("/t/{id:str}/odds", include_in_schema=False)
async def chances(request: AnyRequest, id: str) -> Response[str]:
    """The exact chances of what waits for dice, where the seat knows everything."""
    who = await visit(request, id)
    table, sight = who.room.table, who.sight()
    waiting, state, pack = table.waiting, table.state, table.pack
    rows: list[dict[str, Any]] = []
    if waiting is not None and sight.whole:
        try:
            found = await asyncio.to_thread(odds, pack, state, waiting.command, waiting.answers)
        except NotEnumerable:
            found = None
        if found is not None and found.refusal is None:
            rows = [_chance(who, chance) for chance in found.chances[:LIKELIEST]]
            left = 1 - sum(chance.chance for chance in found.chances[:LIKELIEST])
            if left > 0:
                rows.append({"text": who.t("odds.other"), "share": _percent(left), "width": _width(left)})
    return who.page("odds.html", table, rows=rows)


def _chance(who: Visit, chance: Any) -> dict[str, Any]:
    t, told = who.t, []
    entities = who.room.table.state.entities
    for change in chance.changes:
        parts = [t("odds.lost", layer=t.term(layer), points=points) for layer, points in change.lost]
        parts += [t.term(name) for name in (*change.states, *change.effects)]
        parts += [t("odds.ended", what=t.term(name)) for name in (*change.freed, *change.ended)]
        parts += [t("odds.left")] if change.left else []
        name = entities[change.entity].name if change.entity in entities else change.entity
        if parts:
            told.append(t("odds.of", name=name, what=", ".join(parts)))
    return {
        "text": "; ".join(told) or t("odds.nothing"),
        "share": _percent(chance.chance),
        "width": _width(chance.chance),
    }


def _percent(share: Any) -> str:
    """Whole per cent; what may happen is never "0%", what may not is never "100%"."""
    percent = round(float(share) * 100)
    if share > 0 and percent == 0:
        return "<1%"
    if share < 1 and percent == 100:
        return ">99%"
    return f"{percent}%"


def _width(share: Any) -> int:
    return max(2, round(float(share) * 50) * 2)


SCREENS = (wall, live, log, why, rule, chances)

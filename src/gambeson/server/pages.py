"""Pages for browsers: the way in by a link, and the table in plain HTML."""

from __future__ import annotations

from html import escape
from typing import Any

from litestar import Request, Response, get
from litestar.datastructures import Cookie
from litestar.exceptions import NotFoundException
from litestar.response import Redirect

from gambeson.server.api import address_of, cookie_name, lang_of, room_of
from gambeson.server.rooms import Room, Rooms
from gambeson.server.seats import hashed
from gambeson.table.seeing import view
from gambeson.table.stores import SeatRecord
from gambeson.table.table import Table

AnyRequest = Request[Any, Any, Any]

WEEKS = 26 * 7 * 24 * 3600

WORDS = {
    "en": {
        "open": "Open decisions",
        "log": "What happened",
        "seat": "Seat",
        "version": "version",
        "again": "Opening the table…",
    },
    "ru": {
        "open": "Открытые решения",
        "log": "Что было",
        "seat": "Место",
        "version": "версия",
        "again": "Стол открывается…",
    },
}


@get("/join/{token:str}", include_in_schema=False)
async def join(request: AnyRequest, token: str) -> Redirect:
    """Open a seat: its token goes into a cookie that no script and no other site can use, and out of the address."""
    rooms: Rooms = request.app.state.rooms
    seat = await rooms.read(rooms.store.seat_of, hashed(token))
    if seat is None:
        request.app.state.limiter.take("stranger", address_of(request), rooms.settings.strangers)
        raise NotFoundException("this link opens nothing")
    cookie = Cookie(
        key=cookie_name(seat.table),
        value=token,
        path="/",
        max_age=WEEKS,
        httponly=True,
        samesite="strict",
        secure=rooms.settings.secure,
    )
    return Redirect(f"/t/{seat.table}", status_code=303, cookies=[cookie])


@get("/t/{id:str}", include_in_schema=False)
async def page(request: AnyRequest, id: str) -> Response[str]:
    """The table as this seat sees it."""
    cross = request.headers.get("sec-fetch-site") == "cross-site"
    if cross and cookie_name(id) not in request.cookies and "again" not in request.query_params:
        # A link in another site's page leads here without the strict cookie: coming again from here brings it along.
        words = WORDS[lang_of(request)]
        target = f"/t/{escape(id, quote=True)}?again=1"
        return _html(f'<meta http-equiv="refresh" content="0;url={target}"><p>{words["again"]}</p>', lang_of(request))
    room, seat = await room_of(request, id)
    lang = lang_of(request)
    return _html(await room.look(lambda table: _table(room, table, seat, lang)), lang)


@get("/", include_in_schema=False)
async def home() -> Response[str]:
    """Nothing but the program's name: tables are reached by their links."""
    return _html("<h1>gambeson</h1>", "en")


def _html(body: str, lang: str) -> Response[str]:
    head = f'<!doctype html><html lang="{lang}"><meta charset="utf-8">'
    head += '<meta name="viewport" content="width=device-width"><title>gambeson</title>'
    return Response(f"{head}{body}</html>", media_type="text/html; charset=utf-8")


def _table(room: Room, table: Table, seat: SeatRecord, lang: str) -> str:
    shown = view(table, room.sight(seat), lang)
    words = WORDS[lang]
    parts = [f"<h1>{escape(room.record.title or shown['game'])}</h1>"]
    parts.append(f"<p>{words['seat']}: {escape(seat.name)} · {words['version']} {shown['version']}</p>")
    for id, entity in shown["entities"].items():
        pools = "".join(_pool(layer, pool) for layer, pool in entity["pools"].items())
        told = ", ".join((*entity["conditions"], *(effect["name"] for effect in entity["effects"])))
        parts.append(f"<h2>{escape(str(entity['name'] or id))}</h2><ul>{pools}</ul><p>{escape(told)}</p>")
    if shown["pending"]:
        parts.append(f"<h2>{words['open']}</h2><ul>")
        parts += [f"<li>{escape(question['question'])}</li>" for question in shown["pending"]]
        parts.append("</ul>")
    parts.append(f"<h2>{words['log']}</h2><ol>")
    parts += [f'<li value="{entry["version"]}">{escape(_told(entry))}</li>' for entry in shown["log"][-20:]]
    parts.append("</ol>")
    return "".join(parts)


def _pool(layer: str, pool: dict[str, Any]) -> str:
    current = "?" if pool["current"] is None else pool["current"]
    maximum = "?" if pool["maximum"] is None else pool["maximum"]
    return f"<li>{escape(layer)}: {current}/{maximum}</li>"


def _told(entry: dict[str, Any]) -> str:
    command = entry["command"]
    what = next(iter(command)) if command else entry["kind"]
    fields = ", ".join(f"{key}: {value}" for key, value in command[what].items()) if command else ""
    return f"{entry['by'] or ''} {what} {fields}".strip()


PAGES = (join, page, home)

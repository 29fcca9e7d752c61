"""The ways in: the start, a new table, a link that opens a seat, and how one likes to see the page."""

from __future__ import annotations

from typing import Any

from litestar import Response, get, post
from litestar.datastructures import Cookie, UploadFile
from litestar.exceptions import HTTPException, NotFoundException
from litestar.params import FromPath
from litestar.response import Redirect
from msgspec import Struct

from gambeson.games.folders import known
from gambeson.model.errors import Unusable
from gambeson.model.values import REFEREE
from gambeson.server.access import address_of, cookie_name
from gambeson.server.beginning import Begun, begun, faults_said
from gambeson.server.demo import demo_of
from gambeson.server.page.drawing import answered, drawn, words
from gambeson.server.page.dyes import arms, name
from gambeson.server.page.looks import CHOICES, cookies_of, looks_of
from gambeson.server.page.serving import AnyRequest, form
from gambeson.server.rooms import Rooms
from gambeson.server.seats import hashed

WEEKS = 26 * 7 * 24 * 3600
MOST_TABLES = 20
"""Tables that the start looks up by a browser's cookies."""


class Tile(Struct, frozen=True):
    """A game that can be opened."""

    game: str
    name: str
    about: str
    dye: str
    device: str
    demo: bool


class Back(Struct, frozen=True):
    """A table that this browser has a seat at."""

    id: str
    title: str
    seat: str


def seat_cookie(rooms: Rooms, id: str, token: str) -> Cookie:
    """The cookie that holds a seat: no script and no other site can use it."""
    return Cookie(
        key=cookie_name(id),
        value=token,
        path="/",
        max_age=WEEKS,
        httponly=True,
        samesite="strict",
        secure=rooms.settings.secure,
    )


@get("/", include_in_schema=False)
async def home(request: AnyRequest) -> Response[str]:
    """The start: back to a table, join one, open one."""
    return await _home(request, [], 200)


async def _home(request: AnyRequest, faults: list[str], status: int) -> Response[str]:
    looks = looks_of(request)
    t = words(None, looks.lang)
    games = []
    for game in known():
        dye, device = arms(game)
        title, about = name(game, looks.lang)
        games.append(Tile(game, title, about, dye, device, demo_of(game, looks.lang) is not None))
    html = drawn("start.html", t, looks, games=games, backs=await _backs(request), faults=faults)
    return answered(html, status)


async def _backs(request: AnyRequest) -> list[Back]:
    rooms: Rooms = request.app.state.rooms
    found = []
    prefix = cookie_name("")
    held = [(key[len(prefix) :], token) for key, token in request.cookies.items() if key.startswith(prefix)]
    for id, token in held[-MOST_TABLES:]:
        seat = await rooms.seat(id, hashed(token)) if len(id) <= 64 and id.isascii() else None
        record = await rooms.read(rooms.store.record, id) if seat is not None else None
        if seat is not None and record is not None:
            found.append(Back(id, record.title, "" if seat.name == REFEREE else seat.name))
    return found


@post("/open", status_code=200, include_in_schema=False)
async def open_table(request: AnyRequest) -> Response[Any]:
    """A new table is opened, and this browser has the referee's seat."""
    rooms: Rooms = request.app.state.rooms
    request.app.state.limiter.take("stranger", address_of(request), rooms.settings.strangers)
    given = await form(request)
    looks = looks_of(request)
    game = str(given.get("game", ""))
    scenario: str | None = None
    match str(given.get("how", "")):
        case "file":
            upload = given.get("scenario")
            game, scenario = "", await _text(upload) if isinstance(upload, UploadFile) else ""
        case "demo":
            scenario = demo_of(game, looks.lang)
        case _:
            pass
    try:
        made = await begun(rooms, game, str(given.get("title", "")).strip()[:100], scenario, None)
    except Unusable as unusable:
        return await _home(request, faults_said(unusable, looks.lang), 400)
    except HTTPException as refused:
        return await _home(request, [str(refused.detail)], 400)
    return _seated(rooms, made)


async def _text(upload: UploadFile) -> str:
    return (await upload.read()).decode("utf-8", "replace")


def _seated(rooms: Rooms, made: Begun) -> Redirect:
    cookie = seat_cookie(rooms, made.id, made.tokens[REFEREE])
    return Redirect(f"/t/{made.id}", status_code=303, cookies=[cookie])


@post("/go", status_code=200, include_in_schema=False)
async def go(request: AnyRequest) -> Response[Any]:
    """A link that was pasted opens its seat."""
    given = await form(request)
    token = str(given.get("link", "")).strip().rstrip("/").rpartition("/")[2]
    rooms: Rooms = request.app.state.rooms
    seat = await rooms.read(rooms.store.seat_of, hashed(token))
    if seat is None:
        request.app.state.limiter.take("stranger", address_of(request), rooms.settings.strangers)
        t = words(None, looks_of(request).lang)
        return await _home(request, [t("start.bad_link")], 404)
    return Redirect(f"/t/{seat.table}", status_code=303, cookies=[seat_cookie(rooms, seat.table, token)])


@get("/join/{token:str}", include_in_schema=False)
async def join(request: AnyRequest, token: FromPath[str]) -> Redirect:
    """Open a seat: its token goes into a cookie that no script and no other site can use, and out of the address."""
    rooms: Rooms = request.app.state.rooms
    seat = await rooms.read(rooms.store.seat_of, hashed(token))
    if seat is None:
        request.app.state.limiter.take("stranger", address_of(request), rooms.settings.strangers)
        raise NotFoundException("this link opens nothing")
    return Redirect(f"/t/{seat.table}", status_code=303, cookies=[seat_cookie(rooms, seat.table, token)])


@get("/look", include_in_schema=False)
async def look(request: AnyRequest) -> Response[str]:
    """How one likes to see the page."""
    looks = looks_of(request)
    back = _own_path(request.query_params.get("back", "/"))
    return answered(drawn("look.html", words(None, looks.lang), looks, choices=CHOICES, back=back))


@post("/look", status_code=200, include_in_schema=False)
async def looked(request: AnyRequest) -> Redirect:
    """It is kept, in this browser."""
    given = await form(request)
    return Redirect(_own_path(str(given.get("back", "/"))), status_code=303, cookies=cookies_of(given))


def _own_path(path: str) -> str:
    """A path of this server, else the start."""
    good = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable() and path.isascii()
    return path if good else "/"


ENTERING = (home, open_table, go, join, look, looked)

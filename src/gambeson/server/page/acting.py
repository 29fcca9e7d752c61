"""The screens on which one acts: a blow, a decision, dice, anything else, and taking back."""

from __future__ import annotations

import secrets
from typing import Any

from litestar import Response, get, post
from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from litestar.response import Redirect

from gambeson.engine.views import NOT_NOW
from gambeson.model.commands import Command
from gambeson.model.messages import Message
from gambeson.model.values import REFEREE
from gambeson.server.forms import Id
from gambeson.server.inputs import answering, commanding, meaning, undo
from gambeson.server.page.actions import act_of, actors
from gambeson.server.page.asking import Asker, may_act, may_strike
from gambeson.server.page.deeds import deed, deeds, filled, line_of
from gambeson.server.page.giving import Outcome, client_of, given
from gambeson.server.page.live import turn_of
from gambeson.server.page.serving import (
    AnyRequest,
    Refused,
    Visit,
    after,
    form,
    must_act,
    refused_of,
    said_no,
    values_of,
    visit,
    went,
)
from gambeson.server.page.strike import HIT, Blow, WhatIf, aim_of, blow_of, form_of, what_if
from gambeson.server.page.telling import Teller
from gambeson.server.seats import NotYours
from gambeson.table.seeing import may_undo, open_questions
from gambeson.table.table import Table
from gambeson.table.working import blocked

FACES = secrets.SystemRandom()


def acting_by(who: Visit) -> str:
    """Who gives a command from this seat, where the seat does not say it by itself."""
    return REFEREE if who.referee else ""


# --- a blow ---------------------------------------------------------------------------------------------------


@get("/t/{id:str}/strike", include_in_schema=False)
async def strike(request: AnyRequest, id: Id) -> Response[Any]:
    """The form for a blow."""
    who = await visit(request, id)
    must_act(who)
    if HIT in who.room.table.pack.commands and not may_strike(who.room.table, who.sight()):
        return Redirect(who.here("do"), status_code=303)
    targets = request.query_params.getall("target", [])
    return await _strike(who, {}, targets, None)


async def _strike(who: Visit, filled_in: dict[str, Any], targets: list[str], refused: Refused | None) -> Response[str]:
    def read(table: Table) -> Response[str]:
        if HIT not in table.pack.commands:
            raise NotFoundException
        shown = form_of(table, who.sight(), who.t, filled_in, targets)
        return who.page("strike.html", table, 422 if refused else 200, form=shown, refused=refused)

    return await who.room.look(read)


@post("/t/{id:str}/preview", status_code=200, include_in_schema=False)
async def preview(request: AnyRequest, id: Id) -> Response[str]:
    """What would come of the blow; nothing is done."""
    who = await visit(request, id)
    filled_in = await form(request)

    def read(table: Table) -> Response[str]:
        sight = who.sight()
        blow = blow_of(table, sight, filled_in, acting_by(who))
        shown = [_ahead(table, who, command) for command in blow.commands[:5]]
        misread = who.t.said.say(blow.misread) if blow.misread is not None else ""
        aim = aim_of(table, sight, blow)
        return who.page("whatif.html", table, shown=shown, misread=misread, odds="strike", aim=aim)

    return await who.room.look(read)


@post("/t/{id:str}/strike", status_code=200, include_in_schema=False)
async def struck(request: AnyRequest, id: Id) -> Response[Any]:
    """A blow is struck, on each target."""
    who = await visit(request, id, "command")
    must_act(who)
    filled_in = await form(request)
    client = client_of(filled_in.get("client"))
    blow: Blow = await who.room.look(lambda table: blow_of(table, who.sight(), filled_in, acting_by(who)))
    if blow.misread is not None:
        return await _no_blow(who, filled_in, Refused(who.t.said.say(blow.misread)))
    for number, command in enumerate(blow.commands):
        own = client if number == 0 else f"{client}.{number}"[:100]
        outcome = await given(who.room, who.seat, commanding(who.seat, command, own), own, who.looks.lang)
        if not outcome.done:
            return await _no_blow(who, filled_in, refused_of(who, outcome))
    return went(who, await after(who))


async def _no_blow(who: Visit, filled_in: dict[str, Any], refused: Refused) -> Response[str]:
    if who.scripted:
        return said_no(who, refused, blocked=True)
    return await _strike(who, filled_in, values_of(filled_in, "target"), refused)


# --- decisions and dice ---------------------------------------------------------------------------------------


@get("/t/{id:str}/ask", include_in_schema=False)
async def ask(request: AnyRequest, id: Id) -> Response[str]:
    """What is open, with what would come of each option."""
    return await _asked(await visit(request, id), None)


async def _asked(who: Visit, refused: Refused | None) -> Response[str]:
    def read(table: Table) -> Response[str]:
        asked = Asker(table, who.sight(), who.t).asks(whole=True)
        return who.page("ask.html", table, 422 if refused else 200, asked=asked, refused=refused)

    return await who.room.look(read)


@post("/t/{id:str}/answer", status_code=200, include_in_schema=False)
async def answered(request: AnyRequest, id: Id) -> Response[Any]:
    """An option is chosen."""
    who = await visit(request, id, "command")
    filled_in = await form(request)
    key, option = str(filled_in.get("decision", "")), str(filled_in.get("option", ""))
    client = client_of(filled_in.get("client"))
    return await _answer(who, answering(who.seat, key, "answer", option, client), client)


@post("/t/{id:str}/roll", status_code=200, include_in_schema=False)
async def rolled(request: AnyRequest, id: Id) -> Response[Any]:
    """Dice are entered, or rolled by the server."""
    who = await visit(request, id, "command")
    filled_in = await form(request)
    key, client = str(filled_in.get("decision", "")), client_of(filled_in.get("client"))
    faces: tuple[int, ...] | None
    if filled_in.get("for_me"):
        faces = await who.room.look(lambda table: _thrown(table, who, key))
    else:
        entered = [face.strip() for face in values_of(filled_in, "face")]
        faces = tuple(int(face) for face in entered if face.isdecimal() and len(face) < 10)
        if len(faces) != len(entered):
            return await _refused(who, Refused(who.t("roll.missing")))
    return await _answer(who, answering(who.seat, key, "roll", faces or (), client), client)


def _thrown(table: Table, who: Visit, key: str) -> tuple[int, ...]:
    question = next((q for q in open_questions(table, who.sight()) if q.key == key), None)
    if question is None:
        return ()
    return tuple(FACES.randint(1, group.sides) for group in question.dice for _ in range(group.count))


async def _answer(who: Visit, give: Any, client: str) -> Response[Any]:
    outcome: Outcome = await given(who.room, who.seat, give, client, who.looks.lang)
    if not outcome.done:
        return await _refused(who, refused_of(who, outcome))
    return went(who, await after(who, doing(who)))


def doing(who: Visit) -> str:
    """Where one goes on after a decision: in games that are played by deeds, at those."""
    blow = who.room.table.pack.commands.get(HIT)
    return "do" if may_act(who.sight()) and (blow is None or blow.referee) else ""


async def _refused(who: Visit, refused: Refused) -> Response[str]:
    return said_no(who, refused) if who.scripted else await _asked(who, refused)


@post("/t/{id:str}/undo", status_code=200, include_in_schema=False)
async def taken_back(request: AnyRequest, id: Id) -> Response[Any]:
    """The last command is taken back."""
    who = await visit(request, id, "command")
    must_act(who)
    filled_in = await form(request)
    client = client_of(filled_in.get("client"))
    outcome = await given(who.room, who.seat, undo(who.seat, client), client, who.looks.lang)
    to = who.here("log") if filled_in.get("from") == "log" else who.here()
    if not outcome.done:
        refused = refused_of(who, outcome)
        if who.scripted:
            return said_no(who, refused)
        return await who.room.look(lambda table: who.page("refused.html", table, 422, refused=refused, to=to))
    return went(who, to)


# --- everything else ------------------------------------------------------------------------------------------


@get("/t/{id:str}/do", include_in_schema=False)
async def do(request: AnyRequest, id: Id) -> Response[str]:
    """What may be done now, what may not and why, and every command by form or by line."""
    who = await visit(request, id)
    must_act(who)
    return await _do(who, None, "")


async def _do(who: Visit, refused: Refused | None, line: str) -> Response[str]:
    def read(table: Table) -> Response[str]:
        sight = who.sight()
        turn = turn_of(table, sight, who.t)
        return who.page(
            "do.html",
            table,
            422 if refused else 200,
            actors=actors(table, sight, who.t, turn["active"]),
            **turn,
            last=Teller(table, sight, who.t).newest(),
            undone=Teller(table, sight, who.t).undone(),
            may_undo=may_undo(table, sight),
            deeds=deeds(table, sight, who.t),
            line=line,
            refused=refused,
        )

    return await who.room.look(read)


@get("/t/{id:str}/do/{name:str}", include_in_schema=False)
async def do_one(request: AnyRequest, id: Id, name: FromPath[str]) -> Response[str]:
    """The form of one command."""
    who = await visit(request, id)
    must_act(who)
    given = {key: request.query_params.getall(key) for key in request.query_params if key.startswith("f.")}

    def read(table: Table) -> Response[str]:
        shown = deed(table, who.sight(), who.t, name, given)
        if shown is None:
            raise NotFoundException
        return who.page("deed.html", table, deed=shown)

    return await who.room.look(read)


@post("/t/{id:str}/do/preview", status_code=200, include_in_schema=False)
async def do_preview(request: AnyRequest, id: Id) -> Response[str]:
    """What would come of a form as it is filled in; nothing is done."""
    who = await visit(request, id)
    must_act(who)
    filled_in = await form(request)

    def read(table: Table) -> Response[str]:
        if "line" in filled_in and not str(filled_in["line"]).strip():
            return Response("", media_type="text/html")
        command = meant(table, who, filled_in)
        if not isinstance(command, Command):
            misread = who.t.said.say(command) if command is not None else ""
            return who.page("whatif.html", table, shown=[], misread=misread, odds="")
        return who.page("whatif.html", table, shown=[_ahead(table, who, command)], misread="", odds="deed")

    return await who.room.look(read)


def _ahead(table: Table, who: Visit, command: Command) -> WhatIf:
    """What would come of a command that this seat gives; while something is open, that it must wait."""
    sight = who.sight()
    if table.waiting is not None and command.name != "edit":
        questions = open_questions(table, sight)
        refusal = blocked(table.pack, sight.state(table.state), questions[0]) if questions else NOT_NOW
        return WhatIf(None, (), "", who.t.said.say(sight.said(refusal.reason)), refusal.rule, ())
    try:
        given_by = meaning(table, sight, who.seat, command, said_by(command))
    except NotYours:
        return WhatIf(None, (), "", who.t("refused.seat"), "", ())
    return what_if(table, sight, who.t, given_by)


def said_by(command: Command) -> str:
    """Who acts, where a line says it."""
    return "" if command.by == REFEREE else command.by


@post("/t/{id:str}/do", status_code=200, include_in_schema=False)
async def done(request: AnyRequest, id: Id) -> Response[Any]:
    """A command is given: an action that was touched, a form, or a line."""
    who = await visit(request, id, "command")
    must_act(who)
    filled_in = await form(request)
    client = client_of(filled_in.get("client"))
    command = await who.room.look(lambda table: meant(table, who, filled_in))
    if isinstance(command, Message):
        return await _not_done(who, Refused(who.t.said.say(command)), filled_in)
    if command is None:
        raise NotFoundException
    give = commanding(who.seat, command, client, said_by(command))
    outcome = await given(who.room, who.seat, give, client, who.looks.lang)
    if not outcome.done:
        return await _not_done(who, refused_of(who, outcome), filled_in)
    return went(who, await after(who, "do" if filled_in.get("to") == "do" else ""))


def meant(table: Table, who: Visit, filled_in: dict[str, Any]) -> Command | Message | None:
    """The command that something filled in or touched means, or why it means none."""
    form_name = str(filled_in.get("deed", ""))
    if form_name in table.pack.commands:
        return filled(table, who.sight(), who.t, form_name, filled_in, acting_by(who))
    if "line" in filled_in:
        return line_of(table, who.sight(), str(filled_in["line"]), acting_by(who))
    return act_of(filled_in, acting_by(who))


async def _not_done(who: Visit, refused: Refused, filled_in: dict[str, Any]) -> Response[str]:
    if who.scripted:
        return said_no(who, refused, blocked=True)
    return await _do(who, refused, str(filled_in.get("line", "")))


ACTING = (strike, preview, struck, ask, answered, rolled, taken_back, do, do_one, do_preview, done)

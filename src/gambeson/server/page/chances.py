"""Chances beside dice and beside what would happen: the likeliest ways in words, as far as the seat can know them."""

from __future__ import annotations

from fractions import Fraction

from litestar import Response, get, post
from msgspec import Struct

from gambeson.engine.odds import Odds
from gambeson.model.commands import Command
from gambeson.model.outcomes import Refusal
from gambeson.server.forms import Id
from gambeson.server.inputs import meaning
from gambeson.server.page.acting import acting_by, meant, said_by
from gambeson.server.page.drawing import Words
from gambeson.server.page.serving import AnyRequest, Visit, form, must_act, visit
from gambeson.server.page.strike import blow_of
from gambeson.table.chances import Told
from gambeson.table.foreseen import MANY, Foreseeing, of_command, of_waiting
from gambeson.table.table import Table

LIKELIEST = 6
"""Ways that are told one by one; the others are one line."""

MOST_TARGETS = 3
"""Targets of one blow whose chances are told."""


class Way(Struct, frozen=True):
    """One way in which something may end."""

    text: str
    share: str
    width: int


class Outlook(Struct, frozen=True):
    """The ways of one command, or why they are not told; with the target's name where there are several."""

    name: str
    ways: tuple[Way, ...]
    why_not: str


@get("/t/{id:str}/odds", include_in_schema=False)
async def waiting(request: AnyRequest, id: Id) -> Response[str]:
    """The chances of what waits for dice."""
    who = await visit(request, id, "odds")
    asked = await who.room.look(lambda table: of_waiting(table, who.sight()))
    return await _told(request, who, [("", asked)])


@post("/t/{id:str}/odds", status_code=200, include_in_schema=False)
async def of_form(request: AnyRequest, id: Id) -> Response[str]:
    """The chances of a blow, or of another deed, that is being put together."""
    who = await visit(request, id, "odds")
    must_act(who)
    filled_in = await form(request)

    def read(table: Table) -> list[tuple[str, Foreseeing | Refusal]]:
        sight = who.sight()
        if "deed" in request.query_params:
            command = meant(table, who, filled_in)
            if not isinstance(command, Command):
                return []
            given = meaning(table, sight, who.seat, command, said_by(command))
            return [("", of_command(table, sight, given))]
        blow = blow_of(table, sight, filled_in, acting_by(who))
        found = []
        for command in blow.commands[:MOST_TARGETS]:
            entity = sight.state(table.state).entities.get(str(command.fields.get("target")))
            name = who.t.person(entity, "") if len(blow.commands) > 1 else ""
            found.append((name, of_command(table, sight, meaning(table, sight, who.seat, command))))
        return found

    return await _told(request, who, await who.room.look(read))


async def _told(request: AnyRequest, who: Visit, asked: list[tuple[str, Foreseeing | Refusal]]) -> Response[str]:
    shown = []
    for name, one in asked:
        found = Odds((), one) if isinstance(one, Refusal) else await request.app.state.counting.of(one)
        shown.append(_outlook(who, name, one, found))
    return who.page("odds.html", who.room.table, shown=shown)


def _outlook(who: Visit, name: str, asked: Foreseeing | Refusal, found: Odds) -> Outlook:
    if isinstance(asked, Refusal) or found.refusal is not None:
        refusal = found.refusal
        assert refusal is not None
        return Outlook(name, (), who.t("odds.none") if refusal == MANY else who.t.said.say(refusal.reason))
    return Outlook(name, ways_of(asked, found, who.t), "")


def ways_of(asked: Foreseeing, found: Odds, t: Words) -> tuple[Way, ...]:
    """The likeliest ways, the rest in one line."""
    shares = Told(asked.pack, asked.state, t.said.lang).ways(found)
    ways = [Way(share.what, percent(share.chance), _width(share.chance)) for share in shares[:LIKELIEST]]
    rest = sum((share.chance for share in shares[LIKELIEST:]), Fraction(0))
    if rest:
        ways.append(Way(t("odds.other"), percent(rest), _width(rest)))
    return tuple(ways)


def percent(share: Fraction) -> str:
    """Whole per cent; what may happen is never "0%", what may not is never "100%"."""
    whole = round(share * 100)
    if share > 0 and whole == 0:
        return "<1%"
    if share < 1 and whole == 100:
        return ">99%"
    return f"{whole}%"


def _width(share: Fraction) -> int:
    return max(2, round(share * 50) * 2)


CHANCES = (waiting, of_form)

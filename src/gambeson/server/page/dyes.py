"""Which of the six dyes each layer of a game wears, and which of its words are places on a body."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from gambeson.language.fields import Field, ListField, WordField
from gambeson.language.pack import Pack
from gambeson.language.texts import Texts
from gambeson.table.page_data import page_of

DYES = ("magic", "worn", "natural", "life", "wards", "points")
"""Classes of the stylesheet: woad, steel, fern, madder, orchil, walnut."""

PARTS = ("torso", "right_arm", "left_arm", "right_leg", "left_leg")
"""The parts of the figure."""

ARMS = ("pale", "bend", "cross", "bars")
"""Devices on the shields of games, for games that name none."""


def dye(pack: Pack, layer: str) -> str:
    """The dye of a layer: what the game says, else the life layer is red and the others take turns."""
    named = page_of(pack.folder).get("dyes", {}).get(layer)
    if named in DYES:
        return str(named)
    if layer == pack.life:
        return "life"
    others = [name for name in DYES if name != "life"]
    return others[[name for name in pack.layers if name != pack.life].index(layer) % len(others)]


def arms(folder: str) -> tuple[str, str]:
    """The shield of a game: its dye and its device."""
    named = page_of(folder)
    return str(named.get("dye", "steel")), str(named.get("device", ARMS[len(folder) % len(ARMS)]))


def name(folder: str, lang: str) -> tuple[str, str]:
    """What a game is called, and what it is in a few words."""
    page = page_of(folder)
    return str(page.get("name", {}).get(lang, folder)), str(page.get("tag", {}).get(lang, ""))


def short(pack: Pack, layer: str, lang: str) -> str:
    """A label of at most nine letters, "" where the game has none."""
    return str(page_of(pack.folder).get("short", {}).get(lang, {}).get(layer, ""))


def lesser(pack: Pack) -> tuple[str, ...]:
    """Layers that stand in the details of a card only."""
    return tuple(page_of(pack.folder).get("lesser", ()))


def in_real_time(pack: Pack) -> bool:
    """Whether the clock of the game is the clock of the world, so that what ends by it runs on by itself."""
    return bool(page_of(pack.folder).get("real_time", False))


class Phase(Struct, frozen=True):
    """One phase of a turn: its whole name to be spoken, one for when it is the current one, a short one for else."""

    name: str
    now: str
    short: str
    current: bool


def phases_of(pack: Pack, facts: Mapping[str, Any], t: Texts) -> tuple[Phase, ...]:
    """The phases of a game that has them, in order."""
    said = page_of(pack.folder).get("phases", {})
    now = _fact(facts, said)
    return tuple(
        Phase(
            _capital(t.term(id)),
            str(said.get("now", {}).get(t.lang, {}).get(id, t.term(id))),
            short(pack, id, t.lang) or _capital(t.term(id)),
            id == now,
        )
        for id in said.get("order", ())
    )


def active_of(pack: Pack, facts: Mapping[str, Any]) -> str:
    """Who is active, "" where nobody is or the game has none."""
    return _fact(facts, page_of(pack.folder).get("active", {}))


def unlisted(pack: Pack, fact: str, record: Mapping[str, Any]) -> dict[str, Any]:
    """What of a fact of the whole table is not shown by the phases: of who is active nothing but that."""
    page = page_of(pack.folder)
    if fact == page.get("active", {}).get("fact"):
        return {key: value for key, value in record.items() if key == page["active"]["key"]}
    hidden = page["phases"]["key"] if fact == page.get("phases", {}).get("fact") else ""
    return {key: value for key, value in record.items() if key != hidden}


def _fact(facts: Mapping[str, Any], where: Mapping[str, str]) -> str:
    """A fact of the whole table: `{fact: turn, key: phase}`."""
    record = facts.get(where.get("fact", ""))
    value = record.get(where.get("key", ""), "") if isinstance(record, dict) else ""
    return value if isinstance(value, str) else ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def told(pack: Pack) -> tuple[str, ...]:
    """Facts that stand on a card as words."""
    return tuple(page_of(pack.folder).get("chips", ()))


def meaning(pack: Pack, condition: str) -> str:
    """The rule of a condition: that of what lasts with it, or of the word that brings it; "" where none is named."""
    for kind in pack.lasting.values():
        if condition in kind.conditions or condition in kind.then:
            return kind.then_rule if condition in kind.then else kind.rule
    marks = (mark for word in pack.words.known.values() for mark in word.marks)
    return next((mark.rule for mark in marks if mark.condition == condition and mark.rule), "")


def spent(pack: Pack, shown: Iterable[str], lang: str) -> tuple[str, str]:
    """What a game says of whoever has no point of life left and none of the conditions that say more, and its rule."""
    said = page_of(pack.folder).get("spent", {})
    if set(said.get("unless", ())) & set(shown):
        return "", ""
    return str(said.get(lang, "")), str(said.get("rule", ""))


def thrown_steps(pack: Pack) -> tuple[str, ...]:
    """Steps that read dice and say what they came to."""
    return tuple(page_of(pack.folder).get("thrown", ()))


def _places(field: Field | None) -> tuple[str, ...]:
    return field.of if isinstance(field, WordField) else ()


def is_figure(places: tuple[str, ...]) -> bool:
    """Whether these are the places of the figure."""
    return bool(places) and set(places) == set(PARTS)


def wounded_fact(pack: Pack) -> str:
    """The fact that lists places of the figure, "" where the game has none."""
    for name, field in pack.facts.items():
        if isinstance(field, ListField) and is_figure(_places(field.of)):
            return name
    return ""


def locations(pack: Pack) -> tuple[str, ...]:
    """Where a blow may land, as far as the game asks."""
    spec = pack.commands.get("hit")
    return _places(spec.fields.get("location")) if spec is not None else ()

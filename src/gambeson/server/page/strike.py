"""A blow: what the form offers, by what the game declares, and what it means."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from gambeson.engine.views import PLAYER, Sight
from gambeson.language.fields import EitherField, EntityField, Field, FlagField, ListField, NumberField, WordField
from gambeson.language.pack import Pack
from gambeson.language.words import Call
from gambeson.model.commands import Command
from gambeson.model.events import FactSet
from gambeson.model.messages import Message, message
from gambeson.model.values import REFEREE, frozen
from gambeson.server.page.cards import Bar, Card, Drawer
from gambeson.server.page.drawing import Words
from gambeson.server.page.dyes import is_figure, locations, wounded_fact
from gambeson.server.page.telling import told
from gambeson.table.entry import Misread, read_entry
from gambeson.table.rulings import PAUSED, REJECTED, Ruling
from gambeson.table.seeing import preview_ruling
from gambeson.table.table import Table

HIT = "hit"
WHOLE = re.compile(r"-?[0-9]{1,18}")
FIRST_WORDS = 6
LOOKED_BACK = 200
"""Rows of the log in which the most used words are counted."""

"""Words that are shown before "more"."""

COMMON = ("target", "call", "damage", "traits", "location")
"""Fields that have a place of their own on the form."""


class Chip(Struct, frozen=True):
    """A word that can be touched."""

    id: str
    label: str
    said: str
    chosen: bool = False


class Extra(Struct, frozen=True):
    """A field of the game's own: `number`, `flag`, `word` or `entity`."""

    name: str
    label: str
    kind: str
    options: tuple[Chip, ...] = ()
    value: str = ""


class Form(Struct, frozen=True):
    """Everything that the form shows."""

    targets: tuple[Chip, ...]
    text: str
    figure: bool
    places: tuple[Chip, ...]
    unknown: Chip | None
    words: tuple[Chip, ...]
    more: tuple[Chip, ...]
    types: tuple[Chip, ...]
    other_types: tuple[Chip, ...]
    extras: tuple[Extra, ...]
    striker: Extra | None = None
    own: tuple[str, ...] = ()
    standing: tuple[str, ...] = ()


class Blow(Struct, frozen=True):
    """What was filled in: the targets, and the commands that it comes to or why it cannot be understood.

    `written`: the place that the line names, "" where it names none.
    """

    targets: tuple[str, ...]
    commands: tuple[Command, ...]
    misread: Message | None = None
    written: str = ""


class Aim(Struct, frozen=True):
    """Where a blow lands: the place, whether the line names it, whether it makes no difference, and by which rule."""

    place: str
    written: bool = False
    anywhere: bool = False
    rule: str = ""


class WhatIf(Struct, frozen=True):
    """What would come of a blow on one target."""

    card: Card | None
    lines: tuple[str, ...]
    shout: str
    refused: str
    rule: str
    asks: tuple[str, ...]
    dice: bool = False


def form_of(table: Table, sight: Sight, t: Words, given: Mapping[str, Any], targets: Sequence[str]) -> Form:
    """The form for a blow; `given` is what was filled in before."""
    pack = table.pack
    fields = pack.commands[HIT].fields if HIT in pack.commands else {}
    known = sight.state(table.state).entities
    used = _used(table)
    words = _words(pack, t, _listed(given, "word"))
    often = _first([one.id for one in words], used)
    types = tuple(Chip(type, t.term(type), _one_word(t.term(type), type)) for type in pack.types)
    often_types = _first(list(pack.types), used)
    place = str(given.get("location", ""))
    unknown = _unknown(fields.get("damage"))
    extras = _extras(pack, sight, known, t, given)
    people = [one for one in extras if one.kind == "entity"]
    own = sight.viewer.entities if sight.viewer.role == PLAYER else ()
    striker = _striker(people[0], own, targets, given, t) if len(people) == 1 else None
    return Form(
        targets=tuple(Chip(id, t.person(entity, id), id, id in targets) for id, entity in known.items()),
        text=str(given.get("text", "")),
        figure=is_figure(locations(pack)),
        places=tuple(Chip(id, t.term(id), id, id == place) for id in locations(pack)),
        unknown=Chip(unknown, t("strike.unknown"), t.term(unknown)) if unknown else None,
        words=tuple(one for one in words if one.id in often),
        more=tuple(one for one in words if one.id not in often),
        types=tuple(one for one in types if one.id in often_types),
        other_types=tuple(one for one in types if one.id not in often_types),
        extras=tuple(one for one in extras if striker is None or one.name != striker.name),
        striker=striker,
        own=tuple(id for id in own if id in known),
        standing=_standing(table, own or (REFEREE,)),
    )


def _striker(field: Extra, own: Sequence[str], targets: Sequence[str], given: Mapping[str, Any], t: Words) -> Extra:
    """Who strikes: whoever was chosen, else the seat's own figure where it strikes others."""
    ready = next((id for id in own if id not in targets), "")
    value = str(given.get(f"x.{field.name}", ready))
    options = tuple(replace(one, chosen=one.id == value) for one in field.options)
    return replace(field, label=t("strike.by"), value=value, options=options)


def _standing(table: Table, givers: Sequence[str]) -> tuple[str, ...]:
    """The senders' ids of the blows that these people struck of late and that stand."""
    rows = table.rows[max(0, table.version - LOOKED_BACK) :]
    undone = {row.undoes for row in rows if row.undoes}
    blows = [row for row in rows if row.command is not None and row.command.name == HIT and row.version not in undone]
    return tuple(row.client for row in blows if row.client and row.by in givers)


def _used(table: Table) -> dict[str, int]:
    """How often words and types were used in blows at this table, of late."""
    found: dict[str, int] = {}
    read = table.pack.reader.read if table.pack.reader is not None else None
    for row in table.rows[max(0, table.version - LOOKED_BACK) :]:
        if row.command is None or row.command.name != HIT:
            continue
        fields = row.command.fields
        said = [*fields.get("traits", ())] if isinstance(fields.get("traits"), tuple) else []
        if isinstance(fields.get("damage"), tuple):
            said += [part.get("type") for part in fields["damage"] if isinstance(part, dict)]
        call = fields.get("call")
        if read is not None and isinstance(call, str):
            understood = read(call)
            said += understood.words if isinstance(understood, Call) else ()
        for word in said:
            if isinstance(word, str):
                found[word] = found.get(word, 0) + 1
    return found


def _first(ids: Sequence[str], used: Mapping[str, int]) -> frozenset[str]:
    """The ids that are used most at this table; what is shown keeps its order, so that nothing moves with use."""
    return frozenset(sorted(ids, key=lambda id: -used.get(id, 0))[:FIRST_WORDS])


def _words(pack: Pack, t: Words, chosen: Sequence[str]) -> tuple[Chip, ...]:
    """The words of a blow, those first that change it."""
    if pack.reader is not None:
        first = {"modifier": 0, "damage": 1, "wound": 3, "effect": 2}
        known = sorted(pack.words.known.items(), key=lambda item: first[item[1].kind])
        ids = [id for id, _ in known if id != pack.words.plain]
    else:
        ids = list(pack.traits) or list(
            _allowed(pack.commands[HIT].fields.get("traits")) if HIT in pack.commands else ()
        )
    return tuple(Chip(id, t.term(id), _one_word(t.term(id), id), id in chosen) for id in ids)


def _one_word(name: str, id: str) -> str:
    """How a word is written in a line."""
    return name if "(" not in name and "," not in name else id


def _allowed(field: Field | None) -> tuple[str, ...]:
    if isinstance(field, ListField):
        return _allowed(field.of)
    return field.of if isinstance(field, WordField) else ()


def _unknown(field: Field | None) -> str:
    """The word for damage that nobody knows, where the game has one."""
    if isinstance(field, EitherField):
        return next((word for one in field.of for word in _allowed(one) if isinstance(one, WordField)), "")
    return ""


def _extras(pack: Pack, sight: Sight, known: Mapping[str, Any], t: Words, given: Mapping[str, Any]) -> list[Extra]:
    found = []
    for name, field in (pack.commands[HIT].fields if HIT in pack.commands else {}).items():
        if name in COMMON:
            continue
        value = str(given.get(f"x.{name}", ""))
        label = t.term(name)
        match field:
            case EntityField():
                own = sight.viewer.entities if sight.viewer.role == PLAYER else ()
                ids = [*(id for id in known if id in own), *(id for id in known if id not in own)]
                options = tuple(Chip(id, known[id].name or id, id, id == value) for id in ids)
                found.append(Extra(name, label, "entity", options, value))
            case NumberField():
                found.append(Extra(name, label, "number", (), value))
            case FlagField():
                found.append(Extra(name, label, "flag", (), value))
            case WordField(of=of) if of:
                found.append(Extra(name, label, "word", tuple(Chip(w, t.term(w), w, w == value) for w in of), value))
            case _:
                continue
    return found


def blow_of(table: Table, sight: Sight, given: Mapping[str, Any], by: str) -> Blow:
    """The commands that a filled-in form means, one for each target."""
    known = sight.state(table.state)
    targets = tuple(id for id in _listed(given, "target") if id in known.entities)
    if not targets:
        return Blow((), (), message("page.strike.nobody"))
    text = str(given.get("text", "")).strip() or _composed(given)
    if not text:
        return Blow(targets, (), message("page.strike.nothing"))
    commands, written = [], ""
    for target in targets:
        entry = read_entry(table.pack, known, f'{HIT} "{target}" {text}')
        if isinstance(entry, Misread):
            return Blow(targets, (), entry.said)
        written = str(entry.fields.get("location", ""))
        fields = {**_chosen(table.pack, given, target, len(targets)), **entry.fields}
        commands.append(Command(HIT, frozen(fields), by))
    return Blow(targets, tuple(commands), None, written)


def aim_of(table: Table, sight: Sight, blow: Blow) -> Aim | None:
    """Where a blow lands, None where the game has no places or there is no blow."""
    places = locations(table.pack)
    if not places or not blow.commands:
        return None
    command = blow.commands[0]
    field = table.pack.commands[HIT].fields["location"]
    place = str(command.fields.get("location") or field.default or "")
    unknown = _of_unknown(table, sight, command, places)
    if not unknown or any(one.status == REJECTED or one.events != unknown[0].events for one in unknown):
        return Aim(place, bool(blow.written))
    wounds = wounded_fact(table.pack)
    rules = (one.rule for one in unknown[0].events if isinstance(one, FactSet) and one.key == wounds)
    return Aim(place, bool(blow.written), True, next(rules, ""))


def _of_unknown(table: Table, sight: Sight, command: Command, places: Sequence[str]) -> list[Ruling]:
    """What comes of a blow of unknown damage in each place; nothing where the damage is known."""
    unknown = _unknown(table.pack.commands[HIT].fields.get("damage"))
    if not unknown or command.fields.get("damage") != unknown:
        return []
    by = command.by or next(iter(sight.viewer.entities), "")
    aimed = (Command(HIT, frozen({**command.fields, "location": place}), by) for place in places)
    return [preview_ruling(table, sight, one) for one in aimed]


def _composed(given: Mapping[str, Any]) -> str:
    """The line that touched keys and words come to, where no script has written it."""
    number = str(given.get("damage", "")).strip()
    parts = [number, str(given.get("type", "")), *_listed(given, "word")]
    return " ".join(part for part in parts if part)


def _chosen(pack: Pack, given: Mapping[str, Any], target: str, among: int) -> dict[str, Any]:
    """The place and the game's own fields; of several who are struck by one of them, that one is struck by nobody."""
    fields: dict[str, Any] = {}
    place = given.get("location")
    if place in locations(pack):
        fields["location"] = place
    for name, field in pack.commands[HIT].fields.items():
        value = given.get(f"x.{name}")
        if value in (None, ""):
            continue
        match field:
            case NumberField():
                number = whole(str(value))
                fields[name] = number if number is not None else str(value)
            case FlagField():
                fields[name] = True
            case EntityField() if among > 1 and value == target:
                continue
            case _:
                fields[name] = str(value)
    return fields


def whole(text: str) -> int | None:
    """A whole number as it is written, None where it is none or longer than any figure."""
    return int(text) if WHOLE.fullmatch(text) else None


def _listed(given: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = given.get(name, ())
    return (value,) if isinstance(value, str) else tuple(str(one) for one in value)


def what_if(table: Table, sight: Sight, t: Words, command: Command) -> WhatIf:
    """What would come of a command, as far as the seat can know."""
    ruling = preview_ruling(table, sight, command)
    target = str(command.fields.get("target", ""))
    if ruling.status == REJECTED:
        refusal = ruling.refusal
        assert refusal is not None
        return WhatIf(None, (), "", t.said.say(refusal.reason), refusal.rule, ())
    asks = tuple(t.said.say(question.text) for question in ruling.questions)
    if ruling.status == PAUSED:
        return WhatIf(None, (), "", "", "", asks, any(question.kind == "roll" for question in ruling.questions))
    one = told(ruling, t)
    return WhatIf(changed(table, sight, t, ruling, target), one.outcome, one.shout, "", "", asks)


def changed(table: Table, sight: Sight, t: Words, ruling: Ruling, id: str) -> Card | None:
    """The card of an entity with what a ruling makes of it beside what is."""
    if id not in ruling.after.entities or id not in ruling.before.entities:
        return None
    then, now = Drawer(table, sight, t, ruling.after), Drawer(table, sight, t, ruling.before)
    then.columns = now.columns = tuple(layer for layer in table.pack.layers if layer in then.columns + now.columns)
    after = then.card(id)
    before = {bar.layer: bar for bar in now.card(id).bars}
    return replace(after, bars=tuple(_beside(bar, before.get(bar.layer)) for bar in after.bars))


def _beside(bar: Bar, old: Bar | None) -> Bar:
    if old is None or bar.word or old.current == bar.current:
        return bar
    return replace(bar, before=old.current, none=False)

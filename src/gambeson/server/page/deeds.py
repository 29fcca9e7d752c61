"""What else may be done: legal commands with their reasons, and a form for every command of the game."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from gambeson.engine.legal import Entry, legal
from gambeson.engine.views import PLAYER, Sight
from gambeson.language.fields import (
    EitherField,
    EntityField,
    Field,
    FlagField,
    ListField,
    NumberField,
    TextField,
    UntilField,
    WordField,
)
from gambeson.language.pack import Pack
from gambeson.model.commands import Command
from gambeson.model.messages import Message
from gambeson.model.values import REFEREE, frozen
from gambeson.server.page.drawing import Words
from gambeson.server.page.strike import HIT, Chip
from gambeson.table.entry import Misread, read_entry
from gambeson.table.json_view import plain
from gambeson.table.rulings import Ruling
from gambeson.table.seeing import REFEREES_OWN
from gambeson.table.table import Table
from gambeson.table.words import Speaker

MOST_SHOWN = 60
"""Actions of one entity that are shown; past that the form finds them."""


class Cost(Struct, frozen=True):
    """What an action takes from a layer: before and after."""

    name: str
    before: int
    after: int


class Open(Struct, frozen=True):
    """What is still to be chosen for an action."""

    field: str
    label: str
    options: tuple[Chip, ...]
    listed: bool
    optional: bool
    most: int


class Act(Struct, frozen=True):
    """One action: what it is called, its costs, or why not."""

    command: str
    fields: str
    title: str
    detail: str
    costs: tuple[Cost, ...]
    opens: tuple[Open, ...]
    reason: str
    rule: str


class Actor(Struct, frozen=True):
    """Everything that one entity may do now, and what it may not."""

    id: str
    name: str
    may: tuple[Act, ...]
    may_not: tuple[Act, ...]


class Input(Struct, frozen=True):
    """One field of a command's form."""

    name: str
    label: str
    kind: str
    required: bool
    options: tuple[Chip, ...] = ()


class Deed(Struct, frozen=True):
    """A command as a form."""

    name: str
    title: str
    inputs: tuple[Input, ...]


def actors(table: Table, sight: Sight, t: Words) -> list[Actor]:
    """What the entities of this seat may do, as far as the game proposes it."""
    known = sight.state(table.state)
    viewer = sight.viewer
    if table.waiting is not None or (viewer.role == PLAYER and not viewer.entities):
        return []
    found = legal(table.pack, known, viewer.entities if viewer.role == PLAYER else None)
    shown = Ruling(table.pack, "paused", known, known)
    speaker = Speaker(shown, t.said.lang)
    grouped: dict[str, list[Entry]] = {}
    for entry in found:
        grouped.setdefault(entry.actor, []).append(entry)
    made = []
    for id, entries in grouped.items():
        acts = [_act(table.pack, known.entities, speaker, t, entry) for entry in entries]
        may = tuple(act for act, entry in zip(acts, entries, strict=True) if entry.legal)[:MOST_SHOWN]
        may_not = tuple(act for act, entry in zip(acts, entries, strict=True) if not entry.legal)[:MOST_SHOWN]
        made.append(Actor(id, speaker.name(id) if id else t("do.table"), may, may_not))
    return sorted(made, key=lambda actor: not actor.may)


def _act(pack: Pack, entities: Mapping[str, Any], speaker: Speaker, t: Words, entry: Entry) -> Act:
    title, details = _titled(speaker, t, entry)
    actor = entities.get(entry.actor)
    costs = []
    for layer, points in entry.costs.items():
        pool = actor.pools.get(layer) if actor is not None else None
        before = pool.current if pool is not None else 0
        costs.append(Cost(t.term(layer), before, before - points))
    opens = tuple(
        Open(
            choice.field,
            t.term(choice.field),
            tuple(Chip(json.dumps(plain(value)), _said(speaker, choice.field, value), "") for value in choice.values),
            choice.listed,
            choice.optional,
            choice.most,
        )
        for choice in entry.open
    )
    refusal = entry.refusal
    return Act(
        entry.command,
        json.dumps(plain(dict(entry.fields)), ensure_ascii=False),
        title,
        details,
        tuple(costs),
        opens,
        t.said.say(refusal.reason) if refusal is not None else "",
        refusal.rule if refusal is not None else "",
    )


def _titled(speaker: Speaker, t: Words, entry: Entry) -> tuple[str, str]:
    """What an action is called: the command and what it is done with; the rest is the detail."""
    named = [
        _said(speaker, name, value)
        for name, value in entry.fields.items()
        if value != entry.actor and value is not None
    ]
    title = _capital(t.term(entry.command))
    if named:
        title = t("do.title", command=title, what=named[0])
    return title, ", ".join(named[1:])


def _said(speaker: Speaker, field: str, value: Any) -> str:
    if isinstance(value, str):
        return str(speaker._given(field, TextField(), value)) if speaker.name(value) == value else speaker.name(value)
    if isinstance(value, tuple | list):
        return ", ".join(_said(speaker, field, one) for one in value)
    return speaker.plain(plain(value))


# --- forms for every command ----------------------------------------------------------------------------------


def deeds(table: Table, sight: Sight, t: Words) -> list[Chip]:
    """The commands that this seat may give by form."""
    pack, referee = table.pack, sight.viewer.role == REFEREE
    names = [name for name, spec in pack.commands.items() if referee or not (spec.referee or name in REFEREES_OWN)]
    return [Chip(name, _capital(t.term(name)), name) for name in names if name != HIT]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def deed(table: Table, sight: Sight, t: Words, name: str) -> Deed | None:
    """The form of one command."""
    spec = table.pack.commands.get(name)
    if spec is None:
        return None
    known = sight.state(table.state).entities
    people = tuple(Chip(id, entity.name or id, id) for id, entity in known.items())
    inputs = tuple(_input(table.pack, people, t, field_name, field) for field_name, field in spec.fields.items())
    if spec.writes_entities:
        inputs = (*(one for one in inputs if one.kind != "line"), Input("", t("do.line"), "line", False))
    return Deed(name, _capital(t.term(name)), inputs)


def _input(pack: Pack, people: tuple[Chip, ...], t: Words, name: str, field: Field) -> Input:
    label = t.term(name)

    def words(ids: tuple[str, ...]) -> tuple[Chip, ...]:
        return tuple(Chip(id, t.term(id), id) for id in ids)

    match field:
        case EntityField():
            return Input(name, label, "entity", field.required, people)
        case NumberField():
            return Input(name, label, "number", field.required)
        case FlagField():
            return Input(name, label, "flag", False)
        case WordField(of=of) if of:
            return Input(name, label, "word", field.required, words(of))
        case TextField() if name == "spell" and pack.spells:
            return Input(name, label, "spell", field.required, words(tuple(pack.spells)))
        case UntilField(of=of):
            return Input(name, label, "line", field.required, words(of))
        case EitherField(of=of) if any(_people(one) for one in of):
            return Input(name, label, "entities", field.required, people)
        case ListField() if _people(field):
            return Input(name, label, "entities", field.required, people)
        case EitherField(of=of) if any(isinstance(one, NumberField) for one in of):
            return Input(name, label, "number", field.required)
        case _:
            return Input(name, label, "line", field.required)


def _people(field: Field) -> bool:
    return isinstance(field, EntityField) or (isinstance(field, ListField) and isinstance(field.of, EntityField))


def filled(table: Table, sight: Sight, name: str, given: Mapping[str, Any], by: str) -> Command | Message:
    """The command that a filled-in form means, or why it means none."""
    known = sight.state(table.state)
    spec = table.pack.commands[name]
    parts = [name]
    fields: dict[str, Any] = {}
    for key, field in spec.fields.items():
        values = given.get(f"f.{key}", "")
        listed = [value for value in ([values] if isinstance(values, str) else list(values)) if value != ""]
        if not listed:
            continue
        one = listed[0].strip()
        match field:
            case NumberField():
                fields[key] = int(one) if one.lstrip("-").isdecimal() else one
            case FlagField():
                fields[key] = True
            case EntityField() | WordField():
                fields[key] = one
            case TextField():
                fields[key] = one
            case _ if len(listed) > 1:
                fields[key] = listed
            case EitherField() if one in known.entities:
                fields[key] = one
            case ListField() if one in known.entities:
                fields[key] = listed
            case _:
                parts.append(f"{key}={_quoted(one)}")
    line = str(given.get("f.", "")).strip()
    if len(parts) == 1 and not line:
        return Command(name, frozen(fields), by)
    needed = [f"{key}={_quoted(str(value))}" for key, value in fields.items() if not isinstance(value, list | bool)]
    entry = read_entry(table.pack, known, " ".join([*parts, *needed, line]))
    if isinstance(entry, Misread):
        return entry.said
    return Command(name, frozen({**entry.fields, **fields}), by)


def _quoted(value: str) -> str:
    return value if value[:1] in "[{" or value.isalnum() else '"' + value.replace('"', "") + '"'


def line_of(table: Table, sight: Sight, text: str, by: str) -> Command | Message:
    """The command that a typed line means, or why it means none."""
    entry = read_entry(table.pack, sight.state(table.state), text)
    if isinstance(entry, Misread):
        return entry.said
    return Command(entry.name, entry.fields, by or entry.by)


def act_of(given: Mapping[str, Any], by: str) -> Command | None:
    """The command of an action that was touched, with what was chosen for it."""
    try:
        fields = json.loads(str(given.get("fields", "{}")))
    except ValueError:
        return None
    if not isinstance(fields, dict):
        return None
    for key, value in given.items():
        if not key.startswith("o."):
            continue
        values = [value] if isinstance(value, str) else list(value)
        try:
            chosen = [json.loads(one) for one in values if one != ""]
        except ValueError:
            return None
        if chosen:
            fields[key[2:]] = chosen if given.get("l." + key[2:]) else chosen[0]
    return Command(str(given.get("command", "")), frozen(fields), by)

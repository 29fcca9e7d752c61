"""A form for every command of the game, and what a filled-in form or a typed line means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from gambeson.engine.views import Sight
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
from gambeson.model.messages import Message, message
from gambeson.model.values import REFEREE, frozen
from gambeson.server.page.drawing import Words
from gambeson.server.page.strike import HIT, Chip, whole
from gambeson.table.entry import Misread, read_entry
from gambeson.table.seeing import REFEREES_OWN
from gambeson.table.table import Table

ID, KEY, LAYER = "id", "k.", "p."
"""Who joins, and how the fields for keys and for points of an entity begin."""


EXAMPLES = 5
"""Commands that are named where a line was not understood."""


class Input(Struct, frozen=True):
    """One field of a command's form."""

    name: str
    label: str
    kind: str
    required: bool
    options: tuple[Chip, ...] = ()
    values: tuple[str, ...] = ()


class Deed(Struct, frozen=True):
    """A command as a form."""

    name: str
    title: str
    inputs: tuple[Input, ...]

    @property
    def begun(self) -> bool:
        """Whether something is filled in already."""
        return any(one.values for one in self.inputs)


# --- forms for every command ----------------------------------------------------------------------------------


def deeds(table: Table, sight: Sight, t: Words) -> list[Chip]:
    """The commands that this seat may give by form."""
    return [Chip(name, _called(t, name), name) for name in offered(table, sight) if name != HIT]


def offered(table: Table, sight: Sight) -> list[str]:
    """The commands that this seat may give at all."""
    referee = sight.viewer.role == REFEREE
    commands = table.pack.commands.items()
    return [name for name, spec in commands if referee or not (spec.referee or name in REFEREES_OWN)]


def _called(t: Words, name: str) -> str:
    """What a command is called on a button of its own, where it needs more words than in a sentence."""
    return _capital(t.term(f"deed.{name}" if t.said.has(f"term.deed.{name}") else name))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def deed(table: Table, sight: Sight, t: Words, name: str, given: Mapping[str, Sequence[str]]) -> Deed | None:
    """The form of one command; `given` is what is filled in already."""
    spec = table.pack.commands.get(name)
    if spec is None:
        return None
    known = sight.state(table.state).entities
    people = tuple(Chip(id, t.person(entity, id), id) for id, entity in known.items())
    inputs = tuple(_input(table.pack, people, t, f"{name}.{key}", key, field) for key, field in spec.fields.items())
    if spec.writes_entities:
        inputs = (*_of_entity(table.pack, inputs, t), Input("", t("do.line"), "line", False))
    inputs = tuple(replace(one, values=tuple(given.get(f"f.{one.name}", ()))) for one in inputs)
    return Deed(name, _called(t, name), inputs)


def _of_entity(pack: Pack, inputs: Sequence[Input], t: Words) -> Iterator[Input]:
    """The fields of a command that writes an entity: who it is, what it must have, and its points in each layer."""
    for one in inputs:
        if one.name == ID:
            yield replace(one, label=t("do.name"))
            needed = (key for key, field in pack.facts.items() if field.required)
            yield from (Input(f"{KEY}{key}", t.term(key), "line", True) for key in needed)
        elif one.kind != "line":
            yield one
    yield from (Input(f"{LAYER}{layer}", t.term(layer), "number", False) for layer in pack.layers)


def _input(pack: Pack, people: tuple[Chip, ...], t: Words, place: str, name: str, field: Field) -> Input:
    label = t.term(place if t.said.has(f"term.{place}") else name)

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
            return Input(name, label, "listed", field.required, words(tuple(pack.spells)))
        case UntilField(of=of):
            return Input(name, label, "listed", field.required, words(of))
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


def filled(table: Table, sight: Sight, t: Words, name: str, given: Mapping[str, Any], by: str) -> Command | Message:
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
                number = whole(one)
                if number is None:
                    return message("page.do.number", field=key)
                fields[key] = number
            case FlagField():
                fields[key] = True
            case EntityField() | WordField():
                fields[key] = one
            case TextField():
                fields[key] = one
            case UntilField(of=of) if one in of or one in map(t.term, of):
                fields[key] = next(word for word in of if one in (word, t.term(word)))
            case _ if len(listed) > 1:
                fields[key] = listed
            case EitherField() if one in known.entities:
                fields[key] = one
            case ListField() if one in known.entities:
                fields[key] = listed
            case _:
                parts.append(f"{key}={_quoted(one)}")
        if key == ID:
            parts.append(f'{ID}="{str(fields.pop(ID)).replace(chr(34), "")}"')
    for written, value in given.items():
        name_of = written.removeprefix(f"f.{KEY}").removeprefix(f"f.{LAYER}")
        if name_of != written and str(value).strip():
            parts.append(f"{name_of}={_quoted(str(value).strip())}")
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
        if entry.said.id == "play.entry.unknown" and not entry.said.params.get("meant"):
            names = [name for name in offered(table, sight) if name != HIT][:EXAMPLES]
            called = tuple(Message(f"term.{name}") for name in names)
            return message("page.do.unknown", got=entry.said.params["got"], examples=called)
        return entry.said
    return Command(entry.name, entry.fields, by or entry.by)
